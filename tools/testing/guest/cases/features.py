# SPDX-License-Identifier: GPL-2.0-only
"""Features of single chips beyond a plain count. Unit tests count them on each layout."""

import contextlib
import time

from chips import USER_1, some, those
from support import Pmu, case, check, group, near, same, text, wait_for

ABOUT = "registers tables"

ONE, SET, CLR = 0x09, 0x11, 0x12


def place(gpu):
    """Return the domain of most cases: its terms, and its name in the model."""
    if gpu.chip.sets:
        return "dom=6", "hub6"
    number = 1 if gpu.chip.classic else 0
    return f"dom={number}", number


@contextlib.contextmanager
def frozen(gpu):
    """Freeze time, except for accesses on chips whose swap is a pulse."""
    gpu("freeze")
    gpu("step", 1 if gpu.chip.swap_shared or gpu.chip.sets else 0)
    try:
        yield
    finally:
        gpu("step", 0)
        gpu("thaw")


@contextlib.contextmanager
def wired(gpu, dom, scripts):
    """Drive signals, and silence them afterwards."""
    for sig, script in scripts.items():
        gpu("signal", dom, sig, script)
    try:
        yield
    finally:
        for sig in scripts:
            gpu("signal", dom, sig, "const 0")


def run(gpu, members, cycles):
    """Return the counts of a group over a number of cycles of the frozen clock."""
    with group(Pmu(gpu.number), *members) as leader:
        leader.enable()
        gpu("run", cycles)
        return leader.read()


# full counters


def has_quad(chip):
    return chip.quad


@case("features: a counter of 32 bits counts right until it is full, and then not at all",
      some(has_quad))
def saturate(lab):
    for gpu in those(lab, has_quad):
        dom, name = place(gpu)
        pmu = Pmu(gpu.number)
        terms = (f"{dom},event,sig={ONE}", f"{dom},clk")
        status = f"/sys/kernel/debug/pcounter/{pmu.name}/status"
        # on chips whose accesses take time
        slack = 100 if gpu.chip.swap_shared or gpu.chip.sets else 0
        with wired(gpu, name, {ONE: "const 1"}), frozen(gpu):
            with group(pmu, *terms) as leader:
                leader.enable()
                before = leader.read()
                gpu("preset", name, "event", 0xffff0000)
                gpu("run", 1000)
                after = leader.read()
                near(after[0] - before[0], 0xffff0000 + 1000, slack,
                     f"{gpu.chip.name}: a counter that is nearly full")
                near(after[1] - before[1], 1000, slack, f"{gpu.chip.name}: cycles")
                check("ran full" not in text(status), f"{gpu.chip.name}: {text(status)}")

                gpu("preset", name, "event", 0xffffff00)
                gpu("run", 1000)
                # on a busy host the driver's poll of all domains may read in between
                full = leader.read()
                check(all(0 <= b - a <= slack for a, b in zip(after, full)),
                      f"{gpu.chip.name}: counts of a full counter: {after}, {full}")
                # a work item stops the event
                wait_for(lambda: leader.read_times()[1] == leader.read_times()[1],
                         "time running goes on")
                stopped = leader.read_times()
                gpu("run", 1000)
                time.sleep(0.1)
                same(leader.read_times()[1:], (stopped[1], full),
                     f"{gpu.chip.name}: time running and counts after that")
                check(text(status).count("ran full") == 2,
                      f"{gpu.chip.name}, told of the domain, and counted: {text(status)}")
            check(text(status).count("ran full") == 1,
                  f"{gpu.chip.name}, closed, only counted: {text(status)}")
            count, clocks = run(gpu, terms, 1000)
            same(count, clocks, f"{gpu.chip.name}: counts, opened again")
            near(clocks, 1000, slack, f"{gpu.chip.name}: cycles, opened again")


# processes

def has_single(chip):
    return not chip.sets


def try_turns(gpu, dom):
    """Let two processes take turns, and read both all the time."""
    members = (f"{dom},single,event,sig={ONE}", f"{dom},clk")
    with group(Pmu(gpu.number), *members) as one, group(Pmu(gpu.number), *members) as two:
        last = {}
        for leader in (one, two):
            leader.enable()
            last[leader] = leader.read()
        for _ in range(200):
            for leader in (one, two):
                counts = leader.read()
                check(all(a >= b for a, b in zip(counts, last[leader])),
                      f"{gpu.chip.name}: {counts} after {last[leader]}")
                last[leader] = counts
            time.sleep(0.005)
        for leader in (one, two):
            events, clocks = last[leader]
            # the two counters are read one after the other, at each turn
            near(events, clocks, clocks / 10 + 200, f"{gpu.chip.name}: events and cycles")
            check(clocks, f"{gpu.chip.name}: a process without a turn")


