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

# Cases that exercise most of the code that checkers observe.
CHECKED_WORDS = ("record:", "nested:", "power:", "hostile:", "life:", "fuzz:", "fault:",
                 "unload:", "attack:", "bpf:", "irqsoff:", "cpu:")
# Cases that could leak memory, above all after a failed allocation.
LEAKING_WORDS = ("aux:", "record: perf script", "life:", "fails:", "leaks:")
# Races need more than one actor.
RACING_WORDS = ("checker:", "record:", "aux:", "life:", "fuzz:", "power:", "hostile:", "attack:",
                 "cpu:")
# Cases that use perf, power management, PCI and the DMA layer, which differ
# between kernels; the code between the driver and the registers does not.
KERNEL_WORDS = ("attack:", "aux:", "bpf:", "cost: a group", "cost: an idle", "count:", "fault:",
                "fuzz:", "hostile:", "idle:", "life:", "names: every one opens", "names: perf",
                "nested:", "power:", "read:", "record:", "refused:", "rights:", "sim: counts",
                "tools:", "unload:")
# Cases that access registers, for another access path.
OTHER_WAY_WORDS = ("bucket:", "cost:", "count:", "doctor:", "events:", "fault:", "features:", "hostile:",
                   "idle:", "module:", "mux:", "names:", "power:", "read:", "record:", "refused:",
                   "selftest:", "unload:", "vgpu:")
# For a chip with a neighbour's registers: cases that depend on its tables.
TABLE_WORDS = ("count:", "events:", "features:", "idle:", "mux:", "names:", "record:")
# GT215 has PDAEMON and USER signals besides.
PDAEMON_WORDS = TABLE_WORDS + ("cost:", "hostile: idle", "page: its", "power:", "selftest:", "timeline:")
# For two GPUs: cases that distinguish GPUs, or use state that they share.
TWO_GPU_WORDS = ("aux:", "count:", "doctor:", "life:", "names: every one opens", "tool:", "unload:",
                 "user:")
# The longest cases: one run is enough, on the kernel of the distribution.
LONG_WORDS = ("aux: a minute", "owner: a driver comes and goes", "record: a GPU that lies",
              "tool: scan -- COMMAND")
# Random cases find most with many runs: on several kernels, and in "make soak".
RANDOM_WORDS = ("bpf: programs everywhere", "fuzz:", "hostile: any value on any read, while the module",
                "life: rounds", "selftest: killed at any time", "sim: of packets that come too fast",
                "tool: explain's verdict")
# Cases whose parts unit tests and KUnit suites cover.
LOWER_WORDS = ("names: a name counts its wire", "record: every fault code")
# Cases of user programs that read captures, independent of the kernel.
CAPTURE_WORDS = ("aux: pcounter record beside", "aux: pcounter record tells",
                 "aux: pcounter record without", "record: perf record -c",
                 "record: perf's default", "record: perf script")
# Cases for "make check-all" only, and only on the most different guests.
LATER_WORDS = LONG_WORDS + RANDOM_WORDS + LOWER_WORDS


class Boot(typing.NamedTuple):
    """One boot: a kernel and its parameters, the GPUs, included and excluded cases.

    part: distinguishes boots with the same kernel and GPUs.
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
    # tracking all memory takes half of a guest's time
    Boot("debug", ("g84",), CHECKED_WORDS, "kmemleak=off",
         but=LONG_WORDS[:1] + LOWER_WORDS + CAPTURE_WORDS + ("life: rounds",)),
    Boot("6.12", ("g84",)),
    # The DMA layer copies captures from bounce buffers; it never copies rings.
    Boot("debug", ("g84",), LEAKING_WORDS, "swiotlb=force",
         but=LONG_WORDS + CAPTURE_WORDS[:3]),
    Boot("6.1", ("g84",), KERNEL_WORDS, but=LATER_WORDS + CAPTURE_WORDS),
    Boot("6.12", ("gt215",), PDAEMON_WORDS, but=LATER_WORDS),
    # a use after free shows at once
    Boot("newest", ("g84",), KERNEL_WORDS, "slab_debug=FP", but=LATER_WORDS + CAPTURE_WORDS),
    Boot("6.12", ("g84", "gt215"), TWO_GPU_WORDS, but=RANDOM_WORDS),
    Boot("6.12", ("nv40",), OTHER_WAY_WORDS + ("attack:",), but=LATER_WORDS),
    Boot("6.12", ("g92",), TABLE_WORDS, but=LATER_WORDS),
    Boot("6.12", ("gf100", "gk104")),
    Boot("6.12", ("g80",), TABLE_WORDS, but=LATER_WORDS),
    Boot("6.1", ("nv20", "gf100"), ("idle:", "names: every one opens", "cards: a base")),
    Boot("6.12", ("nv10", "nv15", "nv20", "nv31")),
    # With nohz_full=0 the kernel itself complains of the missing tick (seen in 6.12.117).
    Boot("6.12", ("g84",), ("cpu: a housekeeping",), "isolcpus=0"),
    # Lockdown cannot be undone.
    Boot("6.12", ("gt215",), ("selftest: under lockdown",), "lsm=lockdown"),
)

# A minute and more with two GPUs with dozens of domains.
MANY_DOMAINS_WORDS = ("selftest: what is known is counted on every GPU", "selftest: a GPC that is",
                      "page: its examples")
# Half of the time of "make check", for results that unit tests give in seconds
# (of every chip, of the whole program, of each experiment), or for further
# cases of a kind that others represent.
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
# Cases that mostly wait for the clock of a GPU, half of G84's time.
WAITING_WORDS = ("selftest:", "events:", "capture:", "tool:", "owner:", "record:")

# Cases that other guests of "make check" run as well, and that take longer here.
WAITING_BUT = ("module: perf list", "selftest: what is known")
NV40_BUT = ("hostile: any value", "module: perf list", "power:")

# "make check": one guest for each way to the registers, on the kernel of the
# distribution. Two guests, which run in parallel, share the cases of G84.
QUICK = (
    Boot("6.12", ("g84",), WAITING_WORDS, but=QUICK_WORDS + WAITING_BUT, part="waiting"),
    Boot("6.12", ("g84",), but=QUICK_WORDS + WAITING_WORDS),
    Boot("6.12", ("nv40",), OTHER_WAY_WORDS, but=QUICK_WORDS + NV40_BUT),
    Boot("6.12", ("gf100", "gk104"), but=QUICK_WORDS + MANY_DOMAINS_WORDS),
)

# "make soak": all cases that can run for any time.
SOAK_LINES = ("debug", "kcsan")
SOAK_WORDS = ["life: rounds", "fuzz: system", "fuzz: the same", "fuzz: groups",
              "hostile: any value on any read, while ev", "fails: allocations", "aux: areas come",
              "attack: nothing", "attack: packets", "bpf: programs everywhere",
              "cpu: events count"]

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
        sys.path.insert(0, str(CASES))
    for path in sorted(CASES.glob("[a-z]*.py")):
        importlib.import_module(path.stem)
    return importlib.import_module("support")


def all_cases():
    """Return the names of all cases."""
    return [name for name, *_ in support().CASES]


def cases_of(row):
    """Return the names of the cases of a boot."""
    known = support()
    gpus = [types.SimpleNamespace(number=number, chip=known.CHIPS[name])
            for number, name in enumerate(row.chips)]
    lab = types.SimpleNamespace(gpus=gpus, gpu=gpus[0], chip=gpus[0].chip)
    with pretended(row.line, row.append):
        return [name for name, _ in known.chosen(lab, row.words, row.but)]
