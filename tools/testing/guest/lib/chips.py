# SPDX-License-Identifier: GPL-2.0-only
"""Chips: features that cases ask for, and tables."""

import csv

from support import HERE

# hw:modes/features: terms of a chip beyond the common ones
NV30, NV40, G80, G84 = 0x30, 0x40, 0x50, 0x84


def some(has):
    """Choose GPUs that have the feature of a case, so that no case passes without a test."""
    return lambda lab: any(has(gpu.chip) for gpu in lab.gpus)


def those(lab, has):
    return [gpu for gpu in lab.gpus if has(gpu.chip)]


GPC = "set=1,unit=1,dom=0"
USER_1 = {
    "gt215": (("dom=1", "1", 0x69 + 1),),
    "gf100": (("dom=6", "hub6", 0x40 + 0x28), (GPC, "gpc1.0", 0xc0 + 0x28)),
    "gk104": (("dom=6", "hub6", 0x80 + 0x28), (GPC, "gpc1.0", 0xa0 + 0x28)),
}
TABLES = HERE.parents[3] / "scripts/tables"
# The virtual GPU has GPCs 0 and 1, partitions 0 and 1.
UNITS = {"set=0x0": "0x0", "set=0x1": "0x0", "set=0x2": "0x0"}


def rows(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def promised(chip, *tables):
    """Return the events of a chip and their terms, by the tables of signals and of events."""
    events = {}
    for row in (row for name in tables or ("signals.csv", "events.csv")
                for row in rows(TABLES / name)):
        name, terms = row["name"], row["terms"]
        if not name or not terms or chip.name.upper() not in row["chips"].split():
            continue
        kind = terms.split(",", 1)[0]
        events[name] = terms.replace(kind, f"{kind},unit={UNITS[kind]}", 1) if chip.sets else terms
    return events
