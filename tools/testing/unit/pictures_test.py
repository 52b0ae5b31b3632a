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
    """Drawings of a capture."""

    def setUp(self):
        super().setUp()
        self.script += ["square 1 18 10"]

    def drawn(self, *args, picture="x.svg", **kwargs):
        """Return the texts of a picture, and the titles with their elements."""
        done = self.run_program(args[0], "-p", picture, *args[1:], **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(picture, done.stderr)
        root = xml.etree.ElementTree.parse(self.folder / picture).getroot()
        self.assertEqual(root.tag, f"{SVG}svg")
        titles = {rect.find(f"{SVG}title").text: rect for rect in root.iter(f"{SVG}rect")
                  if rect.find(f"{SVG}title") is not None}
        return [element.text for element in root.iter(f"{SVG}text")], titles

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
        done = self.run_program("report", "-p", "x.png")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "pcounter: x.png: pictures are SVG; rsvg-convert makes "
                                      "a PNG of one\n")
        self.assertFalse((self.folder / "x.png").exists())


if __name__ == "__main__":
    unittest.main()
