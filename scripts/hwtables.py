# SPDX-License-Identifier: GPL-2.0-only
"""Read scripts/tables/, for the generators beside this file.

The tables are refused, with file and line, rather than guessed at.
"""

import csv
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TABLES = TOP / "scripts" / "tables"
DRIVER = TOP / "drivers" / "gpu" / "pcounter"

MAX_DOMAINS = 8
TRAILER_SIZE = 0x20

# Feature buckets in document order, and the register layout each implies.
LAYOUTS = {
    "nv10": "nv10-pcounter", "nv15": "nv10-pcounter", "nv20": "nv10-pcounter",
    "nv30": "nv10-pcounter", "nv40": "nv40-pcounter", "g84": "nv40-pcounter",
    "g92": "nv40-pcounter", "gt215": "nv40-pcounter", "gf100": "gf100-pcounter", "gm107": "gf100-pcounter",
}
# What the driver has room for in a GPC and in a partition.
MAX_GPC_DOMAINS = 6
MAX_PART_DOMAINS = 2
# Where a trailer base comes from. What is inferred is probed before it is used.
BASE_SOURCES = ["document", "trace", "both", "card", "inferred"]

CHIP_COLUMNS = ["chipset_id", "chip", "other_names", "family", "bucket",
                "has_pcounter", "domains", "domain_clocks", "mmio_base",
                "mmio_size", "register_layout", "hub_domains", "gpc_domains",
                "part_domains", "trailer_bases", "notes"]
SIGNAL_COLUMNS = ["chip", "domain", "signal_hex", "name", "description",
                  "kind", "sources", "mux", "other_names"]
DISPUTED_COLUMNS = ["chip", "domain", "reason"]


class TableError(Exception):
    """A table that cannot be used."""


class Row(dict):
    """One row of a table, which knows where it stands."""

    def __init__(self, where, fields):
        super().__init__(fields)
        self.where = where

    def refuse(self, reason):
        raise TableError(f"{self.where}: {reason}")

    def number(self, column, pattern, base):
        if not re.fullmatch(pattern, self[column]):
            self.refuse(f"bad number {self[column]!r} in column {column}")
        return int(self[column], base)


