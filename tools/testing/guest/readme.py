# SPDX-License-Identifier: GPL-2.0-only
"""README's commands for a machine with a card, which tests type."""

import pathlib

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"
HEADING = "\n## With a card\n\n"
BUILD = "scripts/package.sh"
PACKAGES = "build/packages/pcounter*.deb"
INSTALL = f"apt install ./{PACKAGES} linux-headers-$(uname -r) linux-perf"
LOAD = "modprobe pcounter"
# needs a terminal, and runs until a key ends it
WATCH = "pcounter top"
USE = [["pcounter", "doctor"], ["pcounter", "list"], ["pcounter", "top"], ["pcounter", "stat"],
       ["perf", "stat"]]


def commands():
    """Return the commands after the packages' installation, except the one on a
    terminal: the first is for root.
    """
    block = README.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n\n")[0]
    lines = [line.strip() for line in block.splitlines()]
    if lines[:3] != [BUILD, INSTALL, LOAD] or [line.split()[:2] for line in lines[3:]] != USE:
        raise ValueError(f"README says something else:\n{block}")
    return [line for line in lines[2:] if line != WATCH]
