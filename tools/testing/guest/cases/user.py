# SPDX-License-Identifier: GPL-2.0-only
"""README's commands, as an ordinary user of Debian 12 would type them."""

import re
import sys

from program import USER, machine, one_new, two
from support import HERE, case, check, paranoid, rmmod, run, same

sys.path.insert(0, str(HERE.parent))

import readme  # noqa: E402

ABOUT = "two slow"

DEBIAN = 3      # kernel.perf_event_paranoid as Debian sets it
# each leaves one grant to do: the level and the capability, then one of them
LOSSES = ("true", "setcap -r /opt/pcounter", f"sysctl kernel.perf_event_paranoid={DEBIAN}")


def advice(kind, out):
    """Return the advice of the only line that gives one."""
    found = re.findall(rf"^{kind} .*; do: (.*)$", out, re.M)
    same((len(found), out.count("; do: ")), (1, 1), out)
    return found[0]


def check_count(status, out):
    count, = re.findall(r"^ +([\d,]+) +pcounter_\d/", out, re.M)
    check(not status and count != "0", out)


@case("user: README's commands as uid 1000 count, or one true line says what to do", one_new)
def as_user(lab):
    load, doctor, listing, metrics, stat = readme.commands()
    with machine(lab) as place:
        rmmod()
        with paranoid(-1):
            status, out = place.sh(doctor, USER)
            same((status, advice("FAIL", out)), (1, f"sudo {load}"), out)
        same(place.sh(load)[0], 0, load)
        with paranoid(DEBIAN):
            for loss in LOSSES:
                same(place.sh(loss)[0], 0, loss)
                status, out = place.sh(doctor, USER)
                same((status, out.splitlines()[-1]), (1, "Counting will not work."), out)
                check(place.sh(stat, USER)[0], "perf counts without the right")
                same(place.sh(advice("FAIL", out))[0], 0, out)
            # exactly the announced access: perf has not got it
            status, out = place.sh(doctor, USER)
            same((status, out.splitlines()[-1]), (0, "Counting will work."), out)
            check(place.sh(stat, USER)[0], "perf counts without the right")
            same(place.sh(advice("note", out))[0], 0, out)
            status, out = place.sh(doctor, USER)
            same((status, "; do: " in out), (0, False), out)
            same(place.sh(listing, USER)[0], 0, "list")
            same(place.sh(metrics, USER)[0], 0, "metrics")
            check_count(*place.sh(stat, USER))
        with paranoid(-1):
            status, out = place.sh(doctor, USER)
            same((status, "; do: " in out), (0, False), out)
            check_count(*place.sh(stat, USER))


@case("user: README's last command counts on every chip", lambda lab: True,
      about="registers tables")
def on_every_chip(lab):
    for gpu in lab.gpus:
        command = readme.commands()[-1].replace("pcounter_0", f"pcounter_{gpu.number}")
        done = run("sh", "-c", command)
        check_count(done.returncode, done.stdout)


@case("user: README's commands count where there are two GPUs", two)
def with_two(lab):
    with machine(lab) as place:
        for command in readme.commands()[1:]:
            status, out = place.sh(command)
            same(status, 0, out)
        check_count(status, out)
