# SPDX-License-Identifier: GPL-2.0-only
"""Read scripts/tables/, for the generators beside this file.

A bad table is refused with file and line.
"""

import csv
import re
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TABLES = TOP / "scripts" / "tables"
UAPI = TOP / "include" / "uapi" / "linux" / "pcounter.h"

BUCKETS = ["nv10", "nv15", "nv20", "nv30", "nv40", "g84", "g92", "gt215", "gf100", "gm107"]
SET_BUCKETS = ["gf100", "gm107"]
# The kinds of sets in the order of the term "set", and the driver's room for
# domains of each.
SETS = {"hub": 8, "gpc": 6, "part": 3}
TRAILER_SIZE = 0x20
# Where a trailer base comes from. The driver probes a doubtful one before it relies on it.
BASE_SOURCES = ["document", "trace", "both", "card"]
DOUBTFUL = ["inferred", "disputed"]

CHIP_COLUMNS = ["chipset_id", "chip", "other_names", "family", "bucket", "has_pcounter",
                "hub_domains", "gpc_domains", "part_domains", "domain_clocks", "trailer_bases",
                "notes"]
SIGNAL_COLUMNS = ["name", "chips", "terms", "confidence", "label", "description", "kind",
                  "sources", "register", "other_labels", "dispute"]
EVENT_COLUMNS = ["name", "chips", "terms", "confidence", "sources", "note", "missing"]
CARD_COLUMNS = ["chip", "cards"]
METRIC_COLUMNS = ["metric", "scale", "unit", "first", "expression", "text"]
TEXT_COLUMNS = ["pattern", "unit", "text"]
MUX_COLUMNS = ["number", "mux", "place", "first", "end", "offset", "select", "enable",
               "enable_first", "enable_offset", "g200_offset"]
IDLE_COLUMNS = ["name", "bit", "first", "last", "several"]
EXPERIMENT_COLUMNS = ["name", "row", "record", "check", "touches", "question", "readings"]
SIGNAL_CONFIDENCES = ["one", "several", "disputed"]
EVENT_CONFIDENCES = ["traced", "checked", "documents"]


class TableError(Exception):
    """A table that cannot be used."""


class Row(dict):
    """One row of a table, with its line number."""

    def __init__(self, where, fields):
        super().__init__(fields)
        self.where = where

    def refuse(self, reason):
        raise TableError(f"{self.where}: {reason}")

    def number(self, column, pattern, base):
        if not re.fullmatch(pattern, self[column]):
            self.refuse(f"bad number {self[column]!r} in column {column}")
        return int(self[column], base)


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


class Chip:
    """One row of chips.csv. A domain is a pair: kind of its set, number in the set."""

    def __init__(self, row):
        self.name = row["chip"]
        self.chipset = row.number("chipset_id", r"0x[0-9a-f]{3}", 16)
        self.bucket = row["bucket"]
        self.presence = row["has_pcounter"]
        self.other_names = [name for name in row["other_names"].split("/") if name]
        self.sets = self.bucket in SET_BUCKETS
        self.trailer = {}
        self.doubtful = set()
        if not re.fullmatch(r"[A-Z0-9]+", self.name):
            row.refuse(f"bad chip name {self.name!r}")
        if self.bucket not in BUCKETS:
            row.refuse(f"unknown bucket {self.bucket!r}")
        if self.presence not in ("yes", "no", "unverified"):
            row.refuse(f"unknown presence {self.presence!r}")
        self.counts = {kind: row.number(f"{kind}_domains", r"[0-9]", 10) for kind in SETS}
        for kind, count in self.counts.items():
            if count > SETS[kind] or self.sets and not count or \
               kind != "hub" and count and not self.sets:
                row.refuse(f"{count} {kind} domains on bucket {self.bucket}")
        self.parse_bases(row)
        self.clocks = self.parse_clocks(row)

    def parse_bases(self, row):
        """One of "gpc0=0xc0 trace" and "gpc0=unknown" for each domain."""
        wanted = [(kind, number) for kind, count in self.counts.items() for number in range(count)]
        items = row["trailer_bases"].split(";") if row["trailer_bases"] else []
        if len(items) != len(wanted):
            row.refuse(f"{len(items)} trailer bases for {len(wanted)} domains")
        for domain, item in zip(wanted, items):
            name = "%s%d" % domain
            if item == f"{name}=unknown":
                continue
            found = re.fullmatch(rf"{name}=(0x[0-9a-f]{{2}}) ([a-z]+)", item)
            if not found or found[2] not in BASE_SOURCES + DOUBTFUL or \
               int(found[1], 16) % TRAILER_SIZE:
                row.refuse(f"bad trailer base {item!r} where {name} is due")
            self.trailer[domain] = int(found[1], 16)
            if found[2] in DOUBTFUL:
                self.doubtful.add(domain)

    def parse_clocks(self, row):
        clocks = []
        # A clock's name may hold a semicolon, but not one before "N=".
        for item in re.split(r";(?=[0-9]+=)", row["domain_clocks"]):
            number, _, name = item.partition("=")
            if item and number != str(len(clocks)):
                row.refuse(f"clock {item!r} where domain {len(clocks)} is due")
            if item and not re.fullmatch(r"[A-Za-z0-9 ;,?()]+", name):
                row.refuse(f"bad clock name {name!r}")
            clocks += [name] if item else []
        if len(clocks) != (0 if self.sets else self.counts["hub"]):
            row.refuse(f"{len(clocks)} clocks for {self.counts['hub']} domains")
        return clocks


