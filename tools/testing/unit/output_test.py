# SPDX-License-Identifier: GPL-2.0-only
"""Files that the program "pcounter" writes.

A file in a folder of others may be a trap, and is not the program's to remove. The machine
is that of program_test.py.
"""

import os
import resource
import signal
import stat
import subprocess
import unittest

from program_test import Recorder
from screens import PROGRAM

NOBODY = 65534
PRECIOUS = "precious"
# longer than the program waits for an output that takes nothing
SECONDS = 60

# Options of all verbs that write to a file, whose name follows.
TOP_METRICS = ("top", "-M", "-n", "1", "-i", "20", "-o")
WRITERS = (
    TOP_METRICS, ("top", "-c", "-n", "1", "-i", "20", "-o"), ("stat", "-t", "20ms", "-j", "-o"),
    ("scan", "-i", "20ms", "-c", "-o"), ("scan", "-i", "20ms", "-p"),
    ("report", "capture", "-o"), ("report", "capture", "-J", "-o"), ("report", "capture", "-T"),
    ("report", "capture", "-p"), ("record", "-e", Recorder.EVENT, "-d", "20", "-o"),
)
REPORTS = [writer for writer in WRITERS if writer[0] == "report"]
# without a byte an SVG is no picture
NAMES = ("their", "their.svg")


class Folder(Recorder):
    """A folder in which others have files."""

    def setUp(self):
        super().setUp()
        os.umask(0o22)
        self.victim = self.folder / "victim"
        self.victim.write_text(PRECIOUS, encoding="ascii")

    def give(self, path):
        """Make a file another user's; only root can, so others become another user."""
        if os.geteuid():
            self.script.append("uid 1")
        else:
            os.chown(path, NOBODY, -1)


