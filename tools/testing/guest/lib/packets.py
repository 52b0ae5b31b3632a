# SPDX-License-Identifier: GPL-2.0-only
"""Packets of record mode, from perf's samples and from AUX areas."""

import contextlib
import mmap
import os
import struct
import tempfile
import time

from support import PATIENCE, Event, Failed, check, run, same

STATUS = "/sys/kernel/debug/pcounter/pcounter_0/status"
MAGIC = 0x4e435021
HEADER = struct.Struct("<IHHHHHHQQQQQQQQQHHHH")


def records(lab):
    return len(lab.gpus) == 1 and lab.chip.record


def terms(dom, sig, periodic=1):
    return f"record,dom={dom},sig={sig:#x},periodic={periodic}"


def numbers(answer):
    """Parse an answer of the form "name value" or name=value."""
    words = answer.replace("=", " ").split()
    return {name: int(value, 0) for name, value in zip(words, words[1:])
            if value[0].isdigit() and not name[0].isdigit()}


def dma_writes(gpu):
    return numbers(gpu("dma"))["writes"]


@contextlib.contextmanager
def frozen_and_clean(gpu):
    """Freeze time; check that no DMA goes elsewhere, and none comes after the last close."""
    start = numbers(gpu("dma") + " " + gpu("bus"))
    with gpu.frozen():
        yield
        before = numbers(gpu("dma"))
        gpu("run", 200000)
        end = numbers(gpu("dma") + " " + gpu("bus"))
    same(end["writes"], before["writes"], "DMA writes after the last close")
    for name in ("blocked", "stale", "unflushed", "lost_flushes", "master_off", "nowhere"):
        same(end[name], start[name], name)


class Packet:
    """Cycles, requests and counters."""

    def __init__(self, data):
        words = struct.unpack(f"<{len(data) // 2}H", data)
        self.cycles = words[0] | words[1] << 16 | words[2] << 32
        self.stop = words[3]
        self.ctr = words[4:]


class Sample:
    """A sample's period and raw data."""

    def __init__(self, period, raw):
        self.period = period
        # struct trace_entry, and padding
        raw = raw[12:]
        (magic, _, size, self.domain, brief, self.slot, count, self.first, self.pair_cycle,
         self.pair_time, self.overrun, self.missing, self.merged, self.saturated,
         self.gaps, _, self.used, *_) = HEADER.unpack_from(raw)
        same((magic, size), (MAGIC, HEADER.size), "header")
        length = 16 if brief else 32
        self.packets = [Packet(raw[size + i * length:size + (i + 1) * length])
                        for i in range(count)]


PERIOD, RAW = 1 << 8, 1 << 10
# of a sample, in their order: IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD
FIXED = ((1 << 16, 8), (1 << 0, 8), (1 << 1, 8), (1 << 2, 8), (1 << 3, 8), (1 << 6, 8),
         (1 << 9, 8), (1 << 7, 8))


def samples(path):
    """All samples of a perf.data file of one event."""
    with open(path, "rb") as stream:
        data = stream.read()
    attrs, at, size = struct.unpack_from("<24xQ8xQQ", data)
    sample_type, = struct.unpack_from("<Q", data, attrs + 24)
    found, end = [], at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == 9:
            found.append(one_sample(data[at + 8:at + length], sample_type))
        at += length
    return found


def one_sample(body, sample_type):
    at, period = 0, 0
    for bit, length in FIXED:
        if sample_type & bit:
            at += length
    if sample_type & PERIOD:
        period, = struct.unpack_from("<Q", body, at)
        at += 8
    if not sample_type & RAW:
        return period
    size, = struct.unpack_from("<I", body, at)
    return Sample(period, body[at + 4:at + 4 + size])


def perf_record(event, options, *workload):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/perf.data"
        done = run("perf", "record", "-q", "-B", "-N", "-a", "-o", path, "-e", event, *options,
                   "--", *workload)
        if done.returncode:
            raise Failed(f"perf record -e {event}: {done.stdout}")
        return samples(path)

