# SPDX-License-Identifier: GPL-2.0-only
"""Every bucket of the chip table: the same cases; the chip's features decide the
expected results.
"""

from chips import G80, G84, NV30, NV40
from support import (BOOT, DEBUG_1, PMUS, PM_TRIGGER, Bar0, Event, Pmu, case, check, group, insmod,
                     near, op, quiet, read_at_load, refused, rmmod, run, same, src, text)

ABOUT = "first registers"

SIG, ONE = 0x08, 0x09
UNITS = {0x022430, 0x022504, 0x022584, 0x022438, 0x022548, 0x0225c8}
# masks of lost TPCs, GK104 and later; numbers of TPCs; CTRL of domains, which may not answer
TPCS = {at + 4 * place for at in (0x022508, 0x022588) for place in range(16)} | {
    0x502608 + 0x8000 * gpc for gpc in range(4)} | {
    0x18009c + 0x1000 * gpc + 0x200 * dom for gpc in range(4) for dom in range(8)}


def terms_of(chip):
    """Return the terms that format/ must show."""
    terms = {"dom", "sig", "sig1", "sig2", "sig3", "op", "d0", "d1", "pre", "start", "event",
             "stop", "setflag", "clrflag", "clk", "ctr"}
    if not chip.sets:
        terms |= {"single", "init", "threshold"}
        terms |= {"all"} if chip.chipset != 0x10 else set()
    if chip.chipset >= NV30:
        terms |= {"quad", "bit0", "bit1", "bit2", "bit3"}
        terms |= set() if chip.sets else {"flag"}
    if chip.chipset >= NV40:
        terms |= {"evpulse", "flagpulse"}
    if chip.chipset >= G84:
        terms |= {"swap", "periodic"}
    if chip.chipset >= G84 and not chip.sets:
        terms |= {"record", "short"}
    if chip.delay23:
        terms |= {"d2", "d3"}
    if chip.sets:
        terms |= {"set", "unit", "mux3"}
    if chip.chipset >= G80:
        terms |= {"mux", "sel", "tpc", "mux2", "sel2"}
    return terms


def garbage_of(gpu):
    """Lasting registers of the domain that the cases use."""
    if gpu.chip.nv10:
        addrs = [0xa400 + i * 4 for i in range(12) if not gpu.chip.quad or i not in (8, 10)]
        return addrs + [0xa628, 0xa73c]
    if gpu.chip.classic:
        return [reg(slot, 1) for slot in range(4) for reg in (src, op)]
    base = 0x181000 if gpu.chip.name == "gf100" else 0x1b0c00
    return [base + at for at in (*range(0x40, 0x68, 4), 0x6c, 0x9c, 0x100)]


def lasting(gpu):
    with Bar0(gpu.pci) as bar:
        values = {addr: bar.rd32(addr) for addr in garbage_of(gpu)}
    for addr in values:
        # single and quad states
        if addr == 0xa73c:
            values[addr] &= ~0x0f000078
        elif addr & 0x1ff == 0x9c and gpu.chip.sets:
            values[addr] &= ~0x33000000
    return values


def any_other(lab):
    """Return true for GPUs without the module's cases, which load it for all later ones."""
    return not all(gpu.chip.classic for gpu in lab.gpus)


def everywhere(lab):
    return True


def where(gpu):
    """Choose a domain with plenty of signals: its terms, its name in the model."""
    if gpu.chip.name == "gf100":
        return "set=1,unit=1,dom=0", "gpc1.0"
    if gpu.chip.sets:
        return "dom=6", "hub6"
    return ("dom=1", 1) if gpu.chip.classic else ("dom=0", 0)


def says(chip_id, *parameters, lab, gpu):
    """Load with a GPU that claims to be another chip; return the log's new lines."""
    boot_0 = f"{chip_id << 20 | 0xa2:#x}"
    before = f"{gpu.chip.chipset << 20 | 0xa2:#x}"
    run("dmesg", "--clear")
    gpu("boot_0", boot_0)
    insmod(lab.module, *parameters)
    try:
        there = (PMUS / f"pcounter_{gpu.number}").exists()
        lines = [line for line in run("dmesg").stdout.splitlines()
                 if gpu.pci.rsplit("/", maxsplit=1)[-1] in line]
    finally:
        rmmod()
        gpu("boot_0", before)
    return there, lines


@case("bucket: chips without PCOUNTER, and those of which nobody knows, are left alone",
      lambda lab: lab.gpus[-1].chip.name == "nv31")
