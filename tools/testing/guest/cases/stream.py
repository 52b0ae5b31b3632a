# SPDX-License-Identifier: GPL-2.0-only
"""Records of GF100 and later, which the driver offers with unverified=1."""

import contextlib

from lives import finish, pmu_of, start
from packets import frozen_and_clean
from support import (A, ONE, PMUS, Event, Pmu, case, check, group, near, reloaded, run, same,
                     wait_for, write)

QUARTER = "duty", "256/1024"


def streams(lab):
    return [gpu.chip.name for gpu in lab.gpus] == ["gf100", "gk104"]


def terms(dom, sig):
    return f"record,dom={dom},sig={sig:#x},periodic=1"


def clk(dom):
    return f"record,dom={dom},clk,periodic=1"


@contextlib.contextmanager
def unverified(lab):
    for gpu in lab.gpus:
        for dom in ("hub1", "hub2"):
            gpu.signal(dom, A, *QUARTER)
            gpu.signal(dom, ONE, "const", 1)
    run("dmesg", "--clear")
    with reloaded(lab, "unverified=1"):
        yield


@case("stream: GF100 and GK104 record with unverified=1 only, exactly as scripted", streams)
def counted(lab):
    for gpu in lab.gpus:
        check(not (PMUS / f"pcounter_{gpu.number}/format/record").exists(), "the term record")
    with unverified(lab):
        said = run("dmesg").stdout
        check("record mode of GF100 is tried" in said, f"log: {said}")
        for gpu in lab.gpus:
            pmu = Pmu(gpu.number)
            check(not (pmu.path / "format/short").exists(), "the term short")
            with frozen_and_clean(gpu), \
                    group(pmu, terms(1, A), terms(1, ONE), clk(1)) as one, \
                    group(pmu, terms(2, A), terms(2, ONE), clk(2)) as two:
                one.enable()
                two.enable()
                for _ in range(20):
                    gpu("run", 50000)
                    one.read()
                    two.read()
                for events in (one, two):
                    quarter, ones, clocks = events.read()
                    near(clocks, 1000000, 60000, "clocks")
                    same(ones, clocks, "a signal at 1")
                    near(quarter, clocks / 4, 1024, "a quarter")


@case("stream: the module and the GPU go while domains record", streams)
def ends(lab):
    with unverified(lab):
        for gpu in lab.gpus:
            pmu = Pmu(gpu.number)
            with group(pmu, terms(1, ONE), clk(1)) as events:
                events.enable()
                wait_for(lambda events=events: events.read()[0] > 0, "no count")
                same(run("rmmod", "pcounter").returncode != 0, True, "unload is refused")
                write(f"{gpu.pci}/remove", "1")
                before = events.read()
                run("sleep", "0.1")
                same(events.read(), before, "counts of a GPU that is gone")
            write("/sys/bus/pci/rescan", "1")
            write(f"{gpu.pci}/power/control", "on")
            wait_for(lambda gpu=gpu: pmu_of(gpu), "no PMU afterwards")


@case("fuzz: lifetimes of events, where all domains share a ring", streams, about="random")
def lives(lab):
    with unverified(lab):
        process = start("lives")
        try:
            while process.poll() is None:
                gpu = lab.gpus[0]
                write(f"{gpu.pci}/remove", "1")
                run("sleep", "0.05")
                write("/sys/bus/pci/rescan", "1")
                run("sleep", "0.2")
            finish(process)
        finally:
            process.kill()
        for gpu in lab.gpus:
            write(f"{gpu.pci}/power/control", "on")
            wait_for(lambda gpu=gpu: pmu_of(gpu), "no PMU afterwards")
        with Event(pmu_of(lab.gpus[1]), clk(1)) as event:
            event.enable()
            wait_for(lambda: event.read()[0] > 0, "no count afterwards")
