# SPDX-License-Identifier: GPL-2.0-only
"""The simulated GPU: a PMU on any machine, no virtual GPU needed."""

import time

from packets import perf_record
from support import (PATIENCE, PMUS, beside, case, check, loading, near, perf_stat, reloaded, run,
                     same)

A = 0x10    # any signal

# from a machine that simulates more slowly than the clock
DROPPED = "pcounter_sim: this machine is too slow"


@case("sim: six events take turns on four counters, and perf scales them")
def multiplexing(lab):
    duties = (2, 50, 98, 2, 50, 98)
    scenario = ";".join(f"signal 1 {A + i} duty {duty}/100" for i, duty in enumerate(duties))
    # so slow a clock that registers answer at once on any busy machine
    with loading(lab, "pcounter_sim", f"chip={lab.chip.name}", "clock=100000",
                 f'scenario="{scenario}"'):
        # each beside the clock of its own turns: a busy host stretches some of these
        counts = perf_stat([f"{{pcounter_1/dom=1,sig={A + i}/,pcounter_1/dom=1,clk/}}"
                            for i in range(len(duties))], "sleep", "4")
    check(any(count.percent < 99 for count in counts), "nothing was multiplexed")
    clocks = [clock.value for clock in counts[1::2]]
    check(max(clocks) < 2 * min(clocks), f"clocks, scaled to the same time: {clocks}")
    for count, clock, duty in zip(counts[::2], clocks, duties):
        near(100 * count.value / clock, duty, 2, f"duty of {count.event}")


@case("sim: a machine that is too slow for the clock drops time, and says so")
def too_slow(lab):
    # with this quirk the model runs clock by clock: seconds for one of 10 MHz
    with loading(lab, "pcounter_sim", "chip=g84", "clock=10000000",
                 'scenario="quirk pulse_keep 1"'):
        begun = time.monotonic()
        clocks, = perf_stat("pcounter_1/dom=1,clk/", "sleep", "2")
        took = time.monotonic() - begun
    check(0 < clocks.value < 2 * 10000000, f"{clocks.value} cycles in two seconds at 10 MHz")
    # minutes, if a commit simulates seconds in each of its accesses
    check(took < 60 * PATIENCE, f"sleep 2 took {took:.0f} s")
    check(DROPPED in run("dmesg").stdout, "no word in the log")


# packets per second: some 10000 between two polls of a ring
FAST = 20000000
RING_PACKETS = 2048
CLOCKS = 1024


def numbers(sample):
    """Return a sample's numbers of its last packet: taken, lost, and as the GPU
    has counted it.
    """
    return (sample.first + len(sample.packets), sample.overrun,
            sample.packets[-1].cycles // CLOCKS)


@case("sim: of packets that come too fast each is counted, as taken or as lost",
      lambda lab: len(lab.gpus) == 1, about="random")
def too_fast(lab):
    with reloaded(lab, "record_ring_kb=64"):
        with loading(lab, "pcounter_sim", "chip=gt215", f"rate={FAST}"):
            taken = perf_record("pcounter_1/record,dom=1,sig=0x10,periodic=1/",
                                ("-c", "1", "-P", "-R"), "sleep", "0.1")
    last = taken[-1]
    # until the ring is empty recording ends early: lost packets are a gap,
    # after which the GPU restarts its count
    begun = [sample for sample in taken if sample.gaps == last.gaps]
    print(f"# {len(begun)} of {len(taken)} samples, {last.overrun} packets lost", flush=True)
    check(last.overrun and len(begun) > 1, "no packet is lost")
    # The simulated GPU goes on at each register access. If a busy host stops the guest
    # between the position and the next access, packets are one round older than the
    # driver assumes, and the next loss makes up for that.
    first = numbers(begun[0])
    errors = []
    for sample in begun:
        packets, lost, made = (b - a for a, b in zip(first, numbers(sample)))
        errors.append(packets + lost - made)
    check(not any(error % RING_PACKETS for error in errors), f"errors {set(errors)}")
    check(max(map(errors.count, errors)) > len(errors) / 2,
          f"packets, taken or lost: errors {errors[-9:]}")
    same((last.missing, last.merged), (0, 0), "other losses")


@case("sim: a chip or a scenario that makes no sense is refused")
def refusals(lab):
    for parameter in ("chip=nv4e", "chip=tnt2", "clock=10", 'scenario="signal 9 9 const 1"'):
        check(run("insmod", beside(lab, "pcounter_sim"), parameter).returncode,
              f"insmod with {parameter}")
        check(not (PMUS / "pcounter_1").exists(), f"a PMU with {parameter}")
