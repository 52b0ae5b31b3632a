#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Screens of "pcounter top", from the running program on a fake machine.

screens.py --update writes the pictures of the documentation anew.
"""

import os
import pathlib
import pty
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# "make check" uses another build, which is faster
PROGRAM = os.environ.get("PROGRAM", HERE.parents[2] / "build/unit/program_fake")
PICTURES = HERE.parents[2] / "Documentation/admin-guide/perf/pcounter-top"
SIZES = ((80, 24), (132, 43))
PERFMON = 1 << 38
INTERVALS = 45

# The machine's activity: shares of the clocks from, to, and the period in ms.
GRAPHICS = """
=pgraph_idle 0.02 0.1 9000
=input_assembler_busy 0.2 0.35 7000
=input_assembler_waits_for_fb 0.04
=geom_busy 0.15 0.3 11000
=geom_waits_for_shader 0.21
=stream_out_busy 0
=shader_busy 0.7 0.98 13000
=shader_waits_for_texture 0.41
=shader_waits_for_geom 0.02
=shader_waits_for_rop 0.08
=texture_busy 0.55 0.75 13000
=texture_waits_for_fb 0.33
=texture_waits_for_shader 0.05
=rop_busy 0.3 0.5 6000
=rop_waits_for_fb 0.17
=rop_waits_for_shader 0.11
=pbus_pcie_rd 0.0001 0.0003 5000
=pbus_pcie_wr 0.001 0.008 8000
"""
VIDEO = """
=gr_busy 0.9 0.98 9000
=mc_busy 0.3 0.6 13000
=pvld_busy 0
=ppdec_busy 0
=pppp_busy 0
=pcopy0_busy 0.02 0.2 4000
=pdaemon_idle 0.97
=pdaemon_mmio_busy 0.01
"""
KEPLER = """
=gr_busy 0.6 0.95 13000
=gr_hub_busy 0.1
=gr_gpc_busy 0.5 0.9 13000
=gr_rop_busy 0.2 0.4 7000
=mc_busy 0.5 0.8 13000
=pvld_busy 0.31
=ppdec_busy 0.47
=pppp_busy 0.12
=pvenc_busy 0
=pcopy0_busy 0.05 0.3 5000
=pcopy1_busy 0
=pcopy2_busy 0
=pcie_busy 0.1 0.4 5000
=fb_subp0_read_sectors 0.5 0.9 13000
=fb_subp1_read_sectors 0.5 0.9 13000
=fb_subp0_write_sectors 0.2 0.3 9000
=fb_subp1_write_sectors 0.2 0.3 9000
=l2_subp0_read_sysmem_sector_queries 0.01 0.05 5000
=l2_subp0_write_sysmem_sector_queries 0.004
"""
MACHINES = {
    "g84": ("0x0402", GRAPHICS),
    "gt215": ("0x0ca3", GRAPHICS + VIDEO),
    "gk104": ("0x1180", KEPLER),
}
CARDS = """10de  NVIDIA Corporation
\t0402  G84 [GeForce 8600 GT]
\t0ca3  GT215 [GeForce GT 240]
\t1180  GK104 [GeForce GTX 680]
"""
FDINFO = """pos:\t0
drm-driver:\tnouveau
drm-client-id:\t{client}
drm-pdev:\t0000:01:00.0
drm-resident-vram:\t{kib} KiB
"""


class Terminal:
    """A VT52 of any size, with the program's drawing."""

    TOKEN = re.compile(rb"\x1bY(..)|\x1b(.)|([\r\n\b\a])|"
                       rb"([^\x1b\r\n\b\a\x80-\xff]|[\xc0-\xff][\x80-\xbf]+)", re.S)

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.cells = [[" "] * width for _ in range(height)]
        self.row = self.column = 0

    def feed(self, text):
        for place, command, control, letter in self.TOKEN.findall(text):
            if place:
                self.row, self.column = place[0] - 32, place[1] - 32
            elif command:
                self.command(command.decode())
            elif control:
                self.control(control.decode())
            else:
                self.cells[self.row][self.column] = letter.decode()
                self.column = min(self.column + 1, self.width - 1)

    def control(self, control):
        if control == "\r":
            self.column = 0
        elif control == "\b":
            self.column = max(self.column - 1, 0)
        elif control == "\n" and self.row + 1 < self.height:
            self.row += 1
        elif control == "\n":
            self.cells = self.cells[1:] + [[" "] * self.width]

    def command(self, command):
        if command == "H":
            self.row = self.column = 0
        elif command in "ABCD":
            self.row += {"A": -1, "B": 1}.get(command, 0)
            self.column += {"C": 1, "D": -1}.get(command, 0)
        elif command == "I":
            self.row -= 1
        elif command in "JK":
            self.cells[self.row][self.column:] = [" "] * (self.width - self.column)
            if command == "J":
                for row in range(self.row + 1, self.height):
                    self.cells[row] = [" "] * self.width
        elif command not in "FG=>":
            raise ValueError(f"a VT52 does not know {command!r}")

    def __str__(self):
        return "".join("".join(row).rstrip() + "\n" for row in self.cells)


