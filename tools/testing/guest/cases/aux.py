# SPDX-License-Identifier: GPL-2.0-only
"""AUX areas: packets that the virtual GPU writes into pages of a program."""

import errno
import fcntl
import mmap
import os
import pathlib
import re
import select
import signal
import struct
import subprocess
import tempfile
import time
from collections import Counter

from drivers import drowsy, let_sleep
from lives import leave_and_return
from packets import (AUX_OFFSET, AUX_TAIL, MAGIC, PACKET, PAGE, PERIOD, RAW, SET_OUTPUT, STATUS,
                     Packet, Reader, frozen_and_clean, has_packets, in_order, records,
                     run_packets, settled, terms)
from program import NOBODY, tool
from support import (A, ONE, PATIENCE, PROGRAM, VGPUCTL, Event, Failed, Pmu, case, check, insmod,
                     near, paranoid, rmmod, rounds, run, same, snapshot, text, wait_for)

ABOUT = "memory races kernel two"

TRUNCATED, PARTIAL, COLLISION = 1, 4, 8


def whole_periods(packets):
    """Return the packets at each 1024th cycle, with the counts in between.
    pcounter record reads its event after a second without a packet, which
    requests one within a period. A slow machine takes that second.
    """
    (phase, _), = Counter(packet.cycles % 1024 for packet in packets).most_common(1)
    whole = []
    for packet in packets:
        if whole and (whole[-1].cycles % 1024 != phase or whole[-1].cycles == packet.cycles):
            packet.ctr = [sum(pair) for pair in zip(packet.ctr, whole.pop().ctr)]
        whole.append(packet)
    return whole if whole[-1].cycles % 1024 == phase else whole[:-1]


def numbers_of_status(dom):
    """Return the numbers in debugfs for the packets of a domain."""
    line, = re.findall(rf"(?m)^domain {dom} records: (.*)$", text(STATUS))
    return {name: int(value) for value, name in re.findall(r"(\d+) (\w+)", line)}


@case("aux: packets in place, in order, and none is missing", records)
def in_place(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "250/1024")
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, A)) as reader:
        reader.event.enable()
        packets = []
        for _ in range(12):
            run_packets(gpu, reader, 500)
            packets += reader.read()
        near(len(packets), 6000, 2, "packets")
        in_order(packets)
        same({packet.ctr[0] for packet in packets[2:]} <= {249, 250, 251}, True, "counts")
        same(reader.flags, 0, "flags")
        # perf reports exactly the packets in the area, without a hole
        check(settled(reader, lambda: sum(size for _, size, _ in reader.records) == reader.head),
              "the sum of all AUX records is not the position")
        position = 0
        for offset, size, _ in reader.records:
            same(offset, position, "offset of an AUX record")
            position += size
        check(len(reader.headers) <= len(reader.records), f"{len(reader.headers)} samples")
        last = reader.headers[-1]
        same((last[0], last[6]), (MAGIC, 0), "header without packets")
        same(last[10:16], (0, 0, 0, 0, 0, 0), "losses")
        same(reader.event.read()[0], 0, "count beside the bytes")


def disabled(reader):
    """Wait until a work item has disabled the event of a reader whose area is full."""
    wait_for(lambda: reader.event.read_times()[0] == reader.event.read_times()[0],
             "the event is not disabled")