def left_alone(lab):
    gpu = lab.gpus[-1]
    for chip_id, name in ((0x11, "NV11"), (0x17, "NV17"), (0x18, "NV18"), (0x1a, "NV1A"),
                          (0x4e, "C51")):
        gpu.forget()
        there, lines = says(chip_id, lab=lab, gpu=gpu)
        same(there, False, f"a PMU for {name}")
        same([f"{name} has no PCOUNTER" in line for line in lines], [True], f"log: {lines}")
        check(all(a.addr in BOOT for a in gpu.log()), f"{name} was touched")
    there, lines = says(0x30, lab=lab, gpu=gpu)
    same(there, False, "a PMU for NV30")
    same(["whether NV30 has PCOUNTER is not known" in line for line in lines], [True],
         f"log: {lines}")
    there, lines = says(0x30, "unverified=1", lab=lab, gpu=gpu)
    same(there, True, f"a PMU for NV30 with unverified=1, log: {lines}")


@case("bucket: loading reads what identifies a GPU and its units, and writes nothing", any_other)
def load(lab):
    for gpu in lab.gpus:
        gpu("freeze")
        gpu("garbage", 42 + gpu.number)
        gpu.found = lasting(gpu)
        gpu.forget()
    insmod(lab.module)
    for gpu in lab.gpus:
        pmu = Pmu(gpu.number)
        accesses = gpu.log()
        allowed = read_at_load(gpu.chip)
        if gpu.chip.sets:
            allowed = allowed | UNITS | (TPCS if gpu.chip.chipset >= 0xe4 else set())
        check(accesses and all(a.addr in allowed and not a.write for a in accesses),
              f"accesses: {accesses}")
        same(text(pmu.path / "caps/chip"), gpu.chip.name.upper(), "caps/chip")
        same(text(pmu.path / "caps/domains"), str(gpu.chip.domains), "caps/domains")
        same(len(list((pmu.path / "events").glob("*dom?_cycles"))), gpu.chip.domains,
             "cycles events")
        gpu("thaw")


@case("bucket: format/ shows the terms that the chip has", everywhere)
def formats(lab):
    for gpu in lab.gpus:
        shown = {path.name for path in (Pmu(gpu.number).path / "format").iterdir()}
        same(sorted(shown), sorted(terms_of(gpu.chip)), f"terms of {gpu.chip.name}")


# a bit of config1, and the other terms that the event then needs
BITS = {"d2": 2, "d3": 3, "flag": 4, "single": 16, "quad": 17, "record": 18, "short": 19,
        "evpulse": 21, "flagpulse": 22, "periodic": 28, "swap": 35, "mux": 40}


@case("bucket: a term that the chip lacks is refused, EOPNOTSUPP", everywhere)
def lacking(lab):
    for gpu in lab.gpus:
        have = terms_of(gpu.chip)
        place, _ = where(gpu)
        for term, bit in BITS.items():
            extra = (0, 1 << bit, 0)
            event = f"{place},sig={SIG},op=0xcafe"
            if term in have:
                if term not in ("mux", "record", "short"):
                    Event(Pmu(gpu.number), event, extra=extra).close()
            else:
                refused("EOPNOTSUPP", Pmu(gpu.number), event, extra=extra)


def frozen_run(gpu, members, cycles):
    """Return the counts of a group over a number of cycles, and the cycles that they cover."""
    with group(Pmu(gpu.number), *members) as leader:
        gpu("freeze")
        # a swap before G84 and from GF100 on is a pulse: accesses must take time
        gpu("step", 1 if gpu.chip.swap_shared or gpu.chip.sets else 0)
        leader.enable()
        gpu("run", cycles)
        counts = leader.read()
        gpu("step", 0)
        gpu("thaw")
    return counts


@case("bucket: a duty cycle and a constant, over what a former user left", everywhere)
def counts(lab):
    for gpu in lab.gpus:
        place, dom = where(gpu)
        gpu.signal(dom, SIG, "duty", "3/10")
        gpu.signal(dom, ONE, "const", 1)
        for sig, share in ((SIG, 3), (ONE, 10)):
            count, clocks = frozen_run(gpu, (f"{place},sig={sig}", f"{place},clk"), 100000)
            near(clocks, 100000, 100, f"{gpu.chip.name}: cycles")
            if share == 10:
                # single mode has no latch: the two are read one after the other
                near(count, clocks, 0 if gpu.chip.quad else 1, f"{gpu.chip.name}: constant 1")
            near(count, clocks * share / 10, 3, f"{gpu.chip.name}: signal {sig:#x}")


