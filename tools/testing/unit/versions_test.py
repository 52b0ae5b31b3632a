# SPDX-License-Identifier: GPL-2.0-only
"""Repeated runs with "pcounter stat -r", and comparisons of two versions of a program."""

import json
import re
import shutil
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
            self.assertEqual(row["values"], [want["values"][0], want["values"][2]])
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
        self.assertEqual([row["values"] for row in rows], [row["values"] for row in good])
        self.assertIn("(2 runs)", self.tool("stat", "-r", "9", "-t", "50ms", status=130))
        rows, _ = self.json("-t", "1s", status=130)
        self.assertEqual([row["runs"] for row in rows], [1, 1], "all there is")

    def test_origin(self):
        (busy, elapsed), _ = self.json("-r", "2", "sh", "-c", "exit 0")
        self.assertEqual(busy["command"], "sh -c exit 0")
        self.assertRegex(busy["date"], r"^2020-09-13 \d\d:\d\d:\d\d UTC$")
        self.assertEqual(busy["date"], elapsed["date"])
        self.assertRegex(busy["version"], r"^\d+\.\d+")
        # of the fake machine's domain 1; the duration has no clock
        self.assertEqual((busy["clock"], elapsed["clock"], busy["turn"]), (101e6, None, None))


class Versus(Machine):
    """Two commands run by turns."""

    A, B = ("sh", "-c", "echo a >>log"), "sh -c 'echo b >>log'"

    def setUp(self):
        super().setUp()
        self.script = ["=gpu_idle 0.47 0.53 37"]

    def versus(self, *args, rounds=20, other=B, status=0):
        return self.tool("stat", "-r", str(rounds), "--versus", other, *BUSY, *args, status=status)

    def rows(self, name):
        rows = [json.loads(line) for line in (self.folder / name).read_text().splitlines()]
        return {(row["event"], row["turn"]): row for row in rows}

    def test_turns(self):
        self.versus("-j", "-o", "f", "--", *self.A)
        log = (self.folder / "log").read_text().split()
        rounds = list(zip(log[::2], log[1::2]))
        self.assertEqual({tuple(sorted(one)) for one in rounds}, {("a", "b")})
        self.assertEqual(len(rounds), 21, "a warm-up, and 20 rounds")
        self.assertGreater(min(map(rounds.count, set(rounds))), 3, "in random order")
        rows = self.rows("f")
        self.assertEqual(set(rows), {("gpu_busy", 0), ("elapsed", 0), ("gpu_busy", 1),
                                     ("elapsed", 1)})
        self.assertEqual({row["runs"] for row in rows.values()}, {20})
        self.assertEqual(rows["gpu_busy", 0]["command"], "sh -c echo a >>log")
        self.assertEqual(rows["gpu_busy", 1]["command"], "sh -c echo b >>log")
        self.assertNotEqual(rows["gpu_busy", 0]["values"], rows["gpu_busy", 1]["values"])

    def test_comparison(self):
        self.versus("-j", "-o", "f", "true")
        out = self.versus("true")
        self.assertIn("for true, and sh -c 'echo b >>log', by turns (20 runs)", out)
        self.assertRegex(out, r"\n0 of 2 differ \(20 runs of each, permutation test, p < 0.01\)")
        rows = self.rows("f")
        before, after = (rows["gpu_busy", turn]["counter-value"] for turn in (0, 1))
        for text in (out, self.tool("diff", "f")):
            self.assertRegex(text, rf"(?m)^ +{before:.6g} \+- .* {after:.6g} \+- .*% +gpu_busy$")

    def test_failed_round(self):
        out = self.versus("-j", "-o", "f", "--", *SECOND_FAILS, rounds=9, other="true", status=7)
        self.assertIn("left out 1 of", out)
        # a round is left out as a whole, the warm-up and its failure aside
        self.assertEqual({row["runs"] for row in self.rows("f").values()}, {8})
        out = self.versus("true", other="sh -c 'exit 9'", rounds=8, status=9)
        self.assertIn("left out 9 of 9 runs", out)
        self.versus("sh", "-c", "exit 7", other="sh -c 'exit 9'", rounds=8, status=7)

    def test_refused(self):
        for args, words in ((("true",), "needs -r 8"), ((), "a command"),
                            (("-I", "100", "true"), "-I and -r cannot"), (("-x,", "true"), "no -I, -x"),
                            (("--line", "gpu_busy", "true"), "--line")):
            self.assertIn(words, self.versus(*args, rounds=7 if args == ("true",) else 8, status=2))
        for other in ("a | b", "a; b", "$(a)", "'a", ""):
            self.assertIn("not one command", self.versus("true", other=other, status=2))
        self.assertIn("No such file", self.versus("true", other="/no/such", status=1))
        self.versus("-j", "-o", "f", "true")
        self.assertIn("pcounter diff FILE", self.tool("diff", "f", "f", status=2))


