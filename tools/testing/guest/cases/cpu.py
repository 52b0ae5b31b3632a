# SPDX-License-Identifier: GPL-2.0-only
"""The PMU's CPU goes away and comes back, with events open."""

import contextlib
import os
import signal
import time

from attackers import watched_closely
from lives import Software, down, on_cpu1, up
from packets import Reader, in_order, run_packets, terms
from support import (CPU1, KCSAN, VGPUCTL, Event, Pmu, booted_with, case, check, group, near,
                     perf_stat, refused, rounds, run, same, text, wait_for, write)

ABOUT = "checked races"

A, B = 0x10, 0x11
ROUNDS = 4
GROUPS = 6
RACING_SECONDS = 5


def one(lab):
    return len(lab.gpus) == 1 and lab.chip.classic and CPU1.exists()


class Counted:
    """A group of an event that is always 1, and cycles; with the expected counts."""

    def __init__(self, lab, stack, kind, members, per_clock=1, cpu=1):
        pmu = Pmu(0, kind)
        self.leader = stack.enter_context(Event(pmu, members[0], cpu=cpu))
        for member in members[1:]:
            stack.enter_context(Event(pmu, member, leader=self.leader, cpu=cpu))
        self.what = f"{kind}: {members}"
        self.leader.enable()
        self.first = self.leader.read()

    def judge(self, ran, slack):
        """Check that both members have the same count, and all of it within a slack."""
        counts = [last - first for last, first in zip(self.leader.read(), self.first)]
        near(counts[1], ran, slack, f"{self.what}: cycles")
        near(counts[0], counts[1], slack, f"{self.what}: events and cycles")