def read_chips(path):
    """Return the chips by name, in the order of their ids, which is that of time."""
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
    return {chip.name: chip for chip in sorted(chips.values(), key=lambda chip: chip.chipset)}


def read_positions(path=UAPI):
    """Return the place of each term: word, lowest bit, highest bit."""
    places = {}
    word = -1
    for line in path.read_text(encoding="utf-8").splitlines():
        word += bool(re.match(r"(/\*| \*) perf_event_attr\.config", line))
        found = re.match(r"#define PCOUNTER_(\w+)_(LO|HI)\s+(\d+)", line)
        if found:
            places.setdefault(found[1].lower(), [word]).append(int(found[3]))
    return places


class Event:
    """A row of signals.csv or events.csv: a name, and its meaning on some chips.

    Without a name a signal is no event: documents know at most its unit. Without terms
    an event cannot be counted: the column "missing" says why.
    """

    def __init__(self, row, chips, places):
        self.row = row
        self.name = row["name"]
        self.confidence = row["confidence"]
        self.terms = {}
        for item in row["terms"].split(",") if row["terms"] else []:
            term, _, value = item.partition("=")
            if term not in places or term in self.terms or \
               not re.fullmatch(r"0x[0-9a-f]{1,8}", value):
                row.refuse(f"bad term {item!r}")
            _, low, high = places[term]
            if int(value, 16) >> (high - low + 1):
                row.refuse(f"{item} is too big")
            self.terms[term] = int(value, 16)
        self.domain = (list(SETS)[self.terms.get("set", 0) % len(SETS)], self.terms.get("dom"))
        self.chips = [self.check_chip(name, chips) for name in row["chips"].split()]
        if not self.chips:
            row.refuse("no chips")

    def check_chip(self, name, chips):
        if name not in chips:
            self.row.refuse(f"unknown chip {name!r}")
        chip, (kind, number) = chips[name], self.domain
        if self.terms and (number is None or number >= chip.counts[kind] or
                           chip.sets != ("set" in self.terms)):
            self.row.refuse(f"{name} has no domain {kind}{number}")
        return chip

    def words(self, places):
        """Return the words of perf_event_attr."""
        words = [0, 0, 0]
        for term, value in self.terms.items():
            word, low, _ = places[term]
            words[word] |= value << low
        return words


