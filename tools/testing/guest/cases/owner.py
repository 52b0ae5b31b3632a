# SPDX-License-Identifier: GPL-2.0-only
"""Ownership of a GPU: registers before and after its driver, and a GPU that is lent."""

import contextlib
import os
import pathlib
import subprocess

from drivers import (MODULES, advances, bind, driver, ends_right, keep_awake, lending, lint,
                     modprobe, name_of, packaged, sleeper, status, stopped_lines, switched, unbind)
from packets import records, terms
from support import (A, BOOT, BOOT_1, MEMBERS, PMUS, Bar0, Event, case, check, group, insmod,
                     loaded, one_gpu, refused, rmmod, run, same, snapshot, text, wait_for, write)

ABOUT = "waits"

COMMAND = 4
MEMORY, MASTER = 1 << 1, 1 << 2
ROUNDS = 12


def command(gpu):
    with open(f"{gpu.pci}/config", "rb", buffering=0) as config:
        config.seek(COMMAND)
        return int.from_bytes(config.read(2), "little")


def set_command(gpu, value):
    with open(f"{gpu.pci}/config", "r+b", buffering=0) as config:
        config.seek(COMMAND)
        config.write(value.to_bytes(2, "little"))


def state(gpu):
    """Return COMMAND, and the enable count of the function."""
    return f"{command(gpu):#06x}", text(f"{gpu.pci}/enable")


def log_lines(word):
    return run("dmesg").stdout.count(word)


@contextlib.contextmanager
def unloaded(lab):
    """Run without the module; load it again afterwards."""
    rmmod()
    found = command(lab.gpu)
    try:
        yield found
    finally:
        if not loaded():
            set_command(lab.gpu, found | MEMORY)
            insmod(lab.module)


def driver_alone(lab, start):
    """Return the registers that a driver finds and leaves."""
    set_command(lab.gpu, start)
    with driver(lab, "master=1"):
        during = state(lab.gpu)
    return during, state(lab.gpu)


def driver_first(lab, start):
    set_command(lab.gpu, start)
    with driver(lab, "master=1"):
        insmod(lab.module)
        check((PMUS / lab.pmu.name).exists(), "no PMU beside the driver")
        during = state(lab.gpu)
    return during


def module_first(lab, start):
    set_command(lab.gpu, start)
    insmod(lab.module)
    with driver(lab, "master=1"):
        during = state(lab.gpu)
    return during


@case("owner: a driver finds and leaves a GPU as if nobody counted")
def as_if_alone(lab):
    with unloaded(lab) as found:
        for start in (found, found | MASTER, found & ~(MASTER | MEMORY)):
            during, after = driver_alone(lab, start)
            for order in (driver_first, module_first):
                what = f"{order.__name__} from {start:#06x}"
                same(order(lab, start), during, f"{what}, with the driver")
                same(command(lab.gpu), int(after[0], 16), f"{what}, the driver gone")
                counts(lab)
                rmmod()
                same(state(lab.gpu), after, f"{what}, unloaded")


@case("owner: loading and unloading leave COMMAND as it was found", about="slow")
def load_unload(lab):
    with unloaded(lab) as found:
        for start in (found | MEMORY, found | MEMORY | MASTER, found & ~(MASTER | MEMORY)):
            set_command(lab.gpu, start)
            before = state(lab.gpu)
            insmod(lab.module)
            counts(lab)
            rmmod()
            same(state(lab.gpu), before, "COMMAND, and how often it is enabled")


def counts(lab):
    lab.gpu.signal(1, A, "const", 1)
    with lab.gpu.frozen(), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        lab.gpu("run", 1000)
        events, cycles = leader.read()
        check(events == cycles >= 1000, f"counts {events}, {cycles}")


def flip(lab):
    """Let the owner set the other byte order, as nouveau does on a big-endian machine."""
    with Bar0(lab.gpu.pci) as bar:
        bar.wr32(BOOT_1, 0x01000001)
        return bar.rd32(BOOT_1)


