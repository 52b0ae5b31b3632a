# SPDX-License-Identifier: GPL-2.0-only
"""The first step says which systems are supported."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
BOOKWORM = 'ID=debian\nVERSION_ID="12"\n'
TRIXIE = 'VERSION_ID="13"\nID=debian\n'


class Release(unittest.TestCase):
    def setup(self, release, what):
        """Return what setup.sh would install, or the reason why it installs nothing."""
        with tempfile.TemporaryDirectory() as folder:
            os_release = pathlib.Path(folder, "os-release")
            os_release.write_text(release, encoding="ascii")
            # nothing is installed here, and whoever runs this is root
            for name, text in {"apt-get": 'echo "$@"', "dpkg-query": "exit 1", "id": "echo 0",
                               "uname": "echo x86_64"}.items():
                path = pathlib.Path(folder, name)
                path.write_text(f"#!/bin/sh\n{text}\n", encoding="ascii")
                path.chmod(0o755)
            done = subprocess.run([SCRIPTS / "setup.sh", what], check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env={"PATH": f"{folder}:/usr/bin:/bin", "HOME": folder,
                                       "PCOUNTER_OS_RELEASE": str(os_release)})
        return done.returncode, done.stdout.split()

    def test_compiler_of_the_kernels(self):
        for release, compiler in ((BOOKWORM, "gcc-12"), (TRIXIE, "gcc-14")):
            status, said = self.setup(release, "demo")
            self.assertEqual(status, 0, said)
            self.assertEqual([word for word in said if word.startswith("gcc-")], [compiler])

    def test_other_systems(self):
        for release in ("ID=ubuntu\nVERSION_ID=24.04\n", "ID=debian\n", "ID=arch\n", ""):
            status, said = self.setup(release, "tools")
            self.assertNotEqual(status, 0, said)
            self.assertIn("Debian 12 and 13", " ".join(said))
            self.assertIn("libjansson-dev", said)

    def test_check_all(self):
        self.assertEqual(self.setup(BOOKWORM, "all")[0], 0)
        status, said = self.setup(TRIXIE, "all")
        self.assertNotEqual(status, 0, said)
        self.assertIn("make check-all on Debian 12", " ".join(said))


if __name__ == "__main__":
    unittest.main()
