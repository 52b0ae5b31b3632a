# SPDX-License-Identifier: GPL-2.0-only
"""The guest's part of scripts/demo.sh: compare perf's numbers with the scenario's.

usage: python3 demo.py SCENARIO
"""

import re
import shlex
import subprocess
import sys
from fractions import Fraction

COUNT = re.compile(r"(?:\s+[\d.]+)?\s+([\d,]+)\s+(pcounter\S+/)")


def duties(path):
    """Return the share of cycles in which each signal of domain 1 is 1."""
    found = {}
    with open(path, encoding="ascii") as stream:
        for line in stream:
            words = line.split()
            if words[:2] == ["signal", "1"] and words[3] == "duty":
                found[int(words[2], 0)] = Fraction(words[4])
    return found


def show(*command):
    """Run a command like a user; return its output."""
    print(f"\n$ {shlex.join(command)}", flush=True)
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in done.stdout.splitlines():
        if line.strip() and "Performance counter stats" not in line:
            print(line.rstrip(), flush=True)
    if done.returncode:
        sys.exit(f"demo: perf failed ({done.returncode})")
    return done.stdout


def rows(events, seconds, *options):
    """Return events with their counts, in the order of perf."""
    text = show("perf", "stat", *options, "-e", events, "--", "sleep", str(seconds))
    found = filter(None, map(COUNT.match, text.splitlines()))
    return [(row[2], int(row[1].replace(",", ""))) for row in found]


def stat(events, seconds, *options):
    """Return counts by event; with -I their sums."""
    counts = {}
    for event, count in rows(events, seconds, *options):
        counts[event] = counts.get(event, 0) + count
    return counts


class Table:
    """perf's counts, next to the scenario's."""

    def __init__(self):
        self.rows = []

    def add(self, what, counts, event, duty, tolerance):
        """tolerance: in cycles, or in percentage points if it is a Fraction."""
        events, cycles = counts.get(event, -1), counts.get("pcounter_0/dom=1,clk/", 0)
        if isinstance(tolerance, Fraction):
            tolerance *= cycles
        right = cycles > 0 and abs(events - cycles * duty) <= tolerance
        share = 100 * events / cycles if cycles else float("nan")
        self.rows.append((what, f"{share:.3f} %", f"{float(100 * duty):.3f} %",
                          "ok" if right else "WRONG"))

    def print(self):
        print(f"\n{'of the cycles of domain 1':<36}{'perf':>10}{'scenario':>12}")
        for what, share, duty, verdict in self.rows:
            print(f"{what:<36}{share:>10}{duty:>12}  {verdict}")
        return all(row[-1] == "ok" for row in self.rows)


def main():
    duty = duties(sys.argv[1])
    table = Table()
    clk = "pcounter_0/dom=1,clk/"
    one = "pcounter_0/dom=1,sig=0xc8/"
    both = "pcounter_0/dom=1,op=0x8888,sig=0x10,sig1=0x11/"
    six = {sig: f"pcounter_0/dom=1,sig={sig:#x}/" for sig in range(0x20, 0x26)}

    show("perf", "list", "pcounter_0/p[bg]*")

    # one latch serves a group: exact to one period of the signal
    table.add("sig=0xc8", stat(f"{{{one},{clk}}}", 1), one,
              duty[0xc8], duty[0xc8].denominator)

    # the periods have no common divisor, so the shares multiply
    table.add("sig=0x10 AND sig1=0x11", stat(f"{{{both},{clk}}}", 1), both,
              duty[0x10] * duty[0x11], (duty[0x10] * duty[0x11]).denominator)

    # each signal beside the clock of its own turns: a busy host stretches some of them, but a
    # turn has many periods of a signal
    groups = iter(rows(",".join(f"{{{event},{clk}}}" for event in six.values()), 2))
    for (sig, event), *group in zip(six.items(), groups, groups):
        table.add(f"sig={sig:#x}, one of six in turn", dict(group), event, duty[sig],
                  Fraction(1, 100))

    table.add("sig=0xc8, sum of the intervals", stat(f"{{{one},{clk}}}", 1, "-I", "200"), one,
              duty[0xc8], duty[0xc8].denominator)

    right = table.print()
    print(f"\nPASS: perf counted what the scenario says ({len(table.rows)} comparisons)" if right
          else "\nFAIL: perf counted something else than the scenario says")
    sys.exit(0 if right else 1)


main()