@case("aux: a reader that does not read is not written over, and goes on later", records)
def slow(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE)) as reader:
        fits = reader.size // PACKET - 1
        for turn in range(3):
            reader.flags = 0
            reader.event.enable()
            # the last page is free when all pending packets have arrived there
            for _ in range(4):
                run_packets(gpu, reader, 4)
            gpu("run", 5000 * 1024)
            check(settled(reader, lambda: reader.flags & TRUNCATED),
                  f"turn {turn}: flags {reader.flags}, {reader.head - reader.tail} bytes")
            same(reader.head - reader.tail, fits * PACKET, "bytes")
            before = reader.aux[:]
            gpu("run", 3000 * 1024)
            time.sleep(0.05)
            reader.drain()
            same(reader.aux[:], before, "what has not been read")
            disabled(reader)
            # less room than the driver begins with: the reader is told so
            packets = reader.read(50)
            reader.flags = 0
            reader.event.enable()
            check(settled(reader, lambda: reader.flags & TRUNCATED), f"turn {turn}: not told")
            disabled(reader)
            packets += reader.read()
            same(len(packets), fits, "packets")
            in_order(packets)
            check(packets[0].cycles <= 1024, f"turn {turn} begins with {packets[0].cycles}")
        check(len(reader.records) < 60, f"{len(reader.records)} AUX records")
        check(not reader.flags & COLLISION, f"flags {reader.flags}")
        lost = numbers_of_status(1)
        same((lost["overrun"], lost["missing"]), (0, 0), "losses")


# the driver has seen the position of a reader after these
POLLS = 4


@case("aux: a reader that says nonsense for a short time", records)
def nonsense(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE)) as reader:
        reader.event.enable()
        run_packets(gpu, reader, 300)
        packets = reader.read()
        # so that each poll finds packets
        gpu("step", 3 * 1024)
        try:
            for tail in 4 * (reader.head + 30 * reader.size, 12345, (1 << 64) - 1):
                reader.put(AUX_TAIL, tail)
                gpu.forget()
                for _ in range(POLLS):
                    # Linux 6.1 disables the event at once
                    wait_for(lambda: gpu.accesses() or reader.event.read_times()[0] ==
                             reader.event.read_times()[0], "the driver does not poll")
                reader.put(AUX_TAIL, reader.tail)
                reader.event.enable()
                run_packets(gpu, reader, 300)
                packets += reader.read()
        finally:
            gpu("step", 0)
        # each packet's cycles, except where recording restarted
        for before, packet in zip(packets, packets[1:]):
            if packet.cycles > before.cycles:
                same(packet.ctr[0], packet.cycles - before.cycles, "counts")


@case("aux: packets of 16 bytes", records)
def brief(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    with frozen_and_clean(gpu), Reader(Pmu(0), f"short,{terms(1, ONE, 2)}") as reader:
        reader.event.enable()
        for _ in range(20):
            head = reader.head
            gpu("run", 300 * 2048)
            check(settled(reader, lambda before=head: reader.head >= before + 299 * 16),
                  f"{reader.head} bytes after {head}")
            start = reader.tail % reader.size
            data = reader.aux[:] * 2
            found = [Packet(data[at:at + 16])
                     for at in range(start, start + reader.head - reader.tail, 16)]
            reader.give_back(reader.head)
            for before, packet in zip(found[1:], found[2:]):
                same((packet.cycles - before.cycles, packet.ctr[0]), (2048, 2048), "clocks, counts")
        same(reader.flags & (PARTIAL | COLLISION), 0, "flags")


@case("aux: samples of other events in the buffer of an area", records)
def shared(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    gpu.signal(2, ONE, "const", 1)
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE)) as reader, \
         Event(Pmu(0), terms(2, ONE), period=100 * 1024, samples=PERIOD | RAW) as other:
        fcntl.ioctl(other.fd, SET_OUTPUT, reader.event.fd)
        other.enable()
        reader.event.enable()
        packets = []
        for _ in range(10):
            run_packets(gpu, reader, 500)
            packets += reader.read()
        in_order(packets)
        near(other.read()[0], 5000 * 1024, 8192, "count")
        check(len(reader.headers) > 20, f"{len(reader.headers)} samples")


