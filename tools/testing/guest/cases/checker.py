# SPDX-License-Identifier: GPL-2.0-only
"""Check that a checker without reports is awake."""

import pathlib

from support import KCSAN, case, insmod, rmmod, run, wait_for

ABOUT = "first races"

SECONDS = 30


@case("checker: a race that is there is reported", lambda lab: KCSAN.exists())
def race(lab):
    insmod(str(pathlib.Path(lab.module).with_name("pcounter_race.ko")))
    try:
        # guest.py does not treat its line as a complaint
        wait_for(lambda: "data-race in race_" in run("dmesg").stdout,
                 f"no report of a race in {SECONDS} s", SECONDS)
    finally:
        rmmod("pcounter_race")
