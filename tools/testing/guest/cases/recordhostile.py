# SPDX-License-Identifier: GPL-2.0-only
"""Records of GF100 and later on a GPU that lies, and beside tasks that disturb perf."""

import contextlib

from attackers import attack
from captures import SHARE, WAVE, duty, kepler, records, records_of
from packets import numbers
from support import Pmu, case, check, group, near, rounds, seed, text

ABOUT = "checked races kernel"

ROUNDS = 6
DOMAINS = range(4)
STEP = 20000
WHAT = f"sig={SHARE:#x}", f"sig={WAVE:#x}", "clk"


@contextlib.contextmanager
def counting(pmu):
    """Yield a group of events in each of some domains, which count."""
    with contextlib.ExitStack() as stack:
        groups = [stack.enter_context(group(pmu, *(records_of(dom, what) for what in WHAT)))
                  for dom in DOMAINS]
        for one in groups:
            one.enable()
        yield groups


def right(gpu, pmu, going):
    """Check counts of all domains over a time."""
    with counting(pmu) as groups:
        ran = 0
        while going() or ran < 10 * STEP:
            gpu("run", STEP)
            ran += STEP
            for one in groups:
                one.read()
        for dom, one in zip(DOMAINS, groups):
            share, _, clocks = one.read()
            near(clocks, ran, 0.2 * ran, f"clocks of domain {dom}")
            near(share, clocks * duty(dom) / 1024, 1024, f"share of domain {dom}")


@case("hostile: any value on any read, while domains record to one ring", kepler,
      about="random")
def anything(lab):
    pmu = Pmu(1)
    for number in rounds(ROUNDS):
        with records(lab) as gpu, gpu.frozen():
            before = numbers(gpu("dma") + " " + gpu("bus"))
            # an error is as good as a count
            with contextlib.suppress(OSError), counting(pmu) as groups:
                gpu("run", STEP)
                gpu("fault", "hostile", seed() + number & 0x7fffffff or 1)
                for one in groups * 4:
                    gpu("run", STEP // 4)
                    one.read()
                    one.disable()
                    one.enable()
                text(f"/sys/kernel/debug/pcounter/{pmu.name}/status")
            gpu("fault", "none")
            after = numbers(gpu("dma") + " " + gpu("bus"))
            for name in ("blocked", "nowhere", "master_off"):
                check(after[name] == before[name], f"{name}: {after}")
    with records(lab) as gpu, gpu.frozen():
        right(gpu, pmu, lambda: False)


@case("attack: records of four domains are counted right beside tasks that take the events away",
      kepler)
def disturbed(lab):
    with records(lab) as gpu, gpu.frozen(), attack() as attacker:
        right(gpu, Pmu(1), attacker.going)
        print(f"# {attacker.switches()} switches", flush=True)
