# SPDX-License-Identifier: GPL-2.0-only
"""Signals by name: the promises of events/, and what perf makes of them."""

from chips import promised
from support import Pmu, case, check, run, same, text

ABOUT = "registers tables"

GPC = "unit=1"
AT_ONCE = 30    # number of muxes that can be in use


def shown(gpu):
    """Return the files in events/ of its PMU, without the cycles."""
    paths = (Pmu(gpu.number).path / "events").iterdir()
    return {path.name: text(path) for path in paths if not path.match("*dom?_cycles")}


def everywhere(_):
    return True


@case("names: events/ has the promised names and no other", everywhere)
def events(lab):
    for gpu in lab.gpus:
        same(shown(gpu), promised(gpu.chip), f"events of {gpu.chip.name}")


@case("names: perf list shows them all", everywhere, about="kernel")
def perf_list(lab):
    text = run("perf", "list", "pcounter").stdout
    listed = set(text.split())
    for gpu in lab.gpus:
        # that of 6.1 names each PMU, that of 6.12 all of a kind at once
        pmu = f"pcounter_{gpu.number}" if f"pcounter_{gpu.number}/" in text else "pcounter"
        wanted = {f"{pmu}/{name}{',unit=?' if '?' in terms else ''}/"
                  for name, terms in promised(gpu.chip).items()}
        same(sorted(wanted - listed), [], f"missing of {gpu.chip.name}")


@case("names: perf opens as many at once as fit, and refuses none", everywhere, about="kernel")
def perf_opens(lab):
    for gpu in lab.gpus:
        events = promised(gpu.chip)
        muxed = [name for name, terms in events.items() if "mux=" in terms]
        names = [f"pcounter_{gpu.number}/{name}{f',{GPC}' if '?' in terms else ''}/"
                 for name, terms in events.items() if name not in muxed[AT_ONCE:]]
        if not names:
            continue
        # -D -1: opened, never enabled; turns of hundreds of events take their time
        done = run("perf", "stat", "-D", "-1", "-x,", "-e", ",".join(names), "--", "true")
        same(done.returncode, 0, f"perf stat of {names}: {done.stdout[-400:]}")
        lines = [line for line in done.stdout.splitlines() if f",pcounter_{gpu.number}/" in line]
        same(len(lines), len(names), f"events of {gpu.chip.name} that perf reports")
        same([line for line in lines if "<not supported>" in line], [], gpu.chip.name)


# One perf for each event: only for chips with few.
@case("names: perf's own test of all PMU events", lambda lab: lab.chip.name == "nv10",
      about="kernel")
def perf_test(_):
    done = run("sh", "/usr/lib/perf-core/tests/shell/stat_all_pmu.sh")
    same(done.returncode, 0, f"stat_all_pmu.sh: {done.stdout[-400:]}")
    check("Testing pcounter_0/ptimer_time_b12/" in done.stdout, done.stdout[:400])
