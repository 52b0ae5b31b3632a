# SPDX-License-Identifier: GPL-2.0-only
"""Output of "pcounter" for people: screens of top, names of events, metrics and cards."""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import screens
from program_test import PERFMON, TOP, Machine


class Screens(unittest.TestCase):
    """Screens on a terminal; the pictures of the documentation are made from them."""

    maxDiff = None
    NARROW = (80, 24)

    def keys(self, keys, *args, chip="g84"):
        return screens.screen(chip, self.NARROW, keys, ("-n", "2", *args)).splitlines()

    def test_pictures(self):
        for name, chip, size in screens.pictures():
            with self.subTest(name):
                kept = (screens.PICTURES / name).read_text(encoding="utf-8")
                self.assertEqual(screens.screen(chip, size), kept, "screens.py --update?")

    def test_readme_shows_one(self):
        """README's screen is a part of a picture."""
        picture = (screens.PICTURES / "g84-80x24.txt").read_text(encoding="utf-8").splitlines()
        readme = (TOP / "README.md").read_text(encoding="utf-8")
        shown = [line[4:] for line in readme.splitlines() if "░" in line or "Busiest" in line]
        self.assertGreater(len(shown), 4)
        self.assertLessEqual(set(shown), set(picture), "README.md: copy it from the picture")

    def test_narrow(self):
        """40 columns have the numbers of 80, without histories and waits."""
        number = r"\d+\.\d %"
        wide = "\n".join(self.keys(b""))
        narrow = screens.screen("g84", (40, 30), b"", ("-n", "2"))
        self.assertEqual(re.findall(number, narrow), re.findall(number, wide))
        self.assertLessEqual(max(map(len, narrow.splitlines())), 40)
        narrow = screens.screen("g84", (40, 24), b"", ("-n", "2"))
        for text in ("Busiest: shaders, ", "waiting for textures: 41 %", "54 °C", "vdec 106", " k/s"):
            self.assertIn(text, narrow)

    def labels(self, lines):
        return [line[1:20].strip() for line in lines if " % " in line and "░" in line]

    def test_sort(self):
        first = self.labels(self.keys(b""))
        busiest = self.labels(self.keys(b"s"))
        self.assertEqual(first[:3], ["3D engine", "vertex fetch", "geometry"])
        self.assertEqual(busiest[:3], ["3D engine", "shaders", "textures"])
        self.assertEqual(sorted(first), sorted(busiest))

    def test_interval(self):
        self.assertIn("every 1 s", self.keys(b"")[0])
        self.assertIn("every 4 s", self.keys(b"++")[0])
        self.assertIn("every 0.05 s", self.keys(b"-" * 9)[0])

    def test_pause(self):
        lines = self.keys(b" ")
        self.assertIn(", paused", lines[0])
        self.assertEqual(self.labels(lines), [], "nothing was there yet")

    def test_rows(self):
        """Signals that the user asks for are rows on a terminal, too."""
        # a signal's own share: 6 % of the time idle, not "idle, 94 % busy"
        rows = screens.screen("g84", (80, 200), b"", ("-n", "1", "-e", "pgraph_idle"))
        self.assertRegex(rows, r"\npcounter_0 +1 +pgraph +pgraph_idle +\d\.\d %")
        self.assertNotIn("busy engines", rows)
        rows = screens.screen("g84", (80, 2000), b"", ("-n", "1", "-a"))
        self.assertRegex(rows, r"\npcounter_0 +0 +pbus +pbus_pcie_trans +0\.0 %")
        self.assertNotIn("pbus_pcie_trans", "\n".join(self.keys(b"")))

    def test_other_character_sets(self):
        """No line is left out, and no letter is shown that the terminal does not have."""
        lines = self.keys(b"")
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as cards:
            cards.write("10de  NVIDIA\n\t0402  G84 [GeForce \u00e9 8600]\n")
            cards.flush()
            for locale in ("C", "C.UTF-8"):
                text = screens.screen("g84", self.NARROW, b"", ("-n", "2"), LC_ALL=locale,
                                      PCI_IDS=cards.name)
                shown = text.splitlines()
                self.assertEqual(text.isascii(), locale == "C")
                self.assertRegex(shown[1],
                                 r"^GeForce (\?\?|\u00e9) 8600  G84 .* 54 (\u00b0)?C  2 clients")
                self.assertEqual([not line for line in shown], [not line for line in lines])

    def test_gpus(self):
        self.assertEqual(self.keys(b"g"), self.keys(b""), "of one GPU the first, then all")


