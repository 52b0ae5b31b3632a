# SPDX-License-Identifier: GPL-2.0-only
"""Test the scripts of tools/perf with samples in perf script's form."""

import contextlib
import importlib.util
import io
import pathlib
import struct
import subprocess
import sys
import unittest

from perfetto import fields, gpu_edges, gpu_values, message, packets_of
from program_test import Machine

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[3]
HEADER = "<IHHHHHHQQQQQQQQQ"


def script(name="packets"):
    """Load a script again, since it keeps state."""
    spec = importlib.util.spec_from_file_location(name, TOP / f"tools/perf/pcounter-{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sample(pmu, cycle, time, overrun=0):
    """Return the packet of domain 1 that came 500000 clocks before a pair, at 1 GHz."""
    head = struct.pack(HEADER, 0x4e435021, 1, struct.calcsize(HEADER), 1, 0, 0, 1, 0, cycle, time,
                       overrun, 0, 0, 0, 0, 0)
    cycle = max(cycle - 500000, 0)
    packet = struct.pack("<16H", cycle & 0xffff, cycle >> 16 & 0xffff, cycle >> 32, 1, *[7] * 12)
    return {"ev_name": f"pcounter_{pmu}/record/", "attr": struct.pack("<II", 40 + pmu, 136),
            "raw_buf": bytes(12) + head + packet}


def lines(*samples):
    module = script()
    with contextlib.redirect_stdout(io.StringIO()) as out:
        for each in samples:
            module.process_event(each)
    return out.getvalue().splitlines()


def times(*samples):
    return [line.split(" time ")[1].split()[0] for line in lines(*samples)]


class Packets(unittest.TestCase):
    def test_times(self):
        self.assertEqual(times(sample(0, 1000000, 1000000000), sample(0, 3000000, 1002000000)),
                         ["-", "1.001500"])

    def test_recording_begins_anew_above_the_first_pair(self):
        self.assertEqual(times(sample(0, 1000000, 1000000000), sample(0, 9000000, 1008000000),
                               sample(0, 1000000, 5000000000), sample(0, 2000000, 5001000000)),
                         ["-", "1.007500", "-", "5.000500"])

    def test_two_gpus(self):
        self.assertEqual(times(sample(0, 1000000, 1000000000), sample(1, 500000, 1000000000),
                               sample(0, 2000000, 1001000000), sample(1, 1500000, 1001000000)),
                         ["-", "-", "1.000500", "1.000500"])
        self.assertEqual([line for line in lines(sample(0, 1, 1, 5), sample(1, 1, 1, 5),
                                                 sample(0, 2, 2, 7)) if line[0] == "#"],
                         ["# pcounter_0 domain 1: overrun 5", "# pcounter_1 domain 1: overrun 5",
                          "# pcounter_0 domain 1: overrun 2"])

    def test_damage(self):
        """A sample that is cut off, or whose header lies, is left out and told."""
        whole = sample(0, 1, 1)
        raw = whole["raw_buf"]
        # each field after the magic and the version, and a packet that is not all there
        lies = [raw[:12 + at] + struct.pack("<H", value) + raw[14 + at:]
                for at, value in ((6, 0), (6, 0xfff0), (14, 2), (12, 12), (12, 0xfffe), (10, 0))]
        lies[-1] = lies[-1][:12 + 10] + struct.pack("<HHH", 1, 4, 1) + raw[12 + 16:]
        for name in ("packets", "functions"):
            module = script(name)
            for bad in [raw[:end] for end in range(12, len(raw))] + lies:
                said, shown = io.StringIO(), io.StringIO()
                with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
                    module.process_event({**whole, "raw_buf": bad, "comm": "x", "sample": {"time": 1}})
                self.assertEqual(shown.getvalue(), "")
                if len(bad) >= 16:
                    self.assertEqual(said.getvalue().count("damaged"), 1, bad)
                    self.assertEqual(getattr(module, "samples", []), [])
                    continue
                module = script(name)

    def records(self, runs_on, *rows):
        """Return the lines of records of GF100 and later at 1 ns: time, flags, count."""
        head = struct.pack(HEADER + "4H", 0x4e435021, 1, 96, 1, 2, 1, len(rows), 7, rows[-1][0],
                           5000, *[0] * 6, 15, runs_on, 0, 0)
        raw = b"".join(struct.pack("<IBBH4I8x", time & 0xffffffff, time >> 32 & 0xff, 33, flags,
                                   1, count, 2, 3) for time, flags, count in rows)
        return lines({"ev_name": "e", "attr": struct.pack("<II", 40, 136),
                      "raw_buf": bytes(12) + head + raw})

    def test_records(self):
        rows = ((0xffffffff00, 1, 500), (0x10000000100, 0x1003, 1500), (0x10000000200, 0x2004, 9))
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(self.records(0, *rows), [
                "dom 1 packet 7 cycle 1099511627520 time - requests 1 e 500",
                "dom 1 packet 8 cycle 1099511628032 time - requests 3 delayed e 1500"])
            self.assertEqual([line.rpartition("e ")[2] for line in self.records(1, *rows)],
                             ["?", "1000"])
        self.assertEqual(said.getvalue().count("a record is damaged"), 2)
        module = script("functions")
        head = struct.pack(HEADER, 0x4e435021, 1, struct.calcsize(HEADER), 1, 2, 1, 1, 7, 0, 5000,
                           *[0] * 6)
        with self.assertRaisesRegex(SystemExit, "report --trace --cpu"):
            module.process_event({"ev_name": "e", "attr": struct.pack("<II", 40, 136),
                                  "raw_buf": bytes(12) + head + bytes(32)})

    def test_foreign_names_are_plain(self):
        for harm in ("\x1b[2J", "\x9b2J", "\nx", "\ud800"):
            out = lines({**sample(0, 1, 1, 5), "ev_name": f"a{harm}/b{harm}/"})
            self.assertEqual(len(out), 2)
            self.assertRegex("".join(out), r"\A[ -~]+\Z")
            module = script("functions")
            for time in (1, 2):
                module.process_event({**sample(0, time, time), "ev_name": harm})
            module.process_event({"ev_name": harm, "raw_buf": b"", "attr": bytes(8), "comm": f"c{harm}",
                                  "symbol": f"s{harm}", "sample": {"time": 1}, "callchain": []})
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                module.trace_end()
            self.assertRegex(shown.getvalue(), r"\A[ -~]+\n[ -~]+\n\Z")

    def test_says_what_it_needs(self):
        """A run without perf script, and a recording without raw data."""
        for path in (TOP / "tools/perf").glob("*.py"):
            done = subprocess.run([sys.executable, "-B", path], check=False,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"perf record(.|\n)*perf script .*{path.name}")
        module = script()
        module.process_event({**sample(0, 1, 1), "raw_buf": b""})
        with self.assertRaisesRegex(SystemExit, "-c 1 -P -R -a"):
            module.trace_end()
        with contextlib.redirect_stdout(io.StringIO()):
            module.process_event(sample(0, 1, 1))
        module.trace_end()

    def test_ends_quietly_when_nobody_reads(self):
        code = (f"import sys; sys.path.insert(0, {str(TOP / 'tools/testing/unit')!r}); "
                "import packets_test as t; module = t.script(); "
                "[module.process_event(t.sample(0, i, i)) for i in range(100000)]")
        done = subprocess.run(["sh", "-c", '"$0" -B -c "$1" | head -n 1', sys.executable, code],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.stdout.count(b"\n"), done.stderr), (1, b""))


