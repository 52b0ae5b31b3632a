# SPDX-License-Identifier: GPL-2.0-only
"""CPUs and GPU on one time line: a square wave that a program makes on both."""

import contextlib
import dataclasses
import itertools
import pathlib
import re
import statistics
import sys
import tempfile

from chips import USER_1
from program import tool
from support import HERE, PROGRAM, case, check, run, same

sys.path.insert(0, str(HERE.parents[1] / "unit"))

from perfetto import gpu_edges, gpu_values, message, packets_of  # noqa: E402

ABOUT = "pdaemon"
FUNCTIONS = HERE.parents[3] / "tools/perf/pcounter-functions.py"
# a busy machine may stop the guest's processors for a tenth of a second
HALF = 0.3      # s
WAVES = 5
# the signal is 1 while the program computes checksums, and at no other time
WAVE = f"""#!/usr/bin/python3
import time, zlib
user = open("/sys/kernel/debug/pcounter/pcounter_0/user", "w", buffering=1)
data = bytes(1 << 14)
for _ in range({WAVES}):
    time.sleep({HALF})
    user.write("1 2 0\\n")
    end = time.monotonic() + {HALF}
    while time.monotonic() < end:
        zlib.crc32(data)
    user.write("1 0 0\\n")
time.sleep({HALF})
"""
CHECKSUM = re.compile("crc32")
SIGNAL = dict((dom, sig) for _, dom, sig in USER_1["gt215"])["1"]
TIME, TRACK_EVENT = 8, 11
TYPE, TRACK, NAME = 9, 11, 23
BEGIN, END, INSTANT = 1, 2, 3


@dataclasses.dataclass
class Span:
    """The time of a task between two sleeps, with the samples of its checksums."""

    begin: int
    end: int
    samples: list


def cpu_events(packets):
    """Yield the events of all CPUs: time, type, CPU, name of a task or function."""
    for packet in packets:
        if TRACK_EVENT in packet:
            event = message(packet[TRACK_EVENT][0])
            yield (packet[TIME][0], event[TYPE][0], event[TRACK][0],
                   event.get(NAME, [b""])[0].decode())


def spans_of(task, events):
    """Return the spans of a task in which it computes. Breaks that are no sleep do not count."""
    spans, running = [], set()
    for time, kind, cpu, name in events:
        if kind == BEGIN and name == task:
            running.add(cpu)
            # a sleep is never shorter
            if not spans or time - spans[-1].end > 0.9 * HALF * 1e9:
                spans.append(Span(time, time, []))
        elif cpu in running and kind == END:
            running.remove(cpu)
            spans[-1].end = time
        elif cpu in running and kind == INSTANT and CHECKSUM.search(name):
            spans[-1].samples.append(time)
    return [span for span in spans if span.samples]


def cpu_edges(spans):
    """Return the edges: bounds of the time, whether it rises.

    The task drives the signal after it begins to run and before its first checksum, and
    after its last checksum and before it sleeps.
    """
    return [edge for span in spans for edge in ((span.begin, span.samples[0], True),
                                                (span.samples[-1], span.end, False))]


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
                     "-T", f"{folder}/trace", "--cpu", "-b", "0")
        same(report.returncode, 0, report.stdout)
        packets = packets_of(pathlib.Path(folder) / "trace")
        rows = tool("report", data, "--csv").splitlines()
    ends = [int(row.split(",")[7]) for row in rows[1:]]
    period = (ends[-1] - ends[0]) / (len(ends) - 1)
    mine, steps = gpu_edges(gpu_values(packets)), list(cpu_events(packets))
    theirs = cpu_edges(spans_of("wave", steps))
    samples = [time for time, kind, cpu, _ in steps if (kind, cpu) == (INSTANT, steps[0][2])]
    step = statistics.median(end - begin for begin, end in itertools.pairwise(samples))
    print(f"# a packet takes {period / 1e3:.0f} us, a sample {step / 1e3:.0f} us; edges of "
          f"the GPU {mine}, of the CPUs {theirs}")
    check(period < HALF / 10 * 1e9, f"a packet takes {period} ns")
    same([rises for _, rises in mine], [True, False] * WAVES, "edges of the GPU")
    same([rises for *_, rises in theirs], [True, False] * WAVES, "edges of the CPUs")
    width = statistics.median(until - begin for begin, until, _ in theirs)
    apart = [max(begin - time, time - until, 0)
             for (time, _), (begin, until, _) in zip(mine, theirs)]
    print(f"# us between the bounds of an edge of the CPUs {width / 1e3:.0f}, beyond them "
          f"{[round(one / 1e3) for one in apart]}")
    check(max(apart) <= period, f"{apart} ns between edges, a packet takes {period} ns")
    # a busy machine may run the guest's processors late, but each edge is in its own half
    check(width < HALF / 2 * 1e9, f"edges of the CPUs are known to {width} ns")


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
    spins = [row for row in known if row[3] == "wave" and CHECKSUM.search(row[4])]
    samples = sum(int(row[0]) for row in spins)
    busy = sum(int(row[0]) * float(row[1]) for row in spins)
    check(samples > 10, f"{samples} samples: {table}")
    check(busy > 80 * samples, f"{busy / samples} % of them: {table}")
    check(re.search(r"^wave;.*crc32\S* \d", folded, re.M), folded)
