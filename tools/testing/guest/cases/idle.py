# SPDX-License-Identifier: GPL-2.0-only
"""The idle counters of PDAEMON: a second PMU, from GT215 on."""

import contextlib
import json
import time

from program import counted, monitor
from support import (PROGRAM, VGPUCTL, Event, Pmu, case, check, group, insmod, near, perf_stat,
                     refused, rmmod, run, same, stands, text, wait_for)

ABOUT = "kernel registers tables layouts"

GR, MC_GT215, MC, PVLD, PCOPY0 = 0, 8, 7, 4, 19
SLOTS = 0x10a500


def some(lab):
    return any(gpu.chip.pdaemon for gpu in lab.gpus)


def those(lab):
    return [gpu for gpu in lab.gpus if gpu.chip.pdaemon]


def counters(gpu):
    return 8 if gpu.chip.sets else 4


def idle_pmu(gpu):
    return Pmu(gpu.number, "pcounter_idle")


@contextlib.contextmanager
def wired(gpu, scripts):
    """Drive engines: bits of COUNTER_SIGNALS, 1 is idle."""
    for bit, script in scripts.items():
        gpu("idle", "signal", bit, script)
    try:
        yield
    finally:
        for bit in scripts:
            gpu("idle", "signal", bit, "const 0")


@contextlib.contextmanager
def light(gpu):
    """Stop the clocks of all domains, so that the model keeps up with PDAEMON's."""
    shown = text(f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}/signals")
    doms = [line.split()[1].rstrip(":") for line in shown.splitlines() if "domain" in line]
    for dom in doms:
        gpu("clock", dom, "0/1")
    try:
        yield
    finally:
        for dom in doms:
            gpu("clock", dom, "1/1")


def slot_writes(gpu, slot):
    return [a for a in gpu.log(partial=True)
            if a.write and SLOTS + slot * 16 + 4 <= a.addr < SLOTS + slot * 16 + 0x14]


@case("idle: sysfs names engines, counters and a CPU; signals are shown in debugfs", some)
def sysfs(lab):
    for gpu in lab.gpus:
        pmu = idle_pmu(gpu)
        same(pmu.path.is_dir(), gpu.chip.pdaemon, f"{gpu.chip.name}: {pmu.name}")
    for gpu in those(lab):
        pmu, name = idle_pmu(gpu), gpu.chip.name
        names = {path.name for path in (pmu.path / "events").iterdir()}
        # hw:idle/signals
        for engine, there in (("gr", True), ("gr_gpc", gpu.chip.sets), ("pvld", True), ("mc", True),
                              ("pcopy1", gpu.chip.sets), ("pcopy2", gpu.chip.chipset >= 0xe4)):
            for suffix in ("idle", "busy"):
                same(f"{engine}_{suffix}" in names, there, f"{name}: event {engine}_{suffix}")
        same(text(pmu.path / "events/ticks"), "mask=0x0,when=0x2", f"{name}: ticks")
        same(text(pmu.path / "events/mc_busy"),
             f"mask={1 << (MC if gpu.chip.sets else MC_GT215):#x},when=0x1", f"{name}: mc_busy")
        same(text(pmu.path / "cpumask"), "0", f"{name}: cpumask")
        same(text(pmu.path / "caps/counters"), str(counters(gpu)), f"{name}: caps/counters")
        same(text(pmu.path / "caps/counters_ours"), str(counters(gpu)), f"{name}: counters_ours")
        with wired(gpu, {PVLD: "const 1", PCOPY0: "const 1"}):
            shown = text(f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}/signals")
            same(shown.splitlines()[-1], f"idle: {1 << PVLD | 1 << PCOPY0:08x}",
                 f"{name}: debugfs")


@case("idle: a share of the time base, as scripted", some)
def share(lab):
    for gpu in those(lab):
        name = idle_pmu(gpu).name
        events = "{" + ",".join(f"{name}/{event}/" for event in
                                ("gr_idle", "gr_busy", "mask=0x11,when=0", "ticks")) + "}"
        with wired(gpu, {GR: "duty 3/10", PVLD: "duty 5/10 phase 4"}):
            with gpu.frozen():
                counts = perf_stat(events, VGPUCTL, "-q", "-g", str(gpu.number), "run", "100000")
                # idle together in one clock of ten
                same([count.value for count in counts], [30000, 70000, 10000, 100000],
                     f"{gpu.chip.name}: counts of 100000 clocks")
            with light(gpu):
                counts = [count.value for count in perf_stat(events, "sleep", "4")]
            check(counts[3] > 10000, f"{gpu.chip.name}: {counts[3]} clocks in 4 s")
            # the reads of a group are some accesses apart, which are slow here
            near(counts[0] / counts[3], 0.3, 0.01, f"{gpu.chip.name}: idle share")
            near(counts[1] / counts[3], 0.7, 0.01, f"{gpu.chip.name}: busy share")


