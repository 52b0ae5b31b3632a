# SPDX-License-Identifier: GPL-2.0-only
"""An ordinary user whose tasks make perf remove all events at each switch. perf
calls the PMU with the lock of the runqueue held then.
"""

import contextlib
import os
import subprocess
import tempfile
import time

from attackers import SECONDS, attack, busy_gpu, seconds, watched_closely
from drivers import asleep, driver, lint
from packets import Reader, in_order, run_packets, terms
from support import (A, KCSAN, MEMBERS, Event, Pmu, case, check, group, near, one_gpu, same, text,
                     wait_for, write)

ABOUT = "checked races kernel registers once"

FEWEST_SWITCHES = 50
# An event that leaves and comes back at once is not programmed again, which
# took nine accesses. A register access of a real card takes about 1 us, so this
# is far below 20 us.
MOST_ACCESSES = 4.0
# cycles of the virtual GPU between two polls
STEP = 1000


def accesses(gpu):
    """Return the number of accesses since the last call."""
    return int(gpu("log").split()[0])


def cost(lab, attacker, usual=0):
    """Return the register accesses for each switch, beyond the usual ones."""
    switches = attacker.switches()
    number = max(0, accesses(lab.gpu) - usual)
    print(f"# {number} register accesses more than {usual}, in {switches} switches: "
          f"{number / max(switches, 1):.2f} each", flush=True)
    check(switches > FEWEST_SWITCHES, f"{switches} switches are no attack")
    check(number <= MOST_ACCESSES * switches, f"{number / switches:.2f} accesses a switch")


@case("attack: counts go on and are right, at next to no register access a switch")
def counting(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    with gpu.frozen(), group(lab.pmu, *MEMBERS) as leader, Event(lab.pmu, "dom=2,clk") as other:
        leader.enable()
        other.enable()
        first, before = leader.read(), other.read()[0]
        accesses(gpu)
        with attack() as attacker:
            ran = 0
            while attacker.going():
                gpu("run", STEP)
                ran += STEP
                leader.read()
            cost(lab, attacker)
        events, cycles = (last - start for last, start in zip(leader.read(), first))
        same(events, cycles, "events and cycles")
        # on the oldest chips each access takes a clock
        slack = 500 if not gpu.chip.swap_shared else ran
        near(cycles, ran, slack, "cycles")
        near(other.read()[0] - before, ran, slack, "cycles of another domain")


def stat(lab, length):
    """Start perf stat with events of this GPU; return the command and its output file."""
    events = ["{" + ",".join(lab.pmu.event(member) for member in MEMBERS) + "}"]
    if lab.chip.pdaemon:
        events.append("{" + ",".join(Pmu(0, "pcounter_idle").event(what)
                                     for what in ("mask=1,when=0", "when=2")) + "}")
    out = tempfile.NamedTemporaryFile("r", encoding="ascii")
    command = subprocess.Popen(
        ["perf", "stat", "-x,", "-o", out.name, "-e", ",".join(events), "--", "sleep", str(length)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return command, out


def values(out):
    lines = [line for line in out.read().splitlines() if line and not line.startswith("#")]
    return [int(line.split(",")[0]) for line in lines]


@case("attack: nothing hangs while the GPU sleeps and wakes, and counts are right", about="soak")
def sleeping(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    if lab.chip.pdaemon:
        gpu("idle", "signal", 0, "const", 1)
    with busy_gpu(lab), gpu.frozen():
        sleeps = lint(lab, "sleeps")
        command, out = stat(lab, seconds() + 1)
        # perf takes a while to start
        wait_for(lambda: int(text("/sys/module/pcounter/refcnt")), "perf stat opens no event", 30)
        with Event(lab.pmu, "dom=2,clk") as other, attack() as attacker:
            while attacker.going():
                gpu("run", STEP)
                # wait until the CPU that programs the GPU has finished
                other.read()
            switches = attacker.switches()
            output = command.communicate()[0]
        slept = lint(lab, "sleeps") - sleeps
        print(f"# slept {slept} times in {switches} switches", flush=True)
        same(command.returncode, 0, f"perf stat: {output}")
        with out:
            counts = values(out)
        check(slept > 2, f"slept {slept} times")
        check(counts[1] > 0, "nothing was counted")
        # counters are read and written one by one, and there may be a step in between
        for events, cycles in zip(counts[::2], counts[1::2]):
            near(events, cycles, 2 * STEP * (slept + 1), f"events and cycles of {counts}")
    wait_for(lambda: not asleep(lab), "does not wake")


@case("attack: packets of record mode, none is missing",
      lambda lab: len(lab.gpus) == 1 and lab.chip.record, about="soak")
def recording(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    gpu.signal(2, A, "const", 1)
    with busy_gpu(lab), gpu.frozen(), contextlib.ExitStack() as stack:
        # record mode is refused while the GPU sleeps, and keeps it awake afterwards
        write(f"{gpu.pci}/power/control", "on")
        reader = stack.enter_context(Reader(lab.pmu, terms(1, A)))
        counted = stack.enter_context(group(lab.pmu, terms(2, A), "record,dom=2,clk,periodic=1"))
        write(f"{gpu.pci}/power/control", "auto")
        reader.event.enable()
        counted.enable()
        last, packets, ran, usual, per_second = [], 0, 0, 0, 0
        # first two tasks without events, to measure the cost of the packets
        for options in (("-n",), ()):
            accesses(gpu)
            before, began = ran, time.monotonic()
            with attack(options=options) as attacker:
                while attacker.going():
                    run_packets(gpu, reader, 400)
                    # a soak has too many packets to keep
                    piece = last + reader.read()
                    in_order(piece)
                    packets += len(piece) - len(last)
                    last = piece[-2:]
                    ran += 400
                took = time.monotonic() - began
                if options:
                    number = accesses(gpu)
                    usual, per_second = number / ran, number / took
                else:
                    # the driver polls by time, also while a busy host lets few packets through
                    cost(lab, attacker, round(max(usual * (ran - before), per_second * took)))
        near(packets, ran, 4, "packets")
        same(reader.flags, 0, "flags")
        events, cycles = counted.read()
        near(cycles, ran * 1024, 4096, "cycles in record mode")
        near(events, cycles, 1024, "events in record mode")


def come_and_go(lab, end):
    while time.monotonic() < end:
        with Event(lab.pmu, "dom=1,clk") as event:
            event.enable()


@case("attack: events come and go while the owner is asked whether the GPU may sleep",
      lambda lab: one_gpu(lab) and KCSAN.exists())
def asked(lab):
    with driver(lab, "veto=1"):
        write(f"{lab.gpu.pci}/power/control", "auto")
        with watched_closely():
            child = os.fork()
            come_and_go(lab, time.monotonic() + 3 * SECONDS)
            if not child:
                os._exit(0)
            same(os.waitpid(child, 0)[1], 0, "status of the child")
