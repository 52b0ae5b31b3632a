# SPDX-License-Identifier: GPL-2.0-only
"""Reports of "pcounter selftest", on the machine of program_test.py."""

import json
import os
import unittest

from program_test import Machine


class Reports(Machine):
    """The output of --show for a report of a card that differs from the documents."""

    def shown(self, stages, experiments, restored=True):
        path = self.folder / "report.json"
        path.write_text(json.dumps({
            "kind": "pcounter-selftest", "schema": 1, "program": "1.2.3", "date": "2026-11-22",
            "chip": "GF100", "kernel": "6.12", "restored": restored, "experiments": experiments,
            "stages": [{"stage": number, "name": name, "touches": "nothing", "checks": checks}
                       for number, (name, checks) in enumerate(stages.items(), 1)]}),
            encoding="ascii")
        done = self.run_program("selftest", "--show", str(path))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_dead_domain_and_absent_gpc(self):
        shown = self.shown({
            "read": [{"name": "domain answers", "ok": True, "evidence": [], "domain": "hub0"},
                     {"name": "domain answers", "ok": False, "evidence": [],
                      "register": [0x1b6040, 0, 0xbadf3000], "domain": "gpc3.0"}],
            "count": [{"name": "clock", "ok": True, "evidence": [540, 541], "domain": "hub0"},
                      {"name": "clock", "ok": True, "evidence": [0, 0], "domain": "hub2"},
                      {"name": "clock", "ok": True, "evidence": [0, 0], "domain": "hub3",
                       "register": [0x1b06b0, 1, 0]}]}, [])
        self.assertIn("1 of 2 checks as expected\n    not: domain answers, domain gpc3.0\n"
                      "    at register 0x1b6040: badf3000 should be 00000000", shown)
        self.assertEqual(shown.count("clock stands still"), 2)
        self.assertIn("clock stands still: domain hub2\n", shown)
        self.assertIn("clock stands still: domain hub3, register 0x1b06b0 stays at 0\n", shown)

    def test_where_a_register_differs(self):
        shown = self.shown({}, [
            {"name": "counters", "row": 0, "verdict": "contradicts",
             "register": [0x18008c, 64, 65], "evidence": [64, 64, 64, 65, 64, 0]},
            {"name": "junk", "row": 9, "verdict": "absent"}], restored=False)
        self.assertIn("Does every counter count every clock?\n    contradicts", shown)
        self.assertIn("at register 0x18008c: 00000041 should be 00000040", shown)
        self.assertNotIn("above a trailer", shown)
        self.assertIn("NOT as they were found", shown)

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

    def test_counts_that_are_wrong(self):
        shown = self.shown({"count": [{"name": "ZERO stays 0", "ok": False, "domain": "1",
                                       "evidence": [7, 60000, 0]}]}, [])
        self.assertIn("not: ZERO stays 0, domain 1: 7 60000 0\n", shown)

    def test_a_file_that_means_harm(self):
        """The program prints it in plain letters, or refuses it; in either case
        it ends in order.
        """
        path = self.folder / "report.json"
        sound = {"kind": "pcounter-selftest", "schema": 1, "chip": "G84\x1b[2J", "stages": [],
                 "experiments": []}
        for text in ("[" * 50000, '{"a":' * 5000, "9" * 90000, "{}", "[]", "null", "",
                     json.dumps(sound) + " " * 102400, json.dumps(sound)[:-1],
                     json.dumps({**sound, "schema": "1"}), json.dumps({**sound, "kind": 1}),
                     '{"kind": 1, "kind": "pcounter-selftest", "schema": 1}', "\xff"):
            path.write_text(text, encoding="latin-1")
            done = self.run_program("selftest", "--show", str(path))
            self.assertEqual(done.returncode, 1, f"{text[:40]}: {done.stderr}")
            self.assertIn("no report", done.stderr)
        wrong = (7, "x", None, True, [], [[]], {}, {"a": 1}, [None], [7], [{"checks": 7}],
                 [{"checks": [7]}], [{"checks": [{"ok": 7, "evidence": {}, "register": "x"}]}],
                 [{"name": [], "verdict": {}, "register": [1]}],
                 [{"name": "n" * 5000, "checks": [{"name": "\x1b]0;x\x07", "evidence": [[]]}]}])
        for key in ("stages", "experiments", "chip", "date", "restored"):
            for value in wrong:
                path.write_text(json.dumps({**sound, key: value}), encoding="ascii")
                done = self.run_program("selftest", "--show", str(path))
                self.assertEqual(done.returncode, 0, f"{key} {value}: {done.stderr}")
                self.assertNotIn("\x1b", done.stdout)


if __name__ == "__main__":
    unittest.main()
