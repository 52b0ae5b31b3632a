# SPDX-License-Identifier: GPL-2.0-only
"""compat.h refuses kernels without the driver's requirements, and knows both ways to sample."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / "drivers/gpu/pcounter/compat.h"
# like Debian's kernels, and one that is never preempted
GOOD = ("CONFIG_PERF_EVENTS", "CONFIG_EVENT_TRACING", "CONFIG_PREEMPTION", "CONFIG_TASKS_RCU")
CALM = ("CONFIG_PERF_EVENTS", "CONFIG_EVENT_TRACING")


def preprocess(config, text="", perf=""):
    """Preprocess the header, and then a text; perf is the text of linux/perf_event.h."""
    with tempfile.TemporaryDirectory(prefix="pcounter-") as tmp:
        for name in re.findall(r"#include <(.*)>", HEADER.read_text(encoding="ascii")):
            path = Path(tmp) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(perf if name == "linux/perf_event.h" else "", encoding="ascii")
        defines = [f"-D{name}" for name in (*config, "PCOUNTER_HAVE_PMU_CPU_CONTEXT")]
        return subprocess.run(["gcc", "-E", "-P", "-nostdinc", "-I", tmp, *defines, "-include",
                               str(HEADER), "-"],
                              input=text, check=False, capture_output=True, text=True)


def errors(config):
    """Return the preprocessor's errors for the header under a generated configuration."""
    return re.findall(r"error: #error \"(.*)\"", preprocess(config).stderr)


def capabilities(name, *have):
    """Return the capabilities with and without samples, of a kernel that knows one bit."""
    done = preprocess((*GOOD, *have), "PERF_PMU_CAP_SAMPLING PERF_PMU_CAP_NO_INTERRUPT\n",
                      f"#define {name} 0x0001\n")
    return done.stdout.splitlines()[-1].split()


class Refusals(unittest.TestCase):
    def refuses(self, config, word):
        found = errors(config)
        self.assertEqual(len(found), 1, found)
        self.assertIn(word, found[0])

    def without(self, name):
        return [other for other in GOOD if other != name]

    def test_good(self):
        self.assertEqual(errors(GOOD), [])
        self.assertEqual(errors(CALM), [])

    def test_preempt_rt(self):
        self.refuses([*GOOD, "CONFIG_PREEMPT_RT"], "PREEMPT_RT")

    def test_perf_events(self):
        self.refuses(self.without("CONFIG_PERF_EVENTS"), "PERF_EVENTS")

    def test_event_tracing(self):
        self.refuses(self.without("CONFIG_EVENT_TRACING"), "EVENT_TRACING")

    def test_tasks_rcu(self):
        self.refuses(self.without("CONFIG_TASKS_RCU"), "TASKS_RCU")


class Sampling(unittest.TestCase):
    """The same bit once means that a PMU has no samples, and once that it has some."""

    def test_no_interrupt(self):
        self.assertEqual(capabilities("PERF_PMU_CAP_NO_INTERRUPT"), ["0", "0x0001"])

    def test_sampling(self):
        self.assertEqual(capabilities("PERF_PMU_CAP_SAMPLING", "PCOUNTER_HAVE_PMU_CAP_SAMPLING"),
                         ["0x0001", "0"])


if __name__ == "__main__":
    unittest.main()
