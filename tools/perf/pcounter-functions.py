# SPDX-License-Identifier: GPL-2.0-only
"""What the CPUs ran while an event of the GPU counted, for perf script.

    perf record -a -P -R -e cpu-clock/freq=1000,call-graph=fp/ \\
        -e pcounter_0/record,dom=1,sig=0xc8,periodic=1,period=1/ -- COMMAND
    perf script -s pcounter-functions.py

Samples of the CPUs and packets of the GPU are joined by perf's clock. A line
has a function, the number of its samples, and the share of the event in the
packets at these moments. With PCOUNTER_FOLDED=1 in the environment a line has
a call chain and the sum of these shares: the input of flame graph programs.
The instruction pointer of a GPU event itself means nothing: it is that of the
CPU that has read the packets.
"""

import bisect
import importlib.util
import os
import pathlib
import sys

try:
    import perf_trace_context  # noqa: F401 pylint: disable=unused-import
except ImportError:
    if __name__ == "__main__":
        sys.exit(f"perf script runs this:\n{__doc__}")

FOLDED = bool(os.environ.get("PCOUNTER_FOLDED"))
CLK = 0xffff

_spec = importlib.util.spec_from_file_location(
    "packets", pathlib.Path(__file__).with_name("pcounter-packets.py"))
packets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(packets)

# (time, task, call chain from the outermost function to the sampled one)
samples = []
# by event: runs of recording, each with the first and the last pair of cycle
# and time, and the cycle counter and the count of each packet
runs = {}


def note_packets(name, slot, pair, found):
    mine = runs.setdefault(name, [])
    if not mine or pair[0] < mine[-1][1][0]:
        mine.append([pair, pair, []])
    mine[-1][1] = pair
    mine[-1][2] += [(cycle, counters[slot]) for _, cycle, _, counters in found]


def shares(name):
    """Return the ends of the packets of an event, and the share in each."""
    ends, values = [], []
    for first, last, counts in runs[name]:
        if last[0] == first[0]:
            continue
        rate = (last[1] - first[1]) / (last[0] - first[0])
        before = None
        for cycle, count in counts:
            ends.append(last[1] + (cycle - last[0]) * rate)
            # the begin of a run's first packet is unknown
            values.append(before and count / max(cycle - before, 1))
            before = cycle
    return ends, values


def share_at(ends, values, time):
    i = bisect.bisect_left(ends, time)
    return values[i] if i < len(ends) else None


def add(table, key, share):
    """Add a sample to the number of samples, of known shares, and to their sum."""
    row = table.setdefault(key, [0, 0, 0.0])
    row[0] += 1
    row[1] += share is not None
    row[2] += share or 0


def name_of(frame):
    return packets.plain(frame.get("sym", {}).get("name") or "[unknown]")


def process_event(param):
    """Called by perf for each sample."""
    found = packets.decode(param)
    if found:
        _, head, new = found
        if head[4] == packets.STREAM:
            sys.exit("records of GF100 and later do not tell their clocks: see pcounter record "
                     "--cpu and pcounter report --trace --cpu")
        if head[5] != CLK:
            note_packets(packets.plain(param["ev_name"]), head[5], head[8:10], new)
    if found is not None:
        return
    chain = [name_of(frame) for frame in reversed(param.get("callchain") or ())]
    samples.append((param["sample"]["time"], packets.plain(param["comm"]),
                    chain or [packets.plain(param.get("symbol") or "[unknown]")]))


def trace_end():
    """Called by perf after the last sample."""
    if not samples or not runs:
        sys.exit("perf record needs cpu-clock, an event with the terms record and period=1, "
                 "and the options -P -R -a")
    for name in runs:
        ends, values = shares(name)
        table = {}
        for time, task, chain in samples:
            key = ";".join([task, *chain]) if FOLDED else (task, chain[-1])
            add(table, key, share_at(ends, values, time))
        if not FOLDED:
            print(f"samples  {name}  function")
        for key, (number, known, total) in sorted(table.items(), key=lambda row: -row[1][2]):
            if not FOLDED:
                share = f"{100 * total / known:6.1f} %" if known else "       ?"
                print(f"{number:7}  {share}  {' '.join(key)}")
            elif total:
                print(f"{key} {total:.2f}")
