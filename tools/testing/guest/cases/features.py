# SPDX-License-Identifier: GPL-2.0-only
"""Features of single chips beyond a plain count, and the other readings of the documents."""

import contextlib
import time

from chips import G84, NV30, NV40, USER_1, lasting, some, those
from support import (Event, Failed, Pmu, case, check, group, insmod, near, quiet, refused, rmmod,
                     same, snapshot, text, wait_for)

ABOUT = "registers tables"

ONE, DUTY = 0x09, 0x10
SET, CLR, WINDOW = 0x11, 0x12, 0x13
BITS = range(0x14, 0x1b)

# hw:signals/trailers, of the domains in these cases; of the HUB from GF100 on
TRAILER = {
    "nv10": {0: 0x80}, "nv15": {0: 0x80}, "nv20": {0: 0xa0, 1: 0x20},
    "nv31": {0: 0xe0, 1: 0x20}, "nv40": {1: 0xe0, 2: 0xe0}, "g80": {1: 0xe0, 2: 0xe0},
    "g84": {1: 0xe0, 2: 0x80}, "g92": {1: 0xe0, 2: 0x80}, "gt215": {1: 0xe0, 2: 0xc0},
    "gf100": {6: 0x40, 2: 0x60}, "gk104": {6: 0x80, 2: 0x20},
}


class Place:
    """A domain: its terms, its name in the model, its number in its set."""

    def __init__(self, gpu, number):
        self.terms = f"dom={number}"
        self.name = f"hub{number}" if gpu.chip.sets else number
        self.number = number
        self.trailer = TRAILER[gpu.chip.name][number]
        self.sets = gpu.chip.sets

    def flag(self, of):
        """Return the signal for another domain's FLAG, or its own."""
        return self.trailer + (0x3f if self.sets else 0x1f) - of.number

    def event(self, of):
        """Return the signal for another domain's EVENT, or its own; NV40 and later."""
        return self.trailer + (0x37 if self.sets else 0x17) - of.number


def places(gpu):
    """Return the domain of most cases, and another one of the same set, if any."""
    numbers = (6, 2) if gpu.chip.sets else (1, 2) if gpu.chip.classic else (0, 1)
    return [Place(gpu, number) for number in numbers if number < gpu.chip.domains]


@contextlib.contextmanager
def frozen(gpu):
    """Freeze time, except for accesses on chips whose swap is a pulse."""
    gpu("freeze")
    gpu("step", 1 if gpu.chip.swap_shared or gpu.chip.sets else 0)
    try:
        yield
    finally:
        gpu("step", 0)
        gpu("thaw")


@contextlib.contextmanager
def wired(gpu, dom, scripts):
    """Drive signals, and silence them afterwards."""
    for sig, script in scripts.items():
        gpu("signal", dom, sig, script)
    try:
        yield
    finally:
        for sig in scripts:
            gpu("signal", dom, sig, "const 0")


def flag_terms(dom):
    """Return SETFLAG and CLRFLAG; before NV30 they must not need one source for two signals."""
    return f"{dom.terms},setflag,sig={SET}", f"{dom.terms},clrflag,sig1={CLR},op=0xcccc"


def run(gpu, members, cycles):
    """Return the counts of a group over a number of cycles of the frozen clock."""
    with group(Pmu(gpu.number), *members) as leader:
        leader.enable()
        gpu("run", cycles)
        return leader.read()


# full counters

def is_wide(chip):
    return chip.chipset < NV30


def has_quad(chip):
    return chip.quad


@case("features: a counter of 40 bits goes on when its 39 wrap, also when bit 39 sticks",
      some(is_wide))
def wrap(lab):
    for gpu in those(lab, is_wide):
        dom = places(gpu)[0]
        terms = (f"{dom.terms},event,sig={ONE}", f"{dom.terms},clk")
        with wired(gpu, dom.name, {ONE: "const 1"}), frozen(gpu), \
                group(Pmu(gpu.number), *terms) as leader:
            leader.enable()
            # START, which comes a clock later, clears the counters
            gpu("run", 10)
            for sticky in (0, 1 << 39):
                gpu("preset", dom.name, "event", sticky + (1 << 39) - 1000)
                gpu("preset", dom.name, "cycles", sticky + (1 << 39) - 1000)
                # the preset itself is a jump
                before = leader.read()
                for cycles in (999, 1, 1, 1999):
                    gpu("run", cycles)
                    after = leader.read()
                    same([b - a for a, b in zip(before, after)], [cycles, cycles],
                         f"{gpu.chip.name}: counts of {cycles} cycles")
                    before = after


