# SPDX-License-Identifier: GPL-2.0-only
"""Bad tables are refused with file and line; generated files match good tables."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import load

gen = load.script("gen-tables")
perf = load.script("gen-perf")
pages = load.script("gen-pages")
import hwtables     # importable after "import load"

NV10 = "0x010,NV10,,Celsius,nv10,yes,1,0,0,0=core,hub0=0x80 document,"
G84 = "0x084,G84,,Tesla,g84,yes,2,0,0,0=host;1=core (a; b),hub0=unknown;hub1=0x40 document,"
GF100 = ("0x0c0,GF100,,Fermi,gf100,yes,3,1,2,,hub0=unknown;hub1=unknown;hub2=0x60 document;"
         "gpc0=0xc0 trace;part0=unknown;part1=0x20 inferred,")
COLUMNS = hwtables.COLUMNS


def signal(name, terms="dom=0x1,sig=0x10", chips="G84", confidence="one", kind="level"):
    return f'{name},{chips},"{terms}",{confidence},{name.upper()},text,{kind},doc,,,'


def event(name, terms="dom=0x1,sig=0x11", chips="G84", confidence="checked", missing=""):
    return f'{name},{chips},"{terms}",{confidence},doc,,{missing}'


class Folder(unittest.TestCase):
    def tables(self, chips=(NV10, G84, GF100), signals=(), events=(),
               columns=tuple(COLUMNS["chips.csv"])):
        with tempfile.TemporaryDirectory() as folder:
            for name, head, rows in (("chips.csv", columns, chips),
                                     ("signals.csv", COLUMNS["signals.csv"], signals),
                                     ("events.csv", COLUMNS["events.csv"], events)):
                text = "\n".join([",".join(head), *rows]) + "\n"
                Path(folder, name).write_text(text, encoding="utf-8")
            return hwtables.Tables(Path(folder))

    def refused(self, where, **tables):
        with self.assertRaises(hwtables.TableError) as caught:
            self.tables(**tables)
        self.assertIn(where, str(caught.exception))


class Chips(Folder):
    def test_row(self):
        chip = G84.replace("0x40 document", "0x40 disputed")
        self.assertIn("\t{\n"
                      "\t\t.chipset = 0x084,\n"
                      '\t\t.name = "G84",\n'
                      "\t\t.bucket = PCOUNTER_BUCKET_G84,\n"
                      "\t\t.presence = PCOUNTER_PRESENT,\n"
                      '\t\t.clocks = { "host", "core (a; b)" },\n'
                      "\t\t.set[PCOUNTER_SET_HUB] = { .domains = 2, .disputed = BIT(1), "
                      ".trailer = { PCOUNTER_TRAILER_UNKNOWN, 0x40 } },",
                      gen.chip_table(self.tables(chips=(chip,))))

    def test_names(self):
        with tempfile.TemporaryDirectory() as folder:
            cards = Path(folder, "cards.csv")
            cards.write_text('chip,cards\nG84,"GeForce 8600 GT, NVS 1"\n', encoding="utf-8")
            tables = self.tables(chips=(G84.replace("G84,", "G84,X1/X2"),))
            names = gen.chip_names(tables.chips, hwtables.read_rows(cards, tables.ids))
            self.assertEqual(list(names), [(name, 0x84) for name in (
                "G84", "NV84", "84", "0x84", "0x084", "X1", "X2", "GeForce 8600 GT", "NVS 1")])
            cards.write_text("chip,cards\nG85,NVS 1\n", encoding="utf-8")
            with self.assertRaisesRegex(hwtables.TableError, "cards.csv:2: bad chip 'G85'"):
                list(hwtables.read_rows(cards, tables.ids))

    def test_sets(self):
        text = gen.chip_table(self.tables())
        self.assertIn("_HUB] = { .domains = 3, .disputed = 0, ", text)
        self.assertIn("_GPC] = { .domains = 1, .disputed = 0, .trailer = { 0xc0 } },", text)
        self.assertIn("_PART] = { .domains = 2, .disputed = BIT(1), "
                      ".trailer = { PCOUNTER_TRAILER_UNKNOWN, 0x20 } },", text)

    def test_user_signals(self):
        row = signal("dom1_user_0", kind="trailer").replace("DOM1_USER_0", "PCOUNTER.USER_0")
        self.assertIn(".user = { [1] = 0x10 },", gen.chip_table(self.tables(signals=(row,))))

    def test_bad_bases(self):
        for item in ("gpc0=0xc8 trace", "gpc0=0xc0 guess", "gpc0=0xc0", "gpc1=0xc0 trace",
                     "gpc0=", "gpc0=0xc0 trace;gpc1=unknown", "gpc0=unknown trace"):
            with self.subTest(item=item):
                self.refused("chips.csv:2: ", chips=(GF100.replace("gpc0=0xc0 trace", item),))

    def test_base_missing(self):
        self.refused("chips.csv:2: 5 trailer bases for 6 domains",
                     chips=(GF100.replace(";part1=0x20 inferred", ""),))

    def test_bad_counts(self):
        for counts in ("0,1,2", "9,1,2", "3,0,2", "3,7,2", "3,1,3", "3,1,", "x,1,2"):
            with self.subTest(counts=counts):
                self.refused("chips.csv:2: ", chips=(GF100.replace(",3,1,2,", f",{counts},"),))

    def test_sets_of_a_chip_without(self):
        self.refused("chips.csv:3: 1 gpc domains on bucket g84",
                     chips=(NV10, G84.replace("yes,2,0", "yes,2,1")))

    def test_chip_twice(self):
        self.refused("chips.csv:4: chip G84 is there twice", chips=(NV10, G84, G84))

    def test_id_twice(self):
        self.refused("chips.csv:3: chipset id 0x010",
                     chips=(NV10, G84.replace("0x084", "0x010")))

    def test_unknown_words(self):
        self.refused("chips.csv:3: bad bucket 'g85'",
                     chips=(NV10, G84.replace(",g84,", ",g85,")))
        self.refused("chips.csv:2: bad has_pcounter 'maybe'",
                     chips=(NV10.replace("yes", "maybe"), G84))
        self.refused("chips.csv:2: bad chip 'nv10'", chips=(NV10.replace("NV10", "nv10"),))

    def test_bad_numbers(self):
        for number in ("84", "0x84", "0x0840", "0x08g", "", "-0x84"):
            with self.subTest(number=number):
                self.refused(f"chips.csv:3: bad chipset_id {number!r}",
                             chips=(NV10, G84.replace("0x084", number)))

    def test_bad_clocks(self):
        self.refused("chips.csv:3: 1 clocks for 2 domains",
                     chips=(NV10, G84.replace(";1=core (a; b)", "")))
        self.refused("chips.csv:3: bad clock '2=core (a; b)'",
                     chips=(NV10, G84.replace("1=core", "2=core")))
        self.refused("chips.csv:2: bad clock '0=co\\\\re'",
                     chips=(NV10.replace("0=core", "0=co\\re"), G84))

    def test_short_row(self):
        self.refused("chips.csv:3: 3 fields", chips=(NV10, "0x084,G84,"))

    def test_columns_in_another_order(self):
        columns = list(COLUMNS["chips.csv"])
        columns[0:2] = reversed(columns[0:2])
        self.refused("chips.csv:1: columns are not", columns=columns)

    def test_no_chips(self):
        self.refused("chips.csv:1: no chips", chips=())


class Questions(unittest.TestCase):
    """The table of the sources' questions: no cell is empty, and each answer is there."""

    HEAD = "source,question,answer,where,why\n"
    ROW = "a,b,experiment,counters,c\n"

    def refused(self, reason, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "questions.csv")
            path.write_text(self.HEAD + text, encoding="utf-8")
            with self.assertRaises(hwtables.TableError) as caught:
                pages.questions(path)
        self.assertIn(reason, str(caught.exception))

    def test_empty_cell(self):
        cells = self.ROW.strip().split(",")
        for number, column in enumerate(self.HEAD.strip().split(",")):
            text = ",".join([*cells[:number], "", *cells[number + 1:]]) + "\n"
            self.refused(f"questions.csv:3: bad {column} ''", self.ROW + text)

    def test_no_answer(self):
        for answer in ("experiment,cuonters", "code,scripts/none.py", "code,scripts",
                       "reason,because"):
            self.refused("questions.csv:2: no " + answer.replace(",", " '"),
                         self.ROW.replace("experiment,counters", answer))

    def test_row_that_nobody_asks(self):
        rows = (hwtables.TABLES / "questions.csv").read_text(encoding="utf-8").splitlines()[1:]
        self.refused("no question leads to the rows of hw:ambiguities 36",
                     "".join(f"{row}\n" for row in rows if "hw:ambiguities/36" not in row))


