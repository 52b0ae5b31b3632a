# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/perf/pcounter-packets.py with samples in perf script's form."""

import contextlib
import importlib.util
import io
import pathlib
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[3]
HEADER = "<IHHHHHHQQQQQQQQQ"


def script():
    """Load the script again, since it keeps state."""
    spec = importlib.util.spec_from_file_location("packets", TOP / "tools/perf/pcounter-packets.py")
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

    def test_says_what_it_needs(self):
        """A run without perf script, and a recording without raw data."""
        done = subprocess.run([sys.executable, "-B", TOP / "tools/perf/pcounter-packets.py"],
                              check=False, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("perf script -s tools/perf/pcounter-packets.py", done.stderr)
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


if __name__ == "__main__":
    unittest.main()