class Files(Folder):
    """What is at the name of an output is replaced if it is the user's own file, or stays."""

    def setUp(self):
        super().setUp()
        self.record("-d", "20")
        self.file.rename(self.folder / "capture")

    def each(self, check, writers=WRITERS):
        """Call a check with each verb, and with a name that does not exist."""
        for writer in writers:
            for name in NAMES if writer[-1] == "-p" else NAMES[:1]:
                path = self.folder / name
                with self.subTest(writer=writer, name=name):
                    try:
                        check(writer, path)
                        self.assertEqual(self.victim.read_text(encoding="ascii"), PRECIOUS)
                    finally:
                        path.unlink(missing_ok=True)

    def refused(self, writer, path, words):
        """Run a verb that says why, in one line that names the file, and leaves no other file."""
        before, others = path.lstat(), set(os.listdir(self.folder))
        out = self.tool(*writer, path.name, status=1)
        line, = [line for line in out.splitlines() if path.name in line]
        self.assertIn(words, line)
        self.assertNotIn(f"{path.name}.", line)
        after = path.lstat()
        self.assertEqual((after.st_ino, after.st_mode, after.st_size),
                         (before.st_ino, before.st_mode, before.st_size))
        self.assertEqual(set(os.listdir(self.folder)), others)

    def test_links_of_others(self):
        def check(writer, path):
            for victim in (self.victim, self.folder / "new"):
                path.symlink_to(victim)
                self.refused(writer, path, "a link, ")
                path.unlink()
            self.assertFalse(victim.exists())
        self.each(check)

    def test_files_of_others(self):
        def check(writer, path):
            for text in ("", PRECIOUS):
                path.write_text(text, encoding="ascii")
                path.chmod(0o666)
                self.give(path)
                self.refused(writer, path, "not this user's")
                self.assertEqual(path.read_text(encoding="ascii"), text)
                self.script = self.script[:3]
        self.each(check)

    def test_protected_files(self):
        def check(writer, path):
            path.write_text(PRECIOUS, encoding="ascii")
            path.chmod(0o444)
            self.refused(writer, path, "write-protected, ")
        self.each(check)

    def test_pipes_stay(self):
        """A FIFO is written into, and stays."""
        def check(writer, path):
            os.mkfifo(path)
            with open(self.folder / "read", "wb") as out, \
                    subprocess.Popen(["cat", path], stdout=out) as reader:
                try:
                    self.tool(*writer, path.name)
                    self.assertEqual(reader.wait(timeout=SECONDS), 0)
                finally:
                    reader.kill()
            self.assertGreater((self.folder / "read").stat().st_size, 0)
            self.assertTrue(stat.S_ISFIFO(path.lstat().st_mode))
        self.each(check)

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a FIFO of another user")
    def test_pipes_of_others(self):
        def check(writer, path):
            os.mkfifo(path, 0o666)
            os.chown(path, NOBODY, -1)
            self.refused(writer, path, "not this user's")
        self.each(check)

    def test_own_files_are_replaced(self):
        """The file under another name, which a link gives it, keeps its contents."""
        def check(writer, path):
            path.hardlink_to(self.victim)
            self.tool(*writer, path.name)
            self.assertEqual(path.exists(), writer != TOP_METRICS)
            (self.folder / f"{path.name}.old").unlink(missing_ok=True)
            self.assertEqual(set(os.listdir(self.folder)) - {path.name}, before, "a scrap is left")
        before = set(os.listdir(self.folder))
        self.each(check)

    def test_no_such_folder(self):
        for writer in WRITERS:
            out = self.tool(*writer, "/no/such/x", status=1)
            self.assertIn("pcounter: /no/such/x: No such file or directory\n", out)

    def test_descriptors(self):
        """Names of the program's own descriptors are links that nobody plants."""
        for writer in WRITERS:
            for name in ("/dev/stdout", "/dev/fd/1"):
                with open(self.folder / "out", "wb") as out:
                    out.write(b"before")
                    out.flush()
                    subprocess.run(["sh", "-c", 'exec "$@"', "sh", PROGRAM, *writer, name],
                                   check=True, stdout=out, stderr=subprocess.DEVNULL,
                                   cwd=self.folder, env=self.environment())
                text = (self.folder / "out").read_bytes()
                self.assertEqual(text[:6], b"before")
                self.assertGreater(len(text), 100)

    def has_mode(self, writer, path, want):
        self.tool(*writer, path.name)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), want)

    def test_secrets(self):
        """A report of a capture that others cannot read is for its owner, too."""
        for mode, want in ((0o600, 0o600), (0o640, 0o600), (0o644, 0o644)):
            (self.folder / "capture").chmod(mode)
            self.each(lambda writer, path, want=want: self.has_mode(writer, path, want), REPORTS)
        (self.folder / "capture.cpu").touch(0o600)
        self.tool("report", "capture", "-T", "t", status=1)
        self.assertEqual(stat.S_IMODE((self.folder / "t").stat().st_mode), 0o600)

    def test_others_are_no_secrets(self):
        for mask, want in ((0o22, 0o644), (0o27, 0o640), (0o77, 0o600)):
            os.umask(mask)
            self.tool("stat", "-t", "20ms", "-o", "x")
            self.assertEqual(stat.S_IMODE((self.folder / "x").stat().st_mode), want)

    def test_a_planted_scrap(self):
        """The name of the file that replaces the metrics cannot be guessed."""
        done = subprocess.run(
            ["sh", "-c", 'ln -s victim "x.$$"; exec "$@"', "sh", PROGRAM, *TOP_METRICS, "x"],
            check=False, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.victim.read_text(encoding="ascii"), PRECIOUS)

    def test_full_disk(self):
        """The message names the user's file; nothing else is left."""
        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = self.run_program(*TOP_METRICS, "x", preexec_fn=little_room)
        self.assertEqual((done.returncode, done.stderr), (1, "pcounter: x: File too large\n"))
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("x")])


class Kept(Folder):
    """Files that record keeps as .old."""

    def obstacles(self, name):
        """Yield what may be at a name that only a regular file of one's own may leave."""
        path = self.folder / name
        path.symlink_to(self.victim)
        yield path
        path.unlink()
        os.mkfifo(path)
        yield path
        path.unlink()
        path.write_text("", encoding="ascii")
        self.give(path)
        yield path
        path.unlink()
        self.script = self.script[:3]

    def stays(self, path, name):
        before = path.lstat()
        # without root both names are another user's
        self.assertRegex(self.record("-d", "20", status=1), rf"pcounter: {name}(\.old)?: ")
        self.assertEqual((path.lstat().st_ino, path.lstat().st_mode),
                         (before.st_ino, before.st_mode))
        self.assertEqual(self.victim.read_text(encoding="ascii"), PRECIOUS)

    def test_old(self):
        for path in self.obstacles("f.old"):
            self.file.write_text(PRECIOUS, encoding="ascii")
            self.stays(path, "f")
            self.assertEqual(self.file.read_text(encoding="ascii"), PRECIOUS)

    def test_cpus(self):
        for path in self.obstacles("f.cpu"):
            self.stays(path, "f.cpu")
            self.assertFalse(self.file.exists())
        for path in self.obstacles("f.cpu.old"):
            (self.folder / "f.cpu").write_text(PRECIOUS, encoding="ascii")
            self.stays(path, "f.cpu")
            (self.folder / "f.cpu").unlink()


if __name__ == "__main__":
    unittest.main()
