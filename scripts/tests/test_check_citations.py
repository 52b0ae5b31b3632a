# SPDX-License-Identifier: GPL-2.0-only
"""check-citations.py must find citations that lead nowhere."""

import pathlib
import tempfile
import unittest

import load

citations = load.script("check-citations")

PAGE = """.. _pcounter-hw-modes:

Modes
=====

.. _pcounter-hw-modes-quad:
.. _pcounter-hw-modes-quad-swap:

Quad mode
=========
"""


class Citations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.write("Documentation/gpu/pcounter/modes.rst", PAGE)

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, text, *complaints, cited=1, name="drivers/a.c"):
        self.write(name, text)
        self.assertEqual(citations.check(self.top), (list(complaints), cited))

    def test_names_of_the_driver(self):
        self.write("drivers/gpu/pcounter/perf/pmu.c", "static void pcounter_timer(void)\n{\n}\n")
        self.write("Documentation/gpu/pcounter/internals.rst",
                   "``perf/pmu.c`` ``pcounter_timer()`` ``perf/none.c`` ``nothing()``\n")
        where = "Documentation/gpu/pcounter/internals.rst"
        self.assertEqual(citations.check(self.top)[0],
                         [f"{where}: there is no perf/none.c", f"{where}: there is no nothing()"])

    def test_section(self):
        self.check("/* hw:modes/quad, hw:modes/quad-swap. */", cited=2)

    def test_page(self):
        self.check("/* a page (hw:modes) */")

    def test_no_section(self):
        self.check("\n/* hw:modes/record */", "drivers/a.c:2: hw:modes/record leads nowhere")

    def test_no_page(self):
        self.check("/* hw:registers/quad */", "drivers/a.c:1: hw:registers/quad leads nowhere")

    def test_prefix_is_not_enough(self):
        self.check("/* hw:modes/qua */", "drivers/a.c:1: hw:modes/qua leads nowhere")

    def test_every_citation_of_a_line(self):
        self.check("hw:modes/x and hw:modes/y", "a.csv:1: hw:modes/x leads nowhere",
                   "a.csv:1: hw:modes/y leads nowhere", cited=2, name="a.csv")

    def test_reference(self):
        self.check(":ref:`pcounter-hw-modes-quad`, :ref:`this <pcounter-hw-modes>`",
                   cited=2, name="Documentation/b.rst")

    def test_reference_leads_nowhere(self):
        self.check(":ref:`that <pcounter-hw-modes-record>`",
                   "Documentation/b.rst:1: pcounter-hw-modes-record leads nowhere",
                   name="Documentation/b.rst")

    def test_label_of_another_page(self):
        self.write("Documentation/gpu/pcounter/idle.rst", ".. _pcounter-hw-modes-idle:\n")
        self.check("hw:modes", "Documentation/gpu/pcounter/idle.rst:1: label "
                   "pcounter-hw-modes-idle does not begin with pcounter-hw-idle")

    def test_label_twice(self):
        self.write("Documentation/gpu/pcounter/modes.rst", PAGE + ".. _pcounter-hw-modes:\n")
        self.check("hw:modes", "Documentation/gpu/pcounter/modes.rst:11: label "
                   "pcounter-hw-modes is at Documentation/gpu/pcounter/modes.rst:1, too")

    def test_builds_are_not_checked(self):
        self.write("build/x.c", "hw:nowhere")
        self.check("hw:modes")

    def test_kernel_doc_is_no_citation(self):
        self.check(" * @hw: registers as they are now\n * hw:modes")


if __name__ == "__main__":
    unittest.main()
