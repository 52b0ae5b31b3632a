# SPDX-License-Identifier: GPL-2.0-only
"""Tasks and BPF programs that disturb a PMU."""

import contextlib
import os
import pathlib
import re
import subprocess

from drivers import driver, lint
from support import SOAK_SECONDS, check, paranoid, same, text, write

SECONDS = 3
SHORT_DELAY_MS, USE_MS = 50, 170
SKIP_WATCH = pathlib.Path("/sys/module/kcsan/parameters/skip_watch")
KERNEL = pathlib.Path("/proc/sys/kernel")


def seconds():
    return max(SECONDS, SOAK_SECONDS)


def program(name):
    return str(pathlib.Path(os.environ["PCOUNTER_ATTACK"]).parent / name)


@contextlib.contextmanager
def watched():
    """End a machine when its kernel says that it hangs, and the guest with it."""
    paths = (KERNEL / "panic_on_rcu_stall", KERNEL / "softlockup_panic")
    before = {path: text(path) for path in paths if path.exists()}
    for path in before:
        write(path, 1)
    try:
        yield
    finally:
        for path, value in before.items():
            write(path, value)


class Attack:
    """Two tasks of an ordinary user on the PMU's CPU."""

    def __init__(self, length, cpu, *options):
        self.process = subprocess.Popen(
            [program("attack"), "-c", str(cpu), "-t", str(length), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def going(self):
        return self.process.poll() is None

    def switches(self):
        """Wait for its end; return the number of switches."""
        output = self.process.communicate()[0]
        same(self.process.returncode, 0, f"status of the attacker: {output}")
        return int(re.search(r"switches (\d+)", output)[1])


@contextlib.contextmanager
def attack(length=None, cpu=0, options=()):
    with watched(), paranoid(2):
        attacker = Attack(length or seconds(), cpu, *options)
        try:
            yield attacker
        finally:
            attacker.process.kill()
            attacker.process.wait()


def attack_beside():
    """Attack during cases of other things: in long runs, all the time."""
    return attack(seconds()) if SOAK_SECONDS else contextlib.nullcontext()


@contextlib.contextmanager
def busy_gpu(lab):
    """A GPU whose driver soon lets it sleep, and uses it again and again."""
    before = lint(lab, "asleep")
    with driver(lab, f"delay_ms={SHORT_DELAY_MS}", f"use_ms={USE_MS}"):
        write(f"{lab.gpu.pci}/power/control", "auto")
        yield
        same(lint(lab, "asleep"), before, "accesses to a GPU that sleeps")


@contextlib.contextmanager
def watched_closely():
    """KCSAN looks ten times as often."""
    skipped = text(SKIP_WATCH)
    write(SKIP_WATCH, "50")
    try:
        yield
    finally:
        write(SKIP_WATCH, skipped)


# sections with the lock of runtime power management, of a runqueue, of timers
POWER = ("raw:rpm_idle", "raw:rpm_suspend", "raw:rpm_resume", "raw:rpm_return_int")
SCHED = ("raw:sched_switch", "raw:sched_waking", "raw:sched_wakeup")
TIMERS = ("raw:hrtimer_start", "raw:hrtimer_cancel", "raw:hrtimer_expire_entry")
LOCKS = ("raw:contention_begin", "raw:contention_end")
ELSEWHERE = ("raw:irq_handler_entry", "raw:workqueue_queue_work", "raw:kmalloc")
ALL = (*POWER, *SCHED, *TIMERS, *LOCKS, *ELSEWHERE)


class Seen:
    """Results that a program prints."""

    def __init__(self, line):
        words = line.split()
        for name, value in zip(words[1::2], words[2::2]):
            setattr(self, name, int(value))


class Programs:
    """bpfread at work, with the event's count afterwards."""

    def __init__(self, lab, where, terms="dom=1,clk", length=None, pmu=None, cpu=0):
        pmu = pmu or lab.pmu
        self.length = length or seconds()
        self.process = subprocess.Popen(
            [program("bpfread"), "-p", text(pmu.path / "type"), "-e",
             ",".join(str(word) for word in pmu.config(terms)), "-c", str(cpu),
             "-t", str(self.length), *where],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        if line != "ready\n":
            check(False, f"bpfread: {line}{self.process.communicate()[0]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def going(self):
        return self.process.poll() is None

    def finish(self):
        self.process.terminate()
        output = self.process.communicate()[0]
        same(self.process.returncode, 0, f"status of bpfread: {output}")
        found = {line.split()[0]: Seen(line) for line in output.splitlines() if ":" in line}
        count = int(re.search(r"(?m)^count (\d+)", output)[1])
        return found, count
