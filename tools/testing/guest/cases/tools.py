# SPDX-License-Identifier: GPL-2.0-only
"""perf's own tests and other commands in the presence of the module's PMUs."""

from support import case, check, run

ABOUT = "kernel"


@case("tools: perf record without a frequency source fails with a message, not a crash")
def record(lab):
    done = run("perf", "record", "-o", "/dev/shm/perf.data", "-e", "pcounter_0/dom=1,clk/", "-a",
               "--", "true")
    check(done.returncode > 0, f"perf record: {done.returncode} {done.stdout}")


@case("tools: perf's parser takes every event and term that sysfs shows")
def parser(lab):
    events = [f"pcounter_0/{path.name}/" for path in (lab.pmu.path / "events").iterdir()]
    terms = sorted(path.name for path in (lab.pmu.path / "format").iterdir())
    words = ",".join(f"{term}=1" for term in terms)
    # -D -1: opened, never enabled
    for event in (",".join(events), f"pcounter_0/{words}/"):
        done = run("perf", "stat", "-D", "-1", "-e", event, "--", "true")
        check("syntax error" not in done.stdout and "unknown term" not in done.stdout,
              f"{event}: {done.stdout}")
