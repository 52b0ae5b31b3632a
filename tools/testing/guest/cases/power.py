# SPDX-License-Identifier: GPL-2.0-only
"""A GPU that sleeps, with a graphics driver that permits it."""

import contextlib
import os
import pathlib
import re
import subprocess
import time

from drivers import (DELAY_MS, advances, asleep, driver, drowsy, ends_right, keep_awake, let_sleep,
                     lint, status, stopped_lines, switched)
from support import (A, MEMBERS, PATIENCE, PMUS, Event, Pmu, case, check, group, insmod, loaded,
                     near, refused, rmmod, run, same, text, wait_for, write)

ABOUT = "checked races kernel registers pdaemon once"

TRACING = pathlib.Path("/sys/kernel/tracing")


def read_all(folder):
    for name in os.listdir(folder):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            read_all(path)
        elif path.is_file() and os.access(path, os.R_OK) and name != "uevent":
            with contextlib.suppress(OSError):
                path.read_bytes()


def untouched(lab, what):
    """Check that nothing in the body wakes the GPU, or reaches its registers."""
    lab.gpu.forget()
    sleeps = lint(lab, "sleeps")
    yield
    check(asleep(lab), f"{what} woke the GPU")
    same(lint(lab, "sleeps"), sleeps, f"times that it fell asleep during {what}")
    same(lab.gpu.log(), [], f"accesses during {what}")


dormant = contextlib.contextmanager(untouched)


@case("power: listing, opening and reading never wake a GPU, nor touch it")
def never_wakes(lab):
    with lab.gpu.frozen(), drowsy(lab):
        let_sleep(lab)
        with dormant(lab, "listing"):
            read_all(PMUS / lab.pmu.name)
            run("perf", "list", "pcounter")
            text(f"/sys/kernel/debug/pcounter/{lab.pmu.name}/status")
        with dormant(lab, "counting"), group(lab.pmu, *MEMBERS) as leader:
            leader.enable()
            time.sleep(0.3)
            enabled, running, counts = leader.read_times()
            check(enabled > 200000000, f"time enabled {enabled}")
            same((running, counts), (0, [0, 0]), "time running and counts")
            leader.disable()
        with dormant(lab, "perf stat"):
            run("perf", "stat", "-e", "pcounter_0/dom=1,clk/", "--", "sleep", "0.2")


@case("power: asleep, time running stands still; awake again, counts go on")
def sleeps_and_wakes(lab):
    lab.gpu.signal(1, A, "const", 1)
    with lab.gpu.frozen(), drowsy(lab), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        for _ in range(3):
            wait_for(lambda: advances(leader), "does not count though awake")
            lab.gpu("run", 1000)
            right = leader.read()
            same(right[0], right[1], "events and cycles")
            let_sleep(lab)
            with dormant(lab, "waiting"):
                wait_for(lambda: not advances(leader), "time runs on though asleep")
                before = leader.read_times()
                time.sleep(0.3)
                lab.gpu("run", 500)
                after = leader.read_times()
                same(after[1:], before[1:], "time running and counts")
                check(after[0] - before[0] > 250000000, f"time enabled {before} {after}")
            check(0 <= after[2][1] - right[1] < 1000, f"counts {right}, asleep {after[2]}")
            keep_awake(lab)
        wait_for(lambda: advances(leader), "does not count though awake")
        first = leader.read()
        lab.gpu("run", 1000)
        last = leader.read()
        check(1000 <= last[1] - first[1] < 1500, f"counts from {first} to {last}")
        same(last[0] - first[0], last[1] - first[1], "events and cycles")


def counts_again(lab, leader):
    before = leader.read()[1]
    lab.gpu("run", 10)
    return leader.read()[1] > before


@case("power: what happens before a GPU falls asleep is counted, though nobody reads")
def nothing_lost(lab):
    lab.gpu.signal(1, A, "const", 1)
    with lab.gpu.frozen(), drowsy(lab), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        start = leader.read()[1]
        lab.gpu("run", 5000)
        let_sleep(lab)
        counts = leader.read()
        check(counts[1] - start >= 5000, f"{counts[1] - start} of 5000 cycles")
        same(counts[0], counts[1], "events and cycles")
        keep_awake(lab)


@case("power: open events do not keep a GPU awake, nor does reading them")
def not_kept_awake(lab):
    with lab.gpu.frozen(), drowsy(lab), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        write(f"{lab.gpu.pci}/power/control", "auto")
        deadline = time.monotonic() + 20 * DELAY_MS / 1000 * PATIENCE
        while not asleep(lab) and time.monotonic() < deadline:
            leader.read()
            time.sleep(DELAY_MS / 4000)
        check(asleep(lab), "stays awake while it is read")
        keep_awake(lab)


