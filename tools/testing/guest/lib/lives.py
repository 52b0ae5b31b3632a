# SPDX-License-Identifier: GPL-2.0-only
"""GPUs and CPUs that come and go, and counts that are right afterwards."""

import contextlib
import ctypes
import os
import pathlib
import struct
import subprocess

from support import (A, CPU1, LIBC, PMUS, SOAK_SECONDS, SYS_PERF_EVENT_OPEN, Event, Pmu, check,
                     group, reloaded, same, seed, text, wait_for, write)

FUZZ_SECONDS = 6


def pmu_of(gpu):
    """Return the GPU's PMU, found by the device in caps/."""
    for path in PMUS.glob("pcounter_[0-9]*"):
        with contextlib.suppress(FileNotFoundError):
            if text(path / "caps/device") == pathlib.Path(gpu.pci).name:
                return Pmu(int(path.name.split("_")[1]))
    return None


def counts_right(lab):
    for gpu in lab.gpus:
        gpu.signal(1, A, "const", 1)
        with gpu.frozen(), group(pmu_of(gpu), f"dom=1,sig={A}", "dom=1,clk") as leader:
            leader.enable()
            # the driver may first check whether the GPU of a new driver sleeps
            wait_for(lambda: leader.read_times()[1], "the group does not run")
            first = leader.read()
            start = gpu.cycle(1)
            gpu("run", 1000)
            check(gpu.cycle(1) >= start + 1000, "the virtual GPU's own clock stands still")
            counted = []

            # while another CPU holds the driver's lock, a read returns the last
            # known value
            def caught_up(leader=leader, first=first, counted=counted):
                counted[:] = [last - before for last, before in zip(leader.read(), first)]
                return counted[1]

            state = gpu("record", 1) if gpu.chip.record else ""
            wait_for(caught_up, f"nothing is counted: {state}")
            events, cycles = counted
            same(events, cycles, "events and cycles")
            check(1000 <= cycles < 1500, f"{cycles} of 1000 cycles")

SOFTWARE, DUMMY = 1, 9


class Software(Event):
    """perf's dummy event, on a CPU or of a task."""

    def __init__(self, leader=None, cpu=0, pid=-1, flags=0):
        attr = struct.pack("IIQQQQQ9Q", SOFTWARE, 112, DUMMY, 0, 0, 0, flags, *[0] * 9)
        self.fd = LIBC.syscall(SYS_PERF_EVENT_OPEN, attr, pid, cpu, leader.fd if leader else -1, 0)
        if self.fd < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))


@contextlib.contextmanager
def on_cpu1(lab):
    """Load the module so that its PMUs prefer CPU 1, the only one that can go offline."""
    with reloaded(lab, "cpu=1"):
        try:
            same(text(lab.pmu.path / "cpumask"), "1", "CPU of the PMU")
            yield
        finally:
            write(CPU1, "1")


def down(lab):
    write(CPU1, "0")
    same(text(lab.pmu.path / "cpumask"), "0", "CPU of the PMU without CPU 1")


def up(lab):
    write(CPU1, "1")
    wait_for(lambda: text(lab.pmu.path / "cpumask") == "1", "the PMU does not return to CPU 1")


def leave_and_return():
    """Make the GPU leave, and bring it back."""
    wait_for(lambda: not Pmu(0).path.exists(), "the PMU stays")
    write("/sys/bus/pci/rescan", "1")
    wait_for(Pmu(0).opens, "no PMU after the rescan")


def start(program, *options):
    """Start a fuzzer: seconds of a soak, else a few. GPUs may go when this returns."""
    path = pathlib.Path(os.environ["PCOUNTER_FUZZ"]).parent / program
    process = subprocess.Popen(
        [path, "-s", str(seed()), "-t", str(max(FUZZ_SECONDS, int(SOAK_SECONDS))), *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    # fuzzers print their seed when they have opened events of a GPU
    print(f"# {process.stdout.readline().strip()}", flush=True)
    return process


def finish(process):
    """Wait for the end of a fuzzer, and check its status."""
    output = process.communicate()[0].strip()
    print("\n".join(f"# {line}" for line in output.splitlines()), flush=True)
    same(process.returncode, 0, f"status of the fuzzer: {output}")