class Events(Folder):
    def test_terms(self):
        for terms in ("dom=1,sig=0x10", "sig=0x10,dom", "dom=0x1,sig=0x10,foo=0x1",
                      "dom=0x1,dom=0x1,sig=0x10", "dom=0x1,sig=-0x1"):
            with self.subTest(terms=terms):
                self.refused("signals.csv:2: bad term", signals=(signal("x", terms),))
        self.refused("signals.csv:2: sig=0x100 is too big",
                     signals=(signal("x", "dom=0x1,sig=0x100"),))
        self.refused("signals.csv:2: a signal without dom and sig",
                     signals=(signal("x", "dom=0x1"),))

    def test_words(self):
        one, = self.tables(events=(event("x", "dom=0x1,sig=0x11,op=0x8888,mux=0x2"),)).events
        places = hwtables.read_positions()
        words = one.words(places)
        self.assertEqual(words[0], 0x8888000000110001)
        word, low, _ = places["mux"]
        self.assertEqual(words[word], 2 << low)

    def test_places(self):
        self.refused("signals.csv:2: unknown chip 'G85'", signals=(signal("x", chips="G85"),))
        self.refused("signals.csv:2: G84 has no domain hub2",
                     signals=(signal("x", "dom=0x2,sig=0x1"),))
        for terms in ("dom=0x0,sig=0x1", "set=0x1,dom=0x1,sig=0x1"):
            self.refused("signals.csv:2: GF100 has no domain",
                         signals=(signal("x", terms, chips="GF100"),))
        self.refused("signals.csv:2: no chips", signals=(signal("x", chips=""),))

    def test_names(self):
        for name in ("3d_idle", "Idle", "dom1_cycles", "a-b"):
            self.refused("signals.csv:2: bad ", signals=(signal(name),))

    def test_name_twice(self):
        self.refused("signals.csv:3: G84 has two events a_x",
                     signals=(signal("a_x"), signal("a_x", "dom=0x1,sig=0x12")))
        self.refused("events.csv:2: G84 has two events a_x",
                     signals=(signal("a_x"),), events=(event("a_x"),))
        other = signal("a_x", "dom=0x0,sig=0x10", chips="NV10")
        self.assertEqual(len(self.tables(signals=(signal("a_x"), other)).signals), 2)

    def test_signal_twice(self):
        self.refused("signals.csv:3: G84 signal 0x10 is there twice",
                     signals=(signal("a_x"), signal("a_y")))
        # the number of a sum is that of its lowest bit
        number = signal("a_sum", "dom=0x1,ctr=0x3,sig=0x10,sig1=0x11,sig2=0x12,sig3=0x13")
        self.assertEqual(len(self.tables(signals=(signal("a_x"), number)).signals), 2)

    def test_signal_after_the_trailer(self):
        late = signal("a_x", "dom=0x1,sig=0x60")
        self.refused("signals.csv:2: G84 has no signal 0x60", signals=(late,))
        # with a disputed trailer the end of a domain is unknown
        chip = G84.replace("0x40 document", "0x40 disputed")
        self.assertEqual(len(self.tables(chips=(chip,), signals=(late,)).signals), 1)

    def test_confidence(self):
        self.refused("signals.csv:2: bad confidence 'sure'",
                     signals=(signal("a_x", confidence="sure"),))
        self.refused("signals.csv:2: either a name with a confidence", signals=(signal(""),))
        self.refused("signals.csv:2: either a name with a confidence",
                     signals=(signal("a_x", confidence=""),))
        self.refused("events.csv:2: bad confidence 'one'",
                     events=(event("a_x", confidence="one"),))

    def test_missing(self):
        self.refused("events.csv:2: either terms", events=(event("a_x", missing="no mux"),))
        self.refused("events.csv:2: either terms", events=(event("a_x", ""),))
        self.refused("events.csv:2: either terms", events=(event("a_x", confidence=""),))
        tables = self.tables(events=(event("a_x", "", confidence="", missing="no mux"),))
        self.assertEqual(tables.public_events(), {})