class UserNames(Machine):
    """Events that a user has named in a file."""

    GOOD = 'my_busy,"dom=1,sig=0x10",clocks,"busy, it seems",scan'

    def setUp(self):
        super().setUp()
        self.script = ["signal 1 16 0.25"]
        self.env = {"XDG_CONFIG_HOME": str(self.folder)}
        self.file = self.folder / "pcounter/G84.events"
        self.file.parent.mkdir()

    def test_known_to_all(self):
        self.file.write_text(f"event,terms,unit,text,source\n{self.GOOD}\n", encoding="ascii")
        shown, = json.loads(self.run_program("events", "-j", "my_busy", env=self.env).stdout)
        self.assertEqual((shown["kind"], shown["unit"], shown["text"], shown["source"],
                          shown["confidence"], shown["domain"]),
                         ("event", "clocks", "busy, it seems", "scan", "user", "1"))
        for args in ((), ("-e", "my_busy")):
            out = self.run_program("top", "-J", "-n", "1", *args, env=self.env).stdout
            busy = {row["name"]: row["busy"] for row in map(json.loads, out.splitlines())}
            self.assertAlmostEqual(busy["my_busy"], 0.25, places=6)
        self.assertIn("accepted", self.tool("explain", "my_busy", env=self.env))

    def test_mistakes_are_told_by_their_line(self):
        bad = {
            "gpu_idle,dom=1": "the chip has an event of that name already",
            "my_busy,dom=1": "the chip has an event of that name already",
            "Not A Name,dom=1": "a name has small letters",
            "n" * 64 + ",dom=1": "the name is too long",
            "no_terms": "no terms",
            'x,"dom=1,sgi=3"': 'no term or event "sgi"',
            'x,"dom=9,sig=3"': "no such domain",
            'x,"dom=1,sig=0x1000"': "too big",
            'x,"dom=1': "a quote that does not end",
            'x,"dom=1"y': "a quote that ends within a cell",
            "x,dom=1,sig=3,a,b,c": "more than NAME",
            "x,dom=1," + "u" * 24: "the unit is too long",
            "x,dom=1,," + "t" * 160: "the text is too long",
        }
        self.file.write_text("\n".join(["# mine", self.GOOD, *bad, ""]), encoding="ascii")
        done = self.run_program("events", "--names", "x*", env=self.env)
        lines = done.stderr.splitlines()[:len(bad)]
        for number, (line, wrong) in enumerate(zip(lines, bad.values()), start=3):
            self.assertIn(f"{self.file}:{number}: ", line)
            self.assertIn(wrong, line)
        self.assertEqual(done.stdout, "")


class Cards(Machine):
    """Cards have their marketing names."""

    def test_names(self):
        (self.folder / "pci.ids").write_text(screens.CARDS, encoding="ascii")
        env = {"PCI_IDS": str(self.folder / "pci.ids"), "FAKE_CARD": "0x0402"}
        self.assertRegex(self.tool("list", env=env), r"0000:01:00\.0 .*GeForce 8600 GT")
        gpu, = json.loads(self.run_program("list", "-j", env=env).stdout)
        self.assertIn("GeForce 8600 GT", gpu.values())
        self.assertIn("GeForce 8600 GT", self.tool("doctor", env=env))

    def test_without_a_list(self):
        env = {"FAKE_CARD": "0x0402"}
        self.assertIn("G84 (e.g. GeForce 8600 GT)", self.tool("list", env=env))
        self.assertIn("e.g. GeForce 8600 GT, chip G84", self.tool("doctor", env=env))

    def test_chips_of_cards(self):
        want = self.tool("events", "--chip", "G84")
        for chip in ("NV84", "nv84", "0x84", "8600", "GeForce 8600 GTS"):
            self.assertEqual(self.tool("events", "--chip", chip), want)
            self.assertIn("accepted", self.tool("explain", "--chip", chip, "pgraph_idle"))
        for verb in (("events",), ("explain", "pgraph_idle")):
            self.assertIn("640: cards with different chips; choose one of GF116, GK107, GK208",
                          self.tool(*verb, "--chip", "640", status=2))
            self.assertIn("nvxa3: no chip with counters\n",
                          self.tool(*verb, "--chip", "nvxa3", status=2))


class MetricFormulas(Machine):
    """pcounter stat computes the same values as the formulas for perf."""

    GEN = TOP / "scripts/gen-perf.py"
    CHIPS = ("G84", "GT215", "GF100", "GK104")

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run([cls.GEN, folder.name], check=True)
        cls.formulas = {}
        for chip in cls.CHIPS:
            path, = pathlib.Path(folder.name).rglob(f"{chip.lower()}/sys/event-metrics.json")
            cls.formulas[chip] = json.loads(path.read_text(encoding="utf-8"))

    @staticmethod
    def domain(cycles):
        """Return the program's name of a domain: dom1_cycles, hub_dom1_cycles,
        gpc0_dom1_cycles.
        """
        kind, number = re.fullmatch(r"(?:(hub|gpc0|part0)_)?dom(\d+)_cycles", cycles).groups()
        return f"{kind or ''}{'.' if kind and kind != 'hub' else ''}{number}"

    def counts_of(self, chip, names):
        """Return the counts of events per second; each wire has a share of its own."""
        events = json.loads(self.run_program("events", "-a", "-j", env={"FAKE_CHIP": chip}).stdout)
        known = {event["name"]: event for event in events
                 if event["kind"] != "metric" and event["domain"] != "pdaemon"}
        terms = sorted({known[name]["terms"] for name in names})
        share = {what: (number + 1) / (len(terms) + 2) for number, what in enumerate(terms)}
        # the same wires may have several names
        self.script = [f"={event['name']} {share[event['terms']]}" for event in known.values()
                       if event["terms"] in share]
        rows = self.run_program("top", "-J", "-n", "1", env={"FAKE_CHIP": chip}).stdout
        clock = {row["domain"]: row["clock_hz"] for row in map(json.loads, rows.splitlines())
                 if row["unit"] == "clock"}
        return {name: share[known[name]["terms"]] * clock[known[name]["domain"]]
                for name in names}, clock

    def test_values(self):
        for chip in self.CHIPS:
            with self.subTest(chip):
                shutil.rmtree(self.folder / "root", ignore_errors=True)
                # perf has no idle counters, which the program takes for gpu_busy
                formulas = {one["MetricName"]: one for one in self.formulas[chip]
                            if one["MetricName"] != "gpu_busy"}
                words = {word for one in formulas.values()
                         for word in re.findall(r"@(\w+)@", one["MetricExpr"])}
                counts, clock = self.counts_of(
                    chip, {word for word in words if not word.endswith("_cycles") or
                           not re.search(r"dom\d+_cycles", word)})
                counts.update({word: clock[self.domain(word)] for word in words - set(counts)})
                got = self.counted("-t", "1s", "-M", ",".join(formulas), env={"FAKE_CHIP": chip})
                self.assertEqual(list(got), list(formulas))
                for name, one in formulas.items():
                    text = re.sub(r"pcounter@(\w+)@", r"counts['\1']", one["MetricExpr"])
                    scale, unit = re.fullmatch(r"(\d+)(.*)", one["ScaleUnit"]).groups()
                    want = eval(text, {"counts": counts, "duration_time": 1}) * int(scale)
                    self.assertAlmostEqual(got[name]["counter-value"] / want, 1, places=4, msg=name)
                    self.assertEqual(got[name]["unit"], unit)

    def test_default_set(self):
        for chip in self.CHIPS:
            shutil.rmtree(self.folder / "root", ignore_errors=True)
            got = set(self.counted(env={"FAKE_CHIP": chip}))
            known = {one["MetricName"] for one in self.formulas[chip]}
            # perf's lists have no idle counters
            self.assertLessEqual(got, known | {"gpu_busy"})
            self.assertLessEqual({"gpu_busy"} | {"shader_busy"} & known, got)
            self.assertGreaterEqual(len(got), 3, chip)