class Timeline(unittest.TestCase):
    """pcounter-timeline.py writes tracks of CPUs by Perfetto's schema."""

    def trace(self, *steps):
        module = script("timeline")
        for step in steps:
            if len(step) == 4:
                time, cpu, tid, name = step
                module.process_event({"sample": {"time": time, "cpu": cpu, "tid": tid},
                                      "comm": name, "symbol": f"{name}_f"})
            else:
                time, cpu, tid = step
                module.context_switch(time, cpu, tid, tid, 0, 0, 0, False, False, 0, -1)
        packets = [message(value) for part in module.trace() for _, value in fields(part)]
        self.assertTrue(all(packet[58] == [10] and packet[10] == [2] for packet in packets))
        return packets

    def test_tracks(self):
        packets = self.trace((5, 1, 7), (6, 1, 7, "sh"), (7, 0, 9), (9, 1, 0), (11, 0, 7), (12, 1, 0))
        tracks = {track[1][0]: track[2][0].decode() for packet in packets if 60 in packet
                  for track in [message(packet[60][0])]}
        self.assertEqual(sorted(tracks.values()), ["CPU 0", "CPU 1"])
        self.assertGreater(min(tracks), 256, "tracks of the GPU's part")
        seen = [(packet[8][0], tracks[event[11][0]], event[9][0], event.get(23, [None])[0])
                for packet in packets if 11 in packet for event in [message(packet[11][0])]]
        self.assertEqual(seen, [(5, "CPU 1", 1, b"sh"), (6, "CPU 1", 3, b"sh_f"),
                                (7, "CPU 0", 1, b"task 9"), (9, "CPU 1", 2, None),
                                (11, "CPU 0", 2, None), (11, "CPU 0", 1, b"sh"),
                                (12, "CPU 0", 2, None)])

    def test_names_that_are_no_utf8(self):
        self.assertEqual(len(self.trace((5, 1, 7), (6, 1, 7, "sh\ud800"))), 4)

    def test_nothing(self):
        with self.assertRaisesRegex(SystemExit, "--switch-events"):
            script("timeline").trace_end()


