# SPDX-License-Identifier: GPL-2.0-only
"""Traces of "pcounter report", on the machine of program_test.py."""

import collections
import csv
import io
import os
import unittest

from perfetto import message, packets_of
from program_test import A, Machine, Recorder


class Trace(Recorder):
    """Traces for Perfetto: numbers of fields are those of its published .proto files."""

    PERF, REALTIME, MONOTONIC, BOOTTIME = 10, 1, 3, 6
    PERCENT = 37
    BACKWARDS = 1
    SYSTEM, FRAGMENTS, UNCLASSIFIED = 1, 3, 0

    def setUp(self):
        super().setUp()
        # clocks are measured for 100 ms before
        self.script += ["busy 1 140 160"]
        self.tool("record", "-o", "f", "-t", "100", "-e", self.EVENT,
                  "-e", "pcounter_0/dom=2,sig=9,periodic=1/", status=1)

    def packets(self, *args):
        self.tool("report", "f", "-T", "t", *args, status=1)
        packets = packets_of(self.folder / "t")
        self.assertTrue(all(packet[58] == [self.PERF] and packet[10] == [1] for packet in packets))
        return packets

    def test_clocks(self):
        snapshots = [message(packet[6][0]) for packet in self.packets() if 6 in packet]
        self.assertEqual(len(snapshots), 2)
        for snapshot in snapshots:
            clocks = {clock[1][0]: clock[2][0] for clock in map(message, snapshot[1])}
            self.assertEqual(set(clocks), {self.PERF, self.REALTIME, self.MONOTONIC, self.BOOTTIME})
            # on this machine all begin at the same time, except the time of day
            self.assertEqual(clocks[self.PERF], clocks[self.BOOTTIME])

    def test_descriptors(self):
        first = [message(packet[52][0]) for packet in self.packets() if 52 in packet]
        descriptors = [message(event[1][0]) for event in first if 1 in event]
        specs = [message(spec) for one in descriptors for spec in one[1]]
        self.assertEqual([spec[2][0].decode() for spec in specs],
                         ["domain 1: record,dom=1,sig=0x10,periodic=1",
                          "domain 2: dom=2,sig=9,periodic=1"])
        self.assertEqual({spec[7][0] for spec in specs}, {self.PERCENT})
        self.assertEqual({spec[11][0] for spec in specs}, {self.BACKWARDS})
        self.assertEqual(len({spec[1][0] for spec in specs}), 2)
        blocks = [message(block) for one in descriptors for block in one[2]]
        self.assertEqual([block[5] for block in blocks], [spec[1] for spec in specs])
        self.assertEqual({event[3][0] for event in first}, {0})

    def test_groups(self):
        """The unit at the start of a name makes the group, and the texts of events say more."""
        self.tool("record", "-o", "f", "-t", "20", "-e", "gpu_idle,crop_mux_0," + self.EVENT)
        out = self.tool("report", "f", "-T", "t")
        self.assertNotIn("pcounter:", out)
        specs = [message(spec) for packet in packets_of(self.folder / "t") if 52 in packet
                 for event in [message(packet[52][0])] if 1 in event
                 for spec in message(event[1][0])[1]]
        self.assertEqual({(spec[2][0].decode().split(": ")[1], spec[10][0]) for spec in specs},
                         {("gpu_idle (100 % is idle)", self.SYSTEM), ("crop_mux_0", self.FRAGMENTS),
                          (f"record,{A},periodic=1", self.UNCLASSIFIED)})
        self.assertEqual({spec[3][0].decode().partition(" clocks of domain 1")[2] for spec in specs},
                         {": clocks in which the graphics engine has nothing to do", ""})

    def test_values_and_gap(self):
        values = [(packet[8][0], message(value))
                  for packet in self.packets() if 52 in packet
                  for event in [message(packet[52][0])] for value in event.get(2, ())]
        mine = [(time, value[3][0]) for time, value in values if value[1] == [12]]
        self.assertTrue(all(time < after for (time, _), (after, _) in zip(mine, mine[1:])))
        # a value belongs to the time before it, as viewers of GPU counters expect
        spans = [(value, (time - before) / 1e6) for (before, _), (time, value) in
                 zip(mine, mine[1:]) if time - before > 1e6]
        # a quarter; nothing while others had the domain; a quarter
        self.assertEqual([round(value) for value, _ in spans], [25, 0, 25])
        for (_, length), want in zip(spans, (40, 20, 40)):
            self.assertAlmostEqual(length, want, delta=3)

    def test_lost_is_a_slice(self):
        packets = self.packets()
        tracks = [message(packet[60][0]) for packet in packets if 60 in packet]
        self.assertEqual(len(tracks), 2)
        events = [message(packet[11][0]) for packet in packets if 11 in packet]
        mine = [event for event in events if event[11] == tracks[0][1]]
        self.assertEqual([event[9][0] for event in mine], [1, 2])
        self.assertEqual(mine[0][23], [b"nothing known"])