class Stat(Machine):
    """Options and formats of perf stat."""

    BUSY = ("-M", "gpu_busy")

    def setUp(self):
        super().setUp()
        # 10 ms of work, 10 ms of none: runs of 15 ms differ
        self.script = ["square 1 16 20", "signal 1 189 0.3"]

    def test_lines_for_status_bars(self):
        done = self.run_program("stat", "-I", "100", "-t", "300", "--line", "gpu_busy,shader_busy")
        self.assertEqual((done.stdout, done.stderr), ("70.0 %  0.0 %\n" * 3, ""))
        self.assertEqual(self.tool("stat", "--line", "gpu_busy"), "70.0 %\n")
        self.assertEqual(self.tool("stat", "--line", "tex_cache_hit_ratio"), "no events\n")
        self.script = ["asleep 1"]
        self.assertEqual(self.tool("stat", "--line", "gpu_busy"), "asleep\n")
        self.script = ["interrupt 2500", "signal 1 189 0.3"]
        self.assertEqual(self.tool("stat", "-I", "1s", "--line", "gpu_busy", status=130),
                         "70.0 %\n" * 3)

    def test_csv_as_perf(self):
        out = self.run_program("stat", "-x;", *self.BUSY).stdout
        self.assertEqual(out, "70.00;%;gpu_busy;1000000000;100.00\n")
        out = self.run_program("stat", "-x,", "-r", "2", *self.BUSY).stdout
        self.assertEqual(out, "70.00,%,gpu_busy,0.00%,1000000000,100.00\n")
        out = self.run_program("stat", "-x,", "-I", "100", *self.BUSY, "true").stdout
        self.assertEqual(out, "0.050000000,70.00,%,gpu_busy,50000000,100.00\n")
        out = self.run_program("stat", "-x,", "-M", "tex_cache_hit_ratio").stdout
        self.assertEqual(out, "<no events>,%,tex_cache_hit_ratio,1000000000,100.00\n")

    def test_means_of_ratios(self):
        share = "my_busy / cycles(my_busy)"
        (self.folder / "pcounter").mkdir()
        (self.folder / "pcounter/G84.events").write_text('my_busy,"dom=1,sig=0x10"\n')
        env = {"XDG_CONFIG_HOME": str(self.folder)}
        got = self.counted("-t", "15ms", "-r", "4", "-M", share, env=env)[share]
        # 10 of the first 15 ms, then 10, 5 and 5
        self.assertAlmostEqual(got["counter-value"], 0.5, delta=0.002)
        self.assertAlmostEqual(got["stddev"], (4 / 3) ** 0.5 / 6, delta=0.002)
        self.assertAlmostEqual(got["variance"], 100 * (1 / 3) ** 0.5 / 3, delta=0.2)
        self.assertEqual((got["runs"], got["event-runtime"]), (4, 15000000))
        out = self.tool("stat", "-t", "15ms", "-r", "4", "-M", share, env=env)
        self.assertIn("(4 runs)", out)
        self.assertRegex(out, r"\( \+- 19\.\d\d% \)")
        self.assertRegex(out, r"0\.015000 s +elapsed +\( \+-  0\.00% \)")

    def test_output(self):
        self.tool("stat", "-o", "f", "-r", "3", "--", "echo", "not here")
        text = (self.folder / "f").read_text(encoding="utf-8")
        self.assertRegex(text, r"for echo \(3 runs\):\n\n +70\.00 % +gpu_busy +\( \+-")
        self.assertNotIn("not here", text)
        self.tool("stat", "-j", "-o", "f", "true")
        rows = [json.loads(line) for line in (self.folder / "f").read_text().splitlines()]
        self.assertEqual((rows[-1]["event"], rows[-1]["unit"]), ("elapsed", "s"))
        self.tool("stat", "-o", "/no/such/folder", status=1)

    def test_intervals(self):
        out = self.tool("stat", "-I", "100", "-t", "250", *self.BUSY)
        self.assertEqual(re.findall(r"(?m)^ +([\d.]+) +70\.00 % +gpu_busy", out),
                         ["0.100000000", "0.200000000", "0.250000000"])
        # sums of such seconds are rounded: the last interval was shown twice, and then empty
        out = self.tool("stat", "-x,", "-I", "10", "-t", "3s", *self.BUSY)
        self.assertEqual(len(out.splitlines()), 300)
        self.assertIn("-I and -r cannot be combined",
                      self.tool("stat", "-I", "90", "-r", "2", status=2))

    def test_default_set_has_values(self):
        """Ratios of events that did not occur are left out."""
        for chip in ("G84", "GF100", "GK104"):
            shutil.rmtree(self.folder / "root", ignore_errors=True)
            rows = self.counted(env={"FAKE_CHIP": chip})
            self.assertNotIn(None, [row["counter-value"] for row in rows.values()], chip)
            self.assertNotIn("<", self.tool("stat", env={"FAKE_CHIP": chip}))
        self.script = ["still 1"]
        shutil.rmtree(self.folder / "root", ignore_errors=True)
        self.assertIn("nothing was counted: the clocks stand still",
                      self.tool("stat", env={"FAKE_CHIP": "MCP79"}))


