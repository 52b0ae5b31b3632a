#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write tables of the evidence for each statement into the pages.

usage: gen-pages.py               write them
       gen-pages.py --check       exit 1 unless they are current
       gen-pages.py --signals DIR write the list of all signals into DIR

From scripts/tables/ and from the numbers that test_configurations keeps in
tools/testing/unit/traces/.
"""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from hwtables import BASE_SOURCES, EVENT_CONFIDENCES, TABLES, TOP, TableError, Tables, \
    read_chips, read_rows  # noqa: E402
from pages import heading, item, list_table, settle, table, with_parts  # noqa: E402

sys.path.insert(0, str(TOP / "tools/testing/unit/traces"))
from recordings import TRIGGER, Card, bases as bases_of, count_rules, read_cards, \
    read_csv, spaced  # noqa: E402

SCRIPT = Path(__file__).name

# ---- the evidence for a chip ----

# Maxwell and Pascal whose addresses a document has (hw:real-cards/d11).
ADDRESSES = {"GM107", "GM20B", "GP106", "GP10B"}
SOURCES = [*BASE_SOURCES, "inferred", "unknown"]
FAMILY_HEAD = ("documents alone", "documents and recordings", "no document is sure",
               "trailer bases: known, inferred, unknown",
               "recorded configurations that the driver sets as NVIDIA's")


def nr_cards(cards):
    """Count cards; one may have several sets of runs."""
    return len({(card.chip, card.name.partition(" (")[0]) for card in cards})


class Basis:
    """The knowledge of a chip, with its sources."""

    def __init__(self, chip, numbers, cards):
        self.cards = nr_cards(card for card in cards if card.chip == chip.name)
        self.chip = chip
        self.sure = chip.presence == "yes"
        own = [row for row in numbers if row["chip"] == chip.name]
        self.numbers = total(own) if own else None
        self.bases = dict.fromkeys(SOURCES, 0)
        for source in chip.sources.values() if chip.sets else []:
            # the driver probes a disputed base as well, but documents have it
            self.bases[source.replace("disputed", "document")] += 1

    def registers(self):
        if self.numbers:
            return "both"
        return "document" if self.sure or self.chip.name in ADDRESSES else "inferred"

    def trailers(self):
        if not self.chip.sets:
            return "document" if self.sure else self.registers()
        return ", ".join(f"{count} {source}" for source, count in self.bases.items() if count)


NUMBERS = ("configurations", "equal", "equal_zero", "function", "function_zero",
           "not_expressed", "plain")


def total(rows):
    """Return the sums of the numbers of several cards."""
    return {name: sum(int(row[name]) for row in rows) for name in NUMBERS}


def compared(numbers):
    """Return how many of the configurations match NVIDIA's driver."""
    return (sum(row["equal"] + row["function"] for row in numbers),
            sum(row["configurations"] for row in numbers))


def basis(bases):
    """Return one line for all chips with the same evidence."""
    lines = {}
    for one in bases:
        known = "%d of %d" % compared([one.numbers]) if one.numbers else "nothing"
        key = (one.registers(), one.trailers(), one.cards, known)
        lines.setdefault(key, []).append(one.chip.name)
    return list_table(("chips", "registers", "trailer bases", "cards", "compared"),
                      (34, 14, 28, 8, 16),
                      [(", ".join(chips), *row) for row, chips in lines.items()])


def family_row(bases):
    """Return a family's row: chips by their evidence, trailer bases, configurations."""
    traced = [one.chip.name for one in bases if one.numbers]
    sure = [one.chip.name for one in bases if one.sure and not one.numbers]
    rest = [one.chip.name for one in bases if not one.sure and not one.numbers]
    sums = {source: sum(one.bases[source] for one in bases) for source in SOURCES}
    known = sum(sums[source] for source in BASE_SOURCES)
    done, total = compared([one.numbers for one in bases if one.numbers])
    return (*(", ".join(chips) for chips in (sure, traced, rest)),
            f"{known}, {sums['inferred']}, {sums['unknown']}" if any(sums.values()) else "",
            f"{done} of {total}" if total else "")