@case("features: a counter of 32 bits counts right until it is full, and then not at all",
      some(has_quad))
def saturate(lab):
    for gpu in those(lab, has_quad):
        dom = places(gpu)[0]
        pmu = Pmu(gpu.number)
        terms = (f"{dom.terms},event,sig={ONE}", f"{dom.terms},clk")
        status = f"/sys/kernel/debug/pcounter/{pmu.name}/status"
        # on chips whose accesses take time
        slack = 100 if gpu.chip.swap_shared or gpu.chip.sets else 0
        with wired(gpu, dom.name, {ONE: "const 1"}), frozen(gpu):
            with group(pmu, *terms) as leader:
                leader.enable()
                before = leader.read()
                gpu("preset", dom.name, "event", 0xffff0000)
                gpu("run", 1000)
                after = leader.read()
                near(after[0] - before[0], 0xffff0000 + 1000, slack,
                     f"{gpu.chip.name}: a counter that is nearly full")
                near(after[1] - before[1], 1000, slack, f"{gpu.chip.name}: cycles")
                check("ran full" not in text(status), f"{gpu.chip.name}: {text(status)}")

                gpu("preset", dom.name, "event", 0xffffff00)
                gpu("run", 1000)
                # on a busy host the driver's poll of all domains may read in between
                full = leader.read()
                check(all(0 <= b - a <= slack for a, b in zip(after, full)),
                      f"{gpu.chip.name}: counts of a full counter: {after}, {full}")
                # a work item stops the event
                wait_for(lambda: leader.read_times()[1] == leader.read_times()[1],
                         "time running goes on")
                stopped = leader.read_times()
                gpu("run", 1000)
                time.sleep(0.1)
                same(leader.read_times()[1:], (stopped[1], full),
                     f"{gpu.chip.name}: time running and counts after that")
                check(text(status).count("ran full") == 2,
                      f"{gpu.chip.name}, told of the domain, and counted: {text(status)}")
            check(text(status).count("ran full") == 1,
                  f"{gpu.chip.name}, closed, only counted: {text(status)}")
            count, clocks = run(gpu, terms, 1000)
            same(count, clocks, f"{gpu.chip.name}: counts, opened again")
            near(clocks, 1000, slack, f"{gpu.chip.name}: cycles, opened again")


# processes

def has_single(chip):
    return not chip.sets


def try_turns(gpu, dom):
    """Let two processes take turns, and read both all the time."""
    members = (f"{dom.terms},single,event,sig={ONE}", f"{dom.terms},clk")
    with group(Pmu(gpu.number), *members) as one, group(Pmu(gpu.number), *members) as two:
        last = {}
        for leader in (one, two):
            leader.enable()
            last[leader] = leader.read()
        for _ in range(200):
            for leader in (one, two):
                counts = leader.read()
                check(all(a >= b for a, b in zip(counts, last[leader])),
                      f"{gpu.chip.name}: {counts} after {last[leader]}")
                last[leader] = counts
            time.sleep(0.005)
        for leader in (one, two):
            events, clocks = last[leader]
            # the two counters are read one after the other, at each turn
            near(events, clocks, clocks / 10 + 200, f"{gpu.chip.name}: events and cycles")
            check(clocks, f"{gpu.chip.name}: a process without a turn")


def try_periods(gpu, dom):
    """Read periods of 50 cycles at all their stages, and have perf reset the counts."""
    with frozen(gpu), wired(gpu, dom.name, {SET: "duty 1/100 phase 90", CLR: "duty 1/100 phase 40"}), \
            group(Pmu(gpu.number), f"{dom.terms},single,event,sig={ONE}",
                  f"{dom.terms},start,sig={SET}", f"{dom.terms},stop,single,sig={CLR},init=50",
                  f"{dom.terms},clk") as leader:
        leader.enable()
        last = leader.read()
        for _ in range(40):
            gpu("run", 30)
            counts = leader.read()
            grown = [a - b for a, b in zip(counts, last)]
            check(all(0 <= count <= 60 for count in grown), f"{gpu.chip.name}: {grown} more")
            last = counts
        near(last[2], last[1], 1, f"{gpu.chip.name}: STOP pulses, and periods")
        # 12 periods, of which each read may miss the end, and those of the accesses themselves
        check(12 * 20 <= last[0] <= 16 * 50, f"{gpu.chip.name}: {last[0]} events")
        leader.reset()
        same(leader.read()[0] > 20, False, f"{gpu.chip.name}: count after a reset")
        gpu("run", 30)
        check(leader.read()[0] <= 60, f"{gpu.chip.name}: {leader.read()[0]} since a reset")