class Impossible(Machine):
    """A share above 100 % is shown as it is, and never without a mark."""

    def test_marks(self):
        self.script, what = ["=shader_busy 1.32"], ("-M", "shader_busy")
        self.assertRegex(self.tool("stat", *what), r" 132\.00 %! +shader_busy\n")
        self.assertEqual(self.run_program("stat", *what, "-x,").stdout,
                         "132.00,%!,shader_busy,1000000000,100.00\n")
        self.assertEqual(self.tool("stat", "--line", "shader_busy"), "132.0 %!\n")
        row = self.counted(*what)["shader_busy"]
        self.assertAlmostEqual(row["counter-value"], 132, places=6)
        self.assertEqual((row["unit"], row["reason"]), ("%", "above 100 %"))
        for name in "ab":
            self.tool("stat", *what, "-r", "6", "-j", "-o", name)
        self.assertRegex(self.tool("diff", "a", "b"), r" %! +shader_busy\n")

    def test_all_of_it(self):
        self.script = ["=shader_busy 1"]
        self.assertEqual(self.tool("stat", "--line", "shader_busy"), "100.0 %\n")
        self.assertIsNone(self.counted("-M", "shader_busy")["shader_busy"]["reason"])


class Peaks(Machine):
    """Percent of what a unit could do, where that is known."""

    L2 = "l2_subp0_total_read_sector_queries"
    # counts of a clock, and percent of the peak
    CHIPS = {
        "G84": ({"setup_primitive_count": 0.25}, {"setup_of_peak": 25}),
        "GT215": ({"setup_primitive_count": 0.5}, {"setup_of_peak": 50}),
        "GF100": ({"inst_issued1_0": 0.125, "inst_issued1_1": 0.25, "inst_issued2_0": 0.5,
                   "inst_issued2_1": 0.375, "setup_primitive_count": 1,
                   "l2_slice0_total_read_sector_queries": 0.75,
                   "l2_slice0_total_write_sector_queries": 0.0625},
                  {"issue_of_peak": 62.5, "setup_of_peak": 100, "l2_read_of_peak": 75,
                   "l2_write_of_peak": 6.25}),
        "GK104": ({L2: 0.375, L2.replace("read", "write"): 0.5},
                  {"l2_read_of_peak": 37.5, "l2_write_of_peak": 50}),
    }

    def machine(self, chip, counts):
        shutil.rmtree(self.folder / "root", ignore_errors=True)
        self.script = [f"={name} {count}" for name, count in counts.items()]
        return {"FAKE_CHIP": chip}

    def test_each_chip(self):
        for chip, (counts, want) in self.CHIPS.items():
            env = self.machine(chip, counts)
            self.assertEqual(list(self.counted("-M", "peak", env=env)), list(want), chip)
            # alone a metric counts all the time, and is exact
            for name, percent in want.items():
                row = self.counted("-M", name, env=env)[name]
                self.assertEqual((row["counter-value"], row["unit"], row["reason"]),
                                 (percent, "%", None), (chip, name))
            # top has those of one event
            rows = self.run_program("top", "-J", "-n", "1", *(word for name in counts for word in
                                                              ("-e", name)), env=env).stdout
            peaks = {(row["name"], round(100 * row["peak"], 4)) for row in map(json.loads, rows.splitlines())
                     if row["peak"] is not None}
            self.assertEqual(peaks, {(name, 100 * count) for name, count in counts.items()
                                     if "inst_" not in name}, chip)

    def test_peak_and_who_says_so(self):
        for chip, said in (("G84", "Archmark"), ("GF100", "GF100 whitepaper")):
            env = self.machine(chip, {"setup_primitive_count": 0.25})
            peak = f"1 primitive a clock ({said})"
            self.assertEqual(self.counted("-M", "setup_of_peak", env=env)["setup_of_peak"]["peak"],
                             peak)
            self.assertIn(f" 25.00 %              setup_of_peak                of {peak}\n",
                          self.tool("stat", "-M", "setup_of_peak", env=env))
        self.assertIsNone(self.counted("-M", "gpu_busy")["gpu_busy"]["peak"])
        env = self.machine("G84", {"setup_primitive_count": 0.25})
        self.assertEqual(self.tool("stat", "--line", "peak", env=env), "25.0 %\n")

    def test_unknown_peaks_are_not_shown(self):
        """No document has the peak of Maxwell's L2 cache, whose events have the same names."""
        for chip in ("GM107", "GM206", "NV40", "GK20A"):
            out = self.tool("stat", "-M", "peak", status=1, env=self.machine(chip, {}))
            self.assertIn(f"{chip}: no peak is known", out)
            self.assertNotIn("_of_peak", self.tool("events", "--chip", chip))
        out = self.tool("top", "-n", "1", "-e", self.L2, env=self.machine("GM107", {self.L2: 0.5}))
        self.assertRegex(out, f"{self.L2} +50.0 %\n")

    def test_more_than_possible_is_marked(self):
        env = self.machine("GK104", {self.L2: 1.32})
        self.assertRegex(self.tool("stat", "-M", "peak", env=env), r" 132\.00 %! +l2_read_of_peak ")
        self.assertRegex(self.tool("top", "-n", "1", "-e", self.L2, env=env), r"of peak 132\.0 %!\n")


