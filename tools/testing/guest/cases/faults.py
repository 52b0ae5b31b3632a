# SPDX-License-Identifier: GPL-2.0-only
"""A number is right or absent, with any fault of the GPU."""

import re
import time

from support import PMUS, case, check, group, same, stands, text, wait_for, write

ABOUT = "checked kernel registers"

A = 0x10
# the regular read comes about once a second
POLL = 1.6
# clocks
ACCESSES = 200


def begin(lab, leader):
    """Count a while; return the last right counts."""
    lab.gpu.signal(1, A, "const", 1)
    leader.enable()
    before = leader.read()[1]
    lab.gpu("run", 1000)
    wait_for(lambda: leader.read()[1] >= before + 1000, "nothing is counted")
    return leader.read()


def check_stopped(lab, leader, right):
    """Check that counts and time running stay, time enabled continues, and
    enabling has no effect.
    """
    # reads before the regular one include counts of changed inputs
    time.sleep(POLL)
    wait_for(lambda: stands(leader), "time running goes on")
    enabled, running, counts = leader.read_times()
    # on chips where each access takes a clock, a poll before the fault adds some
    most = ACCESSES if lab.chip.swap_shared else 0
    more = [count - was for count, was in zip(counts, right)]
    check(0 <= more[0] <= most and more == more[:1] * len(more), f"counts {counts} after {right}")
    leader.disable()
    leader.enable()
    time.sleep(0.1)
    later, *rest = leader.read_times()
    same(rest, [running, counts], "time running and counts, enabled again")
    check(later > enabled, "time enabled stands still, too")


def check_recovered(lab):
    """Check that the domain counts again, with all events closed and a healthy GPU."""
    with group(lab.pmu, f"dom=1,sig={A}", "dom=1,clk") as leader:
        leader.enable()
        # the driver asks a GPU that was silent once in 10 ms
        wait_for(lambda: leader.read_times()[1], "the group does not run")
        lab.gpu("run", 1000)
        wait_for(lambda: leader.read()[1] >= 1000, "nothing is counted afterwards")
        events, cycles = leader.read()
        same(events, cycles, "counts afterwards")


def members():
    return f"dom=1,sig={A}", "dom=1,clk"


@case("fault: a GPU that dies leaves the last right counts")
def dead(lab):
    with lab.gpu.frozen():
        with group(lab.pmu, *members()) as leader:
            right = begin(lab, leader)
            lab.gpu("run", 1000)
            lab.gpu("fault", "dead", 1)
            same(leader.read(), right, "counts of a dead GPU")
            check_stopped(lab, leader, right)
        lab.gpu("fault", "dead", 0)
        check_recovered(lab)


@case("fault: a GPU that was dead and answers again goes on, with its events open")
def dead_for_a_while(lab):
    status = f"/sys/kernel/debug/pcounter/{lab.pmu.name}/status"
    with lab.gpu.frozen(), group(lab.pmu, *members()) as leader:
        for _ in range(2):
            right = begin(lab, leader)
            lab.gpu("fault", "dead", 1)
            wait_for(lambda: re.search(r"[1-9]\d* open.*does not answer", text(status)),
                     "not called dead")
            check_stopped(lab, leader, right)
            lab.gpu("fault", "dead", 0)
            wait_for(lambda: not stands(leader), text(status))
            before = leader.read()
            lab.gpu("run", 1000)
            counts = leader.read()
            check(1000 <= counts[1] - before[1] < 1500, f"counts {before}, {counts}")
            same(counts[0] - before[0], counts[1] - before[1], "events and cycles")


@case("fault: a GPU unplugged while counting, and plugged in again")
def unplug(lab):
    name = PMUS / lab.pmu.name
    with lab.gpu.frozen():
        try:
            with group(lab.pmu, *members()) as leader:
                before = begin(lab, leader)
                # the last reading counts these, and nothing counts the others
                lab.gpu("run", 500)
                write(f"{lab.gpu.pci}/remove", "1")
                lab.gpu("run", 1000)
                lab.gpu.forget()
                right = leader.read()
                check(500 <= right[1] - before[1] < 1000, f"counts {before}, gone {right}")
                same(right[0], right[1], "events and cycles")
                leader.disable()
                leader.enable()
                same(leader.read(), right, "counts of a GPU that is gone, enabled again")
                same(lab.gpu.log(), [], "accesses to a GPU that is gone")
            wait_for(lambda: not name.exists(), "the PMU stays without a GPU")
        finally:
            write("/sys/bus/pci/rescan", "1")
        wait_for(lab.pmu.opens, f"no {name} after the rescan")
        check_recovered(lab)
