# SPDX-License-Identifier: GPL-2.0-only
"""Record mode: packets that the virtual GPU writes into the guest's memory."""

import contextlib
import os
import pathlib
import tempfile
import time

from drivers import driver
from packets import RAW, STATUS, dma_writes, frozen_and_clean, perf_record, records, terms
from support import (A, HERE, ONE, PATIENCE, VGPUCTL, Event, Failed, Pmu, case, check, group,
                     insmod, near, perf_stat, quiet, refused, rmmod, run, same, text, wait_for)

ABOUT = "checked races kernel registers tables waits"

PACKETS = HERE.parents[3] / "tools/perf/pcounter-packets.py"


def once(lab):
    """Choose one GPU for perf's slow work that does not depend on the chip."""
    return records(lab) and lab.chip.chipset == 0x84


def run_and_read(clocks):
    """Return a workload for perf record: run the GPU, and read its packets.
    Packets that no drain had time for when an event ends are counted, but not in
    a sample.
    """
    read = f"/^domain 1 records:/ {{ all = $4 + $6 }} END {{ exit all < {clocks // 1024 - 1} }}"
    return ("timeout", f"{60 * PATIENCE:.0f}", "sh", "-c",
            f"{VGPUCTL} -q run {clocks}; until awk '{read}' {STATUS}; do :; done")


@case("record: counted, to the packet, as scripted", records)
def counting(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "random", "20000/65536", "seed", 5)
    gpu.signal(1, ONE, "const", 1)
    with frozen_and_clean(gpu):
        first = gpu.cycle(1)
        events = "{" + ",".join(f"pcounter_0/{term}/" for term in
                                (terms(1, A), terms(1, ONE), "record,dom=1,clk,periodic=1")) + "}"
        a, one, clocks = [count.value for count in
                          perf_stat(events, VGPUCTL, "-q", "run", "500000")]
        near(clocks, 500000, 1100, "cycles")
        same(one, clocks, "a signal at 1")
        same(a, gpu.count(1, A, first, first + clocks), "a random signal")


@case("record: sampling is offered by each GPU that records, and by no other PMU",
      lambda lab: any(gpu.chip.record for gpu in lab.gpus))
def offered(lab):
    for gpu in lab.gpus:
        domains, idle = Pmu(gpu.number), Pmu(gpu.number, "pcounter_idle")
        if gpu.chip.record:
            Event(domains, terms(1, A), period=1000).close()
        else:
            refused("EOPNOTSUPP", domains, "dom=1,clk", period=1000)
        if idle.path.exists():
            refused("EOPNOTSUPP", idle, "when=2", period=1000)


@case("record: perf record -c is a sample for each so many events", once, about="captures")
def sampling(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "250/1024")
    with gpu.frozen():
        found = perf_record(f"pcounter_0/{terms(1, A)}/", ("-c", "1000"),
                            *run_and_read(2000000))
        # 1953 packets of 250 events
        near(len(found), 1953 / 4, 2, "samples")
        same({period for period in found if period}, set(), "periods that were not asked for")
        found = perf_record(f"pcounter_0/{terms(1, A)}/", ("-c", "1000", "-R"),
                            *run_and_read(100000))
        check(found and all(1 <= len(sample.packets) <= 32 for sample in found),
              f"{len(found)} samples")


@case("record: streaming leaves nothing out, a square wave comes out as one", records)
def streaming(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "32768/65536")
    with frozen_and_clean(gpu):
        found = perf_record(f"pcounter_0/{terms(1, A)}/", ("-c", "1", "-P", "-R"),
                            *run_and_read(1000000))
        packets = [packet for sample in found for packet in sample.packets]
        near(len(packets), 976, 2, "packets")
        same([sample.first for sample in found[1:]],
             [sample.first + len(sample.packets) for sample in found[:-1]], "numbers of packets")
        slot = found[0].slot
        for before, packet in zip(packets, packets[1:]):
            same(packet.cycles - before.cycles, 1024, "cycles of a packet")
            same(packet.stop, 1, "requests")
        # the first packet ends with the first pulse of PERIODIC, at any time
        levels = [packet.ctr[slot] for packet in packets[1:]]
        check(sum(0 < level < 1024 for level in levels) <= 32, f"packets with an edge: {levels}")
        # the runs between two edges are 32 packets long
        edges = [i for i in range(1, len(levels)) if (levels[i] > 512) != (levels[i - 1] > 512)]
        runs = {b - a for a, b in zip(edges, edges[1:])}
        # edges in the middle of a packet are half and half
        check(runs == {32} or (runs == {31, 33} and 512 in levels), f"packets between edges {edges}")
        same(sum(sample.period for sample in found), packets[0].ctr[slot] + sum(levels),
             "sum of the periods")
        last = found[-1]
        same((last.overrun, last.missing, last.merged, last.saturated), (0, 0, 0, 0), "losses")
        same(last.used, 1 << slot, "counters in use")
        # another counting event has a counter in the same packets
        with Event(Pmu(0), terms(1, A + 1), flags=0):
            found = perf_record(f"pcounter_0/{terms(1, A)}/", ("-c", "1", "-P", "-R"),
                                *run_and_read(100000))
        same(len(f"{found[-1].used:b}".replace("0", "")), 2, "counters in use by two")
        check(found[-1].used & 1 << found[-1].slot, f"slot {found[-1].slot}, {found[-1].used:#x}")


