# SPDX-License-Identifier: GPL-2.0-only
"""gen-chips.py refuses a bad table, naming the line, and guesses nothing."""

import tempfile
import unittest
from pathlib import Path

import load

gen = load.script("gen-chips")
hwtables = load.script("hwtables")

NV10 = "0x010,NV10,,Celsius,nv10,yes,1,0=core,0x00a000,0x1000,nv10-pcounter,,,,,"
G84 = ("0x084,G84,,Tesla,g84,yes,2,0=host;1=core (a; b),0x00a000,0x1000,"
       "nv40-pcounter,,,,,")
HUBS = "hub0=unknown;hub1=unknown;hub2=0x60 document"
GF100 = ("0x0c0,GF100,,Fermi,gf100,yes,sets,,0x180000,0x40000,gf100-pcounter,3,1,2,"
         f"{HUBS};gpc0=0xc0 trace;part0=unknown;part1=0x20 inferred,")
FLAG = "G84,1,0x5f,FLAG,flag (trailer base 0x40 + 0x1f),trailer,doc,,"
EVENT = "G84,1,0x57,EVENT,event (trailer base 0x40 + 0x17),trailer,doc,,"


class GenChips(unittest.TestCase):
    def generate(self, chips=(NV10, G84), signals=(FLAG,), disputed=(),
                 chip_columns=tuple(hwtables.CHIP_COLUMNS)):
        with tempfile.TemporaryDirectory() as folder:
            for name, columns, rows in (
                    ("chips.csv", chip_columns, chips),
                    ("signals-merged.csv", hwtables.SIGNAL_COLUMNS, signals),
                    ("disputed.csv", hwtables.DISPUTED_COLUMNS, disputed)):
                text = "\n".join([",".join(columns), *rows]) + "\n"
                Path(folder, name).write_text(text, encoding="utf-8")
            return gen.generate(Path(folder))

    def refused(self, where, **tables):
        with self.assertRaises(gen.TableError) as caught:
            self.generate(**tables)
        self.assertIn(where, str(caught.exception))

    def test_one_row(self):
        text = self.generate(signals=(FLAG, EVENT),
                             disputed=("G84,1,they disagree",))
        self.assertIn("\t{\n"
                      "\t\t.chipset = 0x084,\n"
                      '\t\t.name = "G84",\n'
                      "\t\t.bucket = PCOUNTER_BUCKET_G84,\n"
                      "\t\t.presence = PCOUNTER_PRESENT,\n"
                      "\t\t.domains = 2,\n"
                      "\t\t.disputed = BIT(1),\n"
                      "\t\t.clocks = {\n"
                      '\t\t\t"host", "core (a; b)",\n'
                      "\t\t},\n"
                      "\t\t.trailer = {\n"
                      "\t\t\tUNKNOWN, 0x40, UNKNOWN, UNKNOWN,\n"
                      "\t\t\tUNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,\n"
                      "\t\t},\n"
                      "\t},\n", text)

    def test_sets(self):
        rows = [f"GF100,{domain},{base + 0x38:#04x},FLAG,\"flag (trailer base "
                f"{base:#04x} = driver signal count - 0x40, + 0x38)\",trailer,doc,,"
                for domain, base in (("hub2", 0x60), ("gpc0", 0xc0), ("part1", 0x20))]
        text = self.generate(chips=(GF100,), signals=rows)
        self.assertIn("UNKNOWN, UNKNOWN, 0x60, UNKNOWN,", text)
        self.assertIn(".domains = 3,", text)
        self.assertIn(".gpc_domains = 1,\n\t\t.gpc_trailer = { 0xc0 },\n"
                      "\t\t.part_domains", text)
        self.assertIn(".part_domains = 2,\n\t\t.part_trailer = { UNKNOWN, 0x20 },\n"
                      "\t\t.part_disputed = BIT(1),", text)

    def test_inferred_bases_are_disputed(self):
        chip = GF100.replace("hub2=0x60 document", "hub2=0x60 inferred")
        text = self.generate(chips=(chip.replace("0xc0 trace", "0xc0 inferred"),), signals=())
        self.assertIn("\t\t.disputed = BIT(2),", text)
        self.assertIn("\t\t.gpc_disputed = BIT(0),", text)

    def test_domain_of_a_set_disputed(self):
        text = self.generate(chips=(GF100,), signals=(), disputed=("GF100,gpc0,why",))
        self.assertIn("\t\t.gpc_disputed = BIT(0),", text)

    def test_base_of_another_source(self):
        row = ("GF100,gpc0,0xd8,FLAG,\"flag (trailer base 0xa0 = driver signal count "
               "- 0x40, + 0x38)\",trailer,doc,,")
        self.refused("signals-merged.csv:2: GF100 domain ('gpc', 0) has trailer bases "
                     "0xc0 and 0xa0", chips=(GF100,), signals=(row,))

    def test_base_that_chips_lack(self):
        row = ("GF100,part0,0xd8,FLAG,\"flag (trailer base 0xa0 = driver signal count "
               "- 0x40, + 0x38)\",trailer,doc,,")
        self.refused("signals-merged.csv:2: chips.csv has no trailer base of GF100 part0",
                     chips=(GF100,), signals=(row,))

    def test_bad_bases(self):
        for item in ("gpc0=0xc8 trace", "gpc0=0xc0 guess", "gpc0=0xc0", "gpc1=0xc0 trace",
                     "gpc0=", "gpc0=0xc0 trace;gpc1=unknown", "gpc0=unknown trace"):
            with self.subTest(item=item):
                self.refused("chips.csv:2: ", signals=(),
                             chips=(GF100.replace("gpc0=0xc0 trace", item),))

    def test_base_missing(self):
        self.refused("chips.csv:2: 5 trailer bases for 6 domains", signals=(),
                     chips=(GF100.replace(";part1=0x20 inferred", ""),))

    def test_bad_counts(self):
        for counts in ("0,1,2", "9,1,2", "3,0,2", "3,5,2", "3,1,3", "3,1,", "x,1,2"):
            with self.subTest(counts=counts):
                self.refused("chips.csv:2: ", signals=(),
                             chips=(GF100.replace(",3,1,2,", f",{counts},"),))

    def test_sets_of_a_chip_without(self):
        self.refused("chips.csv:3: domain sets of a chip that has none",
                     chips=(NV10, G84.replace("pcounter,,", "pcounter,8,")))

    def test_domain_that_a_gpc_lacks(self):
        self.refused("signals-merged.csv:2: bad domain 'gpc1'", chips=(GF100,),
                     signals=("GF100,gpc1,0x38,FLAG,flag,trailer,doc,,",))

    def test_chip_twice(self):
        self.refused("chips.csv:4: chip G84 is there twice", chips=(NV10, G84, G84))

    def test_id_twice(self):
        self.refused("chips.csv:3: chipset id 0x010",
                     chips=(NV10, G84.replace("0x084", "0x010")))

    def test_unknown_bucket(self):
        self.refused("chips.csv:3: unknown bucket 'g85'",
                     chips=(NV10, G84.replace(",g84,", ",g85,")))

    def test_unknown_presence(self):
        self.refused("chips.csv:2: unknown presence 'maybe'",
                     chips=(NV10.replace("yes", "maybe"), G84))

    def test_bad_numbers(self):
        for number in ("84", "0x84", "0x0840", "0x08g", "", "-0x84"):
            with self.subTest(number=number):
                self.refused("chips.csv:3: bad number",
                             chips=(NV10, G84.replace("0x084", number)))

    def test_clock_missing(self):
        self.refused("chips.csv:3: 1 clocks for 2 domains",
                     chips=(NV10, G84.replace(";1=core (a; b)", "")))

    def test_clocks_out_of_order(self):
        self.refused("chips.csv:3: clock '2=core (a; b)'",
                     chips=(NV10, G84.replace("1=core", "2=core")))

    def test_too_many_domains(self):
        self.refused("chips.csv:2: 9 domains",
                     chips=(NV10.replace("yes,1,", "yes,9,"), G84))

    def test_wrong_layout(self):
        self.refused("chips.csv:2: register layout",
                     chips=(NV10.replace("nv10-p", "nv40-p"), G84))

    def test_absent_chip_with_registers(self):
        self.refused("chips.csv:2: register layout",
                     chips=(NV10.replace("yes", "no"), G84))

    def test_short_row(self):
        self.refused("chips.csv:3: 3 fields", chips=(NV10, "0x084,G84,"))

    def test_columns_in_another_order(self):
        columns = list(hwtables.CHIP_COLUMNS)
        columns[0:2] = reversed(columns[0:2])
        self.refused("chips.csv:1: columns are not", chip_columns=columns)

    def test_sets_on_the_wrong_bucket(self):
        # Without it such a chip would pass for one with no domains.
        self.refused("chips.csv:3: domain sets on bucket g84",
                     chips=(NV10, G84.replace("yes,2,0=host;1=core (a; b)",
                                              "yes,sets,")))

    def test_no_chips(self):
        self.refused("chips.csv:1: no chips", chips=())

    def test_quote_in_a_clock(self):
        self.refused("chips.csv:2: bad clock name",
                     chips=(NV10.replace("0=core", "0=co\\re"), G84))

    def test_signal_of_unknown_chip(self):
        self.refused("signals-merged.csv:2: unknown chip 'G85'",
                     signals=(FLAG.replace("G84", "G85"),))

    def test_signal_of_absent_domain(self):
        self.refused("signals-merged.csv:2: G84 has no domain 2",
                     signals=(FLAG.replace("G84,1", "G84,2"),))

    def test_signal_of_unknown_set(self):
        row = "GF100,hub8,0x38,FLAG,flag,trailer,doc,,"
        self.refused("signals-merged.csv:2: bad domain 'hub8'",
                     chips=(GF100,), signals=(row,))

    def test_signal_twice(self):
        self.refused("signals-merged.csv:3: G84 domain 1 signal 0x5f is there twice",
                     signals=(FLAG, FLAG))

    def test_signal_too_big(self):
        self.refused("signals-merged.csv:2: bad number",
                     signals=(FLAG.replace("0x5f", "0x15f"),))

    def test_trailer_without_base(self):
        self.refused("signals-merged.csv:2: a trailer row that does not name its base",
                     signals=(FLAG.replace("trailer base", "base"),))

    def test_trailer_sum(self):
        self.refused("signals-merged.csv:2: 0x40 + 0x1e is not 0x5f",
                     signals=(FLAG.replace("0x1f", "0x1e"),))

    def test_trailer_base_not_aligned(self):
        self.refused("signals-merged.csv:2: impossible trailer place",
                     signals=(FLAG.replace("0x40 + 0x1f", "0x50 + 0x0f"),))

    def test_trailer_offset_beyond_its_end(self):
        self.refused("signals-merged.csv:2: impossible trailer place 0x20 + 0x3f",
                     signals=(FLAG.replace("0x40 + 0x1f", "0x20 + 0x3f"),))

    def test_trailer_bases_disagree(self):
        row = "G84,1,0x77,EVENT,event (trailer base 0x60 + 0x17),trailer,doc,,"
        self.refused("signals-merged.csv:3: G84 domain 1 has trailer bases 0x40 and 0x60",
                     signals=(FLAG, row))

    def test_dispute_about_nothing(self):
        self.refused("disputed.csv:2: G84 domain 0 has no trailer base",
                     disputed=("G84,0,why",))

    def test_dispute_twice(self):
        self.refused("disputed.csv:3: G84 domain 1 is there twice",
                     disputed=("G84,1,why", "G84,1,why"))


if __name__ == "__main__":
    unittest.main()
