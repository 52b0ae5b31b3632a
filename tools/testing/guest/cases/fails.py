# SPDX-License-Identifier: GPL-2.0-only
"""Every allocation fails once, where the kernel can inject failures."""

import contextlib
import ctypes
import errno
import os
import pathlib
import random
import shutil

from lives import counts_right
from packets import terms
from support import A, LIBC, Event, case, check, classic, insmod, loaded, rmmod, rounds, seed

ABOUT = "memory"

DEBUGFS = pathlib.Path("/sys/kernel/debug")
FAIL_NTH = "/proc/thread-self/fail-nth"
SYS_FINIT_MODULE = 313
# for a loop that never reaches the end of its allocations
MOST = 4096
# loading has many more allocations than there is time for
SAMPLES = 24


def can_fail(lab):
    return len(lab.gpus) == 1 and classic(lab) and (DEBUGFS / "failslab").exists()


def can_fail_recording(lab):
    return can_fail(lab) and lab.chip.record


@contextlib.contextmanager
def all_kinds():
    """Let allocations that may sleep and whole pages fail too, without a log message."""
    for name, files in (("failslab", ()), ("fail_page_alloc", (("min-order", "0"),))):
        for file, value in (("ignore-gfp-wait", "N"), ("verbose", "0"), *files):
            (DEBUGFS / name / file).write_text(value, encoding="ascii")
    yield


def fails_at(number, action, undo, codes=("ENOMEM",)):
    """Run an action with the allocation of that number failing; return true if it occurred."""
    fd = os.open(FAIL_NTH, os.O_RDWR)
    try:
        os.write(fd, str(number).encode())
        try:
            done = action()
        except OSError as error:
            check(errno.errorcode[error.errno] in codes,
                  f"failure of allocation {number}: {error}, should be of {codes}")
            done = None
        left = int(os.pread(fd, 16, 0))
        os.pwrite(fd, b"0", 0)
        if done is not None:
            undo(done)
        return left == 0
    finally:
        os.close(fd)


def load_fails_at(number, action, undo):
    """The driver core returns EINVAL if it cannot make a folder for the module's drivers."""
    return fails_at(number, action, undo, codes=("ENOMEM", "EINVAL"))


def sweep(action):
    """Repeat until the action completes before its failure occurs."""
    for number in range(1, MOST):
        if not fails_at(number, action, lambda _: None):
            print(f"# {number - 1} allocations", flush=True)
            return
    check(False, f"more than {MOST} allocations")


def count(action, undo):
    """Return the number of allocations."""
    low, high = 1, MOST
    while low < high:
        middle = (low + high) // 2
        if load_fails_at(middle, action, undo):
            low = middle + 1
        else:
            high = middle
    check(low < MOST, f"more than {MOST} allocations")
    return low - 1


@case("fails: every allocation of opening, enabling and closing a group", can_fail)
def opening(lab):
    def use():
        with contextlib.ExitStack() as stack:
            leader = stack.enter_context(Event(lab.pmu, f"dom=1,sig={A}"))
            stack.enter_context(Event(lab.pmu, "dom=1,clk", leader=leader))
            leader.enable()
            leader.read()
            return ()

    with all_kinds():
        sweep(use)
    counts_right(lab)


@case("fails: every allocation of beginning and ending to record", can_fail_recording)
def recording(lab):
    def use():
        with Event(lab.pmu, terms(1, A), period=1) as event:
            event.enable()
            return ()

    with all_kinds():
        sweep(use)
    counts_right(lab)


@case("fails: allocations all over loading the module and finding a GPU", can_fail, about="soak")
def finding(lab):
    def load():
        fd = os.open(copy, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if LIBC.syscall(SYS_FINIT_MODULE, fd, b"", 0):
                code = ctypes.get_errno()
                raise OSError(code, os.strerror(code))
        finally:
            os.close(fd)
        return ()

    # 9p, its usual place, does not recover from every failure
    copy = shutil.copy(lab.module, "/dev/shm")
    rmmod()
    try:
        with all_kinds():
            total = count(load, lambda _: rmmod())
            print(f"# {total} allocations", flush=True)
            rnd = random.Random(seed())
            for _ in rounds(SAMPLES):
                load_fails_at(rnd.randint(1, total), load, lambda _: rmmod())
    finally:
        if not loaded():
            insmod(lab.module)
    counts_right(lab)
