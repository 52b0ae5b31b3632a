#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every test that pcounter-behaviour.rst names exists.

usage: check-behaviour.py
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PAGE = TOP / "Documentation/admin-guide/perf/pcounter-behaviour.rst"
COLUMN = 71


def found(pattern, folder, glob):
    return [name for path in (TOP / folder).glob(glob)
            for name in re.findall(pattern, path.read_text(encoding="utf-8"))]


def known():
    """Names of all tests: guest cases, which may be shortened, and the others."""
    cases = found(r'@case\("([^"]+)"', "tools/testing/guest/cases", "*.py")
    kunit = "drivers/gpu/pcounter/tests"
    others = found(r'\.name = "([a-z_]+)"', kunit, "*_kunit.c")
    others += found(r"KUNIT_CASE\w*\((\w+)", kunit, "*_kunit.c")
    others += [path.stem for path in (TOP / "tools/testing/unit").glob("test_*.c")]
    return cases, [*others, "make soak"]


def named():
    """What stands in double backquotes in the second column, line ends or not."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    column = " ".join(line[COLUMN:].strip() for line in lines if line[COLUMN - 2:COLUMN] == "  ")
    return re.findall(r"``([^`]+)``", column)


def main():
    cases, others = known()
    names = named()
    wrong = [name for name in names if name not in others and
             not (": " in name and any(case.startswith(name) for case in cases))]
    for name in wrong:
        print(f"no test '{name}'")
    if len(names) < 40:
        sys.exit(f"only {len(names)} tests are named")
    print(f"{len(names)} tests")
    sys.exit(bool(wrong))


main()
