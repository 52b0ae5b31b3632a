# SPDX-License-Identifier: GPL-2.0-only
"""CPUs and GPU on one time line: a square wave that a program makes on both."""

import contextlib
import pathlib
import re
import tempfile

from features import USER_1
from support import HERE, case, check, near, run, same
from tool import PROGRAM, tool

FUNCTIONS = HERE.parents[3] / "tools/perf/pcounter-functions.py"
HALF = 0.1      # s
WAVES = 8
WAVE = f"""#!/usr/bin/python3
import time
user = open("/sys/kernel/debug/pcounter/pcounter_0/user", "w", buffering=1)
for _ in range({WAVES}):
    user.write("1 2 0\\n")
    end = time.monotonic() + {HALF}
    while time.monotonic() < end:
        pass
    user.write("1 0 0\\n")
    time.sleep({HALF})
"""
CLOCK = re.compile("clock_gettime|ktime_get|read_hpet|monotonic")
SIGNAL = dict((dom, sig) for _, dom, sig in USER_1["gt215"])["1"]


def fields(data):
    """Yield the fields of a message: number and value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if key & 7 == 2 else 8
        yield key >> 3, data[at:at + size]
        at += size


def message(data):
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def gpu_edges(packets):
    """Return the times at which the only counter passes 50 %: a value belongs to the time before."""
    edges, before = [], None
    for packet in packets:
        for value in message(packet[52][0]).get(2, ()) if 52 in packet else ():
            high = value[-1:] == b"\x40" and value[-2] >= 0x49  # a double of at least 50
            if before is not None and high != before[1]:
                edges.append((before[0], high))
            before = (packet[8][0], high)
    return edges


def cpu_edges(packets, name):
    """Return the times at which a task begins to run, and ends; short breaks do not count."""
    spans, begun = [], {}
    for packet in packets:
        event = message(packet[11][0]) if 11 in packet else {}
        kind, = event.get(9, [None])
        if kind == 1 and event[23] == [name]:
            begun[event[11][0]] = packet[8][0]
        elif kind == 2 and event[11][0] in begun:
            span = begun.pop(event[11][0]), packet[8][0]
            if spans and span[0] - spans[-1][1] < HALF / 2 * 1e9:
                span = spans.pop()[0], span[1]
            spans.append(span)
    return [edge for begin, end in spans for edge in ((begin, True), (end, False))]


def some(lab):
    return len(lab.gpus) == 1 and lab.chip.name == "gt215"


@contextlib.contextmanager
def steady(gpu):
    """Stop the other domains: the model of a fast GPU lags behind a slow machine's time."""
    domains = [dom for dom in range(gpu.chip.domains) if dom != 1]
    for dom in domains:
        gpu("clock", dom, "0/1")
    gpu("clock", 1, "1/4")
    try:
        yield
    finally:
        for dom in (1, *domains):
            gpu("clock", dom, "1/1")


def wave_in(folder):
    path = pathlib.Path(folder) / "wave"
    path.write_text(WAVE, encoding="ascii")
    path.chmod(0o755)
    return str(path)


@case("timeline: a square wave has its edges on the tracks of CPUs and GPU", some)
def edges(lab):
    with steady(lab.gpu), tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        data = f"{folder}/run"
        tool("record", "--cpu", "-o", data, "-e", f"pcounter_0/dom=1,sig={SIGNAL:#x},periodic=2/",
             "--", wave_in(folder))
        report = run("env", f"PCOUNTER_SCRIPTS={FUNCTIONS.parent}", PROGRAM, "report", data,
                     "-T", f"{folder}/trace", "-b", "0")
        same(report.returncode, 0, report.stdout)
        trace = pathlib.Path(f"{folder}/trace").read_bytes()
        rows = tool("report", data, "--csv").splitlines()
    packets = [message(value) for _, value in fields(trace)]
    times = [int(row.split(",")[7]) for row in rows[1:]]
    period = (times[-1] - times[0]) / (len(times) - 1)
    check(period < HALF / 10 * 1e9, f"a packet takes {period} ns")
    mine, theirs = gpu_edges(packets), cpu_edges(packets, b"wave")
    print(f"# a packet takes {period / 1e3:.0f} us; edges of the GPU {mine}, of the CPUs {theirs}")
    same(len(mine), 2 * WAVES, f"edges of the GPU {mine}")
    # the program's own start and end are CPU time without a wave
    late = []
    for time, high in mine:
        nearest = min((edge for edge, rises in theirs if rises == high),
                      key=lambda edge, time=time: abs(edge - time))
        late.append(time - nearest)
    print(f"# GPU behind CPUs, in us: {[round(one / 1e3) for one in late]}")
    # On a loaded machine the model lags behind its own clock, which moves all its edges.
    # A unit test compares edges without that lag.
    moved = sorted(late)[len(late) // 2]
    near(moved, 0, HALF * 1e9, f"ns between edges, {late}")
    # the first and the last edge are in the time of the program's start and end; a slow
    # machine stops the guest between some edges
    apart = sorted(abs(one - moved) for one in late[1:-1])
    near(apart[len(apart) * 3 // 4], 0, period, f"ns, {late}")


@case("timeline: samples of CPUs are weighted by what the GPU did", some)
def weights(lab):
    with steady(lab.gpu), tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        data = f"{folder}/perf.data"
        done = run("perf", "record", "-q", "-B", "-N", "-a", "-o", data, "-P", "-R",
                   "-e", "cpu-clock/freq=1000,call-graph=fp/",
                   "-e", f"pcounter_0/record,dom=1,sig={SIGNAL:#x},periodic=1,period=1/",
                   "--", wave_in(folder))
        same(done.returncode, 0, done.stdout)
        table = run("perf", "script", "-i", data, "-s", str(FUNCTIONS)).stdout
        folded = run("env", "PCOUNTER_FOLDED=1", "perf", "script", "-i", data, "-s",
                     str(FUNCTIONS)).stdout
    known = [line.split() for line in table.splitlines()[1:] if line.split()[2:3] == ["%"]]
    # the program reads the time while the signal is 1, and at no other time
    spins = [row for row in known if row[3] == "wave" and CLOCK.search(row[4])]
    samples = sum(int(row[0]) for row in spins)
    busy = sum(int(row[0]) * float(row[1]) for row in spins)
    check(samples > 10, f"{samples} samples: {table}")
    check(busy > 80 * samples, f"{busy / samples} % of them: {table}")
    check(re.search(r"^wave;.*clock_gettime\S* \d", folded, re.M), folded)
