# SPDX-License-Identifier: GPL-2.0-only
"""Counts by perf stat, compared with the scripts of the signals."""

from support import PATIENCE, VGPUCTL, case, check, near, perf_stat, same

ABOUT = "kernel registers tables two"

A, ONE, ZERO = 0x10, 0x13, 0x14


@case("count: a duty cycle in running time, to within one period")
def duty_running(lab):
    lab.gpu.signal(1, lab.chip.sig, "duty", "3/10")
    events, clocks = perf_stat(
        f"{{pcounter/dom=1,sig={lab.chip.sig:#x}/,pcounter/dom=1,clk/}}", "sleep", "1")
    check(clocks.value > 100000, f"only {clocks.value} cycles in a second")
    near(events.value, clocks.value * 3 / 10, 10, f"events of {clocks.value} cycles")


@case("count: constant 1 is every cycle, constant 0 is none")
def constants(lab):
    lab.gpu.signal(1, ONE, "const", 1)
    lab.gpu.signal(1, ZERO, "const", 0)
    one, zero, clocks = perf_stat(f"{{pcounter/dom=1,sig={ONE}/,pcounter/dom=1,sig={ZERO}/,"
                                  "pcounter/dom=1,clk/}", "sleep", "0.2")
    check(clocks.value > 0, "no cycles")
    same(one.value, clocks.value, "signal held at 1")
    same(zero.value, 0, "signal held at 0")


@case("count: a frozen clock run on by 1000000 cycles")
def duty_frozen(lab):
    lab.gpu.signal(1, lab.chip.sig, "duty", "7/1000", "phase", 13)
    with lab.gpu.frozen():
        first = lab.gpu.cycle(1)
        events, clocks = perf_stat(
            f"{{pcounter/dom=1,sig={lab.chip.sig:#x}/,pcounter/dom=1,clk/}}",
            VGPUCTL, "-q", "run", "1000000")
        last = lab.gpu.cycle(1)
        scripted = lab.gpu.count(1, lab.chip.sig, first, last)
    if lab.chip.swap_shared:
        # register accesses take a cycle each here, before and after as well
        check(1000000 <= clocks.value <= last - first, f"{clocks.value} cycles")
        near(events.value, clocks.value * 7 / 1000, 7, "events")
    else:
        same(last - first, 1000000, "cycles of the model")
        same(clocks.value, 1000000, "cycles")
        same(events.value, scripted, "events")


@case("count: domains have their own clocks")
def clocks_of_domains(lab):
    lab.gpu("clock", 0, "1/4")
    lab.gpu("clock", 2, "5/3")
    lab.gpu("clock", 3, "0/1")
    try:
        with lab.gpu.frozen():
            slow, fast, stopped, plain = perf_stat(
                [f"pcounter/dom={dom},clk/" for dom in (0, 2, 3, 1)],
                VGPUCTL, "-q", "run", "120000")
    finally:
        for dom in (0, 2, 3):
            lab.gpu("clock", dom, "1/1")
    same(stopped.value, 0, "stopped domain")
    if lab.chip.swap_shared:
        near(slow.value, plain.value / 4, 200, "domain at 1/4")
        near(fast.value, plain.value * 5 / 3, 200, "domain at 5/3")
    else:
        same([slow.value, fast.value, plain.value], [30000, 200000, 120000], "cycles")


@case("count: six groups take turns on four counters and miss no cycle of their turns")
def multiplexing(lab):
    # cases/sim.py checks the values that perf computes from these counts: it
    # needs registers without delay
    wires = range(A, A + 6)
    for sig in wires:
        lab.gpu.signal(1, sig, "const", 1)
    counts = perf_stat(",".join(f"{{pcounter/dom=1,sig={sig}/,pcounter/dom=1,clk/}}"
                                for sig in wires), "sleep", "2")
    for event, clocks in zip(counts[0::2], counts[1::2]):
        check(event.value and event.percent < 99, f"{event.event}: {event.percent} % of the time")
        same(event.value, clocks.value, event.event)


@case("count: intervals of perf stat -I leave nothing out")
def intervals(lab):
    lab.gpu.signal(1, lab.chip.sig, "duty", "2/7")
    lines = perf_stat(f"{{pcounter/dom=1,sig={lab.chip.sig:#x}/,pcounter/dom=1,clk/}}",
                      "sleep", f"{PATIENCE:.1f}", options=("-I", "100"))
    pairs = list(zip(lines[0::2], lines[1::2]))
    check(len(pairs) >= 5, f"{len(pairs)} intervals of 0.1 s in a second")
    for (_, events), (_, clocks) in pairs:
        near(events.value, clocks.value * 2 / 7, 7, "events of an interval")
    # a cycle lost between two intervals would shift the phase of all later ones
    near(sum(events.value for (_, events), _ in pairs),
         sum(clocks.value for _, (_, clocks) in pairs) * 2 / 7, 7, "events of all")


@case("count: two GPUs, together by pcounter//, apart by their numbers",
      lambda lab: len(lab.gpus) == 2 and all(gpu.chip.classic for gpu in lab.gpus))
def two_gpus(lab):
    for gpu, script in zip(lab.gpus, ("1/10", "1/5")):
        gpu.signal(1, 0xc8, "duty", script)
        gpu("freeze")
    # perf cannot group events of all GPUs: it would mix them in one group
    both, cycles, first, second = perf_stat(
        "pcounter/dom=1,sig=0xc8/,pcounter/dom=1,clk/,"
        "pcounter_0/dom=1,clk/,pcounter_1/dom=1,sig=0xc8/",
        "sh", "-c", f"{VGPUCTL} -q run 10000; {VGPUCTL} -q -g 1 run 50000")
    for gpu in lab.gpus:
        gpu("thaw")
    same([cycles.value, first.value], [60000, 10000], "cycles of both and of the first")
    same([both.value, second.value], [11000, 10000], "events of both and of the second")
