# SPDX-License-Identifier: GPL-2.0-only
"""Unsupported events are refused at open, with the errno of perf's contract."""

import itertools
import os

from chips import G84, NV30
from support import (DISABLED, EXCLUDE_USER, EXCLUSIVE, Event, case, check, errno_name, group,
                     refused, run, same, wait_for)

ABOUT = "kernel registers"


@case("refused: a group of five different inputs on one domain, EINVAL")
def group_of_five(lab):
    members = [f"dom=1,sig={sig}" for sig in range(0x10, 0x15)]
    with group(lab.pmu, *members[:4], "dom=1,clk") as leader:
        refused("EINVAL", lab.pmu, members[4], leader=leader)
        # an event of the same counter, and one of another domain, still fit
        Event(lab.pmu, members[0], leader=leader).close()
        Event(lab.pmu, "dom=2,sig=0x10", leader=leader).close()


@case("refused: two modes in a group, EINVAL; groups of their own take turns",
      lambda lab: len(lab.gpus) == 1 and NV30 <= lab.chip.chipset and not lab.chip.sets)
def two_modes(lab):
    modes = ["quad", "single"] + (["record"] if lab.chip.chipset >= G84 else [])
    for first, second in itertools.permutations(modes, 2):
        for member in ("clk", f"sig={lab.chip.sig}"):
            with group(lab.pmu, f"dom=1,{first},clk", "dom=1,clk") as leader:
                refused("EINVAL", lab.pmu, f"dom=1,{second},{member}", leader=leader)
    with Event(lab.pmu, "dom=1,quad,clk") as quad, Event(lab.pmu, "dom=1,single,clk") as single:
        for event in (quad, single):
            event.enable()
        for event in (quad, single):
            wait_for(lambda event=event: event.read()[0] > 0, "a mode has no turn")


@case("refused: the same group by perf stat, with a message")
def group_by_perf(lab):
    done = run("perf", "stat", "-e",
               "{" + ",".join(f"pcounter_0/dom=1,sig={sig}/" for sig in range(0x10, 0x15)) + "}",
               "--", "true")
    check("<not supported>" in done.stdout or done.returncode, f"accepted: {done.stdout}")


@case("refused: an absent domain, an absent signal, EINVAL")
def absent(lab):
    for dom in range(lab.chip.domains, 16):
        refused("EINVAL", lab.pmu, f"dom={dom},sig=0")
        refused("EINVAL", lab.pmu, f"dom={dom},clk")
    if lab.chip.zero:
        dom, beyond = lab.chip.zero
        refused("EINVAL", lab.pmu, f"dom={dom},sig={beyond}")
        Event(lab.pmu, f"dom={dom},sig={beyond - 1}").close()


@case("refused: every reserved bit, EINVAL")
def reserved(lab):
    known = [0, 0, 0]
    for path in (lab.pmu.path / "format").iterdir():
        word, bits = path.read_text(encoding="ascii").strip().split(":")
        first, _, last = bits.partition("-")
        for bit in range(int(first), int(last or first) + 1):
            known[int(word.removeprefix("config") or 0)] |= 1 << bit
    tried = 0
    for word in range(3):
        for bit in range(64):
            if known[word] >> bit & 1:
                continue
            extra = [0, 0, 0]
            extra[word] = 1 << bit
            try:
                Event(lab.pmu, f"dom=1,sig={lab.chip.sig}", extra=extra).close()
            except OSError as error:
                # EOPNOTSUPP: a term of other chips or of a later driver
                check(errno_name(error) in ("EINVAL", "EOPNOTSUPP"),
                      f"bit {bit} of config{word}: {error}")
                tried += errno_name(error) == "EINVAL"
                continue
            check(False, f"bit {bit} of config{word} is accepted")
    check(tried, "there is no reserved bit")


@case("refused: per-task events, EINVAL")
def per_task(lab):
    for pid, cpu in ((0, -1), (0, 0), (os.getpid(), -1)):
        refused("EINVAL", lab.pmu, "dom=1,clk", pid=pid, cpu=cpu)


@case("refused: sampling and branch stacks, EOPNOTSUPP")
def sampling(lab):
    refused("EOPNOTSUPP", lab.pmu, "dom=1,clk", period=100000)
    refused("EOPNOTSUPP", lab.pmu, "dom=1,clk", period=100000, branches=1 << 3)


@case("refused: exclude bits, exclusive, two inputs at once, clk with a signal, EINVAL")
def malformed(lab):
    refused("EINVAL", lab.pmu, "dom=1,clk", flags=DISABLED | EXCLUDE_USER)
    refused("EINVAL", lab.pmu, "dom=1,clk", flags=DISABLED | EXCLUSIVE)
    refused("EINVAL", lab.pmu, f"dom=1,sig={lab.chip.sig},pre,event")
    refused("EINVAL", lab.pmu, f"dom=1,sig={lab.chip.sig},clk")


@case("refused: delays that the chip does not have, EOPNOTSUPP", lambda lab: len(lab.gpus) == 1 and
      not lab.chip.delay23)
def delays(lab):
    for bit in (2, 3):
        refused("EOPNOTSUPP", lab.pmu, "dom=1,sig=1,sig2=2,sig3=3,op=0x8888",
                extra=(0, 1 << bit, 0))


@case("refused: nothing of all that has touched a register")
def untouched(lab):
    lab.gpu.forget()
    refused("EINVAL", lab.pmu, f"dom={lab.chip.domains},clk")
    refused("EOPNOTSUPP", lab.pmu, "dom=1,clk", period=100000)
    same(lab.gpu.log(), [], "accesses")
