# SPDX-License-Identifier: GPL-2.0-only
"""Check and read reports of "pcounter selftest".

Reports come from other people. Keys, texts, names and numbers that the program cannot
write are rejected.
"""

import datetime
import errno
import hashlib
import json
import os
import re

from hwtables import TABLES, TOP, read_chips, read_rows

REPORTS = TOP / "Documentation" / "gpu" / "pcounter" / "reports"
LABORATORY = TOP / "drivers" / "gpu" / "pcounter" / "lab"
STAGES = TOP / "tools" / "pcounter" / "selftest"

MOST = 100 * 1024
WORD = range(2 ** 32)
MOST_HZ = 5_000_000_000
DOMAIN = r"[0-7]|hub[0-7]|(gpc|part)\d{1,2}\.[0-7]"
REGISTERS = r"([0-9a-f]{6}=[0-9a-f]{8}( [0-9a-f]{6}=[0-9a-f]{8}){0,39})?"
MODES = r"(single|quad|record)?( (single|quad|record))*"
FIRST_DAY = datetime.date(2025, 1, 1)


def plain(text):
    """Return a text of others in printable ASCII, for a terminal."""
    return re.sub(r"[^ -~]", "?", text)


class ReportError(Exception):
    """The reason to reject a report, in plain words."""

    def __init__(self, why):
        super().__init__(plain(why))


def need(condition, why):
    if not condition:
        raise ReportError(why)


# ---- the vocabulary of the program ----

