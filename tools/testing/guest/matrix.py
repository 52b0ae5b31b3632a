# SPDX-License-Identifier: GPL-2.0-only
"""Which guests there are, and which cases run in each of them."""

import contextlib
import importlib
import pathlib
import sys
import types
import typing
import unittest.mock

CASES = pathlib.Path(__file__).resolve().parent / "cases"

# What checkers see most of.
CHECKED_WORDS = ("record:", "nested:", "power:", "hostile:", "life:", "fuzz:", "fault:",
                 "unload:", "attack:", "bpf:", "irqsoff:", "cpu:")
# What could leave memory behind, and above all where not all of it was to be had.
LEAKING_WORDS = ("aux:", "record: perf script", "life:", "fails:", "leaks:")
# Races need more than one who does something.
RACING_WORDS = ("checker:", "record:", "aux:", "life:", "fuzz:", "power:", "hostile:", "attack:",
                 "cpu:")
# What goes through perf, power management, PCI and the DMA layer, which other kernels
# have in other versions; what is between the driver and the registers they do not see.
KERNEL_WORDS = ("attack:", "aux:", "bpf:", "cost: a group", "cost: an idle", "count:", "fault:",
                "fuzz:", "hostile:", "idle:", "life:", "names: every one opens", "names: perf",
                "nested:", "power:", "read:", "record:", "refused:", "rights:", "sim: counts",
                "tools:", "unload:")
# On another way to the registers what differs is what is done to those.
OTHER_WAY_WORDS = ("bucket:", "cost:", "count:", "doctor:", "events:", "fault:", "features:", "hostile:",
                   "idle:", "module:", "mux:", "names:", "power:", "read:", "record:", "refused:",
                   "selftest:", "unload:", "vgpu:")
# Of a chip whose registers are those of a neighbour: what rests on its tables.
TABLE_WORDS = ("count:", "events:", "features:", "idle:", "mux:", "names:", "record:")
# GT215 has PDAEMON besides.
PDAEMON_WORDS = TABLE_WORDS + ("cost:", "hostile: idle", "power:", "selftest:")
# Of two GPUs: what tells one from the other, and what all of them share.
TWO_GPU_WORDS = ("aux:", "count:", "doctor:", "life:", "names: every one opens", "tool:", "unload:",
                 "user:")
# The longest cases of all: once is enough, on the kernel of the distribution.
LONG_WORDS = ("aux: a minute", "owner: a driver comes and goes", "record: a GPU that lies",
              "tool: scan -- COMMAND", "tool: scan counts twelve")
# What draws lots finds most where it runs most: on several kernels, and in "make soak".
RANDOM_WORDS = ("bpf: programs everywhere", "fuzz:", "hostile: any value on any read, while the module",
                "life: rounds", "selftest: killed at any time", "sim: of packets that come too fast",
                "tool: explain's verdict")
# What unit tests and KUnit suites have in its parts.
LOWER_WORDS = ("names: a name counts its wire", "record: every fault code")
# What people's programs make of a capture, whichever the kernel.
CAPTURE_WORDS = ("aux: pcounter record beside", "aux: pcounter record tells",
                 "aux: pcounter record without", "record: perf record -c",
                 "record: perf's default", "record: perf script")
# Only "make check-all" has time for these, and only on what differs most.
LATER_WORDS = LONG_WORDS + RANDOM_WORDS + LOWER_WORDS


class Boot(typing.NamedTuple):
    """One boot: a kernel and what it is told, the GPUs, which cases and which not.

    part: what tells it from others of the same kernel and GPUs.
    """

    line: str
    chips: tuple
    words: tuple = ()
    append: str = ""
    but: tuple = ()
    part: str = ""

    @property
    def name(self):
        return " ".join(filter(None, (self.line, "+".join(self.chips), self.append, self.part)))


# The longest come first.
MATRIX = (
    Boot("kcsan", ("g84",), RACING_WORDS,
         but=LONG_WORDS + LOWER_WORDS + CAPTURE_WORDS + ("hostile: any value on any read, while the",)),
    # who keeps count of all memory takes half of a guest's time
    Boot("debug", ("g84",), CHECKED_WORDS, "kmemleak=off",
         but=LONG_WORDS[:1] + LOWER_WORDS + CAPTURE_WORDS + ("life: rounds",)),
    Boot("6.12", ("g84",)),
    # Captures are copied from where the GPU was allowed to write; rings never are.
    Boot("debug", ("g84",), LEAKING_WORDS, "swiotlb=force",
         but=LONG_WORDS + CAPTURE_WORDS[:3]),
    Boot("6.1", ("g84",), KERNEL_WORDS, but=LATER_WORDS + CAPTURE_WORDS),
    Boot("6.12", ("gt215",), PDAEMON_WORDS, but=LATER_WORDS),
    # what is used after it is freed shows at once
    Boot("newest", ("g84",), KERNEL_WORDS, "slab_debug=FP", but=LATER_WORDS + CAPTURE_WORDS),
    Boot("6.12", ("g84", "gt215"), TWO_GPU_WORDS, but=RANDOM_WORDS),
    Boot("6.12", ("nv40",), OTHER_WAY_WORDS + ("attack:",), but=LATER_WORDS),
    Boot("6.12", ("g92",), TABLE_WORDS, but=LATER_WORDS),
    Boot("6.12", ("gf100", "gk104")),
    Boot("6.12", ("g80",), TABLE_WORDS, but=LATER_WORDS),
    Boot("6.1", ("nv20", "gf100"), ("idle:", "names: every one opens", "cards: a base")),
    Boot("6.12", ("nv10", "nv15", "nv20", "nv31")),
    # There is no way back from it.
    Boot("6.12", ("gt215",), ("selftest: under lockdown",), "lsm=lockdown"),
)

