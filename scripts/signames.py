# SPDX-License-Identifier: GPL-2.0-only
"""Events from the rows of signals-merged.csv: their names, terms and confidence."""

import re

from hwtables import DRIVER, TableError, read_rows, read_tables

DISPUTED_SIGNAL_COLUMNS = ["chip", "domain", "signal_hex", "reason"]

ONE, SEVERAL, DISPUTED = "one", "several", "disputed"

# What a row says that has no name: the unit at most, not what the signal does.
UNNAMED = re.compile(r"\?\?\?|^UNK_|(^|\.)UNK[0-9A-F]{1,2}$|^\w+ \[\d\]$")

# Names of the driver tables of nouveau: a domain of its own, then unit and number.
TESLA_LABEL = re.compile(r"pc0\d_\w+")
FERMI_LABEL = re.compile(r"(hub|gpc|part)\d\d_(\w+)")

# These exist once in each domain, which their names begin with.
OF_DOMAIN = {"PGRAPH.PM_TRIGGER": "pm_trigger", "PGRAPH.WRCACHE_FLUSH": "wrcache_flush",
             "ZERO": "zero"}
IMPORT = re.compile(r"PCOUNTER\.DOM(\d)\.(EVENT|FLAG)")

# Muxes of hw/mux_table.c, by the unit that a signal's name begins with.
UNIT_MUXES = {
    "gpc_l1": "TPC.L1", "gpc_tpc_l1_mux": "TPC.L1", "gpc_tex": "TPC.TEX_C",
    "gpc_tpc_tex_mux_a": "TPC.TEX_A", "gpc_tpc_tex_mux_b": "TPC.TEX_B",
    "gpc_tpc_tex_mux_c_d": "TPC.TEX_C", "gpc_unk400": "TPC.UNK400",
    "gpc_tpc_unk400_mux": "TPC.UNK400", "gpc_tpc_mp_mux": "TPC.MP",
    "tpc_unk500_mux": "TPC.MASTER", "poly_mux": "TPC.POLY",
    "gpc_ccache_mux_a": "GPC.CCACHE_A", "gpc_ccache_mux_b": "GPC.CCACHE_B",
    "gpc_esetup_mux": "GPC.ESETUP", "gpc_ffb_mux_b": "GPC.FFB_B",
    "gpc_prop_mux": "GPC.PROP", "gpc_unk380_mux": "GPC.UNK380",
    "gpc_unk600_mux": "GPC.UNK600", "gpc_unk680_mux": "GPC.UNK680",
    "gpc_unk700_mux": "GPC.UNK700", "gpc_unkb00_mux": "GPC.TPBUS",
    "gpc_unkc00_mux": "GPC.TPCONF", "gpc_unkc80_mux": "GPC.UNKC80",
    "gpc_unkd00_mux": "GPC.UNKD00", "gpc_unke00_mux": "GPC.UNKE00",
    "gpc_unkf00_mux": "GPC.UNKF00", "crop_mux_a": "ROP.CROP_A",
    "crop_mux_b": "ROP.CROP_B", "zrop_mux_a": "ROP.ZROP_A", "zrop_mux_b": "ROP.ZROP_B",
    "dispatch_mux": "HUB.DISPATCH", "ccache_mux": "HUB.CCACHE",
    "unk5800_mux": "HUB.UNK5800", "unk5900_mux": "HUB.UNK5900",
    "unk6000_mux": "HUB.UNK6000", "unk7800_mux": "HUB.TPBUS",
}

SETS = ["hub", "gpc", "part"]
SUM_BITS = 4    # of a number that a single event can add up: ctr=3 (EXTRA_B4)
SUM_BUCKETS = ["nv40", "g84", "g92", "gt215"]


