# SPDX-License-Identifier: GPL-2.0-only
"""Source muxes: set while events that need them run, restored by the last close."""

import contextlib
import time

from chips import some, those
from support import (Bar0, Event, Pmu, case, check, group, near, refused, same, stands,
                     wait_for)
from support import run as command

ABOUT = "registers tables"

L1, L1_ADDR, ENABLE = 22, 0x50c4a8, 1 << 31
L1_FIELD = 0x3f | ENABLE
# a signal for each position
MUXED = {0x30: (9, "3/10", 0.3), 0x31: (10, "7/10", 0.7)}
ABSENT_TPC = 5
# some turns of perf's
TURNS_NS = 200000000


def has_tpcs(chip):
    return chip.sets


def is_tesla(chip):
    return 0x50 <= chip.chipset < 0xc0


def tpc_domain(chip, tpc=0):
    """Return the domain of a GPC that shows a TPC: from GK104 on each TPC has its own."""
    return tpc + 1 if chip.chipset >= 0xe4 else 0


def place(chip):
    """Return TPC 0 of GPC 1: terms of its domain, and its name in the model."""
    dom = tpc_domain(chip)
    return f"set=1,unit=1,dom={dom}", f"gpc1.{dom}"


def muxed(chip, sig):
    return f"{place(chip)[0]},sig={sig},mux={L1},sel={MUXED[sig][0]},tpc=0"


@case("mux: put back by the last close, one position at a time", some(has_tpcs))
def mux(lab):
    for gpu in those(lab, has_tpcs):
        chip, name, pmu = gpu.chip, gpu.chip.name, Pmu(gpu.number)
        one, two = MUXED
        for sig, (sel, duty, _) in MUXED.items():
            gpu("mux", hex(L1_ADDR), hex(L1_FIELD), hex(sel | ENABLE), place(chip)[1], sig, "duty",
                duty)
        with Bar0(gpu.pci) as bar:
            found = bar.rd32(L1_ADDR)
            check(found & L1_FIELD != MUXED[one][0] | ENABLE, f"{name}: {found:#x} already")
            with Event(pmu, muxed(chip, one)) as first:
                same(bar.rd32(L1_ADDR), found, f"{name}: mux of an event that does not count")
                first.enable()
                same(bar.rd32(L1_ADDR), found & ~L1_FIELD | MUXED[one][0] | ENABLE,
                     f"{name}: mux while it counts")
                with Event(pmu, muxed(chip, one)) as second:
                    second.enable()
                first.disable()
                refused("EINVAL", pmu, muxed(chip, two), leader=first)
            same(bar.rd32(L1_ADDR), found, f"{name}: mux after the last close")
            take_turns(pmu, chip, (one, two))
            same(bar.rd32(L1_ADDR), found, f"{name}: mux after two took turns")


def take_turns(pmu, chip, sigs):
    """Run two groups, each with a mux position of its own, in running time."""
    name = chip.name
    with contextlib.ExitStack() as stack:
        leaders = [stack.enter_context(group(pmu, muxed(chip, sig), f"{place(chip)[0]},clk"))
                   for sig in sigs]
        for leader in leaders:
            leader.enable()
        wait_for(lambda: all(leader.read_times()[1] > TURNS_NS for leader in leaders),
                 f"{name}: a group gets no turns")
        for leader in leaders:
            leader.disable()
        for sig, leader in zip(sigs, leaders):
            enabled, running, (count, clocks) = leader.read_times()
            check(running < enabled, f"{name}: ran {running} of {enabled} ns")
            check(clocks > 1000, f"{name}: {clocks} cycles")
            near(count / clocks, MUXED[sig][2], 0.01, f"{name}: signal {sig:#x}")


@case("mux: of a TPC that is not there stops the event that asks for it, and no other",
      some(has_tpcs))
def absent_tpc(lab):
    for gpu in those(lab, has_tpcs):
        name, pmu, domain = gpu.chip.name, Pmu(gpu.number), place(gpu.chip)[0]
        bad = f"{domain},sig=0x31,mux={L1},sel=9,tpc={ABSENT_TPC}"
        if name == "gk104":
            refused("EINVAL", pmu, bad)
            continue
        told = command("dmesg").stdout.count("its unit does not answer")
        with group(pmu, f"{domain},clk") as good, Event(pmu, bad) as event:
            good.enable()
            event.enable()
            # perf stat prints "<not counted>"; a work item ends the running time
            wait_for(lambda: event.read_times()[1:] == (0, [0]),
                     f"{name}: an event whose mux cannot be set has counted")
            wait_for(lambda: event.read_times()[0] > 5e8, f"{name}: enabled for a moment only")
            same(event.read_times()[1:], (0, [0]), f"{name}: ns that it ran, and its count")
            wait_for(lambda: good.read()[0] > 1000, f"{name}: the other does not count")
            _, ran, (clocks,) = good.read_times()
            time.sleep(0.5)
            _, still, (later,) = good.read_times()
            check(later > clocks, f"{name}: {clocks}, then {later} cycles")
            check(still > ran > 0, f"{name}: ran {ran}, then {still} ns")
        same(command("dmesg").stdout.count("its unit does not answer"), told + 1,
             f"{name}: lines in the log")


# PROP of the first TPC, position 0x16
PROP, PROP_SEL = 8, 0x16


def prop_addr(chip):
    return 0x408750 if chip.chipset >= 0xa0 else 0x408e50


def prop(gpu):
    """Drive a signal that is 1 while the mux is in its position; return an event
    that counts it.
    """
    gpu("mux", hex(prop_addr(gpu.chip)), "0x8000001f", hex(PROP_SEL | ENABLE), 2, 0x32, "const", 1)
    return f"dom=2,sig=0x32,mux={PROP},sel={PROP_SEL}", "dom=2,clk"


@case("mux: Tesla: another graphics context stops the event, and the log says so",
      some(is_tesla))
def context(lab):
    for gpu in those(lab, is_tesla):
        name, addr, line = gpu.chip.name, prop_addr(gpu.chip), "another graphics context"
        told = command("dmesg").stdout.count(line)
        with Bar0(gpu.pci) as bar, group(Pmu(gpu.number), *prop(gpu)) as leader:
            leader.enable()
            gpu("context")
            theirs = bar.rd32(addr)
            wait_for(lambda: command("dmesg").stdout.count(line) > told, f"{name}: no word of it")
            # a work item ends the running time
            wait_for(lambda: stands(leader), f"{name}: it goes on")
            _, running, (count, _) = leader.read_times()
            time.sleep(0.5)
            enabled, still, (later, _) = leader.read_times()
            same((still, later), (running, count), f"{name}: it went on")
            check(enabled > running + 4e8, f"{name}: enabled {enabled}, ran {running} ns")
            same(bar.rd32(addr), theirs, f"{name}: PROP is the context's")
        same(command("dmesg").stdout.count(line), told + 1, f"{name}: lines in the log")
