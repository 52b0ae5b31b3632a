#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Count the test cases in TAP and KTAP output.

usage: tap.py FILE    print "PASSED FAILED", and the failures on stderr

The innermost results count, and a suite's own result only if it failed although all
its cases passed. A skipped case tested nothing and a missing one may have crashed, so
both count as failed.
"""

import re
import sys

LINE = re.compile(r"(?P<indent> *)(?:(?P<head>K?TAP version \d+)|1\.\.(?P<plan>\d+)|"
                  r"(?P<result>ok|not ok)\b *\d* *-? *(?P<name>.*)|(?P<bail>Bail out!.*))")
SKIP = re.compile(r"# *skip", re.IGNORECASE)


class Block:
    """The results at one indentation, under one plan."""

    def __init__(self, indent, failed):
        self.indent = indent
        self.plan = None
        self.results = 0
        self.failed_before = failed


class Tally:
    """Counts while it is fed lines."""

    def __init__(self):
        self.passed = 0
        self.complaints = []
        self.blocks = []

    @property
    def failed(self):
        return len(self.complaints)

    def close(self, indent):
        """End the blocks with a larger indentation; return the outermost of them."""
        block = None
        while self.blocks and self.blocks[-1].indent > indent:
            block = self.blocks.pop()
            # KUnit prints no plan for the parameters of a case
            if block.plan is None and not block.indent:
                self.complaints.append("no plan: a test program that did not get far")
            elif block.plan not in (None, block.results):
                self.complaints.append(f"{block.results} results where {block.plan} were planned")
        return block

    def open(self, indent, new=False):
        """Return the block at an indentation. With NEW another program's output begins there."""
        inner = self.close(indent - new)
        if not self.blocks or self.blocks[-1].indent < indent:
            self.blocks.append(Block(indent, self.failed))
        return self.blocks[-1], inner

    def result(self, indent, good, name):
        block, inner = self.open(indent)
        block.results += 1
        if inner and inner.results:
            if not good and self.failed == inner.failed_before:
                self.complaints.append(f"not ok: {name}")
        elif good and not SKIP.search(name):
            self.passed += 1
        else:
            self.complaints.append(f"{'skipped' if good else 'not ok'}: {name}")

    def feed(self, line):
        found = LINE.match(line)
        if not found:
            return
        indent = len(found["indent"])
        block = next((block for block in self.blocks if block.indent == indent), None)
        if found["head"]:
            self.open(indent, bool(block and (block.plan is not None or block.results)))
        elif found["plan"]:
            block, _ = self.open(indent, bool(block and block.plan is not None))
            block.plan = int(found["plan"])
        elif found["result"]:
            self.result(indent, found["result"] == "ok", found["name"])
        else:
            self.complaints.append(found["bail"])


def count(lines):
    tally = Tally()
    for line in lines:
        tally.feed(line.rstrip("\r\n"))
    tally.close(-1)
    if not tally.passed and not tally.failed:
        tally.complaints.append("no test ran")
    return tally


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: tap.py FILE")
    with open(sys.argv[1], encoding="utf-8", errors="replace") as stream:
        tally = count(stream)
    for complaint in tally.complaints:
        print(f"# {complaint}", file=sys.stderr)
    print(tally.passed, tally.failed)


if __name__ == "__main__":
    main()
