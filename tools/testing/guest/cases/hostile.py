# SPDX-License-Identifier: GPL-2.0-only
"""A GPU that returns arbitrary values, or is slow."""

import contextlib
import time

from support import (Event, Pmu, case, check, group, insmod, loaded, near, reloaded, rmmod, rounds,
                     run, same, seed, text, wait_for)

ABOUT = "checked races kernel registers"

A = 0x08     # a signal of domain 0 of every chip
ROUNDS = 12
SLOW_US = 5000
# the driver waits for at most this number of consecutive slow reads
SLOW_READS = 10
IMPATIENT = "slow_read_us=0"


def alone(lab):
    return len(lab.gpus) == 1


def kernel_log(word):
    return run("dmesg").stdout.count(word)


def well_again(lab):
    """Check that after any fault the next user's counts are right."""
    lab.gpu("fault", "none")
    lab.gpu.signal(0, A, "const", 1)
    with group(lab.pmu, f"dom=0,sig={A}", "dom=0,clk") as leader:
        leader.enable()
        wait_for(lambda: leader.read()[1] >= 1000, "nothing is counted")
        events, cycles = leader.read()
        near(events, cycles, 2, "events")


@case("hostile: any value on any read, while events come, count and go", alone, about="once soak")
def anything(lab):
    try:
        for number in rounds(ROUNDS):
            lab.gpu("fault", "hostile", seed() + number & 0x7fffffff or 1)
            with group(lab.pmu, f"dom=0,sig={A}", "dom=0,clk") as leader:
                for _ in range(8):
                    leader.enable()
                    leader.read()
                    leader.disable()
                leader.enable()
                text(f"/sys/kernel/debug/pcounter/{lab.pmu.name}/status")
                run("cat", f"/sys/kernel/debug/pcounter/{lab.pmu.name}/signals")
    finally:
        well_again(lab)


@case("hostile: any value on any read, while the module is loaded and unloaded", alone,
      about="once random slow-on-kcsan")
def anything_at_load(lab):
    rmmod()
    try:
        for number in range(1, ROUNDS + 1):
            lab.gpu("fault", "hostile", number)
            insmod(lab.module)
            if lab.pmu.path.exists():
                # an error is as good as a count
                with contextlib.suppress(OSError), Event(lab.pmu, "dom=0,clk") as event:
                    event.enable()
                    event.read()
            rmmod()
    finally:
        lab.gpu("fault", "none")
        if not loaded():
            insmod(lab.module)
    well_again(lab)


@case("hostile: reads of 5 ms are given up after a few, and the log has one line", alone)
def slow(lab):
    lines = kernel_log("register reads take too long")
    with reloaded(lab, IMPATIENT):
        with group(lab.pmu, "dom=0,clk") as leader:
            leader.enable()
            leader.read()
            lab.gpu("slow", SLOW_US)
            try:
                lab.gpu.forget()
                for _ in range(40):
                    leader.read()
                    leader.disable()
                    leader.enable()
                reads = sum(not access.write for access in lab.gpu.log())
                check(0 < reads <= SLOW_READS, f"{reads} reads of a GPU that is too slow")
                time.sleep(1.5)
                same(lab.gpu.log(), [], "accesses afterwards")
                same(kernel_log("register reads take too long"), lines + 1, "lines in the log")
            finally:
                lab.gpu("slow", 0)
        well_again(lab)


@case("hostile: idle counters of a GPU that was too slow when the module was loaded",
      lambda lab: alone(lab) and lab.chip.pdaemon, about="pdaemon")
def slow_at_load(lab):
    rmmod()
    lab.gpu("slow", SLOW_US)
    try:
        insmod(lab.module, IMPATIENT)
    finally:
        lab.gpu("slow", 0)
    with lab.gpu.frozen(), group(Pmu(0, "pcounter_idle"), "when=2") as ticks:
        ticks.enable()
        lab.gpu("run", 1000)
        wait_for(lambda: ticks.read() == [1000], "1000 clocks are not counted")
    well_again(lab)
    rmmod()
    insmod(lab.module)


@case("hostile: one line in the log for each fault of a domain, however often it is tried", alone)
def one_line(lab):
    lines = kernel_log("stopped counting")
    with group(lab.pmu, "dom=0,clk") as leader:
        leader.enable()
        lab.gpu("fault", "dead", 1)
        wait_for(lambda: kernel_log("stopped counting") > lines, "no line in the log")
        for _ in range(5):
            leader.read()
            leader.disable()
            leader.enable()
            time.sleep(0.05)
        lab.gpu("fault", "dead", 0)
    same(kernel_log("stopped counting"), lines + 1, "lines in the log")
    check("times: the GPU does not answer" in
          text(f"/sys/kernel/debug/pcounter/{lab.pmu.name}/status"), "the fault is not counted")
