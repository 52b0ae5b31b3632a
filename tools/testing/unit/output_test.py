# SPDX-License-Identifier: GPL-2.0-only
"""Files that the program "pcounter" writes, and its end by signals.

A file in a folder of others may be a trap, and is not the program's to remove; an
output may take nothing more. The machine is that of program_test.py.
"""

import contextlib
import fcntl
import os
import pathlib
import pty
import re
import resource
import signal
import stat
import subprocess
import tempfile
import termios
import time
import unittest

from program_test import A, EMULATOR, PERFMON, Machine, Recorder
from screens import PROGRAM, make_machine

NOBODY = 65534
PRECIOUS = "precious"
# longer than the program waits for an output that takes nothing
SECONDS = 60

# Options of all verbs that write to a file, whose name follows.
TOP_METRICS = ("top", "--openmetrics", "-n", "1", "-i", "20", "-o")
WRITERS = (
    TOP_METRICS, ("top", "-c", "-n", "1", "-i", "20", "-o"), ("stat", "-t", "20ms", "-j", "-o"),
    ("scan", "-i", "20ms", "-c", "-o"),
    ("report", "capture", "-o"), ("report", "capture", "-J", "-o"), ("report", "capture", "-T"),
    ("report", "capture", "-p"), ("record", "-e", Recorder.EVENT, "-t", "20", "-o"),
)
REPORTS = [writer for writer in WRITERS if writer[0] == "report"]
THEIR = "their"


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
        self.record("-t", "20")
        self.file.rename(self.folder / "capture")

    def each(self, check, writers=WRITERS):
        """Call a check with each verb, and with a name that does not exist."""
        for writer in writers:
            path = self.folder / THEIR
            with self.subTest(writer=writer):
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
                    subprocess.run(["sh", "-c", 'exec "$@"', "sh", *EMULATOR, PROGRAM,
                                    *writer, name],
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
        self.tool("report", "capture", "-T", "t", "--cpu", status=1)
        self.assertEqual(stat.S_IMODE((self.folder / "t").stat().st_mode), 0o600)

    def test_others_are_no_secrets(self):
        for mask, want in ((0o22, 0o644), (0o27, 0o640), (0o77, 0o600)):
            os.umask(mask)
            self.tool("stat", "-t", "20ms", "-o", "x")
            self.assertEqual(stat.S_IMODE((self.folder / "x").stat().st_mode), want)

    def test_a_planted_scrap(self):
        """The name of the file that replaces the metrics cannot be guessed."""
        done = subprocess.run(
            ["sh", "-c", 'ln -s victim "x.$$"; exec "$@"', "sh", *EMULATOR, PROGRAM,
             *TOP_METRICS, "x"],
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
        self.assertRegex(self.record("-t", "20", status=1), rf"pcounter: {name}(\.old)?: ")
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


class Stalled(Machine):
    """INT, TERM and HUP end each verb that waits for an output which takes nothing."""

    RECORD = ("record", "-e", f"pcounter_0/{A}/", "-t", "1s", "-o")

    def setUp(self):
        super().setUp()
        self.script = [f"caps {PERFMON}"]

    def status_of(self, program, field):
        text = pathlib.Path(f"/proc/{program}/status").read_text(encoding="ascii")
        return re.search(rf"^{field}:\s*(\S+)", text, re.M)[1]

    def wait_until_stalled(self, program):
        """Time of the fake machine passes at once: the program sleeps only in a write or an open."""
        while not (self.status_of(program, "State") == "S" and
                   int(self.status_of(program, "SigCgt"), 16) >> (signal.SIGTERM - 1) & 1):
            self.assertNotEqual(self.status_of(program, "State"), "Z", "it has ended")
            time.sleep(0.01)

    def fill(self, pipe):
        os.set_blocking(pipe, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(pipe, bytes(4096))
        os.set_blocking(pipe, True)
        self.addCleanup(os.close, pipe)

    def start(self, *args, **kwargs):
        """Start the program, and wait until it stalls."""
        command = [*EMULATOR, PROGRAM, *args]
        program = subprocess.Popen(command, cwd=self.folder, env=self.environment(), **{
            "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL, **kwargs})
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        with self.subTest(args=args):
            self.wait_until_stalled(program.pid)
        return program

    def end(self, programs, sig=signal.SIGTERM, statuses=(1, 130)):
        for program in programs:
            program.send_signal(sig)
        for program in programs:
            with self.subTest(args=program.args):
                self.assertIn(program.wait(timeout=SECONDS), statuses)

    def test_full_pipes(self):
        self.capture("many", "250000")
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.fill(writer)
        self.end([self.start(*args, stdout=writer) for args in (
            ("stat", "-j", "-I", "20ms"), ("stat", "-j", "-t", "20ms"), ("top",), ("top", "-J"),
            ("top", "--openmetrics"), ("report", "many"), ("report", "-J", "many"),
            ("scan", "-c", "-i", "20ms"))])
        for sig in (signal.SIGINT, signal.SIGHUP):
            self.end([self.start("stat", "-j", "-t", "20ms", stdout=writer)], sig)
        # text on stderr: of a capture that is complete
        self.end([self.start("stat", "-t", "20ms", stderr=writer)])
        self.end([self.start(*self.RECORD, "f", stderr=writer)], statuses=(0, 1, 130))

    def test_pipes_without_a_reader(self):
        """Neither the opening of a FIFO nor a reader that stalls keeps the program."""
        os.mkfifo(self.folder / "x")
        writers = (self.RECORD, TOP_METRICS)
        self.end([self.start(*args, "x") for args in writers])
        self.fill(os.open(self.folder / "x", os.O_RDWR))
        self.end([self.start(*args, "x") for args in writers])

    def test_stalled_terminal(self):
        """The screen of top ends, and the terminal is as it was."""
        with tempfile.TemporaryDirectory() as folder:
            env = make_machine(pathlib.Path(folder), "g84")
            pathlib.Path(env["FAKE_SCRIPT"]).write_text("=gpu_busy 0.1 0.9 3000\n", encoding="ascii")
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, b"\x18\x00\x50\x00" + bytes(4))
            before = termios.tcgetattr(theirs)
            with subprocess.Popen([*EMULATOR, PROGRAM, "top"], stdin=theirs, stdout=theirs,
                                  stderr=subprocess.DEVNULL, env=env) as program:
                try:
                    self.wait_until_stalled(program.pid)
                    program.terminate()
                    program.wait(timeout=SECONDS)
                finally:
                    program.kill()
            self.assertEqual(program.returncode, 0)
            self.assertEqual(termios.tcgetattr(theirs), before)
            os.close(ours)
            os.close(theirs)


class HangUp(Recorder):
    """The terminal is gone: what was counted is written, as after ^C."""

    def end(self, *args, ready, status, **kwargs):
        self.script += ["real 1"]
        with subprocess.Popen([*EMULATOR, PROGRAM, *args], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=self.environment(), **kwargs) as program:
            deadline = time.monotonic() + SECONDS
            while not ready():
                self.assertLess(time.monotonic(), deadline, "it does not begin")
                time.sleep(0.01)
            program.send_signal(signal.SIGHUP)
            message = program.communicate(timeout=SECONDS)[1]
        self.assertEqual(program.returncode, status, message)

    def size(self, name):
        path = self.folder / name
        return path.stat().st_size if path.exists() else 0

    def test_stat(self):
        # the command begins when the program catches signals
        self.end("stat", "-j", "-o", "f", "--", "sh", "-c", "echo >begun; exec sleep 1000",
                 ready=lambda: self.size("begun"), status=130)
        self.assertIn('"elapsed"', self.file.read_text(encoding="ascii"))

    def test_record(self):
        self.end("record", "-o", "f", "-e", self.EVENT, "-t", "1000s",
                 ready=lambda: self.size("f") > 8192, status=130)
        self.assertIn("ended by a signal", self.tool("report", "f", status=1))

    def test_metrics(self):
        self.end("top", "--openmetrics", "-o", "f", "-i", "20", ready=lambda: self.size("f"), status=0)
        self.assertFalse(self.file.exists())

    def test_nohup(self):
        """A program that is to ignore it goes on."""
        self.end("stat", "-j", "-o", "f", "--", "sh", "-c", "echo >begun; exec sleep 0.1",
                 ready=lambda: self.size("begun"), status=0,
                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertIn('"elapsed"', self.file.read_text(encoding="ascii"))


if __name__ == "__main__":
    # under nohup the programs would inherit that they are to ignore it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    unittest.main()
