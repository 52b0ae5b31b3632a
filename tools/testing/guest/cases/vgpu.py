# SPDX-License-Identifier: GPL-2.0-only
"""The virtual GPU itself, before a driver has touched it."""

import mmap
import pathlib
import struct

from support import BOOT_0, STOP, Bar0, case, check, classic, ctrl, op, same, src, text

ABOUT = "registers"

COMMAND = 4
COMMAND_MEMORY = 2
COMMAND_MASTER = 4

# hw:memory, hw:registers/nv40
PRAMIN_BASE = 0x1700
PRAMIN = 0x700000
BAR_FLUSH = 0x70000
TLB_FLUSH = 0x100c80
RECORD_STATUS = 0xa6e0
RECORD_LIMIT = 0xa720
RECORD_START = 0xa760
RECORD_CHAN = 0xa7a0
RECORD_DMA = 0xa7a4
RECORD = 2


def records(lab):
    return classic(lab) and not any(gpu.chip.swap_shared for gpu in lab.gpus)


class Pages:
    """Pages of this process, with their addresses for a device."""

    def __init__(self, number):
        self.map = mmap.mmap(-1, number * mmap.PAGESIZE,
                             mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
        with open("/proc/self/maps", encoding="ascii") as maps:
            start = max(int(line.split("-")[0], 16) for line in maps if "/dev/zero" in line)
        with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
            pagemap.seek(start // mmap.PAGESIZE * 8)
            entries = struct.unpack(f"{number}Q", pagemap.read(number * 8))
        check(all(entry >> 63 and entry & (1 << 55) - 1 for entry in entries), "pages are there")
        self.bus = [(entry & (1 << 55) - 1) * mmap.PAGESIZE for entry in entries]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.map.close()


def set_command(pci, bit, on):
    with open(f"{pci}/config", "r+b", buffering=0) as config:
        config.seek(COMMAND)
        value = int.from_bytes(config.read(2), "little")
        config.seek(COMMAND)
        config.write((value | bit if on else value & ~bit).to_bytes(2, "little"))


@case("vgpu: the kernel finds a display function with 16 MiB of registers and no interrupt", classic)
def pci_function(lab):
    same(len(lab.found), len(lab.gpus), "NVIDIA functions")
    for gpu in lab.gpus:
        same(text(f"{gpu.pci}/class"), "0x030000", "class")
        same(text(f"{gpu.pci}/irq"), "0", "interrupt")
        first, last, flags = (int(word, 16) for word in
                              text(f"{gpu.pci}/resource").splitlines()[0].split())
        same(last - first + 1, 16 << 20, "size of BAR 0")
        check(flags & 0x200 and not flags & 0x102000, "BAR 0 is 32-bit memory, not prefetchable")
        for other in pathlib.Path(gpu.pci).glob("resource[1-5]"):
            check(False, f"there is a {other.name}")


@case("vgpu: with memory decoding off nothing answers, and writes are lost", classic)
def decoding(lab):
    for gpu in lab.gpus:
        with Bar0(gpu.pci) as bar:
            set_command(gpu.pci, COMMAND_MEMORY, True)
            bar.wr32(src(0, 0), 0x11223344)
            set_command(gpu.pci, COMMAND_MEMORY, False)
            off = bar.rd32(BOOT_0)
            bar.wr32(src(0, 0), 0x55667788)
            set_command(gpu.pci, COMMAND_MEMORY, True)
            check(off in (0, 0xffffffff), f"BOOT_0 with decoding off: {off:#x}")
            same(bar.rd32(src(0, 0)), 0x11223344, "PRE_SRC")


@case("vgpu: PMC.BOOT_0 names the chip, registers keep what is written", classic)
def registers(lab):
    for gpu in lab.gpus:
        with Bar0(gpu.pci) as bar:
            same(bar.rd32(BOOT_0) >> 20 & 0x1ff, gpu.chip.chipset, "chipset")
            for value in (0x12345678, 0xedcba987):
                bar.wr32(src(2, 1), value)
                same(bar.rd32(src(2, 1)), value, "EVENT_SRC of domain 1")


@case("vgpu: narrow writes do nothing and are noticed")
def narrow(lab):
    before = lab.gpu("lint")
    with Bar0(lab.gpu.pci) as bar:
        bar.wr32(src(0, 1), 0x01020304)
        same(lab.gpu("lint"), before, "lint after a write of 32 bits")
        bar.bytes[src(0, 1) + 1] = 0xff
        same(bar.rd32(src(0, 1)), 0x01020304, "PRE_SRC of domain 1")
        same(bar.bytes[src(0, 1) + 1], 3, "second byte of it")
    check(lab.gpu("lint") != before, "narrow accesses were not noticed")


@case("vgpu: frozen time moves by what it is told and by nothing else")
def frozen(lab):
    gpu = lab.gpu
    gpu("clock", 1, "1/1")
    gpu("clock", 2, "2/3")
    with Bar0(gpu.pci) as bar:
        gpu("freeze")
        try:
            start = [gpu.cycle(dom) for dom in (1, 2)]
            bar.rd32(BOOT_0)
            same([gpu.cycle(dom) for dom in (1, 2)], start, "cycles after a read")
            gpu("run", 3000000)
            same([gpu.cycle(dom) for dom in (1, 2)], [start[0] + 3000000, start[1] + 2000000],
                 "cycles after 3000000 of the reference clock")
            gpu("step", 7)
            bar.rd32(BOOT_0)
            bar.wr32(src(0, 1), 0)
            same(gpu.cycle(1), start[0] + 3000014, "cycles after two accesses of 7")
        finally:
            gpu("step", 0)
            gpu("thaw")
        gpu("clock", 2, "1/1")
    same(gpu.log()[-2:][0].addr, BOOT_0, "last access but one in the log")


@case("vgpu: running time follows the clock of the wall")
def running(lab):
    first = lab.gpu.cycle(1)
    while lab.gpu.cycle(1) - first < 20000:
        pass    # would hang if time stood still
    check("frozen" not in lab.gpu("time"), "time is said to be frozen")


def bind(bar, table):
    """A channel in VRAM whose first page table is at a bus address."""
    words = {0x200: table & 0xffffffff | 0xf, 0x204: table >> 32, 0x4200: 0x7fc00000,
             0x4204: 0xffffffff, 0x4208: 0, 0x420c: 0xff000000, 0x4210: 0, 0x4214: 0}
    bar.wr32(PRAMIN_BASE, 0x10)
    for offset, word in words.items():
        bar.wr32(PRAMIN + offset, word)
    bar.wr32(BAR_FLUSH, 1)
    bar.wr32(TLB_FLUSH, 0xb0001)
    bar.wr32(RECORD_DMA, 0x420)
    bar.wr32(RECORD_CHAN, 1 << 31 | 0x100)


@case("vgpu: packets get through the page tables to guest memory, and nowhere without bus mastering",
      records)
def dma(lab):
    for gpu in lab.gpus:
        gpu.signal(1, 0x11, "const", 1)
        with Bar0(gpu.pci) as bar, Pages(2) as pages, gpu.frozen():
            table, buffer = pages.bus
            struct.pack_into("<Q", pages.map, 8, buffer | 0x21)
            set_command(gpu.pci, COMMAND_MASTER, True)
            bind(bar, table)
            before = gpu("dma").split()
            gpu("pages", "reset")
            bar.wr32(src(2, 1), 0x11)
            bar.wr32(src(STOP, 1), 0)
            bar.wr32(op(STOP, 1), 0xffff)
            bar.wr32(ctrl(1), RECORD)
            bar.wr32(RECORD_LIMIT + 4, 0xfffffff0)
            bar.wr32(RECORD_START + 4, 0x1020)
            gpu("run", 3)
            same(bar.rd32(RECORD_STATUS + 4), 0x1080, "position")
            words = struct.unpack_from("<64H", pages.map, mmap.PAGESIZE)
            same(words[:16], (0,) * 16, "words before the first packet")
            for number in range(3):
                got = words[16 + 16 * number:32 + 16 * number]
                same(got, (number + 1, 0, 0, 1) + (0,) * 8 + (1, 0, 0, 0), "packet")
            same(gpu("pages"), f"1 more=0 {buffer:#x}=3", "pages written")
            after = gpu("dma").split()
            same(after[4:], before[4:], "writes blocked or stale, flushes")

            set_command(gpu.pci, COMMAND_MASTER, False)
            gpu("run", 1)
            same(bar.rd32(RECORD_STATUS + 4), 0x10a0, "position without bus mastering")
            same(pages.map[mmap.PAGESIZE + 0x80:][:32], bytes(32), "packet without bus mastering")
            check("master_off=0" not in gpu("bus"), "lost accesses are not counted")
            bar.wr32(ctrl(1), 0)
            bar.wr32(op(STOP, 1), 0)
            bar.wr32(TLB_FLUSH, 0xb0001)
            gpu("record", "reset")
