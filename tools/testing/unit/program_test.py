# SPDX-License-Identifier: GPL-2.0-only
"""The program "pcounter" on a fake machine: tools/testing/fake.

It needs no GPU, no perf and no time: a script describes the machine, and time
passes while the program waits.
"""

import contextlib
import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from screens import PROGRAM

TOP = pathlib.Path(__file__).resolve().parents[3]
# runs programs of another machine
EMULATOR = os.environ.get("EMULATOR", "").split()
PERFMON = 1 << 38
ADMIN = 1 << 21
A, B = "dom=1,sig=0x10", "dom=1,sig=0x11"


class Machine(unittest.TestCase):
    """A folder to work in, and a machine."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.script = []

    def environment(self):
        """Write the script, and return the environment of the program."""
        script = self.folder / "script"
        script.write_text("\n".join(self.script) + "\n", encoding="ascii")
        return {**os.environ, "FAKE_ROOT": f"{self.folder}/root", "FAKE_SCRIPT": str(script),
                "PCI_IDS": "/nonexistent"}

    def run_program(self, *args, env=None, **kwargs):
        return subprocess.run(
            [*EMULATOR, PROGRAM, *args], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=self.folder, timeout=120,
            env={**self.environment(), **(env or {})}, **kwargs)

    def capture(self, name, kind):
        """Write a made-up capture."""
        with open(self.folder / name, "wb") as file:
            subprocess.run([*EMULATOR, TOP / "build/capture/capture-make", kind], check=True,
                           stdout=file)

    @contextlib.contextmanager
    def started(self, *args, status=0):
        """Yield while the program runs; SIGINT ends it."""
        with subprocess.Popen([*EMULATOR, PROGRAM, *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=self.environment()) as program:
            try:
                yield program
            finally:
                program.send_signal(signal.SIGINT)
                message = program.communicate(timeout=60)[1]
        self.assertEqual(program.returncode, status, message)

    def counted(self, *args, status=0, **kwargs):
        """Return the rows of "pcounter stat" by the names of the metrics."""
        done = self.run_program("stat", "-j", *args, **kwargs)
        self.assertEqual(done.returncode, status, done.stderr)
        rows = map(json.loads, done.stdout.splitlines())
        return {row["event"]: row for row in rows if row["event"] != "elapsed"}

    def tool(self, *args, status=0, **kwargs):
        done = self.run_program(*args, **kwargs)
        self.assertEqual(done.returncode, status, f"{args}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr


class Recorder(Machine):
    """A machine that can record two signals."""

    EVENT = f"pcounter_0/record,{A},periodic=1/"

    def setUp(self):
        super().setUp()
        self.script = [f"caps {PERFMON}", "signal 1 16 0.25", "signal 1 17 0.5"]
        self.file = self.folder / "f"

    def record(self, *args, status=0, event=EVENT, **kwargs):
        return self.tool("record", "-e", event, "-o", "f", *args, status=status, **kwargs)


class Record(Recorder):
    """pcounter record follows perf record."""

    def test_options_behind_events(self):
        self.tool("record", "-e", self.EVENT, "-o", "f", "--", "true")
        self.assertIn("25.0", self.tool("report", "f"))

    def test_command_without_dashes(self):
        self.record("sh", "-c", "exit 0")
        self.assertTrue(self.file.exists())

    def test_events_by_place_are_told(self):
        self.file.write_text("precious", encoding="ascii")
        out = self.tool("record", self.EVENT, "-o", "f", status=1)
        self.assertIn("-e", out)
        self.assertEqual(self.file.read_text(encoding="ascii"), "precious")

    def test_status_of_the_command(self):
        self.record("--", "sh", "-c", "exit 7", status=7)
        self.record("--", "sh", "-c", "kill -9 $$", status=128 + 9)
        self.record("--", "true")

    def test_no_such_command(self):
        self.file.write_text("precious", encoding="ascii")
        self.assertIn("No such file", self.record("--", "/no/such/command", status=1))
        self.assertEqual(self.file.read_text(encoding="ascii"), "precious")

    def test_old_file_is_kept(self):
        self.file.write_text("precious", encoding="ascii")
        self.record("--", "true")
        old = self.folder / "f.old"
        self.assertEqual(old.read_text(encoding="ascii"), "precious")

    def test_nothing_is_moved_when_refused(self):
        self.script[0] = "caps 0"
        self.file.write_text("precious", encoding="ascii")
        self.record("--", "true", status=1)
        self.assertEqual(self.file.read_text(encoding="ascii"), "precious")
        self.assertFalse((self.folder / "f.old").exists())

    def test_for_its_owner_only(self):
        os.umask(0o22)
        self.record("--", "true")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)

    def test_devices_are_no_old_files(self):
        self.tool("record", "-e", self.EVENT, "-o", "/dev/null", "--", "true")

    def test_events_of_a_domain_are_one_group(self):
        events = [f"pcounter_0/record,{what},periodic=1/" for what in (A, "dom=2,sig=3", B)]
        for args in (("-e", ",".join(events)), [word for event in events for word in ("-e", event)]):
            self.tool("record", *args, "-o", "f", "--", "true")
            out = self.tool("report", "f")
            self.assertIn("2 streams", out)
            self.assertIn("c1  record,dom=1,sig=0x11", out)

    def test_a_signal_twice(self):
        """One counter serves both."""
        twin = f"pcounter_0/{A}/"
        for events in (f"{self.EVENT},{twin}", f"{{{twin},pcounter/{B}/,{twin}}}",
                       "pgraph_idle,pcounter_0/pgraph_idle/,pcounter_0/dom=1,clk/,"
                       "pcounter_0/dom=1,clk/"):
            out = self.record("-t", "20", event=events)
            self.assertIn("recorded once", out)
            self.assertIn("loss     none", self.tool("report", "f"))
        self.assertNotIn("c1", self.tool("report", "f"))
        self.assertNotIn("recorded once", self.record("-t", "20"))

    def test_as_much_as_may_be_locked(self):
        """A user without CAP_IPC_LOCK: areas of all domains have to fit."""
        events = [f"pcounter_0/dom={dom},sig=3/" for dom in (1, 2, 3)]
        for lockable, pages in ((3 * 1024, None), (3 * 1024 - 1, 512), (3 * 16, 16), (47, None)):
            self.script += [f"lockable {lockable}"]
            out = self.record("-t", "10", event=",".join(events), status=int(lockable < 48))
            self.assertEqual(f"areas of {pages} pages" in out, pages is not None, out)
            self.assertEqual("may lock: ulimit -l" in out, lockable < 48, out)
            self.script.pop()
        self.script += ["lockable 100"]
        out = self.record("-m", "128", "-t", "10", status=1)
        self.assertIn("more than this user may lock", out)

    def test_default_events(self):
        self.tool("record", "-o", "f", "--", "true")
        self.assertIn("pgraph_idle", self.tool("report", "f"))

    def test_nothing_to_wait_for(self):
        # without a command it continues until ^C
        self.script += ["interrupt 300"]
        self.record()
        self.assertIn("0x10", self.tool("report", "f"))


class Refused(Recorder):
    """A refusal says which events record mode takes, and which verb finds them."""

    HINT = "record mode takes single signals of the domains, up to 12 of each; pcounter explain"

    def test_wires_of_logic_ops(self):
        for event in ("gpu_busy", "stream_out_busy"):
            self.assertIn(self.HINT, self.record("-t", "10", event=event, status=1))
            wires = re.search("^ +wires .*$", self.tool("explain", event), re.M)[0]
            names = ",".join(re.findall(r"\((\w+)\)", wires))
            self.assertNotIn("pcounter:", self.record("-t", "20", event=names))

    def test_idle_counters(self):
        out = self.record("-t", "10", event="gr_busy", status=2, env={"FAKE_CHIP": "gt215"})
        self.assertIn(self.HINT, out)

    def test_chip_without_record_mode(self):
        self.assertIn("NV40 has no record mode; G84 to GT215 have it", self.without("NV40"))

    def test_chip_with_unverified_record_mode(self):
        self.assertIn("GK104 has no record mode without the module's parameter unverified=1",
                      self.without("GK104"))

    def without(self, chip):
        out = self.record("-t", "10", event=f"pcounter/{A}/", status=1, env={"FAKE_CHIP": chip})
        self.assertNotIn("takes", out)
        return out

    def test_report_of_a_file_of_perf(self):
        self.file.write_bytes(b"PERFILE2" + bytes(96))
        out = self.tool("report", "f", status=1)
        for words in ("perf report -i", "perf script -s pcounter-packets.py"):
            self.assertIn(words, out)


class Losses(Recorder):
    """A disturbed capture never looks complete."""

    def test_none(self):
        out = self.record("-t", "200ms")
        self.assertNotIn("gap", out)
        out = self.tool("report", "f")
        self.assertIn("loss     none", out)
        self.assertIn("recorded 100.00 %", out)

    def test_no_packet(self):
        self.script += ["still 1"]
        self.assertIn("0 packets: the clock stands still", self.record("-t", "20"))
        self.assertIn("no packet: the clock stood still", self.tool("report", "f"))
        self.script.pop()
        self.assertNotIn("clock stands", self.record("-t", "20"))
        self.assertNotIn("clock stood still", self.tool("report", "f"))

    def test_others(self):
        self.script += ["other 1"]
        out = self.record("-t", "200ms", status=1)
        self.assertIn("gaps", out)
        self.assertRegex(out, r"5\d\.\d+ % of the time")
        out = self.tool("report", "f", status=1)
        self.assertRegex(out, r"gaps 2\d")
        self.assertRegex(out, r"recorded 5\d\.\d+ %")

    def test_others_once(self):
        self.script += ["busy 1 100 103"]
        self.record("-t", "200ms", status=1)
        self.assertIn("gaps 1", self.tool("report", "f", status=1))

    def test_full_area(self):
        # 20 ms of the fastest domain exceed these pages
        out = self.record("-m", "16", "-t", "200ms", status=1,
                          event="pcounter_0/record,dom=7,sig=9,periodic=1/")
        self.assertIn("gaps", out)
        self.assertRegex(out, r"recorded [0-9.]+ % of the time")
        self.assertIn("gaps", self.tool("report", "f", status=1))

    def test_interrupted(self):
        self.script += ["interrupt 100"]
        self.record("-t", "200ms", status=130)
        self.assertIn("ended by a signal", self.tool("report", "f", status=1))

    def test_killed(self):
        self.script += ["killed 150"]
        self.record("-t", "200ms", status=-signal.SIGKILL)
        out = self.tool("report", "f", status=1)
        self.assertIn("did not end in order", out)
        self.assertNotIn("loss     none", out)

    def test_full_disk(self):
        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        self.assertIn("File too large", self.record("-t", "200ms", status=1,
                                                    preexec_fn=little_room))
        self.assertIn("did not end in order", self.tool("report", "f", status=1))
        self.assertIn("No space left", self.tool("record", "-e", self.EVENT, "-o", "/dev/full",
                                                 "-t", "20", status=1))

    def test_gone(self):
        self.script += ["gone 100"]
        self.record("-t", "5s", status=1)
        self.assertIn("did not end in order", self.tool("report", "f", status=1))


class Rights(Machine):
    """Messages about permissions are true, at every level of both kinds of kernels."""

    def at(self, level, caps, debian):
        self.script = [f"paranoid {level}", f"caps {caps}", f"debian {debian}"]

    def test_every_level(self):
        for debian in (0, 1):
            for level in range(-1, 5):
                for caps in (0, PERFMON, ADMIN):
                    closed = debian and level > 2 and caps != ADMIN
                    count = (level <= 0 or caps) and not closed
                    with self.subTest(debian=debian, level=level, caps=caps):
                        self.at(level, caps, debian)
                        self.check_count(count)
                        self.check_record(caps and not closed)

    def check_count(self, may):
        out = self.tool("doctor", status=not may)
        self.assertEqual("Counting will work." in out, bool(may))
        self.assertEqual(out.count("permission    granted"), bool(may), out)
        self.assertEqual(out.count("do: sudo"), not may, out)
        out = self.tool("top", "-n", "1", "-i", "20", status=not may)
        self.check_advice(out, may)

    def check_record(self, may):
        out = self.tool("record", "-e", "pgraph_idle", "-o", "f", "-t", "20", status=not may)
        self.check_advice(out, may)

    def check_advice(self, out, may):
        self.assertNotIn("container", out)
        self.assertEqual("do: sudo" in out, not may, out)

    def test_advice_helps(self):
        """The complete advice, followed once, is enough."""
        for debian, level, caps in ((0, 2, 0), (1, 2, 0), (1, 3, 0), (1, 4, PERFMON)):
            for verb in (("top", "-n", "1"), ("record", "-e", "pgraph_idle", "-o", "f", "-t", "9")):
                self.at(level, caps, debian)
                advice = self.tool(*verb, status=1).split("do: ")[1]
                self.at(2 if "sysctl kernel.perf_event_paranoid=2" in advice else level,
                        PERFMON if "setcap cap_perfmon+ep" in advice else caps, debian)
                self.tool(*verb)

    def test_sealed(self):
        self.at(-1, PERFMON, 0)
        self.script += ["sealed 1"]
        self.assertIn("a container or a security module", self.tool("top", "-n", "1", status=1))
        out = self.tool("doctor", status=1)
        self.assertIn("a container or a security module", out)
        self.assertNotIn("log", out)


class Scan(Machine):
    """pcounter scan finds what a command changes, and nothing in noise."""

    def setUp(self):
        super().setUp()
        # these move by themselves, with periods near the length of a window
        self.noise = [(1, 32 + k, period) for k, period in enumerate((23, 41, 67, 97, 130, 211))]
        self.script = [f"caps {PERFMON}", "command 60", "signal 2 9 0.4",
                       *(f"square {dom} {sig} {period}" for dom, sig, period in self.noise)]

    def changed(self, *args, status=0):
        done = self.run_program("scan", "-i", "50ms", "-c", *args)
        self.assertEqual(done.returncode, status, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        return {(int(row["domain"]), int(row["signal"])): row for row in rows if row["rank"]}

    def test_noise(self):
        for length in (20, 60, 75, 110):
            self.script[1] = f"command {length}"
            self.assertEqual(self.changed("--", "true"), {}, f"command of {length} ms")

    def test_random_noise(self):
        """Any number of wires, with any periods; test_judge.c has many more."""
        rng = random.Random(1)
        for length in (20, 60, 150):
            self.script[1:] = [f"command {length}", *(
                f"square {rng.randrange(8)} {sig} {rng.uniform(0.2, 5) * length:.3f}"
                for sig in range(rng.randrange(8, 24)))]
            self.assertEqual(self.changed("--", "true"), {}, self.script)

    def test_findings(self):
        self.script += ["signal 1 16 0 0.5", "signal 1 17 1 0.9", "signal 3 5 0.3 0.35",
                        "signal 4 6 0 0.001"]
        found = self.changed("--", "true")
        self.assertEqual(set(found), {(1, 16), (1, 17), (3, 5), (4, 6)})
        for row in found.values():
            self.assertTrue(0.99 <= float(row["certainty"]) < 1, row)

    def test_signals_of_others(self):
        """That nothing has changed is said of what was counted."""
        self.script += ["busy 3 0 500000"]
        self.assertRegex(self.tool("scan", "--", "true"),
                         r"  nothing\n(  .*\n)?\n48 signals were not counted: others had their domains")
        self.script.pop()
        self.assertNotIn("not counted", self.tool("scan"))

    def test_command_fails(self):
        done = self.run_program("scan", "-c", "--", "false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("fails with status 1", done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)

    def test_command_fails_later(self):
        count = 'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; [ $n -ne 5 ]'
        done = self.run_program("scan", "-c", "-i", "50", "--", "sh", "-c", count)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"failed in 1 of \d+ runs, at last with status 1")

    def test_interrupted(self):
        """The rounds before ^C are shown; a change needs all of them."""
        count = ('n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; '
                 '[ $n -ne 3 ] || kill -INT $PPID')
        for args in ((), ("-c",)):
            out = self.tool("scan", *args, "-i", "50", "--", "sh", "-c", count, status=130)
            self.assertRegex(out, r"2 +0x09 .* 40\.000 %" if not args else
                             r"\n[^\n]*,2,9,,,active,[^\n]*,0\.4[,0]")
            (self.folder / "n").unlink()

    def test_time_is_told(self):
        self.assertRegex(self.tool("scan", "--", "true"), r"rounds or more, \d+ s or more")


class Mark(Machine):
    """A USER signal is 1 while a command runs."""

    def setUp(self):
        super().setUp()
        self.user = self.folder / "root/sys/kernel/debug/pcounter/pcounter_0/user"

    def mark(self, *args, status=0, chip="gt215", debugfs=True):
        # another chip is another machine
        shutil.rmtree(self.folder / "root", ignore_errors=True)
        if debugfs:
            self.user.parent.mkdir(parents=True)
        return self.tool("mark", *args, status=status, env={"FAKE_CHIP": chip})

    def driven(self):
        return self.user.read_text(encoding="ascii")

    def test_phase(self):
        for dashes in ((), ("--",)):
            out = self.mark("dom1_user_1", *dashes, "sh", "-c", f"cat {self.user}; exit 7", status=7)
            self.assertEqual((out, self.driven()), ("1 2 0\n", "1 0 0\n"))

    def test_pulse(self):
        self.mark("dom3_user_1")
        self.assertEqual(self.driven(), "3 2 2\n")
        for event in ("hub_dom6_user_3", "pcounter/dom=6,sig=0xaa/"):
            self.mark(event, chip="gk104")
            self.assertEqual(self.driven(), "hub6 8 8\n")

    def test_refusals(self):
        for event, chip, words in (
                ("dom1_user_0", "gt215", "the driver uses USER_0 itself"),
                ("pgraph_idle", "gt215", "not a USER signal"),
                ("ctxctl_user_1", "gt215", "not a USER signal"),
                ("pgraph_idle", "G84", "the chip has no USER signals"),
                ("dom1_user_1,", "gt215", "not an event"), ("dom1_user_9", "gt215", "not an event")):
            self.assertIn(words, self.mark(event, "true", status=2, chip=chip))
        self.assertIn("No such file", self.mark("dom1_user_1", "/no/such", status=1))
        self.assertFalse(self.user.exists())
        self.assertIn("only root", self.mark("dom1_user_1", "true", status=1, debugfs=False))


class Metrics(Machine):
    """OpenMetrics, on stdout and in a file."""

    LINE = re.compile(r'([a-z_]+){([^}]*)} (\S+)')

    def setUp(self):
        super().setUp()
        self.script = ["signal 1 16 0.25", "real 1"]

    def samples(self, text):
        found = {}
        for line in text.splitlines():
            if line[0] == "#":
                self.assertRegex(line, r"^# (HELP|TYPE|UNIT) (pcounter|hw_gpu)_[a-z_]+ \S+"
                                       r"|^# EOF$")
                continue
            name, labels, value = self.LINE.fullmatch(line).groups()
            labels = dict(re.findall(r'([a-z_]+)="([^"]*)"', labels))
            self.assertEqual({"gpu", "address", "chip"} - set(labels), set())
            key = name, labels.get("domain"), labels.get("signal", labels.get("engine"))
            self.assertNotIn(key, found, "a series twice")
            found[key] = float(value)
        return found

    def test_file(self):
        """A collector of text files sees a complete file at any time during its replacement."""
        path = self.folder / "p.prom"
        with self.started("top", "--openmetrics", "-o", str(path), "-i", "50", "-e", A):
            self.wait_for(path.exists)
            before = self.samples(path.read_text())
            self.wait_for(lambda: self.samples(path.read_text()) != before)
            after = self.samples(path.read_text())
            text = path.read_text()
        self.assertIn("# TYPE pcounter_signal_clocks_total counter", text)
        self.assertEqual(after["pcounter_up", None, None], 1)
        key = ("1", A)
        share = after[("pcounter_signal_clocks_total", *key)] / \
            after[("pcounter_signal_observed_clocks_total", *key)]
        self.assertAlmostEqual(share, 0.25, places=3)
        self.assertGreater(after[("pcounter_signal_clocks_total", *key)],
                           before[("pcounter_signal_clocks_total", *key)])
        self.assertAlmostEqual(after["pcounter_domain_clock_hertz", "2", None], 102e6, delta=1e4)
        self.assertFalse(path.exists(), "a file that is never new again")

    def test_openmetrics(self):
        text = self.run_program("top", "--openmetrics", "-n", "1", "-i", "20", "-e", A).stdout
        self.assertTrue(text.endswith("\n# EOF\n"))
        self.assertIn("# TYPE pcounter_signal_clocks counter\n", text)
        self.assertIn("# UNIT pcounter_domain_clock_hertz hertz\n", text)
        self.samples(text)

    def test_names_of_opentelemetry(self):
        """hw.gpu.utilization, for the tasks that the conventions list, with required labels."""
        self.script = ["=gpu_busy 0.3", "=ppdec_busy 0.5", "=pvenc_busy 0.75", "=mc_busy 0.9"]
        text = self.run_program("top", "--openmetrics", "-n", "1", env={"FAKE_CHIP": "GK208"}).stdout
        self.samples(text)
        self.assertIn("# TYPE hw_gpu_utilization_ratio gauge\n# UNIT hw_gpu_utilization_ratio ratio\n",
                      text)
        found = {}
        for labels, value in re.findall(r"(?m)^hw_gpu_utilization_ratio{(.*)} (.*)$", text):
            labels = dict(re.findall(r'([a-z_]+)="([^"]*)"', labels))
            self.assertEqual((labels["hw_id"], labels["hw_type"]), ("0000:01:00.0", "gpu"))
            found[labels["hw_gpu_task"]] = round(float(value), 3)
        self.assertEqual(found, {"general": 0.3, "decoder": 0.5, "encoder": 0.75})
        shutil.rmtree(self.folder / "root")
        text = self.run_program("top", "--openmetrics", "-n", "1", "-a",
                                env={"FAKE_CHIP": "GT215"}).stdout
        self.assertEqual(sorted(re.findall('hw_gpu_task="(.*)"', text)), ["decoder", "general"])

    def test_as_large_as_the_page_says(self):
        """Check the page's sizes of a scrape, and of 10 000 nodes."""
        page = (TOP / "Documentation/admin-guide/perf/pcounter-many.rst").read_text()
        nodes, kept = 10000, 15 * 86400
        want = {"series of a node": [], "every 15 s": [], "on disk, 15 days": [],
                "scraped, uncompressed": [], "every 60 s": []}
        for args, row in (((), "busy signals, G84"), (("-a",), "``-a``, all named, G84")):
            self.script = ["signal 1 16 0.25"]
            text = self.run_program("top", "--openmetrics", "-n", "1", *args).stdout
            samples, said = (int(number.replace(" ", "")) for number in
                             re.search(rf"(?m)^{row} +(\d+) +([\d ]+)$", page).groups())
            # new knowledge adds names
            self.assertAlmostEqual(len(self.samples(text)) / samples, 1, delta=0.05)
            self.assertAlmostEqual(len(text) / said, 1, delta=0.05)
            rate = samples * nodes / 15
            want["series of a node"].append(f"{samples}")
            want["every 15 s"].append(f"{rate:_.0f} samples/s")
            want["on disk, 15 days"].append(f"{rate * kept / 1e9:.0f} to "
                                            f"{2 * rate * kept / 1e9:.0f} GB")
            mb = said * nodes / 15 / 1e6
            want["scraped, uncompressed"].append(f"{mb:.1f} MB/s" if mb < 10 else f"{mb:.0f} MB/s")
            want["every 60 s"].append(f"{rate / 4:_.0f} samples/s")
        for name, (few, many) in want.items():
            few, many = (value.replace("_", " ") for value in (few, many))
            self.assertRegex(page, rf"(?m)^{name} +{few} +{many}$")

    def test_a_gpu_that_leaves(self):
        with self.started("top", "--openmetrics", "-o", "p", "-i", "30"):
            path = self.folder / "p"
            self.wait_for(path.exists)
            shutil.rmtree(self.folder / "root/sys/bus/pci/devices/0000:01:00.0")
            self.wait_for(lambda: len(self.samples(path.read_text())) == 2)
            self.assertEqual(self.samples(path.read_text()),
                             {("pcounter_up", None, None): 0, ("pcounter_asleep", None, None): 0})

    def wait_for(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it does not come")
            time.sleep(0.01)


class Usage(Recorder):
    """Units, names and options, the same in every verb."""

    def verbs(self):
        return re.findall(r"^  ([a-z]+)  ", self.tool("--help"), re.M)

    def test_wrong_words(self):
        """Wrong usage ends with 2, and only data goes to stdout."""
        for args in ((), ("nosuch",), ("explain", "nonsense/"),
                     *((verb, "--nosuch") for verb in self.verbs())):
            done = self.run_program(*args)
            self.assertEqual((done.returncode, done.stdout), (2, ""), args)

    def test_letters(self):
        """A letter is one option in all verbs, and an option has one letter."""
        verbs = self.verbs()
        pairs = sorted({pair for verb in verbs for pair in
                        re.findall(r"^  -(.), --([a-z-]+)", self.tool(verb, "--help"), re.M)})
        self.assertGreater(len(pairs), 20)
        for column in zip(*pairs):
            self.assertEqual(len(set(column)), len(column), pairs)

    def test_durations(self):
        for text, packets in (("100", 98), ("100ms", 98), ("0.2s", 197), ("200000us", 197)):
            out = self.record("-t", text)
            self.assertRegex(out, rf"{packets}\d\d packets")
        for text in ("2x", "s", "", "-5", "1e30"):
            self.record("-t", text, status=2)
        self.tool("stat", "-t", "20ms")
        self.tool("stat", "-t", "20 ms", status=2)
        for verb in (("top", "-n", "1"), ("scan",)):
            self.tool(*verb, "-i", "20ms")
            self.tool(*verb, "-i", "20 ms", status=2)
        self.assertRegex(self.tool("report", "--from", "100ms", "--to", "0.15", "f"),
                         r"from 0\.(1|0999)\d* to 0\.1(5|49)\d* s")

    def test_json(self):
        for verb in ("list", "doctor", "events"):
            for word in ("--json", "-j"):
                json.loads(self.run_program(verb, word).stdout)
            self.tool(verb, "-J", status=2)
        self.record("-t", "10")
        for verb in (("top", "-n", "1"), ("scan",), ("report", "f")):
            for word in ("--jsonl", "-J"):
                out = self.run_program(*verb, word).stdout
                self.assertTrue([json.loads(line) for line in out.splitlines()])
            self.tool(*verb, "-j", status=2)

    def test_window_beside_the_capture(self):
        self.record("-t", "100")
        for kind in ((), ("-c",)):
            out = self.tool("report", "--from", "5", *kind, "f", status=1)
            self.assertRegex(out, r"nothing in that window: the capture goes from \S+ to 0.09\d+ s")

    def test_names(self):
        for event in ("pgraph_idle", "pcounter_0/pgraph_idle/", "pcounter/pgraph_idle/"):
            self.tool("explain", event)
            self.record("-t", "10", event=event)
            self.assertIn("pgraph_idle", self.tool("top", "-n", "1", "-e", event))
        for event in ("pcounter_0/dom=1,sig=0x10/", "pcounter/dom=1,sig=16/"):
            self.tool("explain", event)
            self.record("-t", "10", event=event)
            self.assertIn("25.0 %", self.tool("top", "-n", "1", "-e", event))

    def test_pages(self):
        for pages in ("15", "17", "8", "131072", "0", "x"):
            out = self.record("-m", pages, "-t", "10", status=2)
            self.assertIn(f"{pages}: not a ", out)
        self.record("-m", "16", "-t", "10")

    def test_groups_name_their_gpu(self):
        """perf puts events of all GPUs into one group of "pcounter/.../", which never counts."""
        for path in (TOP / "README.md", TOP / "NEWS", *(TOP / "Documentation").rglob("*.rst"),
                     *(TOP / "tools/pcounter").rglob("*.c")):
            text = path.read_text(encoding="utf-8")
            self.assertIsNone(re.search(r"\{[^}\n]*\bpcounter/\w[^}\n]*\}", text), path)

    def test_no_such_command(self):
        for verb in (("record", "-o", "f"), ("scan",), ("stat",)):
            done = self.run_program(*verb, "--", "/no/such/command")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (1, "", "pcounter: /no/such/command: No such file or directory\n"))

    def test_typos(self):
        for event in ("pgraph_idel", "pcounter_0/pgraph_idel/", "pcounter_7/pgraph_idle/",
                      "pcounter_0/dom=1,sgi=3/", "pcounter_0/dom=77,sig=3/", "pgraph_idle/"):
            for verb in (("top", "-n", "1", "-e"), ("record", "-o", "f", "-t", "1", "-e"),
                         ("explain",)):
                done = self.run_program(*verb, event)
                self.assertIn(done.returncode, (1, 2), f"{verb} {event}: {done.stdout}")
        for verb in (("top", "-n", "1"), ("scan",), ("list",)):
            self.assertIn("nosuch", self.tool(*verb, "-d", "nosuch", status=3))


