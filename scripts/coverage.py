#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the statement coverage of the driver by all runs that have saved counts.

usage: coverage.py [-v] DIR    folders of .gcda and .gcno files below DIR
"""

import json
import pathlib
import subprocess
import sys


DRIVER = "drivers/gpu/pcounter/"


def counts(folder):
    """Yield file, number and whether it was executed, for each line with code."""
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.gcda"))
    if not files:
        return
    out = subprocess.run(["gcov", "-j", "-t", *files], cwd=folder, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for report in map(json.loads, out.splitlines()):
        for file in report["files"]:
            _, inside, name = file["file"].rpartition(DRIVER)
            if inside and not name.startswith("tests/"):
                for line in file["lines"]:
                    yield name, line["line_number"], line["count"] > 0


def main():
    verbose = sys.argv[1] == "-v"
    executed = {}
    for folder in sorted(pathlib.Path(sys.argv[-1]).iterdir()):
        for name, number, done in counts(folder):
            lines = executed.setdefault(name, {})
            lines[number] = lines.get(number, False) or done
    if not executed:
        sys.exit("coverage.py: nothing was counted")
    done = sum(sum(lines.values()) for lines in executed.values())
    total = sum(map(len, executed.values()))
    for name, lines in sorted(executed.items()):
        missed = [number for number, hit in lines.items() if not hit]
        if missed and verbose:
            print(f"{name}: {len(lines) - len(missed)} of {len(lines)}, not {missed}")
    print(f"statement coverage of the driver: {100 * done / total:.1f} % ({done} of {total} lines)")


main()