@case("aux: overwrite mode has the last packets", records)
def overwrite(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE), overwrite=True) as reader:
        reader.event.enable()
        for _ in range(16):
            run_packets(gpu, reader, 500)
        reader.event.disable()
        head = reader.head
        near(head // PACKET, 8000, 3, "packets")
        # a newer, unreported packet may have overwritten the oldest one
        found = [Packet(reader.at(head - (i + 1) * PACKET))
                 for i in range(reader.size // PACKET - 1)]
        near(found[0].cycles, 8000 * 1024, 3072, "cycles of the last")
        for i, packet in enumerate(found[1:]):
            # the very last may be a packet that software has requested
            near(packet.cycles, found[1].cycles - i * 1024, 1 if i else 0, "cycles")


@case("aux: a reader is woken when it has said", records)
def watermark(lab):
    gpu = lab.gpu
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, A), watermark=2 * PAGE) as reader:
        poll = select.poll()
        poll.register(reader.event.fd, select.POLLIN)
        reader.event.enable()
        run_packets(gpu, reader, 200)
        same(poll.poll(100), [], "woken by less")
        run_packets(gpu, reader, 100)
        same(len(poll.poll(1000)), 1, "woken")


@case("aux: an area is looked at once in a millisecond at most", records)
def looks(lab):
    gpu = lab.gpu
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, A)) as reader:
        reader.event.enable()
        run_packets(gpu, reader, 100)
        gpu.accesses()
        began = time.monotonic()
        time.sleep(0.5)
        number = gpu.accesses()
        # a look reads one register; the poll of each second, some dozens
        check(0 < number < 50 + 1200 * (time.monotonic() - began), f"{number} accesses")


@case("aux: closed and unmapped in any order, while others count", records)
def order(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    stopped = run("dmesg").stdout.count("stopped counting")
    for first in ("close", "unmap", "disable"):
        with frozen_and_clean(gpu), Event(Pmu(0), "record,dom=2,clk,periodic=1") as clock:
            reader = Reader(Pmu(0), terms(1, ONE))
            clock.enable()
            reader.event.enable()
            run_packets(gpu, reader, 300)
            if first == "disable":
                reader.event.disable()
            if first == "close":
                reader.event.close()
                reader.unmap()
            else:
                reader.unmap()
                gpu("run", 100 * 1024)
                reader.event.close()
            gpu("run", 700 * 1024)
            near(clock.read()[0], 1000 * 1024 + (0 if first == "close" else 102400), 8192,
                 f"{first}: cycles")
    same(run("dmesg").stdout.count("stopped counting"), stopped, "faults in the log")


@case("aux: areas come and go while their event counts and others sample", records, about="soak")
def areas(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    # the events' CPU reads an area while another one frees it
    os.sched_setaffinity(0, {1})
    try:
        with (Event(Pmu(0), terms(2, A), period=1, samples=PERIOD | RAW) as other,
              Reader(Pmu(0), terms(1, ONE)) as reader):
            other.enable()
            for _ in rounds(25):
                reader.event.enable()
                time.sleep(0.005)
                reader.aux.close()
                reader.map_area()
                reader.event.disable()
        with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE)) as reader:
            reader.event.enable()
            run_packets(gpu, reader, 300)
            in_order(reader.read())
    finally:
        os.sched_setaffinity(0, range(os.cpu_count()))


def wait_for_packets(path):
    """A kernel with many checkers takes a while to start."""
    wait_for(lambda: has_packets(path), "nothing is recorded", seconds=60)


@case("aux: the GPU leaves while an area is mapped", records)
def gone(lab):
    gpu = lab.gpu
    before = snapshot(gpu)
    with gpu.frozen():
        with Reader(Pmu(0), terms(1, ONE)) as reader:
            reader.event.enable()
            run_packets(gpu, reader, 300)
            pathlib.Path(gpu.pci, "remove").write_text("1", encoding="ascii")
            gpu("run", 100 * 1024)
            in_order(reader.read())
            reader.event.disable()
            reader.event.enable()
        leave_and_return()
    same(snapshot(gpu), before, "registers")
    with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE)) as reader:
        reader.event.enable()
        run_packets(gpu, reader, 300)