class GpuBusy(Machine):
    """One name for the overall load, in each verb, on each chip that can count it."""

    # as an idle counter, else as the opposite of a signal
    CHIPS = {"GF100": ("=gr_busy 0.7", "idle_"), "G84": ("=gpu_idle 0.3", ""),
             "GT215": ("=gr_busy 0.7", "idle_"), "MCP79": ("=pgraph_idle 0.3", ""),
             "GK104": ("=gr_busy 0.7", "idle_"), "GK208": ("=gr_busy 0.7", "idle_"),
             "GM107": ("=gr_busy 0.7", "idle_")}

    def test_each_verb(self):
        for chip, (line, idle) in self.CHIPS.items():
            with self.subTest(chip):
                shutil.rmtree(self.folder / "root", ignore_errors=True)
                self.script, env = [line], {"FAKE_CHIP": chip}
                for args in ((), ("-M", "gpu_busy"), ("-M", "gpu_busy / cycles(gpu_busy) * 100")):
                    got = list(self.counted(*args, env=env).values())[0]
                    self.assertAlmostEqual(got["counter-value"], 70, places=3, msg=args)
                for args in ((), ("-e", "gpu_busy"), ("-a",)):
                    out = self.run_program("top", "-J", "-n", "1", *args, env=env).stdout
                    rows = [row for row in map(json.loads, out.splitlines())
                            if row["name"] == "gpu_busy"]
                    self.assertEqual(len(rows), 1, args)
                    self.assertAlmostEqual(rows[0]["busy"], 0.7, places=6)
                    self.assertAlmostEqual(rows[0]["share"], 0.7, places=6)
                out = self.tool("top", "--openmetrics", "-n", "1", env=env)
                self.assertEqual(out.count('signal="gpu_busy"'), 4, out)
                self.assertRegex(out, rf'pcounter_engine_busy_ratio{{[^}}]*chip="{chip}",[^}}]*'
                                      r'engine="gpu"} 0\.(7|69999)')
                kinds = [one["kind"] for one in json.loads(
                    self.run_program("events", "-j", "gpu_busy", env=env).stdout)]
                # GF100 and GT215 have an event of PCOUNTER, too
                self.assertEqual(kinds[-2:], ["event", "metric"])
                self.assertIn("a metric", self.tool("explain", "gpu_busy", env=env))
                for event in ("gpu_busy", f"pcounter_{idle}0/gpu_busy/"):
                    self.assertIn("accepted", self.tool("explain", event, env=env))
                    self.assertIn("accepted", self.tool("explain", "--chip", chip, event))

    def test_source_of_each_chip(self):
        """The page has the sources of all chips."""
        page = (TOP / "Documentation/admin-guide/perf/pcounter-events.rst").read_text()
        table = page.partition(".. sources of gpu_busy\n\n")[2].partition("\n\n")[0]
        want, source = {}, None
        for line in table.splitlines():
            if "=" in line:
                continue
            source = line[:22].strip() or source
            want.update(dict.fromkeys(line[22:].split(), source))
        with open(TOP / "scripts/tables/chips.csv", encoding="ascii") as file:
            chips = [row["chip"] for row in csv.DictReader(file) if row["has_pcounter"] != "no"]
        for chip in chips:
            rows = json.loads(self.run_program("events", "-j", "--chip", chip, "gpu_busy").stdout)
            metric = [row for row in rows if row["kind"] == "metric"]
            if metric:
                source = re.search(r"cycles\((\w+)\)", metric[0]["expression"])[1]
                source += f", {metric[0]['confidence']}"
                self.assertEqual(metric[0]["unit"], "%")
            self.assertEqual(want.pop(chip, None), source if metric else "none", chip)
        self.assertEqual(want, {})

    def test_signal_without_idle_counters(self):
        """PDAEMON is held in reset, or others use its counters."""
        self.tool("list", env={"FAKE_CHIP": "GF100"})
        shutil.rmtree(self.folder / "root/sys/bus/event_source/devices/pcounter_idle_0")
        self.script = ["=gpu_busy 0.6"]
        got = self.counted("-M", "gpu_busy", env={"FAKE_CHIP": "GF100"})["gpu_busy"]
        self.assertAlmostEqual(got["counter-value"], 60, places=3)
        self.assertEqual((got["confidence"], got["source"]),
                         ("checked", "gpu_busy / cycles(gpu_busy)"))

    def test_nothing_else_tells_of_the_whole(self):
        out = self.run_program("top", "-J", "-n", "1", env={"FAKE_CHIP": "GT215"}).stdout
        names = {row["name"] for row in map(json.loads, out.splitlines())}
        self.assertFalse(names & {"gpu_idle", "pgraph_idle", "gr_busy", "gr_idle"})

    def test_chips_that_cannot_tell(self):
        for chip in ("NV31", "NV40"):
            shutil.rmtree(self.folder / "root", ignore_errors=True)
            env = {"FAKE_CHIP": chip}
            for verb in (("stat", "-M"), ("top", "-n", "1", "-e")):
                out = self.tool(*verb, "gpu_busy", status=2, env=env)
                self.assertNotIn("pcounter stat -M", out)

    def test_idle_counters_are_events(self):
        env, self.script = {"FAKE_CHIP": "GK208"}, ["=pcopy0_busy 0.25"]
        for event in ("pcounter_idle_0/gr_busy/", "gr_busy",
                      "{pcounter_idle_0/gr_busy/,pcounter_idle_0/ticks/}"):
            self.assertIn("idle counters", self.tool("explain", event, env=env))
        out = self.tool("explain", "pcounter_idle_0/mask=3,when=1/", env=env)
        self.assertIn("not all 1; by one document: all 0", out)
        domains = {event["name"]: event["domain"] for event in
                   json.loads(self.run_program("events", "-a", "-j", env=env).stdout)}
        self.assertEqual(domains["gr_busy"], "pdaemon")
        share, = self.counted("-M", "pcopy0_busy / ticks", env=env).values()
        self.assertAlmostEqual(share["counter-value"], 0.25, places=6)
        self.assertIn("pcopy0", self.tool("events", "pcopy0*", env=env))

    def test_any_engine(self):
        """One counter for several engines; only the mode with one reading makes the metric."""
        for chip, engines in (("GT215", "0x80001"), ("GF100", "0x180001"), ("GK208", "0x380001")):
            rows = {row["name"]: row for row in json.loads(self.run_program(
                "events", "-j", "--chip", chip, "*").stdout)}
            self.assertEqual(rows["gr_copy_busy"]["terms"], f"mask={engines},when=0x1")
            self.assertEqual(rows["gr_copy_busy"]["confidence"], "disputed")
            self.assertEqual(rows["gr_copy_idle"]["confidence"], "several")
            self.assertIn("gr or a copy engine is busy", rows["gr_copy_busy"]["text"])
            self.assertIn("gr and the copy engines are idle", rows["gr_copy_idle"]["text"])
            self.assertEqual(rows["any_busy"]["confidence"], "several")
        shutil.rmtree(self.folder / "root", ignore_errors=True)
        env, self.script = {"FAKE_CHIP": "GK208"}, ["=gr_copy_idle 0.25"]
        share, = self.counted("-M", "any_busy", env=env).values()
        self.assertAlmostEqual(share["counter-value"], 75, places=3)
        names = [row["name"] for row in self.top(env)]
        self.assertFalse({"gr_copy_busy", "gr_copy_idle"} & set(names), "not beside the engines")
        self.assertIn("gr_copy_busy", [row["name"] for row in self.top(env, "-e", "gr_copy_busy")])

    def top(self, env, *args):
        out = self.run_program("top", "-J", "-n", "1", "-i", "20", *args, env=env).stdout
        return [json.loads(line) for line in out.splitlines()]

    def test_each_idle_counter_tells_its_confidence(self):
        """hw:idle/signals: NVIDIA's headers name GR and PCOPY2, rnndb alone the others."""
        want = {("GT215", "gr_busy"): "several", ("GT215", "pcopy0_idle"): "several",
                ("GK208", "pvld_busy"): "several", ("GK208", "gr_hub_busy"): "one",
                ("GM107", "gr_idle"): "several", ("GM107", "pcopy2_busy"): "several",
                ("GM107", "ticks"): "several", ("GM107", "pvld_busy"): "one",
                ("GM107", "mc_idle"): "one", ("GP104", "pvenc1_busy"): "one",
                ("GP104", "gpu_busy"): "several"}
        for (chip, name), confidence in want.items():
            shown = json.loads(self.run_program("events", "-j", "--chip", chip, "-a", name).stdout)
            self.assertEqual(shown[0]["confidence"], confidence, (chip, name))

    def test_a_sum_is_no_share(self):
        """A name with "_busy" that does not count clocks is not shown as 138 % busy."""
        (self.folder / "pcounter").mkdir()
        (self.folder / "pcounter/G84.events").write_text(
            'sum_busy,"dom=1,sig=3,sig1=4",warps\nmy_busy,"dom=1,sig=0x10",clocks\n')
        self.script = ["signal 1 16 0.5"]
        out = self.run_program("top", "-J", "-n", "1", "-e", "sum_busy", "-e", "my_busy",
                               env={"XDG_CONFIG_HOME": str(self.folder)}).stdout
        busy = {row["name"]: row["busy"] for row in map(json.loads, out.splitlines())}
        self.assertEqual((busy["sum_busy"], busy["my_busy"]), (None, 0.5))


