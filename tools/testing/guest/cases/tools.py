# SPDX-License-Identifier: GPL-2.0-only
"""perf's own tests and other commands in the presence of the module's PMUs."""

from program import NOBODY, monitor, one
from support import case, check, insmod, near, paranoid, rmmod, run, same

ABOUT = "kernel"


@case("tools: perf record of what has no samples ends, and says so",
      lambda lab: True)
def record(lab):
    events = ["pcounter_0/dom=0,clk/"]
    if lab.chip.pdaemon:
        events.append("pcounter_idle_0/when=2/")
    for event in events:
        done = run("perf", "record", "-o", "/dev/shm/perf.data", "-e", event, "-a", "--", "true")
        check(done.returncode > 0 and "doesn't support sampling" in done.stdout,
              f"perf record -e {event}: {done.returncode} {done.stdout[-2000:]}")


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


PGRAPH_IDLE = 0xbd    # of a G84


@case("tools: the monitor of the page prints how busy the GPU is", one)
def monitor_prints(lab):
    lab.gpu.signal(1, PGRAPH_IDLE, "duty 3/10")
    status, said = monitor()
    same(status, 0, said)
    near(float(said), 70, 1, "percent")


@case("tools: the monitor of the page says why it has no number", one)
def monitor_refused(lab):
    def says(words, user=None):
        status, said = monitor(user)
        same(status, 1, said)
        check(words in said, said)

    with paranoid(2):
        says("events/pgraph_idle: Permission denied", NOBODY)
    lab.gpu("clock", 1, "0/1")
    says("no clock counted")
    lab.gpu("clock", 1, "1/1")
    rmmod()
    says("no GPU with counters")
    insmod(lab.module)
