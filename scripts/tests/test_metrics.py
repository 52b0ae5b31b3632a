# SPDX-License-Identifier: GPL-2.0-only
"""Metrics and texts of events, against each other and against counts of real cards."""

import re
import unittest
from collections import defaultdict

import load
import hwtables     # importable after "import load"

read_csv = load.script("gen-pages").read_csv

WORD = re.compile(r"cycles\((\w+)\)|\b([a-z]\w*)")
TEXTS = list(hwtables.read_rows(hwtables.TABLES / "event-texts.csv"))
METRICS = list(hwtables.read_rows(hwtables.TABLES / "metrics.csv"))


def text_of(name):
    """Return the unit and the text of an event, None if no row has it."""
    for row in TEXTS:
        found = re.fullmatch(row["pattern"], name)
        if found:
            return row["unit"], found.expand(row["text"])
    return None


def counts():
    """Return the counts and clocks of each card by the names of events."""
    runs = {(row["chip"], row["trace"]): row for row in read_csv("events.csv")}
    for alias in read_csv("aliases.csv"):
        same = runs.get((alias["chip"].upper(), alias["same_as"]))
        if same:
            runs.setdefault((alias["chip"].upper(), alias["trace"]), same)
    public = {row["trace"]: row["event"] for row in read_csv("public.csv")}
    found = defaultdict(dict)
    for (chip, trace), row in runs.items():
        name, _, card = trace.partition(".")
        for known in {name, public.get(name, name)}:
            found[chip, card][known] = int(row["read"]), int(row["cycles"] or 0)
    return found


class Recorded(unittest.TestCase):
    """Each share is one on each card whose recordings have all of its events."""

    def test_shares(self):
        seen = set()
        for card, known in counts().items():
            for metric in METRICS:
                names = {one or other for one, other in WORD.findall(metric["expression"])}
                if metric["unit"] != "%" or not names <= known.keys():
                    continue
                text = WORD.sub(lambda found: f"clocks['{found[1]}']" if found[1] else
                                f"count['{found[2]}']", metric["expression"])
                clocks = {name: known[name][1] for name in names}
                count = {name: known[name][0] for name in names}
                try:
                    value = eval(text, {"clocks": clocks, "count": count})
                except ZeroDivisionError:
                    continue
                seen.add(metric["metric"])
                # each count is of a run of its own, and so are these of the whole GPU
                self.assertTrue(-0.005 <= value <= 1.005,
                                f"{card} {metric['metric']} = {value}: {count}")
        self.assertEqual(seen, {"l1_global_hit_rate", "l2_l1_read_hit_rate",
                                "l2_texture_read_hit_rate", "tex_cache_hit_ratio"})


class Names(unittest.TestCase):
    """A promise is kept by an event."""

    @classmethod
    def setUpClass(cls):
        cls.tables = hwtables.Tables()
        cls.names = {event.name for event in cls.tables.named()}
        for row in hwtables.read_rows(hwtables.TABLES / "idle.csv", cls.tables.ids):
            cls.names |= {f"{row['name']}_busy", f"{row['name']}_idle"}

    def test_each_metric_has_a_chip(self):
        for metric in METRICS:
            words = {one or other for one, other in WORD.findall(metric["expression"])}
            self.assertEqual(words - {"seconds"} - self.names, set(), metric["metric"])

    def test_each_text_has_an_event(self):
        for row in TEXTS:
            self.assertTrue(any(re.fullmatch(row["pattern"], name) for name in self.names),
                            row["pattern"])

    def test_same_registers_same_text(self):
        """Two names of one count on a chip promise the same."""
        names = defaultdict(set)
        for event in self.tables.events:
            for chip in event.chips:
                if event.terms:
                    names[chip.name, tuple(event.terms.items())].add(event.name)
        for same in names.values():
            self.assertEqual(len({text_of(name) for name in same}), 1, same)


if __name__ == "__main__":
    unittest.main()