class DeadEnds(Machine):
    """If there is nothing to show, the program says why, and suggests a remedy."""

    def test_wrong_words(self):
        """A message names the program and its verb."""
        for words, said in (
                (("reprot",), "pcounter: reprot: no such verb or option; did you mean report?"),
                (("lst",), "pcounter: lst: no such verb or option; did you mean list?"),
                (("xyz",), "pcounter: xyz: no such verb or option; try: "),
                (("stat", "-e", "x"), "pcounter stat: invalid option -- 'e'\n"),
                (("stat", "-a"), "events of perf's -e go to -M, and stat always counts"),
                (("top", "--jsnol"), "pcounter top: unrecognized option '--jsnol'\n")):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)
        self.assertEqual(self.tool("help"), self.tool("--help"))
        self.assertEqual(self.tool("help", "mark"), self.tool("mark", "--help"))
        self.assertEqual(self.tool("-V"), self.tool("--version"))

    def test_stat_of_a_sleeping_gpu(self):
        self.script = ["asleep 1"]
        out = self.tool("stat", "-t", "20ms")
        self.assertEqual(out.count("nothing was counted: the GPU is asleep"), 1, out)
        self.assertNotIn("gpu_busy", out)
        self.assertEqual({(one["counter-value"], one["reason"])
                          for one in self.counted("-t", "20ms").values()}, {(None, "asleep")})
        self.script = []
        self.assertNotIn("asleep", self.tool("stat", "-t", "20ms"))
        self.assertEqual({one["reason"] for one in self.counted().values()}, {None})

    def test_report_takes_what_record_wrote(self):
        self.script = [f"caps {PERFMON}", "signal 1 16 0.25"]
        self.assertIn("pcounter.data: No such file", self.tool("report", status=1))
        self.tool("record", "-e", "dom=1,sig=0x10", "-t", "20ms", status=2)
        self.tool("record", "-e", "pcounter/dom=1,sig=0x10/", "-t", "20ms")
        self.assertEqual(self.tool("report"), self.tool("report", "pcounter.data"))

    def test_options_behind_a_word(self):
        want = json.loads(self.run_program("events", "-j", "gpu_*").stdout)
        self.assertEqual(json.loads(self.run_program("events", "gpu_*", "-j").stdout), want)
        self.assertIn("NV10", self.tool("explain", "pcounter/clk/", "--chip", "NV10"))
        # words after a command belong to the command
        out = self.tool("stat", "-t", "20ms", "echo", "-j", "-M")
        self.assertIn("-j -M", out)

    def test_chips_that_are_too_new(self):
        for verb in (("events",), ("explain", "clk")):
            for chip in ("TU102", "ga104", "0x162"):
                self.assertIn(f"{chip}: newer than Pascal: not supported",
                              self.tool(*verb, "--chip", chip, status=2))
            for chip in ("NV11", "TUX", "0x1"):
                self.assertIn(f"{chip}: no chip with counters",
                              self.tool(*verb, "--chip", chip, status=2))

    def test_signals_that_nobody_has_counted(self):
        env = {"FAKE_CHIP": "GF100"}

        def signals():
            gpu, = json.loads(self.run_program("list", "-j", env=env).stdout)
            return [domain["signals"] for domain in gpu["domains"]]

        without = signals()
        self.assertIn(None, without)
        self.assertRegex(self.tool("list", env=env), r"  \? signals: no document says")
        # as root sees it
        path = self.folder / "root/sys/kernel/debug/pcounter/pcounter_0/signals"
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"domain {n}: {'0 ' * 2}0\n" for n in range(len(without))))
        self.assertEqual(signals(), [96] * len(without))
        self.assertNotIn("? signals", self.tool("list", env=env))


