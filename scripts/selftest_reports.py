# SPDX-License-Identifier: GPL-2.0-only
"""Reports of "pcounter selftest": are they sound, and what do they say?

A report comes from somebody else. Nothing in it is taken that is not known: keys,
texts, names and numbers are compared with what the program can write.
"""

import datetime
import errno
import hashlib
import json
import os
import re

from hwtables import TABLES, TOP, read_chips

REPORTS = TOP / "Documentation" / "gpu" / "pcounter" / "reports"
EXPERIMENTS = TOP / "drivers" / "gpu" / "pcounter" / "experiment"
STAGES = TOP / "tools" / "pcounter" / "selftest"

KIND = "pcounter-selftest"
SCHEMA = 1
MOST = 100 * 1024
DEPTH = 8
WORD = 2 ** 32 - 1
BAR_0 = 2 ** 24 - 1
MOST_HZ = 5_000_000_000
DRIVERS = {"", "nouveau", "nvidia", "vfio-pci", "other"}
POWERS = {"awake", "asleep", "gone"}
VERDICTS = {"decided", "absent", "undecided", "contradicts", "stopped", "not-restored", "refused"}
DOMAIN = re.compile(r"[0-7]|hub[0-7]|(gpc|part)\d{1,2}\.[0-7]")
REGISTERS = re.compile(r"([0-9a-f]{6}=[0-9a-f]{8}( [0-9a-f]{6}=[0-9a-f]{8}){0,39})?")
FIRST_DAY = datetime.date(2025, 1, 1)


class ReportError(Exception):
    """Why a report is refused."""


def need(condition, why):
    if not condition:
        raise ReportError(why)


# ---- what the program can write ----

def strings(path):
    """The strings of a C file; those side by side are one."""
    text = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
    return set(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text))


class Known:
    """Names and texts of this version of program and module."""

    def __init__(self):
        table = (EXPERIMENTS / "table.c").read_text(encoding="utf-8")
        self.readings = {}
        self.questions = {}
        self.rows = {}
        for block in table.split('.name = "')[1:]:
            name = block.partition('"')[0]
            self.questions[name] = re.search(r'\.question = "([^"]*)"', block)[1]
            row = re.search(r"\.row = (\d+)", block.partition(".question")[0])
            self.rows[name] = int(row[1]) if row else 0
            texts = block.partition(".reading =")[2]
            self.readings[name] = re.findall(r'\{\s*(?:\.text = )?"([^"]*)"', texts)
        self.reasons = {os.strerror(number) for number in errno.errorcode}
        for path in EXPERIMENTS.glob("*.c"):
            self.reasons |= strings(path)
        self.texts = strings(TOP / "tools" / "pcounter" / "verbs" / "selftest.c")
        for path in STAGES.glob("*.c"):
            self.texts |= strings(path)
        self.chips = {name.lower(): chip for name, chip in
                      read_chips(TABLES / "chips.csv").items()}


# ---- reading ----

def no_twins(pairs):
    keys = [key for key, _ in pairs]
    need(len(keys) == len(set(keys)), "a key stands twice")
    return dict(pairs)


def no_constant(name):
    raise ReportError(f"{name} is no number")


def depth_of(text):
    """How deep brackets are nested, strings left out."""
    deepest = depth = 0
    for bracket in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in "]}":
            depth -= 1
    return deepest


def parse(data):
    """JSON of a limited size and depth."""
    need(len(data) <= MOST, f"more than {MOST} bytes")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise ReportError("not plain ASCII") from None
    need(depth_of(text) <= DEPTH, f"nested deeper than {DEPTH}")
    try:
        return json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise ReportError(f"no JSON: {error}") from None


# ---- checking ----

def keys(value, wanted, optional=(), what="the report"):
    need(isinstance(value, dict), f"{what}: not an object")
    lacking = set(wanted) - set(value)
    need(not lacking, f"{what}: lacks {', '.join(sorted(lacking))}")
    more = set(value) - set(wanted) - set(optional)
    need(not more, f"{what}: has {', '.join(sorted(more))[:80]}, which nobody wrote: private?")