@case("idle: gpu_busy is what perf counts as gr_busy, in each verb",
      lambda lab: any(gpu.chip.name == "gk104" for gpu in lab.gpus))
def gpu_busy(lab):
    gpu = next(gpu for gpu in lab.gpus if gpu.chip.name == "gk104")
    name, which = idle_pmu(gpu).name, ("-d", f"pcounter_{gpu.number}")
    events = f"{{{name}/gr_busy/,{name}/ticks/}}"
    with wired(gpu, {GR: "duty 3/10"}), light(gpu):
        busy, ticks = (count.value for count in perf_stat(events, "sleep", "4"))
        got = counted(*which, "-M", "gpu_busy", "-t", "4s")["gpu_busy"]
        rows = [json.loads(line) for line in
                run(PROGRAM, "top", "-J", "-n", "1", "-i", "4000", *which).stdout.splitlines()]
    near(got["counter-value"] / 100, busy / ticks, 0.02, "stat beside perf")
    row, = (row for row in rows if row["name"] == "gpu_busy")
    near(row["busy"], 0.7, 0.02, "top")
    check("accepted" in run(PROGRAM, "explain", f"{name}/gr_busy/").stdout, "explain: gr_busy")
    check("gpu_busy" in run(PROGRAM, "events", *which).stdout, "events")


@case("idle: the monitor of the page prints how busy the GPU is", some)
def monitor_prints(lab):
    gpu = those(lab)[0]
    with wired(gpu, {GR: "duty 3/10"}), light(gpu):
        status, said = monitor()
    same(status, 0, said)
    near(float(said), 70, 2, "percent")


@case("idle: perf's own wildcard finds the PMU, and leaves the other one alone",
      lambda lab: some(lab) and len(lab.gpus) == 1)
def wildcard(lab):
    gpu = lab.gpu
    with wired(gpu, {GR: "duty 3/10"}), gpu.frozen():
        counts = perf_stat("{pcounter_idle/gr_idle/,pcounter_idle/ticks/}",
                           VGPUCTL, "-q", "run", "1000")
        same([count.value for count in counts], [300, 1000], "gr_idle, ticks")
        # from GF100 on a swap is a pulse: accesses must take time
        step = 1 if gpu.chip.sets else 0
        gpu("step", step)
        count, = perf_stat("pcounter/dom=1,clk/", VGPUCTL, "-q", "run", "1000")
        gpu("step", 0)
        near(count.value, 1000, 100 * step, "events of pcounter//")


@case("idle: one event more than counters take turns, and perf scales them", some, about="slow")
def take_turns(lab):
    for gpu in those(lab):
        bits = range(counters(gpu))
        name = idle_pmu(gpu).name
        with wired(gpu, {bit: f"duty {bit + 1}/10" for bit in bits}), light(gpu):
            # each beside the clock of its own turns: a busy host stretches some of them
            counts = perf_stat([f"{{{name}/mask={1 << bit:#x}/,{name}/ticks/}}" for bit in bits],
                               "sleep", "3")
        for bit, count, ticks in zip(bits, counts[::2], counts[1::2]):
            check(count.percent < 100, f"{gpu.chip.name}: bit {bit} ran all the time")
            near(count.value / ticks.value * 100, (bit + 1) * 10, 2, f"{gpu.chip.name}: bit {bit}")


