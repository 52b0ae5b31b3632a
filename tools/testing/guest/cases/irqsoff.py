# SPDX-License-Identifier: GPL-2.0-only
"""Time with interrupts off because of the driver, compared with the time of registers here."""

import contextlib
import mmap
import pathlib

from packets import PERIOD, RAW, Reader, settled, terms
from support import (A, KMEMLEAK, Event, case, check, loading, near, reloaded, text, wait_for,
                     write)

ABOUT = "checked"

DARK = pathlib.Path("/sys/kernel/debug/pcounter_dark")
PAGE, PACKET = 4096, 32
READS = 64
# the first short turn ends it: the host does not disturb each turn
TURNS = 8
# With interrupts off: at most this many times 64 register reads and a copy of
# 64 KiB, plus the host's disturbance of a guest; work that grows with memory
# takes more.
MOST = 32
# pages of an area: 32 MiB, since mapping more takes minutes here
AREA_PAGES = 8192
# packets that fit into the driver's own ring
BACKLOG = 30000
STEP = 50


def traced(lab):
    """Choose kernels that trace interrupts and locks, and GPUs with record mode."""
    return len(lab.gpus) == 1 and KMEMLEAK.exists() and 0x84 <= lab.chip.chipset < 0xc0


def addresses(name):
    """Return the addresses of a module's code and data."""
    with open("/proc/modules", encoding="ascii") as modules:
        for line in modules:
            words = line.split()
            if words[0] == name:
                first = int(words[5], 16)
    sections = pathlib.Path(f"/sys/module/{name}/sections").iterdir()
    where = [int(text(section), 16) for section in sections]
    # the last of them ends somewhere on its pages; a lock's class precedes them
    return min(first, *where), max(where) + 16 * PAGE


class Dark:
    """The longest time with interrupts off, and with the driver's lock held."""

    def __init__(self, what):
        self.what = what
        self.unit = self.hole = 0
        self.found = []

    def calibrate(self):
        """Calibrate with the longest time, since clocks of guests jump."""
        write(DARK / "calibrate", READS)
        self.unit = max(self.unit, int(text(DARK / "reads_ns")) + int(text(DARK / "copy_ns")))
        self.hole = max(self.hole, int(text(DARK / "hole_ns")))

    def most(self):
        return MOST * self.unit + self.hole

    def turns(self):
        """Yield for each turn, until one is short enough."""
        while len(self.found) < TURNS and (not self.found or min(self.found)[0] > self.most()):
            yield
        self.judge()

    @contextlib.contextmanager
    def measured(self):
        self.calibrate()
        write(DARK / "reset", 0)
        yield
        self.found.append((int(text(DARK / "longest_ns")), text(DARK / "where")))

    def judge(self):
        ns, where = min(self.found)
        print(f"# {self.what}: {ns / 1000:.0f} us, {ns / self.unit:.2f} of {READS} register reads "
              f"and a copy of 64 KiB ({self.unit / 1000:.0f} us; the host takes "
              f"{self.hole / 1000:.0f} us): {where}; each turn: "
              f"{[round(turn[0] / 1000) for turn in self.found]} us", flush=True)
        check(ns > 0, "the driver's lock was never seen")
        check(ns <= self.most(), f"{self.what}: interrupts are off for {ns / 1000:.0f} us")


@contextlib.contextmanager
def dark(lab, what):
    first, last = addresses("pcounter")
    with loading(lab, "pcounter_dark", f"from={first}", f"to={last}"):
        yield Dark(what)


def lazy(lab):
    """Make the driver poll once a second, so that packets pile up.
    It is less patient than in other cases: its time for packets in one poll grows
    with the patience, since simulated GPUs are slow.
    """
    return reloaded(lab, "record_poll_us=1000000", "slow_read_us=20000")


def pile_up(gpu, packets):
    """Run in small steps, since a concurrent register read waits for one step."""
    for _ in range(packets // STEP):
        gpu("run", STEP * 1024)


@case("irqsoff: a large AUX area is mapped, enabled, and closed", traced)
def large_area(lab):
    with lab.gpu.frozen(), dark(lab, f"an area of {AREA_PAGES * PAGE >> 20} MiB") as watch:
        for _ in watch.turns():
            with watch.measured():
                with Reader(lab.pmu, terms(1, A), pages=AREA_PAGES) as reader:
                    reader.event.enable()
                    reader.event.disable()


@case("irqsoff: a large backlog is drained", traced)
def backlog(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    with lazy(lab), gpu.frozen(), dark(lab, f"{BACKLOG} packets of an area") as watch:
        for _ in watch.turns():
            with Reader(lab.pmu, terms(1, A), pages=AREA_PAGES) as reader:
                reader.event.enable()
                head = reader.head
                with watch.measured():
                    pile_up(gpu, BACKLOG)
                    check(settled(reader, lambda: reader.head > head + BACKLOG * 9 // 10 * PACKET),
                          f"{(reader.head - head) // PACKET} packets")


@case("irqsoff: a large backlog of the driver's own ring is drained", traced)
def own_ring(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 1)
    with lazy(lab), gpu.frozen(), \
         dark(lab, f"{BACKLOG} packets of the driver's ring") as watch:
        for _ in watch.turns():
            with Event(lab.pmu, terms(1, A), period=1024, samples=PERIOD | RAW) as event, \
                 mmap.mmap(event.fd, (1 + 8) * PAGE):
                event.enable()
                first = event.read()[0]
                with watch.measured():
                    pile_up(gpu, BACKLOG)
                    wait_for(lambda: event.read()[0] - first > BACKLOG * 1024 - 4096,
                             "the backlog is not drained")
                near(event.read()[0] - first, BACKLOG * 1024, 4096, "count")
