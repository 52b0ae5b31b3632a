# SPDX-License-Identifier: GPL-2.0-only
"""Record mode on a GPU that lies."""

from packets import frozen_and_clean, records, terms
from support import ONE, Pmu, case, check, group, quiet, reloaded

ABOUT = "checked races kernel registers tables waits"

CLK = "record,dom=1,clk,periodic=1"
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
        with reloaded(lab, "record_ring_kb=64", "record_poll_us=1000000"), frozen_and_clean(gpu):
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