@case("bucket: a gated process reports what its registers hold", everywhere)
def process(lab):
    for gpu in lab.gpus:
        place, dom = where(gpu)
        if gpu.chip.sets:
            refused("EOPNOTSUPP", Pmu(gpu.number), f"{place},sig={SIG}", extra=(0, 1 << 16, 0))
            continue
        for sig, script in ((0x10, "duty 3/10"), (0x11, "duty 1/100 phase 90"),
                            (0x12, "duty 1/100 phase 40")):
            gpu("signal", dom, sig, script)
        with group(Pmu(gpu.number), f"{place},single,event,sig=0x10", f"{place},start,sig=0x11",
                   f"{place},single,stop,sig=0x12,init=4", f"{place},clk") as leader:
            gpu("freeze")
            leader.enable()
            gpu("run", 2000)
            got = leader.read()
            gpu("thaw")
        # START at 10, STOP at 60 of each 100 cycles: 50 cycles, 15 of them events
        same(got, [15, 5, 4, 50], f"{gpu.chip.name}: event, periods, pulses skipped, cycles")


@case("bucket: integers of four bits", everywhere)
def integers(lab):
    for gpu in lab.gpus:
        place, dom = where(gpu)
        for sig, script in ((0x10, "duty 1/2"), (0x11, "const 1"), (0x12, "const 0"),
                            (0x13, "duty 1/10"), (0x14, "const 1")):
            gpu("signal", dom, sig, script)
        single = "" if gpu.chip.quad else "single,"
        # before NV30 as a process whose START is always true
        op = "" if gpu.chip.quad else ",op=0xffff"
        total, _, clocks = frozen_run(
            gpu, (f"{place},{single}ctr=1,event,sig=0x14",
                  f"{place},start,sig=0x10,sig1=0x11,sig2=0x12,sig3=0x13{op}", f"{place},clk"),
            10000)
        near(total, clocks * 3.3, 35, f"{gpu.chip.name}: sum over {clocks} cycles")


@case("bucket: debugfs shows the levels of all signals of all domains", everywhere)
def levels(lab):
    for gpu in lab.gpus:
        place, dom = where(gpu)
        gpu.signal(dom, ONE, "const", 1)
        folder = f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}"
        with Event(Pmu(gpu.number), f"{place},sig={ONE}") as event:
            event.enable()
            shown, status = text(f"{folder}/signals"), text(f"{folder}/status")
        same("VSTATUS busy" in status, gpu.chip.sets, f"{gpu.chip.name}: {status}")
        lines = [line for line in shown.splitlines() if line.startswith("domain ")]
        same(len(lines), gpu.chip.domains, f"{gpu.chip.name}: domains")
        words = {line.split()[1].rstrip(":"): line.split()[2:] for line in lines}
        check(int(words[str(dom)][0], 16) >> ONE & 1, f"{gpu.chip.name}: {words[str(dom)]}")
        # a level of the sources that the event has selected, of which one is 1
        last = words[str(dom)][-1].partition("sources=")
        same(bool(last[1]), gpu.chip.chipset >= 0x40, f"{gpu.chip.name}: {last}")
        check(not last[1] or int(last[2], 16), f"{gpu.chip.name}: {last}")


@case("bucket: PGRAPH.DEBUG_1 keeps its other bits", everywhere)
def debug_1(lab):
    for gpu in lab.gpus:
        if gpu.chip.sets:
            continue
        with Bar0(gpu.pci) as bar:
            before = bar.rd32(DEBUG_1)
        gpu.forget()
        place, _ = where(gpu)
        frozen_run(gpu, (f"{place},sig={SIG}",), 100)
        writes = [a for a in gpu.log(partial=True) if a.write and a.addr == DEBUG_1]
        same(bool(writes), gpu.chip.swap_shared, f"{gpu.chip.name}: triggers")
        same({a.val & ~PM_TRIGGER for a in writes}, {before} if writes else set(), "DEBUG_1")


@case("bucket: no access was one that no document describes", any_other)
def lint(lab):
    for gpu in lab.gpus:
        words = gpu("stats").split()
        stats = dict(zip(words[::2], (int(word) for word in words[1::2])))
        for kind in ("absent", "bits", "direction", "width", "tvout", "pmc"):
            same(stats[kind], 0, f"{gpu.chip.name}: {kind}")


@case("bucket: unloaded, the registers are as they were found", any_other)
def unload(lab):
    rmmod()
    for gpu in lab.gpus:
        check(not (PMUS / f"pcounter_{gpu.number}").exists(), "the PMU outlives the module")
        same(lasting(gpu), gpu.found, f"{gpu.chip.name}: registers")
        quiet(gpu)
    # the following cases need the module
    insmod(lab.module)
    same(run("dmesg", "--level", "err,crit,alert,emerg").stdout, "", "errors in the log")