@case("owner: counts are right in the order of bytes that the owner of the GPU has set")
def byte_order(lab):
    with unloaded(lab) as found:
        set_command(lab.gpu, found | MEMORY)
        same(flip(lab), 0x01000001, "big-endian")
        insmod(lab.module)
        counts(lab)
        same(flip(lab), 0, "little-endian")
        with driver(lab):
            counts(lab)
            flip(lab)
        counts(lab)
        flip(lab)
        rmmod()


@case("owner: bus mastering that record mode needs ends with a driver that comes or goes",
      records)
def record_master(lab):
    with unloaded(lab) as found:
        start = (found | MEMORY) & ~MASTER
        set_command(lab.gpu, start)
        insmod(lab.module)
        with Event(lab.pmu, terms(1, A), period=1) as event:
            event.enable()
            check(command(lab.gpu) & MASTER, "records, but is no bus master")
            insmod(sleeper(lab))
            keep_awake(lab)
            check(not command(lab.gpu) & MASTER, "bus master of a driver that never asked")
        with Event(lab.pmu, terms(1, A), period=1) as event:
            event.enable()
            check(command(lab.gpu) & MASTER, "records, but is no bus master")
            rmmod("pcounter_sleeper")
            check(not command(lab.gpu) & MASTER, "bus mastering outlives the driver")
        rmmod()
        same(state(lab.gpu), (f"{start:#06x}", "0"), "unloaded")

UNSUPPORTED = 0x11


@contextlib.contextmanager
def unsupported(lab):
    lab.gpu("boot_0", f"{UNSUPPORTED << 20 | 0xa2:#x}")
    try:
        yield
    finally:
        lab.gpu("boot_0", f"{lab.chip.chipset << 20 | 0xa2:#x}")


@case("owner: of a chip without PCOUNTER only PMC.BOOT is read, and nothing changes")
def unsupported_chip(lab):
    with unloaded(lab) as found, unsupported(lab):
        for start in (found & ~(MEMORY | MASTER), found | MEMORY | MASTER):
            set_command(lab.gpu, start)
            before = state(lab.gpu)
            lab.gpu.forget()
            insmod(lab.module)
            same(state(lab.gpu), before, "COMMAND, and how often it is enabled")
            same({access.addr for access in lab.gpu.log()}, BOOT, "addresses")
            with driver(lab, "master=1"):
                check(command(lab.gpu) & MASTER, "the driver's bus mastering")
            check(not command(lab.gpu) & MASTER, "bus mastering outlives the driver")
            same(lab.gpu.log(), [], "looked at once more")
            rmmod()


@case("owner: a driver comes and goes while the module does; nothing stays enabled",
      about="minutes")
def both_come_and_go(lab):
    loop = (f"while :; do insmod {sleeper(lab)} master=1; rmmod pcounter_sleeper; done")
    with unloaded(lab) as found:
        set_command(lab.gpu, (found | MEMORY) & ~MASTER)
        before = state(lab.gpu)
        for kind in (contextlib.nullcontext, lambda: unsupported(lab)):
            with kind(), subprocess.Popen(["sh", "-c", loop], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL) as process:
                for _ in range(ROUNDS):
                    insmod(lab.module)
                    rmmod()
                process.kill()
            wait_for(lambda: not idle_driver() and not driver_is_there(), "the driver stays")
            write(f"{lab.gpu.pci}/power/control", "on")
            same(state(lab.gpu), before, "COMMAND, and how often it is enabled")


def driver_is_there():
    """Remove the driver; the loop may have ended anywhere."""
    run("rmmod", "pcounter_sleeper")
    return pathlib.Path("/sys/module/pcounter_sleeper").exists()


def idle_driver():
    """An insmod or rmmod of the loop may still run for a moment."""
    return run("pgrep", "-x", "insmod|rmmod").stdout.strip()


def pmus():
    return [path.name for path in PMUS.glob("pcounter_*")]


