# SPDX-License-Identifier: GPL-2.0-only
"""BPF programs that read an event in traced kernel functions, with any lock held."""

import contextlib
import os
import pathlib
import random
import re
import time

from attackers import ALL, LOCKS, POWER, SCHED, TIMERS, Programs, attack, busy_gpu, watched
from lives import counts_right
from packets import PERIOD, RAW, terms
from support import A, SOAK_SECONDS, Event, case, check, group, near, run, same, seed, write

ABOUT = "checked kernel"

# a kprobe is slow to add and remove
MOST_FUNCTIONS = 40


def one(lab):
    """Choose one GPU: perf does the same around the driver for all chips."""
    return len(lab.gpus) == 1 and lab.chip.chipset in (0x84, 0xa3)


def judge(found, count, wanted=()):
    """Check that the programs ran, that no count has gone back, and that none
    exceeds the event's.
    """
    hits = sum(seen.hits for seen in found.values())
    reads = sum(seen.reads for seen in found.values())
    print(f"# {len(found)} programs ran {hits} times, {reads} of them read", flush=True)
    for where, seen in found.items():
        same(seen.backwards, 0, f"{where}: counts that go back")
        check(seen.last <= count, f"{where}: {seen.last} of {count}")
        check(seen.inside <= count, f"{where}: {seen.inside} of {count} while it ran")
    for where in wanted:
        check(found[where].hits, f"{where} was never hit")
    return reads


@contextlib.contextmanager
def on_cpu(cpu):
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def wake_and_let_sleep(lab):
    """Run on the PMU's CPU, where the event can be read."""
    with on_cpu(0):
        for control in ("on", "auto"):
            write(f"{lab.gpu.pci}/power/control", control)
            time.sleep(0.02)


@case("bpf: read where runtime power management holds its lock", one)
def power(lab):
    with watched(), busy_gpu(lab), Programs(lab, POWER) as programs:
        while programs.going():
            wake_and_let_sleep(lab)
        found, count = programs.finish()
        judge(found, count, ("raw:rpm_idle", "raw:rpm_suspend"))


@case("bpf: read where a runqueue is locked", one)
def sched(lab):
    with watched(), busy_gpu(lab), Programs(lab, SCHED) as programs:
        with on_cpu(0):
            while programs.going():
                run("true")
        judge(*programs.finish(), SCHED)


@case("bpf: read where timers and contended locks are", one)
def timers(lab):
    with watched(), busy_gpu(lab), Programs(lab, (*TIMERS, *LOCKS)) as programs, \
         Event(lab.pmu, "dom=2,clk") as event:
        while programs.going():
            # starts and stops the PMU's own timer
            event.enable()
            run("cat", f"/sys/kernel/debug/pcounter/{lab.pmu.name}/status")
            event.disable()
        judge(*programs.finish(), TIMERS)


@case("bpf: read where timers are, which drains packets of an event that samples", one)
def drains(lab):
    with watched(), Programs(lab, TIMERS) as programs, \
         Event(lab.pmu, terms(3, A), period=100 * 1024, samples=PERIOD | RAW) as samples, \
         Event(lab.pmu, "dom=2,clk") as event:
        samples.enable()
        while programs.going():
            event.enable()
            event.disable()
        judge(*programs.finish(), TIMERS)


def functions():
    """Return the module's functions that can be traced, in random order."""
    found = []
    for line in pathlib.Path("/proc/kallsyms").read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[-1] == "[pcounter]" and words[1] in "tT" and not re.search(
                r"\.|^__|cfi|_init$|_exit$|init_module|cleanup_module", words[2]):
            found.append(words[2])
    random.Random(seed()).shuffle(found)
    return found


@case("bpf: read from within the driver's own functions, its lock held or not", one)
def own(lab):
    names = [f"kprobe:{name}" for name in functions()]
    check(names, "no functions to trace")
    for first in range(0, len(names), MOST_FUNCTIONS):
        if first and not SOAK_SECONDS:
            break
        some = names[first:first + MOST_FUNCTIONS]
        with watched(), Programs(lab, some, length=600) as programs:
            with on_cpu(0), busy_gpu(lab):
                for _ in range(2):
                    with group(lab.pmu, f"dom=1,sig={A}", "dom=2,clk") as leader:
                        leader.enable()
                        leader.read()
                        wake_and_let_sleep(lab)
            judge(*programs.finish())
    counts_right(lab)


@case("bpf: what is read is right, or nothing", one)
def right(lab):
    gpu = lab.gpu
    with watched(), gpu.frozen():
        with Programs(lab, ("raw:sys_enter",), length=600) as programs, on_cpu(0):
            ran = 0
            for _ in range(200):
                gpu("run", 1000)
                ran += 1000
            found, count = programs.finish()
        near(count, ran, 500, "the event's count")
        judge(found, count, ("raw:sys_enter",))
        if found["raw:sys_enter"].reads:
            near(found["raw:sys_enter"].last, count, 2500, "what a program has read last")


@case("bpf: perf stat --bpf-counters is right, or refused", one)
def perf_counters(lab):
    event = lab.pmu.event("dom=1,clk")
    with watched(), lab.gpu.frozen():
        done = run("perf", "stat", "-x,", "--bpf-counters", "-e", event, "-a", "--",
                   "sleep", "0.2")
    print(f"# status {done.returncode}: {done.stdout.splitlines()[0]}", flush=True)
    counted = re.search(r"(?m)^(\d+),", done.stdout)
    check(done.returncode or not counted or int(counted[1]) < 500,
          f"counts although time stands still: {done.stdout}")


@case("bpf: programs everywhere, while the GPU sleeps and wakes and a user attacks", one,
      about="random soak")
def everywhere(lab):
    with busy_gpu(lab), attack() as attacker, Programs(lab, ALL, length=10000) as programs:
        while attacker.going():
            wake_and_let_sleep(lab)
        attacker.switches()
        judge(*programs.finish(), ("raw:rpm_suspend", "raw:sched_switch", "raw:hrtimer_start"))
