#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Count the test cases in TAP and KTAP output.

usage: tap.py FILE    prints "PASSED FAILED"; says on stderr what failed

Counted are the innermost results: a suite's own line only if it fails although
all its cases passed. A skipped case tested nothing and a missing one may have
crashed, so both count as failed.
"""

import re
import sys

LINE = re.compile(r"(?P<indent> *)(?:"
                  r"(?P<head>K?TAP version \d+)|"
                  r"1\.\.(?P<plan>\d+)|"
                  r"(?P<result>ok|not ok)\b *(?P<number>\d+)? *-? *(?P<name>.*)|"
                  r"(?P<bail>Bail out!.*)"
                  r")")
SKIP = re.compile(r"# *skip", re.IGNORECASE)


class Block:
    """The results that stand at one indentation, under one plan."""

    def __init__(self, indent):
        self.indent = indent
        self.plan = None
        self.results = 0
        self.failed_before = 0


class Tally:
    """Counts while it is fed lines."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.complaints = []
        self.blocks = []

    def fail(self, reason):
        self.failed += 1
        self.complaints.append(reason)

    def open(self, indent):
        """The block at an indentation; those further in are closed."""
        while self.blocks and self.blocks[-1].indent > indent:
            self.close()
        if not self.blocks or self.blocks[-1].indent < indent:
            block = Block(indent)
            block.failed_before = self.failed
            self.blocks.append(block)
        return self.blocks[-1]

    def close(self):
        block = self.blocks.pop()
        if block.plan is None:
            # KUnit plans nothing for the parameters of a case.
            if block.indent == 0:
                self.fail("no plan: a test program that did not get far")
        elif block.plan != block.results:
            self.fail(f"{block.results} results where {block.plan} were planned")
        return block

    def start(self, indent):
        """Another test program's output at the same indentation."""
        block = self.open(indent)
        if block.plan is not None or block.results:
            self.close()
            self.open(indent)

    def result(self, indent, good, name):
        inner = None
        while self.blocks and self.blocks[-1].indent > indent:
            inner = self.close()
        block = self.open(indent)
        block.results += 1
        if inner and inner.results:
            if not good and self.failed == inner.failed_before:
                self.fail(f"not ok: {name}")
        elif SKIP.search(name):
            self.fail(f"skipped: {name}")
        elif good:
            self.passed += 1
        else:
            self.fail(f"not ok: {name}")

    def feed(self, line):
        found = LINE.match(line)
        if not found:
            return
        indent = len(found["indent"])
        if found["head"]:
            self.start(indent)
        elif found["plan"]:
            block = self.open(indent)
            if block.plan is not None:
                self.start(indent)
                block = self.open(indent)
            block.plan = int(found["plan"])
        elif found["result"]:
            self.result(indent, found["result"] == "ok", found["name"])
        else:
            self.fail(found["bail"])

    def end(self):
        while self.blocks:
            self.close()
        if not self.passed and not self.failed:
            self.fail("no test ran")


def count(lines):
    tally = Tally()
    for line in lines:
        tally.feed(line.rstrip("\r\n"))
    tally.end()
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
