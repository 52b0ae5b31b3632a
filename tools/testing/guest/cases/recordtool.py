# SPDX-License-Identifier: GPL-2.0-only
"""The program and perf's own tools with records of GF100 and later, from the GPU to Perfetto."""

import csv
import pathlib
import re
import signal
import sys
import tempfile

from captures import (DOMAINS, PERIODS, SHARE, WAVE, Capture, duty, kepler, records,
                      records_of)
from program import tool
from support import HERE, case, check, near, run, same

sys.path.insert(0, str(HERE.parents[1] / "unit"))

from perfetto import gpu_counters, gpu_edges, packets_of  # noqa: E402

ABOUT = "captures"

PACKETS = HERE.parents[3] / "tools/perf/pcounter-packets.py"


def event(dom):
    return ",".join(f"pcounter_1/{records_of(dom, f'sig={sig:#x}')}/" for sig in (WAVE, SHARE))


@case("recordtool: without unverified=1 the program names the parameter", kepler)
def refused(_lab):
    tool("record", "-o", "/dev/shm/none", "-e", "pcounter_1/dom=0,sig=0x20/", "-t", "10ms", status=1)
    check("parameter unverified=1" in tool.stderr, tool.stderr)


@case("recordtool: shares of eight domains, and a wave's edges on one time axis", kepler)
def report(lab):
    with records(lab), tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        data = f"{folder}/data"
        tool("record", "-o", data, *(word for dom in DOMAINS for word in ("-e", event(dom))),
             "-t", "1s")
        for dom in DOMAINS:
            text = tool("report", data, "-D", str(dom))
            check("loss     none" in text and f"every {PERIODS[dom % 2]} clocks" in text, text)
            near(float(re.search(r"sig=0x21.*?(\S+) % of the clocks", text, re.S)[1]),
                 100 * duty(dom) / 1024, 0.01, f"share of domain {dom}")
        tool("report", data, "-T", f"{folder}/trace", "-e", "sig=0x20")
        rows = list(csv.DictReader(tool("report", data, "--csv").splitlines()))
        tracks = gpu_counters(packets_of(pathlib.Path(folder) / "trace"))
    same({int(row["cycles"]) for row in rows if row["cycles"]}, set(PERIODS), "clocks of a record")
    edges = [gpu_edges(values) for values in tracks.values()]
    same(len(edges), len(DOMAINS), "tracks")
    # one track may begin an edge before another
    first, last = edges[0][0][0], edges[0][-1][0]
    apart = [min(abs(time - other) for other, also in edges[0] if also == rises)
             for track in edges[1:] for time, rises in track[1:-1] if first < time < last]
    print(f"# {len(rows)} records, {len(edges[0])} edges, {max(apart) / 1e3:.1f} us apart", flush=True)
    check(len(apart) > 8 * 10, f"{edges}")
    # the clock of the model has 1 MHz
    check(max(apart) < PERIODS[0] * 1000, f"{apart}")


@case("recordtool: perf script prints each record of two domains", kepler)
def script(lab):
    with records(lab), tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        done = run("perf", "record", "-q", "-B", "-N", "-a", "-o", file.name, "-c", "1", "-P", "-R",
                   *(f"-epcounter_1/{records_of(dom, f'sig={SHARE:#x}')}/" for dom in (0, 1)),
                   "--", "sleep", "0.5")
        same(done.returncode, 0, done.stdout)
        shown = run("perf", "script", "-i", file.name, "-s", str(PACKETS)).stdout
    check("#" not in shown, f"losses: {shown[:2000]}")
    for dom in (0, 1):
        lines = [line.split() for line in shown.splitlines()
                 if line.startswith(f"dom {dom} packet")][1:]
        check(len(lines) > 20, f"{len(lines)} records of domain {dom}: {shown[:2000]}")
        first = int(lines[0][3])
        same([int(line[3]) for line in lines], list(range(first, first + len(lines))), "numbers")
        times = [int(line[5]) for line in lines]
        same({b - a for a, b in zip(times, times[1:])}, {PERIODS[dom] * 1000}, "ns of a record")
        same({int(line[-1]) for line in lines}, {duty(dom) * (1 + dom)}, "counts")


@case("recordtool: the area is full while the program cannot read it", kepler)
def full_area(lab):
    with records(lab) as gpu:
        with Capture("-m", "16", events=[event(dom) for dom in DOMAINS]) as capture:
            capture.program.send_signal(signal.SIGSTOP)
            for _ in range(5):
                gpu("run", 1024000)
                run("sleep", "0.1")
            capture.program.send_signal(signal.SIGCONT)
        text = capture.told(1)
        check("gaps" in text, text)
