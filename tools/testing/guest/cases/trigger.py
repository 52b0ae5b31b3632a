# SPDX-License-Identifier: GPL-2.0-only
"""The trigger, which ends the periods of all domains at one moment."""

import contextlib
import json
import os
import re

from drivers import drowsy, let_sleep
from packets import records
from support import (PMUS, PROGRAM, VGPUCTL, Failed, case, check, errno_name, group, run, same,
                     text, wait_for, write)

ABOUT = "kernel tables"

DOMAINS = range(8)


def refused(want, file, value=b"1"):
    try:
        os.write(file, value)
    except OSError as error:
        same(errno_name(error), want, f"write of {value}")
        return
    raise Failed(f"{value} was not refused")


@contextlib.contextmanager
def opened(lab):
    """Open the file; yield its descriptor."""
    file = os.open(PMUS / lab.pmu.name / "trigger", os.O_WRONLY)
    try:
        yield file
    finally:
        os.close(file)


def clocks(pmu):
    """Return an event for the clock of each domain, whose periods the trigger ends."""
    found = []
    for dom in DOMAINS:
        terms = text(PMUS / pmu.name / f"events/dom{dom}_pm_trigger")
        sig, = re.findall(r"sig=(0x[0-9a-f]+)", terms)
        found.append(f"dom={dom},clk,swap={sig}")
    return found


@case("trigger: pulled by its file, all domains count the clocks between two pulls", records)
def pulled(lab):
    with lab.gpu.frozen(), group(lab.pmu, *clocks(lab.pmu)) as leader, opened(lab) as file:
        leader.enable()
        lab.gpu("run", 500)
        total = 0
        for length in (1000, 3000, 6000):
            # a pull has its effect in the next clock
            os.write(file, b"1\n")
            lab.gpu("run", length)
            same(leader.read(), [total] * len(DOMAINS), "clocks until the last pull")
            total += length
        os.write(file, b"1")
        lab.gpu("run", 1)
        same(leader.read(), [total] * len(DOMAINS), "clocks until the last pull")
        refused("EINVAL", file, b"2")


@case("trigger: no pull while the GPU sleeps, or after it has left", records)
def not_pulled(lab):
    name = PMUS / lab.pmu.name
    with lab.gpu.frozen(), drowsy(lab), opened(lab) as file:
        let_sleep(lab)
        refused("EAGAIN", file)
    try:
        with group(lab.pmu, *clocks(lab.pmu)), opened(lab) as file:
            write(f"{lab.gpu.pci}/remove", "1")
            refused("ENODEV", file)
        wait_for(lambda: not name.exists(), "the PMU stays without a GPU")
    finally:
        write("/sys/bus/pci/rescan", "1")
    wait_for(lab.pmu.opens, "no PMU after the rescan")


@case("trigger: pcounter stat --trigger has counts of one moment", records)
def of_one_moment(lab):
    names = [f"dom{dom}_cycles" for dom in DOMAINS]
    for _ in range(3):
        done = run(PROGRAM, "stat", "--trigger", "-j", "-M", ",".join(names), "-t", "300ms")
        same(done.returncode, 0, done.stdout)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        counts = {row["counter-value"] for row in rows if row["event"] in names}
        same(len(counts), 1, f"counts of {len(DOMAINS)} domains: {counts}")
        check(float(counts.pop()) > 100000, "counts")


@case("trigger: pcounter mark --trigger counts what a command does", records)
def around_a_command(lab):
    with lab.gpu.frozen(), group(lab.pmu, *clocks(lab.pmu)) as leader:
        leader.enable()
        lab.gpu("run", 777)
        same(run(PROGRAM, "mark", "--trigger", VGPUCTL, "-q", "run", "12345").returncode, 0, "mark")
        lab.gpu("run", 1)
        same(leader.read(), [12345] * len(DOMAINS), "counts")