@case("power: a GPU whose driver will not let it sleep stays awake, though events have counted")
def veto(lab):
    with driver(lab, f"delay_ms={DELAY_MS}", "veto=1"):
        write(f"{lab.gpu.pci}/power/control", "auto")
        time.sleep(2 * DELAY_MS / 1000)
        check(not asleep(lab), "sleeps before anything was counted")
        with lab.gpu.frozen(), group(lab.pmu, *MEMBERS) as leader:
            leader.enable()
            for _ in range(10):
                leader.read()
                time.sleep(DELAY_MS / 4000)
                check(not asleep(lab), "sleeps while events count")
            # perf offers the events again after each refusal of the driver
            wait_for(lambda: counts_again(lab, leader), "does not count")
        time.sleep(3 * DELAY_MS / 1000)
        check(not asleep(lab), "sleeps after events have counted")
        # the driver alone has kept it awake
        write("/sys/module/pcounter_sleeper/parameters/veto", "N")
        keep_awake(lab)
        let_sleep(lab)


@case("power: a pinned event ends in perf's error state when the GPU falls asleep")
def pinned(lab):
    with lab.gpu.frozen(), drowsy(lab), Event(lab.pmu, "dom=1,clk", flags=1 | 1 << 2) as event:
        event.enable()
        check(len(os.read(event.fd, 64)), "nothing to read though awake")
        let_sleep(lab)
        wait_for(lambda: not os.read(event.fd, 64), "goes on though asleep")
        keep_awake(lab)


@contextlib.contextmanager
def no_work(module):
    """Check that in the body no work of the module runs, and no timer of it expires."""
    events = ("workqueue/workqueue_execute_start", "timer/hrtimer_expire_entry")
    if not os.path.ismount(TRACING):
        run("mount", "-t", "tracefs", "tracefs", str(TRACING))
    write(TRACING / "trace", "")
    try:
        for event in events:
            write(TRACING / "events" / event / "enable", "1")
        yield
        lines = text(TRACING / "trace").splitlines()
        check(any("workqueue_execute_start" in line for line in lines), "nothing is traced")
        same([line for line in lines if f"[{module}]" in line], [], "work, and timers")
    finally:
        for event in events:
            write(TRACING / "events" / event / "enable", "0")


@case("power: a GPU that sleeps when the module is loaded is woken once, and gets its PMU")
def asleep_at_load(lab):
    name = PMUS / lab.pmu.name
    rmmod()
    try:
        with drowsy(lab):
            let_sleep(lab)
            sleeps = lint(lab, "sleeps")
            insmod(lab.module)
            check(name.exists(), "no PMU of a GPU that slept")
            wait_for(lambda: asleep(lab), "does not fall asleep again")
            same(lint(lab, "sleeps"), sleeps + 1, "times that it fell asleep")
            with dormant(lab, "being there"), no_work("pcounter"):
                time.sleep(2.5)
            keep_awake(lab)
            with lab.gpu.frozen(), group(lab.pmu, *MEMBERS) as leader:
                leader.enable()
                lab.gpu("run", 1000)
                check(leader.read()[1] >= 1000, f"counts {leader.read()}")
            rmmod()
    finally:
        if not loaded():
            insmod(lab.module)


@case("power: counts go on after the system has slept")
def system_sleep(lab):
    lab.gpu.signal(1, A, "const", 1)
    # all but the devices: the guest's root would not survive it
    write("/sys/power/pm_test", "freezer")
    write("/sys/module/suspend/parameters/pm_test_delay", 1)
    with lab.gpu.frozen(), drowsy(lab), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        lab.gpu("run", 1000)
        right = leader.read()
        lab.gpu("run", 700)
        write("/sys/power/state", "freeze")
        wait_for(lambda: counts_again(lab, leader), "does not count any more")
        # between two writes of the driver it would be a foreign write: an error
        lab.gpu("reset")
        wait_for(lambda: counts_again(lab, leader), "does not notice the reset")
        first = leader.read()
        check(700 <= first[1] - right[1] < 1200, f"counts {right}, after sleep {first}")
        lab.gpu("run", 1000)
        last = leader.read()
        check(1000 <= last[1] - first[1] < 1500, f"counts from {first} to {last}")
        same(last[0], last[1], "events and cycles")


def recording(lab):
    return len(lab.gpus) == 1 and 0x84 <= lab.chip.chipset < 0xc0


RECORD = ("record,dom=1,clk,periodic=1", f"record,dom=1,sig={A},periodic=1")


def records(lab):
    before = lab.gpu("dma")
    with group(lab.pmu, *RECORD) as leader:
        leader.enable()
        lab.gpu("run", 102400)
        check(100000 <= leader.read()[0] < 110000, f"counts {leader.read()}")
    for word in ("stale", "blocked"):
        same(*(re.search(rf"{word}[= ]*(\d+)", dma)[1] for dma in (before, lab.gpu("dma"))), word)


