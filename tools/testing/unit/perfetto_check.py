# SPDX-License-Identifier: GPL-2.0-only
"""Let Debian's protoc read traces of "pcounter report" by Perfetto's published schema.

usage: perfetto_check.py PERFETTO_TRACE_PROTO

It needs the package protobuf-compiler, and of Perfetto's sources the file
protos/perfetto/trace/perfetto_trace.proto. It is not part of "make check".
"""

import pathlib
import re
import subprocess
import sys
import unittest

from packets_test import script
from program_test import A, Recorder

SCHEMA = None
FIELD = re.compile(r"^ *(\w+)(?:: (.*)| {)$", re.M)


class Schema(Recorder):
    """No field is unknown, and each has the intended meaning."""

    def decoded(self, *args, status=0):
        self.tool("report", "f", "-T", "t", *args, status=status)
        return self.text()

    def text(self):
        done = subprocess.run(
            ["protoc", f"--proto_path={SCHEMA.parent}", "--decode=perfetto.protos.Trace",
             SCHEMA.name], check=True, text=True, stdout=subprocess.PIPE,
            input=(self.folder / "t").read_bytes().decode("latin1"), encoding="latin1",
            stderr=subprocess.PIPE)
        # a field outside the schema has a number for a name
        self.assertEqual([name for name, _ in FIELD.findall(done.stdout) if name.isdigit()], [])
        return done.stdout

    def test_all_there_is(self):
        self.script += ["busy 1 140 160"]
        self.tool("record", "-o", "f", "-t", "100", "-e", f"pgraph_idle,{self.EVENT}", "-e",
                  "pcounter_0/dom=2,sig=9/", status=1)
        text = self.decoded(status=1)
        found = FIELD.findall(text)
        for field, values in (
                ("numerator_units", {"PERCENT"}), ("groups", {"SYSTEM", "UNCLASSIFIED"}),
                ("value_direction", {"VALUE_DIRECTION_BACKWARDS_LOOKING"}),
                ("double_peak_value", {"100"}), ("block_id", {"1", "2"}),
                ("clock_id", {"10", "1", "3", "6"}), ("timestamp_clock_id", {"10"}),
                ("type", {"TYPE_SLICE_BEGIN", "TYPE_SLICE_END"}), ("gpu_id", {"0"})):
            self.assertEqual({value for name, value in found if name == field}, values, field)
        self.assertIn('name: "nothing known"', text)
        self.assertIn(f'name: "domain 1: record,{A},periodic=1"', text)

    def test_cpus(self):
        """The part of pcounter-timeline.py, behind the GPU's part."""
        self.tool("record", "-o", "f", "-t", "20", "-e", self.EVENT)
        self.tool("report", "f", "-T", "t")
        gpu = FIELD.findall(self.text()).count(("packet", ""))
        module = script("timeline")
        module.context_switch(5, 1, 7, 7, 0, 0, 0, False, False)
        module.process_event({"sample": {"time": 6, "cpu": 1, "tid": 7}, "comm": "sh",
                              "symbol": "main"})
        with open(self.folder / "t", "ab") as file:
            file.writelines(module.trace())
        text = self.text()
        self.assertEqual(FIELD.findall(text).count(("packet", "")), gpu + 4)
        for words in ('name: "CPU 1"', 'type: TYPE_INSTANT', 'name: "main"', 'name: "sh"'):
            self.assertIn(words, text)

    def test_clocks_by_their_names(self):
        """BUILTIN_CLOCK_* of the schema have the numbers that snapshots use."""
        text = SCHEMA.read_text(encoding="utf-8")
        for name, number in (("REALTIME", 1), ("MONOTONIC", 3), ("BOOTTIME", 6), ("PERF", 10)):
            self.assertRegex(text, rf"BUILTIN_CLOCK_{name} = {number};")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
