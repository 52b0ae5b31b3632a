# SPDX-License-Identifier: GPL-2.0-only
"""Reports of selftests: sound ones are accepted; damaged, hostile, private ones are not."""

import copy
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import load  # noqa: F401  its path
import hwtables
import selftest_reports as reports

IMPORT = load.SCRIPTS / "import-report.py"
KNOWN = reports.Known()


def report(chip="G84"):
    """Return a report in the program's form."""
    return {
        "kind": "pcounter-selftest", "schema": 1, "program": "0.1.0", "date": "2026-11-22",
        "chip": chip, "kernel": "6.12",
        "gpu": {"device": 0x400, "boot_0": 0x084000a2, "straps": 0, "power": "awake", "driver": "nouveau", "bars": [16777216, 0, 0, 0, 0, 0],
                "domains": 8, "modes": "single quad record"},
        "stages": [
            {"stage": 1, "name": "read", "touches": "nothing: it reads levels of signals, and registers",
             "checks": [{"name": "domain answers", "ok": True, "evidence": [], "domain": "0"}],
             "levels": {"0": [["00000000"] * 8] * 2},
             "registers": {"0": "00a400=00000000 00a420=0000ffff"}},
            {"stage": 2, "name": "count", "touches": "counters, as perf does, and USER signals",
             "checks": [{"name": "clock", "ok": True, "evidence": [400000000, -1],
                         "domain": "0"}]},
        ],
        "experiments": [
            {"name": "single_restart", "row": 2, "verdict": "decided", "reading": 1,
             "text": "yes", "accesses": 100, "evidence": [1, 0, 0, 0, 0, 0]},
            {"name": "pulse_keep", "row": 12, "verdict": "undecided", "accesses": 0,
             "why": "no two domains of a set whose clocks are far enough apart",
             "evidence": [0] * 6},
        ],
        "restored": True,
    }


def changed(path, value):
    """Return a report that is sound except in one place."""
    bad = copy.deepcopy(report())
    at = bad
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(bad).encode()


class Sound(unittest.TestCase):
    def test_of_every_chip(self):
        for chip in KNOWN.chips.values():
            with self.subTest(chip.name):
                reports.load(json.dumps(report(chip.name)).encode(), KNOWN)

    def test_every_experiment_has_readings(self):
        self.assertGreater(len(KNOWN.readings), 20)
        for name, readings in KNOWN.readings.items():
            self.assertTrue(readings, name)
        self.assertEqual(KNOWN.readings["single_restart"], ["no: only from INACTIVE", "yes"])

    def test_quirks_of_a_report(self):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            Path(file.name).write_text(json.dumps(report()), encoding="ascii")
            done = subprocess.run([sys.executable, IMPORT, "--quirks", file.name], check=True,
                                  capture_output=True, text=True)
        self.assertEqual(done.stdout, "quirk single_restart 1\n")

    def test_quirks_are_switches_of_the_model(self):
        scenario = (load.SCRIPTS.parent / "tools/testing/pcounter/model/pcmodel_scenario.c")
        switches = set(re.findall(r"QUIRK\((\w+)\)", scenario.read_text(encoding="utf-8")))
        every = report()
        every["experiments"] = [
            {"name": name, "row": int(KNOWN.rows[name]["row"]), "verdict": "decided", "reading": 0,
             "text": readings[0], "accesses": 1, "evidence": [0] * 6}
            for name, readings in KNOWN.readings.items()]
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            Path(file.name).write_text(json.dumps(every), encoding="ascii")
            done = subprocess.run([sys.executable, IMPORT, "--quirks", file.name], check=True,
                                  capture_output=True, text=True)
        named = {line.split()[1] for line in done.stdout.splitlines()}
        self.assertGreater(len(named), 20)
        self.assertEqual(named - switches, set())


