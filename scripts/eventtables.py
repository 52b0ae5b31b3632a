# SPDX-License-Identifier: GPL-2.0-only
"""Events with public names, from the rows of verified-events.csv."""

import re

from hwtables import DRIVER, TOP, read_rows
from signames import SETS

COLUMNS = ["event", "chips", "domain", "mode", "pre", "start", "event_input", "stop",
           "mux", "formula", "confidence", "source", "note"]
METRIC_COLUMNS = ["metric", "scale", "unit", "first", "expression", "text"]
TEXT_COLUMNS = ["pattern", "unit", "text"]
CONFIDENCES = ["documents", "checked", "traced"]
NO_EVENTS = ["broken", "name"]
MODES = {"SIMPLE": 0, "EVENT_B4": 1, "EVENT_B6": 2, "MODE6": 6, "MODE7": 7}
CLOCK = "CYCLES"
# Of a sum: the input that has the bits, and the one that says when they count.
SUMS = {1: ("start", "event_input"), 2: ("start", "event_input"), 6: ("pre", "start"),
        7: ("event_input", "start")}
PRE_B5 = 6
PART_DOMAINS = 2
# From here on domain 1 + t of a GPC shows TPC t (hw:real-cards/r5).
KEPLER = 0xe4
EVENT_TABLE = "verified-events.csv"

ALWAYS = 0xffff
SOURCE_0 = 0xaaaa
# Signals that the documents put where a 0 is wanted, and the op that inverts them.
FILLERS = {0xec, 0xee, 0xef, 0x6f, 0x4f, 0xcc}
NOT_SOURCE_0 = 0x5555
ZERO_OFFSET = 0x2f      # of GF100 and later, from the trailer's base

# Why a row is no event of its chip.
NAME_ALONE = "no document has more than the name"
BROKEN = "wrong on a card too, or by the registers of another"
DERIVED = "made of others: a metric"
COUNTER_MODE = "counter mode 5, of which no card has shown a count"
NO_MUX = "a mux without a known address"
NO_DOMAIN = "a partition domain that no other document has"
OTHER_TPC = "a mux of a TPC that its domain does not show"
PASSES = "one pass for each of several positions of a mux"
NO_INPUT = "an input that the document lacks"
REASONS = [NAME_ALONE, BROKEN, DERIVED, COUNTER_MODE, NO_MUX, OTHER_TPC, NO_DOMAIN, PASSES,
           NO_INPUT]
# A row that is an event of its chip already.
A_SIGNAL = "a signal of that name and place"


# Each of four such muxes decides about four signals of its domain.
QUARTER, QUARTER_SIGNALS = "TPC.MPC_", 4
# A PMFB has two slices here, and a bit to choose (hw:muxes/gf100-memory).
TWO_SLICES = {0xc0, 0xc3, 0xc4, 0xc8, 0xce, 0xcf}


class Missing(Exception):
    """A row that cannot be an event, for one of REASONS."""


def read_positions(path):
    """Where each term stands: word, lowest bit, width."""
    places = {}
    word = -1
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"(/\*| \*) perf_event_attr\.config", line):
            word += 1
        found = re.match(r"#define PCOUNTER_(\w+)_(LO|HI)\s+(\d+)", line)
        if not found:
            continue
        if found[2] == "LO":
            places[found[1].lower()] = (word, int(found[3]))
        else:
            at, low = places[found[1].lower()]
            places[found[1].lower()] = (at, low, int(found[3]) - low + 1)
    return places


class MuxType:
    """A mux of the driver's table, of unit 0, on a range of chips."""

    # address, and of those that the term "tpc" counts: distance, number
    PLACES = {
        "GPC": (0x500000, 0, 1), "TPC": (0x504000, 0x800, 8), "ROP": (0x410000, 0, 1),
        "HUB": (0, 0, 1), "FB": (0, 0, 1), "PBFB": (0x110000, 0x1000, 2),
        "PMFB": (0x140000, 0, 1), "SUBP1": (0x141200, 0x400, 1),
        "SUBP2": (0x141200, 0x400, 2), "SUBP4": (0x141200, 0x400, 4), "LTC": (0, 0, 1),
        "LTS": (0x140400, 0x200, 2),
        "GR": (0, 0, 1), "G80_TPC": (0x408000, 0x1000, 8), "G200_TPC": (0x408000, 0x800, 16),
        "G80_TPC_ALONE": (0x408000, 0x1000, 8), "G200_TPC_ALONE": (0x408000, 0x800, 16),
    }

    def __init__(self, row, chips):
        number, self.name, place, since, until, offset, field, enable, apart = row
        self.id = int(number)
        self.base, self.stride, self.count = self.PLACES[place]
        self.hub = place == "HUB"
        # before GF100 "tpc" counts those that are there: that of a document is the first
        self.first = place.startswith(("G80_TPC", "G200_TPC"))
        self.since, self.until = chips[since], chips[until]
        self.offset = int(offset, 16)
        self.field, self.enable = bits(field), bits(enable)
        self.apart = int(apart, 16)

    def tpc(self, addr, offset):
        """Which TPC has this address; None: none has it."""
        for tpc in range(self.count):
            if self.base + tpc * self.stride + offset == addr:
                return 0 if self.first else tpc
        return None

    def position(self, value):
        """What a register's value selects."""
        return (value & self.field) // (self.field & -self.field) if self.field else 0