class Tables:
    """All tables. A chip has no two events of one name."""

    def __init__(self, folder=TABLES):
        self.places = read_positions()
        self.chips = read_chips(folder / "chips.csv")
        self.signals = [Event(row, self.chips, self.places)
                        for row in read_rows(folder / "signals.csv", SIGNAL_COLUMNS)]
        self.events = [Event(row, self.chips, self.places)
                       for row in read_rows(folder / "events.csv", EVENT_COLUMNS)]
        self.check_signals()
        self.check_events()

    def check_signals(self):
        wires = set()
        for event in self.signals:
            terms = event.terms
            if not {"sig", "dom"} <= set(terms):
                event.row.refuse("a signal without dom and sig")
            if (event.confidence in SIGNAL_CONFIDENCES) != bool(event.name):
                event.row.refuse(f"unknown confidence {event.confidence!r}")
            for chip in event.chips:
                wire = (chip.name, event.domain, terms["sig"], "ctr" in terms)
                if wire in wires:
                    event.row.refuse(f"{chip.name} signal {terms['sig']:#04x} is there twice")
                wires.add(wire)
                # the trailer is the end, if its base is certain
                end = chip.trailer.get(event.domain, 256) + TRAILER_SIZE * (1 + chip.sets)
                if terms["sig"] >= end and event.domain not in chip.doubtful:
                    event.row.refuse(f"{chip.name} has no signal {terms['sig']:#04x}")

    def check_events(self):
        for event in self.events:
            if bool(event.terms) == bool(event.row["missing"]):
                event.row.refuse("either terms, or why there are none")
            if event.terms and event.confidence not in EVENT_CONFIDENCES:
                event.row.refuse(f"unknown confidence {event.confidence!r}")
        names = set()
        for event in self.named():
            if not re.fullmatch(r"[a-z][a-z0-9_]*", event.name) or \
               re.search(r"dom\d_cycles$", event.name):
                event.row.refuse(f"bad event name {event.name!r}")
            for chip in event.chips:
                if (chip.name, event.name) in names:
                    event.row.refuse(f"{chip.name} has two events {event.name}")
                names.add((chip.name, event.name))

    def named(self):
        """Return all events with a name."""
        return [event for event in self.signals + self.events if event.name and event.terms]

    @staticmethod
    def by_chip(events):
        """Return the events of each chip that has any: their order is kept, chips
        are in that of time.
        """
        found = {}
        for event in events:
            for chip in event.chips:
                found.setdefault(chip, []).append(event)
        return dict(sorted(found.items(), key=lambda item: item[0].chipset))

    def named_signals(self):
        """Return signals by chip, in the order of domain and number; a sum
        follows its lowest bit.
        """
        return self.by_chip(sorted(
            (event for event in self.signals if event.name),
            key=lambda event: (list(SETS).index(event.domain[0]), event.domain[1],
                               event.terms["sig"], "ctr" in event.terms)))

    def public_events(self):
        """Return events by chip, in the order of their names."""
        return self.by_chip(sorted((event for event in self.events if event.terms),
                                   key=lambda event: event.name))


class Texts:
    """The explanations of events in events.csv, and their units."""

    def __init__(self, folder=TABLES):
        self.rows = list(read_rows(folder / "event-texts.csv", TEXT_COLUMNS))

    def of(self, event):
        for row in self.rows:
            found = re.fullmatch(row["pattern"], event.name)
            if found:
                return row["unit"], found.expand(row["text"])
        return event.row.refuse(f"event-texts.csv has nothing about {event.name}")


def chip_names(chips, folder=TABLES):
    """Yield pairs of a name and its chip; the names of cards come last."""
    for chip in chips.values():
        number = f"{chip.chipset:02x}"
        names = [chip.name, f"NV{number.upper()}", number, f"0x{number}", f"{chip.chipset:#05x}"]
        yield from ((name, chip) for name in dict.fromkeys(names + chip.other_names))
    for row in read_rows(folder / "cards.csv", CARD_COLUMNS):
        if row["chip"] not in chips:
            row.refuse(f"unknown chip {row['chip']!r}")
        yield from ((name, chips[row["chip"]]) for name in row["cards"].split(", "))


def read_muxes(chips, folder=TABLES):
    """Return the rows of muxes.csv, with chips in place of their names, if there are any."""
    rows = list(read_rows(folder / "muxes.csv", MUX_COLUMNS))
    for row in rows:
        for column in ("number", "offset"):
            row.number(column, r"0x[0-9a-f]+|[0-9]+", 0)
        if not re.fullmatch(r"([0-9]+-[0-9]+)?", row["select"]):
            row.refuse(f"bad bits {row['select']!r}")
        for column in ("first", "end", "enable_first"):
            if row[column] and row[column] not in chips:
                row.refuse(f"unknown chip {row[column]!r}")
            row[column] = chips.get(row[column])
    return rows


def read_idle(chips, folder=TABLES):
    """Yield name, bit, and first, last and "several" as ids of chips."""
    ids = {"": 0, "all": 0xfff, **{name: chip.chipset for name, chip in chips.items()}}
    for row in read_rows(folder / "idle.csv", IDLE_COLUMNS):
        for column in ("first", "last", "several"):
            if row[column] not in ids:
                row.refuse(f"unknown chip {row[column]!r}")
        yield (row["name"], row.number("bit", r"[12]?[0-9]|3[01]", 10), ids[row["first"]],
               ids[row["last"] or "all"], ids[row["several"]])


def read_metrics(folder=TABLES):
    return list(read_rows(folder / "metrics.csv", METRIC_COLUMNS))


def read_experiments(folder=TABLES):
    return list(read_rows(folder / "experiments.csv", EXPERIMENT_COLUMNS))