@case("aux: over the end of 4 GiB", records)
def wrap(lab):
    gpu = lab.gpu
    own = lab.chip.chipset >= 0x92
    rmmod()
    insmod(lab.module, f"record_position={0xfffff000 if own else 0x0ffff000:#x}")
    try:
        with frozen_and_clean(gpu), Reader(Pmu(0), terms(1, ONE)) as reader:
            reader.event.enable()
            packets = []
            for _ in range(100):
                if own:
                    run_packets(gpu, reader, 50)
                else:
                    # recording ends there, and packets before the driver's next
                    # poll are lost
                    head = reader.head
                    gpu("run", 50 * 1024)
                    settled(reader, lambda before=head: reader.head > before)
                packets += reader.read()
            turns = sum(b.cycles < a.cycles for a, b in zip(packets, packets[1:]))
            same(turns, 0 if own else 1, "times that it began anew")
            if own:
                in_order(packets)
                near(len(packets), 5000, 2, "packets")
            else:
                run_packets(gpu, reader, 50)
                check(reader.flags & PARTIAL, f"flags {reader.flags}")
    finally:
        rmmod()
        insmod(lab.module)


@case("aux: where there is none", records)
def refusals(lab):
    for event_terms, period in ((terms(1, A), 0), ("dom=1,sig=1", 0)):
        with Event(Pmu(0), event_terms, period=period) as event:
            page = mmap.mmap(event.fd, 9 * PAGE)
            struct.pack_into("<QQ", page, AUX_OFFSET, 9 * PAGE, 16 * PAGE)
            try:
                mmap.mmap(event.fd, 16 * PAGE, offset=9 * PAGE).close()
                raise Failed(f"{event_terms}: an AUX area was mapped")
            except OSError as error:
                same(error.errno, errno.ENOMEM, event_terms)
            finally:
                page.close()
    def refused(what, expected):
        try:
            what()
        except OSError as error:
            return same(error.errno, expected, "errno")
        raise Failed("not refused")

    # the packets of a domain are for one area, or are counted
    with Reader(Pmu(0), terms(1, A)):
        refused(lambda: Reader(Pmu(0), terms(1, ONE)), errno.EBUSY)
        refused(lambda: Event(Pmu(0), "record,dom=1,clk"), errno.EBUSY)
        with Event(Pmu(0), terms(2, ONE)), Event(Pmu(0), "dom=1,clk"):
            pass
    with Event(Pmu(0), "record,dom=1,clk"):
        refused(lambda: Reader(Pmu(0), terms(1, ONE)), errno.ENOMEM)
    with Event(Pmu(0), terms(1, A)) as leader:
        refused(lambda: Reader(Pmu(0), terms(1, ONE), leader=leader), errno.ENOMEM)


@case("aux: pcounter record writes a file with all packets", records)
def tool_records(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "250/1024")
    gpu.signal(1, ONE, "const", 1)
    gpu.signal(4, 9, "duty", "1/2")
    events = "{" + ",".join(f"pcounter_0/{term}/" for term in
                            (terms(1, A), terms(1, ONE), "record,dom=1,clk,periodic=1")) + \
        "}," + f"pcounter_0/{terms(4, 9)}/"
    with frozen_and_clean(gpu), tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/data"
        done = run(PROGRAM, "record", "-o", path, "-m", "64", "-e", events, "--", "sh", "-c",
                   f"for i in 1 2 3; do {VGPUCTL} -q run 1024000; sleep 0.3; done")
        same(done.returncode, 0, done.stdout)
        streams = capture_of(path)
    same(len(streams), 2, "streams")
    for dom, (names, packets, kinds) in zip((1, 4), streams):
        check(f"domain {dom}: {len(packets)} packets" in done.stdout, done.stdout)
        check(3 in kinds and kinds[-1] == 5, f"blocks {kinds}")
        packets[:] = whole_periods(packets)
        check(2990 <= len(packets) <= 3002, f"domain {dom}: {len(packets)} periods")
        in_order(packets, f"domain {dom}: cycles")
    names, packets, _ = streams[0]
    a, one = (next(i for i, name in enumerate(names) if f"sig={sig:#x}" in name)
              for sig in (A, ONE))
    same({packet.ctr[one] for packet in packets[2:]}, {1024}, "a signal at 1")
    check({packet.ctr[a] for packet in packets[2:]} <= {249, 250, 251}, "a signal at 250 of 1024")
    same(run(PROGRAM, "record", "-e", "pcounter_0/dom=1,sig=1,pre/").returncode, 1,
         "no event of record mode")