class Files(Machine):
    """Files that the kernel would not write."""

    def test_as_many_signals_as_there_can_be(self):
        debug = self.folder / "root/sys/kernel/debug/pcounter/pcounter_0"
        debug.mkdir(parents=True)
        for words in (0, 1, 9, 300):
            (debug / "signals").write_text(f"0:{' 00000000' * words}\n" * 64, encoding="ascii")
            machine = json.loads(self.tool("list", "-j", env={"FAKE_CHIP": "GF100"}))
            for domain in machine[0]["domains"]:
                self.assertLessEqual(domain["signals"] or 0, 256, f"{words} words: {domain}")


class Turns(Machine):
    """The metrics of a run take turns: a short run says so, and blames nobody."""

    def reasons(self, *args):
        rows = [json.loads(line) for line in self.tool("stat", "-j", *args).splitlines()]
        return {row["reason"] for row in rows if row["counter-value"] is None and
                not row["event-runtime"]}

    def test_short(self):
        self.assertEqual(self.reasons("-t", "3ms"), {"no turn"})
        self.assertEqual(self.reasons("-t", "2s"), set())

    def test_others(self):
        """Where nothing has counted, others have the counters."""
        self.script += [f"other {dom}" for dom in range(8)]
        self.assertEqual(self.reasons("-t", "3ms"), {"not counted"})