class Chip:
    """What the generated row of one chip says."""

    def __init__(self, row):
        self.name = row["chip"]
        self.chipset = row.number("chipset_id", r"0x[0-9a-f]{3}", 16)
        self.bucket = row["bucket"]
        self.presence = row["has_pcounter"]
        self.sets = row["domains"] == "sets"
        self.trailer = {}
        self.user = {}
        self.trailer_size = TRAILER_SIZE * (2 if self.sets else 1)
        self.disputed = set()

        if not re.fullmatch(r"[A-Z0-9]+", self.name):
            row.refuse(f"bad chip name {self.name!r}")
        if self.bucket not in LAYOUTS:
            row.refuse(f"unknown bucket {self.bucket!r}")
        if self.presence not in ("yes", "no", "unverified"):
            row.refuse(f"unknown presence {self.presence!r}")
        if self.sets and LAYOUTS[self.bucket] != "gf100-pcounter":
            row.refuse(f"domain sets on bucket {self.bucket}")

        if self.presence == "no":
            layout = ""
        else:
            layout = LAYOUTS[self.bucket]
        if row["register_layout"] != layout:
            row.refuse(f"register layout {row['register_layout']!r} "
                       f"does not fit bucket {self.bucket}")

        self.domains = 0
        self.clocks = []
        if self.sets:
            self.parse_sets(row)
        elif any(row[column] for column in ("hub_domains", "gpc_domains",
                                            "part_domains", "trailer_bases")):
            row.refuse("domain sets of a chip that has none")
        else:
            self.domains = row.number("domains", r"[0-9]", 10)
            self.clocks = self.parse_clocks(row)

    def parse_sets(self, row):
        """How many domains each kind of set has, and where their trailers are."""
        limits = {"hub": MAX_DOMAINS, "gpc": MAX_GPC_DOMAINS, "part": MAX_PART_DOMAINS}
        counts = {}
        for kind, limit in limits.items():
            counts[kind] = row.number(f"{kind}_domains", r"[0-9]", 10)
            if not 1 <= counts[kind] <= limit:
                row.refuse(f"{counts[kind]} {kind} domains")
        self.domains = counts["hub"]
        self.gpc_domains = counts["gpc"]
        self.part_domains = counts["part"]
        wanted = [f"{kind}{number}" for kind, count in counts.items()
                  for number in range(count)]
        items = row["trailer_bases"].split(";")
        for name, item in zip(wanted, items):
            self.parse_base(row, name, item)
        if len(items) != len(wanted):
            row.refuse(f"{len(items)} trailer bases for {len(wanted)} domains")

    def parse_base(self, row, name, item):
        """One of "gpc0=0xc0 trace" and "gpc0=unknown"."""
        if item == f"{name}=unknown":
            return
        found = re.fullmatch(rf"{name}=(0x[0-9a-f]{{2}}) ([a-z]+)", item)
        if not found:
            row.refuse(f"trailer base {item!r} where {name} is due")
        base = int(found[1], 16)
        if base % TRAILER_SIZE or found[2] not in BASE_SOURCES:
            row.refuse(f"impossible trailer base {item!r}")
        domain = set_domain(name)
        self.trailer[domain] = base
        if found[2] == "inferred":
            self.disputed.add(domain)

    def parse_clocks(self, row):
        if self.domains > MAX_DOMAINS:
            row.refuse(f"{self.domains} domains")
        clocks = []
        # A clock's name may hold a semicolon, but not one before "N=".
        for item in re.split(r";(?=[0-9]+=)", row["domain_clocks"]):
            if not item:
                continue
            number, _, name = item.partition("=")
            if number != str(len(clocks)):
                row.refuse(f"clock {item!r} where domain {len(clocks)} is due")
            if not re.fullmatch(r"[A-Za-z0-9 ;,?()]+", name):
                row.refuse(f"bad clock name {name!r}")
            clocks.append(name)
        if len(clocks) != self.domains:
            row.refuse(f"{len(clocks)} clocks for {self.domains} domains")
        return clocks


def set_domain(name):
    """A domain in a set: a number for the HUB's, ("gpc", 0) for the others."""
    kind, number = name[:-1], int(name[-1])
    return number if kind == "hub" else (kind, number)


def read_rows(path, columns):
    """Yield the rows of a table; every row has every column."""
    with open(path, newline="", encoding="utf-8") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            if next(reader, None) != columns:
                raise TableError(f"{path.name}:1: columns are not {','.join(columns)}")
            for fields in reader:
                where = f"{path.name}:{reader.line_num}"
                if len(fields) != len(columns):
                    raise TableError(f"{where}: {len(fields)} fields instead of {len(columns)}")
                yield Row(where, zip(columns, fields))
        except csv.Error as error:
            raise TableError(f"{path.name}:{reader.line_num}: {error}") from error


def read_chips(path):
    chips = {}
    ids = {}
    for row in read_rows(path, CHIP_COLUMNS):
        chip = Chip(row)
        if chip.name in chips:
            row.refuse(f"chip {chip.name} is there twice")
        if chip.chipset in ids:
            row.refuse(f"chipset id {chip.chipset:#05x} is there twice "
                       f"({ids[chip.chipset]}, {chip.name})")
        chips[chip.name] = chip
        ids[chip.chipset] = chip.name
    if not chips:
        raise TableError(f"{path.name}:1: no chips")
    return chips


