# SPDX-License-Identifier: GPL-2.0-only
"""Metrics and texts of events, against each other and against counts of real cards."""

import random
import re
import unittest
from collections import defaultdict

import load
import hwtables     # importable after "import load"

read_csv = load.script("gen-pages").read_csv

WORD = re.compile(r"cycles\((\w+)\)|\b([a-z]\w*)")
TEXTS = list(hwtables.read_rows(hwtables.TABLES / "event-texts.csv"))
METRICS = list(hwtables.read_rows(hwtables.TABLES / "metrics.csv", hwtables.Tables().ids))


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
                names = events_of(metric)
                if metric["unit"] != "%" or not names <= known.keys():
                    continue
                clocks = {name: known[name][1] for name in names}
                count = {name: known[name][0] for name in names}
                try:
                    value = evaluate(metric["expression"], count, clocks)
                except ZeroDivisionError:
                    continue
                seen.add(metric["metric"])
                # each count is of a run of its own, and so are these of the whole GPU
                self.assertTrue(-0.005 <= value <= 1.005,
                                f"{card} {metric['metric']} = {value}: {count}")
        self.assertEqual(seen, {"l1_global_hit_rate", "l2_l1_read_hit_rate", "l2_read_of_peak",
                                "l2_texture_read_hit_rate", "l2_write_of_peak",
                                "tex_cache_hit_ratio"})


def evaluate(expression, count, clocks, seconds=1):
    text = WORD.sub(lambda found: f"clocks['{found[1]}']" if found[1] else
                    "seconds" if found[2] == "seconds" else f"count['{found[2]}']", expression)
    return eval(text, {"clocks": clocks, "count": count, "seconds": seconds})


def events_of(metric):
    return {one or other for one, other in WORD.findall(metric["expression"])} - {"seconds"}


class Meanings(unittest.TestCase):
    """The name of a metric says what it must be for any counts."""

    def setUp(self):
        self.rng = random.Random(1)

    def value(self, metric, **changed):
        """Return the value of a metric for fixed counts, some of which are changed."""
        rng = random.Random(metric["expression"])
        count = {name: rng.randrange(1000, 5000) for name in sorted(events_of(metric))}
        count.update(changed)
        clocks = {name: 10000 for name in count}
        return evaluate(metric["expression"], count, clocks, 2), count

    def test_busy_and_waiting(self):
        for metric in METRICS:
            value, count = self.value(metric)
            if not re.search("_busy$|_waits_for_", metric["metric"]):
                continue
            name, = count
            share = count[name] / 10000
            self.assertAlmostEqual(value, 1 - share if name.endswith("_idle") else share)
            # its own event, or that of the engine which stands for it
            stem = metric["metric"].removesuffix("_busy")
            self.assertTrue(name.startswith((stem, "p" + stem)) or
                            (stem, name) in self.OTHER, (metric["metric"], name))
            self.assertEqual((metric["scale"], metric["unit"]), ("100", "%"))

    OTHER = {("gpu", "gr_busy"), ("gpu", "pgraph_idle"), ("shader", "active_cycles"),
             ("any", "gr_copy_idle"), ("video", "pvld_idle"), ("security", "psec_idle")}

    def test_hits_and_misses(self):
        """A hit raises a hit rate, and a miss lowers it."""
        for metric in METRICS:
            if "hit" not in metric["metric"]:
                continue
            value, count = self.value(metric)
            for name, number in count.items():
                more = self.value(metric, **{name: number + 500})[0]
                if "miss" in name:
                    self.assertLess(more, value, (metric["metric"], name))
                elif "hit" in name:
                    self.assertGreater(more, value, (metric["metric"], name))

    def test_units(self):
        for metric in METRICS:
            share = re.search("_(busy|share|ratio|kill_rate|hit_rate|cull_rate|of_peak)$|_waits_for_",
                              metric["metric"])
            self.assertEqual((metric["unit"] == "%", metric["scale"]),
                             (bool(share), "100" if share else "1"), metric["metric"])

    def test_peaks(self):
        """A share of a peak is that of the number in its text, in its unit."""
        for metric in METRICS:
            self.assertEqual(bool(metric["peak"]), metric["metric"].endswith("_of_peak"))
            if not metric["peak"]:
                continue
            most, what = re.match(r"(\d+) (.+) a clock \(.+\)$", metric["peak"]).groups()
            value, count = self.value(metric)
            self.assertAlmostEqual(value, sum(count.values()) / 10000 / int(most))
            self.assertTrue(all(what.split()[0] in name for name in count), count)

    def test_scale(self):
        """Twice the work makes twice the number, and the same share."""
        for metric in METRICS:
            value, count = self.value(metric)
            twice = evaluate(metric["expression"], {name: 2 * n for name, n in count.items()},
                             {name: 20000 for name in count}, 2)
            same = metric["unit"] == "%" or re.search("_(ratio|per_clock|in_count)$",
                                                      metric["metric"])
            self.assertAlmostEqual(twice / value, 1 if same else 2, msg=metric["metric"])

    def test_parts_of_a_whole(self):
        """The part that a ratio is named after is above the line, the whole below."""
        for metric in METRICS:
            value, count = self.value(metric)
            part = metric["metric"].removesuffix("_ratio")
            if part != metric["metric"] and part.startswith("inst_"):
                self.assertAlmostEqual(value, count[part] / count["inst_executed"])
            found = re.fullmatch(r"(\w+)_per_clock", metric["metric"])
            if found:
                part, = (name for name in count if found[1][:4] in name)
                self.assertAlmostEqual(value, count[part] / count["active_cycles"])
            if re.search("_(kill|cull)_rate|divergent_", metric["metric"]):
                part, = (name for name in count if re.search("killed|culled|divergent", name))
                self.assertAlmostEqual(value * count.pop(part) ** -1, 1 / sum(count.values()))
                self.assertTrue(all(name.split("_")[0][:4] in part for name in count), count)

    def test_rates(self):
        for metric in METRICS:
            value, count = self.value(metric)
            name = metric["metric"]
            if name.endswith("_per_second"):
                stem = re.sub("s_per.*|ices_per.*", "", name)
                short = stem.replace("read", "rd").replace("write", "wr")
                self.assertRegex("".join(count), f"{stem}|{short}")
                self.assertAlmostEqual(value, sum(count.values()) / 2)
                self.assertEqual(metric["unit"], f"{name.removesuffix('_per_second')}/s".replace(
                    "pcie_", ""))
            elif re.search("_bytes(_|$)", name) or metric["unit"] == "B/s":
                self.assertAlmostEqual(value, sum(count.values()) * 32 /
                                       (2 if metric["unit"] == "B/s" else 1))
                self.assertEqual(metric["unit"], "B" if "_bytes" in name else "B/s")
                self.assert_same_words(name, count)
            elif metric["unit"] == "sectors":
                self.assertAlmostEqual(value, sum(count.values()))
                self.assert_same_words(name, count)

    def assert_same_words(self, name, count):
        """Reads are made of reads, and those of a memory of that memory's."""
        for event in count:
            for word in ("read", "write", "sysmem", "vidmem", "tex", "fb"):
                self.assertEqual(word in name, word in event or name == "ia_l2_read_bytes" and
                                 word == "read", (name, event))

    def test_documents(self):
        """Documents give the formulas of some: traces/verified-events.csv."""
        seen = set()
        for row in read_csv("verified-events.csv"):
            for metric in METRICS:
                names = events_of(metric)
                words = set(re.findall(r"[a-z]\w+", row["formula"]))
                if row["event"] != metric["metric"] or words != names or \
                   "cycles(" in metric["expression"]:
                    continue
                for _ in range(3):
                    count = {name: self.rng.randrange(1, 1000) for name in names}
                    self.assertAlmostEqual(evaluate(metric["expression"], count, {}),
                                           evaluate(row["formula"], count, {}))
                seen.add(metric["metric"])
        self.assertEqual(seen, {"fb_read_sectors", "fb_write_sectors", "ia_l2_read_bytes",
                                "rop_samples_in_count"})

    def test_texts(self):
        """The text of an event has the words of its name."""
        words = {"hit": "hit|there|has", "miss": "miss|not there", "read": "read",
                 "write": "write|written",
                 "loads?": "load", "stores?": "store", "geom": "geom",
                 "busy": "work|to do", "idle": "nothing|idle",
                 "sysmem": "sys", "vidmem": "vid", r"tex\d?": "tex", "warps": "warp",
                 "primitive": "primitive", "setup": "setup", "rop_busy": "ROP",
                 "input_assembler": "input assembler",
                 "global": "global", "local": "local", "shared": "shared"}
        for name in sorted(self.names()):
            found = text_of(name)
            if found:
                unit = "transactions" if "transaction" in name else found[0]
                unit = "primitives" if re.match("setup_(line|point|triangle)", name) else unit
                self.assertEqual(found[0], unit, name)
                # no document says what the sums of levels of detail are
                self.assertRegex(f"{name} {found[1]}",
                                 f"{unit.rstrip('s')}|setup_|texture_sample_|shd_|" +
                                 ("branch" if unit == "instructions" else unit))
            for word, said in words.items() if found else ():
                if re.search(rf"(^|_){word}(_|$)", name):
                    self.assertRegex(found[1], said, name)

    @staticmethod
    def names():
        return {event.name for event in hwtables.Tables().named()}