@case("record: perf script prints a line for each packet", once, about="slow captures")
def script(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "250/1024")
    with gpu.frozen(), tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/perf.data"
        done = run("perf", "record", "-q", "-B", "-N", "-a", "-o", path, "-c", "1", "-P", "-R",
                   "-e", f"pcounter_0/{terms(1, A)}/", "--", VGPUCTL, "-q", "run", "30000")
        same(done.returncode, 0, done.stdout)
        shown = run("perf", "script", "-i", path, "-s", str(PACKETS)).stdout
    lines = [line.split() for line in shown.splitlines() if line.startswith("dom 1 packet")]
    near(len(lines), 29, 1, f"lines of {shown}")
    same([int(line[3]) for line in lines], list(range(len(lines))), "numbers of packets")
    same({int(line[-1]) for line in lines[1:]}, {250}, "counts")
    same({b - a for a, b in zip([int(line[5]) for line in lines], [int(line[5]) for line in
                                                                  lines[1:]])},
         {1024}, "cycles")


@case("record: perf's default frequency: each event is in a sample, whatever the rate", records,
      about="slow captures")
def frequency(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "1/4")
    for options in ((), ("-F", "100"), ("-F", "1", "-R")):
        with frozen_and_clean(gpu):
            found = perf_record(f"pcounter_0/{terms(1, A)}/", options, *run_and_read(102400))
            near(sum(getattr(sample, "period", sample) for sample in found), 25600, 512,
                 f"events with {options}")


@case("record: a group that is sampled together", once)
def together(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "duty", "1/4")
    found = perf_record("{" + f"pcounter_0/{terms(1, A)}/,pcounter_0/{terms(1, ONE)}/" + "}:S",
                        ("-c", "10000"), "sleep", "1")
    check(found, "no samples of a group")


@case("record: sampled, and hardly anything happens", records)
def nothing(lab):
    gpu = lab.gpu
    gpu.signal(1, A, "const", 0)
    with frozen_and_clean(gpu), Event(Pmu(0), terms(1, A), period=1 << 40, samples=RAW) as event:
        event.enable()
        gpu("run", 200 * 1024)
        same(event.read()[0], 0, "events of 200 packets")
        # later events are counted
        gpu.signal(1, A, "const", 1)
        gpu("run", 200 * 1024)
        near(event.read()[0], 200 * 1024, 1024, "events of 200 more")


