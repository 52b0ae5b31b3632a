#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Change each field of the driver's tables, one at a time, and run the unit tests.

usage: mutate.py [--sample N] [--all] [--listed] [PATTERN]

Prints the fields whose change no test notices, the survivors, and fails if there is one.
Fields that survivors.csv lists, with a reason, are left out; --listed takes them alone,
and prints those that a test notices after all. The tables are those of the built program:
chips, signals and events are made from scripts/tables/. Of a table with more than LARGE
fields it takes one field in N (default 16), always the same. PATTERN is a regular
expression of fields, as in "hw/idle_rows.c". --all runs the tests that take long, too.
"""

import argparse
import collections
import csv
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

sys.dont_write_bytecode = True

import dwarf  # noqa: E402

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[2]
BUILD = TOP / "build" / "mutate"
UNIT = BUILD / "tree" / "tools" / "testing" / "unit"
TABLES = re.compile(r"drivers/gpu/pcounter/((hw|rules|idle|count|record)/\w+\.c)$")
# Tests that take at most a few seconds, and the others with the driver's tables.
QUICK = ["documents", "layouts", "rows", "terms", "tpcs", "chips", "settings", "engines",
         "idle", "names", "public", "traced", "mux", "configurations", "placement", "faults",
         "judge", "resched", "power", "tool", "process", "features", "property"]
LONG = ["record_power", "trigger", "sweep", "record", "record_sound", "experiments", "traffic",
        "aux"]
LARGE = 2000
LIMIT = 120     # seconds
NO_MUTANT = 77
# Sizes that the generator states, and their room.
COUNTS = {"trailer": "domains", "clocks": "domains",
          "gpc_trailer": "gpc_domains", "part_trailer": "part_domains"}


def build(tests):
    """Build tests without sanitizers in a copy of the project."""
    names = subprocess.run(["git", "-C", TOP, "ls-files", "-z"], check=True,
                           stdout=subprocess.PIPE).stdout
    (BUILD / "tree").mkdir(parents=True, exist_ok=True)
    subprocess.run(["xargs", "-0", "cp", "-u", "--parents", "-t", BUILD / "tree"], cwd=TOP,
                   input=names, check=True)
    subprocess.run(["make", "-s", "-C", UNIT, f"-j{os.cpu_count()}", "sanitize=", "CPPFLAGS=-g",
                    *(f"test_{test}" for test in tests)],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", BUILD / "preload.so",
                    HERE / "preload.c"], check=True)


class Program:
    """A test, with the addresses of its tables."""

    def __init__(self, test):
        self.path = UNIT / f"test_{test}"
        self.list = BUILD / f"mutants.{os.getpid()}"
        self.data = self.path.read_bytes()
        units, dies = dwarf.read(self.path, lambda name: (found := TABLES.search(name)) and
                                 found[1])
        self.fields = dwarf.Fields(dies)
        self.tables = {f"{unit} {name}": (address, kind) for unit, die in units.items()
                       for name, address, kind in self.fields.variables(die)}
        start, size, number = (struct.unpack_from(form, self.data, at)[0]
                               for form, at in (("<Q", 32), ("<H", 54), ("<H", 56)))
        self.segments = [struct.unpack_from("<IIQQQQ", self.data, start + i * size)
                         for i in range(number)]

    def value(self, address, size):
        for kind, _, offset, virtual, _, length in self.segments:
            if kind == 1 and virtual <= address < virtual + length:
                at = offset + address - virtual
                return int.from_bytes(self.data[at:at + size], "little")
        return 0

    def mutants(self, table):
        """Return the fields of a table, without the room at the end of its arrays."""
        address, kind = self.tables[table]
        fields = [(path, offset, size, how, mask, self.value(address + offset, size))
                  for path, offset, size, how, mask in self.fields.leaves(table, 0, kind)]
        values = {path: value for path, *_, value in fields}
        last = {}
        for path, *_, how, _, value in fields:
            found = re.fullmatch(r"(.*)\[(\d+)\]", path)
            if found:
                counted = re.sub(r"\w+$", lambda word: COUNTS.get(word[0], ""), found[1])
                used = int(found[2]) < values[counted] if counted in values else \
                    value or how != "x"
                last[found[1]] = int(found[2]) if used else last.get(found[1], -1)
        for path, offset, size, how, mask, value in fields:
            found = re.fullmatch(r"(.*)\[(\d+)\]", path)
            if not found or int(found[2]) <= last[found[1]]:
                yield (f"{path} = {value:#x}" if how == "x" else path,
                       (table, offset, size, how, mask))

    def run(self, mutants):
        """Return true if the test notices, None if no field can be changed."""
        lines = [f"{self.tables[table][0] + offset:x} {size:x} {how} {mask:x}\n"
                 for table, offset, size, how, mask in mutants]
        self.list.write_text("".join(lines), encoding="ascii")
        try:
            status = subprocess.run(
                [self.path], cwd=UNIT, check=False, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT,
                env={**os.environ, "MUTANTS": str(self.list),
                     "LD_PRELOAD": str(BUILD / "preload.so"),
                     "REPORTS": str(BUILD / "reports")}).returncode
        except subprocess.TimeoutExpired:
            return True
        return None if status == NO_MUTANT else status != 0


class Tests:
    """The tests. The one that has noticed most in a column of a table runs first; one that
    does not notice if all fields of a table are changed, or each second, does not run. To
    change all may only change their order.
    """

    def __init__(self, tests):
        self.programs = {test: Program(test) for test in tests}
        self.noticed = collections.Counter()
        self.looks = {}

    def looks_at(self, test, table):
        if (test, table) not in self.looks:
            program = self.programs[test]
            mutants = [mutant for _, mutant in program.mutants(table)] \
                if table in program.tables else []
            self.looks[test, table] = any(program.run(mutants[::step]) for step in (1, 2)
                                          if mutants)
        return self.looks[test, table]

    def survives(self, path, mutant):
        """Return true if no test notices, None if the field cannot be changed."""
        table = mutant[0]
        column = re.sub(r"\[\d+\]| = .*", "", path)
        order = sorted(self.programs, key=lambda test: (-self.noticed[column, test],
                                                        -self.noticed[table, test]))
        for test in order:
            if not self.noticed[table, test] and not self.looks_at(test, table):
                continue
            result = self.programs[test].run([mutant])
            if result is None:
                return None
            if result:
                self.noticed[table, test] += 1
                self.noticed[column, test] += 1
                return False
        return True

    def mutants(self):
        found = {}
        for program in self.programs.values():
            for table in program.tables:
                if table not in found:
                    found[table] = list(program.mutants(table))
        return found


def chosen(found, sample, pattern):
    for mutants in found.values():
        for path, mutant in mutants:
            if re.search(pattern, path) and (len(mutants) <= LARGE or
                                             not zlib.crc32(path.encode()) % sample):
                yield path, mutant


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sample", type=int, default=16)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--listed", action="store_true")
    parser.add_argument("pattern", nargs="?", default="")
    options = parser.parse_args()
    with open(HERE / "survivors.csv", encoding="utf-8", newline="") as file:
        listed = re.compile("|".join(row["fields"] for row in csv.DictReader(file)))
    build(QUICK + LONG if options.all else QUICK)
    tests = Tests(QUICK)
    slow = Tests(LONG) if options.all else None
    mutants = list(chosen(tests.mutants(), options.sample, options.pattern))
    mutants = [item for item in mutants
               if bool(listed.fullmatch(item[0])) == options.listed]
    print(f"# {len(mutants)} fields", flush=True)
    bad = 0
    for path, mutant in mutants:
        survives = tests.survives(path, mutant)
        if survives and slow:
            survives = slow.survives(path, mutant)
        if survives is not None and survives != options.listed:
            bad += 1
            print(f"{path}: {'no test notices' if survives else 'noticed'}", flush=True)
    print(f"# {bad} of them {'are noticed' if options.listed else 'survive'}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