def families(bases):
    """Return an entry for each family."""
    entries = []
    for family in dict.fromkeys(one.chip.family for one in bases):
        values = family_row([one for one in bases if one.chip.family == family])
        entries.append(f"{family}\n" + "".join(item(f"{name}: {value}", "   - ") for name, value
                                               in zip(FAMILY_HEAD, values) if value))
    return "\n".join(entries)


def configurations(numbers):
    """Return a row for each card; in brackets the configurations of which it counted 0."""
    def line(name, sums):
        return (name, sums["configurations"], f"{sums['equal']} ({sums['equal_zero']})",
                f"{sums['function']} ({sums['function_zero']})", sums["not_expressed"])

    return table(("card", "configurations", "equal (0)", "same function (0)", "not expressed"),
                 [*(line(str(Card(row)), total([row])) for row in numbers),
                  line("all", total(numbers))])


def trailers(cards):
    """Return the signals by which NVIDIA's driver ends periods, card by card."""
    rows = []
    for card in cards:
        texts = {"gpc": [], "part": []}
        for (kind, dom), values in sorted(bases_of(card).items()):
            texts[kind] += [f"{dom}: {value:#04x}, {value - TRIGGER:#04x} ({times})"
                            for value, times in values.items()]
        if any(texts.values()):
            rows.append([str(card), *("; ".join(text) or "none" for text in texts.values())])
    return list_table(("card", "GPC domain: SWAP_SRC, base (writes)",
                       "partition domain: SWAP_SRC, base (writes)"), (30, 35, 35), rows)


def rules(cards):
    """Return the rules, with their cases and the cards on which they could have failed."""
    later = [card for card in cards if card.chip[:2] in ("GF", "GK", "GM")]
    return list_table(("rule", "statement", "cases", "could have failed on"), (6, 34, 16, 44),
                      [(name, rule.text, rule.cases(), rule.could_fail(later))
                       for name, rule in count_rules(cards).items()])


EXCUSES = {
    "given": "the first read of a mux in a run: the test puts the answer into the model first",
    "image": "reads of memory muxes that NVIDIA's driver takes from the image of the graphics "
             "context: an older value, another mux's value, or the fill pattern",
    "other_card": "reads of the numbers of units of another card in the same machine",
    "memory_controller": "0x1410dc, read once a run and never written; no source knows it",
}


def excuses(rows):
    """Return the accesses that the model does not explain, with the reason."""
    sums = {name: sum(int(row[name]) for row in rows) for name in ("accesses", "explained",
                                                                   *EXCUSES)}
    text = item(f"Of {spaced(sums['accesses'])} accesses the model explains "
                f"{spaced(sums['explained'])}. The others have one of these excuses:", "")
    return text + "\n" + list_table(
        ("excuse", "accesses", "cards"), (50, 10, 40),
        [(why, spaced(sums[name]), cards_with(rows, name)) for name, why in EXCUSES.items()])


def cards_with(rows, name):
    found = [row for row in rows if row[name] != "0"]
    if len(found) == len(rows):
        return "all"
    if len(found) > len(rows) // 2:
        return "all but " + ", ".join(str(Card(row)) for row in rows if row not in found)
    return ", ".join(f"{Card(row)} ({row[name]})" for row in found)


def reasons(missing):
    """Return the reasons of unexpressed configurations, one line of a list for each reason."""
    text = ""
    for why in dict.fromkeys(row["why"] for row in missing):
        whats = [row["what"].removeprefix("mux ") if row["chip"] == "any" else row["chip"]
                 for row in missing if row["why"] == why]
        named = [what for what in whats if "." in what or what.isupper()]
        text += item(f"{', '.join(named)}: {why}." if named else f"{why}.")
    return text


def status(numbers, cards):
    sums = total(numbers)
    done = sums["equal"] + sums["function"]
    plain = "" if sums["plain"] == sums["equal"] else f" in {sums['plain']} of them"
    return item(f"Of {spaced(sums['configurations'])} recorded configurations of {nr_cards(cards)} "
                f"cards the driver has terms for {spaced(done)}. With the term swap= and the "
                "signal by which NVIDIA's driver ends periods (trailer base + 0x2d, before GF100 "
                f"+ 0x0f) {sums['equal']} of them leave the same registers as NVIDIA's driver did, "
                f"bit for bit, and {sums['function']} leave others that count the same. Such an "
                "event counts only if a program sends triggers. Without swap= the driver ends the "
                f"periods itself: then the {sums['equal']} are equal bit for bit{plain} but for "
                "SWAP_SRC and, where the event leaves PRE free, PRE_OP.", "") + "\n" + \
        item(f"The model counts what the cards counted in all {spaced(done)}. Where a card counted "
             f"0, that says nothing: {sums['equal_zero']} of the {sums['equal']}, and "
             f"{sums['function_zero']} of the {sums['function']}.", "")


