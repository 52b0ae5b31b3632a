# SPDX-License-Identifier: GPL-2.0-only
"""GPUs, drivers, CPUs and the module come and go, with events open."""

import contextlib
import pathlib
import random
import time

from attackers import attack_beside
from drivers import ends_right, sleeper
from lives import counts_right, pmu_of
from packets import Reader, terms
from support import (A, CPU1, KCSAN, MEMBERS, PMUS, Bar0, Event, Pmu, beside, case, check, classic,
                     group, insmod, loaded, one_gpu, refused, rmmod, rounds, same, seed, snapshot,
                     text, wait_for, write)

ABOUT = "checked memory races kernel two"


@contextlib.contextmanager
def busy_events(lab):
    """Open on every GPU a counting group, more events than fit, a disabled event,
    and with record mode a stream and an event with an AUX area.
    """
    with contextlib.ExitStack() as stack:
        leaders = []
        for gpu in lab.gpus:
            pmu = pmu_of(gpu)
            leaders.append(stack.enter_context(group(pmu, f"dom=1,sig={A}", "dom=1,clk")))
            leaders[-1].enable()
            for sig in range(6):
                stack.enter_context(Event(pmu, f"dom=2,sig={sig}", flags=0))
            stack.enter_context(Event(pmu, "dom=0,clk"))
            if gpu.chip.record:
                stack.enter_context(Event(pmu, terms(5, A), flags=0))
                stack.enter_context(Reader(pmu, terms(6, A))).event.enable()
        yield leaders


def unplug_and_back(lab, rnd):
    gone = rnd.choice(lab.gpus)
    name = pmu_of(gone).name
    with busy_events(lab) as leaders:
        right = [leader.read() for leader in leaders]
        write(f"{gone.pci}/remove", "1")
        for leader, before in zip(leaders, right):
            after = leader.read()
            check(after[0] >= before[0], f"counts {after} after {before}")
            leader.disable()
            leader.enable()
        frozen = leaders[lab.gpus.index(gone)]
        first = frozen.read_times()
        time.sleep(0.02)
        same(frozen.read_times()[1:], first[1:], "time running and counts of a GPU that is gone")
    wait_for(lambda: not (PMUS / name).exists(), "the PMU stays without a GPU")
    write("/sys/bus/pci/rescan", "1")
    wait_for(lambda: pmu_of(gone), "no PMU after the rescan")
    same(pmu_of(gone).name, name, "name of the PMU after the rescan")


@case("life: a GPU that comes back while events of its first life are open gets another number")
def second_life(lab):
    gpu, first = lab.gpu, pmu_of(lab.gpu).name
    try:
        with group(lab.pmu, f"dom=1,sig={A}", "dom=1,clk"):
            write(f"{gpu.pci}/remove", "1")
            write("/sys/bus/pci/rescan", "1")
            wait_for(lambda: len(list(PMUS.glob("pcounter_[0-9]*"))) == 2, "no second PMU")
            names = {path.name for path in PMUS.glob("pcounter_[0-9]*")}
            second = (names - {first}).pop()
            check(first in names, f"{names}: the first life's is gone")
            same(text(PMUS / second / "caps/device"), pathlib.Path(gpu.pci).name, "its device")
        wait_for(lambda: not (PMUS / first).exists(), "the first life's PMU stays")
        # the GPU keeps that PMU until it comes back once more
        same(pmu_of(gpu).name, second, "PMU after the last close")
        counts_right(lab)
        write(f"{gpu.pci}/remove", "1")
        write("/sys/bus/pci/rescan", "1")
        wait_for(lambda: pmu_of(gpu), "no PMU after the rescan")
        same(pmu_of(gpu).name, first, "PMU of the third life")
    finally:
        rmmod()
        insmod(lab.module)


@case("life: removed by sysfs, the last moments are counted")
def removed_unread(lab):
    name = PMUS / lab.pmu.name
    try:
        with group(lab.pmu, *MEMBERS) as leader:
            ends_right(lab, leader, lambda: write(f"{lab.gpu.pci}/remove", "1"), whole=True)
        wait_for(lambda: not name.exists(), "the PMU stays without a GPU")
    finally:
        write("/sys/bus/pci/rescan", "1")
    wait_for(lab.pmu.opens, f"no {name} after the rescan")


# hw:idle/registers
IDLE_MODES = [0x10a50c + 16 * slot for slot in range(4)]


# KCSAN's kernel does not tell modules the addresses of data.
@case("life: before the system restarts, the last moments are counted, registers restored",
      lambda lab: one_gpu(lab) and not KCSAN.exists())
def restarts(lab):
    found = snapshot(lab.gpu)
    restart = beside(lab, "pcounter_restart")
    try:
        with contextlib.ExitStack() as stack, group(lab.pmu, *MEMBERS) as leader:
            if lab.chip.pdaemon:
                stack.enter_context(Event(Pmu(0, "pcounter_idle"), "mask=1,when=0", flags=0))
            ends_right(lab, leader, lambda: insmod(restart), whole=True)
            same(snapshot(lab.gpu), found, "registers for the next kernel")
            with Bar0(lab.gpu.pci) as bar:
                if lab.chip.pdaemon:
                    same([bar.rd32(mode) for mode in IDLE_MODES], [0] * 4, "MODE")
            refused("ENODEV", lab.pmu, MEMBERS[0])
    finally:
        rmmod("pcounter_restart")
        rmmod()
        insmod(lab.module)


def driver_comes_and_goes(lab, rnd):
    with busy_events(lab):
        insmod(sleeper(lab), "delay_ms=1")
        time.sleep(rnd.random() / 10)
        for gpu in lab.gpus:
            device = pathlib.Path(gpu.pci).name
            write(f"{gpu.pci}/driver/unbind", device)
            write("/sys/bus/pci/drivers/pcounter_sleeper/bind", device)
        rmmod("pcounter_sleeper")
        for gpu in lab.gpus:
            write(f"{gpu.pci}/power/control", "on")


def reload_module(lab, rnd):
    with busy_events(lab) as leaders:
        leaders[0].read()
    rmmod()
    insmod(lab.module)
    for gpu in lab.gpus:
        wait_for(lambda gpu=gpu: pmu_of(gpu), "no PMU after loading")


def cpu_goes_and_comes(lab, rnd):
    if not CPU1.exists():
        return
    with busy_events(lab) as leaders:
        write(CPU1, "0")
        for leader in leaders:
            leader.read()
        write(CPU1, "1")

ACTIONS = (unplug_and_back, driver_comes_and_goes, reload_module, cpu_goes_and_comes)


@case("life: rounds of unplugging, binding, reloading and CPU hotplug with busy events", classic,
      about="random soak slow-on-debug")
def comes_and_goes(lab):
    rnd = random.Random(seed())
    try:
        with attack_beside():
            for number in rounds(2 * len(ACTIONS)):
                action = ACTIONS[number % len(ACTIONS)] if number < len(ACTIONS) \
                    else rnd.choice(ACTIONS)
                action(lab, rnd)
                counts_right(lab)
    finally:
        if not loaded():
            insmod(lab.module)
