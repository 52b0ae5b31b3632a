# SPDX-License-Identifier: GPL-2.0-only
"""The CPUs' part of a trace for Perfetto, for perf script.

    perf record -a -e cpu-clock -F 1000 --switch-events -o FILE -- COMMAND
    perf script -i FILE -s pcounter-timeline.py >>TRACE

TRACE is a trace of "pcounter report --trace", which runs this with --cpu for a
capture of "pcounter record --cpu". Each CPU has a track: a slice for the time
of a task, and an instant with the function's name for each sample. Times are
perf's clock, as in the GPU's part. Messages and fields are those of
protos/perfetto/trace/trace_packet.proto and the files that it imports.
"""

import sys

try:
    import perf_trace_context  # noqa: F401 pylint: disable=unused-import
except ImportError:
    if __name__ == "__main__":
        sys.exit(f"perf script runs this:\n{__doc__}")

PACKET = 1
TIME, SEQUENCE, TRACK_EVENT, FLAGS, CLOCK, TRACK = 8, 10, 11, 13, 58, 60
TYPE, TRACK_OF, EVENT_NAME = 9, 11, 23
TRACK_NUMBER, TRACK_NAME = 1, 2
BEGIN, END, INSTANT = 1, 2, 3
PERF_CLOCK = 10
STATE_CLEARED = 1
OUR_SEQUENCE = 2        # the GPU's part has 1
FIRST_TRACK = 0x1000    # the GPU's part has smaller numbers

# (time, CPU, what, text or task), in the order in which perf tells them
events = []
names = {0: "idle"}


def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """Encode a number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode(errors="replace")
    return varint(number << 3 | 2) + varint(len(value)) + value


def packet(time, number, body, flags=0):
    whole = field(TIME, time) + field(CLOCK, PERF_CLOCK) + field(SEQUENCE, OUR_SEQUENCE)
    if flags:
        whole += field(FLAGS, flags)
    return field(PACKET, whole + field(number, body))


def event(time, cpu, kind, name=None):
    body = field(TYPE, kind) + field(TRACK_OF, FIRST_TRACK + cpu)
    return packet(time, TRACK_EVENT, body + (field(EVENT_NAME, name) if name else b""))


def trace():
    """Yield the packets."""
    flags = STATE_CLEARED
    for cpu in sorted({cpu for _, cpu, _, _ in events}):
        yield packet(events[0][0], TRACK, field(TRACK_NUMBER, FIRST_TRACK + cpu) +
                     field(TRACK_NAME, f"CPU {cpu}"), flags)
        flags = 0
    running = {}
    for time, cpu, kind, what in events:
        if kind == INSTANT:
            yield event(time, cpu, kind, what)
            continue
        if running.pop(cpu, 0):
            yield event(time, cpu, END)
        if kind == BEGIN and what:
            running[cpu] = what
            yield event(time, cpu, BEGIN, names.get(what, f"task {what}"))
    for cpu in running:
        yield event(events[-1][0], cpu, END)


def process_event(param):
    """Called by perf for each sample."""
    sample = param["sample"]
    names[sample["tid"]] = param["comm"]
    events.append((sample["time"], sample["cpu"], INSTANT, param.get("symbol") or "[unknown]"))


def context_switch(time, cpu, _pid, tid, _next_pid, _next_tid, _machine, out, *_):
    """Called by perf when a task begins to run on a CPU, and when it ends."""
    events.append((time, cpu, END if out else BEGIN, tid))


def trace_end():
    """Called by perf after the last sample."""
    if not events:
        sys.exit("no samples: perf record needs -a -e cpu-clock --switch-events")
    for part in trace():
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
