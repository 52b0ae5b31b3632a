# SPDX-License-Identifier: GPL-2.0-only
"""Repeated runs with "pcounter stat -r"."""

import json
import unittest

from program_test import Machine

BUSY = ("-M", "gpu_busy")
# a command that fails in its second run
SECOND_FAILS = ("sh", "-c", 'n=$(cat n 2>/dev/null); echo 1$n >n; [ "$n" != 1 ] || exit 7')


class Repeat(Machine):
    """Only runs that went well count."""

    def setUp(self):
        super().setUp()
        self.script = ["=gpu_idle 0.2 0.4 37"]

    def json(self, *args, status=0):
        done = self.run_program("stat", *BUSY, "-j", *args)
        self.assertEqual(done.returncode, status, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def test_failed_run(self):
        good, _ = self.json("-r", "3", "true")
        rows, message = self.json("-r", "3", *SECOND_FAILS, status=7)
        self.assertIn("left out 1 of 3 runs, which failed", message)
        for row, want in zip(rows, good):
            self.assertEqual(row["runs"], 2)
            self.assertEqual(row["event-runtime"], want["event-runtime"])
        (self.folder / "n").unlink()
        self.assertIn("for sh (2 runs)", self.tool("stat", "-r", "3", *SECOND_FAILS, status=7))

    def test_all_runs_fail(self):
        for status, script in ((1, "exit 1"), (128 + 15, "kill $$")):
            rows, message = self.json("-r", "3", "sh", "-c", script, status=status)
            self.assertEqual(rows, [])
            self.assertIn("left out 3 of 3 runs", message)
        # a single run shows what there is, as perf stat does
        rows, message = self.json("sh", "-c", "exit 1", status=1)
        self.assertEqual((rows[0]["runs"], message), (1, ""))

    def test_interrupted_run(self):
        good, _ = self.json("-r", "2", "true")
        self.script.append("interrupt 125")
        rows, message = self.json("-r", "9", "true", status=130)
        self.assertIn("left out 1 of 3 runs", message)
        self.assertEqual([row["counter-value"] for row in rows],
                         [row["counter-value"] for row in good])
        self.assertIn("(2 runs)", self.tool("stat", "-r", "9", "-t", "50ms", status=130))
        rows, _ = self.json("-t", "1s", status=130)
        self.assertEqual([row["runs"] for row in rows], [1, 1], "all there is")


if __name__ == "__main__":
    unittest.main()
