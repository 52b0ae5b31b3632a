# SPDX-License-Identifier: GPL-2.0-only
"""Several GPUs: which of them a verb takes."""

import os
import re
import shutil
import unittest
import unittest.mock

from program_test import PERFMON, Machine

FIRST, SECOND = "0000:01:00.0", "0000:02:00.0"


class TwoGpus(Machine):
    """A machine with two GPUs, 30 % and 70 % busy."""

    def setUp(self):
        super().setUp()
        self.chips("G84", "G84")
        self.script = [f"caps {PERFMON}", "=gpu_idle 0.7", "=gpu_idle@2 0.3"]

    def chips(self, first, second):
        shutil.rmtree(self.folder / "root", ignore_errors=True)
        self.enterContext(unittest.mock.patch.dict(
            os.environ, {"FAKE_CHIP": first, "FAKE_SECOND": second}))


class Choice(TwoGpus):
    """A verb for one GPU takes the first one that is awake and can do it."""

    BOTH = f"{FIRST} (G84), {SECOND} (G84)"

    def stat_of(self, *args):
        """Return the GPU that "pcounter stat" counts, and its share."""
        return re.search(r"([0-9a-f:.]{12}) \(\w+\) for(?:.|\n)* (\S+) % +gpu_busy",
                         self.tool("stat", *args)).groups()

    def test_says_which(self):
        for verb, does in ((("stat", "-t", "20ms"), "counts"), (("events",), "shows")):
            self.assertIn(f"{does} {FIRST} of {self.BOTH}; -d GPU chooses", self.tool(*verb))
            self.assertNotIn("chooses", self.tool(*verb, "-d", SECOND))
        self.assertEqual(self.stat_of("-d", "pcounter_1"), (SECOND, "70.00"))
        self.assertIn(f"several GPUs count, name one of them: {self.BOTH}",
                      self.tool("selftest", status=2))
        del os.environ["FAKE_SECOND"]
        shutil.rmtree(self.folder / "root")
        for verb in (("stat", "-t", "20ms"), ("events",)):
            self.assertNotIn("chooses", self.tool(*verb))

    def test_awake(self):
        self.assertEqual(self.stat_of(), (FIRST, "30.00"))
        self.script += ["asleep 1"]
        self.assertEqual(self.stat_of(), (SECOND, "70.00"))
        self.assertEqual(self.stat_of("-M", "gpu_busy"), (SECOND, "70.00"))
        self.script += ["asleep2 1"]
        self.assertIn(f"{FIRST} (G84) for the whole system:\n\n nothing was counted: the GPU is asleep",
                      self.tool("stat", "-t", "20ms"))

    def test_able(self):
        self.chips("NV34", "GF108")
        self.script = [f"caps {PERFMON}", "=gr_busy 0.699"]
        self.assertEqual(self.stat_of("-M", "gpu_busy"), (SECOND, "69.90"))
        self.assertEqual(self.stat_of(), (SECOND, "69.90"))
        self.assertEqual(self.tool("stat", "--line", "gpu_busy"), "69.9 %\n")
        # a GPU that is able and asleep goes before one that is not
        self.script += ["asleep2 1"]
        self.assertEqual(self.tool("stat", "--line", "gpu_busy"), "asleep\n")
        self.assertIn("gpu_bussy: no such metric", self.tool("stat", "-M", "gpu_bussy", status=2))

    def test_record(self):
        for asleep, pmu in ((), "pcounter_0"), (("asleep 1",), "pcounter_1"):
            self.script[3:] = asleep
            self.assertIn(f"{pmu} domain 1: ", self.tool("record", "-e", "pgraph_idle", "-d", "20"))

    def test_line(self):
        self.assertEqual(self.tool("stat", "--line", "gpu_busy"),
                         f"{FIRST} 30.0 %  {SECOND} 70.0 %\n")
        self.assertEqual(self.tool("stat", "--line", "gpu_busy", "-d", SECOND), "70.0 %\n")
        self.script += ["asleep 1"]
        self.assertEqual(self.tool("stat", "-I", "20", "-t", "40", "--line", "gpu_busy,shader_busy"),
                         f"{FIRST} asleep  asleep  {SECOND} 70.0 %  0.0 %\n" * 2)


if __name__ == "__main__":
    unittest.main()