class Refused(unittest.TestCase):
    def refused(self, data, why):
        with self.assertRaisesRegex(reports.ReportError, why):
            reports.load(data, KNOWN)

    def test_damaged(self):
        whole = json.dumps(report()).encode()
        for end in range(0, len(whole) - 1, 97):
            self.refused(whole[:end], "no JSON")
        self.refused(whole.replace(b"kernel", b"k\xffrnel"), "ASCII")
        self.refused(whole.replace(b'"kernel"', b'"date"'), "twice")

    def test_huge_and_deep(self):
        self.refused(b" " * (reports.MOST + 1), "bytes")
        self.refused(b"[" * 50000, "no JSON")
        self.refused(b'{"a":' * 15000 + b"1" + b"}" * 15000, "no JSON")
        self.refused(changed(("gpu", "bars"), [[[0]]]), "not a number")
        self.refused(changed(("experiments",), report()["experiments"] * 40), "entries")
        self.refused(b"9" * 90000, "no JSON|not an object")
        self.refused(changed(("stages", 0, "registers", "0"), " ".join(["00a400=00000000"] * 41)),
                     "registers")
        self.refused(changed(("stages", 0, "checks"), report()["stages"][0]["checks"] * 2001),
                     "bytes|entries")
        self.refused(changed(("stages", 0, "checks", 0, "evidence"), [0] * 9), "entries")

    def test_wrong_types(self):
        for path, value in ((("stages",), {}), (("stages",), [[]]), (("chip",), 7),
                            (("gpu",), "G84"), (("gpu", "domains"), True),
                            (("experiments", 0, "evidence"), [1.5]),
                            (("experiments", 0, "reading"), "1"), (("restored",), "yes"),
                            (("schema",), 2), (("date",), None),
                            (("gpu", "boot_0"), "084000a2"), (("gpu", "power"), 1),
                            (("stages", 0, "registers"), ["00a400=00000000"]),
                            (("stages", 0, "registers", "0"), {"00a400": 0}),
                            (("stages", 0, "registers", "0"), "00a400=0"),
                            (("stages", 0, "levels", "0"), "00000000"),
                            (("stages", 0, "checks", 0, "register"), [0xa400, 0]),
                            (("stages", 0, "checks", 0, "register"), ["0x00a400", 0, 1]),
                            (("stages", 0, "checks", 0, "evidence"), [[[0]]]),
                            (("stages", 0, "checks", 0, "ok"), 1)):
            with self.subTest(path):
                self.refused(changed(path, value), ":")
        self.refused(changed(("gpu", "bars"), [float("nan")]), "not a number")

    def test_implausible(self):
        for path, value in ((("experiments", 0, "reading"), 2),
                            (("experiments", 0, "text"), "no: only from INACTIVE"),
                            (("experiments", 0, "evidence"), [2 ** 32]),
                            (("stages", 1, "checks", 0, "evidence"), [10 ** 11, 0]),
                            (("gpu", "straps"), 2 ** 32), (("gpu", "boot_0"), -1),
                            (("stages", 0, "checks", 0, "register"), [2 ** 24, 0, 1]),
                            (("stages", 0, "registers"), {"9": ""}),
                            (("date",), "1999-01-01"), (("date",), "2999-01-01"),
                            (("chip",), "G85")):
            with self.subTest(path):
                self.refused(changed(path, value), ":")

    def test_private(self):
        for path, value in ((("user",), "alice"), (("gpu", "address"), "0000:01:00.0"),
                            (("kernel",), "6.12.1-alice-laptop"), (("gpu", "driver"), "alice"),
                            (("experiments", 1, "why"), "asked by alice"),
                            (("gpu", "power"), "off, by alice"),
                            (("stages", 0, "registers", "0"), "10.0.0.1"),
                            (("stages", 0, "touches"), "alice@example.org")):
            with self.subTest(path):
                self.refused(changed(path, value), "private|version")


    def test_no_later_step_dies_of_it(self):
        """What --quirks and --constants rest on is there, or the report is refused."""
        for path, value in ((("experiments", 0, "evidence"), []),
                            (("experiments", 0, "evidence"), [1] * 5),
                            (("experiments", 1, "evidence"), [])):
            with self.subTest((path, value)):
                self.refused(changed(path, value), "entries")
        bad = report()
        del bad["experiments"][0]["evidence"]
        self.refused(json.dumps(bad).encode(), "single_restart: evidence")
        for name in reports.RIGHT:
            for evidence in ([], [9], [0, 0, 0], [9, 9, 1], [9, 8000, 0], [0, 0, 0, 0, 0, 0], [9, 0]):
                bad = report()
                bad["stages"][1]["checks"][0] = {"name": name, "ok": True, "evidence": evidence,
                                                 "domain": "0"}
                with self.subTest((name, evidence)):
                    self.refused(json.dumps(bad).encode(), "a check: counts")
                bad["stages"][1]["checks"][0]["ok"] = False
                reports.load(json.dumps(bad).encode(), KNOWN)

    def test_foreign_words_are_plain(self):
        """Keys and names of files fake no line, and move no cursor."""
        for harm in ("\nx.json: sound\n", "\x1b[2J", "\x9b2J", "\u202e"):
            with tempfile.TemporaryDirectory() as folder:
                for name, bad in ((f"x{harm}.json", {}), ("x.json", {harm: 1}),
                                  ("x.json", {**report(), f"a{harm}": 1}),
                                  ("x.json", {**report(), "gpu": {f"b{harm}": 1}})):
                    path = Path(folder) / name
                    path.write_text(json.dumps(bad), encoding="ascii")
                    done = subprocess.run([sys.executable, IMPORT, "--check", path], check=False,
                                          capture_output=True)
                    self.assertEqual((done.returncode, done.stdout), (1, b""))
                    self.assertRegex(done.stderr, rb"\A[ -~]+ refused: [ -~]+\n\Z")


