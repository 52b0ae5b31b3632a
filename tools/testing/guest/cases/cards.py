# SPDX-License-Identifier: GPL-2.0-only
"""Differences between Fermi, Kepler and Maxwell cards, most of them on a simulated GPU."""

import csv
import pathlib
import time

from support import (HERE, PMUS, PROGRAM, Event, Pmu, case, check, group, insmod, near, refused,
                     rmmod, run, same, text)

TABLE = HERE.parents[3] / "scripts/tables/chips.csv"
TOO_LITTLE = "too little is known of PCOUNTER on GM206"
NO_BASE = "no signal found that could end a period"
# new places of a base; the second one is for a base that has the first already
ELSEWHERE = ("0x80", "0x60")
SETS = {"hub": 0, "gpc": 1, "part": 2}


def with_sets(lab):
    return [gpu.chip.name for gpu in lab.gpus] == ["gf100", "gk104"]


def chips():
    """Return the rows of the modelled chips, from GF100 to GK208B."""
    with open(TABLE, newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["family"] in ("Fermi", "Kepler")]
    return [row for row in rows if row["chip"] != "GK20A"]


def uncertain(row):
    """Return a domain of each kind of set whose base the driver has to probe."""
    found = {}
    for item in row["trailer_bases"].split(";"):
        name, _, value = item.partition("=")
        kind = name.rstrip("0123456789")
        if value.split()[-1] in ("unknown", "inferred"):
            found[kind] = (int(name[len(kind):]), value.split()[0])
    return [(f"set={SETS[kind]},unit=0,dom={number}",
             f"{kind}{'' if kind == 'hub' else '0.'}{number}",
             next(other for other in ELSEWHERE if other != base))
            for kind, (number, base) in found.items()]


class Simulated:
    """A simulated GPU of a chip, beside the guest's own."""

    def __init__(self, lab, chip, *lines):
        self.chip = chip
        self.number = len(lab.gpus)
        scenario = ";".join(lines) or "signal hub0 0 const 0"
        run("dmesg", "--clear")
        insmod(str(pathlib.Path(lab.module).with_name("pcounter_sim.ko")),
               f"chip={chip.lower()}", f'scenario="{scenario}"')

    def __enter__(self):
        pmu = Pmu(self.number)
        same(text(pmu.path / "caps/chip"), self.chip, "caps/chip")
        return pmu

    def __exit__(self, *_):
        rmmod("pcounter_sim")


def counts(pmu, place):
    """Return true if a domain's clocks count."""
    with Event(pmu, f"{place},clk") as event:
        event.enable()
        run("sleep", "0.02")
        return event.read()[0] > 0


# other boots have no time for this number of simulated GPUs
@case("cards: a base is as inferred, another, or none: each domain counts or says why",
      lambda lab: [gpu.chip.name for gpu in lab.gpus] == ["nv20", "gf100"], about="layouts")
def bases(lab):
    tried = 0
    for row in chips():
        domains = uncertain(row)
        for how in ("as inferred", "another", "none"):
            lines = [f"trailer {model} {other if how == 'another' else 'none'}"
                     for _, model, other in domains if how != "as inferred"]
            if not domains:
                continue
            with Simulated(lab, row["chip"], *lines) as pmu:
                # the kernel prints at most 10 of the reasons in 5 s
                time.sleep(1.5 if how == "none" else 0)
                for place, model, _ in domains:
                    same(counts(pmu, place), how != "none", f"{row['chip']} {model}, {how}: counts")
                said = run("dmesg").stdout.count(NO_BASE)
                same(said, len(domains) if how == "none" else 0, f"{row['chip']}, {how}: reasons")
        tried += len(domains)
    check(tried > 25, f"only {tried} domains")


# from the tables: TPC.TEX_A, its register in TPC 0 of GPC 0, and a signal
TEX_A, TEX_A_ADDR, TPC_STRIDE = 17, 0x5042b0, 0x800
ENABLED, SIG = 1 << 31, 0x10
TPCS = {"GK104": 2, "GM107": 5}
# GPC 0 of the model is the second of the design: the first one is lost
CUT = "units tpc 1 {:#x} 0"


def pair(dom, tpc):
    return f"set=1,unit=0,dom={dom},sig={SIG},mux={TEX_A},sel=7,tpc={tpc}"


def shares(pmu, events, want):
    """Count events in one group with the clock of their domain; compare with the scenario."""
    dom = events[0].split("dom=")[1].split(",")[0]
    with group(pmu, *events, f"set=1,unit=0,dom={dom},clk") as leader:
        leader.enable()
        run("sleep", "0.05")
        leader.disable()
        *found, clocks = leader.read()
    check(clocks > 1000, f"{clocks} clocks")
    for event, count, share in zip(events, found, want):
        near(count / clocks, share, 0.01, event)


