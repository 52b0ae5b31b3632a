# SPDX-License-Identifier: GPL-2.0-only
"""Costs of operations in register accesses, as the virtual GPU counts them."""

import pathlib
import subprocess
from collections import Counter

from support import (DEBUG_1, EVENT, PM_TRIGGER, PRE, PROGRAM, START, STOP, Bar0, ack, case, check,
                     counter, ctrl, cycles, group, insmod, op, rmmod, same, write)

ABOUT = "registers pdaemon"

FOUR = [f"dom=1,sig={sig}" for sig in range(0x10, 0x14)] + ["dom=1,clk"]
COUNTERS = {cycles(1), *(counter(slot, 1) for slot in (PRE, START, EVENT, STOP))}


TRIES = 5


def tried(lab, what=lambda leader: leader.read()):
    with lab.gpu.frozen(), group(lab.pmu, *FOUR) as leader:
        leader.enable()
        lab.gpu("run", 1000)
        lab.gpu.forget()
        what(leader)
        return lab.gpu.log()


def accesses_of_read(lab):
    """Return the accesses of reading a running group of four signals and cycles."""
    # on a busy host the driver's poll of all domains may come in between
    return min((tried(lab) for _ in range(TRIES)), key=len)


def check_swap(accesses, swap_writes):
    reads = Counter(a.addr for a in accesses if not a.write)
    writes = Counter(a.addr for a in accesses if a.write)
    same(writes, Counter({**swap_writes, ack(1): 1}), f"writes of {accesses}")
    states = reads.pop(ctrl(1), 0)
    reads.pop(DEBUG_1, 0)
    same(reads, Counter(dict.fromkeys(COUNTERS, 1)), f"reads of {accesses}")
    return states


def exact(lab):
    return len(lab.gpus) == 1 and lab.chip.classic and not lab.chip.swap_shared


@case("cost: a group of four and cycles is one swap, five counters, one state, one ack", exact,
      about="kernel")
def read_group(lab):
    accesses = accesses_of_read(lab)
    same(check_swap(accesses, {op(PRE, 1): 1}), 1, f"reads of CTRL in {accesses}")


@case("cost: a group of four and cycles by PM_TRIGGER, which keeps DEBUG_1's other bits",
      lambda lab: len(lab.gpus) == 1 and lab.chip.classic and lab.chip.swap_shared, about="kernel")
def read_group_shared(lab):
    with Bar0(lab.gpu.pci) as bar:
        # nouveau's value on NV40; G80 keeps nothing
        bar.wr32(DEBUG_1, 0x401287c0)
        before = bar.rd32(DEBUG_1)
        accesses = accesses_of_read(lab)
        same(bar.rd32(DEBUG_1), before, "DEBUG_1 afterwards")
    check_swap(accesses, {DEBUG_1: 1})
    written = next(a.val for a in accesses if a.addr == DEBUG_1 and a.write)
    same(written, before | PM_TRIGGER, "written to DEBUG_1")


@case("cost: disabling the same group costs no more than reading it", exact)
def disable_group(lab):
    # on a busy host the driver's poll of all domains may come in between
    accesses = min((tried(lab, lambda leader: leader.disable()) for _ in range(TRIES)), key=len)
    same(check_swap(accesses, {op(PRE, 1): 1}), 1, f"reads of CTRL in {accesses}")


@case("cost: enabling a group writes each register once at most")
def enable_group(lab):
    with lab.gpu.frozen(), group(lab.pmu, *FOUR) as leader:
        leader.enable()     # the first time initialises the domain
        leader.disable()
        lab.gpu.forget()
        leader.enable()
        writes = Counter(a.addr for a in lab.gpu.log() if a.write)
    check(all(count == 1 for count in writes.values()), f"writes: {writes}")


TRACING = pathlib.Path("/sys/kernel/debug/tracing")
STARTS = ("timer/hrtimer_start", "timer/timer_start", "workqueue/workqueue_queue_work")


def started_during(*command):
    """Return timers and work of the driver that started during a command."""
    for name in STARTS:
        write(TRACING / "events" / name / "enable", 1)
    try:
        write(TRACING / "trace", "")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = (TRACING / "trace").read_text(errors="replace").splitlines()
    finally:
        for name in STARTS:
            write(TRACING / "events" / name / "enable", 0)
    return [line for line in lines if "[pcounter]" in line]


@case("cost: an idle module has no timer and no work, and touches no register",
      lambda lab: len(lab.gpus) == 1, about="kernel")
def idle_module(lab):
    rmmod()
    insmod(lab.module)
    lab.gpu.forget()
    same(started_during("sleep", "2"), [], "timers and work of an idle module")
    same(lab.gpu.log(), [], "accesses of an idle module")
    some = started_during("perf", "stat", "-a", "-e", f"{lab.pmu.name}/dom=0,clk/", "sleep", "1")
    check(some, "no timer is seen while an event counts")
    print(f"# while an event counts for a second: {len(some)} timers and work", flush=True)
    lab.gpu.forget()
    after = started_during("sleep", "2")
    # except the last check whether the GPU may sleep
    same([line for line in after if "lease_watch" not in line], [], "timers and work afterwards")
    check(len(after) <= 1, f"looks after an event: {after}")
    same(lab.gpu.log(), [], "accesses after an event")


def usage_of(lab, command):
    """Run a program; return its register accesses, and the bytes of its output."""
    lab.gpu.forget()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return lab.gpu.accesses(), len(done.stdout)


def difference(lab, command, few, many):
    """Return the cost of one more, without the costs of begin and end."""
    before, after = (usage_of(lab, command(number)) for number in (few, many))
    return [(b - a) / (many - few) for a, b in zip(before, after)]


def top(intervals):
    return [PROGRAM, "top", "--openmetrics", "-i", "200ms", "-n", str(intervals)]


def events_of(*more):
    """Return the clocks of all domains, each a group, and more events in the
    group of domain 1.
    """
    return ",".join("{" + ",".join([f"pcounter_0/dom={dom},clk/", *(more if dom == 1 else [])]) + "}"
                    for dom in range(8))


def perf(intervals):
    return ["perf", "stat", "-x,", "-I", "200", "-e", events_of("pcounter_0/pgraph_idle/"), "--",
            "sleep", str(intervals / 5)]


def only_counting(seconds):
    return ["perf", "stat", "-e", events_of(), "--", "sleep", str(seconds)]


@case("cost: an interval of pcounter top for Prometheus reads each domain and no more", exact,
      about="slow")
def metrics(lab):
    accesses, size = difference(lab, top, 2, 12)
    by_perf, _ = difference(lab, perf, 2, 12)
    polls, _ = difference(lab, only_counting, 1, 2)
    print(f"# an interval: {accesses:.0f} accesses, {size:.0f} bytes; by perf stat -I "
          f"{by_perf:.0f} accesses; polls of what is open: {polls:.0f} a second", flush=True)
    # 8 domains by their clocks, and 3 of them by events for busy units, in 5
    # turns; plus polls. On a busy machine there are up to 20 turns of some 30
    # accesses.
    check(0 < accesses < 1000, f"{accesses} accesses in an interval")
