# SPDX-License-Identifier: GPL-2.0-only
"""The simulated GPU: a PMU on any machine, no virtual GPU needed."""

import pathlib

from support import PMUS, case, check, insmod, near, perf_stat, rmmod, run, same, text

A = 0x10    # any signal

SCENARIO = "signal 1 0xc8 duty 30/100;signal 1 0xc9 const 1;signal 1 0xca const 0"


def module(lab):
    return str(pathlib.Path(lab.module).with_name("pcounter_sim.ko"))


@case("sim: counts what its scenario says, beside the other GPU")
def counts(lab):
    insmod(module(lab), "chip=gt215", f'scenario="{SCENARIO}"')
    try:
        same(text(PMUS / "pcounter_1/caps/chip"), "GT215", "caps/chip")
        duty, one, zero, clocks = perf_stat(
            "{pcounter_1/dom=1,sig=0xc8/,pcounter_1/dom=1,sig=0xc9/,"
            "pcounter_1/dom=1,sig=0xca/,pcounter_1/dom=1,clk/}", "sleep", "1")
        check(clocks.value > 500000, f"only {clocks.value} cycles in a second at 1 MHz")
        near(duty.value, clocks.value * 30 / 100, 100, "events")
        same([one.value, zero.value], [clocks.value, 0], "signals held at 1 and 0")
    finally:
        rmmod("pcounter_sim")
    check(not (PMUS / "pcounter_1").exists(), "the PMU outlives its module")


@case("sim: six events take turns on four counters, and perf scales them")
def multiplexing(lab):
    duties = (2, 50, 98, 2, 50, 98)
    scenario = ";".join(f"signal 1 {A + i} duty {duty}/100" for i, duty in enumerate(duties))
    # so slow a clock that registers answer at once, however busy this machine is
    insmod(module(lab), f"chip={lab.chip.name}", "clock=100000", f'scenario="{scenario}"')
    try:
        *counts, clocks = perf_stat(
            [f"pcounter_1/dom=1,sig={A + i}/" for i in range(len(duties))] +
            ["pcounter_1/dom=1,clk/"], "sleep", "4")
    finally:
        rmmod("pcounter_sim")
    check(any(count.percent < 99 for count in counts), "nothing was multiplexed")
    for count, duty in zip(counts, duties):
        # a busy host stretches some turns
        near(100 * count.value / clocks.value, duty, max(2, duty / 10), f"duty of {count.event}")


@case("sim: a chip or a scenario that makes no sense is refused")
def refusals(lab):
    for parameter in ("chip=nv4e", "chip=tnt2", "clock=10", 'scenario="signal 9 9 const 1"'):
        check(run("insmod", module(lab), parameter).returncode, f"insmod with {parameter}")
        check(not (PMUS / "pcounter_1").exists(), f"a PMU with {parameter}")