@case("aux: pcounter record without permission, of a sleeping GPU, and interrupted", records,
      about="captures")
def tool_refused(lab):
    event = f"pcounter_0/{terms(1, A)}/"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/data"
        os.chmod(folder, 0o777)
        with paranoid(-1):
            tool("record", "-o", path, "-e", event, "--", "true", status=1, **NOBODY)
        check("setcap" in tool.stderr or "CAP_PERFMON" in tool.stderr, tool.stderr)
        with drowsy(lab):
            let_sleep(lab)
            tool("record", "-o", path, "-e", event, "--", "true", status=1)
            check("asleep" in tool.stderr, tool.stderr)
        tool("record", "-o", path, "-e", event, "--", "/no/such/command", status=1)
        path += "2"
        with subprocess.Popen([PROGRAM, "record", "-o", path, "-e", event], stderr=subprocess.PIPE,
                              text=True) as recorder:
            wait_for_packets(path)
            recorder.send_signal(signal.SIGINT)
            message = recorder.communicate()[1]
        same(recorder.returncode, 0, message)
        [(_, packets, kinds)] = capture_of(path)
        check(packets and kinds[-1] == 5, f"{len(packets)} packets, blocks {kinds}")
        # only its owner may read it
        tool("report", path, status=1, **NOBODY)
        tool("report", path)


@case("aux: pcounter record beside others, and of a command that does not end", records,
      about="captures")
def tool_beside(lab):
    event = f"pcounter_0/{terms(1, A)}/"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/data"
        with Event(Pmu(0), terms(1, ONE)) as other:
            other.enable()
            tool("record", "-o", path, "-e", event, "--", "sleep", "0.3", status=1)
        check("other events record this domain" in tool.stderr, tool.stderr)
        begin = time.monotonic()
        tool("record", "-o", path, "-t", "200", "-e", event, "--", "sh", "-c",
             'trap "" TERM; exec sleep 60')
        check(time.monotonic() - begin < 20 * PATIENCE, "it waits for a command that does not end")


@case("aux: pcounter record without any GPU, and of two",
      lambda lab: len(lab.gpus) == 2 and all(gpu.chip.record for gpu in lab.gpus),
      about="captures")
def tool_gpus(lab):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/data"
        tool("record", "-o", path, "-e", f"pcounter_0/{terms(1, A)}/,pcounter_1/{terms(1, A)}/",
             "--", "sleep", "0.3")
        streams = capture_of(path)
        same(len(streams), 2, "streams")
        check(all(len(packets) > 100 for _, packets, _ in streams),
              f"{[len(packets) for _, packets, _ in streams]} packets")
        rmmod()
        try:
            tool("record", "-o", path, "-e", f"pcounter_0/{terms(1, A)}/", "--", "true", status=3)
        finally:
            insmod(lab.module)


def capture_of(path):
    """Return for each stream of a capture: names of counters, packets, types of blocks."""
    data = pathlib.Path(path).read_bytes()
    magic, version, at, real, perf = struct.unpack_from("<QIIQQ", data)
    same((magic, version), (0x5245544e554f4350, 1), "header of the file")
    near(real / 1e9, pathlib.Path(path).parent.stat().st_mtime, 60, "time of day of its creation")
    check(perf > 0, "no time of perf's clock")
    streams = []
    while at < len(data):
        kind, stream, size = struct.unpack_from("<IIQ", data, at)
        at += 16
        if kind == 1:
            names = [data[at + 160 + i * 64:at + 224 + i * 64].split(b"\0")[0].decode()
                     for i in range(12)]
            streams.append((names, [], []))
        elif kind == 2:
            first = struct.unpack_from("<Q", data, at)[0]
            same(first, len(streams[stream][1]), "number of the first packet")
            streams[stream][1].extend(Packet(data[i:i + PACKET])
                                      for i in range(at + 16, at + size, PACKET))
        streams[stream][2].append(kind)
        at += size
    same(at, len(data), "size of the file")
    return streams
