# SPDX-License-Identifier: GPL-2.0-only
"""Reports of "pcounter selftest", on the machine of program_test.py."""

import json
import os
import unittest

from program_test import Machine


class Reports(Machine):
    """Runs that cannot go through all stages, and their reports."""

    def debugfs(self):
        """Return the GPU's folder."""
        folder = self.folder / "root/sys/kernel/debug/pcounter/pcounter_0"
        folder.mkdir(parents=True)
        return folder

    def refused(self, modprobe=""):
        """Return the error of a run that cannot begin; as root if this test is."""
        tools = self.folder / "root/sbin"
        tools.mkdir(parents=True, exist_ok=True)
        for name in ("modprobe", "rmmod"):
            for place, script in ((tools, modprobe), (self.folder, f">{self.folder}/ran")):
                (place / name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
                (place / name).chmod(0o755)
        done = self.run_program("selftest", env={"PATH": f":{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertFalse((self.folder / "ran").exists(), "a program of the current folder")
        return done.stderr

    def test_a_laboratory_that_cannot_be_loaded(self):
        """The run does not begin, and suggests a remedy."""
        if os.geteuid():
            self.assertIn("sudo pcounter selftest", self.refused())
            return
        self.assertIn("sudo mount -t debugfs", self.refused())
        self.debugfs()
        self.assertIn("pcounter_lab is not installed for this kernel", self.refused("exit 1"))
        self.assertIn("it must be signed as pcounter is",
                      self.refused('[ "$1" = -n ]'))
        # it is loaded, but has no files
        self.assertIn("lab/experiment: No such file", self.refused("exit 0"))

    def test_debugfs_that_cannot_be_mounted(self):
        """The report leaves out what needs it, and gives no advice that cannot work."""
        self.script = [f"uid {-os.geteuid()}"]     # root
        for word in ("off", "no-mount"):
            (self.folder / "root/proc").mkdir(parents=True, exist_ok=True)
            (self.folder / "root/proc/cmdline").write_text(f"ro debugfs={word}\n",
                                                           encoding="ascii")
            done = self.run_program("selftest", "-o", "report.json")
            self.assertNotIn("mount -t", done.stderr)
            self.assertIn("stages 1, 3, 4 and 6 are left out", done.stderr)
            report = json.loads((self.folder / "report.json").read_text(encoding="ascii"))
            self.assertEqual([stage["stage"] for stage in report["stages"]], [0, 2])
            self.assertNotIn("restored", report)

    def test_a_module_that_does_not_answer(self):
        """The run ends after stage 0, says why, and the report has the results so far."""
        folder = self.debugfs()
        (folder / "lab").mkdir()
        (folder / "lab/experiment").touch()
        (folder / "status").write_text("chip G84 (0x084) on 0000:01:00.0\n"
                                       "PMC.BOOT_0 084000a2 straps 8040c0a5\n", encoding="ascii")
        done = self.run_program("selftest", "-o", "report.json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("stage 0: identify (touches nothing)\n  not as expected: the module answers",
                      done.stderr)
        self.assertTrue(done.stdout.endswith("Please attach it to an issue of the repository that "
                                             "README.md names.\n"), done.stdout)
        text = (self.folder / "report.json").read_text(encoding="ascii")
        self.assertNotIn("01:00.0", text)
        report = json.loads(text)
        self.assertEqual([stage["stage"] for stage in report["stages"]], [0])
        self.assertEqual((report["gpu"]["boot_0"], report["gpu"]["straps"]),
                         (0x084000a2, 0x8040c0a5))
        self.assertNotIn("restored", report)


if __name__ == "__main__":
    unittest.main()
