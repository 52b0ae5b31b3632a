# SPDX-License-Identifier: GPL-2.0-only
"""Packets of record mode, a line each, for perf script.

    perf record -e pcounter_0/record,dom=1,sig=0xc8,periodic=1/ -c 1 -P -R -a -- COMMAND
    perf script -s tools/perf/pcounter-packets.py

A line has the domain, the packet's number, the domain's cycle counter, perf's
time in seconds as far as it is known, the requests that the packet answers,
and the count of the event (or all counters, with PCOUNTER_ALL=1 in the
environment). Losses are reported where they happened. The layout is that of
include/uapi/linux/pcounter_record.h. A record of GF100 and later has its time
in place of the cycle counter, and the number of its request; "delayed" if it
came late; and "?" for counts that begin before the records.
"""

import os
import re
import signal
import struct
import sys

HEADER = struct.Struct("<IHHHHHHQQQQQQQQQ")
FLAGS = 90
MAGIC = b"!PCN"
ENTRY = 12              # what perf puts before our data
CLK = 0xffff
STREAM = 2              # format: records of GF100 and later
RECORD = struct.Struct("<IBBH4I8x")
SUMS = 1
DELAYED = 0x1000
HALF_OR_EMPTY = 0xe000
LOSSES = ("overrun", "missing", "merged", "saturated", "gaps")

# what reads this may end before us
signal.signal(signal.SIGPIPE, signal.SIG_DFL)

# by PMU and domain: two pairs of cycle and time, the first and the latest; losses seen;
# number and counters of the latest record
pairs = {}
losses = {}
sums = {}
shown = 0

try:
    import perf_trace_context  # noqa: F401 pylint: disable=unused-import
except ImportError:
    if __name__ == "__main__":
        sys.exit(f"perf script runs this:\n{__doc__}")


def time_of(stream, cycle):
    """perf's time of a cycle, from a line through two pairs that are far apart."""
    (first_cycle, first_time), (last_cycle, last_time) = pairs[stream]
    if last_cycle == first_cycle:
        return None
    rate = (last_time - first_time) / (last_cycle - first_cycle)
    return (last_time + (cycle - last_cycle) * rate) / 1e9


def note_pair(stream, cycle, time):
    first, last = pairs.get(stream, ((cycle, time),) * 2)
    if cycle < last[0]:
        # recording began anew
        first = (cycle, time)
    pairs[stream] = (first, (cycle, time))


def note_losses(stream, where, now):
    before = losses.get(stream, (0,) * len(LOSSES))
    for name, was, value in zip(LOSSES, before, now):
        if value != was:
            print(f"# {where}: {name} {value - was}")
    losses[stream] = now


def plain(text):
    """Return a name from a file of others in printable ASCII, for a terminal."""
    return re.sub(r"[^ -~]", "?", text)


def decode_record(stream, raw, number, pair, runs_on):
    """Return a record as a packet; None if it is damaged."""
    low, high, _, flags, *counters = RECORD.unpack(raw)
    if flags & HALF_OR_EMPTY:
        return None
    # the time goes round; that of the pair is near
    wrap = 1 << 40
    time = pair + ((low | high << 32) - pair + wrap // 2) % wrap - wrap // 2
    before, old = sums.get(stream, (None, None))
    sums[stream] = (number, counters)
    if runs_on:
        counters = [(now - was) % (1 << 32) for now, was in zip(counters, old)] \
            if before == number - 1 else ["?"] * 4
    return number, time, f"{flags & 0xfff}{' delayed' if flags & DELAYED else ''}", counters


def decode(param):
    """Return the stream and the header of a sample and its packets, each with
    its number, cycle counter, requests and counters; None for another sample,
    and nothing for a damaged one.
    """
    # the type of struct perf_event_attr is the PMU, whatever the event is called
    pmu, = struct.unpack_from("=I", bytes(param["attr"]))
    raw = bytes(param["raw_buf"])[ENTRY:]
    if not raw.startswith(MAGIC):
        return None
    head = HEADER.unpack_from(raw.ljust(HEADER.size, b"\0"))
    (_, version, size, domain, form, slot, count, first, pair, *_) = head
    if version > 1 or form > STREAM:
        sys.exit(f"packets of version {version} and format {form} are not known here")
    length = 16 if form == 1 else 32
    slots = 4 if form else 12
    packets = []
    if (not version or size < HEADER.size or len(raw) < size + count * length or
            slot not in (*range(slots), CLK)):
        print("a sample is damaged, and left out", file=sys.stderr)
        return ()
    runs_on = size > FLAGS and raw[FLAGS] & SUMS
    for i in range(count):
        if form == STREAM:
            packets.append(decode_record((pmu, domain), raw[size + i * length:][:length],
                                         first + i, pair, runs_on))
            continue
        words = struct.unpack_from(f"<{length // 2}H", raw, size + i * length)
        packets.append((first + i, words[0] | words[1] << 16 | words[2] << 32,
                        words[3] & 0xfff, words[4:]))
    if None in packets:
        print("a record is damaged, and left out", file=sys.stderr)
    return (pmu, domain), head, [packet for packet in packets if packet]


def show(event, stream, head, packets):
    domain, slot, cycle, time, *lost = head[3], head[5], *head[8:]
    note_pair(stream, cycle, time)
    note_losses(stream, f"{event.split('/')[0]} domain {domain}", tuple(lost))
    for number, cycles, requests, counters in packets:
        when = time_of(stream, cycles)
        values = [f"{event} {counters[slot]}"] if slot != CLK else []
        if os.environ.get("PCOUNTER_ALL"):
            values = [f"ctr{k} {value}" for k, value in enumerate(counters)]
        print(f"dom {domain} packet {number} cycle {cycles} "
              f"time {'-' if when is None else f'{when:.6f}'} requests {requests} "
              + " ".join(values))


def process_event(param):
    """Called by perf for each sample."""
    global shown
    found = decode(param)
    if found:
        shown += len(found[2])
        show(plain(param["ev_name"]), *found)


def trace_end():
    """Called by perf after the last sample."""
    if not shown:
        sys.exit("no packets: perf record needs an event with the term record, and the options "
                 "-c 1 -P -R -a")
