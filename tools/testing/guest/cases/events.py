# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of events with public names, and versions of a program that differ in one."""

import tempfile

from chips import some, those
from program import counted, rows_of, tool
from support import VGPUCTL, case, check, near, same

ABOUT = "registers tables waits"


def make_busy(gpu):
    """Make the graphics engine busy for 70 % of the time, by the source of gpu_busy."""
    if gpu.chip.name == "gt215":
        gpu("idle", "signal", 0, "duty 3/10")
    else:
        gpu.signal(1, 0xbd, "duty", "3/10")


@case("events: pcounter stat makes metrics of them", lambda lab: lab.chip.name in ("g84", "gt215"))
def metrics(lab):
    gpu = lab.gpu
    make_busy(gpu)
    # idle counters have no latch: while time goes on, their reads are some clocks apart
    with gpu.frozen():
        by_name = counted("-d", f"pcounter_{gpu.number}", "-M", "gpu_busy,triangles_per_second",
                          "--", VGPUCTL, "-q", "-g", str(gpu.number), "run", "100000")
    near(by_name["gpu_busy"]["counter-value"], 70, 2, "gpu_busy")
    same(by_name["gpu_busy"]["unit"], "%", "unit")
    check(by_name["triangles_per_second"]["counter-value"] >= 0, f"{by_name}")
    # without a deadline: the output says why it is slow
    first = counted("-t", "50", "-d", f"pcounter_{gpu.number}")
    check("gpu_busy" in first, f"{first}")
    same(tool("stat", "-M", "gpu_bussy", status=2), "", "a metric that does not exist")
    check("no such metric or event" in tool.stderr, tool.stderr)
    same(tool("stat", "-M", "warps_per_clock", status=2), "", "a metric of another chip")
    check("lacks" in tool.stderr, tool.stderr)


# The domain, the levels of its signals by their numbers, the metric and its percentage
ONE, NONE, HALF, QUARTER = ("const", 1), ("const", 0), ("duty", "1/2"), ("duty", "1/4")
PEAKS = {
    "g84": ("1", {0xd2: QUARTER}, "setup_of_peak", 25),
    # one scheduler issues in each second and each fourth clock, the other in each fourth
    "gf100": ("gpc0.0", {0x32: HALF, 0x33: QUARTER, 0x35: QUARTER, 0x36: NONE}, "issue_of_peak",
              50),
    # three sectors in each fourth clock
    "gk104": ("part0.0", {0x25: ONE, 0x27: NONE, 0x12: QUARTER, 0xc: ONE, 0xd: ONE, 0xe: NONE,
                          0xf: NONE}, "l2_read_of_peak", 75),
}
L2_BIT_2 = 0xe


def check_peak(gpu, metric, percent, reason):
    row = counted("-d", f"pcounter_{gpu.number}", "-M", metric, "--", VGPUCTL, "-q", "-g",
                  str(gpu.number), "run", "100000")[metric]
    # exact to a clock
    near(row["counter-value"], percent, 0.01, metric)
    same((row["unit"], row["reason"]), ("%", reason), metric)


@case("events: percent of the peak is exact, and marked if it is impossible",
      some(lambda chip: chip.name in PEAKS))
def peaks(lab):
    for gpu in those(lab, lambda chip: chip.name in PEAKS):
        domain, levels, metric, percent = PEAKS[gpu.chip.name]
        for sig, script in levels.items():
            gpu.signal(domain, sig, *script)
        with gpu.frozen():
            # a swap from GF100 on is a pulse: accesses must take time
            gpu("step", 1 if gpu.chip.sets else 0)
            check_peak(gpu, metric, percent, None)
            if metric == "l2_read_of_peak":
                gpu.signal(domain, L2_BIT_2, *ONE)
                check_peak(gpu, metric, 175, "above 100 %")


@case("events: two versions that differ by 3 %, and two that do not, are told apart",
      lambda lab: lab.chip.name == "g84")
def versions(lab):
    gpu = lab.gpu
    ctl, pmu = f"{VGPUCTL} -q -g {gpu.number}", f"pcounter_{gpu.number}"
    script = {name: f"{ctl} signal 1 189 random {round((1 - busy) * 65536)}/65536 seed {seed}; "
                    f"{ctl} run 50000"
              for name, busy, seed in (("a", 0.5, 1), ("same", 0.5, 2), ("b", 0.515, 3))}
    with tempfile.TemporaryDirectory() as folder, gpu.frozen():
        for name, text in script.items():
            tool("stat", "-r", "10", "-d", pmu, "-M", "gpu_busy", "-j", "-o", f"{folder}/{name}",
                 "--", "sh", "-c", text)
        tool("stat", "-r", "8", "--versus", f"sh -c '{script['b']}'", "-d", pmu, "-M", "gpu_busy",
             "-j", "-o", f"{folder}/turns", "--", "sh", "-c", script["a"])
        rows = {names[-1]: {row["event"]: row for row in rows_of(
            tool("diff", "-j", *(f"{folder}/{name}" for name in names), status=None))}["gpu_busy"]
                for names in (("a", "same"), ("a", "b"), ("turns",))}
    # one of 10000 comparisons without a difference is a false alarm this far
    check(rows["same"]["p"] > 1e-4, f"without a difference: {rows['same']}")
    check(rows["b"]["p"] < 1e-4, f"3 %: {rows['b']}")
    for name in ("b", "turns"):
        check(rows[name]["differs"], f"3 %: {rows[name]}")
        near(rows[name]["before"], 50, 0.5, "before")
        near(rows[name]["after"] / rows[name]["before"], 1.03, 0.01, "change")
        check(0 < rows[name]["before-error"] < 0.5, f"spread {rows[name]}")
