# SPDX-License-Identifier: GPL-2.0-only
"""Read a trace for Perfetto: its packets, and the edges of the counters of GPUs.

Numbers of fields are those of Perfetto's published .proto files.
"""

import itertools
import struct

TIME, GPU_COUNTERS, VALUES, COUNTER, VALUE = 8, 52, 2, 1, 3


def fields(data):
    """Yield the fields of a protocol buffer: number and value, or bytes."""
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
        number, kind = divmod(varint(), 8)
        if kind == 0:
            yield number, varint()
        elif kind == 1:
            yield number, struct.unpack_from("<d", data, at)[0]
            at += 8
        else:
            size = varint()
            yield number, data[at:at + size]
            at += size


def message(data):
    """Return a message; repeated fields are lists."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def packets_of(path):
    """Return the packets of a trace."""
    return [message(value) for _, value in fields(path.read_bytes())]


def gpu_counters(packets):
    """Return the values of each counter, in percent: (time, value).

    A value belongs to the time before it.
    """
    found = {}
    for packet in packets:
        for value in message(packet.get(GPU_COUNTERS, [b""])[0]).get(VALUES, ()):
            value = message(value)
            found.setdefault(value[COUNTER][0], []).append((packet[TIME][0], value[VALUE][0]))
    return found


def gpu_values(packets):
    """Return the values of the only counter."""
    values, = gpu_counters(packets).values()
    return values


def gpu_edges(values):
    """Return the edges of a square wave: (time, whether it rises).

    A value between 0 and 100 belongs to a packet with an edge, and tells the time of that.
    """
    edges, level, last, high = [], None, 0, 0
    for (begin, _), (end, value) in itertools.pairwise(values):
        if 0 < value < 100:
            high += (end - begin) * value / 100
            continue
        if level not in (None, value):
            edges.append((begin - high if value else last + high, value == 100))
        level, last, high = value, end, 0
    return edges
