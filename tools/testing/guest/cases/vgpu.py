# SPDX-License-Identifier: GPL-2.0-only
"""The virtual GPU itself, before any driver has touched it."""

import pathlib

from support import BOOT_0, Bar0, case, check, same, src, text

COMMAND = 4
COMMAND_MEMORY = 2


def every(lab):
    return all(gpu.chip.classic for gpu in lab.gpus)


def set_command(pci, bit, on):
    with open(f"{pci}/config", "r+b", buffering=0) as config:
        config.seek(COMMAND)
        value = int.from_bytes(config.read(2), "little")
        config.seek(COMMAND)
        config.write((value | bit if on else value & ~bit).to_bytes(2, "little"))


@case("vgpu: the kernel finds a display function with 16 MiB of registers and no interrupt", every)
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


@case("vgpu: with memory decoding off nothing answers, and writes are lost", every)
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


@case("vgpu: PMC.BOOT_0 names the chip, registers keep what is written", every)
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
        pass    # does not end if time stands still
    check("frozen" not in lab.gpu("time"), "time is said to be frozen")
