# SPDX-License-Identifier: GPL-2.0-only
"""Loading the module, and its files before any event counts."""

from support import (PMUS, Pmu, booted_with, case, check, classic, group, insmod, quiet,
                     read_at_load, rmmod, same, text)

ABOUT = "first registers"


@case("module: loading and unloading reads only what is there and writes nothing", classic)
def load_unload(lab):
    for gpu in lab.gpus:
        # like a card that another driver has used
        gpu("freeze")
        gpu("garbage", 42 + gpu.number)
        gpu.forget()
    insmod(lab.module)
    for gpu in lab.gpus:
        check((PMUS / f"pcounter_{gpu.number}").is_dir(), f"no pcounter_{gpu.number}")
    rmmod()
    for gpu in lab.gpus:
        check(not (PMUS / f"pcounter_{gpu.number}").exists(), "the PMU outlives the module")
        accesses = gpu.log()
        same({a.addr for a in accesses}, read_at_load(gpu.chip), "addresses")
        check(not any(a.write for a in accesses), f"accesses: {accesses}")
        quiet(gpu)
        gpu("thaw")
    insmod(lab.module)


@case("module: sysfs names the chip, its domains and a CPU", classic)
def sysfs(lab):
    for gpu in lab.gpus:
        pmu = Pmu(gpu.number)
        same(text(pmu.path / "cpumask"), "1" if booted_with("isolcpus=0") else "0", "cpumask")
        same(int(text(pmu.path / "identifier"), 16), gpu.chip.chipset, "identifier")
        same(text(pmu.path / "caps/domains"), str(gpu.chip.domains), "caps/domains")
        same(text(pmu.path / "caps/chip"), gpu.chip.name.upper(), "caps/chip")
        modes = ("single" if gpu.chip.chipset < 0x30 else "quad" if gpu.chip.sets else
                 "single quad record" if gpu.chip.record else "single quad")
        same(text(pmu.path / "caps/modes"), modes, "caps/modes")
        names = {path.name for path in (pmu.path / "events").iterdir()}
        for dom in range(8):
            same(f"dom{dom}_cycles" in names, dom < gpu.chip.domains, f"event dom{dom}_cycles")
        terms = {path.name for path in (pmu.path / "format").iterdir()}
        check({"dom", "sig", "sig1", "sig2", "sig3", "op", "clk", "d0", "d1"} <= terms,
              f"terms {sorted(terms)}")
        same({"d2", "d3"} <= terms, gpu.chip.delay23, "terms d2 and d3")


@case("module: opening and closing events costs no register access")
def open_close(lab):
    lab.gpu.forget()
    with group(lab.pmu, f"dom=1,sig={lab.chip.sig}", "dom=1,clk"):
        pass
    same(lab.gpu.log(), [], "accesses")
