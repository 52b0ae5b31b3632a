# SPDX-License-Identifier: GPL-2.0-only
"""Compare screens of "pcounter" on a fake machine with expected/.

usage: expected_test.py [--update]

With --update they are written anew: look at them before you keep them.
"""

import os
import pathlib
import re
import sys
import unittest

from program_test import PERFMON, PROGRAM, Machine

EXPECTED = pathlib.Path(__file__).resolve().parent / "expected"
UPDATE = False


class Expected(Machine):
    """Output for bursts, for a loss, for a GPU with other users."""

    maxDiff = None

    def setUp(self):
        super().setUp()
        # slow and fast bursts of 100 %, a steady share, and one that the command changes
        self.script = [f"caps {PERFMON}", "square 1 16 10", "square 1 17 0.5",
                       "signal 1 189 0.3"]

    def shown(self, name, *args, status=0, chip="G84"):
        done = self.run_program(*args, env={"COLUMNS": "80", "TZ": "UTC", "FAKE_CHIP": chip,
                                            "HOME": str(self.folder)})
        self.assertEqual(done.returncode, status, done.stderr)
        text = (done.stdout + done.stderr).replace(str(PROGRAM), "/usr/bin/pcounter")
        text = re.sub(r"^(ok +module +pcounter )[\d.]+", r"\1VERSION", text, flags=re.M)
        # new knowledge adds names; the kernel is this machine's
        text = re.sub(r"\d+ named", "N named", text)
        text = re.sub(r"^(ok +kernel +).*", r"\1RELEASE", text, flags=re.M)
        path = EXPECTED / f"{name}.txt"
        if UPDATE:
            path.write_text(text, encoding="utf-8")
        self.assertEqual(path.read_text(encoding="utf-8"), text, name)

    def test_machine(self):
        self.shown("list", "list")
        self.shown("doctor", "doctor")
        self.shown("stat", "stat", "-t", "100ms")
        self.shown("explain", "explain", "{pgraph_idle,pcounter/dom=1,sig=0x10,sig1=0x11,op=0x8/}")

    def test_refusals(self):
        self.script[0] = "caps 0"
        self.script += ["paranoid 3", "debian 1"]
        self.shown("doctor-refused", "doctor", status=1)
        for verb in (("top", "-n", "1"), ("record", "-t", "10"), ("scan",)):
            self.shown(f"{verb[0]}-refused", *verb, status=1)

    def test_capture(self):
        self.script += ["busy 1 80 95"]
        self.shown("record", "record", "-o", "capture", "-t", "60ms",
                   *(word for sig in (189, 16, 17) for word in
                     ("-e", f"pcounter/dom=1,sig={sig:#x},periodic=1/")), status=1)
        self.shown("report", "report", "capture", status=1)

    def test_scan(self):
        self.script += ["signal 0 5 0.3 0.35", "signal 0 9 0 1", "signal 0 64 1",
                        "square 0 70 41"]
        self.shown("scan", "scan", "--", "true", chip="NV10")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        UPDATE = True
        os.makedirs(EXPECTED, exist_ok=True)
        sys.argv.pop()
    unittest.main()