class OneTrace(Machine):
    """A square wave by a signal of the GPU, in a generated capture, and by a task on a CPU."""

    BEGIN, HALF = 5000000000, 1000000       # ns
    PACKET = 1024 / 0.6                     # ns: of 1024 clocks at 600 MHz

    def test_edges_agree_within_a_packet(self):
        self.capture("f", "square")
        # the capture has lost a half wave, from 9 ms on
        self.tool("report", "f", "-T", "t", "-e", "sig=0x10", status=1)
        module = script("timeline")
        for half in range(21):
            task = 0 if half == 9 else half % 2 * 7
            module.context_switch(self.BEGIN + half * self.HALF, 0, task, task, 0, 0, 0, False, False)
        path = self.folder / "t"
        with open(path, "ab") as file:
            file.writelines(module.trace())
        packets = packets_of(path)
        mine = [packet[8][0] for packet in packets if 11 in packet and packet[10] == [2]]
        theirs = [edge for edge, _ in gpu_edges(gpu_values(packets))]
        # the wave of the capture ends while it is high
        self.assertEqual(len(theirs), 17)
        self.assertEqual(len(mine), 18)
        for edge, other in zip(theirs, mine):
            self.assertLess(abs(edge - other), self.PACKET)


class Functions(unittest.TestCase):
    """pcounter-functions.py weights samples of CPUs by what the GPU did meanwhile."""

    def run_all(self, folded):
        module = script("functions")
        module.FOLDED = folded
        # 1 GHz; a packet of 1000 clocks each us; the second half has 500 events in each
        packets = [(n * 1000, 0 if n < 50 else 500) for n in range(1, 101)]
        for first in range(0, 100, 10):
            part = packets[first:first + 10]
            head = struct.pack(HEADER, 0x4e435021, 1, struct.calcsize(HEADER), 1, 0, 2, len(part),
                               first, part[-1][0], 5000000 + part[-1][0], *[0] * 6)
            raw = b"".join(struct.pack("<16H", cycle & 0xffff, cycle >> 16, 0, 1, 0, 0, count,
                                       *[0] * 9) for cycle, count in part)
            module.process_event({"ev_name": "pcounter_0/busy/", "raw_buf": bytes(12) + head + raw,
                                  "attr": struct.pack("<II", 40, 136)})
        for time, name in ((10500, "idle"), (20500, "idle"), (60500, "wait"), (60600, "both"),
                           (10600, "both"), (999999, "late"), (-9, "early")):
            module.process_event({
                "ev_name": "cpu-clock", "raw_buf": b"", "attr": struct.pack("<II", 1, 136),
                "comm": "app", "symbol": name, "sample": {"time": 5000000 + time},
                "callchain": [{"ip": 1, "sym": {"name": name}}, {"ip": 2, "sym": {"name": "main"}},
                              {"ip": 3}]})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            module.trace_end()
        return out.getvalue().splitlines()

    def test_table(self):
        rows = [line.split() for line in self.run_all(False)]
        self.assertEqual(rows[0], ["samples", "pcounter_0/busy/", "function"])
        self.assertEqual(sorted(rows[1:]), sorted([
            ["1", "50.0", "%", "app", "wait"], ["2", "25.0", "%", "app", "both"],
            ["2", "0.0", "%", "app", "idle"], ["1", "?", "app", "late"], ["1", "?", "app", "early"]]))

    def test_folded(self):
        self.assertEqual(sorted(self.run_all(True)),
                         ["app;[unknown];main;both 0.50", "app;[unknown];main;wait 0.50"])

    def test_needs_both(self):
        with self.assertRaisesRegex(SystemExit, "cpu-clock"):
            script("functions").trace_end()


if __name__ == "__main__":
    unittest.main()