def find_domain(row, chips):
    """The chip and domain of a row: a number, in sets ("gpc", 0)."""
    chip = chips.get(row["chip"])
    if chip is None:
        row.refuse(f"unknown chip {row['chip']!r}")
    if chip.sets:
        found = re.fullmatch(r"(hub|gpc|part)([0-7])", row["domain"])
        limit = {"hub": chip.domains, "gpc": chip.gpc_domains, "part": chip.part_domains}
        if not found or int(found[2]) >= limit[found[1]]:
            row.refuse(f"bad domain {row['domain']!r}")
        return chip, set_domain(row["domain"])
    domain = row.number("domain", r"[0-9]", 10)
    if domain >= chip.domains:
        row.refuse(f"{chip.name} has no domain {domain}")
    return chip, domain


def trailer_base(row, chip):
    """The base that a trailer row names; None if another source describes it."""
    found = re.search(r"\(trailer base (0x[0-9a-f]{2})( = [a-z0-9 -]+,)? "
                      r"\+ (0x[0-9a-f]{2})\)$", row["description"])
    if not found and chip.sets:
        return None     # the others name the base
    if not found:
        row.refuse("a trailer row that does not name its base")
    base, offset = (int(found[n], 16) for n in (1, 3))
    if base % TRAILER_SIZE or offset >= chip.trailer_size:
        row.refuse(f"impossible trailer place {base:#04x} + {offset:#04x}")
    if base + offset != row.signal:
        row.refuse(f"{base:#04x} + {offset:#04x} is not {row.signal:#04x}")
    return base


def read_signals(path, chips):
    """The rows, each with chip, domain and signal; the chips get their trailer bases."""
    rows = []
    seen = set()
    for row in read_rows(path, SIGNAL_COLUMNS):
        row.chip, row.domain = find_domain(row, chips)
        row.signal = row.number("signal_hex", r"0x[0-9a-f]{2}", 16)
        key = (row.chip.name, row.domain, row.signal)
        if key in seen:
            row.refuse(f"{row.chip.name} domain {row['domain']} signal "
                       f"{row.signal:#04x} is there twice")
        seen.add(key)
        rows.append(row)
        if row["name"] == "PCOUNTER.USER_0" and not row.chip.sets:
            row.chip.user[row.domain] = row.signal
        if row["kind"] != "trailer":
            continue
        base = trailer_base(row, row.chip)
        trailer = row.chip.trailer
        if base is not None and row.chip.sets and row.domain not in trailer:
            row.refuse(f"chips.csv has no trailer base of {row.chip.name} {row['domain']}")
        if base is not None and trailer.setdefault(row.domain, base) != base:
            row.refuse(f"{row.chip.name} domain {row.domain} has trailer bases "
                       f"{trailer[row.domain]:#04x} and {base:#04x}")
    return rows


def read_disputed(path, chips):
    for row in read_rows(path, DISPUTED_COLUMNS):
        chip, domain = find_domain(row, chips)
        if domain not in chip.trailer:
            row.refuse(f"{chip.name} domain {row['domain']} has no trailer base")
        if domain in chip.disputed:
            row.refuse(f"{chip.name} domain {domain} is there twice")
        chip.disputed.add(domain)


def read_tables(tables):
    """The chips by name, and the rows of all signals."""
    chips = read_chips(tables / "chips.csv")
    rows = read_signals(tables / "signals-merged.csv", chips)
    read_disputed(tables / "disputed.csv", chips)
    return chips, rows


def read_frozen(path):
    """What was promised: terms, and where that stands, by chip and name."""
    frozen = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            continue
        fields = line.split()
        where = f"{path.name}:{number}"
        if len(fields) < 3:
            raise TableError(f"{where}: no name, terms and chips")
        for chip in fields[2:]:
            if (chip, fields[0]) in frozen:
                raise TableError(f"{where}: {chip} {fields[0]} is there twice")
            frozen[chip, fields[0]] = (fields[1], where)
    return frozen


def settle(script, files, check):
    """Write the generated files, or exit with a message unless they are current."""
    for path, text in files.items():
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{script}: {path.relative_to(TOP)} is not current: "
                     f"run scripts/{script}")