def try_periods(gpu, dom, name):
    """Read periods of 50 cycles at all their stages, and have perf reset the counts."""
    with frozen(gpu), wired(gpu, name, {SET: "duty 1/100 phase 90", CLR: "duty 1/100 phase 40"}), \
            group(Pmu(gpu.number), f"{dom},single,event,sig={ONE}",
                  f"{dom},start,sig={SET}", f"{dom},stop,single,sig={CLR},init=50",
                  f"{dom},clk") as leader:
        leader.enable()
        last = leader.read()
        for _ in range(40):
            gpu("run", 30)
            counts = leader.read()
            grown = [a - b for a, b in zip(counts, last)]
            check(all(0 <= count <= 60 for count in grown), f"{gpu.chip.name}: {grown} more")
            last = counts
        near(last[2], last[1], 1, f"{gpu.chip.name}: STOP pulses, and periods")
        # 12 periods, of which each read may miss the end, and those of the accesses themselves
        check(12 * 20 <= last[0] <= 16 * 50, f"{gpu.chip.name}: {last[0]} events")
        leader.reset()
        same(leader.read()[0] > 20, False, f"{gpu.chip.name}: count after a reset")
        gpu("run", 30)
        check(leader.read()[0] <= 60, f"{gpu.chip.name}: {leader.read()[0]} since a reset")


@case("features: counts of a process only grow, whoever takes turns with it", some(has_single))
def processes(lab):
    for gpu in those(lab, has_single):
        dom, name = place(gpu)
        with wired(gpu, name, {ONE: "const 1"}):
            try_turns(gpu, dom)
            try_periods(gpu, dom, name)


# USER signals

def has_user(chip):
    return chip.pdaemon


def drive(gpu, line):
    path = f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}/user"
    with open(path, "w", encoding="ascii") as stream:
        stream.write(line)


@case("features: USER_1, driven by debugfs, is counted as a level and as a pulse",
      some(has_user))
def user(lab):
    for gpu in those(lab, has_user):
        for place, dom, sig in USER_1[gpu.chip.name]:
            what = f"{gpu.chip.name}, domain {dom}"
            terms = (f"{place},sig={sig}", f"{place},clk")
            slack = 100 if gpu.chip.sets else 0
            with frozen(gpu):
                drive(gpu, f"{dom} 0 0")
                try:
                    with group(Pmu(gpu.number), *terms) as leader:
                        leader.enable()
                        gpu("run", 500)
                        same(leader.read()[0], 0, f"{what}: low")
                        drive(gpu, f"{dom} 2 0")
                        gpu("run", 1000)
                        high = leader.read()[0]
                        near(high, 1000, slack, f"{what}: high")
                        # several swaps, each a pulse of a USER signal on GF100
                        gpu("run", 1000)
                        near(leader.read()[0] - high, 1000, slack, f"{what}: still high")
                        drive(gpu, f"{dom} 0 0")
                        high = leader.read()[0]
                        for pulses in (1, 2, 3):
                            drive(gpu, f"{dom} 2 2")
                            gpu("run", 100)
                            same(leader.read()[0] - high, pulses, f"{what}: pulses")
                finally:
                    drive(gpu, f"{dom} 0 0")


@case("features: USER_1 stays as it was driven when events open and close", some(has_user))
def user_stays(lab):
    for gpu in those(lab, has_user):
        for place, dom, sig in USER_1[gpu.chip.name]:
            with frozen(gpu):
                drive(gpu, f"{dom} 2 0")
                try:
                    for which in ("the first event", "the second"):
                        count, clocks = run(gpu, (f"{place},sig={sig}", f"{place},clk"), 1000)
                        near(count, clocks, 100 if gpu.chip.sets else 0,
                             f"{gpu.chip.name}, domain {dom}: USER_1 seen by {which}")
                finally:
                    drive(gpu, f"{dom} 0 0")
