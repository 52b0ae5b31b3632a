# SPDX-License-Identifier: GPL-2.0-only
"""Loading the module, and its files before any event counts."""

import time

from support import (PMUS, Pmu, booted_with, case, check, classic, group, insmod, quiet,
                     read_at_load, rmmod, run, same, text, wait_for)

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


@case("module: perf list shows the events", about="once")
def perf_list(lab):
    # that of 6.1 names each PMU, that of 6.12 all of a kind at once
    listed = run("perf", "list", "pcounter").stdout.replace("pcounter_0/", "pcounter/")
    for dom in range(lab.chip.domains):
        check(f"pcounter/dom{dom}_cycles/" in listed, f"dom{dom}_cycles in {listed}")


@case("module: opening and closing events costs no register access")
def open_close(lab):
    lab.gpu.forget()
    with group(lab.pmu, f"dom=1,sig={lab.chip.sig}", "dom=1,clk"):
        pass
    same(lab.gpu.log(), [], "accesses")


@case("module: idle after use, no timer touches the GPU")
def idle(lab):
    with group(lab.pmu, f"dom=1,sig={lab.chip.sig}", "dom=1,clk") as leader:
        leader.enable()
        leader.read()
        # /proc/timer_list counts timers while they come and go: one look may miss one
        wait_for(timer_armed, "a running event has no timer")
    # an interrupt of the other CPU ends it
    wait_for(lambda: not timer_armed(), "a timer of a module without events")
    check(lab.gpu.log(), "counting without a register access")
    # a running event is polled about once a second
    time.sleep(1.5)
    same(lab.gpu.log(), [], "accesses")


def timer_armed():
    return "pcounter_timer" in text("/proc/timer_list")
