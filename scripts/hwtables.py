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

EVENT_CONFIDENCES = ["traced", "checked", "documents"]


class ChipName(str):
    """The pattern of names of chips. The reader puts the id of a chip in place of its name."""


TEXT = ".*"
SOME = ".+"
BIT = "[12]?[0-9]|3[01]"
NUMBER = "0x[0-9a-f]+|[0-9]+"
CHIP = ChipName("[A-Z0-9]+")
CHIP_OR_NONE = ChipName("[A-Z0-9]*")
# The columns of each table, with their patterns.
COLUMNS = {
    "cards.csv": {"chip": CHIP, "cards": TEXT},
    "chips.csv": {
        "chipset_id": "0x[0-9a-f]{3}", "chip": "[A-Z0-9]+", "other_names": TEXT, "family": TEXT,
        "bucket": "|".join(BUCKETS), "has_pcounter": "yes|no|unverified", "hub_domains": "[0-9]",
        "gpc_domains": "[0-9]", "part_domains": "[0-9]", "domain_clocks": TEXT,
        "trailer_bases": TEXT, "notes": TEXT},
    "event-texts.csv": {"pattern": TEXT, "unit": TEXT, "text": TEXT},
    "events.csv": {
        "name": "[a-z][a-z0-9_]*", "chips": TEXT, "terms": TEXT,
        "confidence": "|".join([*EVENT_CONFIDENCES, ""]), "sources": TEXT, "note": TEXT,
        "missing": TEXT},
    "experiments.csv": {
        "name": "[a-z0-9_]+", "row": "[0-9]+", "record": "true|false", "check": TEXT,
        "touches": TEXT, "question": TEXT, "readings": TEXT},
    "idle.csv": {
        "name": "[a-z0-9_]+", "bits": f"({BIT})( ({BIT}))*", "first": CHIP, "last": CHIP_OR_NONE,
        "several": ChipName("[A-Z0-9]*|all")},
    "metrics.csv": {
        "metric": "[a-z0-9_]+", "scale": "[0-9]+", "unit": TEXT, "first": "yes|no",
        "end": CHIP_OR_NONE, "peak": TEXT,
        "expression": TEXT, "text": TEXT},
    "muxes.csv": {
        "number": NUMBER, "mux": "[A-Z0-9_.]+", "place": "[A-Z0-9_]+", "first": CHIP,
        "end": CHIP_OR_NONE, "offset": NUMBER, "select": "([0-9]+-[0-9]+)?",
        "enable": f"({BIT})?", "enable_offset": f"({NUMBER})?"},
    "questions.csv": {
        "source": SOME, "question": SOME, "answer": "code|experiment|reason", "where": SOME,
        "why": SOME},
    "released.csv": {"name": "[a-z][a-z0-9_]*", "terms": TEXT, "chips": TEXT},
    "signals.csv": {
        "name": "([a-z][a-z0-9_]*)?", "chips": TEXT, "terms": TEXT,
        "confidence": "(one|several|disputed)?", "label": TEXT, "description": TEXT, "kind": TEXT,
        "sources": TEXT, "register": TEXT, "other_labels": TEXT, "dispute": TEXT},
    "unasked.csv": {"switch": TEXT, "reason": TEXT},
}


class TableError(SystemExit):
    """A table that cannot be used: a generator that meets one ends and prints the reason."""


class Row(dict):
    """One row of a table, with its line number."""

    def __init__(self, where, columns, fields, ids):
        super().__init__(zip(columns, fields))
        self.where = where
        for column, pattern in columns.items():
            text, is_chip = self[column], isinstance(pattern, ChipName)
            if not re.fullmatch(pattern, text) or is_chip and text not in ids:
                self.refuse(f"bad {column} {text!r}")
            if is_chip:
                self[column] = ids[text]

    def refuse(self, reason):
        raise TableError(f"{self.where}: {reason}")


def read_rows(path, ids=None):
    """Yield the rows of a table; every row has every column."""
    columns = COLUMNS[path.name]
    with open(path, newline="", encoding="utf-8") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            if next(reader, None) != list(columns):
                raise TableError(f"{path.name}:1: columns are not {','.join(columns)}")
            for fields in reader:
                where = f"{path.name}:{reader.line_num}"
                if len(fields) != len(columns):
                    raise TableError(f"{where}: {len(fields)} fields instead of {len(columns)}")
                yield Row(where, columns, fields, ids)
        except csv.Error as error:
            raise TableError(f"{path.name}:{reader.line_num}: {error}") from error