class Top(Machine):
    """pcounter top counts everything asked for, and leaves others their share."""

    def setUp(self):
        super().setUp()
        self.script = ["signal 1 16 0.25"]

    def rows(self, *args):
        done = self.run_program("top", "-J", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_all_are_counted(self):
        rows = self.rows("-a", "-n", "1")
        self.assertGreater(len(rows), 300)
        self.assertEqual({row["state"] for row in rows}, {"counting"})

    @staticmethod
    def files(soft, hard):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_as_many_files_as_the_user_may_open(self):
        """Events need more than the soft limit; commands have the limit that they expect."""
        done = self.run_program("top", "-J", "-n", "1", "-a", preexec_fn=self.files(64, 4096))
        self.assertEqual({json.loads(line)["state"] for line in done.stdout.splitlines()}, {"counting"})
        out = self.tool("stat", "--", "sh", "-c", "ulimit -Sn", preexec_fn=self.files(64, 4096))
        self.assertEqual(out.splitlines()[0], "64")
        out = self.tool("stat", status=1, preexec_fn=self.files(16, 16))
        self.assertIn("Too many open files: the limit is ulimit -n", out)

    def test_turns_go_on(self):
        """Events that do not fit into an interval come in the next."""
        rows = self.rows("-a", "-n", "12", "-i", "100ms")
        names = {row["name"] for row in rows}
        self.assertEqual({row["name"] for row in rows if row["state"] == "counting"}, names)
        self.assertEqual({row["state"] for row in rows}, {"counting", "waiting"})

    def test_others_have_their_share(self):
        self.script += ["other 1"]
        rows = self.rows("-a", "-n", "2")
        self.assertGreater(float((self.folder / "root/others").read_text()), 0.3)
        self.assertEqual({row["state"] for row in rows} - {"waiting"}, {"counting"})

    def test_never_stopped_for_waited(self):
        self.script += ["busy 1 0 5000"]
        for args in (("-n", "2"), ("-a", "-n", "2")):
            states = {row["domain"]: row["state"] for row in self.rows(*args)}
            self.assertEqual((states["1"], states["2"]), ("waiting", "counting"))
        self.assertNotIn("stopped", self.tool("top", "-n", "1"))

    def test_doctor_tells_of_others(self):
        self.script += ["busy 1 0 5000"]
        self.assertIn("1 of 8 domains had no turn in 50 ms: others use it", self.tool("doctor"))
        # one that is known is not all
        self.script += ["still 0", *(f"busy {dom} 0 5000" for dom in range(2, 8))]
        self.assertRegex(self.tool("doctor", status=1), "7 of 8 domains had no turn in 50 ms: "
                         "others use it, .*; these clocks stand still: 0")
        self.script[1:] = [f"still {dom}" for dom in range(8)]
        self.assertIn("all 8 clocks stand still", self.tool("doctor", status=1))


if __name__ == "__main__":
    unittest.main()
