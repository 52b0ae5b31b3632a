#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Take a report of "pcounter selftest" into the tree, or reject it with a reason.

usage: import-report.py [--check | --quirks | --constants | --all | --into=FOLDER] FILE...

A report is rejected if it is damaged, too large, implausible, or contains anything that
the program does not write, since that may be private.

--check       only say whether it would be taken
--quirks      print its decisions as lines of a scenario of the model
              (Documentation/model.rst)
--constants   write trailer bases that the card has shown into scripts/tables/chips.csv,
              with the source "card", where none was known or it was inferred. Where a
              document or a recording has another one, print both and change nothing. A
              chip that may lack a PCOUNTER by the documents has one if its counters
              counted right. Run scripts/gen-pages.py afterwards.
--all         take the report and its constants, make all pages anew, and print what it
              has settled
--into        take the report to another folder, for tests
--table       use another chips.csv, for tests

Without --all run scripts/gen-atlas.py after a report was taken.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import selftest_reports as reports  # noqa: E402

# Experiments without a switch of the model.
CHECKS = {"registers", "counters", "accesses", "zero_2f", "trailers", "ptimer", "trigger_2d",
          "unit_holes", "ctrl_bits", "spec_src_8", "unnamed", "idle_clock"}


def take(report):
    """Write a new file unless it exists; return a message."""
    path = reports.REPORTS / reports.file_name(report)
    if path.exists():
        return f"is there already: {path.name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return f"taken as {path.name}; now run scripts/gen-atlas.py"


# Numeric positions, computed from the evidence; the others equal the readings.
MEASURED = {
    "write_delay": lambda reading, seen: seen[0],
    "flush_busy": lambda reading, seen: seen[0],
    "record_bogus": lambda reading, seen: seen[1] if reading == 2 else reading,
    "record_latency": lambda reading, seen: (seen[1] - seen[0]) & 0xffff if reading else 0,
    # a later position does not show
    "position_late": lambda reading, seen: reading & 1,
}


def quirks(report):
    """Return the decisions of a report as lines of a scenario."""
    evidence = {row["name"]: row["evidence"] for row in report["experiments"]
                if "evidence" in row}
    lines = []
    for name, reading in sorted(reports.facts(report).items()):
        if name in CHECKS:
            continue
        value = MEASURED.get(name, lambda reading, _: reading)(reading, evidence.get(name, [0] * 6))
        lines.append(f"quirk {name} {value}")
    return "\n".join(lines)


def constant(item, found, chip):
    """Return the trailer base of a domain on the card."""
    name, _, value = item.partition("=")
    base, _, source = value.partition(" ")
    if name not in found or base == f"0x{found[name]:02x}" and source != "inferred":
        return item
    if source not in ("", "inferred"):
        print(f"{chip}: {name} is {base} by {source}, 0x{found[name]:02x} by this card: a conflict",
              file=sys.stderr)
        return item
    print(f"{chip}: {name}=0x{found[name]:02x}")
    return f"{name}=0x{found[name]:02x} card"


PENDING = "spec: presence pending a check"


def constants(report, table):
    """Write a card's findings into the table of chips."""
    with open(table, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found, chip = reports.bases(report), report["chip"].upper()
    for row in rows:
        if row["chip"] != chip:
            continue
        if reports.counts(report) and \
           (row["has_pcounter"], row["notes"]) == ("unverified", PENDING):
            print(f"{chip}: PCOUNTER is there")
            row |= {"has_pcounter": "yes", "notes": "presence by a card"}
        row["trailer_bases"] = ";".join(constant(item, found, chip)
                                        for item in row["trailer_bases"].split(";"))
    with open(table, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def take_all(report, table):
    """Take a report into reports, tables and pages; return what it has settled."""
    take(report)
    constants(report, table)
    for script in ("gen-pages.py", "gen-atlas.py"):
        subprocess.run([sys.executable, reports.TOP / "scripts" / script], check=True)
    name = reports.file_name(report).removesuffix(".json")
    page = (reports.REPORTS.parent / "atlas.rst").read_text(encoding="utf-8")
    return re.search(rf"(?ms)^- {name}: .*?(?=^- |\n\n)", page)[0].removeprefix("- ").strip()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    wish = parser.add_mutually_exclusive_group()
    for name in ("--check", "--quirks", "--constants", "--all"):
        wish.add_argument(name, action="store_true")
    wish.add_argument("--into", type=Path, default=reports.REPORTS)
    parser.add_argument("--table", type=Path, default=reports.TABLES / "chips.csv")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    args = parser.parse_args()
    reports.REPORTS = args.into
    known = reports.Known()
    status = 0
    for path in args.files:
        try:
            with open(path, "rb") as stream:
                report = reports.load(stream.read(reports.MOST + 1), known)
        except (OSError, reports.ReportError) as error:
            print(reports.plain(f"{path.name}: refused: {error}"), file=sys.stderr)
            status = 1
            continue
        if args.quirks:
            print(quirks(report))
        elif args.constants:
            constants(report, args.table)
        elif args.all:
            print(take_all(report, args.table))
        else:
            print(f"{reports.plain(path.name)}: {'sound' if args.check else take(report)}")
    sys.exit(status)


main()