@case("cards: a GPC that has lost a TPC: each of the others counts in its domain", with_sets)
def lost_tpc(lab):
    for chip, tpcs in TPCS.items():
        for lost in range(tpcs):
            left = [place for place in range(tpcs) if place != lost]
            lines = [f"mux {TEX_A_ADDR + TPC_STRIDE * tpc:#x} {ENABLED | 0x3f:#x} {ENABLED | 7:#x}"
                     f" gpc0.tpc{tpc} {SIG} duty {2 + tpc}/10" for tpc in range(tpcs - 1)]
            with Simulated(lab, chip, CUT.format(1 << lost), *lines) as pmu:
                same(text(pmu.path / "caps/unverified_gpcs"), "0x1", f"{chip}: caps")
                for tpc, place in enumerate(left):
                    shares(pmu, [pair(place + 1, tpc)], [(2 + tpc) / 10])
                    shares(pmu, [pair(place + 1, 15)], [(2 + tpc) / 10])
                for dom in range(tpcs + 1):
                    for tpc in range(tpcs):
                        if dom - 1 not in left or left.index(dom - 1) != tpc:
                            refused("EINVAL", pmu, pair(dom, tpc))
                said = run(PROGRAM, "doctor").stdout
                check("GPC 0 lacks TPCs: which domains show the others is unverified" in said,
                      said)


@case("cards: a trigger ends the periods of all domains of a group at one moment", with_sets)
def trigger(lab):
    gpu = lab.gpu
    places = (("set=1,unit=0,dom=0", "0xed"), ("set=1,unit=1,dom=0", "0xed"),
              ("set=2,unit=0,dom=0", "0x6d"), ("set=2,unit=1,dom=0", "0x6d"))
    with group(Pmu(gpu.number), *(f"{place},clk,swap={swap}" for place, swap in places)) as leader:
        gpu("freeze")
        leader.enable()
        for _ in range(5):
            gpu("trigger")
            gpu("run", 1000)
            run("sleep", "0.02")
        got = leader.read()
        gpu("thaw")
    # the first trigger ends a period that began before the events
    same(got, [4000] * len(places), "clocks of four domains")


@case("cards: of a GPU that is newer than Pascal log and program say that it is not supported",
      lambda lab: lab.gpus[-1].chip.name == "nv31")
def newer(lab):
    gpu = lab.gpus[-1]
    before = f"{gpu.chip.chipset << 20 | 0xa2:#x}"
    rmmod()
    gpu("boot_0", f"{0x162 << 20 | 0xa2:#x}")
    run("dmesg", "--clear")
    try:
        insmod(lab.module)
        for said in (run("dmesg"), run(PROGRAM, "list"), run(PROGRAM, "doctor")):
            said = said.stdout
            check("chipset 0x162 is newer than Pascal: not supported" in said, said)
    finally:
        rmmod()
        gpu("boot_0", before)
        insmod(lab.module)


@case("cards: Maxwell is left alone; told to try, the driver writes to nothing that reads wrong",
      lambda lab: lab.gpus[-1].chip.name == "nv31")
def maxwell(lab):
    gpu = lab.gpus[-1]
    before = f"{gpu.chip.chipset << 20 | 0xa2:#x}"
    run("dmesg", "--clear")
    rmmod()
    gpu("boot_0", f"{0x126 << 20 | 0xa2:#x}")
    try:
        insmod(lab.module)
        check(not (PMUS / f"pcounter_{gpu.number}").exists(), "a PMU for GM206")
        said = run("dmesg").stdout
        check(TOO_LITTLE in said, f"log: {said}")
        said = run(PROGRAM, "doctor").stdout
        check(TOO_LITTLE in said, f"doctor: {said}")
        rmmod()
        gpu.forget()
        insmod(lab.module, "unverified=1")
        with Event(Pmu(gpu.number), "set=0,dom=2,clk") as event:
            event.enable()
            run("sleep", "0.05")
            same(event.read(), [0], "clocks")
        said = run("dmesg").stdout
        check("do not read like a domain's, or PMC.ENABLE disables PCOUNTER" in said,
              f"log: {said}")
        said = run(PROGRAM, "doctor").stdout
        check("GM206 is not known well" in said, f"doctor: {said}")
        same([access for access in gpu.log(partial=True) if access.write], [], "writes")
    finally:
        rmmod()
        gpu("boot_0", before)
        insmod(lab.module)
