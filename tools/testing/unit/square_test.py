# SPDX-License-Identifier: GPL-2.0-only
"""Reports of a generated square wave: its picture in Documentation/, and rows for programs.

usage: square_test.py [--update]

With --update the picture is drawn anew.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

from perfetto import gpu_counters, gpu_edges, packets_of
from program_test import EMULATOR, TOP, Machine
from screens import PROGRAM

PICTURE = TOP / "Documentation/admin-guide/perf/pcounter-square.svg"
LOST = 1        # exit status: the wave has a gap
INTERRUPTED = 130
UPDATE = False
MANY = 300000   # packets: more than are reported before a signal comes


def value(text):
    return None if text == "" else int(text) if re.fullmatch(r"-?\d+", text) else text


class Square(Machine):
    def setUp(self):
        super().setUp()
        self.capture("square", "square")
        (self.folder / "script").touch()
        self.env = {**os.environ, "FAKE_ROOT": f"{self.folder}/root",
                    "FAKE_SCRIPT": f"{self.folder}/script"}

    def test_picture(self):
        self.tool("report", "square", "--picture", "square.svg", status=LOST)
        if UPDATE:
            shutil.copy(self.folder / "square.svg", PICTURE)
        self.assertEqual(PICTURE.read_text(encoding="ascii"),
                         (self.folder / "square.svg").read_text(encoding="ascii"),
                         "make picture draws it anew")

    def test_rows(self):
        table = self.tool("report", "--csv", "square", status=LOST).splitlines()
        lines = self.tool("report", "--jsonl", "square", status=LOST).splitlines()
        rows = [{key: value(text) for key, text in row.items()} for row in csv.DictReader(table)]
        self.assertGreaterEqual(len(rows), 1000)
        self.assertEqual(rows, [json.loads(line) for line in lines])
        # 1 ms of 600 MHz is lost, and one more packet has no length
        (lost, cycles), = ((row["packet"] - before["packet"] - 1, row["cycles"])
                           for before, row in zip(rows, rows[1:])
                           if row["packet"] != before["packet"] + 1)
        self.assertIn(lost, (585, 586))
        self.assertIsNone(cycles)

    def test_interrupted(self):
        """The output has whole lines, after the first bytes."""
        self.capture("many", str(MANY))
        with subprocess.Popen([*EMULATOR, PROGRAM, "report", self.folder / "many", "--jsonl"],
                              stdout=subprocess.PIPE, env=self.env) as report:
            first = report.stdout.read(1)
            report.send_signal(signal.SIGINT)
            text = (first + report.stdout.read()).decode("ascii")
        self.assertEqual(report.returncode, INTERRUPTED)
        rows = [json.loads(line) for line in text.splitlines()]
        self.assertTrue(text.endswith("\n"))
        self.assertTrue(0 < len(rows) < MANY, len(rows))

    def test_closed_pipe(self):
        self.capture("many", str(MANY))
        report = " ".join([*EMULATOR, str(PROGRAM), "report"])
        done = subprocess.run(["sh", "-c", f"{report} --csv many | head -n 2"],
                              check=True, cwd=self.folder, capture_output=True, env=self.env)
        self.assertEqual((done.stderr, done.stdout.count(b"\n")), (b"", 2))


class Domains(Machine):
    """A square wave that eight domains of a GK104 count, each by its own clock."""

    CAPTURES = pathlib.Path(os.environ["REPORTS"]).resolve() if "REPORTS" in os.environ else None
    # ns: inputs count some clocks later; periods are of 512000 to 2048000 ns
    DELAY = 20000

    def setUp(self):
        super().setUp()
        if not self.CAPTURES:
            self.skipTest("REPORTS: no folder with the captures of test_records")

    def report(self, name, *args, status=0):
        return self.tool("report", self.CAPTURES / f"gk104-{name}.data", *args, status=status)

    def test_one_time_line(self):
        """In one trace the edges of all tracks are less than a period apart."""
        for name in ("periods", "sums", "units", "latency"):
            self.report(name, "-T", "t", "-e", "wave")
            tracks = gpu_counters(packets_of(self.folder / "t"))
            self.assertEqual(len(tracks), 8)
            edges = [gpu_edges(values) for values in tracks.values()]
            for track in edges:
                self.assertEqual(len(track), 8, name)
                for (time, rises), (first, also) in zip(track, edges[0]):
                    self.assertEqual(rises, also)
                    self.assertLess(abs(time - first), self.DELAY, name)

    def test_summary(self):
        text = self.report("periods", "-D", "6")
        for words in ("domain 6, a packet every 1024 clocks", "loss     none",
                      "packets  240, of which 1 of unknown length",
                      "clock    1.500", "time     1000.000", "c1  half\n", "50.0000 % of the clocks",
                      "c3  eighth", "12.5000 % of the clocks"):
            self.assertIn(words, text)

    def test_loss(self):
        self.assertIn("numbers left out", self.report("lost", status=LOST))
        rows = list(csv.DictReader(self.report("lost", "--csv", status=LOST).splitlines()))
        self.assertEqual(sum(int(row["requests"]) for row in rows), len(rows) + 50)
        self.assertEqual({row["c1"] for row in rows if row["cycles"]}, {"512"})
        self.assertEqual({row["c4"] for row in rows}, {""})


if __name__ == "__main__":
    UPDATE = sys.argv[1:] == ["--update"]
    unittest.main(argv=sys.argv[:1])