@case("cpu: events count on, and right, while the PMU's CPU goes and comes", one, about="soak")
def counting(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    with on_cpu1(lab), gpu.frozen(), contextlib.ExitStack() as stack:
        groups = [Counted(lab, stack, "pcounter", (f"dom=1,sig={A}", "dom=1,clk"))]
        if lab.chip.pdaemon:
            gpu("idle", "signal", 0, "const", 1)
            groups.append(Counted(lab, stack, "pcounter_idle", ("mask=1,when=0", "when=2")))
        ran = 0
        for _ in rounds(ROUNDS):
            for move in (down, up):
                gpu("run", 5000)
                move(lab)
                gpu("run", 5000)
                ran += 10000
                for counted in groups:
                    counted.judge(ran, 500 if not gpu.chip.swap_shared else ran // 10)


# a CPU that comes back before events take turns finds a timer from before
@case("cpu: events take turns while the PMU's CPU goes and comes at once", one)
def turns(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    with on_cpu1(lab), gpu.frozen(), contextlib.ExitStack() as stack:
        groups = [Counted(lab, stack, "pcounter", (f"dom=1,sig={A}", f"dom=1,sig={B + i}",
                                                   f"dom=1,sig={B + GROUPS + i}", "dom=1,clk"))
                  for i in range(GROUPS)]
        for _ in rounds(3 * ROUNDS):
            for move in (down, up):
                gpu("run", 5000)
                move(lab)
        before = [counted.leader.read() for counted in groups]
        for counted, was in zip(groups, before):
            def goes_on(counted=counted, was=was):
                gpu("run", 1000)
                return counted.leader.read()[0] > was[0]
            wait_for(goes_on, f"{counted.what} has no turn any more")
        for counted in groups:
            events, *_, cycles = counted.leader.read()
            near(events, cycles, cycles // 50 + 500, f"{counted.what}: events and cycles")


def pieces(packets):
    """Split packets where their clock restarts, which is where a capture restarts."""
    found = [[]]
    for packet in packets:
        if found[-1] and packet.cycles < found[-1][-1].cycles:
            found.append([])
        found[-1].append(packet)
    return found


# from GT215 on each read requests a packet, which is a short one
@case("cpu: packets of record mode while the PMU's CPU goes and comes",
      lambda lab: one(lab) and lab.chip.record and lab.chip.chipset < 0xa3)
def recording(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    gpu.signal(2, A, "const", 1)
    with on_cpu1(lab), gpu.frozen(), contextlib.ExitStack() as stack:
        reader = stack.enter_context(Reader(lab.pmu, terms(1, A)))
        counted = Counted(lab, stack, "pcounter", (terms(2, A), "record,dom=2,clk,periodic=1"))
        reader.event.enable()
        ran, packets = 0, []
        for _ in rounds(ROUNDS):
            for move in (down, up):
                run_packets(gpu, reader, 300)
                move(lab)
                run_packets(gpu, reader, 300)
                ran += 600
                packets += reader.read()
                # each move loses the clocks since the last pulse of PERIODIC
                counted.judge(ran * 1024, 1024 * (2 + 2 * ROUNDS))
        found = pieces(packets)
        for piece in found:
            in_order(piece)
        # perf moves the event to another CPU, which ends one capture
        check(len(found) <= 1 + 2 * ROUNDS, f"{len(found)} beginnings")
        near(len(packets), ran, 4 * (1 + 2 * ROUNDS), "packets")


@case("cpu: another PMU's CPU goes, which is not this one's", one)
def other(lab):
    gpu = lab.gpu
    with gpu.frozen(), group(lab.pmu, f"dom=1,sig={A}", "dom=1,clk") as leader:
        leader.enable()
        first, ran = leader.read(), 0
        for _ in range(2):
            write(CPU1, "0")
            gpu("run", 1000)
            write(CPU1, "1")
            ran += 1000
        same(text(lab.pmu.path / "cpumask"), "0", "CPU of the PMU")
        near(leader.read()[1] - first[1], ran, 500 if not gpu.chip.swap_shared else ran, "cycles")


# the kernel keeps the last housekeeping CPU online
@case("cpu: a housekeeping CPU counts, not an isolated one before it",
      lambda lab: one(lab) and booted_with("isolcpus=0"), about="isolcpus")
def housekeeping(lab):
    same(text(lab.pmu.path / "cpumask"), "1", "CPU of the PMU")
    refused("EINVAL", lab.pmu, "dom=1,clk", cpu=0)
    with lab.gpu.frozen(), group(lab.pmu, "dom=1,clk") as leader:
        leader.enable()
        first = leader.read()
        lab.gpu("run", 5000)
        near(leader.read()[0] - first[0], 5000, 500, "cycles")


def kinds(lab):
    """Return an event of each PMU of the GPU."""
    yield Pmu(0), "dom=1,clk"
    if lab.chip.pdaemon:
        yield Pmu(0, "pcounter_idle"), "when=2"


@case("cpu: an event on a CPU that cpumask does not name is refused, EINVAL", one)
def elsewhere(lab):
    for pmu, event in kinds(lab):
        refused("EINVAL", pmu, event, cpu=1)
        with group(pmu, event) as leader:
            refused("EINVAL", pmu, event, leader=leader, cpu=1)
        # perf opens it on both CPUs, and reports that it cannot
        done = run("perf", "stat", "-C", "0,1", "-e", pmu.event(event), "--", "true")
        check("<not supported>" in done.stdout, done.stdout)
    with lab.gpu.frozen():
        for cpus in (("-C", "0"), ("-a",), ()):
            count, = perf_stat("pcounter_0/dom=1,clk/", VGPUCTL, "-q", "run", "100000",
                               options=cpus)
            near(count.value, 100000, 500 if not lab.chip.swap_shared else 100000,
                 f"cycles with {cpus}")
    if lab.chip.record:
        done = run("perf", "record", "-C", "1", "-c", "1", "-o", "/dev/shm/perf.data", "-e",
                   f"pcounter_0/{terms(1, A)}/", "--", "true")
        check(done.returncode and "mmap" not in done.stdout, done.stdout)


@case("cpu: an event for a CPU that has gone since cpumask named it counts", one)
def gone_since(lab):
    with on_cpu1(lab), lab.gpu.frozen(), contextlib.ExitStack() as stack:
        down(lab)
        for pmu, event in kinds(lab):
            leader = stack.enter_context(Event(pmu, event, cpu=1))
            stack.enter_context(Event(pmu, event, leader=leader, cpu=1))
            leader.enable()
            before = leader.read()
            lab.gpu("run", 5000)
            counts = [last - first for first, last in zip(before, leader.read())]
            near(counts[0], 5000, 500 if not lab.chip.swap_shared else 5000, f"{pmu.name}")
            same(counts[1], counts[0], f"{pmu.name}: both members")


def open_and_close(lab):
    """Open events on the CPU of cpumask until the end of the process."""
    while True:
        # the CPU of cpumask may have changed
        with contextlib.suppress(OSError), Event(lab.pmu, "dom=1,clk") as event:
            event.enable()


@case("cpu: two programs open and close events while the PMU's CPU goes and comes",
      lambda lab: one(lab) and KCSAN.exists())
def raced(lab):
    with on_cpu1(lab), watched_closely():
        children = []
        for _ in range(2):
            children.append(os.fork())
            if not children[-1]:
                open_and_close(lab)
        end = time.monotonic() + RACING_SECONDS
        try:
            while time.monotonic() < end:
                write(CPU1, "0")
                write(CPU1, "1")
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def go_and_come():
    """Let CPU 1 go and come until the end of the process."""
    while True:
        write(CPU1, "0")
        write(CPU1, "1")


@case("cpu: an event that joins a member of a group is refused while its CPU comes, EINVAL", one)
def joins_a_member(lab):
    child = os.fork()
    if not child:
        go_and_come()
    end = time.monotonic() + RACING_SECONDS
    try:
        while time.monotonic() < end:
            # perf opens events whose CPU is just coming online, but leaves them outside
            # of their group's list
            with contextlib.suppress(OSError), Software(cpu=1) as leader, \
                    Software(leader, cpu=1) as member:
                refused("EINVAL", lab.pmu, "dom=1,clk", leader=member)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        write(CPU1, "1")