class Cpus(Recorder):
    """One trace of CPUs and GPU: perf records the CPUs, and a script for perf script adds them."""

    PERF = """#!/bin/sh
echo "$@" >>perf.log
case $1 in
record) shift; out=; for word; do [ "$before" = -o ] && echo samples >"$word"; before=$word; done
    while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
script) [ ! -e broken ] && printf cpus ;;
esac
"""

    def setUp(self):
        super().setUp()
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "perf").write_text(self.PERF, encoding="ascii")
        (tools / "perf").chmod(0o755)
        self.env = {"PATH": f"{tools}:{os.environ['PATH']}", "PCOUNTER_SCRIPTS": "/scripts"}

    def test_perf_runs_the_command(self):
        self.record("--cpu", "--", "sh", "-c", "exit 7", status=7, env=self.env)
        self.assertRegex((self.folder / "perf.log").read_text(encoding="ascii"),
                         "^record -q -B -N -a -e cpu-clock -F 1000 --switch-events "
                         r"-o /proc/self/fd/\d+ -- sh -c exit 7\n$")
        # CPUs of an earlier capture do not belong to this one
        for text in ("samples\n", ""):
            (self.folder / "f.cpu").write_text(text, encoding="ascii")
            self.record("--", "true")
            self.assertFalse((self.folder / "f.cpu").exists())
            self.assertEqual((self.folder / "f.cpu.old").read_text(encoding="ascii"), "samples\n")

    def test_without_perf(self):
        self.file.write_text("precious", encoding="ascii")
        out = self.record("--cpu", "--", "/bin/true", status=1, env={"PATH": "/nonexistent"})
        self.assertEqual(out, "pcounter: perf: No such file or directory\n")
        self.assertEqual(self.file.read_text(encoding="ascii"), "precious")

    def test_trace(self):
        log = self.folder / "perf.log"
        self.record("--cpu", "--", "true", env=self.env)
        recorded = log.read_text(encoding="ascii")
        # a file beside the capture may be anybody's
        self.assertIn("--cpu", self.tool("report", "f", "-T", "t", env=self.env))
        # only a trace has a place for them
        self.assertIn("--cpu needs --trace", self.tool("report", "f", "--cpu", status=2))
        self.assertEqual(log.read_text(encoding="ascii"), recorded)
        trace = (self.folder / "t").read_bytes()
        self.tool("report", "f", "-T", "t", "--cpu", env=self.env)
        self.assertIn("script -i f.cpu -s /scripts/pcounter-timeline.py",
                      log.read_text(encoding="ascii"))
        self.assertEqual((self.folder / "t").read_bytes(), trace + b"cpus")

    def test_no_trace_no_cpus(self):
        self.record("--cpu", "--", "true", env=self.env)
        (self.folder / "broken").touch()
        out = self.tool("report", "f", "-T", "t", "-C", status=1, env=self.env)
        self.assertIn("f.cpu: the trace lacks the CPUs", out)


class TraceSums(Machine):
    """The integral of each counter of a trace is the sum of the packets."""

    HZ = 600e6

    def integrals(self, kind, *args, status=0):
        self.capture("f", kind)
        self.tool("report", "f", "-T", "t", *args, "-o", "/dev/null", status=status)
        self.packets = packets_of(self.folder / "t")
        sums, before = collections.Counter(), {}
        for packet in self.packets:
            for value in message(packet.get(52, [b""])[0]).get(2, ()):
                value, time = message(value), packet[8][0]
                counter = value[1][0]
                sums[counter] += value[3][0] / 100 * (time - before.get(counter, time))
                before[counter] = time
        return [sums[counter] * self.HZ / 1e9 for counter in sorted(sums)]

    def sums(self):
        rows = csv.DictReader(io.StringIO(self.run_program("report", "f", "--csv").stdout))
        totals = collections.Counter()
        for row in rows:
            for k in range(12):
                # a packet of unknown length is no part of any time
                totals[k] += int(row[f"c{k}"] or 0) if row["cycles"] else 0
        return [totals[k] for k in range(12) if totals[k]]

    def check(self, kind, *args, status=0):
        found, want = self.integrals(kind, *args, status=status), self.sums()
        self.assertEqual(len(found), len(want))
        for one, other in zip(found, want):
            self.assertAlmostEqual(one / other, 1, delta=1e-4)

    def test_gap(self):
        """1 ms of 20 is lost, and buckets begin and end inside of the wave's halves."""
        for bucket in ("0", "10us", "300us", "3ms"):
            with self.subTest(bucket):
                self.check("square", "-b", bucket, status=1)
                slices = [packet[8][0] for packet in self.packets if 11 in packet]
                self.assertEqual(len(slices), 2)
                self.assertAlmostEqual(slices[1] - slices[0], 1e6, delta=5e3)

    def test_joined_by_default(self):
        self.check("250000")

    def test_unjoined(self):
        self.capture("f", "250000")
        out = self.tool("report", "f", "-T", "t", "-o", "/dev/null")
        self.assertRegex(out, r"joined to buckets of \d+ ns")
        joined = (self.folder / "t").stat().st_size
        out = self.tool("report", "f", "-T", "t", "-b", "0", "-o", "/dev/null")
        self.assertEqual(out, "")
        self.assertGreater((self.folder / "t").stat().st_size, joined)


if __name__ == "__main__":
    unittest.main()
