# SPDX-License-Identifier: GPL-2.0-only
"""Reports of "pcounter selftest", read by tests."""

# chips with known signals of register accesses
BUS = {"g80", "g84", "g86", "g92", "g94", "g96", "g98", "g200", "gt215", "gt216", "gt218"}
# findings of record mode in stage 5
PACKETS = {"packets arrive by a channel in system memory", "packets are 1024 clocks apart",
           "memory is as far as the position says", "LIMIT keeps the GPU from what was not read"}


def unsteady(report):
    """Return true if a clock was not steady: on a busy host, a virtual GPU's is not."""
    return any(not entry["ok"] and entry["name"] == "clock" for stage in report["stages"]
               for entry in stage["checks"])


def failed(report):
    """Return failed checks, except for unsteady clocks: stage, name, domain, register."""
    return [(stage["stage"], entry["name"], entry.get("domain"), entry.get("register"))
            for stage in report["stages"] for entry in stage["checks"]
            if not entry["ok"] and entry["name"] != "clock"]


def evidence(report):
    """Return the numbers of failed checks."""
    return [entry["evidence"] for stage in report["stages"] for entry in stage["checks"]
            if not entry["ok"]]


def wrong_in(report):
    """Return checks and experiments that contradict the documents."""
    return failed(report), {name: verdict for name, (verdict, _) in verdicts(report).items()
                            if verdict not in ("decided", "absent", "undecided")}


def verdicts(report):
    return {row["name"]: (row["verdict"], row.get("reading")) for row in report["experiments"]}


def stage_of(report, number):
    return next(stage for stage in report["stages"] if stage["stage"] == number)


def known_of(report):
    """Return the findings of stage 2."""
    return {entry["name"] for entry in stage_of(report, 2)["checks"]} - {"clock"}


def expected_of(chip):
    found = {"PRE, START, EVENT, STOP of always 1 equal cycles" if chip.quad else
             "always 1 equals cycles"}
    if chip.chipset >= 0x84:
        found |= {"ZERO stays 0", *(f"PERIODIC has a period of {clocks} clocks"
                                    for clocks in (1024, 8192, 65536))}
    if chip.pdaemon:
        found.add("16 pulses of USER_1 are counted")
    return found
