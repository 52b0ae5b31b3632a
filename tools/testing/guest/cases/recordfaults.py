# SPDX-License-Identifier: GPL-2.0-only
"""Record mode on a GPU that faults or lies."""

import contextlib

from packets import STATUS, frozen_and_clean, records, terms
from support import (ONE, Pmu, case, check, group, insmod, near, quiet, refused, rmmod, run, same,
                     text, wait_for)

ABOUT = "checked races kernel registers tables waits"

CLK = "record,dom=1,clk,periodic=1"
# hw:memory/faults
FAULTS = (0, 1, 2, 3, 4, 5, 6, 7, 0xb, 0xf)
GOOD = 7


@contextlib.contextmanager
def loaded(lab, *params):
    rmmod()
    insmod(lab.module, *params)
    try:
        yield
    finally:
        rmmod()
        insmod(lab.module)


def log_lines(word):
    return run("dmesg").stdout.count(word)


def one_after_another(gpu, codes):
    """Fault a domain with each code; each domain stops with its last right count, alone."""
    with contextlib.ExitStack() as stack:
        def opened(dom):
            gpu.signal(dom, 9, "const", 1)
            return stack.enter_context(group(Pmu(0), terms(dom, 9),
                                             f"record,dom={dom},clk,periodic=1"))
        good = opened(GOOD)
        good.enable()
        for dom, code in enumerate(codes):
            bad, lines = opened(dom), log_lines("must be reset")
            bad.enable()
            gpu("run", 10240)
            before, others = bad.read(), good.read()
            gpu("record", dom, "fault", code)
            gpu("run", 51200)
            wait_for(lambda told=dom: text(STATUS).count("must be reset") > told,
                     f"fault {code:#x} is not in the status", seconds=20)
            after = bad.read()
            same(after[0], after[1], f"fault {code:#x}: events and cycles")
            near(after[1], before[1], 2048, f"fault {code:#x}: cycles of the faulted domain")
            near(good.read()[1] - others[1], 51200, 2048, f"fault {code:#x}: cycles of another")
            bad.enable()
            same(bad.read(), after, f"fault {code:#x}: counts, enabled again")
            wait_for(lambda told=lines: log_lines("must be reset") > told,
                     f"fault {code:#x}: no line in the log")
            same(log_lines("must be reset"), lines + 1, f"fault {code:#x}: lines in the log")
    for dom in range(len(codes)):
        refused("EIO", Pmu(0), terms(dom, 9))


@case("record: every fault code ends one domain, with one line, and no other", records, about="lower")
def faults(lab):
    for codes in (FAULTS[:5], FAULTS[5:]):
        with loaded(lab), frozen_and_clean(lab.gpu):
            one_after_another(lab.gpu, codes)
            lab.gpu("record", "reset")
    quiet(lab.gpu)


LIES = (("shows", 0xffffffff), ("shows", 0x7fffff00), ("shows", 0x13), ("back", 64),
        ("back", 0x80000000), ("vanish", 40), ("rewrite", 40), ("stall", 100000),
        ("position", 0xffffff00))


@case("record: a GPU that lies about its packets gives no wrong count, and no endless work", records,
      about="minutes")
def lies(lab):
    gpu = lab.gpu
    gpu.signal(1, ONE, "const", 1)
    for what, value in LIES:
        # no timer reads a packet during its overwrite: half of it would be old
        with loaded(lab, "record_ring_kb=64", "record_poll_us=1000000"), frozen_and_clean(gpu):
            with group(Pmu(0), terms(1, ONE), CLK) as leader:
                leader.enable()
                gpu("run", 10240)
                gpu("record", 1, what, value)
                for _ in range(20):
                    gpu("run", 5120)
                    leader.read()
                events, clocks = leader.read()
                check(events <= clocks <= 10240 + 20 * 5120 + 2048,
                      f"{what} {value:#x}: {events} events in {clocks} cycles")
                gpu("record", 1, "honest")
            gpu("record", "reset")
    quiet(gpu)