def left_alone(lab, bound):
    """Check that nothing in the body touches the GPU, which has no PMU."""
    same(pmus(), [], "PMUs of a GPU that is lent")
    same(state(lab.gpu), bound, "COMMAND, and how often it is enabled")
    same(lab.gpu.log(), [], "accesses to a GPU that is lent")


@case("owner: a GPU that a driver lends to somebody else is left alone", lending)
def lent(lab):
    modprobe("pci-stub")
    try:
        with unloaded(lab):
            bind(lab, "pci-stub")
            bound = state(lab.gpu)
            lines = log_lines("bound to pci-stub, which lends the GPU")
            lab.gpu.forget()
            insmod(lab.module)
            left_alone(lab, bound)
            same(log_lines("bound to pci-stub, which lends the GPU"), lines + 1, "log lines")
            unbind(lab)
            wait_for((PMUS / lab.pmu.name).exists, "no PMU when it is not lent any more")
            counts(lab)
    finally:
        run("rmmod", "pci-stub")


@case("owner: lent while events are open, their last right count stays", lending)
def lent_later(lab):
    modprobe("pci-stub")
    try:
        with lab.gpu.frozen(), group(lab.pmu, *MEMBERS) as leader:
            leader.enable()
            lab.gpu("run", 1000)
            right = leader.read()
            bind(lab, "pci-stub")
            lab.gpu.forget()
            lab.gpu("run", 1000)
            after = leader.read()
            check(all(now >= then for now, then in zip(after, right)), f"{right}, {after}")
            same(leader.read(), after, "counts of a GPU that is lent")
            refused("ENODEV", lab.pmu, MEMBERS[1])
            if records(lab):
                refused("ENODEV", lab.pmu, terms(1, A))
            same(lab.gpu.log(), [], "accesses to a GPU that is lent")
        wait_for(lambda: not pmus(), "the PMU stays")
        unbind(lab)
        wait_for((PMUS / lab.pmu.name).exists, "no PMU when it is not lent any more")
        counts(lab)
    finally:
        run("rmmod", "pci-stub")


@case("owner: lent while events are open, the last moments are read", lending)
def lent_unread(lab):
    modprobe("pci-stub")
    try:
        found = snapshot(lab.gpu)
        with group(lab.pmu, *MEMBERS) as leader:
            ends_right(lab, leader, lambda: bind(lab, "pci-stub"), whole=True)
            bound = command(lab.gpu)
            set_command(lab.gpu, bound | MEMORY)
            same(snapshot(lab.gpu), found, "registers of a GPU that is lent")
            set_command(lab.gpu, bound)
        unbind(lab)
        wait_for((PMUS / lab.pmu.name).exists, "no PMU when it is not lent any more")
    finally:
        run("rmmod", "pci-stub")


@case("owner: a driver that is not known, and is not named by owner=, is left alone")
def unknown_driver(lab):
    with unloaded(lab), driver(lab):
        bound = state(lab.gpu)
        lab.gpu.forget()
        for others in ("", "pcounter", "pcounter_sleeper2,x"):
            insmod(lab.module, f"owner={others}")
            left_alone(lab, bound)
            rmmod()
        for others in ("pcounter_sleeper", "x,pcounter_sleeper", "pcounter_sleeper,x"):
            insmod(lab.module, f"owner={others}")
            check((PMUS / lab.pmu.name).exists(), f"no PMU with owner={others}")
            rmmod()


@case("owner: a lender that fails to get the GPU leaves it to be counted",
      lambda lab: one_gpu(lab) and packaged())
def lender_fails(lab):
    modprobe("vfio-pci")
    try:
        before = state(lab.gpu)
        # the guest has no IOMMU
        write(f"{lab.gpu.pci}/driver_override", "vfio-pci")
        with contextlib.suppress(OSError):
            write("/sys/bus/pci/drivers/vfio-pci/bind", name_of(lab.gpu))
        check(not os.path.exists(f"{lab.gpu.pci}/driver"), "bound to vfio-pci without an IOMMU")
        wait_for((PMUS / lab.pmu.name).exists, "no PMU after vfio-pci has failed")
        counts(lab)
        wait_for(lambda: state(lab.gpu) == before, f"{state(lab.gpu)}, was {before}")
    finally:
        write(f"{lab.gpu.pci}/driver_override", "\n")
        run("modprobe", "-r", "-d", str(MODULES.parents[2]), "vfio-pci")