class Muxes(Folder):
    def muxes(self, *rows):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "muxes.csv")
            path.write_text("\n".join([",".join(COLUMNS[path.name]), *rows]) + "\n",
                            encoding="ascii")
            return list(hwtables.read_rows(path, self.tables().ids))

    def test_row(self):
        rows = self.muxes("2,TPC.MPC_0,G80_TPC,G84,GF100,0x330,0-7,0,4",
                          "9,GPC.TPCONF,GPC,G84,,0xc04,,31,")
        self.assertEqual([", ".join(gen.mux_row(row)) for row in rows], [
            '.id = 2, .name = "TPC.MPC_0", .place = PCOUNTER_IN_G80_TPC, .since = 0x084, '
            ".offset = 0x330, .until = 0x0c0, .field = GENMASK(7, 0), .enable = BIT(0), "
            ".enable_offset = 4",
            '.id = 9, .name = "GPC.TPCONF", .place = PCOUNTER_IN_GPC, .since = 0x084, '
            ".offset = 0xc04, .enable = BIT(31)"])

    def test_mistakes(self):
        good = "1,VFETCH,HUB,G84,GF100,0x400c0c,0-1,,"
        for old, new, reason in (("1,V", "x,V", "bad number 'x'"),
                                 ("0x4", "+4", "bad offset '+400c0c'"),
                                 ("0-1", "1", "bad select '1'"),
                                 ("G84", "G85", "bad first 'G85'"), ("G84", "", "bad first ''"),
                                 ("GF100", "GF", "bad end 'GF'"), ("GF100", "all", "bad end 'all'"),
                                 (",,", ",32,", "bad enable '32'")):
            with self.subTest(new=new), self.assertRaises(hwtables.TableError) as caught:
                self.muxes(good.replace(old, new))
            self.assertIn(f"muxes.csv:2: {reason}", str(caught.exception))