PAGE, PACKET = 4096, 32
AUX_HEAD, AUX_TAIL, AUX_OFFSET, AUX_SIZE = 1056, 1064, 1072, 1080
DATA_HEAD, DATA_TAIL = 1024, 1032
DATA_PAGES = 8
RECORD_SAMPLE, RECORD_AUX = 9, 11
SET_OUTPUT = 0x2405


class Reader:
    """A sampling event of record mode whose AUX area is mapped."""

    def __init__(self, pmu, event_terms, pages=16, overwrite=False, watermark=0, **options):
        self.event = Event(pmu, event_terms, period=1, samples=PERIOD | RAW, watermark=watermark,
                           **options)
        self.size = pages * PAGE
        self.overwrite = overwrite
        self.page = mmap.mmap(self.event.fd, (1 + DATA_PAGES) * PAGE)
        # struct would write byte by byte, and the kernel may read in between
        self.words = memoryview(self.page).cast("Q")
        try:
            self.map_area()
        except OSError:
            self.words.release()
            self.page.close()
            self.event.close()
            raise
        self.tail = 0
        self.flags = 0
        self.records = []
        self.headers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.unmap()
        self.event.close()

    def map_area(self):
        start = (1 + DATA_PAGES) * PAGE
        self.put(AUX_OFFSET, start)
        self.put(AUX_SIZE, self.size)
        prot = mmap.PROT_READ | (0 if self.overwrite else mmap.PROT_WRITE)
        self.aux = mmap.mmap(self.event.fd, self.size, prot=prot, offset=start)

    def unmap(self):
        self.aux.close()
        self.words.release()
        self.page.close()

    def get(self, at):
        return self.words[at // 8]

    def put(self, at, value):
        self.words[at // 8] = value

    @property
    def head(self):
        return self.get(AUX_HEAD)

    def at(self, position):
        offset = position % self.size
        return self.aux[offset:offset + PACKET]

    def read(self, most=1 << 30):
        """Return the unread packets, and free their room."""
        end = min(self.head, self.tail + most * PACKET)
        found = [Packet(self.at(position)) for position in range(self.tail, end, PACKET)]
        self.give_back(end)
        return found

    def give_back(self, end):
        """Let the driver have the places before a position."""
        self.tail = end
        self.put(AUX_TAIL, end)

    def drain(self):
        """Take the new records of perf."""
        head, tail = self.get(DATA_HEAD), self.get(DATA_TAIL)
        size = DATA_PAGES * PAGE
        ring = self.page[PAGE:PAGE + size]
        while tail < head:
            at = tail % size
            twice = ring[at:] + ring[:at]
            kind, _, length = struct.unpack_from("<IHH", twice)
            if kind == RECORD_AUX:
                self.records.append(struct.unpack_from("<QQQ", twice, 8))
                self.flags |= self.records[-1][2]
            elif kind == RECORD_SAMPLE:
                # PERIOD, then RAW with its size, a trace_entry and padding
                self.headers.append(HEADER.unpack_from(twice, 8 + 8 + 4 + 12))
            tail += length
        self.put(DATA_TAIL, tail)


def settled(reader, condition):
    """Wait for a condition, for several polls of the driver."""
    deadline = time.monotonic() + 5 * PATIENCE
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
        reader.drain()
    reader.drain()
    return condition()


def in_order(packets, what="cycles"):
    """Check the order of packets. The first may be a short one, requested by software."""
    for before, packet in zip(packets[1:], packets[2:]):
        same(packet.cycles - before.cycles, 1024, what)
        same(packet.stop, 1, "requests")


def run_packets(gpu, reader, number):
    """Run for this number of packets, and wait until perf reports them."""
    head = reader.head
    gpu("run", number * 1024)
    check(settled(reader, lambda: reader.head >= head + (number - 1) * PACKET),
          f"{(reader.head - head) // PACKET} packets of {number}")


# The first blocks of a capture of one stream are shorter.
EMPTY = 4096


def has_packets(path, streams=1):
    """Return true if a capture has more than its first blocks."""
    return os.path.exists(path) and os.path.getsize(path) > streams * EMPTY