@case("features: counts of a process only grow, whoever takes turns with it", some(has_single))
def processes(lab):
    for gpu in those(lab, has_single):
        dom = places(gpu)[0]
        with wired(gpu, dom.name, {ONE: "const 1"}):
            try_turns(gpu, dom)
            try_periods(gpu, dom)


# the other readings of hw:ambiguities

QUIRKS = ("single_restart", "start_cycle", "no_stop_cycle", "cycles_alt", "junk", "prev_new",
          "self_event", "pulse_keep", "pulse_early", "periodic_phase",
          "periodic_restart", "quad_clear", "quad_state_reset", "flush_0e", "wrap32",
          "extra_b4_gated")
CYCLES = 5000


def try_plain(gpu):
    dom = places(gpu)[0]
    plain = f"{dom.terms},sig={DUTY}"
    edges = f"{dom.terms},op=0x4444,sig={DUTY},sig1={DUTY},d0"
    clk = f"{dom.terms},clk"
    if gpu.chip.quad:
        level, rising, clocks = run(gpu, (plain, edges, clk), CYCLES)
        near(rising, clocks / 10, 2, "rising edges")
    else:
        level, clocks = run(gpu, (plain, clk), CYCLES)
        rising, again = run(gpu, (edges, clk), CYCLES)
        near(rising, again / 10, 2, "rising edges")
    near(clocks, CYCLES, 100, "cycles")
    near(level, clocks * 3 / 10, 4, "a duty cycle of 3/10")


def try_process(gpu):
    dom = places(gpu)[0]
    event, periods, skipped, clocks = run(
        gpu, (f"{dom.terms},single,event,sig={DUTY}", f"{dom.terms},start,sig={SET}",
              f"{dom.terms},single,stop,sig={CLR},init=4", f"{dom.terms},clk"), 2000)
    same([event, periods, skipped], [15, 5, 4], "events of a period, periods, pulses skipped")
    # documents disagree whether START's and STOP's cycles count
    near(clocks, 50, 1, "cycles of a period")


def try_flag(gpu):
    dom = places(gpu)[0]
    count, *_, clocks = run(
        gpu, (f"{dom.terms},sig={dom.flag(dom)}", *flag_terms(dom), f"{dom.terms},clk"), CYCLES)
    near(count, clocks / 2, 60, "cycles with FLAG set")


def try_pulses(gpu):
    dom, other = places(gpu)
    with wired(gpu, other.name, {DUTY: "duty 3/10"}):
        levels, pulses = run(
            gpu, (f"{other.terms},event,sig={DUTY}",
                  f"{dom.terms},sig={dom.event(other)},evpulse"), CYCLES)
    # one is read after the other, and accesses may take time
    near(pulses, levels / 3, 20, "pulses of another domain's EVENT")


def try_sum(gpu):
    dom = places(gpu)[0]
    # 3/10 of the time 1, once in a hundred 2 and once 4
    total, clocks = run(gpu, (f"{dom.terms},ctr=3,sig={DUTY},sig1={SET},sig2={CLR}",
                              f"{dom.terms},clk"), CYCLES)
    near(total, clocks * 0.36, 10, "a sum of bits")


def try_periodic(gpu):
    dom = places(gpu)[0]
    sig = dom.trailer + (0x2e if gpu.chip.sets else 0x0d)
    pulses, clocks = run(gpu, (f"{dom.terms},sig={sig},periodic=1", f"{dom.terms},clk"),
                         CYCLES)
    near(pulses, clocks / 1024, 1, "pulses of PERIODIC")


def tries(chip):
    """Return features of a chip, simple ones first."""
    found = [try_plain, try_flag]
    found += [try_process] if not chip.sets else []
    found += [try_pulses, try_sum] if chip.chipset >= NV40 else []
    found += [try_periodic] if chip.chipset >= G84 else []
    return found