# A minute and more where there are two GPUs with dozens of domains.
MANY_DOMAINS_WORDS = ("selftest: what is known is counted on every GPU", "selftest: a GPC that is",
                      "page: its examples")
# Half of the time of "make check", for what unit tests say in seconds (of every chip, of
# the whole program, of each experiment), or for one more of a kind that others stand for.
SLOWER_WORDS = ("aux: pcounter record tells that", "capture: ended", "capture: the PMU's",
                "capture: the system", "cost: an interval of pcounter top for", "doctor:",
                "events: perf stat, pcounter top", "features: counts are right",
                "idle: one event more", "names: every one opens",
                "owner: loading and unloading leave", "record: a channel in video memory",
                "record: an overrun on purpose", "record: perf script prints",
                "record: perf's default frequency", "selftest: a GPU that is unplugged during",
                "selftest: experiments contradict", "selftest: packets, position",
                "selftest: what differs", "tool: manual pages", "tool: scan draws a map",
                "tool: wrong usage", "user: README's commands")
QUICK_WORDS = LATER_WORDS + SLOWER_WORDS
# Those that wait for the clock of a GPU more than they compute, half of G84's time.
WAITING_WORDS = ("selftest:", "events:", "capture:", "tool:", "owner:", "record:")

# What other guests of "make check" have as well, and which takes longer here.
WAITING_BUT = ("module: perf list", "selftest: what is known")
NV40_BUT = ("hostile: any value", "module: perf list", "power:")

# "make check": one of each way to the registers, on the kernel of the distribution. The
# cases of G84 are shared by two guests, which run side by side.
QUICK = (
    Boot("6.12", ("g84",), WAITING_WORDS, but=QUICK_WORDS + WAITING_BUT, part="waiting"),
    Boot("6.12", ("g84",), but=QUICK_WORDS + WAITING_WORDS),
    Boot("6.12", ("nv40",), OTHER_WAY_WORDS, but=QUICK_WORDS + NV40_BUT),
    Boot("6.12", ("gf100", "gk104"), but=QUICK_WORDS + MANY_DOMAINS_WORDS),
)

# "make soak": what can go on for long, and those are all cases of that kind.
SOAK_LINES = ("debug", "kcsan")
SOAK_WORDS = ["life: rounds", "fuzz: system", "fuzz: the same", "fuzz: groups",
              "hostile: any value on any read, while ev", "fails: allocations", "aux: areas come",
              "attack: nothing", "attack: packets", "bpf: programs everywhere",
              "cpu: events count"]

# What a case may ask of the kernel that it runs in.
CPU1 = "/sys/devices/system/cpu/cpu1/online"
FILES = {"debug": ("kmemleak", "failslab"), "kcsan": ("kcsan", "failslab")}


@contextlib.contextmanager
def pretended(line, append):
    """Conditions of cases that look at the kernel see that of a line, and its command line."""
    files = [f"/sys/kernel/debug/{name}" for name in FILES.get(line, ())] + [CPU1]
    kernel = types.SimpleNamespace(release=line)
    with unittest.mock.patch("pathlib.Path.exists", lambda path: str(path) in files), \
            unittest.mock.patch("os.uname", lambda: kernel), \
            unittest.mock.patch("selftest.booted_with", lambda word: word in append):
        yield


def support():
    """The module of that name, with all cases in it."""
    if str(CASES) not in sys.path:
        sys.path.insert(0, str(CASES))
    for path in sorted(CASES.glob("[a-z]*.py")):
        importlib.import_module(path.stem)
    return importlib.import_module("support")


def all_cases():
    """Names of all cases."""
    return [name for name, *_ in support().CASES]


def cases_of(row):
    """Names of the cases that run in a boot."""
    known = support()
    gpus = [types.SimpleNamespace(number=number, chip=known.CHIPS[name])
            for number, name in enumerate(row.chips)]
    lab = types.SimpleNamespace(gpus=gpus, gpu=gpus[0], chip=gpus[0].chip)
    with pretended(row.line, row.append):
        return [name for name, _ in known.chosen(lab, row.words, row.but)]
