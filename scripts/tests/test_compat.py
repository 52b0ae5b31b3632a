# SPDX-License-Identifier: GPL-2.0-only
"""compat.h refuses kernels without the driver's requirements, each in one line."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / "drivers/gpu/pcounter/compat.h"
# like Debian's kernels, and one that is never preempted
GOOD = ("CONFIG_PERF_EVENTS", "CONFIG_EVENT_TRACING", "CONFIG_PREEMPTION", "CONFIG_TASKS_RCU")
CALM = ("CONFIG_PERF_EVENTS", "CONFIG_EVENT_TRACING")


def errors(config):
    """Return the preprocessor's errors for the header under a generated configuration."""
    with tempfile.TemporaryDirectory(prefix="pcounter-") as tmp:
        for name in re.findall(r"#include <(.*)>", HEADER.read_text(encoding="ascii")):
            path = Path(tmp) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        defines = [f"-D{name}" for name in (*config, "PCOUNTER_HAVE_PMU_CPU_CONTEXT")]
        done = subprocess.run(["gcc", "-E", "-nostdinc", "-I", tmp, *defines, str(HEADER)],
                              check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
    return re.findall(r"error: #error \"(.*)\"", done.stderr)


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


if __name__ == "__main__":
    unittest.main()