@contextlib.contextmanager
def memory_cgroup():
    """Move this process into a memory cgroup; return the cgroup's folder."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        run("mount", "-t", "cgroup2", "none", root)
        inside = root / "opener"
        try:
            (root / "cgroup.subtree_control").write_text("+memory", encoding="ascii")
            inside.mkdir()
            (inside / "cgroup.procs").write_text("0", encoding="ascii")
            try:
                yield inside
            finally:
                (root / "cgroup.procs").write_text("0", encoding="ascii")
        finally:
            run("umount", "-l", root)


def accounting(lab):
    """Choose kernels that account memory: kernels with checkers do not."""
    return once(lab) and " mem_cgroup_css_alloc" in pathlib.Path("/proc/kallsyms").read_text(
        encoding="ascii", errors="replace")


@case("record: the memory of samples is accounted to the opener of the event", accounting)
def accounted(lab):
    with memory_cgroup() as cgroup, contextlib.ExitStack() as stack:
        before = int(text(cgroup / "memory.current"))
        for _ in range(100):
            stack.enter_context(Event(Pmu(0), terms(1, A), period=1 << 40, samples=RAW))
        grown = int(text(cgroup / "memory.current")) - before
        # 256 packets of 32 bytes each
        check(grown > 100 * 8192, f"100 events: {grown} bytes more")


@case("record: what is saturated from the start has not run", records)
def saturated(lab):
    gpu = lab.gpu
    clk = "record,dom=1,clk,periodic=1"
    gpu.signal(1, ONE, "const", 1)
    # packets are so late that a counter is full in each
    gpu("quirk", "record_latency", 80000)
    try:
        with frozen_and_clean(gpu), group(Pmu(0), clk) as before, \
                group(Pmu(0), terms(1, ONE), clk) as leader:
            before.enable()
            gpu("run", 10 * 80000)
            leader.enable()
            gpu("run", 40 * 80000)
            wait_for(lambda: "ran full" in text(STATUS), "the domain has not stopped")
            # a work item removes the events
            wait_for(lambda: leader.read_times()[1:] == (0, [0, 0]), "they ran, and have counts")
            _, running, (clocks,) = before.read_times()
            check(running and clocks > 9 * 80000, f"{clocks} cycles before, in {running} ns")
            # the last packet lands while there is memory for it, or the domain is wedged
            gpu("run", 2 * 80000)
    finally:
        gpu("quirk", "record_latency", 0)


@case("record: a fault ends the events of one domain, the others go on", records)
def fault(lab):
    gpu = lab.gpu
    gpu.signal(2, 9, "duty", "5/10")
    with frozen_and_clean(gpu):
        with group(Pmu(0), terms(1, ONE)) as bad, group(Pmu(0), terms(2, 9)) as good:
            bad.enable()
            good.enable()
            gpu("run", 10240)
            before = bad.read()
            gpu("record", 1, "fault", 2)
            gpu("run", 102400)
            wait_for(lambda: "must be reset" in text(STATUS), "the fault is not in the status")
            near(bad.read()[0], before[0], 2048, "a faulted domain's count")
            near(good.read()[0], 112640 / 2, 600, "the other domain's")
        try:
            with Event(Pmu(0), terms(1, ONE)):
                raise Failed("a wedged domain was opened")
        except OSError:
            pass
        gpu("record", "reset")
        rmmod()
        insmod(lab.module)
    quiet(gpu)


@case("record: refusals, and who may", records)
def refusals(lab):
    pmu = Pmu(0)
    for want, term in (("EINVAL", "record,quad"), ("EINVAL", "record,single"),
                       ("EINVAL", "record,op=0x8888"), ("EINVAL", "record,event"),
                       ("EINVAL", "record,ctr=1"), ("EINVAL", "short"),
                       ("EINVAL", "record,swap=3")):
        refused(want, pmu, f"dom=1,sig=1,{term}")
    refused("EOPNOTSUPP", pmu, "dom=1,sig=1", period=1000)
    paranoid = "/proc/sys/kernel/perf_event_paranoid"
    before = text(paranoid)
    with open(paranoid, "w", encoding="ascii") as stream:
        stream.write("-1")
    try:
        child = os.fork()
        if not child:
            unprivileged(pmu)
        same(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, "as nobody")
    finally:
        with open(paranoid, "w", encoding="ascii") as stream:
            stream.write(before)


def unprivileged(pmu):
    """Check in a child that counting is allowed, and record mode is not."""
    status = 1
    try:
        os.setuid(65534)
        Event(pmu, "dom=1,sig=1").close()
        refused("EACCES", pmu, "record,dom=1,sig=1")
        status = 0
    finally:
        os._exit(status)


@case("record: ends when the GPU's driver leaves, and can begin anew without it", records)
def driver_leaves(lab):
    device = pathlib.Path(lab.gpu.pci).name
    with driver(lab):
        writes = dma_writes(lab.gpu)
        with Event(lab.pmu, terms(1, A), period=1) as event:
            event.enable()
            wait_for(lambda: dma_writes(lab.gpu) > writes, "no packets before")
            # a kernel that checks DMA reports a remaining mapping
            (pathlib.Path(lab.gpu.pci) / "driver/unbind").write_text(device, encoding="ascii")
            writes = dma_writes(lab.gpu)
            time.sleep(0.1)
            same(dma_writes(lab.gpu), writes, "DMA writes afterwards")
        with Event(lab.pmu, terms(1, A), period=1) as event:
            event.enable()
            wait_for(lambda: dma_writes(lab.gpu) > writes, "no packets without a driver")
