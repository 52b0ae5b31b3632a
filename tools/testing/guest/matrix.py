# SPDX-License-Identifier: GPL-2.0-only
"""The list of guests, and the cases of each."""

import contextlib
import importlib
import pathlib
import sys
import types
import typing
import unittest.mock

CASES = pathlib.Path(__file__).resolve().parent / "cases"

# What only some guests of "make check-all" run.
RARE = ("minutes", "random")


class Boot(typing.NamedTuple):
    """One boot: a kernel and its parameters, the GPUs, and attributes of cases.

    need: a case has one of these, if there are any; but: a case has none of these.
    part: distinguishes boots with the same kernel and GPUs.
    """

    line: str
    chips: tuple
    need: tuple = ()
    append: str = ""
    but: tuple = ()
    part: str = ""

    @property
    def name(self):
        return " ".join(filter(None, (self.line, "+".join(self.chips), self.append, self.part)))


# The longest come first.
MATRIX = (
    # tracking all memory takes half of a guest's time
    Boot("debug", ("g84",), ("checked",), "kmemleak=off",
         but=("captures", "slow-on-debug")),
    Boot("6.12", ("g84",)),
    # The DMA layer copies captures from bounce buffers; it never copies rings.
    Boot("debug", ("g84",), ("memory",), "swiotlb=force", but=("minutes", "captures")),
    Boot("6.1", ("g84",), ("kernel",), but=(*RARE, "captures")),
    Boot("6.12", ("gt215",), ("tables", "pdaemon"), but=RARE),
    # a use after free shows at once
    Boot("newest", ("g84",), ("kernel",), "slab_debug=FP", but=(*RARE, "captures")),
    Boot("6.12", ("g84", "gt215"), ("two",), but=("random",)),
    Boot("6.12", ("nv40",), ("registers",), but=RARE),
    Boot("6.12", ("g92",), ("tables",), but=RARE),
    Boot("6.12", ("gf100", "gk104")),
    Boot("6.12", ("g80",), ("tables",), but=RARE),
    Boot("6.1", ("nv20", "gf100"), ("layouts",)),
    Boot("6.12", ("nv10", "nv15", "nv20", "nv31")),
    # With nohz_full=0 the kernel itself complains of the missing tick (seen in 6.12.117).
    Boot("6.12", ("g84",), ("isolcpus",), "isolcpus=0"),
    # Lockdown cannot be undone.
    Boot("6.12", ("gt215",), ("lockdown",), "lsm=lockdown"),
)

# "make soak": the kernel takes long to build, and is slow.
LONG = (
    Boot("kcsan", ("g84",), ("races",), but=("minutes", "captures", "slow-on-kcsan")),
)

# "make check": one guest for each way to the registers, on the kernel of the
# distribution. Two guests, which run in parallel, share the cases of G84.
QUICK_BUT = (*RARE, "slow")
QUICK = (
    Boot("6.12", ("g84",), ("waits",), but=(*QUICK_BUT, "once", "many"), part="waiting"),
    Boot("6.12", ("g84",), but=(*QUICK_BUT, "waits")),
    Boot("6.12", ("nv40",), ("registers",), but=(*QUICK_BUT, "once")),
    Boot("6.12", ("gf100", "gk104"), but=(*QUICK_BUT, "many")),
)

# "make soak": all cases that can run for any time.
SOAK_LINES = ("debug", "kcsan")

# Conditions of cases on the kernel that they run in.
CPU1 = "/sys/devices/system/cpu/cpu1/online"
FILES = {"debug": ("kmemleak", "failslab"), "kcsan": ("kcsan", "failslab")}


@contextlib.contextmanager
def pretended(line, append):
    """Let conditions of cases see the kernel of a line, and its command line."""
    files = [f"/sys/kernel/debug/{name}" for name in FILES.get(line, ())] + [CPU1]
    kernel = types.SimpleNamespace(release=line)
    with unittest.mock.patch("pathlib.Path.exists", lambda path: str(path) in files), \
            unittest.mock.patch("os.uname", lambda: kernel), \
            unittest.mock.patch("selftest.booted_with", lambda word: word in append), \
            unittest.mock.patch("cpu.booted_with", lambda word: word in append):
        yield


def support():
    """Return the module named support, with all cases in it."""
    if str(CASES) not in sys.path:
        sys.path[:0] = [str(CASES), str(CASES.parent / "lib")]
    for path in sorted(CASES.glob("[a-z]*.py")):
        importlib.import_module(path.stem)
    return importlib.import_module("support")


def all_cases():
    """Return the names of all cases."""
    return [case.name for case in support().CASES]


def soak_cases():
    """Return the names of the cases that can run for any time."""
    return [case.name for case in support().CASES if "soak" in case.about]


def lost_attributes():
    """Return the attributes that only cases have, or only boots."""
    known = support()
    asked = {"first", "soak"}.union(*(row.need + row.but for row in MATRIX + LONG + QUICK))
    return asked ^ set().union(*(case.about for case in known.CASES)) | \
        known.ATTRIBUTES.keys() - asked


def cases_of(row):
    """Return the names of the cases of a boot."""
    known = support()
    gpus = [types.SimpleNamespace(number=number, chip=known.CHIPS[name])
            for number, name in enumerate(row.chips)]
    lab = types.SimpleNamespace(gpus=gpus, gpu=gpus[0], chip=gpus[0].chip)
    with pretended(row.line, row.append):
        return [case.name for case in known.chosen(lab, (), row.need, row.but)]