def make_machine(folder, chip):
    """Write files of a graphics driver, and the list of cards."""
    (folder / "pci.ids").write_text(CARDS, encoding="ascii")
    device = folder / "root/sys/bus/pci/devices/0000:01:00.0"
    (device / "hwmon/hwmon0").mkdir(parents=True)
    (device / "hwmon/hwmon0/temp1_input").write_text("54000\n", encoding="ascii")
    for pid, client, kib in ((310, 4, 61440), (420, 7, 73728), (421, 7, 73728)):
        process = folder / f"root/proc/{pid}"
        (process / "fd").mkdir(parents=True)
        (process / "fd/5").symlink_to("/dev/dri/renderD128")
        (process / "fd/6").symlink_to("/dev/null")
        (process / "fdinfo").mkdir()
        (process / "fdinfo/5").write_text(FDINFO.format(client=client, kib=kib), encoding="ascii")
    script = f"caps {PERFMON}\nstep 4000000\nkilled {INTERVALS * 1000 + 500}\n" + MACHINES[chip][1]
    (folder / "script").write_text(script, encoding="ascii")
    return {**os.environ, "FAKE_ROOT": f"{folder}/root", "FAKE_SCRIPT": f"{folder}/script",
            "FAKE_CHIP": chip, "FAKE_CARD": MACHINES[chip][0], "PCI_IDS": f"{folder}/pci.ids",
            "TERM": "vt52", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "XDG_CONFIG_HOME": str(folder)}


def read_all(fd):
    out = b""
    while True:
        try:
            got = os.read(fd, 65536)
        except OSError:
            return out
        if not got:
            return out
        out += got


def screen(chip, size, keys=b"", args=(), **changes):
    """Return the screen after some intervals; keys are pressed before the first, and
    the environment has changes.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = make_machine(pathlib.Path(folder), chip)
        env.update(changes, COLUMNS=str(size[0]), LINES=str(size[1]))
        ready, go = os.pipe()
        pid, fd = pty.fork()
        if not pid:
            os.read(ready, 1)
            os.execve(PROGRAM, [str(PROGRAM), "top", *args], env)
        os.write(fd, keys)
        os.write(go, b".")
        terminal = Terminal(*size)
        terminal.feed(read_all(fd))
        os.waitpid(pid, 0)
        for end in (fd, ready, go):
            os.close(end)
    return str(terminal)


def pictures():
    for chip in MACHINES:
        for size in SIZES:
            yield f"{chip}-{size[0]}x{size[1]}.txt", chip, size


def main():
    if sys.argv[1:] == ["--update"]:
        PICTURES.mkdir(exist_ok=True)
        for name, chip, size in pictures():
            (PICTURES / name).write_text(screen(chip, size), encoding="utf-8")
        return
    for name, chip, size in pictures():
        print(name, screen(chip, size), sep="\n")


if __name__ == "__main__":
    main()
