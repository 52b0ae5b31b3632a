#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Take a report of "pcounter selftest" into the tree, or say why not.

usage: import-report.py [--check | --quirks | --constants | --into=FOLDER] FILE...

A report is refused that is damaged, too large, nested too deep, implausible, or
has anything in it that the program does not write: it may be private.
--check only says whether it would be taken; --quirks gives what it has decided as
lines of a scenario of the model (Documentation/model.rst). Afterwards
scripts/gen-atlas.py makes the page. --constants puts trailer bases that were found
into scripts/tables/chips.csv, with the source "card", where none was known or one
inferred; where a document or a recording has another one both are named, and nothing
is changed. A chip whose PCOUNTER a document is not sure of has one where the counters
were right; scripts/gen-chips.py and gen-cards.py make what follows from that. For
tests --into takes reports to another folder, and --table is another chips.csv.
"""

import csv
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import selftest_reports as reports  # noqa: E402

# Experiments that are no switches of the model.
CHECKS = {"registers", "counters", "accesses", "zero_2f", "trailers", "ptimer", "trigger_2d", "unit_holes"}


def take(report):
    """A new file, or nothing if it is there."""
    path = reports.REPORTS / reports.file_name(report)
    if path.exists():
        return f"is there already: {path.name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return f"taken as {path.name}; now run scripts/gen-atlas.py"


# Positions that are numbers, by the evidence; the others are those of the readings.
MEASURED = {
    "write_delay": lambda reading, seen: seen[0],
    "flush_busy": lambda reading, seen: seen[0],
    "record_bogus": lambda reading, seen: seen[1] if reading == 2 else reading,
    "record_latency": lambda reading, seen: (seen[1] - seen[0]) & 0xffff if reading else 0,
    # not later, as far as can be seen
    "position_late": lambda reading, seen: reading & 1,
}


def quirks(report):
    """Lines of a scenario."""
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
    """One trailer base of a chip, as a card has it."""
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


def present(text, row, report):
    """A chip that a document is not sure of, and whose counters were right."""
    if not reports.counts(report) or (row["has_pcounter"], row["notes"]) != ("unverified", PENDING):
        return text
    print(f"{row['chip']}: PCOUNTER is there")
    before = re.compile(f"^({row['chipset_id']},{row['chip']},.*?),unverified,(.*){PENDING}$", re.M)
    return before.sub(r"\1,yes,\2presence by a card", text)


def constants(report, table):
    """Only from GF100 on the table has bases of each chip."""
    found, chip = reports.bases(report), report["chip"].upper()
    text = table.read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        if row["chip"] == chip:
            text = present(text, row, report)
        if row["chip"] == chip and row["trailer_bases"]:
            items = [constant(item, found, chip) for item in row["trailer_bases"].split(";")]
            # nothing else of the table changes
            before = re.compile(f"^({row['chipset_id']},{chip},.*)"
                                f"{re.escape(row['trailer_bases'])}", re.M)
            text = before.sub(lambda match, new=";".join(items): match[1] + new, text)
    table.write_text(text, encoding="utf-8")


def say(report, path, options, table):
    """What is wanted of a sound report."""
    if "--quirks" in options:
        print(quirks(report))
    elif "--constants" in options:
        constants(report, table)
    else:
        print(f"{path.name}: {'sound' if '--check' in options else take(report)}")


def main():
    options = {word for word in sys.argv[1:]
               if word in ("--check", "--quirks", "--constants") or
               word.startswith(("--into=", "--table="))}
    paths = [Path(name) for name in sys.argv[1:] if name not in options]
    table = reports.TABLES / "chips.csv"
    for word in {word for word in options if word.startswith("--table=")}:
        table = Path(word.partition("=")[2])
        options.remove(word)
    if not paths or len(options) > 1 or any(str(path).startswith("-") for path in paths):
        sys.exit(__doc__.split("\n\n")[1])
    for word in options:
        if word.startswith("--into="):
            reports.REPORTS = Path(word.partition("=")[2])
    known = reports.Known()
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as stream:
                report = reports.load(stream.read(reports.MOST + 1), known)
        except (OSError, reports.ReportError) as error:
            print(f"{path.name}: refused: {error}", file=sys.stderr)
            status = 1
            continue
        say(report, path, options, table)
    sys.exit(status)


main()