class ReadmeTable(Machine):
    """README says what each card can do, as the program does for its chips."""

    # what the names of an engine's events begin with
    ENGINES = {"front end": "gr_hub_", "geometry": "geom_", "shaders": ("shader_", "gr_gpc_"),
               "textures": "texture_", "ROP": ("rop_", "gr_rop_"), "video": "pvld_",
               "encryption": "psec_", "copy": "pcopy", "memory controller": "mc_", "PCIe": "pcie_"}

    def chips_of(self, card):
        done = self.run_program("explain", "--chip", card, "pcounter/clk/")
        if done.returncode == 2:
            return re.findall(r"\w+", done.stderr.partition("choose one of ")[2])
        return re.findall(r"of pcounter_0 \((\w+)\)", done.stdout)

    def cards_of(self, cell):
        """Yield each card of a row and its chips: "GT 710 to 730" are two, both with GT."""
        prefix = ""
        for word in re.split(r", | to |; | and ", re.split(" on the|, with", cell)[0]):
            words = re.fullmatch(r"(?:GeForce )?((?:\d )?(?:[A-Z][A-Za-z]+ )?)(.*)", word)
            prefix = words[1] or prefix
            names = [f"GeForce{name}{words[2]}" for name in (f" {prefix}", prefix, " ", "")]
            chips = next(filter(None, map(self.chips_of, names)), None)
            self.assertTrue(chips, f"{word} of {cell}: no such card")
            yield word, chips

    def engines_of(self, chip):
        done = self.run_program("events", "--chip", chip, "-a", "-j")
        names = [row["name"] for row in json.loads(done.stdout or "[]")]
        return tuple(name for name in names if name.endswith(("_busy", "_idle")))

    def can(self, chip, *args):
        return self.run_program(args[0], "--chip", chip, *args[1:]).returncode == 0

    def check(self, cards, busy, engines, recording):
        for card, chips in self.cards_of(cards):
            for chip in chips:
                self.assertEqual(self.can(chip, "events", "gpu_busy"), busy == "yes", (card, chip))
                self.assertEqual(self.can(chip, "explain", "pcounter/record,dom=0,clk/"),
                                 recording == "yes", (card, chip))
            found = sum(map(self.engines_of, chips), ())
            for engine in engines:
                self.assertTrue(any(name.startswith(self.ENGINES[engine]) for name in found),
                                (card, engine, found))
            self.assertEqual(bool(found), bool(engines), (card, found))

    def test_rows(self):
        text = (TOP / "README.md").read_text(encoding="utf-8").partition("## Which cards")[2]
        rows = re.findall(r"^\| (.*) \| (yes|no)[^|]* \| (.*) \| (yes|no) \|$", text, re.M)
        self.assertGreater(len(rows), 9)
        with open(TOP / "scripts/tables/chips.csv", encoding="utf-8") as table:
            sure = {row["chip"]: row["has_pcounter"] for row in csv.DictReader(table)}
        for cards, busy, engines, recording in rows:
            self.assertEqual({sure[chip] for _, chips in self.cards_of(cards) for chip in chips},
                             {"unverified" if "unverified=1" in cards else "yes"}, cards)
            self.check(cards, busy, engines.split(", ") if engines != "no" else (), recording)