# ---- the fate of the names of NVIDIA's tools ----

A_SIGNAL = "a signal of that name and place"


def public_events(tables):
    """Return the number of each chip's names that are events, and under each
    reason the other names.
    """
    by_chip = tables.by_chip(tables.events)
    why = list(dict.fromkeys(event.row["missing"] for event in tables.events
                             if event.row["missing"] not in ("", A_SIGNAL)))
    letters = [chr(ord("a") + n) for n in range(len(why))]
    rows = []
    for chip, events in by_chip.items():
        signals, *missing = (sum(event.row["missing"] == reason for event in events)
                             for reason in [A_SIGNAL, *why])
        known = [sum(event.confidence == word for event in events) for word in EVENT_CONFIDENCES]
        rows.append([chip.name, len(events), sum(known) + signals, *known, signals, *missing])
    text = table(["chip", "names", "offered", "traced", "checked", "docs", "signals", *letters],
                 [[cell or "." for cell in row] for row in rows], gap=" ")
    for letter, reason in zip(letters, why):
        text += f"\n{letter}: {reason}\n"
        names = {}
        for chip, events in by_chip.items():
            for event in events:
                if event.row["missing"] == reason:
                    names.setdefault(event.name, []).append(chip.name)
        where = {}
        for name, chips in sorted(names.items()):
            where.setdefault(" ".join(chips), []).append(name)
        for chips, found in where.items():
            text += item(f"{', '.join(found)} ({chips})", "   - ", break_on_hyphens=False)
    return text


# ---- the questions of the sources ----

PAGES = TOP / "Documentation/gpu/pcounter"


def reference(cited):
    """Return the reference to a section that is cited as hw:PAGE/SECTION."""
    return f":ref:`pcounter-{cited.replace(':', '-').replace('/', '-')}`"


def answer(row, experiments):
    """Return the answer to a question, and the row of the ambiguities that it leads to."""
    kind, where = row["answer"], row["where"]
    if kind == "code" and (TOP / where).is_file():
        return f"code, ``{where}``: {row['why']}", 0
    if kind == "experiment" and where in experiments:
        number = int(experiments[where]["row"])
        cited = f" ({reference(f'hw:ambiguities/{number}')})" if number else ""
        return f"experiment ``{where}``{cited}: {row['why']}", number
    if kind == "reason" and where.startswith("hw:"):
        number = where.partition("hw:ambiguities/")[2]
        return f"{row['why']}; {reference(where)}", int(number or 0)
    return row.refuse(f"no {kind} {where!r}")


def questions(path=TABLES / "questions.csv"):
    """Return the questions of the sources and their answers. Each row has to be reached."""
    experiments = {row["name"]: row for row in read_rows(TABLES / "experiments.csv")}
    missing = set(map(int, re.findall(r"^\.\. _pcounter-hw-ambiguities-(\d+):$",
                                      (PAGES / "ambiguities.rst").read_text(encoding="utf-8"),
                                      re.M)))
    lines = []
    for row in read_rows(path):
        text, number = answer(row, experiments)
        lines.append((row["source"], row["question"], text))
        missing.discard(number)
    if missing:
        raise TableError(f"{path.name}: no question leads to the rows of hw:ambiguities "
                         f"{', '.join(map(str, sorted(missing)))}")
    return list_table(("source", "question", "answer"), (16, 38, 46), sorted(lines))


# ---- the list of all signals ----