def with_trailers(chip, *evidence):
    """Return a report of a card whose trailers were found."""
    one = report(chip)
    one["experiments"] = [{"name": "trailers", "row": 27, "verdict": "contradicts",
                           "accesses": 900, "evidence": list(evidence)}]
    return one


class Constants(unittest.TestCase):
    """A card's facts become constants of its chip."""

    BEFORE = (reports.TABLES / "chips.csv").read_text(encoding="utf-8")

    def taken(self, one):
        """Return the new table, as text and parsed, and the complaints."""
        with tempfile.TemporaryDirectory() as folder:
            path, table = Path(folder) / "one.json", Path(folder) / "chips.csv"
            path.write_text(json.dumps(one), encoding="utf-8")
            table.write_text(self.BEFORE, encoding="utf-8")
            done = subprocess.run([sys.executable, IMPORT, "--constants", f"--table={table}", path],
                                  check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return (table.read_text(encoding="utf-8"), hwtables.read_chips(table)[one["chip"]],
                    done.stderr)

    def test_bases(self):
        none = 0xffffffff
        one = with_trailers("GF100", 0xffffff20, 0xff40ffff, 0xffffffa0, none, 0xffff20ff, 1)
        table, chip, complaints = self.taken(one)
        # the recording takes precedence, and the card is named
        self.assertRegex(complaints, "GF100: gpc0 is 0xc0 by trace, 0xa0 by this card")
        self.assertEqual(table, self.BEFORE.replace(
            "8,1,2,,hub0=unknown;hub1=unknown;hub2=unknown;hub3=unknown;hub4=unknown;"
            "hub5=unknown;hub6=0x40 inferred;hub7=unknown;gpc0=0xc0 trace;part0=0x40 trace;"
            "part1=unknown,",
            "8,1,2,,hub0=0x20 card;hub1=unknown;hub2=unknown;hub3=unknown;hub4=unknown;"
            "hub5=unknown;hub6=0x40 card;hub7=unknown;gpc0=0xc0 trace;part0=0x40 trace;"
            "part1=0x20 card,"))
        self.assertEqual(chip.trailer["hub", 6], 0x40)
        self.assertNotIn(("hub", 6), chip.doubtful)

    def test_presence(self):
        """A chip has PCOUNTER if it counts right; nothing less proves that."""
        right = {"name": "PRE, START, EVENT, STOP of always 1 equal cycles", "ok": True,
                 "evidence": [9, 9, 9, 9, 9, 0], "domain": "0"}
        wrong = {**right, "ok": False, "domain": "1"}
        for chip, checks, presence in (("NV30", [right], "yes"), ("NV30", [], "unverified"),
                                       ("NV30", [right, wrong], "unverified"),
                                       ("GM107", [right], "unverified"), ("NV31", [right], "yes")):
            with self.subTest((chip, len(checks))):
                one = report(chip)
                one["stages"][1]["checks"] += checks
                table, row, _ = self.taken(one)
                self.assertEqual(row.presence, presence)
                moved = [line for line in table.splitlines() if line not in self.BEFORE]
                self.assertEqual(["presence by a card" in line for line in moved],
                                 [True] if chip == "NV30" and presence == "yes" else [])

    def test_what_cannot_be(self):
        for evidence in ([0xffffff21, 0, 0, 0, 0, 0], [0] * 5):
            with self.assertRaises(reports.ReportError):
                reports.check(with_trailers("GF100", *evidence), KNOWN)
