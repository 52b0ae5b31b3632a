# SPDX-License-Identifier: GPL-2.0-only
"""References that perf keeps to a PMU after its last event is closed.

perf moves software events into the context of the PMU that they share a group with,
and they stay there. A mapped AUX area may stay with an event of another PMU.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import time

from lives import Software, counts_right
from packets import (AUX_OFFSET, AUX_SIZE, DATA_PAGES, PAGE, PERIOD, RAW, SET_OUTPUT, Reader,
                     records, terms)
from support import (LIBC, PMUS, A, Event, Pmu, case, check, insmod, loaded, loading, rmmod, run,
                     same, text, wait_for, write)

ABOUT = "checked memory races kernel two"

PINNED = 1 << 2
MEMBER = f"dom=1,sig={A}"


def disturb():
    """Open pinned events: perf schedules all PMUs of the CPU for them, at each
    task switch, too.
    """
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {0})
    try:
        with Software(cpu=-1, pid=0, flags=PINNED):
            for _ in range(50):
                time.sleep(0.001)
            for _ in range(20):
                Software(flags=PINNED).close()
    finally:
        os.sched_setaffinity(0, cpus)


def in_use():
    done = run("rmmod", "pcounter")
    # a kernel that jumps into an unloaded module reports it
    disturb()
    check(done.returncode and "in use" in done.stdout, f"rmmod: {done.returncode} {done.stdout}")


def pmus():
    return {int(path.name.split("_")[1]) for path in PMUS.glob("pcounter_[0-9]*")}


def only_pmu():
    wait_for(lambda: len(pmus()) == 1, "not one PMU")
    return Pmu(*pmus())


def left_behind(leads):
    """Leave a software event of a group whose other member, ours, is closed."""
    pmu = only_pmu()
    if leads:
        with Event(pmu, MEMBER, flags=0) as event:
            return Software(leader=event)
    stays = Software()
    Event(pmu, MEMBER, leader=stays).close()
    return stays


def unload(lab, leads):
    try:
        with left_behind(leads) as stays:
            disturb()
            in_use()
            # another member, and another event of ours in its group
            with Software(leader=stays):
                disturb()
            Event(lab.pmu, MEMBER, flags=0).close()
            in_use()
            disturb()
        rmmod()
        disturb()
    finally:
        if not loaded():
            insmod(lab.module)
    counts_right(lab)


@case("life: the module stays while a software event is in its context, which led a group")
def leader_stays(lab):
    unload(lab, leads=False)


@case("life: the module stays while a software event is in its context, which was a member")
def member_stays(lab):
    unload(lab, leads=True)


@case("life: a group that is closed at once leaves nothing behind")
def nothing_stays(lab):
    try:
        for leads in (False, True):
            left_behind(leads).close()
            with Software() as leader, Event(lab.pmu, MEMBER, leader=leader):
                pass
            rmmod()
            insmod(lab.module)
        # without events of another PMU: at once
        with Event(lab.pmu, MEMBER) as leader, Event(lab.pmu, "dom=1,clk", leader=leader):
            pass
        same(run("rmmod", "pcounter").returncode, 0, "status of rmmod")
    finally:
        if not loaded():
            insmod(lab.module)


@case("life: a GPU goes and comes back while a software event is in its context")
def unplugged(lab):
    try:
        for leads in (False, True):
            first = pmus()
            with left_behind(leads) as stays, Software(leader=stays):
                write(f"{lab.gpu.pci}/remove", "1")
                disturb()
                same(pmus(), first, "PMUs without the GPU")
                write("/sys/bus/pci/rescan", "1")
                wait_for(lambda: len(pmus()) == 2, "no PMU after the rescan")
                with Event(Pmu(*(pmus() - first)), MEMBER, flags=0):
                    disturb()
                in_use()
            only_pmu()
            disturb()
    finally:
        rmmod()
        insmod(lab.module)
    counts_right(lab)


LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long)
LIBC.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
READ_WRITE, SHARED, FIXED, ANONYMOUS = 3, 1, 0x10, 0x20


def mapped(fd, size, offset, at=None):
    """Map a buffer or area, and return its address; None where the kernel does not let an
    event map another one's.
    """
    flags = SHARED | (FIXED if at else 0) | (ANONYMOUS if fd < 0 else 0)
    at = LIBC.mmap(at, size, READ_WRITE, flags, fd, offset)
    if at == ctypes.c_void_p(-1).value:
        same(ctypes.get_errno(), errno.EBUSY, "errno of mmap")
        return None
    return at


@contextlib.contextmanager
def borrowed(lab):
    """Leave an AUX area whose event is closed, and which a software event has
    mapped.
    Return False on newer kernels, which let no event map another one's buffer.
    """
    start = (1 + DATA_PAGES) * PAGE
    with Software() as other:
        with Reader(lab.pmu, terms(1, A)) as reader:
            fcntl.ioctl(other.fd, SET_OUTPUT, reader.event.fd)
            check(reader.get(AUX_OFFSET) == start, "offset of the area")
            page = mapped(other.fd, start, 0)
            area = page and mapped(other.fd, reader.size, start)
            same(bool(area), bool(page), "the area can be mapped where the buffer can")
            reader.event.enable()
            lab.gpu("run", 1000)
            size = reader.size
        yield bool(page)
        if page:
            LIBC.munmap(area, size)
            LIBC.munmap(page, start)
            same(run("dmesg").stdout.count("TLB is not flushed"), 0, "leaks")


@case("life: an AUX area that a software event has mapped outlives its event", records)
def area_stays(lab):
    try:
        with borrowed(lab) as shared:
            disturb()
            if shared:
                in_use()
            else:
                rmmod()
                disturb()
        if shared:
            rmmod()
        insmod(lab.module)
        with borrowed(lab):
            write(f"{lab.gpu.pci}/remove", "1")
            disturb()
            same(run("dmesg").stdout.count("TLB is not flushed"), 0, "leaks at removal")
        wait_for(lambda: not pmus(), "the PMU stays")
        write("/sys/bus/pci/rescan", "1")
        only_pmu()
    finally:
        rmmod()
        insmod(lab.module)
    counts_right(lab)


def rotating(lab):
    """Delete and add each event that perf stops."""
    return loading(lab, "pcounter_rotate", f"type={text(lab.pmu.path / 'type')}",
                   f"cpu={text(lab.pmu.path / 'cpumask')}")


@case("life: an event loses its buffer while perf rotates, and another event the AUX area",
      records)
def area_lost(lab):
    start, size = (1 + DATA_PAGES) * PAGE, 16 * PAGE
    length = 2 * (start + size)
    with (Event(lab.pmu, terms(1, A), period=1, samples=PERIOD | RAW) as event,
          Software(cpu=int(text(lab.pmu.path / "cpumask"))) as other):
        # one munmap() ends all mappings, in the order of their addresses
        page = mapped(-1, length, 0)
        mapped(event.fd, start, 0, page)
        words = (ctypes.c_uint64 * (PAGE // 8)).from_address(page)
        words[AUX_OFFSET // 8], words[AUX_SIZE // 8] = start, size
        mapped(event.fd, size, start, page + start)
        fcntl.ioctl(other.fd, SET_OUTPUT, event.fd)
        if mapped(other.fd, start, 0, page + start + 2 * size):
            mapped(other.fd, size, start, page + start + size)
        event.enable()
        lab.gpu("run", 1000)
        with rotating(lab):
            LIBC.munmap(page, length)
        lab.gpu("run", 1000)
        event.disable()
    log = run("dmesg").stdout
    check("perf_mmap_close" not in log and "rb_free_aux" not in log, "perf frees an area in use")
    counts_right(lab)
