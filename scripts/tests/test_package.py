# SPDX-License-Identifier: GPL-2.0-only
"""Packages name the repository that they come from, if it has a web address."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
CONTROL = SCRIPTS.parent / "debian/control"
# package.sh asks dist.sh for a tarball; the tools that build and check packages
# leave one file
STUBS = {
    "scripts/dist.sh": 'tar -C "$(dirname "$0")/.." -czf "$0.tar.gz" pcounter-1; echo "$0.tar.gz"',
    "scripts/setup.sh": "",
    "bin/dpkg-buildpackage": "cp debian/control ..",
    "bin/lintian": "",
}


class Address(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name in ("scripts", "bin", "pcounter-1/debian"):
            (self.top / name).mkdir(parents=True)
        for name in ("package.sh", "lib.sh"):
            shutil.copy(SCRIPTS / name, self.top / "scripts")
        for name, text in STUBS.items():
            (self.top / name).write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
            (self.top / name).chmod(0o755)
        shutil.copy(CONTROL, self.top / "pcounter-1/debian")
        (self.top / "dkms.conf").write_text('PACKAGE_VERSION="1"\n', encoding="ascii")

    def clone_of(self, origin, folder=None):
        folder = folder or self.top
        subprocess.run(["git", "init", "-q", folder], check=True)
        subprocess.run(["git", "-C", folder, "remote", "add", "origin", origin], check=True)

    def fields(self, *args):
        """Return the source package's fields for the repository, None if there is no package."""
        done = subprocess.run(
            [self.top / "scripts/package.sh", "--source", *args], check=False, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": f"{self.top}/bin:/usr/bin:/bin", "HOME": str(self.top)})
        self.said = done.stdout
        if done.returncode:
            return None
        lines = (self.top / "build/packages-source/control").read_text(encoding="utf-8")
        source = dict(line.split(": ", 1) for line in lines.split("\n\n")[0].splitlines()
                      if not line.startswith((" ", "#")))
        return [source.get(name) for name in ("Homepage", "Vcs-Browser", "Vcs-Git")]

    def refused(self, *args):
        self.assertIsNone(self.fields(*args), self.said)
        self.assertIn("scripts/package.sh https://", self.said)

    def test_origin(self):
        self.clone_of("https://host.invalid/group/pcounter.git")
        self.assertEqual(self.fields(), ["https://host.invalid/group/pcounter"] * 2 +
                         ["https://host.invalid/group/pcounter.git"], self.said)

    def test_credentials_stay_here(self):
        self.clone_of("https://me:secret@host.invalid/pcounter")
        self.assertEqual(self.fields(), ["https://host.invalid/pcounter"] * 3, self.said)

    def test_given(self):
        self.clone_of("/srv/pcounter")
        self.assertEqual(self.fields("https://host.invalid/p"), ["https://host.invalid/p"] * 3,
                         self.said)

    def unnamed(self):
        self.assertEqual(self.fields(), [None] * 3, self.said)
        self.assertIn("scripts/package.sh https://", self.said)

    def test_no_origin(self):
        self.unnamed()

    def test_origin_of_no_use_to_others(self):
        for origin in ("/srv/pcounter", "git@host.invalid:p"):
            with self.subTest(origin):
                shutil.rmtree(self.top / ".git", ignore_errors=True)
                self.clone_of(origin)
                self.unnamed()

    def test_clone_of_a_clone(self):
        """The origin is a folder of this machine, which has an origin of its own."""
        self.clone_of("https://host.invalid/p", self.top / "other")
        for origin in (f"{self.top}/other", f"file://{self.top}/other"):
            with self.subTest(origin):
                shutil.rmtree(self.top / ".git", ignore_errors=True)
                self.clone_of(origin)
                self.assertEqual(self.fields(), ["https://host.invalid/p"] * 3, self.said)

    def test_given_of_no_use(self):
        for address in ("pcounter", "ssh://git@host.invalid/p", "https://host.invalid/a b", ""):
            self.refused(address)