def number(value, most, what, least=0):
    need(isinstance(value, int) and not isinstance(value, bool), f"{what}: not a number")
    need(least <= value <= most, f"{what}: {value} cannot be")


def word(value, allowed, what):
    need(isinstance(value, str), f"{what}: not a text")
    need(value in allowed, f"{what}: a text that nobody wrote: private?")


def array(value, most, what):
    need(isinstance(value, list), f"{what}: not an array")
    need(len(value) <= most, f"{what}: {len(value)} entries")
    return value


def check_head(report, known):
    keys(report, ("kind", "schema", "program", "date", "chip", "kernel", "stages", "experiments"),
         ("gpu", "restored"))
    need(report["kind"] == KIND, "kind: no report of a selftest")
    need(report["schema"] == SCHEMA, "schema: another version")
    need(isinstance(report["program"], str) and
         re.fullmatch(r"\d{1,3}(\.\d{1,3}){1,2}", report["program"]), "program: no version")
    need(isinstance(report["kernel"], str) and
         re.fullmatch(r"\d{1,2}\.\d{1,3}", report["kernel"]), "kernel: more than a version")
    need(isinstance(report["chip"], str) and report["chip"].lower() in known.chips,
         "chip: not known")
    try:
        day = datetime.date.fromisoformat(str(report["date"]))
    except ValueError:
        raise ReportError("date: none") from None
    need(FIRST_DAY <= day <= datetime.date.today() + datetime.timedelta(days=1),
         "date: not a day on which this could be")
    if "restored" in report:
        need(isinstance(report["restored"], bool), "restored: not true or false")


def check_gpu(gpu):
    keys(gpu, ("device", "boot_0", "straps", "driver", "power", "bars", "domains", "modes"),
         what="gpu")
    number(gpu["boot_0"], WORD, "gpu: boot_0")
    number(gpu["straps"], WORD, "gpu: straps")
    word(gpu["power"], POWERS, "gpu: power")
    number(gpu["device"], 0xffff, "gpu: device")
    number(gpu["domains"], 256, "gpu: domains", 1)
    word(gpu["driver"], DRIVERS, "gpu: driver")
    for size in array(gpu["bars"], 6, "gpu: bars"):
        number(size, 2 ** 40, "gpu: bars")
    need(isinstance(gpu["modes"], str) and set(gpu["modes"].split()) <=
         {"single", "quad", "record"}, "gpu: modes that nobody knows")


def check_register(register, what):
    """Its address, what it should have read, and what it read."""
    need(len(array(register, 3, f"{what}: register")) == 3, f"{what}: register: not three numbers")
    for value in register:
        number(value, WORD, f"{what}: register")
    number(register[0], BAR_0, f"{what}: register: address")


def check_check(entry, known):
    keys(entry, ("name", "ok", "evidence"), ("domain", "register"), "a check")
    word(entry["name"], known.texts, "a check: name")
    need(isinstance(entry["ok"], bool), "a check: ok")
    for value in array(entry["evidence"], 8, "a check: evidence"):
        number(value, 2 ** 62, "a check: evidence", -(2 ** 31))
    if "register" in entry:
        check_register(entry["register"], "a check")
    if "domain" in entry:
        need(isinstance(entry["domain"], str) and DOMAIN.fullmatch(entry["domain"]),
             "a check: domain")
    if entry["name"] == "clock":
        for value in entry["evidence"]:
            number(value, MOST_HZ, "a check: a clock", -1)


def check_levels(levels):
    need(isinstance(levels, dict), "levels: not an object")
    for domain, looks in levels.items():
        need(DOMAIN.fullmatch(domain), "levels: domain")
        for look in array(looks, 2, "levels"):
            for value in array(look, 8, "levels"):
                need(isinstance(value, str) and re.fullmatch("[0-9a-f]{8}", value),
                     "levels: no word")


def check_registers(registers):
    need(isinstance(registers, dict), "registers: not an object")
    for domain, values in registers.items():
        need(DOMAIN.fullmatch(domain), "registers: domain")
        need(isinstance(values, str) and REGISTERS.fullmatch(values),
             "registers: not addresses and values: private?")


