# SPDX-License-Identifier: GPL-2.0-only
"""tap.py must never count anything but a pass as passed."""

import unittest

import load

tap = load.script("tap")


class Count(unittest.TestCase):
    def check(self, text, passed, failed):
        tally = tap.count(text.splitlines())
        self.assertEqual((tally.passed, tally.failed), (passed, failed),
                         tally.complaints)

    def test_plain(self):
        self.check("1..2\nok 1 - a\nnot ok 2 - b\n", 1, 1)

    def test_noise_and_diagnostics(self):
        self.check("make: entering\n1..1\n# ok 5 - no\nokay\nok 1 - a\n", 1, 0)

    def test_plan_at_the_end(self):
        self.check("ok 1 - a\nok 2 - b\n1..2\n", 2, 0)

    def test_nothing(self):
        self.check("", 0, 1)

    def test_empty_plan(self):
        self.check("KTAP version 1\n1..0\n", 0, 1)

    def test_crash_after_some(self):
        self.check("1..3\nok 1 - a\nok 2 - b\n", 2, 1)

    def test_more_than_planned(self):
        self.check("1..1\nok 1 - a\nok 2 - b\n", 2, 1)

    def test_no_plan(self):
        self.check("ok 1 - a\n", 1, 1)

    def test_skip_is_no_pass(self):
        self.check("1..2\nok 1 - a # SKIP no kernel\nok 2 - b #skip\n", 0, 2)

    def test_bail_out(self):
        self.check("1..1\nok 1 - a\nBail out! tired\n", 1, 1)

    def test_several_programs(self):
        self.check("1..1\nok 1 - a\n1..2\nok 1 - b\nok 2 - c\n", 3, 0)

    def test_several_programs_one_crashed(self):
        self.check("1..3\nok 1 - a\n1..2\nok 1 - b\nok 2 - c\n", 3, 1)

    def test_several_programs_with_heads(self):
        self.check("TAP version 13\nok 1 - a\n1..1\n"
                   "TAP version 13\nok 1 - b\n1..1\n", 2, 0)

    SUITE = ("KTAP version 1\n"
             "1..2\n"
             "    KTAP version 1\n"
             "    # Subtest: first\n"
             "    1..2\n"
             "    ok 1 a\n"
             "        KTAP version 1\n"
             "        # Subtest: b\n"
             "        ok 1 x\n"
             "        {} 2 y\n"
             "    {} 2 b\n"
             "# first: pass:2 fail:0 skip:0 total:2\n"
             "{} 1 first\n"
             "    KTAP version 1\n"
             "    # Subtest: second\n"
             "    1..1\n"
             "    ok 1 c\n"
             "{} 2 second\n")

    def test_kunit(self):
        self.check(self.SUITE.format("ok", "ok", "ok", "ok"), 4, 0)

    def test_kunit_failed_parameter_counts_once(self):
        self.check(self.SUITE.format("not ok", "not ok", "not ok", "ok"), 3, 1)

    def test_kunit_failed_suite_of_good_cases(self):
        self.check(self.SUITE.format("ok", "ok", "ok", "not ok"), 4, 1)

    def test_kunit_died_in_a_case(self):
        text = self.SUITE.format("ok", "ok", "ok", "ok")
        # Case b, its suite and the second suite never report.
        self.check(text[:text.index("    ok 2 b")], 3, 2)


if __name__ == "__main__":
    unittest.main()
