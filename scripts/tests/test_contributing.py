# SPDX-License-Identifier: GPL-2.0-only
"""The examples of CONTRIBUTING.rst work verbatim."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "CONTRIBUTING.rst"
EDIT = re.compile(r"In\s+``(\S+)``,\s+(after|before)\s+``([^`]+)``::$")
# compile fast, with a compiler cache that is independent of the folder
QUICK = {"CFLAGS": "-O0", "sanitize": "", "CCACHE_NOHASHDIR": "1"}
SECONDS = 600


def sections():
    """Return the text of each section that adds something."""
    text = PAGE.read_text(encoding="utf-8")
    return {found[1]: found[2] for found in
            re.finditer(r"^(Adding .*)\n=+\n((?:(?!^.*\n=+\n).*\n)*)", text, re.M)}


def blocks(text):
    """Return paragraphs that announce a block, each with the lines of the block."""
    for found in re.finditer(r"((?:^\S.*\n)+)\n((?:(?:^   .*)?\n)+)", text, re.M):
        if found[1].endswith("::\n"):
            yield found[1].strip(), re.sub(r"^   ", "", found[2], flags=re.M).strip("\n") + "\n"


class Contributing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name)
        listed = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], check=False, stdout=subprocess.PIPE)
        if listed.returncode:
            self.skipTest("no clone")
        names = b"".join(name + b"\0" for name in listed.stdout.split(b"\0")
                         if name and os.path.lexists(os.path.join(os.fsencode(TOP), name)))
        tar = subprocess.run(["tar", "-C", TOP, "--null", "-T", "-", "-cf", "-"], check=True,
                             input=names, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-C", self.copy, "-xf", "-"], check=True, input=tar.stdout)

    def edit(self, name, where, anchor, text):
        path = self.copy / name
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        at = [n for n, line in enumerate(lines) if line.strip() == anchor]
        self.assertEqual(len(at), 1, f"{name}: lines '{anchor}'")
        lines.insert(at[0] + (where == "after"), text.replace(" " * 8, "\t"))
        path.write_text("".join(lines), encoding="utf-8")

    def run_commands(self, title, text):
        env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        env.update(QUICK, MAKEFLAGS=f"-j{os.cpu_count()}", CCACHE_BASEDIR=str(self.copy))
        done = subprocess.run(["sh", "-ec", text], check=False, cwd=self.copy, text=True, env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, f"{title}:\n{text}\n{done.stdout[-4000:]}")

    def test_examples(self):
        """Run the examples in order, since each builds on the previous ones."""
        found = sections()
        self.assertEqual(len(found), 3, list(found))
        for title, text in found.items():
            for intro, block in blocks(text):
                edit = EDIT.search(intro)
                if edit:
                    self.edit(edit[1], edit[2], " ".join(edit[3].split()), block)
                else:
                    self.run_commands(title, block)


if __name__ == "__main__":
    unittest.main()
