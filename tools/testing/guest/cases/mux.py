# SPDX-License-Identifier: GPL-2.0-only
"""Source muxes that cannot be set, or that somebody else changes, stop their events."""

import time

from chips import some, those
from support import Bar0, Event, Pmu, case, check, group, refused, same, stands, wait_for
from support import run as command

ABOUT = "registers tables"

L1, ENABLE = 22, 1 << 31
ABSENT_TPC = 5


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
