# SPDX-License-Identifier: GPL-2.0-only
"""Several GPUs: which of them a verb takes, and GPUs that come back under other numbers."""

import json
import os
import re
import shutil
import time
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


class Numbers(TwoGpus):
    """A GPU is its PCI address: it may come back with another name and type of its PMU."""

    BUSY = {FIRST: 0.3, SECOND: 0.7}
    # numbers of the next lives, and numbers of lives before that open events keep in sysfs
    LIVES = (((1, 0), ()), ((0, 2), (1,)))
    # the events of the program itself keep numbers; since 6.7 such a PMU has no files
    OPEN_LIVES = (((2, 3), ()), ((1, 0), (2, 3)))

    def setUp(self):
        super().setUp()
        self.script += ["real 1"]
        self.pmus = self.folder / "root/sys/bus/event_source/devices"
        self.devices = self.folder / "root/sys/bus/pci/devices"
        self.away = self.folder / "away"
        self.away.mkdir()
        self.tool("list")       # use the fake machine's files
        self.at = dict(zip(self.BUSY, (0, 1)))

    def leave(self):
        for device, number in self.at.items():
            (self.devices / device).rename(self.away / device)
            (self.pmus / f"pcounter_{number}").rename(self.away / f"pcounter_{number}")

    def come_back(self, numbers, kept):
        for device, number in zip(self.BUSY, numbers):
            old = self.away / f"pcounter_{self.at[device]}"
            if self.at[device] in kept:
                shutil.copytree(old, self.away / "kept")
                (self.away / "kept/left").touch()
                (self.away / "kept").rename(self.pmus / old.name)
            (old / "type").write_text(f"{112 + 2 * number}\n")
            old.rename(self.away / f"new_{number}")
            self.at[device] = number
        for device, number in self.at.items():
            (self.away / f"new_{number}").rename(self.pmus / f"pcounter_{number}")
            (self.away / device).rename(self.devices / device)

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it does not come")
            time.sleep(0.01)

    def own_values(self, values, devices):
        """Return true if GPUs have their numbers, and their own values; never another's."""
        got = values()
        for device, (_, busy) in got.items():
            self.assertAlmostEqual(busy, self.BUSY[device], places=3, msg=device)
        return {device: got[device][0] for device in devices if device in got} == \
            {device: f"pcounter_{self.at[device]}" for device in devices}

    def live(self, values, gone=None, devices=(FIRST, SECOND)):
        """Let GPUs leave and come back, within an interval or slowly."""
        self.wait_until(lambda: self.own_values(values, devices))
        for numbers, kept in self.LIVES if gone else self.OPEN_LIVES:
            self.leave()
            if gone:
                self.wait_until(gone)
            self.come_back(numbers, kept)
            self.wait_until(lambda: self.own_values(values, devices))
            for path in self.pmus.glob("*/left"):
                shutil.rmtree(path.parent)

    def exported(self, name, label=""):
        """Return the name of the PMU and a value of each GPU."""
        path = self.folder / "p"
        text = path.read_text() if path.exists() else ""
        return {device: (pmu, float(value)) for pmu, device, value in re.findall(
            rf'^{name}{{gpu="(\w+)",address="([^"]*)".*{label}}} (\S+)$', text, re.M)}

    def watched(self, gone=None):
        with self.started("top", "--openmetrics", "-o", "p", "-i", "50"):
            self.live(lambda: self.exported("pcounter_engine_busy_ratio", 'engine="gpu"'), gone)
            self.assertEqual(set(self.exported("pcounter_up").values()),
                             {(f"pcounter_{number}", 1) for number in self.at.values()})

    def test_top(self):
        self.watched(lambda: [up for _, up in self.exported("pcounter_up").values()] == [0, 0])

    def test_top_within_an_interval(self):
        self.watched()

    def counted(self):
        """Return the same of the last rows of "pcounter stat"."""
        lines = (self.folder / "s").read_text().splitlines() if (self.folder / "s").exists() else []
        row = next((json.loads(line) for line in reversed(lines) if line.endswith("}")), None)
        return {SECOND: (row["gpu"], row["counter-value"] / 100)} if row and row["counter-value"] else {}

    def test_stat(self):
        with self.started("stat", "-I", "50", "-d", SECOND, "-M", "gpu_busy", "-j", "-o", "s",
                          status=130):
            self.live(self.counted, devices=(SECOND,))

    def test_trigger(self):
        """Triggers go to the GPU's new life."""
        (self.pmus / "pcounter_1/trigger").touch()
        with self.started("stat", "--trigger", "-I", "50", "-d", SECOND, "-M", "gpu_busy", "-j",
                          "-o", "s", status=130):
            self.wait_until(self.counted)
            self.leave()
            (self.away / "pcounter_1/trigger").unlink()
            (self.away / "pcounter_1/trigger").touch()
            self.come_back((2, 3), ())
            self.wait_until((self.pmus / "pcounter_3/trigger").read_text)

    def test_scan(self):
        """Events are opened in each round: never those of a GPU that has the old number."""
        with self.started("scan", "-i", "50", "-d", FIRST, status=1) as program:
            self.assertIn(b"pcounter_0: ", program.stderr.readline())
            self.leave()
            self.come_back((1, 0), ())
            program.wait(60)


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

    def test_nodes(self):
        """The graphics driver's nodes of each GPU, in order."""
        self.tool("list")
        for node in ("renderD129", "card1"):
            (self.folder / "root/sys/bus/pci/devices" / SECOND / "drm" / node).mkdir(parents=True)
        self.assertEqual([gpu["nodes"] for gpu in json.loads(self.tool("list", "--json"))],
                         [[], ["/dev/dri/card1", "/dev/dri/renderD129"]])

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
            self.assertIn(f"{pmu} domain 1: ", self.tool("record", "-e", "pgraph_idle", "-t", "20"))

    def test_line(self):
        self.assertEqual(self.tool("stat", "--line", "gpu_busy"),
                         f"{FIRST} 30.0 %  {SECOND} 70.0 %\n")
        self.assertEqual(self.tool("stat", "--line", "gpu_busy", "-d", SECOND), "70.0 %\n")
        self.script += ["asleep 1"]
        self.assertEqual(self.tool("stat", "-I", "20", "-t", "40", "--line", "gpu_busy,shader_busy"),
                         f"{FIRST} asleep  asleep  {SECOND} 70.0 %  0.0 %\n" * 2)


if __name__ == "__main__":
    unittest.main()