class Texts(unittest.TestCase):
    """A text tells its event from the others."""

    # they say no more than the rest of the name
    SILENT = {"slice", "subp", "_sm", "average", "base", "_rate", "rasterizer_pixels_out",
              "shaded_pixel", None}

    def test_each_event_has_a_text(self):
        for event in hwtables.Tables().events:
            if event.terms:
                self.assertIsNotNone(text_of(event.name), event.name)

    def test_parts_of_the_name(self):
        """Each part of a name that varies is in the text, numbers as often as in the name."""
        for name in sorted(Meanings.names()):
            for row in TEXTS:
                found = re.fullmatch(row["pattern"], name)
                if found:
                    text = found.expand(row["text"])
                    said = re.findall(r"\d+", text)
                    for part in found.groups():
                        if part and part.isdigit():
                            self.assertIn(part, said, (name, text))
                            said.remove(part)
                        elif part not in self.SILENT:
                            self.assertIn(part.rstrip("s")[:5], text, name)
                    break

    def test_two_counts_two_texts(self):
        seen = {}
        for event in hwtables.Tables().events:
            for chip in event.chips if event.terms else ():
                key = chip.name, text_of(event.name)
                terms = seen.setdefault(key, event.terms)
                self.assertEqual(terms, event.terms, (key, event.name))

    def test_metrics(self):
        """The text of a metric has the words of its name and of its events."""
        words = {"busy": "work", "waits_for": "waits? for", "reads?": "read", "writes?": "write",
                 "load": "load", "vs": "vertex", "gs": "geometry", "ps": "pixel",
                 "cs": "compute", "tcs": "control", "tes": "evaluation"}
        for row in METRICS:
            names = "_".join([row["metric"], *sorted(events_of(row))])
            for word, said in words.items():
                if re.search(f"(^|_){word}(_|$)", names):
                    self.assertRegex(row["text"], said, row["metric"])
            self.assertEqual(row["text"].startswith("share of the "), row["unit"] == "%")


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
            self.assertEqual(events_of(metric) - self.names, set(), metric["metric"])

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