def try_all(gpu, what):
    dom = places(gpu)[0]
    scripts = {DUTY: "duty 3/10", SET: "duty 1/100 phase 90", CLR: "duty 1/100 phase 40"}
    if gpu.chip.classic and gpu.chip.chipset < G84:
        # ZERO, or WRCACHE_FLUSH, which may be active
        scripts[dom.trailer + 0x0e] = "duty 1/7"
    with wired(gpu, dom.name, scripts):
        for func in tries(gpu.chip):
            try:
                func(gpu)
            except Failed as error:
                raise Failed(f"{gpu.chip.name}, {what}: {error}") from error


def registers(gpu):
    return snapshot(gpu) if gpu.chip.classic else lasting(gpu)


def try_quirk(gpu, quirk, seed):
    """Test with leftovers of a former user, which must be restored afterwards."""
    with frozen(gpu):
        gpu("quirk", quirk, 1)
        try:
            gpu("garbage", seed)
            found = registers(gpu)
            try_all(gpu, quirk)
            same(registers(gpu), found, f"{gpu.chip.name}, {quirk}: registers")
        finally:
            gpu("quirk", quirk, 0)
        quiet(gpu)


@case("features: counts are right, whichever way the documents are read", lambda lab: True,
      about="slow")
def quirks(lab):
    for gpu in lab.gpus:
        for seed, quirk in enumerate(QUIRKS, 1):
            try_quirk(gpu, quirk, seed)


@case("features: FLAG is right, wherever CLRFLAG of NV10:NV30 takes its sources", some(is_wide))
def clrflag_sources(lab):
    for gpu in those(lab, is_wide):
        try_quirk(gpu, "clrflag_setflag_src", 99)
        dom, pmu = places(gpu)[0], Pmu(gpu.number)
        with Event(pmu, f"{dom.terms},setflag,sig={SET}") as leader:
            Event(pmu, f"{dom.terms},clrflag,sig={SET}", leader=leader).close()
            # valid in one reading only
            refused("EINVAL", pmu, f"{dom.terms},clrflag,sig={CLR}", leader=leader)


def has_shared_ack(chip):
    return chip.name == "nv31"


@case("features: QUAD_ACK's bits are found out, either way round", some(has_shared_ack))
def ack_swapped(lab):
    try:
        for swapped in (1, 0):
            # wires do not change while a module is loaded
            rmmod()
            for gpu in those(lab, has_shared_ack):
                gpu("quirk", "ack_swapped", swapped)
                gpu("freeze")
                gpu("garbage", 7 + swapped)
                gpu("thaw")
            insmod(lab.module)
            for gpu in those(lab, has_shared_ack):
                both_domains(gpu, f"{gpu.chip.name}, ack_swapped {swapped}")
    finally:
        for gpu in those(lab, has_shared_ack):
            gpu("quirk", "ack_swapped", 0)


def both_domains(gpu, what):
    """Test one domain after the other, and both together."""
    one, two = places(gpu)
    with frozen(gpu), wired(gpu, one.name, {DUTY: "duty 3/10"}), \
            wired(gpu, two.name, {DUTY: "duty 6/10"}):
        for doms in ((two,), (one,), (one, two)):
            members = [f"{dom.terms},{term}" for dom in doms for term in (f"sig={DUTY}", "clk")]
            counts = run(gpu, members, CYCLES)
            for dom, count, clocks in zip(doms, counts[::2], counts[1::2]):
                near(clocks, CYCLES, 100, f"{what}: cycles of domain {dom.number}")
                near(count, clocks * (3 if dom is one else 6) / 10, 8,
                     f"{what}: domain {dom.number}")


# USER signals

def has_user(chip):
    return chip.pdaemon


def drive(gpu, line):
    path = f"/sys/kernel/debug/pcounter/pcounter_{gpu.number}/user"
    with open(path, "w", encoding="ascii") as stream:
        stream.write(line)


@case("features: USER_1, driven by debugfs, is counted as a level and as a pulse",
      some(has_user))
