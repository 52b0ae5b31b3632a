# SPDX-License-Identifier: GPL-2.0-only
"""The recordings in tools/testing/unit/traces/, and counts of the rules that they show."""

import csv
import re
from collections import Counter, defaultdict

from hwtables import TOP

TRACES = TOP / "tools/testing/unit/traces"
FERMI = 0x180000
MAIN = 0x1b4000
FILTER, SWAP_SRC, CYCLES, CTRL = 0x100, 0x6c, 0x70, 0x9c
COUNTERS = (0x8c, 0x88, 0x80, 0x90)
TRIGGER = 0x2d
TPC_MUXES = 0x504000


def read_csv(name):
    with open(TRACES / name, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


class Card:
    """A card of replayed.csv, with its runs."""

    def __init__(self, row):
        self.chip, self.set, self.name = row["chip"], row["set"], row["card"]
        self.runs = {}

    def __str__(self):
        name = self.name.removeprefix("GeForce ")
        return f"{self.chip} {name}" if name != "not named" else self.chip

    def operations(self):
        for run in self.runs.values():
            for call in run:
                yield from call


def domain_of(addr):
    """Return kind of set, unit and domain of a register of GF100 and later."""
    at = addr - FERMI
    if not 0 <= at < 0x30000:
        return None
    return ("gpc", "part")[at // 0x20000], at % 0x20000 // 0x1000, at % 0x1000 // 0x200


def is_mux(addr):
    return 0x10f000 <= addr < FERMI or 0x404000 <= addr < 0x600000


def read_runs(path):
    """Return the runs of a file: name, and its calls as lists of (is a write, address, value)."""
    runs, calls = {}, []
    for line in path.read_text(encoding="ascii").splitlines():
        word, *rest = line.split()
        if word == "run":
            run = runs.setdefault(rest[0], [])
        elif word == "call":
            calls.append([])
            run.append(calls[-1])
        elif word == "again":
            run.append(calls[int(rest[0])])
        else:
            calls[-1].append((word == "w", int(rest[0], 16), int(rest[1], 16)))
    return runs


def read_cards():
    """Return all cards in the order of replayed.csv."""
    cards = [Card(row) for row in read_csv("replayed.csv")]
    for chip in dict.fromkeys(card.chip for card in cards):
        own = {card.set: card for card in cards if card.chip == chip}
        for name, run in read_runs(TRACES / f"{chip.lower()}.txt").items():
            end = re.search(r"\.[abc]$", name)
            own[end[0] if end else ""].runs[name] = run
    return cards


def bases(card):
    """Return the values of SWAP_SRC by kind of set and domain, with the number of writes."""
    found = defaultdict(Counter)
    for write, addr, value in card.operations():
        at = domain_of(addr)
        if write and at and addr % 0x200 == SWAP_SRC:
            found[at[0], at[2]][value] += 1
    return found


class Rule:
    """A rule: cases that agree, all cases, and cards on which a case could have failed."""

    def __init__(self, text):
        self.text = text
        self.good = self.all = self.not_zero = 0
        self.cards = {}

    def add(self, card, good, could_fail=True, value=0):
        self.good += good
        self.all += 1
        self.not_zero += value != 0
        if could_fail:
            self.cards[str(card)] = card

    def cases(self):
        text = f"{spaced(self.good)} of {spaced(self.all)}"
        return text + (f", {spaced(self.not_zero)} not 0" if self.not_zero else "")

    def could_fail(self, cards):
        """Name the cards; @cards are all of them."""
        if len(self.cards) == len(cards):
            return "all"
        return ", ".join(str(card) for card in cards if str(card) in self.cards) or "none"


def spaced(number):
    return f"{number:,}".replace(",", " ")


TEXTS = {
    "R1": "a chip's domain has one SWAP_SRC, on every card",
    "R2": "CYCLES of the domains of one call differ by at most 1",
    "R3": "the start of MAIN is the same, once in each run",
    "R4": "a counter that is read again in its pass is unchanged",
    "R5": "domain 1 + t is TPC t's, in a GPC with all TPCs",
    "R5, TPC lost": "domain 1 + t is TPC t's, in a GPC that has lost one",
    "R6": "partitions are numbered without holes",
    "R7": "the PMFB of partition p is enabled for its domain",
    "R8": "nothing is cleared at the end",
    "R9, mode 1": "EVENT is the value reported",
    "R9, mode 2": "EVENT is the value reported",
    "R9, mode 5": "all counters are 0, as reported",
    "R9, mode 6": "PRE is the value reported",
    "R9, mode 7": "EVENT is the value reported",
    "R10": "the counter has the value reported",
    "R13": "FILTER is 0 in each domain used",
    "gate": "from GM107 on HUB.DISPATCH is enabled if and only if a mux is",
}
START = [(0x50, 0), (0x54, 0), (0x58, 0), (0x00, 4), (0x00, 0)] + \
    [(word, 0xffffffff) for word in (0x20, 0x40, 0x28, 0x48, 0x24, 0x44)] + \
    [(0x08, 0x701), (0x104, 0xffffffff)]


def look_values(call, offset):
    return [value for write, addr, value in call
            if not write and domain_of(addr) and addr % 0x200 == offset]


def count_look(rules, card, call):
    cycles = look_values(call, CYCLES)
    if len(cycles) > 1:
        rules["R2"].add(card, max(cycles) - min(cycles) <= 1)


def count_start(rules, card, run):
    """The words of the start of MAIN."""
    words = [(addr - MAIN, value) for call in run for write, addr, value in call
             if write and MAIN <= addr < MAIN + 0x200]
    rules["R3"].add(card, words == START)


class Run:
    """The registers in a run, operation by operation."""

    def __init__(self, rules, card, parts):
        self.rules, self.card, self.parts = rules, card, parts
        self.now = {}
        self.filters = set()
        self.seen = {}
        self.enabled_at_look = set()

    def write(self, addr, value):
        at = domain_of(addr)
        self.now[addr] = value
        if at and addr % 0x200 == FILTER:
            self.filters.add(at)
        elif at and addr % 0x200 == CTRL:
            self.seen = {old: val for old, val in self.seen.items() if domain_of(old) != at}
            self.rules["R13"].add(self.card, at in self.filters)
        elif at and addr % 0x200 == SWAP_SRC:
            self.begin(*at)

    def begin(self, kind, unit, dom):
        """Look at the muxes that are enabled as a period begins."""
        tpcs = {(addr - TPC_MUXES) // 0x800 % 16 for addr in self.enabled()
                if addr >= TPC_MUXES and (addr - 0x500000) // 0x8000 == unit}
        units = {(addr - 0x140000) // 0x2000 for addr in self.enabled()
                 if 0x140000 <= addr < 0x17e000}
        if kind == "gpc" and len(tpcs) == 1 and self.card.chip >= "GK":
            lost = self.card.chip == LOST_TPC
            self.rules["R5, TPC lost" if lost else "R5"].add(self.card, dom == tpcs.pop() + 1, lost)
        if kind == "part" and units:
            self.rules["R7"].add(self.card, unit in units, self.parts > 1)

    def read(self, addr, value):
        at = domain_of(addr)
        if not at or addr % 0x200 not in (*COUNTERS, CYCLES):
            return
        if addr in self.seen:
            self.rules["R4"].add(self.card, value == self.seen[addr])
        self.seen[addr] = value
        self.enabled_at_look = self.enabled()

    def enabled(self):
        return {addr for addr, value in self.now.items()
                if is_mux(addr) and value & (1 if addr < FERMI else 1 << 31)}

    def end(self):
        enabled = self.enabled_at_look
        if enabled:
            self.rules["R8"].add(self.card, enabled <= self.enabled())
        if self.card.chip >= "GM":
            self.rules["gate"].add(self.card, (GATE in enabled) == bool(enabled - {GATE}))


LOST_TPC = "GM107"
GATE = 0x40415c


def count_run(rules, card, calls, parts):
    run = Run(rules, card, parts)
    count_start(rules, card, calls)
    for call in calls:
        count_look(rules, card, call)
        for write, addr, value in call:
            (run.write if write else run.read)(addr, value)
    run.end()


def count_partitions(rules, card, count, mask):
    used = {at[1] for write, addr, _ in card.operations()
            if write and (at := domain_of(addr)) and at[0] == "part"}
    for unit in used:
        rules["R6"].add(card, unit < count - bin(mask).count("1"), mask != 0)


def count_bases(rules, cards):
    """A base belongs to the chip: that could fail where a chip has several cards."""
    first = {}
    for card in cards:
        for (kind, dom), values in bases(card).items():
            constant = first.setdefault((card.chip, kind, dom), next(iter(values)))
            several = sum(other.chip == card.chip for other in cards) > 1
            for value in values.elements():
                rules["R1"].add(card, value == constant, several)


def count_values(rules, cards):
    """Compare the values of the runs of single counters with those reported."""
    modes = {"EVENT_B4": "R9, mode 1", "EVENT_B6": "R9, mode 2", "MODE5": "R9, mode 5",
             "MODE6": "R9, mode 6", "MODE7": "R9, mode 7"}
    for row in read_csv("events.csv"):
        end = re.search(r"\.[abc]$", row["trace"])
        card = next(card for card in cards if card.chip == row["chip"] and
                    card.set == (end[0] if end else ""))
        same, value = row["read"] == row["reported"], int(row["read"])
        if row["reported"]:
            rules["R10"].add(card, same, value, value)
        if row["reported"] and row["mode"] in modes:
            rules[modes[row["mode"]]].add(card, same, value, value)


def count_rules(cards):
    """Return all rules with their counts; R1 to R8 and R13 are of GF100 and later."""
    rules = {name: Rule(text) for name, text in TEXTS.items()}
    later = [card for card in cards if card.chip[:2] in ("GF", "GK", "GM")]
    for card in later:
        units = defaultdict(set)
        for _, addr, value in card.operations():
            units[addr].add(value)
        parts = len({at[1] for _, addr, _ in card.operations()
                     if (at := domain_of(addr)) and at[0] == "part"})
        for calls in card.runs.values():
            count_run(rules, card, calls, parts)
        # the lower values are this card's, where another one was in the machine
        if 0x22548 in units:
            count_partitions(rules, card, min(units[0x22438]), min(units[0x22548]))
    count_bases(rules, later)
    count_values(rules, cards)
    return rules
