# SPDX-License-Identifier: GPL-2.0-only
"""Rights to count, and reads without enough memory."""

import ctypes
import errno
import os

from support import (DISABLED, EXCLUDE_HV, EXCLUDE_KERNEL, EXCLUDE_USER, LIBC, Event, Pmu, case,
                     check, paranoid, refused, run, same)

ABOUT = "kernel"

NOBODY = 65534
CAP_PERFMON = 38
PR_SET_KEEPCAPS = 8
CAPABILITY_V3 = 0x20080522


def keep_only(capability):
    """Limit the effective and permitted set to this capability."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_V3, 0)
    low, high = (1 << capability) & 0xffffffff, capability >= 32 and 1 << (capability - 32)
    data = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)
    same(LIBC.capset(header, data), 0, "capset")


def as_nobody(func, capability=None):
    """Run a function in a process of an ordinary user."""
    pid = os.fork()
    if not pid:
        try:
            LIBC.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            if capability is None:
                LIBC.prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0)
                header = (ctypes.c_uint32 * 2)(CAPABILITY_V3, 0)
                LIBC.capset(header, (ctypes.c_uint32 * 6)())
            else:
                keep_only(capability)
            func()
        except Exception as error:  # the parent must see any exception
            print(f"# child: {error!r} {getattr(error, 'filename', None)}", flush=True)
            os._exit(1)
        os._exit(0)
    same(os.waitpid(pid, 0)[1], 0, "status of the child")


def opens(lab):
    with Event(lab.pmu, "dom=1,clk") as event:
        event.enable()
        event.read()


@case("rights: an ordinary user is refused, EACCES, until perf_event_paranoid is 0")
def ordinary_user(lab):
    for level in (1, 2, 3):
        with paranoid(level):
            as_nobody(lambda: refused("EACCES", lab.pmu, "dom=1,clk"))
    for level in (0, -1):
        with paranoid(level):
            as_nobody(lambda: opens(lab))


def kinds(lab):
    """Return an event of each PMU of the GPU."""
    yield lab.pmu, "dom=1,clk"
    if lab.chip.pdaemon:
        yield Pmu(0, "pcounter_idle"), "when=2"


def perf_says(lab):
    """Check in a child that perf tries again without the kernel's part, and then
    names the missing right.
    """
    for pmu, event in kinds(lab):
        refused("EACCES", pmu, event, flags=DISABLED | EXCLUDE_KERNEL | EXCLUDE_HV)
        done = run("perf", "stat", "-e", pmu.event(event), "--", "true")
        check(done.returncode and "perf_event_paranoid" in done.stdout and
              "<not" not in done.stdout, done.stdout)


@case("rights: perf says that permission is missing, not that there is no support")
def missing_right(lab):
    for level in (1, 2, 3):
        with paranoid(level):
            as_nobody(lambda: perf_says(lab))
    # with the right, the error is that the GPU cannot exclude anything
    for pmu, event in kinds(lab):
        for flag in (EXCLUDE_USER, EXCLUDE_KERNEL, EXCLUDE_HV):
            refused("EINVAL", pmu, event, flags=DISABLED | flag)
    with paranoid(2):
        as_nobody(lambda: refused("EINVAL", lab.pmu, "dom=1,clk",
                                  flags=DISABLED | EXCLUDE_KERNEL), CAP_PERFMON)


@case("rights: CAP_PERFMON is enough, up to a perf_event_paranoid of 2")
def perfmon(lab):
    with paranoid(2):
        as_nobody(lambda: opens(lab), CAP_PERFMON)


@case("read: into a page that is not there, EFAULT, and the next read is right", about="registers")
def faulting_read(lab):
    with Event(lab.pmu, "dom=1,clk") as event:
        event.enable()
        ctypes.set_errno(0)
        got = LIBC.read(event.fd, ctypes.c_void_p(0x1000), ctypes.c_size_t(64))
        same((got, ctypes.get_errno()), (-1, errno.EFAULT), "read into nowhere")
        before = event.read()[0]
        check(event.read()[0] >= before, "counts go back")
