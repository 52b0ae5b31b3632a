# SPDX-License-Identifier: GPL-2.0-only
"""The virtual GPU itself, before a driver has touched it."""

import pathlib

from support import BOOT_0, Bar0, case, check, classic, same, src, text

ABOUT = "registers"

COMMAND = 4
COMMAND_MEMORY = 2


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