def strings(path):
    """Return the strings of a C file. Adjacent ones are one string."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
    return set(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text))


class Known:
    """Names and texts of this version of program and module."""

    def __init__(self):
        self.rows = {row["name"]: row for row in read_rows(TABLES / "experiments.csv")}
        self.readings = {name: row["readings"].split(" | ") for name, row in self.rows.items()}
        self.reasons = {os.strerror(number) for number in errno.errorcode}
        for path in LABORATORY.glob("*.c"):
            self.reasons |= strings(path)
        self.texts = {row["check"] for row in self.rows.values()}
        for path in (STAGES.parent / "verbs" / "selftest.c", *STAGES.glob("*.c")):
            self.texts |= strings(path)
        self.chips = {name.lower(): chip for name, chip in read_chips().items()}


# ---- reading ----

def no_twins(pairs):
    keys = [key for key, _ in pairs]
    need(len(keys) == len(set(keys)), "a key stands twice")
    return dict(pairs)


def parse(data):
    """Parse JSON of a limited size."""
    need(len(data) <= MOST, f"more than {MOST} bytes")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise ReportError("not plain ASCII") from None
    try:
        return json.loads(text, object_pairs_hook=no_twins)
    except (ValueError, RecursionError) as error:
        raise ReportError(f"no JSON: {error}") from None


# ---- checking ----

class Each(tuple):
    """In a schema: an object, by the pattern of its keys and the schema of its values."""


def schema(known):
    """Return the schema of a report, for fits()."""
    verdicts = {"decided", "absent", "undecided", "contradicts", "stopped", "not-restored",
                "refused"}
    # its address, the expected value, and the actual value
    register = (range(3, 4), WORD)
    return {
        "kind": {"pcounter-selftest"}, "schema": range(1, 2),
        "program": r"\d{1,3}(\.\d{1,3}){1,2}", "date": r"\d{4}-\d\d-\d\d",
        "chip": {chip.name for chip in known.chips.values()} | set(known.chips),
        "kernel": r"\d{1,2}\.\d{1,3}", "restored?": bool,
        "gpu?": {
            "device": range(0x10000), "boot_0": WORD, "straps": WORD,
            "driver": {"", "nouveau", "nvidia", "vfio-pci", "other"},
            "power": {"awake", "asleep", "gone"}, "bars": (range(7), range(2 ** 40 + 1)),
            "domains": range(1, 257), "modes": MODES,
        },
        "stages": (range(8), {
            "stage": range(7), "name": known.texts, "touches": known.texts,
            "checks": (range(2001), {
                "name": known.texts, "ok": bool, "register?": register, "domain?": DOMAIN,
                "evidence": (range(9), range(-(2 ** 31), 2 ** 62 + 1)),
            }),
            "levels?": Each((DOMAIN, (range(3), (range(9), "[0-9a-f]{8}")))),
            "registers?": Each((DOMAIN, REGISTERS)),
        }),
        "experiments": (range(len(known.rows) + 1), {
            "name": set(known.readings), "row": range(100), "verdict": verdicts,
            "reading?": range(100),
            "text?": {text for texts in known.readings.values() for text in texts},
            "why?": known.reasons, "register?": register, "accesses?": range(10 ** 6 + 1),
            "evidence?": (range(6, 7), WORD),
        }),
    }


def fits(value, wanted, what="the report"):
    """Reject a value that does not fit the schema WANTED.

    A dict lists the keys of an object, optional ones with a "?". A tuple is an array: how
    many entries, and their schema. A set lists words, a range numbers, and a string is a
    regular expression.
    """
    if isinstance(wanted, dict):
        need(isinstance(value, dict), f"{what}: not an object")
        entries = {key.rstrip("?"): entry for key, entry in wanted.items()}
        lacking = set(wanted) - {f"{key}?" for key in entries} - set(value)
        more = set(value) - set(entries)
        need(not lacking, f"{what}: lacks {', '.join(sorted(lacking))}")
        need(not more, f"{what}: has {', '.join(sorted(more))[:80]}, which nobody wrote: private?")
        for key, one in value.items():
            fits(one, entries[key], f"{what}: {key}")
    elif isinstance(wanted, Each):
        need(isinstance(value, dict), f"{what}: not an object")
        for key, one in value.items():
            fits(key, wanted[0], what)
            fits(one, wanted[1], what)
    elif isinstance(wanted, tuple):
        need(isinstance(value, list), f"{what}: not an array")
        need(len(value) in wanted[0], f"{what}: {len(value)} entries")
        for one in value:
            fits(one, wanted[1], what)
    elif wanted is bool:
        need(isinstance(value, bool), f"{what}: not true or false")
    elif isinstance(wanted, range):
        need(isinstance(value, int) and not isinstance(value, bool), f"{what}: not a number")
        need(value in wanted, f"{what}: {value} cannot be")
    else:
        need(isinstance(value, str), f"{what}: not a text")
        need(value in wanted if isinstance(wanted, (set, frozenset)) else
             re.fullmatch(wanted, value), f"{what}: a text that nobody wrote: private?")


def check_experiment(row, known):
    name = f"experiment {row['name']}"
    need(row["row"] == int(known.rows[row["name"]]["row"]), f"{name}: row")
    need(row.get("register", [0])[0] < 2 ** 24, f"{name}: register")
    need(("reading" in row) == (row["verdict"] == "decided") == ("text" in row), f"{name}: reading")
    if "reading" in row:
        need("evidence" in row, f"{name}: evidence")
        need(row["text"] in known.readings[row["name"]][row["reading"]:row["reading"] + 1],
             f"{name}: text is not that of the reading")


def check(report, known):
    """Reject a report that the program cannot have written."""
    fits(report, schema(known))
    try:
        day = datetime.date.fromisoformat(report["date"])
    except ValueError:
        raise ReportError("date: none") from None
    need(FIRST_DAY <= day <= datetime.date.today() + datetime.timedelta(days=1),
         "date: not a day on which this could be")
    for entry in (entry for stage in report["stages"] for entry in stage["checks"]):
        need(entry.get("register", [0])[0] < 2 ** 24, "a check: register")
        need(not entry["ok"] or entry["name"] not in RIGHT or proves(entry["evidence"]),
             "a check: counts that are not right")
        need(entry["name"] != "clock" or all(-1 <= hz <= MOST_HZ for hz in entry["evidence"]),
             "a check: a clock")
    for row in report["experiments"]:
        check_experiment(row, known)
    names = [row["name"] for row in report["experiments"]]
    need(len(names) == len(set(names)), "an experiment stands twice")
    bases(report)


def load(data, known):
    report = parse(data)
    check(report, known)
    return report


def file_name(report):
    """Return the name of a report in the tree. Equal reports have equal names."""
    text = json.dumps(report, sort_keys=True)
    return (f"{report['chip'].lower()}-{report['date']}-"
            f"{hashlib.sha256(text.encode()).hexdigest()[:8]}.json")


def facts(report):
    """Return the readings that a report has decided, by name of the experiment."""
    return {row["name"]: row["reading"] for row in report["experiments"]
            if row["verdict"] == "decided"}


# Checks that prove the counters of a domain with a signal that is always 1.
RIGHT = {"always 1 equals cycles", "PRE, START, EVENT, STOP of always 1 equal cycles"}


def proves(evidence):
    """Return whether counts equal the clocks, the last but one, without an error, the last.

    A GPU without a latch reads both at slightly different moments.
    """
    *all_counts, clocks, error = evidence if len(evidence) > 2 else (0, 0, 0)
    return clocks > 0 and not error and all(abs(count - clocks) <= clocks / 20 + 1000
                                            for count in all_counts)


def counts(report):
    """Return whether a domain counted known signals right, and no domain counted wrong."""
    checks = [check for stage in report["stages"] if stage["stage"] == 2
              for check in stage["checks"]]
    return all(check["ok"] for check in checks) and any(check["name"] in RIGHT for check in checks)


# ---- trailer bases ----

# The bytes of the experiment's evidence: HUB's or all domains', GPC's, partition's.
PLACES = [*(f"hub{n}" for n in range(8)), *(f"gpc{n}" for n in range(8)),
          *(f"part{n}" for n in range(4))]
NO_BASE = 0xff


def bases(report):
    """Return the trailer bases that the card has shown, by domain."""
    for row in report["experiments"]:
        if row["name"] == "trailers" and row["verdict"] in ("decided", "contradicts"):
            need(len(row.get("evidence", [])) == 6, "experiment trailers: evidence")
            seen = b"".join(word.to_bytes(4, "little") for word in row["evidence"][:5])
            found = {name: base for name, base in zip(PLACES, seen) if base != NO_BASE}
            need(not any(base % 0x20 for base in found.values()), "experiment trailers: a base")
            return found
    return {}
