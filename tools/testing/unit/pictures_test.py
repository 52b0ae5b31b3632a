# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of "pcounter": XML whose texts and titles say what is drawn."""

import os
import re
import shutil
import unittest
import xml.etree.ElementTree

from program_test import Recorder

SVG = "{http://www.w3.org/2000/svg}"


class Pictures(Recorder):
    """Drawings of a capture and of a scan."""

    def setUp(self):
        super().setUp()
        self.script += ["signal 0 5 0.3", "square 1 18 10"]

    def drawn(self, *args, picture="x.svg", **kwargs):
        """Return the texts of a picture, and the titles with their elements."""
        done = self.run_program(args[0], "-p", picture, *args[1:], **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(picture, done.stderr)
        self.root = xml.etree.ElementTree.parse(self.folder / picture).getroot()
        self.assertEqual(self.root.tag, f"{SVG}svg")
        titles = {rect.find(f"{SVG}title").text: rect for rect in self.root.iter(f"{SVG}rect")
                  if rect.find(f"{SVG}title") is not None}
        return [element.text for element in self.root.iter(f"{SVG}text")], titles

    def square(self, element):
        """Return the left, upper, right and lower side of an element; of a text its start."""
        x, y, width, height = (float(element.get(name, 0))
                               for name in ("x", "y", "width", "height"))
        return x, y, x + width, y + height

    def test_report(self):
        self.record("-t", "100", "-e", "pcounter/dom=1,sig=0x12,periodic=1/")
        texts, titles = self.drawn("report", "f", "-o", "/dev/null")
        self.assertIn("s since the capture began", texts)
        self.assertIn("c1  dom=1,sig=0x12,periodic=1", texts)
        pattern = r"[\d.]+ to [\d.]+ s: mean ([\d.]+) %, ([\d.]+) to ([\d.]+) % in a packet"
        found = [re.fullmatch(pattern, title) for title in titles]
        self.assertTrue(all(found), titles)
        for mean, least, most in (map(float, match.groups()) for match in found):
            self.assertTrue(0 <= least <= mean <= most <= 100)
        self.assertLessEqual({0, 100}, {float(match[1]) for match in found})
        for rect in titles.values():
            self.assertEqual(rect.get("height"), "34")

    def test_scan(self):
        texts, titles = self.drawn("scan", "-i", "20")
        self.assertTrue([text for text in texts if ", scanned 20" in text])
        self.assertTrue([title for title in titles
                         if re.fullmatch(r"0x05.*: at 1 in 30\.0\d\d % of its clocks", title)])
        self.assertTrue([title for title in titles if title.endswith(": always 0")])

    def test_map(self):
        """A square for each wire, in rows of 16, with the legend's colour; frames for what moved."""
        self.script[1:] = ["signal 0 5 0.3 0.35", "signal 0 9 0 1", "signal 0 64 1"]
        _, titles = self.drawn("scan", "--", "true", env={"FAKE_CHIP": "NV10"})
        wires = {int(title[:4], 16): (title, element) for title, element in titles.items()}
        self.assertEqual(sorted(wires), list(range(0xa0)))
        left, top, *_ = self.square(wires[0][1])
        right, lower = self.square(wires[1][1])[0], self.square(wires[16][1])[1]
        legend = {text.text: rect.get("fill") for rect, text in zip(self.root, self.root[1:])
                  if (rect.tag, text.tag) == (f"{SVG}rect", f"{SVG}text")}
        legend["moved by the counting"] = legend["unknown"]
        for n, (title, element) in wires.items():
            x, y, end, bottom = self.square(element)
            self.assertEqual((x, y), (left + n % 16 * (right - left),
                                      top + n // 16 * (lower - top)))
            self.assertTrue(end < x + right - left and bottom < y + lower - top, "squares overlap")
            fill = legend.get(title.partition(": ")[2], "#85c799")   # of a share of 0.3
            self.assertEqual(element.get("fill"), fill, title)
            frame = legend["frame: changed by the command"] if n in (5, 9) else None
            self.assertEqual(element.get("stroke"), frame, title)
        places = {text.text: self.square(text) for text in self.root.iter(f"{SVG}text")}
        for n in range(16):
            x, _, end, _ = self.square(wires[n][1])
            self.assertTrue(x < places[f"{n:x}"][0] < end and places[f"{n:x}"][1] < top)
        for n in range(0, 0xa0, 16):
            x, y, _, bottom = self.square(wires[n][1])
            self.assertTrue(places[f"0x{n:02x}"][0] < x and y < places[f"0x{n:02x}"][1] < bottom)

    def test_foreign_names(self):
        """A file's name may have any bytes but one; the letters of a locale stay."""
        self.record("-t", "10")
        for name, locale, shown in (
                (b"a<b>&\"'", "C", "a<b>&\"'"), (b"a]]><!--&#0;", "C", "a]]><!--&#0;"),
                (b"\xc3\xa4\xe2\x82\xac", "C.UTF-8", "\u00e4\u20ac"),
                (b"\xff\xc3\xa4\n\x1b[1m\x01", "C.UTF-8", "?\u00e4??[1m?"),
                # no characters of XML
                (b"\xed\xa0\x80\xef\xbf\xbf", "C.UTF-8", "??????"),
                (b"\xc3\xa4", "C", "??")):
            with self.subTest(name=name):
                shutil.copy(self.folder / "f", os.fsencode(self.folder) + b"/" + name)
                texts, _ = self.drawn("report", name, "-o", "/dev/null", env={"LC_ALL": locale})
                self.assertEqual(texts[0].rpartition(", recorded ")[0], shown)

    def test_no_png(self):
        """No SVG gets the name of another format; it is said before the work."""
        for verb in ("report", "scan"):
            done = self.run_program(verb, "-p", "x.png")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "pcounter: x.png: pictures are SVG; rsvg-convert makes "
                                          "a PNG of one\n")
            self.assertFalse((self.folder / "x.png").exists())


if __name__ == "__main__":
    unittest.main()