def user(lab):
    for gpu in those(lab, has_user):
        for place, dom, sig in USER_1[gpu.chip.name]:
            what = f"{gpu.chip.name}, domain {dom}"
            terms = (f"{place},sig={sig}", f"{place},clk")
            slack = 100 if gpu.chip.sets else 0
            with frozen(gpu):
                drive(gpu, f"{dom} 0 0")
                try:
                    with group(Pmu(gpu.number), *terms) as leader:
                        leader.enable()
                        gpu("run", 500)
                        same(leader.read()[0], 0, f"{what}: low")
                        drive(gpu, f"{dom} 2 0")
                        gpu("run", 1000)
                        high = leader.read()[0]
                        near(high, 1000, slack, f"{what}: high")
                        # several swaps, each a pulse of a USER signal on GF100
                        gpu("run", 1000)
                        near(leader.read()[0] - high, 1000, slack, f"{what}: still high")
                        drive(gpu, f"{dom} 0 0")
                        high = leader.read()[0]
                        for pulses in (1, 2, 3):
                            drive(gpu, f"{dom} 2 2")
                            gpu("run", 100)
                            same(leader.read()[0] - high, pulses, f"{what}: pulses")
                finally:
                    drive(gpu, f"{dom} 0 0")


@case("features: USER_1 stays as it was driven when events open and close", some(has_user))
def user_stays(lab):
    for gpu in those(lab, has_user):
        for place, dom, sig in USER_1[gpu.chip.name]:
            with frozen(gpu):
                drive(gpu, f"{dom} 2 0")
                try:
                    for which in ("the first event", "the second"):
                        count, clocks = run(gpu, (f"{place},sig={sig}", f"{place},clk"), 1000)
                        near(count, clocks, 100 if gpu.chip.sets else 0,
                             f"{gpu.chip.name}, domain {dom}: USER_1 seen by {which}")
                finally:
                    drive(gpu, f"{dom} 0 0")


# other domains' FLAG, and sums

def has_pair(chip):
    return chip.domains > 1


@case("features: FLAG gates a count, two clocks later in another domain", some(has_pair))
def flag_gate(lab):
    for gpu in those(lab, has_pair):
        one, other = places(gpu)
        with frozen(gpu):
            # the domains' cycles have different numbers
            shift = 90 + gpu.cycle(one.name) - gpu.cycle(other.name)
            scripts = {SET: "duty 1/100 phase 90", CLR: "duty 1/100 phase 40",
                       WINDOW: "duty 50/100 phase 90"}
            with wired(gpu, one.name, scripts), \
                    wired(gpu, other.name, {WINDOW: f"duty 50/100 phase {shift % 100}"}):
                # SETFLAG and CLRFLAG at 10 and 60 of 100 cycles, the window is between
                for dom, late in ((one, 2), (other, 4)):
                    count, _, _, clocks = run(
                        gpu, (f"{dom.terms},sig={WINDOW},sig1={dom.flag(one)},op=0x8888",
                              *flag_terms(one), f"{dom.terms},clk"), 20000)
                    near(clocks, 20000, 200, f"{gpu.chip.name}: cycles")
                    near(count / clocks * 100, 50 - late, 0.5,
                         f"{gpu.chip.name}: cycles in 100, domain {dom.number}")


def has_b6(chip):
    return chip.chipset >= NV40


@case("features: integers of six bits and of two", some(has_b6))
def six_bits(lab):
    for gpu in those(lab, has_b6):
        dom = places(gpu)[0]
        bits = list(BITS)
        scripts = dict(zip(bits, ("duty 1/2", "const 1", "const 0", "duty 1/10", "const 1",
                                  "duty 1/10", "const 0")))
        start = ",".join([f"{dom.terms},start", f"sig={bits[0]}"] +
                         [f"sig{i}={bits[i]}" for i in range(1, 4)])
        with wired(gpu, dom.name, scripts), frozen(gpu):
            # 1/2 + 2 + 8/10, and 16/10 of the two more
            total, half, clocks = run(
                gpu, (f"{dom.terms},event,ctr=2,sig={bits[4]},sig2={bits[5]},sig3={bits[6]}",
                      start, f"{dom.terms},clk"), 10000)
            near(total, clocks * 4.9, 40, f"{gpu.chip.name}: EVENT_B6")
            near(half, clocks / 2, 1, f"{gpu.chip.name}: START beside it")
            two, total, clocks = run(
                gpu, (f"{dom.terms},event,ctr=4,sig={bits[0]},sig1={bits[1]},sig2={bits[5]},"
                      f"sig3={bits[6]}", start, f"{dom.terms},clk"), 10000)
            near(two, clocks * 2.5, 4, f"{gpu.chip.name}: EVENT_B2")
            near(total, clocks * 4.9, 40, f"{gpu.chip.name}: EXTRA_B6")