class Diff(Machine):
    """Outputs of pcounter stat -r N -j are compared."""

    def runs(self, name, low, high, *args):
        """Write ten runs, which differ since the share goes up and down."""
        self.script = [f"=gpu_idle {low} {high} 37"]
        self.tool("stat", "-r", "10", "-t", "50ms", "-j", "-o", name, *args)

    def write(self, name, **metrics):
        """Write runs with these values."""
        (self.folder / name).write_text("".join(json.dumps(
            {"event": event, "unit": "", "source": event, "values": values}) + "\n"
            for event, values in metrics.items()), encoding="ascii")

    def rows(self, *files, status):
        done = self.run_program("diff", "-j", *files)
        self.assertEqual(done.returncode, status, done.stderr)
        return {row["event"]: row for row in map(json.loads, done.stdout.splitlines())}

    def test_three_percent(self):
        self.runs("a", 0.47, 0.53)
        self.runs("b", 0.455, 0.515)
        row = self.rows("a", "b", status=1)["gpu_busy"]
        self.assertAlmostEqual(row["after"] / row["before"], 1.03, delta=0.003)
        self.assertLess(row["p"], 0.01)
        out = self.tool("diff", "a", "b", status=1)
        self.assertRegex(out, r"(?m)% +gpu_busy +\+[23]\.\d %  p = ")
        self.assertRegex(out, r"\n1 of 11 differ \(10 runs of each, permutation test")

    def test_no_difference(self):
        self.runs("a", 0.47, 0.53)
        self.script = ["=gpu_idle 0.53 0.47 37"]
        self.tool("stat", "-r", "7", "-t", "70ms", "-M", "gpu_busy", "-j", "-o", "b")
        self.assertEqual(self.rows("a", "a", status=0)["gpu_busy"]["p"], 1)
        self.assertEqual(self.rows("a", "b", status=1)["elapsed"]["differs"], 1)
        out = self.run_program("diff", "a", "b")
        self.assertIn("shader_busy: not in all runs", out.stderr)
        self.assertNotRegex(out.stdout, "gpu_busy.* p =")

    def test_calls_add_up(self):
        self.runs("a", 0.47, 0.53)
        text = (self.folder / "a").read_text()
        (self.folder / "c").write_text(2 * text)
        rows = self.rows("c", "c", status=0)
        self.assertLess(rows["gpu_busy"]["after-error"],
                        0.75 * self.rows("a", "a", status=0)["gpu_busy"]["after-error"])

    def test_unequal_runs(self):
        """Few runs beside many were found to differ in 34 of 100 comparisons."""
        self.write("few", share=[5, 5.1])
        self.write("many", share=[5 + k % 7 for k in range(20)])
        self.assertIn("2 runs of each are too few", self.tool("diff", "few", "many", status=2))
        self.write("ten", share=[5 + k % 7 for k in range(10)])
        self.write("differs", share=[5 + k % 7 for k in range(10)] + [50] * 10)
        for other in ("many", "differs"):
            self.assertEqual(self.rows("ten", other, status=0)["share"]["p"], 1, "the first ten")

    def test_least_runs(self):
        for runs, status in ((4, 2), (5, 1)):
            self.write("a", share=list(range(runs)), time=[1] * runs)
            self.write("b", share=list(range(20, 20 + runs)), time=[1] * runs)
            self.tool("diff", "a", "b", status=status)

    def test_runs_without_a_value(self):
        self.write("a", share=[1, 2, 3, 4, 5, 6], ratio=[1, 2, 3], none=[])
        self.write("b", share=[1, 2, 3, 4, 5, 6], ratio=[1, 2, 3], none=[])
        out = self.tool("diff", "a", "b")
        self.assertIn("ratio: not in all runs", out)
        self.assertNotIn("none", out)
        self.assertIn("0 of 1 differ", out)

    def test_other_source(self):
        """A share of the core's clocks, and one of PDAEMON's."""
        for chip in ("G84", "GK208"):
            shutil.rmtree(self.folder / "root", ignore_errors=True)
            self.tool("stat", "-r", "10", "-t", "50ms", "-M", "gpu_busy", "-j", "-o", chip,
                      env={"FAKE_CHIP": chip})
        out = self.tool("diff", "G84", "GK208", status=2)
        self.assertRegex(out, r"GK208: gpu_busy is .*gr_busy.* here, and .*gpu_idle.* elsewhere")
        self.assertNotRegex(out, re.compile("^ +before", re.M))

    def test_files_that_do_not_fit(self):
        self.tool("stat", "-j", "-o", "one")
        self.assertIn("stat -r 10", self.tool("diff", "one", "one", status=2))
        self.assertIn("stat --versus", self.tool("diff", "one", status=2))
        self.tool("stat", "-I", "100", "-t", "1s", "-j", "-o", "steps")
        self.assertIn("no repetitions", self.tool("diff", "one", "steps", status=2))
        self.write("text", share=["1"] * 10)
        for text in ("{}", "[]", "no JSON", (self.folder / "text").read_text()):
            (self.folder / "bad").write_text(text + "\n")
            self.assertIn("bad: not an output", self.tool("diff", "bad", "one", status=2))
        self.assertIn("No such file", self.tool("diff", "nothing", "one", status=2))
        self.assertIn("Usage", self.tool("diff", status=2))
        self.assertIn("Usage", self.tool("diff", "one", "one", "one", status=2))


if __name__ == "__main__":
    unittest.main()