class Event:
    """One file in events/."""

    def __init__(self, row, name, confidence):
        self.row = row
        self.chip = row.chip
        self.name = name
        self.signal = row.signal
        self.confidence = confidence
        self.description = re.sub(r" \(trailer base .*\)$", "", row["description"])
        self.bits = 1
        self.mux = None
        domain = row.domain
        self.set, self.number = (("hub", domain) if isinstance(domain, int) else domain)

    def tpc(self):
        """Domain 1 + t of a GPC shows TPC t, where a GPC has more than one domain."""
        if self.chip.gpc_domains == 1:
            return 0
        if not self.number:
            self.row.refuse(f"{self.chip.name} domain {self.row['domain']} shows no TPC")
        return self.number - 1

    def terms(self):
        """As in the file, without the unit, which depends on the card."""
        terms = [("set", SETS.index(self.set))] if self.chip.sets else []
        terms.append(("dom", self.number))
        if self.bits > 1:
            terms.append(("ctr", 3))
        terms += [(f"sig{bit or ''}", self.signal + bit) for bit in range(self.bits)]
        if self.mux:
            terms += [("mux", self.mux.id), ("sel", 0)]
            if self.mux.tpc:
                terms.append(("tpc", self.tpc()))
        return ",".join(f"{term}={value:#x}" for term, value in terms)


class Mux:
    """A mux that the driver can set."""

    def __init__(self, number, kind):
        self.id = number
        self.tpc = kind == "TPC"


def read_muxes(path):
    """The muxes by name, with the numbers of the driver's table."""
    found = re.findall(r'^\t\{ (\d+), "([\w.]+)", (GPC|TPC|ROP|HUB), ',
                       path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: Mux(int(number), kind) for number, name, kind in found}


def read_disputed_signals(path, rows):
    """Which rows the sources dispute: those of the table, and disputed trailers."""
    by_place = {(row.chip.name, row["domain"], row.signal): row for row in rows}
    disputed = {place for place, row in by_place.items()
                if row["kind"] == "trailer" and row.domain in row.chip.disputed}
    for entry in read_rows(path, DISPUTED_SIGNAL_COLUMNS):
        signal = entry.number("signal_hex", r"0x[0-9a-f]{2}", 16)
        place = (entry["chip"], entry["domain"], signal)
        if place not in by_place:
            entry.refuse(f"no table has {entry['chip']} domain {entry['domain']} "
                         f"signal {signal:#04x}")
        if place in disputed:
            entry.refuse(f"{entry['chip']} domain {entry['domain']} signal {signal:#04x} "
                         "is there twice")
        disputed.add(place)
    return disputed


def documented_names(rows):
    """Documented names of nouveau's Tesla labels, where they always have the same."""
    names = {}
    for row in rows:
        for label in row["other_names"].split(" | "):
            if TESLA_LABEL.fullmatch(label):
                names.setdefault(label, set()).add(row["name"])
    return {label: found.pop() for label, found in names.items() if len(found) == 1}


def domain_name(row):
    """What names of signals that each domain has begin with."""
    if not row.chip.sets:
        return f"dom{row.domain}"
    return re.sub(r"(\d)$", r"_dom\1", row["domain"])


def plain_name(text):
    """A name of the documents in lower case; "X.x_y" is not to become "x_x_y"."""
    name = re.sub(r"\[(\d+)\]$", r"_\1", text)
    name = re.sub(r"[\[\]*]", "", name)
    name = re.sub(r"[. _]+", "_", name).lower()
    return re.sub(r"^([a-z]+)_\1_", r"\1_", name)


def trailer_name(row, name):
    """The name of what every domain has, or None if this is nothing such."""
    found = IMPORT.fullmatch(name)
    if found:
        prefix = re.sub(r"\d$", found[1], domain_name(row))
        suffix = "" if domain_name(row) == prefix else f"_in_{domain_name(row)[-4:]}"
        return f"{prefix}_{found[2].lower()}{suffix}"
    if name in OF_DOMAIN:
        return f"{domain_name(row)}_{OF_DOMAIN[name]}"
    if name.startswith("PCOUNTER."):
        return f"{domain_name(row)}_{plain_name(name.removeprefix('PCOUNTER.'))}"
    return None


def row_name(row, documented):
    """The name of an event, or None if the row has none."""
    name = documented.get(row["name"], row["name"])
    found = FERMI_LABEL.fullmatch(name)
    if found:
        user = re.fullmatch(r"user_\d", found[2])
        name = f"PCOUNTER.{found[2]}" if user else f"{found[1]}_{found[2]}"
    if UNNAMED.search(name):
        return None
    source = re.search(r"source=0x[0-9a-f]+ \(([\w.\[\]]+)\)", row["mux"])
    if source and re.fullmatch(r"MUX\[\d\]|PM_SEL_\d", name):
        name = f"{source[1]}.{name}"
    return trailer_name(row, name) or plain_name(name)