def bits(text):
    """A mask as the driver's table writes it."""
    found = re.fullmatch(r"GENMASK\((\d+), (\d+)\)", text)
    if found:
        return (2 << int(found[1])) - (1 << int(found[2]))
    found = re.fullmatch(r"BIT\((\d+)\)", text)
    return 1 << int(found[1]) if found else {"ON": 1 << 31, "0": 0}[text]


def read_muxes(path):
    """The rows of the driver's table."""
    text = path.read_text(encoding="utf-8")
    chips = {name: int(number, 16)
             for name, number in re.findall(r"^#define (\w+)\t(0x[0-9a-f]{3})\b", text, re.MULTILINE)}
    mask = r"(GENMASK\(\d+, \d+\)|BIT\(\d+\)|ON|0)"
    found = re.findall(r'^\t\{ (\d+), "([\w.]+)", (\w+), (\w+), (\w+), (0x[0-9a-f]+), '
                       rf"{mask}, {mask}, (0x[0-9a-f]+|0) \}}", text, re.MULTILINE)
    return [MuxType(row, chips) for row in found]


def chosen_muxes(there, chipset, value, signals):
    """Of the muxes in a register those that decide about an event's signals."""
    quarters = [mux for mux in there if mux.name.startswith(QUARTER)]
    if quarters:
        return [mux for mux in quarters
                if int(mux.name[-1]) in {signal // QUARTER_SIGNALS for signal in signals}]
    # something else may be left selected: there, and where there are two slices
    return [mux for mux in there if value & mux.field or mux.name == "PMFB" or
            (mux.name == "PMFB.SLICE" and chipset in TWO_SLICES)] or there[:1]


def decode_mux(muxes, chipset, addr, value, signals):
    """Numbers, positions and TPCs of the muxes that a register's value sets."""
    muxes = [mux for mux in muxes if mux.since <= chipset < mux.until]
    there = [mux for mux in muxes if mux.tpc(addr, mux.offset) is not None]
    apart = [mux for mux in muxes if mux.apart and mux.tpc(addr, mux.apart) is not None]
    if not there and apart and value == apart[0].enable:
        return []
    chosen = chosen_muxes(there, chipset, value, signals)
    known = 0
    for mux in there:
        # what is not needed stays as it is
        if mux.name.startswith(QUARTER) and mux not in chosen:
            known |= mux.field
    for mux in chosen:
        known |= mux.field | (0 if mux.apart else mux.enable)
        if not mux.apart and value & mux.enable != mux.enable:
            raise Missing(NO_MUX)
    if not chosen or value & ~known:
        raise Missing(NO_MUX)
    return [(mux.id, mux.position(value), mux.tpc(addr, mux.offset)) for mux in chosen]


def read_input(row, column):
    """Sources and logic op of an input that the counter mode needs."""
    if not row[column]:
        raise Missing(NO_INPUT)
    found = re.fullmatch(r"([0-9a-f]{8})/([0-9a-f]{4})", row[column])
    if not found:
        row.refuse(f"bad input {row[column]!r}")
    sources = int(found[1], 16)
    return [sources >> 8 * n & 0xff for n in range(4)], int(found[2], 16)


def depends(op, arg):
    return any((op >> row & 1) != (op >> (row ^ 1 << arg) & 1) for row in range(16))


class PublicEvent:
    """An event of a chip, by the name that the public knows."""

    def __init__(self, row, chip, muxes):
        self.row = row
        self.chip = chip
        self.name = self.public = public_name(row["event"])
        self.set, self.number = parse_domain(row, chip)
        self.terms = {}
        self.confidence = row["confidence"]
        if not row["event_input"] and row["formula"]:
            raise Missing(DERIVED)
        if row["mode"] not in [*MODES, CLOCK]:
            raise Missing(COUNTER_MODE)
        self.add_domain()
        if row["mode"] == CLOCK:
            self.terms["clk"] = 1
        else:
            self.add_inputs()
        self.add_muxes(muxes)

    def add_domain(self):
        if self.chip.sets:
            self.terms["set"] = SETS.index(self.set)
            self.terms["unit"] = 0
        self.terms["dom"] = self.number

    def zero(self, signal):
        """The constant 0 of the domain, where the page has that of another chip."""
        base = self.base()
        if not self.chip.sets or signal not in FILLERS or base is None:
            return signal
        return base + ZERO_OFFSET

    def add_inputs(self):
        mode = MODES[self.row["mode"]]
        numbers, gate = SUMS.get(mode, (None, "event_input"))
        sources, op = read_input(self.row, gate)
        if mode == PRE_B5:
            op = SOURCE_0   # it has no gate, but a fifth bit
        if op == NOT_SOURCE_0 and sources[0] in FILLERS:
            op = ALWAYS
        if not self.chip.sets:
            op = self.without_absent(sources, op)
        for n, signal in enumerate(sources):
            if depends(op, n) or (mode == 2 and n >= 2):
                self.terms[f"sig{n or ''}"] = self.zero(signal)
        if op != SOURCE_0:
            self.terms["op"] = op
        if not mode:
            return
        self.terms["ctr"] = mode
        sources, op = read_input(self.row, numbers)
        if op != ALWAYS:
            self.row.refuse("the input with the bits does not count every clock")
        for n, signal in enumerate(sources):
            self.terms[f"bit{n}"] = self.zero(signal)

    def base(self):
        """Of the domain's trailer, None where that is not known for certain."""
        domain = self.number if self.set == "hub" else (self.set, self.number)
        return None if domain in self.chip.disputed else self.chip.trailer.get(domain)

    def without_absent(self, sources, op):
        """A signal beyond the domain's last is 0: PerfKit's own shader_busy relies on that."""
        base = self.base()
        for n, signal in enumerate(sources):
            if base is None or signal < base + self.chip.trailer_size:
                continue
            rows = [op >> (row & ~(1 << n)) & 1 for row in range(16)]
            op = sum(bit << row for row, bit in enumerate(rows))
        return op

    def signals(self):
        """All that it looks at."""
        names = [f"sig{n or ''}" for n in range(4)] + [f"bit{n}" for n in range(4)]
        return {self.terms[name] for name in names if name in self.terms}

    def add_muxes(self, muxes):
        wanted = []
        for item in filter(None, self.row["mux"].split(";")):
            # a register that its document names, but does not place
            if "@" not in item:
                raise Missing(NO_MUX)
            found = re.fullmatch(r"([\w.\[\]]+)@([0-9a-f]{6})=([0-9a-f|]+|bit\d+)", item)
            if not found:
                self.row.refuse(f"bad mux {item!r}")
            # the driver clears the other TPCs itself
            if found[1].startswith("TPCALL."):
                continue
            # it decides nothing about signals of others
            if found[1].startswith("HUB.") and self.set != "hub":
                continue
            if "|" in found[3]:
                raise Missing(PASSES)
            bit = re.fullmatch(r"bit(\d+)", found[3])
            wanted += decode_mux(muxes, self.chip.chipset, int(found[2], 16),
                                 1 << int(bit[1]) if bit else int(found[3], 16),
                                 self.signals())
        if len(wanted) > 2:
            # the last has no term for its position
            wanted.sort(key=lambda mux: not mux[1])
        if len(wanted) > 3 or any(position for _, position, _ in wanted[2:]):
            self.row.refuse("no terms for that many muxes")
        for suffix, (number, position, tpc) in zip(("", "2", "3"), wanted):
            self.terms[f"mux{suffix}"] = number
            if position:
                self.terms[f"sel{suffix}"] = position
            self.terms["tpc"] = max(tpc, self.terms.get("tpc", 0))
        if self.set == "gpc" and wanted and self.chip.chipset >= KEPLER and \
                self.terms["tpc"] + 1 != self.number:
            raise Missing(OTHER_TPC)

    def sysfs_terms(self, places):
        """As in the driver's file, without the unit, which depends on the card."""
        first = [term for term in ("set", "dom") if term in self.terms]
        rest = [term for term in places if self.terms.get(term) and
                term not in ("set", "unit", "dom")]
        return ",".join(f"{term}={self.terms[term]:#x}" for term in first + rest)

    def words(self, places):
        words = [0, 0, 0]
        for term, value in self.terms.items():
            word, low, width = places[term]
            if value >> width:
                self.row.refuse(f"{self.chip.name} {self.name}: {term}={value:#x} is too big")
            words[word] |= value << low
        return tuple(words)


def public_name(name):
    """The unit and the TPC are terms; a sum says which slice it is of."""
    return name.removesuffix("_gpc0_tpc0")


def parse_domain(row, chip):
    found = re.fullmatch(r"(gpc|part|hub)?(\d)", row["domain"])
    if not found or bool(found[1]) != chip.sets:
        row.refuse(f"{chip.name} has no domain {row['domain']!r}")
    if found[1] == "part" and int(found[2]) >= PART_DOMAINS:
        raise Missing(NO_DOMAIN)
    return found[1] or "hub", int(found[2])


class Text:
    """What an event counts, in words, and in what unit."""

    def __init__(self, path):
        self.rows = list(read_rows(path, TEXT_COLUMNS))

    def of(self, name):
        for row in self.rows:
            found = re.fullmatch(row["pattern"], name)
            if found:
                return row["unit"], found.expand(row["text"])
        return None


class PublicEvents:
    """All of them by chip, and what has become of the rows that are none."""

    def __init__(self, names, tables):
        self.names = names
        self.events = {}
        self.left_out = {}
        self.rows = {}
        self.derived = {}
        muxes = read_muxes(DRIVER / "hw/mux_table.c")
        self.places = read_positions(TOP / "include/uapi/linux/pcounter.h")
        self.text = Text(tables / "event-texts.csv")
        self.metrics = list(read_rows(tables / "metrics.csv", METRIC_COLUMNS))
        self.own = {metric["metric"] for metric in self.metrics}
        for row in read_rows(tables / EVENT_TABLE, COLUMNS):
            if row["confidence"] not in CONFIDENCES + NO_EVENTS:
                row.refuse(f"unknown confidence {row['confidence']!r}")
            for chip in row["chips"].split():
                self.add(row, chip, muxes)
        for events in self.events.values():
            events.sort(key=lambda event: event.name)
        self.settle_names()

    def add(self, row, name, muxes):
        chip = self.names.chips[name]
        self.rows[name] = self.rows.get(name, 0) + 1
        try:
            if row["confidence"] == "broken":
                raise Missing(BROKEN)
            if row["confidence"] == "name":
                raise Missing(DERIVED if row["event"] in self.own else NAME_ALONE)
            event = PublicEvent(row, chip, muxes)
            if self.is_signal(event):
                raise Missing(A_SIGNAL)
            if not self.text.of(event.name):
                row.refuse(f"event-texts.csv has nothing about {event.name}")
            self.events.setdefault(name, []).append(event)
        except Missing as why:
            self.left_out.setdefault(name, {}).setdefault(str(why), []).append(row["event"])
            if str(why) == DERIVED:
                self.derived.setdefault(name, []).append(row)

    def is_signal(self, event):
        """Is it a signal as it is, that has this name already?"""
        plain = {"dom", "set", "unit", "sig"}
        return plain >= set(event.terms) and any(
            (signal.name, signal.set, signal.number, signal.signal, signal.bits) ==
            (event.name, event.set, event.number, event.terms["sig"], 1)
            for signal in self.names.events.get(event.chip.name, []))

    def settle_names(self):
        """A name that a signal of the chip has stays that signal's."""
        for name, events in self.events.items():
            signals = {signal.name: signal for signal in self.names.events.get(name, [])}
            for event in events:
                if event.name in signals:
                    event.name += "_sum" if event.terms.get("ctr") else "_event"
            taken = [event.name for event in events]
            for event in events:
                if taken.count(event.name) > 1 or event.name in signals:
                    event.row.refuse(f"{name} has two events {event.name}")

    def in_order(self):
        return sorted((self.names.chips[name] for name in self.events),
                      key=lambda chip: chip.chipset)

    def reasons(self, name):
        return [len(self.left_out.get(name, {}).get(reason, [])) for reason in REASONS]

    def signals(self, name):
        """How many rows of a chip are a signal that has the name already."""
        return len(self.left_out.get(name, {}).get(A_SIGNAL, []))


def read_public(names, tables):
    return PublicEvents(names, tables)