# switched off

@case("owner: switched off when the module is loaded, a GPU is identified when a driver comes")
def identified_later(lab):
    with unloaded(lab):
        with switched(lab, delay_ms=1) as turn_it:
            turn_it(False)
            before = lint(lab, "asleep")
            insmod(lab.module)
            same(pmus(), [], "PMUs of a GPU that is off")
            same(lint(lab, "asleep"), before, "accesses to a GPU that is off")
            turn_it(True)
            with driver(lab):
                check((PMUS / lab.pmu.name).exists(), "no PMU though a driver has come")
                counts(lab)
        rmmod()
        write(f"{lab.gpu.pci}/enable", "0")


# taken away

@case("owner: without memory decoding a GPU is not counted, and with it counts go on")
def decoding_off(lab):
    lab.gpu.signal(1, A, "const", 1)
    lines = stopped_lines()
    with lab.gpu.frozen(), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        for _ in range(2):
            wait_for(lambda: advances(leader), f"does not count: {status(lab)}")
            lab.gpu("run", 1000)
            right = leader.read()
            set_command(lab.gpu, command(lab.gpu) & ~MEMORY)
            wait_for(lambda: not advances(leader), "time runs on")
            check(0 <= leader.read()[1] - right[1] < 1000, f"counts {right}, {leader.read()}")
            set_command(lab.gpu, command(lab.gpu) | MEMORY)
        wait_for(lambda: advances(leader), f"does not count: {status(lab)}")
        lab.gpu("run", 1000)
        counts = leader.read()
        same(counts[0], counts[1], "events and cycles")
    same(stopped_lines(), lines, "lines in the log")


@case("owner: a GPU that root disables is not counted until it is enabled again")
def disabled(lab):
    lab.gpu.signal(1, A, "const", 1)
    enable = f"{lab.gpu.pci}/enable"
    with lab.gpu.frozen(), group(lab.pmu, *MEMBERS) as leader:
        leader.enable()
        lab.gpu("run", 1000)
        write(enable, "0")
        wait_for(lambda: not advances(leader), "time runs on")
        lab.gpu.forget()
        lab.gpu("run", 1000)
        counts = leader.read()
        same(lab.gpu.log(), [], "accesses to a GPU that is disabled")
        write(enable, "1")
        wait_for(lambda: advances(leader), f"does not count: {status(lab)}")
        same(text(enable), "1", "enabled by root alone")
        lab.gpu("run", 1000)
        more = leader.read()
        check(1000 <= more[1] - counts[1] < 1500, f"counts {counts}, enabled again {more}")
    rmmod()
    same(text(enable), "1", "root's share after unloading")
    write(enable, "0")
    insmod(lab.module)


WARNS = "disabling already-disabled device"


@case("owner: of a GPU that somebody else has disabled no share is given back")
def not_given_back(lab):
    lines = log_lines(WARNS)
    with unloaded(lab) as found:
        enable = f"{lab.gpu.pci}/enable"
        for start in (found | MEMORY, found & ~MEMORY):
            set_command(lab.gpu, start)
            before = state(lab.gpu)
            insmod(lab.module)
            write(enable, "0")
            rmmod()
            same(state(lab.gpu), before, "COMMAND, and how often it is enabled")
        insmod(lab.module)
        counts(lab)
        with switched(lab, delay_ms=1) as turn_it, group(lab.pmu, *MEMBERS) as leader:
            leader.enable()
            for _ in range(2):
                turn_it(False)
                wait_for(lambda: not advances(leader), "time runs on")
                turn_it(True)
                wait_for(lambda: advances(leader), f"does not count: {status(lab)}")
        rmmod()
        same(text(enable), "1", "the switch's share after unloading")
        write(enable, "0")
    same(log_lines(WARNS), lines, "warnings")