class Chip:
    """One row of chips.csv. A domain is a pair: kind of its set, number in the set."""

    def __init__(self, row):
        self.name = row["chip"]
        self.family = row["family"]
        self.chipset = int(row["chipset_id"], 16)
        self.bucket = row["bucket"]
        self.presence = row["has_pcounter"]
        self.other_names = [name for name in row["other_names"].split("/") if name]
        self.sets = self.bucket in SET_BUCKETS
        self.counts = {kind: int(row[f"{kind}_domains"]) for kind in SETS}
        for kind, count in self.counts.items():
            if count > SETS[kind] or self.sets and not count or \
               kind != "hub" and count and not self.sets:
                row.refuse(f"{count} {kind} domains on bucket {self.bucket}")
        self.trailer, self.sources = self.parse_bases(row)
        self.doubtful = {domain for domain, source in self.sources.items() if source in DOUBTFUL}
        self.clocks = self.parse_clocks(row)

    def parse_bases(self, row):
        """Return bases and their sources by domain, of "gpc0=0xc0 trace" or "gpc0=unknown"."""
        wanted = [(kind, number) for kind, count in self.counts.items() for number in range(count)]
        items = row["trailer_bases"].split(";") if row["trailer_bases"] else []
        if len(items) != len(wanted):
            row.refuse(f"{len(items)} trailer bases for {len(wanted)} domains")
        bases, sources = {}, {}
        for domain, item in zip(wanted, items):
            name = "%s%d" % domain
            found = re.fullmatch(rf"{name}=(?:(0x[0-9a-f]{{2}}) )?([a-z]+)", item)
            if not found or int(found[1] or "0", 16) % TRAILER_SIZE or \
               found[2] not in (BASE_SOURCES + DOUBTFUL if found[1] else ["unknown"]):
                row.refuse(f"bad trailer base {item!r} where {name} is due")
            sources[domain] = found[2]
            if found[1]:
                bases[domain] = int(found[1], 16)
        return bases, sources

    def parse_clocks(self, row):
        # A clock's name may hold a semicolon, but not one before "N=".
        items = re.split(r";(?=[0-9]+=)", row["domain_clocks"]) if row["domain_clocks"] else []
        if len(items) != (0 if self.sets else self.counts["hub"]):
            row.refuse(f"{len(items)} clocks for {self.counts['hub']} domains")
        for number, item in enumerate(items):
            if not re.fullmatch(rf"{number}=[A-Za-z0-9 ;,?()]+", item):
                row.refuse(f"bad clock {item!r} where domain {number} is due")
        return [item.partition("=")[2] for item in items]


def read_chips(path=TABLES / "chips.csv"):
    """Return the chips by name, in the order of the table."""
    chips = {}
    ids = {}
    for row in read_rows(path):
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
    """All tables. Chips are in the order of their ids, which is that of time. A chip has no
    two events of one name.
    """

    def __init__(self, folder=TABLES):
        self.places = read_positions()
        self.chips = dict(sorted(read_chips(folder / "chips.csv").items(),
                                 key=lambda item: item[1].chipset))
        self.ids = {name: chip.chipset for name, chip in self.chips.items()}
        self.ids |= {"": None, "all": 0xfff}
        self.signals, self.events = ([Event(row, self.chips, self.places)
                                      for row in read_rows(folder / name)]
                                     for name in ("signals.csv", "events.csv"))
        self.check_signals()
        self.check_events()

    def check_signals(self):
        wires = set()
        for event in self.signals:
            terms = event.terms
            if not {"sig", "dom"} <= set(terms):
                event.row.refuse("a signal without dom and sig")
            if bool(event.confidence) != bool(event.name):
                event.row.refuse("either a name with a confidence, or neither")
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
            if not bool(event.terms) == bool(event.confidence) != bool(event.row["missing"]):
                event.row.refuse("either terms with a confidence, or why there are none")
        names = set()
        for event in self.named():
            if re.search(r"dom\d_cycles$", event.name):
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


def explain(event, texts):
    """Return the unit and the text of the first row of event-texts.csv that fits an event."""
    for row in texts:
        found = re.fullmatch(row["pattern"], event.name)
        if found:
            return row["unit"], found.expand(row["text"])
    return event.row.refuse(f"event-texts.csv has nothing about {event.name}")
