# SPDX-License-Identifier: GPL-2.0-only
"""gen-signals.py names what has a name, refuses bad tables, keeps its promises."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import load

gen = load.script("gen-signals")
import hwtables     # found once load has been
import signals_json
import signames

G80 = "0x050,G80,,Tesla,nv40,yes,2,0=a;1=b,0x00a000,0x1000,nv40-pcounter,,,,,"
G84 = "0x084,G84,,Tesla,g84,yes,2,0=host;1=core,0x00a000,0x1000,nv40-pcounter,,,,,"
BASES = ";".join([*(f"hub{n}=unknown" for n in range(8)),
                  "gpc0=unknown", "part0=unknown", "part1=unknown"])
GF100 = ("0x0c0,GF100,,Fermi,gf100,yes,sets,,0x180000,0x40000,gf100-pcounter,8,1,2,"
         f"{BASES},")
FLAG = "G84,1,0x5f,PCOUNTER.DOM0.FLAG,flag (trailer base 0x40 + 0x1f),trailer,doc,,"
MUXES = {"TPC.L1": signames.Mux(22, "TPC"), "ROP.ZROP_B": signames.Mux(26, "ROP")}


def signal(number, name, chip="G84", domain=1, kind="level", sources="doc", mux="", other=""):
    return f"{chip},{domain},{number:#04x},{name},text,{kind},{sources},{mux},{other}"


class GenSignals(unittest.TestCase):
    def read(self, *signals, chips=(G80, G84, GF100), disputed=(), trailers=()):
        with tempfile.TemporaryDirectory() as folder:
            for name, columns, rows in (
                    ("chips.csv", hwtables.CHIP_COLUMNS, chips),
                    ("signals-merged.csv", hwtables.SIGNAL_COLUMNS, signals),
                    ("disputed.csv", hwtables.DISPUTED_COLUMNS, trailers),
                    ("disputed-signals.csv", signames.DISPUTED_SIGNAL_COLUMNS, disputed)):
                text = "\n".join([",".join(columns), *rows]) + "\n"
                Path(folder, name).write_text(text, encoding="utf-8")
            return signames.Names(Path(folder), MUXES)

    def events(self, *signals, chip="G84", **tables):
        names = self.read(*signals, **tables)
        return {event.name: event for event in names.events.get(chip, [])}

    def refused(self, where, *signals, **tables):
        with self.assertRaises(gen.TableError) as caught:
            self.read(*signals, **tables)
        self.assertIn(where, str(caught.exception))

    def named(self, label, **fields):
        """The only event that a label makes, or None."""
        return next(iter(self.events(signal(0x10, label, **fields),
                                     chip=fields.get("chip", "G84"))), None)

    def test_names(self):
        for label, name in (("PGRAPH.IDLE", "pgraph_idle"), ("PBUS_PCIE_RD", "pbus_pcie_rd"),
                            ("CROP.MUX[3]", "crop_mux_3"), ("TEX.tex_hit", "tex_hit"),
                            ("X.setup_*_count[1]", "x_setup_count_1"),
                            ("GPC.UNK600.MUX", "gpc_unk600_mux"),
                            ("PCOUNTER.USER_0", "dom1_user_0"), ("ZERO", "dom1_zero"),
                            ("PGRAPH.PM_TRIGGER", "dom1_pm_trigger")):
            with self.subTest(label=label):
                self.assertEqual(self.named(label), name)

    def test_no_names(self):
        for label in ("???", "PVPE.???[3]", "UNK_hub1_00", "PVLD.UNK4", "UNK2D",
                      "PCOUNTER.MAIN.UNK1F", "GSCHED [1]", "UNK14xx [0]"):
            with self.subTest(label=label):
                self.assertIsNone(self.named(label))

    def test_labels_of_nouveau(self):
        known = signal(0x10, "PGRAPH.IDLE", other="pc01_gr_idle | x")
        events = self.events(known, signal(0x12, "pc01_gr_idle", chip="G80"), chip="G80")
        self.assertEqual(list(events), ["pgraph_idle"])
        # where the documents give a label two names it has none of them
        events = self.events(known, signal(0x12, "PGRAPH.BUSY", other="pc01_gr_idle"),
                             signal(0x12, "pc01_gr_idle", chip="G80"), chip="G80")
        self.assertEqual(list(events), ["pc01_gr_idle"])
        self.assertEqual(self.named("gpc00_l1_0a", chip="GF100", domain="gpc0"), "gpc_l1_0a")
        self.assertEqual(self.named("hub06_user_0", chip="GF100", domain="hub6"),
                         "hub_dom6_user_0")

    def test_other_domains(self):
        events = self.events(FLAG, FLAG.replace("0x5f", "0x5e").replace("DOM0", "DOM1")
                             .replace("0x1f", "0x1e"))
        self.assertEqual({name: event.terms() for name, event in events.items()},
                         {"dom0_flag_in_dom1": "dom=0x1,sig=0x5f",
                          "dom1_flag": "dom=0x1,sig=0x5e"})

    def test_absent_domain(self):
        names = self.read(FLAG.replace("DOM0", "DOM2"))
        self.assertEqual((names.events, names.absent), ({}, {"G84": 1}))

    def test_same_name_in_two_domains(self):
        events = self.events(signal(0x10, "X.USER_0"), signal(0x20, "X.USER_0", domain=0))
        self.assertEqual(sorted(events), ["x_user_0_in_dom0", "x_user_0_in_dom1"])

    def test_unit_of_the_source(self):
        row = signal(0x10, "PM_SEL_2", chip="GF100", domain="hub3", mux="source=0x1 (PCOPY[0].FALCON)")
        self.assertEqual(list(self.events(row, chip="GF100")), ["pcopy0_falcon_pm_sel_2"])

    def test_terms_of_sets(self):
        events = self.events(signal(0x2, "GPC.TPC.L1.MUX[1]", chip="GF100", domain="gpc0"),
                             signal(0x8, "ZROP.MUX_B", chip="GF100", domain="part1"),
                             signal(0x9, "ZROP.X", chip="GF100", domain="hub7"), chip="GF100")
        self.assertEqual({name: event.terms() for name, event in events.items()}, {
            "gpc_tpc_l1_mux_1": "set=0x1,dom=0x0,sig=0x2,mux=0x16,sel=0x0,tpc=0x0",
            "zrop_mux_b": "set=0x2,dom=0x1,sig=0x8,mux=0x1a,sel=0x0",
            "zrop_x": "set=0x0,dom=0x7,sig=0x9"})

    def bits(self, count, first=0x10, **fields):
        return [signal(first + bit, f"X.level[{bit}]", kind="int-bit", **fields)
                for bit in range(count)]

    def test_sums(self):
        four = self.events(*self.bits(4))
        self.assertEqual(four["x_level"].terms(),
                         "dom=0x1,ctr=0x3,sig=0x10,sig1=0x11,sig2=0x12,sig3=0x13")
        self.assertEqual(len(four), 5)
        self.assertIn("x_level_low", self.events(*self.bits(6)))
        self.assertEqual(len(self.events(*self.bits(3))), 3)

    def test_no_sums(self):
        scattered = self.bits(3) + [signal(0x20, "X.level[3]", kind="int-bit")]
        self.assertEqual(len(self.events(*scattered)), 4)
        sets = self.bits(4, chip="GF100", domain="hub0")
        self.assertEqual(len(self.events(*sets, chip="GF100")), 4)

    def test_confidence(self):
        rows = [signal(0x10, "A.X", sources="doc wiki"), signal(0x11, "A.Y"),
                signal(0x12, "A.Z", sources="doc wiki"),
                signal(0x13, "A.W", sources="spec-layout+doc doc")]
        events = self.events(*rows, disputed=("G84,1,0x12,they disagree",))
        self.assertEqual([event.confidence for event in events.values()],
                         ["several", "one", "disputed", "one"])
        events = self.events(FLAG, trailers=("G84,1,they disagree",))
        self.assertEqual(events["dom0_flag_in_dom1"].confidence, "disputed")

    def test_signal_twice(self):
        self.refused("signals-merged.csv:3: G84 domain 1 signal 0x10 is there twice",
                     signal(0x10, "A.X"), signal(0x10, "A.Y"))

    def test_name_twice_in_a_domain(self):
        self.refused("signals-merged.csv:3: G84 has two events a_x_in_dom1",
                     signal(0x10, "A.X"), signal(0x11, "A.X"))

    def test_name_of_cycles(self):
        self.refused("signals-merged.csv:2: G84 has two events dom1_cycles",
                     signal(0x10, "DOM1.CYCLES"))

    def test_name_that_is_none(self):
        self.refused("signals-merged.csv:2: bad event name '3d_idle'", signal(0x10, "3D.IDLE"))

    def test_unknown_chip(self):
        self.refused("signals-merged.csv:2: unknown chip 'G85'", signal(0x10, "A.X", chip="G85"))

    def test_absent_domain_of_a_signal(self):
        self.refused("signals-merged.csv:2: G84 has no domain 2", signal(0x10, "A.X", domain=2))

    def test_signal_after_the_trailer(self):
        self.refused("signals-merged.csv:3: G84 domain 1 has no signal 0x60", FLAG,
                     signal(0x60, "A.X"))
        # nobody knows where a domain ends whose trailer is disputed
        self.assertIn("a_x", self.events(FLAG, signal(0x60, "A.X"), trailers=("G84,1,why",)))

    def test_dispute_about_nothing(self):
        self.refused("disputed-signals.csv:2: no table has G84 domain 1 signal 0x11",
                     signal(0x10, "A.X"), disputed=("G84,1,0x11,why",))

    def test_dispute_twice(self):
        self.refused("disputed-signals.csv:3: G84 domain 1 signal 0x10 is there twice",
                     signal(0x10, "A.X"), disputed=("G84,1,0x10,why",) * 2)

    def test_mux_that_the_driver_lacks(self):
        self.refused("the driver has no mux GPC.PROP",
                     signal(0x2, "GPC.PROP.MUX[1]", chip="GF100", domain="gpc0"))

    def frozen(self, lines, *signals):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "names.frozen")
            path.write_text("# comment\n" + lines, encoding="utf-8")
            gen.check_frozen(gen.read_frozen(path), self.read(*signals))

    def test_frozen(self):
        row = signal(0x10, "A.X")
        self.frozen("a_x dom=0x1,sig=0x10 G84\n", row, signal(0x11, "A.Y"))
        for lines, message in (
                ("a_x dom=0x1,sig=0x11 G84\n",
                 "names.frozen:2: G84 a_x was dom=0x1,sig=0x11, is now dom=0x1,sig=0x10"),
                ("a_x dom=0x1,sig=0x10 G84\na_z dom=0x1,sig=0x12 G80\n",
                 "names.frozen:3: G80 has lost a_z"),
                ("a_x dom=0x1,sig=0x10 G84 G84\n", "names.frozen:2: G84 a_x is there twice"),
                ("a_x dom=0x1,sig=0x10\n", "names.frozen:2: no name, terms and chips")):
            with self.subTest(lines=lines), self.assertRaises(gen.TableError) as caught:
                self.frozen(lines, row)
            self.assertEqual(str(caught.exception), message)

    def test_equal_lists_once(self):
        names = self.read(signal(0x10, "A.X"), signal(0x10, "A.X", chip="G80"),
                          signal(0x10, "A.X", chip="GF100", domain="hub1"))
        table = gen.Table(names)
        self.assertEqual([entry[:3] for entry in table.lists],
                         [(0x50, 0, 1), (0x84, 0, 1), (0xc0, 0, 1)])
        self.assertEqual(len(table.strings), 1)

    def test_metric(self):
        names = self.read(signal(0x10, "PGRAPH.IDLE"))
        files = signals_json.files(names)
        event, = json.loads(files["g84/sys/signals.json"])
        self.assertEqual((event["Unit"], event["Compat"], event["Filter"]),
                         ("pcounter", "0x084", "dom=0x1,sig=0x10"))
        metric, = json.loads(files["g84/sys/metrics.json"])
        self.assertEqual(metric["MetricExpr"],
                         "1 - pcounter@pgraph_idle@ / pcounter@dom1_cycles@")

    def generated(self, folder, seed):
        """What a run writes, by path. It leaves nothing of an earlier one."""
        stale = folder / gen.EVENTS / "nv99/sys/signals.json"
        stale.parent.mkdir(parents=True)
        stale.write_text("[]", encoding="utf-8")
        subprocess.run([sys.executable, "-B", load.SCRIPTS / "gen-signals.py",
                        "--events", folder, "--pages", folder], check=True,
                       env=os.environ | {"PYTHONHASHSEED": seed})
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in folder.rglob("*") if path.is_file()}

    def test_two_generations(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            files = self.generated(Path(one), "1")
            self.assertEqual(files, self.generated(Path(two), "2"))
        self.assertIn("pcounter-signals.rst", files)
        self.assertIn("arch/x86/nvidia/g84/sys/signals.json", files)
        self.assertNotIn("arch/x86/nvidia/nv99/sys/signals.json", files)

    def test_every_row_is_accounted_for(self):
        names = signames.read_names(hwtables.TABLES)
        self.assertEqual(len(list(gen.report_rows(names))), len(names.events))
        with open(hwtables.TABLES / "signals-merged.csv", encoding="utf-8") as stream:
            lines = len(stream.readlines()) - 1
        self.assertEqual(lines, sum(sum(part.values()) for part in
                                    (names.named_rows, names.unnamed, names.absent)))


if __name__ == "__main__":
    unittest.main()