SIGNALS_HEAD = f"""\
.. SPDX-License-Identifier: GPL-2.0-only
.. generated by scripts/{SCRIPT} from scripts/tables/; do not edit

============================
Signals of PCOUNTER, by name
============================

Every event of ``events/`` but the cycles of the domains: what the documents say
of it, its kind, and for each chip the domain, the number of the signal there
and how well that is documented: ``several`` documents, ``one``, or ``disputed``
where they disagree. The documents are those of ``scripts/tables/README``; the
label in brackets is theirs. **No name has been compared with a real card.** See
Documentation/admin-guide/perf/pcounter-names.rst for how names are made and
what to make of them.
"""
TITLES = {"host": "Host, bus and time", "trailer": "Signals that each domain has"}
HOST = ("HOST", "PBUS", "PTIMER", "HEAD0", "HEAD1", "MEMORY")


def unit_of(event):
    """Return the heading of an event."""
    label = event.row["label"]
    if event.row["kind"] == "trailer" or label.startswith("PCOUNTER."):
        return "trailer"
    unit = re.split(r"[._ \[]", label)[0].upper()
    if re.fullmatch(r"(PC|GPC|PART|HUB)\d\d|GPC|TPC|SETUP|PM|MUX", unit):
        parts = event.name.split("_")
        unit = "_".join(parts[:2] if parts[0] in ("gpc", "tpc", "part") else parts[:1]).upper()
    return "host" if unit in HOST else unit


def places(events):
    """Return chips with the same place and confidence together."""
    same = {}
    for chip, event in events:
        kind, number = event.domain
        mux = f" mux {event.terms['mux']}" if "mux" in event.terms else ""
        place = (f"{kind if chip.sets else ''}{number} {event.terms['sig']:#04x}{mux}"
                 f"{'+' if 'ctr' in event.terms else ''}")
        same.setdefault((place, event.confidence), []).append(chip.name)
    return "; ".join(f"{' '.join(chips)}: {place} ({confidence})"
                     for (place, confidence), chips in same.items())


def plain(text):
    """Escape text for Sphinx: a star stays a star, and no word becomes a link."""
    return re.sub(r"\*|_(?![A-Za-z0-9])", r"\\\g<0>", text)


def signal_entry(name, events):
    rows = [event.row for _, event in events]
    labels, texts, kinds = (sorted({row[column] for row in rows} - {"unknown"})
                            for column in ("label", "description", "kind"))
    sources = sorted({source for row in rows for source in row["sources"].split(" ")})
    text = f"{'; '.join(texts)} [{', '.join(labels)}]" + (f", {', '.join(kinds)}" if kinds else "")
    return (f"``{name}``\n   {plain(text)}. {', '.join(sources)}.\n\n"
            f"   {places(events)}\n\n")


def signals_page(tables):
    units = {}
    for chip, events in tables.named_signals().items():
        for event in events:
            units.setdefault(unit_of(event), {}).setdefault(event.name, []).append((chip, event))
    text = SIGNALS_HEAD
    for unit in sorted(units, key=lambda unit: (unit in TITLES, unit)):
        text += heading(TITLES.get(unit, unit))
        text += "".join(signal_entry(name, units[unit][name]) for name in sorted(units[unit]))
    return text


def pages(tables):
    numbers = read_csv("expressed.csv")
    cards = read_cards()
    bases = [Basis(chip, numbers, cards) for chip in read_chips().values() if chip.presence != "no"]
    parts = {
        "Documentation/gpu/pcounter/real-cards.rst": {
            "rules": rules(cards),
            "trailers": trailers(cards),
            "configurations": configurations(numbers),
            "reasons": reasons(read_csv("not-expressed.csv")),
            "basis": basis(bases),
        },
        "Documentation/gpu/pcounter/questions.rst": {"questions": questions()},
        "Documentation/model.rst": {"excuses": excuses(read_csv("replayed.csv"))},
        "Documentation/status.rst": {"status": status(numbers, cards), "families": families(bases)},
        "Documentation/admin-guide/perf/pcounter-events.rst": {"names": public_events(tables)},
    }
    return {TOP / name: with_parts(SCRIPT, TOP / name, texts) for name, texts in parts.items()}


def main():
    args = sys.argv[1:]
    if len(args) == 2 and args[0] == "--signals":
        folder = Path(args[1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pcounter-signals.rst").write_text(signals_page(Tables()), encoding="utf-8")
    elif args in ([], ["--check"]):
        settle(SCRIPT, pages(Tables()), bool(args))
    else:
        sys.exit(__doc__.split("\n\n")[1])


if __name__ == "__main__":
    main()