class PublicEvents(Machine):
    """Rows of events asked for by name."""

    def test_rows(self):
        self.script = ["=shader_busy 0.75", "=setup_triangle_count 0.125", "=geom_busy 0.5"]
        done = self.run_program("top", "-J", "-n", "1", "-e", "shader_busy", "-e",
                                "pcounter/setup_triangle_count/", "-e", "geom_b*")
        rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}
        self.assertAlmostEqual(rows["shader_busy"]["busy"], 0.75, places=6)
        self.assertAlmostEqual(rows["setup_triangle_count"]["share"], 0.125, places=6)
        self.assertIsNone(rows["setup_triangle_count"]["busy"])
        self.assertAlmostEqual(rows["geom_busy"]["share"], 0.5, places=6)
        self.assertNotIn("rop_busy", rows)

    def test_unknown_names(self):
        for name in ("nonsense", "n" * 300, "s"):
            self.assertIn("such an event", self.tool("top", "-n", "1", "-e", name, status=2))
            self.assertIn("no such metric or event", self.tool("stat", "-M", name, status=2))
        self.assertIn("no such metric or event", self.tool("stat", "-M", "1 - shader_bsy", status=2))
        self.assertIn("no event or metric has", self.tool("events", "n*z*", status=1))
        out = self.tool("top", "-n", "1", "-e", "triangles_per_second", status=2)
        self.assertIn("pcounter stat -M triangles_per_second", out)
        for verb, status in ((("stat", "-M"), 2), (("explain",), 1)):
            self.assertIn("this chip lacks the events for it\n",
                          self.tool(*verb, "l2_read_hit_rate", status=status))
        self.assertIn('no term or event "sgi"', self.tool("top", "-e", "dom=1,sgi=3", status=2))

    def test_events_and_expressions_of_them(self):
        self.script = ["=shader_busy 0.75", "=setup_triangle_count 0.125"]
        share, rest = "setup_triangle_count / cycles(setup_triangle_count)", "(2 - shader_busy / " \
            "cycles(shader_busy)) * 4"
        got = self.counted("-M", f"{share},setup_triangle_count,{rest},shader_busy")
        self.assertAlmostEqual(got[share]["counter-value"], 0.125, places=6)
        self.assertAlmostEqual(got[rest]["counter-value"], 5, places=5)
        self.assertEqual(got[share]["unit"], "")
        self.assertGreater(got["setup_triangle_count"]["counter-value"], 1000)
        self.assertEqual(got["setup_triangle_count"]["unit"], "primitives")
        # a metric takes precedence over the event
        self.assertAlmostEqual(got["shader_busy"]["counter-value"], 75, places=4)
        self.assertEqual(got["shader_busy"]["unit"], "%")

    def test_no_expressions(self):
        for text in ("", "7", "seconds", "shader_busy /", "shader_busy geom_busy", "(shader_busy",
                     "shader_busy)", "- shader_busy", "cycles(shader_busy", "cycles()", "a" * 90,
                     "shader_busy / cycles[shader_busy]", "=", "(" * 4000):
            self.tool("stat", "-M", text, status=2)
        self.tool("stat", "-M", ",".join(["shader_busy"] * 65), status=2)


if __name__ == "__main__":
    unittest.main()
