# SPDX-License-Identifier: GPL-2.0-only
"""Events that are read by samples of other events, at any point of the kernel."""

import pathlib
import subprocess

from drivers import drowsy, let_sleep
from lives import counts_right
from support import case, check, run

ABOUT = "checked kernel"

TRACING = pathlib.Path("/sys/kernel/tracing")


def one(lab):
    """Choose one GPU: perf does the same around the driver for all chips, and is slow here."""
    return len(lab.gpus) == 1 and lab.chip.chipset == 0x84


def sampled_by(lab, tracepoint, seconds, meanwhile=None):
    """Open a group whose leader is a tracepoint: each hit reads the GPU's event."""
    if not (TRACING / "events").exists():
        run("mount", "-t", "tracefs", "tracefs", str(TRACING))
    event = "{" + f"{tracepoint},{lab.pmu.name}/dom=1,clk/" + "}:S"
    with subprocess.Popen(["perf", "record", "-q", "-B", "-N", "-a", "-C", "0", "-c", "1", "-m",
                           "16", "-o", "/dev/null", "-e", event, "--", "sleep", str(seconds)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as record:
        if meanwhile:
            meanwhile()
        shown = record.communicate()[0]
    check(record.returncode == 0, f"perf record: {shown}")


@case("nested: read by a tracepoint that the driver itself hits", one)
def own(lab):
    sampled_by(lab, "timer:hrtimer_start", 0.5)


@case("nested: read where tasks are switched, when the GPU fails", one)
def fails(lab):
    gpu = lab.gpu
    try:
        sampled_by(lab, "sched:sched_switch", 0.5, lambda: gpu("fault", "dead", 1))
    finally:
        gpu("fault", "dead", 0)
    counts_right(lab)


@case("nested: read where tasks are switched, when the GPU falls asleep", one)
def sleeps(lab):
    with drowsy(lab):
        sampled_by(lab, "sched:sched_switch", 1, lambda: let_sleep(lab))
