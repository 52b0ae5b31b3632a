# SPDX-License-Identifier: GPL-2.0-only
"""Check that a checker without reports is awake."""

from support import KCSAN, case, loading, run, wait_for

ABOUT = "first races"

SECONDS = 30


@case("checker: a race that is there is reported", lambda lab: KCSAN.exists())
def race(lab):
    with loading(lab, "pcounter_race"):
        # guest.py does not treat its line as a complaint
        wait_for(lambda: "data-race in race_" in run("dmesg").stdout,
                 f"no report of a race in {SECONDS} s", SECONDS)