class Idle(Folder):
    def idle(self, row):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "idle.csv")
            path.write_text(",".join(COLUMNS[path.name]) + f"\n{row}\n", encoding="ascii")
            return [gen.idle_row(row) for row in hwtables.read_rows(path, self.tables().ids)]

    def test_row(self):
        self.assertEqual(self.idle("mc,8,G84,GF100,"), ['{ "mc", 0x100, 0x084, 0x0c0, 0x000 },'])
        self.assertEqual(self.idle("gr,0 31,G84,,all"),
                         ['{ "gr", 0x80000001, 0x084, 0xfff, 0xfff },'])

    def test_mistakes(self):
        for row, reason in (("gr,32,G84,,", "bad bits '32'"),
                            ("gr,0,G85,,", "bad first 'G85'"),
                            ("gr,0,G84,x,", "bad last 'x'")):
            with self.subTest(row=row), self.assertRaises(hwtables.TableError) as caught:
                self.idle(row)
            self.assertIn(f"idle.csv:2: {reason}", str(caught.exception))


class Files(Folder):
    def test_equal_lists_once(self):
        chip = G84.replace("0x084,G84", "0x092,G92").replace(",g84,", ",g92,")
        tables = self.tables(chips=(G84, chip), signals=(signal("a_x", chips="G84 G92"),))
        self.assertEqual(gen.chip_table(tables).count(".signals = { 0, 1 },"), 2)
        self.assertEqual(gen.signals(tables).count('"a_x"'), 1)

    def test_flags_of_a_signal(self):
        row = signal("a_x", "set=0x1,dom=0x0,sig=0x2,mux=0x16,sel=0x0,tpc=0x0", chips="GF100",
                     confidence="disputed")
        self.assertIn("{ 0, 1, 0, 0x02, 22, 0, PCOUNTER_SIGNAL_DISPUTED | PCOUNTER_SIGNAL_TPC | "
                      "0 << PCOUNTER_SIGNAL_TPC_SHIFT },", gen.signals(self.tables(signals=(row,))))

    def test_meanings(self):
        now = gen.meanings(self.tables(signals=(signal("a_x"),), events=(event("a_y"),)))
        self.assertEqual({key: now[key] for key in now if key[0] != "term"},
                         {("G84", "a_x"): "dom=0x1,sig=0x10", ("G84", "a_y"): "dom=0x1,sig=0x11"})
        self.assertEqual(now["term", "bit0"], "config2:0-7")

    def test_metric(self):
        tables = self.tables(signals=(signal("pgraph_idle"),))
        tables.ids = hwtables.Tables().ids      # metrics.csv is the real one
        files = dict(perf.files(tables))
        one, = files["g84/sys/signals.json"]
        self.assertEqual((one["Unit"], one["Compat"], one["Filter"]),
                         ("pcounter", "0x084", "dom=0x1,sig=0x10"))
        metric, = files["g84/sys/metrics.json"]
        self.assertEqual(metric["MetricExpr"],
                         "1 - pcounter@pgraph_idle@ / pcounter@dom1_cycles@")

    def generated(self, folder, seed):
        """Return the generated files by path. The scripts leave nothing of an earlier run."""
        stale = folder / perf.FOLDER / "nv99/sys/signals.json"
        stale.parent.mkdir(parents=True)
        stale.write_text("[]", encoding="utf-8")
        for words in (["gen-perf.py", folder], ["gen-pages.py", "--signals", folder],
                      *(["gen-tables.py", folder / name] for name in gen.FILES)):
            subprocess.run([sys.executable, "-B", load.SCRIPTS / words[0], *words[1:]], check=True,
                           env=os.environ | {"PYTHONHASHSEED": seed})
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in folder.rglob("*") if path.is_file()}

    def test_two_generations(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            files = self.generated(Path(one), "1")
            self.assertEqual(files, self.generated(Path(two), "2"))
        self.assertIn("signals.c", files)
        self.assertIn("pcounter-signals.rst", files)
        self.assertTrue(json.loads(files["arch/x86/nvidia/g84/sys/signals.json"]))
        self.assertNotIn("arch/x86/nvidia/nv99/sys/signals.json", files)


class Released(unittest.TestCase):
    """A name of the last release keeps its meaning."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        for name in ("include/uapi/linux/pcounter.h", "scripts/gen-tables.py",
                     "scripts/hwtables.py"):
            self.write(name, (load.SCRIPTS.parent / name).read_text(encoding="utf-8"))
        self.table("chips.csv", NV10, G84)
        self.table("signals.csv", signal("a_x"))
        self.table("events.csv", event("a_y"))
        self.assertEqual(self.script("--freeze").returncode, 0)

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def table(self, name, *rows):
        self.write(f"scripts/tables/{name}", "\n".join([",".join(COLUMNS[name]), *rows]) + "\n")

    def script(self, word):
        script = self.top / "scripts/gen-tables.py"
        return subprocess.run([sys.executable, "-B", script, word], check=False,
                              capture_output=True, text=True)

    def test_none(self):
        self.table("released.csv")
        done = self.script("--frozen")
        self.assertEqual((done.returncode, done.stderr), (1, "released.csv has no names\n"))

    def test_released(self):
        self.table("events.csv", event("a_y"), event("a_z", "dom=0x0,sig=0x1"))
        self.assertEqual(self.script("--frozen").returncode, 0, "one more")
        self.table("signals.csv", signal("a_x", "dom=0x1,sig=0x12"))
        self.table("events.csv")
        done = self.script("--frozen")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines(),
                         ["G84 a_x was dom=0x1,sig=0x10 in the last release, is now dom=0x1,sig=0x12",
                          "G84 a_y was dom=0x1,sig=0x11 in the last release, is now None"])

    def test_terms(self):
        header = "include/uapi/linux/pcounter.h"
        text = (self.top / header).read_text(encoding="utf-8")
        self.write(header, text.replace("#define PCOUNTER_SIG_HI\t\t\t23", "#define PCOUNTER_SIG_HI 22"))
        done = self.script("--frozen")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "term sig was config:16-23 in the last release, is now config:16-22\n"))


if __name__ == "__main__":
    unittest.main()