@case("idle: counters of firmware are found, counted out, and never written", some)
def foreign(lab):
    rmmod()
    for gpu in those(lab):
        gpu("idle", "foreign", 0, 1 << PVLD, 2)
        gpu("idle", "foreign", counters(gpu) - 1, 0, 3)
        gpu.forget()
    insmod(lab.module)
    try:
        for gpu in those(lab):
            pmu, free = idle_pmu(gpu), counters(gpu) - 2
            same(text(pmu.path / "caps/counters_ours"), str(free), "counters_ours")
            masks = [f"mask={1 << bit:#x}" for bit in range(free + 1)]
            with wired(gpu, {GR: "duty 3/10"}), gpu.frozen():
                with group(pmu, *masks[:free]) as leader:
                    refused("EINVAL", pmu, masks[free], leader=leader)
                    leader.enable()
                    gpu("run", 1000)
                    same(leader.read()[0], 300, f"{gpu.chip.name}: gr_idle")
            same(gpu.number_of("idle", "foreign_writes"), 0, "writes to their counters")
            same(slot_writes(gpu, 0), [], "writes to counter 0")
    finally:
        for gpu in those(lab):
            gpu("idle", "foreign", 0, 0, 0)
            gpu("idle", "foreign", counters(gpu) - 1, 0, 0)


def in_log(gpu, slot):
    """Count the lines in the kernel's log that say that a counter has stopped."""
    line = f"{idle_pmu(gpu).name}: counter {slot} stopped counting: somebody else"
    return run("dmesg").stdout.count(line)


@case("idle: a counter that firmware takes meanwhile stops one event only", some)
def taken(lab):
    for gpu in those(lab):
        lines = in_log(gpu, 0)
        status = f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}/status"
        with wired(gpu, {GR: "duty 3/10", PVLD: "duty 5/10"}), gpu.frozen():
            with group(idle_pmu(gpu), "mask=0x1") as gr, group(idle_pmu(gpu), "mask=0x10") as pvld:
                gr.enable()
                pvld.enable()
                gpu("run", 1000)
                same(gr.read() + pvld.read(), [300, 500], f"{gpu.chip.name}: counts")
                gpu("idle", "foreign", 0, 2, 1)
                gpu("run", 1000)
                same(gr.read() + pvld.read(), [300, 1000], f"{gpu.chip.name}: counts afterwards")
                # a work item stops the event
                wait_for(lambda event=gr: stands(event), f"{gpu.chip.name}: time runs on")
                check("somebody else" in text(status), text(status))
                wait_for(lambda gpu=gpu, lines=lines: in_log(gpu, 0) == lines + 1,
                         f"{gpu.chip.name}: not one line in the log")
            same(gpu.number_of("idle", "foreign_writes"), 0, f"{gpu.chip.name}: foreign writes")
            gpu("idle", "foreign", 0, 0, 0)


@case("idle: a driver that clears all counters stops events, with their last right counts",
      some)
def cleared(lab):
    for gpu in those(lab):
        status = f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}/status"
        slots = range(counters(gpu))

        def clear(gpu=gpu, slots=slots):
            for slot in slots:
                gpu("idle", "preset", slot, 0)

        with wired(gpu, {GR: "duty 3/10"}), light(gpu):
            clear()
            with group(idle_pmu(gpu), "mask=0x1", "when=2") as leader:
                leader.enable()
                # so much that no later step can hide a clear
                wait_for(lambda leader=leader: leader.read()[1] > 1000, "clocks")
                clear()
                before = leader.read()
                wait_for(lambda leader=leader: clear() or stands(leader), f"{gpu.chip.name}: stop")
                same(leader.read(), before, f"{gpu.chip.name}: the last right counts stay")
                check("cleared by somebody else" in text(status), text(status))


@case("idle: without events nothing is read; refusals touch nothing", some)
def silent(lab):
    for gpu in those(lab):
        pmu = idle_pmu(gpu)
        gpu.forget()
        for want, terms in (("EINVAL", "mask=0"), ("EINVAL", "when=1"), ("EINVAL", "mask=1,when=2"),
                            ("EINVAL", "mask=1,when=3")):
            refused(want, pmu, terms)
        refused("EOPNOTSUPP", pmu, "mask=1", period=1000)
        refused("EINVAL", pmu, "mask=1", pid=0)
        time.sleep(0.6)
        same(gpu.log(), [], f"{gpu.chip.name}: accesses")


@case("idle: a group of two PMUs is refused, whichever leads", some)
def two_pmus(lab):
    members = [(Pmu(gpu.number), "dom=0,clk") for gpu in lab.gpus]
    members += [(idle_pmu(gpu), "when=2") for gpu in those(lab)]
    for leader in members:
        with Event(*leader) as event:
            for member in members:
                if member != leader:
                    refused("EINVAL", *member, leader=event)