def domains_of(row):
    """How many domains there are in the set of a row's domain."""
    if isinstance(row.domain, int):
        return row.chip.domains
    return row.chip.gpc_domains if row.domain[0] == "gpc" else row.chip.part_domains


def absent(row):
    """Is it the EVENT or FLAG of a domain that the chip does not have?"""
    found = IMPORT.fullmatch(row["name"])
    return bool(found) and int(found[1]) >= domains_of(row)


def confidence_of(row, disputed):
    documents = set(re.split(r"[ +]", row["sources"])) - {"spec-layout"}
    if (row.chip.name, row["domain"], row.signal) in disputed:
        return DISPUTED
    return SEVERAL if len(documents) > 1 else ONE


def check_range(row):
    """Nothing comes after the trailer, where its base is known for certain."""
    base = row.chip.trailer.get(row.domain)
    if base is None or row.domain in row.chip.disputed:
        return
    if row.signal >= base + row.chip.trailer_size:
        row.refuse(f"{row.chip.name} domain {row['domain']} has no signal {row.signal:#04x}")


def separate(events):
    """Signals of one name in several domains of a chip get the domain's, too."""
    names = {}
    for event in events:
        names.setdefault(event.name, []).append(event)
    for name, same in names.items():
        if len(same) > 1:
            for event in same:
                event.name = f"{name}_in_{domain_name(event.row)}"


def sums(events):
    """Numbers of which a single event can add up the lowest four bits, or all."""
    by_name = {event.name: event for event in events}
    found = []
    for event in events:
        stem = event.name.removesuffix("_0")
        if stem == event.name or event.row["kind"] != "int-bit" or \
           event.chip.bucket not in SUM_BUCKETS:
            continue
        bits = [by_name.get(f"{stem}_{bit}") for bit in range(SUM_BITS)]
        if None in bits or [bit.signal for bit in bits] != \
           list(range(event.signal, event.signal + SUM_BITS)):
            continue
        total = Event(event.row, stem, event.confidence)
        total.bits = SUM_BITS
        total.description = f"sum of the {SUM_BITS}-bit number {stem}"
        if f"{stem}_{SUM_BITS}" in by_name:
            total.name = f"{stem}_low"
            total.description = f"sum of the low {SUM_BITS} bits of the number {stem}"
        found.append(total)
    return found


def check_names(events):
    names = set()
    for event in events:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", event.name):
            event.row.refuse(f"bad event name {event.name!r}")
        if re.search(r"dom\d_cycles$", event.name) or event.name in names:
            event.row.refuse(f"{event.chip.name} has two events {event.name}")
        names.add(event.name)


class Names:
    """All events, by chip, and what has become of the rows that are none."""

    def __init__(self, tables, muxes):
        self.chips, self.rows = read_tables(tables)
        self.unnamed = {}
        self.absent = {}
        self.events = {}
        disputed = read_disputed_signals(tables / "disputed-signals.csv", self.rows)
        documented = documented_names(self.rows)
        for row in self.rows:
            check_range(row)
            name = row_name(row, documented)
            if absent(row):
                self.absent[row.chip.name] = self.absent.get(row.chip.name, 0) + 1
            elif not name:
                self.unnamed[row.chip.name] = self.unnamed.get(row.chip.name, 0) + 1
            else:
                event = Event(row, name, confidence_of(row, disputed))
                if row.chip.sets:
                    event.mux = self.mux_of(event, muxes)
                self.events.setdefault(row.chip.name, []).append(event)
        self.finish()

    @staticmethod
    def mux_of(event, muxes):
        name = UNIT_MUXES.get(re.sub(r"_[0-9a-f]+$", "", event.name)) or \
               UNIT_MUXES.get(event.name)
        if name and name not in muxes:
            raise TableError(f"the driver has no mux {name}")
        return muxes[name] if name else None

    def finish(self):
        self.named_rows = {}
        for name, events in self.events.items():
            separate(events)
            self.named_rows[name] = len(events)
            events += sums(events)
            check_names(events)
            events.sort(key=lambda event: (SETS.index(event.set), event.number,
                                           event.signal, event.bits))

    def in_order(self):
        """Chips that have events, in the order of their ids, which is that of time."""
        return sorted((chip for chip in self.chips.values() if chip.name in self.events),
                      key=lambda chip: chip.chipset)


def read_names(tables):
    return Names(tables, read_muxes(DRIVER / "hw/mux_table.c"))