@case("power: record mode keeps a GPU awake while it is open, and never wakes it", recording)
def record_keeps_awake(lab):
    with lab.gpu.frozen(), drowsy(lab):
        let_sleep(lab)
        with dormant(lab, "opening in record mode"):
            refused("EAGAIN", lab.pmu, RECORD[0])
        keep_awake(lab)
        with group(lab.pmu, *RECORD) as leader:
            leader.enable()
            write(f"{lab.gpu.pci}/power/control", "auto")
            time.sleep(5 * DELAY_MS / 1000)
            check(not asleep(lab), "sleeps while it is recording")
            check("awake for record mode" in status(lab), status(lab))
            lab.gpu("run", 102400)
            check(leader.read()[0] >= 100000, f"counts {leader.read()}")
        wait_for(lambda: asleep(lab), "does not fall asleep after the last close")
        keep_awake(lab)
        records(lab)


@case("power: idle counters sleep and wake with their GPU",
      lambda lab: len(lab.gpus) == 1 and lab.chip.pdaemon)
def idle_counters(lab):
    lab.gpu("idle", "signal", 0, "const", 1)
    with lab.gpu.frozen(), drowsy(lab), \
         group(Pmu(0, "pcounter_idle"), "mask=1,when=0", "mask=0,when=2") as leader:
        leader.enable()
        lab.gpu("run", 1000)
        same(leader.read(), [1000, 1000], "counts")
        let_sleep(lab)
        with dormant(lab, "waiting"):
            wait_for(lambda: not advances(leader), "time runs on though asleep")
            lab.gpu("run", 1000)
            same(leader.read(), [1000, 1000], "counts asleep")
        keep_awake(lab)
        wait_for(lambda: advances(leader), "does not count though awake")
        lab.gpu("run", 1000)
        same(leader.read(), [2000, 2000], "counts awake again")


# switched off by another user


@contextlib.contextmanager
def given_back(lab):
    """Afterwards end the switch's own shares of the enabled GPU, and load the module again."""
    enable = f"{lab.gpu.pci}/enable"
    try:
        yield
    finally:
        rmmod()
        while text(enable) != "0":
            write(enable, "0")
        insmod(lab.module)


def turn(lab, on, meanwhile):
    """Turn the switch; call @meanwhile until it has turned."""
    knob = "/sys/module/pcounter_switch/parameters/on"
    with subprocess.Popen(["sh", "-c", f"echo {'Y' if on else 'N'} >{knob}"]) as process:
        while process.poll() is None:
            meanwhile()
            time.sleep(0.01)
    same(process.returncode, 0, f"turned {'on' if on else 'off'}")


def off_and_on(lab, leader):
    """Read all the time, also while the GPU goes and comes."""
    lines = stopped_lines()
    with switched(lab):
        leader.enable()
        for _ in range(3):
            wait_for(lambda: advances(leader), f"does not count though on: {status(lab)}")
            lab.gpu("run", 1000)
            right = leader.read()
            same(right[0], right[1], "events and cycles")
            turn(lab, False, leader.read)
            wait_for(lambda: not advances(leader), "time runs on though off")
            lab.gpu("run", 500)
            off = leader.read()
            check(0 <= off[1] - right[1] < 1000, f"counts {right}, off {off}")
            turn(lab, True, leader.read)
            wait_for(lambda: advances(leader), f"does not count though on again: {status(lab)}")
            first = leader.read()
            lab.gpu("run", 1000)
            last = leader.read()
            check(1000 <= last[1] - first[1] < 1500, f"counts from {first} to {last}")
            same(last[0], last[1], "events and cycles")
    same(stopped_lines(), lines, "lines in the log")


@case("power: switched off and on by somebody else while it is read, counts go on")
def switched_while_read(lab):
    lab.gpu.signal(1, A, "const", 1)
    # beside a driver that has never let the GPU sleep, too, like vga_switcheroo
    for beside in (contextlib.nullcontext(), driver(lab)):
        with given_back(lab), lab.gpu.frozen(), beside, group(lab.pmu, *MEMBERS) as leader:
            off_and_on(lab, leader)


@case("power: switched off by somebody else, the running time ends with the last reading")
def switched_ends(lab):
    with given_back(lab), switched(lab, delay_ms=1) as turn_it, \
         group(lab.pmu, *MEMBERS) as leader:
        for _ in range(3):
            ends_right(lab, leader, lambda: turn_it(False))
            turn_it(True)


@case("power: nobody reads; the running time stands still while somebody else has it off")
def switched_unread(lab):
    with given_back(lab), switched(lab, delay_ms=1) as turn_it, \
         group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        for _ in range(3):
            wait_for(lambda: advances(leader), f"does not count though on: {status(lab)}")
            before = leader.read_times()
            began = time.monotonic()
            turn_it(False)
            off = time.monotonic()
            # longer than the interval of regular reads
            time.sleep(1.5)
            turn_it(True)
            off = time.monotonic() - off
            time.sleep(0.5)
            after = leader.read_times()
            on = time.monotonic() - began - off
            # works and the scheduler stop and start the time, on a slow kernel late
            near((after[1] - before[1]) / 1e9, on, 0.5, "seconds running")
