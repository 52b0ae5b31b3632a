# SPDX-License-Identifier: GPL-2.0-only
"""Import the model's reports, one of each chip, and generate the atlas from them."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
# the output of "test_experiments"
REPORTS = sorted(pathlib.Path(os.environ["REPORTS"]).glob("*.json"))


def run(script, *args):
    return subprocess.run([sys.executable, SCRIPTS / script, *args], check=False,
                          capture_output=True, text=True)


class Atlas(unittest.TestCase):
    def test_of_every_chip(self):
        self.assertGreaterEqual(len(REPORTS), 54)
        with tempfile.TemporaryDirectory() as folder:
            done = run("import-report.py", f"--into={folder}", *REPORTS)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = run("gen-atlas.py", f"--reports={folder}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.look_at(done.stdout)
            self.conflict(pathlib.Path(folder))

    def look_at(self, page):
        """Check that the page has every fact of every report."""
        words = [line.split()[:2] for line in page.splitlines()]
        for path in REPORTS:
            report = json.loads(path.read_text())
            for row in report["experiments"]:
                self.assertEqual([report["chip"].upper(), row["name"]] in words,
                                 row["verdict"] == "decided", (path.name, row["name"]))
        self.assertNotIn(" by ", page.partition("Conflicts")[2].partition("Your report")[0])
        yours = page.partition("\nYour report\n")[2].partition("Questions with")[0]
        self.assertEqual(len(re.findall(r"(?m)^- \w+-\S+: \w+, Linux", yours)), len(REPORTS))

    def conflict(self, folder):
        """Two differing cards of a chip are both named."""
        path = next(path for path in REPORTS if path.stem.lower() == "g84")
        text = path.read_text().replace('"reading": 0, "text": "no: only from INACTIVE"',
                                        '"reading": 1, "text": "yes"')
        other = folder / "other.json"
        other.write_text(text)
        done = run("import-report.py", f"--into={folder}", other)
        self.assertEqual(done.returncode, 0, done.stderr)
        other.unlink()
        page = run("gen-atlas.py", f"--reports={folder}").stdout.partition("Conflicts")[2]
        self.assertRegex(page, r'G84, single_restart: "no: only.*" by g84-\S*; "yes" by g84-')


if __name__ == "__main__":
    unittest.main()