def check_stage(stage, known):
    keys(stage, ("stage", "name", "touches", "checks"), ("levels", "registers"), "a stage")
    number(stage["stage"], 6, "a stage: number")
    word(stage["name"], known.texts, "a stage: name")
    word(stage["touches"], known.texts, "a stage: touches")
    for entry in array(stage["checks"], 2000, "checks"):
        check_check(entry, known)
    if "levels" in stage:
        check_levels(stage["levels"])
    if "registers" in stage:
        check_registers(stage["registers"])


def check_experiment(row, known):
    keys(row, ("name", "row", "verdict"),
         ("reading", "text", "why", "register", "accesses", "evidence"), "an experiment")
    need(isinstance(row["name"], str) and row["name"] in known.readings,
         "an experiment that nobody knows")
    name = f"experiment {row['name']}"
    need(row["row"] == known.rows[row["name"]], f"{name}: row")
    word(row["verdict"], VERDICTS, f"{name}: verdict")
    if "accesses" in row:
        number(row["accesses"], 10 ** 6, f"{name}: accesses")
    for value in array(row.get("evidence", []), 6, f"{name}: evidence"):
        number(value, WORD, f"{name}: evidence")
    if "register" in row:
        check_register(row["register"], name)
    if "why" in row:
        word(row["why"], known.reasons, f"{name}: why")
    need(("reading" in row) == (row["verdict"] == "decided"), f"{name}: reading")
    if "reading" in row:
        number(row["reading"], len(known.readings[row["name"]]) - 1, f"{name}: reading")
        need(row.get("text") == known.readings[row["name"]][row["reading"]],
             f"{name}: text is not that of the reading")
    else:
        need("text" not in row, f"{name}: text without a reading")


def check(report, known):
    """Refuses what the program cannot have written."""
    check_head(report, known)
    if "gpu" in report:
        check_gpu(report["gpu"])
    for stage in array(report["stages"], 7, "stages"):
        check_stage(stage, known)
    for row in array(report["experiments"], 64, "experiments"):
        check_experiment(row, known)
    names = [row["name"] for row in report["experiments"]]
    need(len(names) == len(set(names)), "an experiment stands twice")
    bases(report)


def load(data, known):
    report = parse(data)
    check(report, known)
    return report


def file_name(report):
    """Of a report in the tree; the same report has the same name."""
    text = json.dumps(report, sort_keys=True)
    return (f"{report['chip'].lower()}-{report['date']}-"
            f"{hashlib.sha256(text.encode()).hexdigest()[:8]}.json")


def facts(report):
    """What a report has decided: name of the experiment, number of the reading."""
    return {row["name"]: row["reading"] for row in report["experiments"]
            if row["verdict"] == "decided"}


# Counters of a domain that a signal which is always 1 has moved as it should.
RIGHT = {"always 1 equals cycles", "PRE, START, EVENT, STOP of always 1 equal cycles"}


def counts(report):
    """Has a domain counted what is known, and none anything else?"""
    checks = [check for stage in report["stages"] if stage["stage"] == 2
              for check in stage["checks"]]
    return all(check["ok"] for check in checks) and any(check["name"] in RIGHT for check in checks)


# ---- trailer bases ----

# The bytes of the experiment's evidence: HUB's or all domains', GPC's, partition's.
PLACES = [*(f"hub{n}" for n in range(8)), *(f"gpc{n}" for n in range(8)),
          *(f"part{n}" for n in range(4))]
NO_BASE = 0xff


def bases(report):
    """Trailer bases that were found, by domain; it does not matter what was expected."""
    for row in report["experiments"]:
        if row["name"] == "trailers" and row["verdict"] in ("decided", "contradicts"):
            need(len(row.get("evidence", [])) == 6, "experiment trailers: evidence")
            seen = b"".join(word.to_bytes(4, "little") for word in row["evidence"][:5])
            found = {name: base for name, base in zip(PLACES, seen) if base != NO_BASE}
            need(not any(base % 0x20 for base in found.values()), "experiment trailers: a base")
            return found
    return {}
