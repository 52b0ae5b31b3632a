# SPDX-License-Identifier: GPL-2.0-only
"""The program "pcounter": every verb, with 0, 1 and 2 GPUs, asleep, without permission."""

import contextlib
import csv
import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile

from program import NOBODY, mount_terminals, one, one_new, rows_of, suspended, tool, two
from support import (PMUS, PROGRAM, Event, Pmu, case, check, errno_name, insmod, paranoid,
                     rmmod, run, same, text, wait_for, write)

ABOUT = "two waits"

CAP_PERFMON = 38


def address(gpu):
    return gpu.pci.rsplit("/", maxsplit=1)[-1]


@contextlib.contextmanager
def no_gpus(lab):
    """Remove all GPUs from the bus, and find them again."""
    for gpu in lab.gpus:
        write(f"{gpu.pci}/remove", "1")
    try:
        yield
    finally:
        write("/sys/bus/pci/rescan", "1")
        wait_for(lambda: all((PMUS / f"pcounter_{gpu.number}").exists() for gpu in lab.gpus),
                 "the PMUs do not come back")


@case("tool: list shows two GPUs, their chips and measured clocks", two)
def list_two(lab):
    gpus = json.loads(tool("list", "--json"))
    same([gpu["chip"] for gpu in gpus], ["G84", "GT215"], "chips")
    same([gpu["address"] for gpu in gpus], [address(gpu) for gpu in lab.gpus], "addresses")
    same([gpu["pmu"] for gpu in gpus], ["pcounter_0", "pcounter_1"], "PMUs")
    same([len(gpu["domains"]) for gpu in gpus], [8, 8], "domains")
    same([gpu["idle_pmu"] for gpu in gpus], [None, "pcounter_idle_1"], "idle counters")
    # without the clocks; gpu_busy is the program's name for the opposite of gpu_idle
    named = [len(list((PMUS / f"pcounter_{n}/events").iterdir())) - 8 + 1 for n in (0, 1)]
    same([gpu["named_signals"] for gpu in gpus], named, "named signals")
    same([gpu["power"] for gpu in gpus], ["awake", "awake"], "power")

    # beside heavy work perf's time of an event begins before the counter does
    def measured():
        without, gpu = json.loads(tool("list", "--json"))
        one, two = (domain["clock_hz"] for domain in gpu["domains"][1:3])
        same(without["idle_ticks_hz"], None, "ticks of a GPU without idle counters")
        return (0.5e6 < one < 1.1e6 and 1.2 < two / one < 1.8 and
                0.5e6 < gpu["idle_ticks_hz"] < 1.1e6)

    lab.gpus[1]("clock", 2, "3/2")
    wait_for(measured, "clocks of 1 and 1.5 MHz are not shown")
    lab.gpus[1]("clock", 2, "1/1")
    check(all(word in tool("list") for word in ("G84", "core A", "idle      ticks ")), "text")
    same([gpu["chip"] for gpu in json.loads(tool("list", "-j", "-d", "pcounter_1"))], ["GT215"],
         "one of them")


@case("tool: list, doctor and top without any GPU", two)
def none(lab):
    with no_gpus(lab):
        same(json.loads(tool("list", "--json")), [], "list")
        same(tool("list"), "", "list as text")
        findings = json.loads(tool("doctor", "--json", status=1))
        check(any(line["subject"] == "GPU" and line["finding"] == "FAIL" for line in findings),
              f"{findings}")
        tool("explain", "pcounter/clk/", status=3)
        same(tool("top", "-J", "-n", "1", status=3), "", "rows of top")
    tool("list", "-d", "0000:ff:1f.7", status=3)


@case("tool: without the module list and doctor say so", two)
def unloaded(lab):
    rmmod()
    try:
        gpus = json.loads(tool("list", "--json"))
        same([gpu["unsupported"] for gpu in gpus], ["the module pcounter is not loaded"] * 2, "why")
        check("pcounter is not loaded" in tool("doctor", status=1), "doctor")
    finally:
        insmod(lab.module)


def random_event(rng, terms):
    """Return terms that are often valid, and sometimes not."""
    words = [f"dom={rng.choice((0, 0, 1, 1, 1, 1, 2, 2, 9 if rng.random() < 0.2 else 2))}"]
    if rng.random() < 0.1:
        words.append("clk")
    else:
        words += [f"sig{i or ''}={rng.randrange(16, 20) if rng.random() < 0.98 else 255}"
                  for i in range(rng.randint(1, 4))]
        if rng.random() < 0.6:
            words.append(f"op={rng.choice((0xaaaa, 0x8888, 0x6666, 0xcafe, 0xff00, 0))}")
    for term in ("pre", "start", "event", "stop", "setflag", "clrflag"):
        if rng.random() < 0.05:
            words.append(term)
    for term, values in (("d0", (1,)), ("d1", (1,)), ("d2", (1,)), ("flag", (1,)),
                         ("single", (1,)), ("quad", (1,)), ("record", (1,)), ("short", (1,)),
                         ("ctr", (1, 2, 3, 4, 5)), ("all", (1,)),
                         ("evpulse", (1,)), ("flagpulse", (1,)), ("periodic", (1, 2)),
                         ("swap", (0x10, 0x11, 0xfe)), ("threshold", (1, 2, 1 << 33)),
                         ("init", (1, 2)), ("config1", (1 << 5, 1 << 2, 1 << 40))):
        if (term in terms or term == "config1") and rng.random() < 0.02:
            words.append(f"{term}={rng.choice(values)}")
    return ",".join(words)


class QuickPmu(Pmu):
    """A PMU that reads every file of format/ once."""

    def __init__(self, number):
        super().__init__(number)
        self.places = {}
        for path in (self.path / "format").iterdir():
            word, _, bits = text(path).partition(":")
            self.places[path.name] = int(word[6:] or 0), int(bits.split("-")[0])

    def config(self, terms):
        words = [0, 0, 0]
        for term in terms.split(","):
            name, _, value = term.partition("=")
            word, first = self.places[name]
            words[word] |= int(value or "1", 0) << first
        return words


def opened(pmu, members):
    """Return the kernel's answer: number of the refused member, and the errno."""
    with contextlib.ExitStack() as stack:
        leader = None
        for number, member in enumerate(members):
            words = [word for word in member.split(",") if not word.startswith("config1=")]
            extra = [int(word[8:]) for word in member.split(",") if word.startswith("config1=")]
            try:
                event = stack.enter_context(Event(pmu, ",".join(words), leader=leader,
                                                  extra=(0, *(extra or [0]), 0)))
            except OSError as error:
                return number, errno_name(error)
            leader = leader or event
    return None, None


@case("tool: explain's verdict is that of perf_event_open, 1000 random groups", one,
      about="random")
def verdicts(lab):
    rng = random.Random(8)
    pmu = QuickPmu(0)
    terms = set(pmu.places)
    groups = [[random_event(rng, terms) for _ in range(rng.choice((1, 2, 3, 4, 5, 6)))]
              for _ in range(1000)]
    texts = ["{" + ",".join(f"pcounter_0/{member}/" for member in members) + "}"
             for members in groups]
    said = re.split("^(?={?pcounter_0/)", tool("explain", *texts, status=1), flags=re.M)[1:]
    same(len(said), len(groups), "verdicts")
    taken = 0
    for members, verdict in zip(groups, said):
        number, errno = opened(pmu, members)
        want = (": accepted" if number is None else
                f": refused ({errno})\n  refused  pcounter_0/{members[number]}/\n")
        check(want in verdict, f"{members}: not \"{want}\" but {verdict}")
        taken += number is None
    check(200 < taken < 800, f"{taken} of 1000 were taken: no test")


def with_capability(folder):
    """Make the program with its capability, like "sudo setcap cap_perfmon+ep"."""
    path = f"{folder}/pcounter"
    shutil.copy(PROGRAM, path)
    os.chmod(path, 0o755)
    os.setxattr(path, "security.capability",
                struct.pack("<5I", 0x02000001, 0, 0, 1 << (CAP_PERFMON - 32), 0))
    return path


def record_at_level(path, level, what):
    """Check that record mode needs the capability at each level, and that the program says so."""
    done = subprocess.run([path, "record", "-o", "/dev/null", "-t", "20"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **NOBODY)
    same((done.returncode, "do: sudo" in done.stderr, "container" in done.stderr),
         (done.returncode, bool(done.returncode), False), f"{what} {done.stderr}")
    if level < 3:
        same(done.returncode, int(path == PROGRAM), f"{what} {done.stderr}")


@case("tool: what it says of permissions is true at every level, with file capabilities", two)
def levels(lab):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o755)
        able = with_capability(folder)
        for level in range(-1, 5):
            with paranoid(level):
                for path in (PROGRAM, able):
                    said = subprocess.run([path, "doctor", "-d", "pcounter_0"], check=False,
                                          stdout=subprocess.PIPE, text=True, **NOBODY)
                    does = subprocess.run([path, "top", "-J", "-n", "1", "-i", "20"], check=False,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                          **NOBODY)
                    what = f"level {level} of {path}: {said.stdout} {does.stderr}"
                    check("container" not in does.stderr, what)
                    same((said.returncode, "permission    granted" in said.stdout,
                          "do: sudo" in does.stderr),
                         (does.returncode, not does.returncode, bool(does.returncode)), what)
                    # at levels that all kernels know, the kernel asks for the capability
                    if level < 3:
                        same(does.returncode, int(path == PROGRAM and level > 0), what)
                    record_at_level(path, level, what)


def capabilities_at_fifo(command, env):
    """Return the permitted capabilities of the program while it opens a FIFO without writer."""
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, **NOBODY) as program:
        process = pathlib.Path("/proc", str(program.pid))
        try:
            wait_for(lambda: text(process / "wchan") == "wait_for_partner",
                     f"{command} does not open the FIFO", seconds=60)
            return re.search(r"^CapPrm:\t(\w+)$", text(process / "status"), re.M)[1].strip("0")
        finally:
            program.kill()


@case("tool: with the capability of its file it trusts no environment, and drops it early", one)
def own_capability(lab):
    lab.gpu.signal(1, 0x10, "const", 1)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, paranoid(2):
        os.chmod(folder, 0o755)
        able, place = with_capability(folder), pathlib.Path(folder)
        env = {**os.environ, "XDG_CONFIG_HOME": f"{folder}/config", "PCI_IDS": f"{folder}/ids"}
        os.mkfifo(place / "fifo")
        os.chmod(place / "fifo", 0o666)
        (place / "ids").write_text("10de  N\n\t0402  The False Card\n", encoding="ascii")
        events = place / "config/pcounter/G84.events"
        events.parent.mkdir(parents=True)
        events.write_text('mine,"dom=1,sig=0x10"\n', encoding="ascii")
        for path, who, believed in ((PROGRAM, {}, True), (able, NOBODY, False)):
            for args, sign in ((("list",), "The False Card"),
                               (("top", "-n", "1", "-e", "mine"), "100.0 %")):
                done = subprocess.run([path, *args], check=False, env=env, stderr=subprocess.STDOUT,
                                      stdout=subprocess.PIPE, text=True, **who)
                same(sign in done.stdout, believed, f"{path} {args}: {done.stdout}")
        # a FIFO that somebody opens is a hang, which ends the case
        mount_terminals()
        (place / "x").mkdir()
        os.mkfifo(place / "x/xterm")
        terminal = pty.openpty()[1]
        subprocess.run([able, "top", "-n", "1"], stdin=terminal, stdout=terminal, check=True,
                       **NOBODY, env={**env, "TERM": "xterm", "TERMINFO": folder, "LINES": "9"})
        # the only file of each verb that reads one
        for args in (("report", f"{folder}/fifo"), ("diff", f"{folder}/fifo", "x")):
            same(capabilities_at_fifo([able, *args], env), "", f"{args}")

TOP_COLUMNS = ["time_ms", "gpu", "address", "state", "domain", "unit", "name", "events", "cycles",
               "share", "busy", "clock_hz", "peak"]
A, B = "dom=1,sig=0x10", "dom=1,sig=0x11"


def shares(rows, gpu):
    return {row["name"]: row["share"] for row in rows if row["gpu"] == gpu and row["name"] in (A, B)}


@case("tool: top shows shares and clocks of two GPUs, as JSON Lines and as CSV", two)
def top_two(lab):
    for number, gpu in enumerate(lab.gpus):
        gpu.signal(1, 0x10, "duty", f"{3 + number}/10")
        gpu.signal(1, 0x11, "const", 1)
    args = ("top", "-i", "200", "-n", "2", "-e", A, "-e", B)
    rows = rows_of(tool(*args, "-J"))
    same({tuple(row) for row in rows}, {tuple(TOP_COLUMNS)}, "keys")
    same({row["state"] for row in rows}, {"counting"}, "states")
    for number in (0, 1):
        got = shares(rows, f"pcounter_{number}")
        check(abs(got[A] - (3 + number) / 10) < 0.01, f"{got}")
        same(got[B], 1, "share of constant 1")

    # a busy host stops the virtual GPU's clock for a while
    def steady():
        clocks = [row["clock_hz"] for row in rows_of(tool(*args, "-J")) if row["unit"] == "clock"]
        same(len(clocks), 2 * 2 * 8, "clocks of 2 GPUs in 2 intervals")
        return all(0.8e6 < clock < 1.2e6 for clock in clocks)

    wait_for(steady, "clocks of 1 MHz are not shown")
    path = "/dev/shm/top.csv"
    same(tool(*args, "-c", "-o", path), "", "stdout beside -o")
    with open(path, newline="", encoding="ascii") as stream:
        table = list(csv.reader(stream))
    same(table[0], TOP_COLUMNS, "columns")
    same({len(line) for line in table}, {len(TOP_COLUMNS)}, "lengths of rows")
    same(len(table) - 1, len(rows), "rows")
    same(sum("pcounter_1" in line for line in table),
         sum(row["gpu"] == "pcounter_1" for row in rows), "rows of the second")
    same({row["gpu"] for row in rows_of(tool(*args, "-J", "-d", address(lab.gpus[1])))},
         {"pcounter_1"}, "one of them")


@case("tool: a sleeping GPU is shown asleep and left asleep, and top counts when it wakes up", two)
def sleeping(lab):
    power = f"{lab.gpus[0].pci}/power"
    with suspended(lab.gpus[0]):
        gpus = json.loads(tool("list", "--json"))
        same([gpu["power"] for gpu in gpus], ["asleep", "awake"], "power")
        same({domain["clock_hz"] for domain in gpus[0]["domains"]}, {None}, "clocks")
        check("asleep" in tool("list"), "text")
        rows = rows_of(tool("top", "-J", "-i", "50", "-n", "2", "-e", A))
        mine = [row for row in rows if row["gpu"] == "pcounter_0"]
        same([(row["state"], row["name"], row["share"]) for row in mine],
             [("asleep", None, None)] * 2, "rows of the sleeping one")
        same({row["state"] for row in rows if row["gpu"] == "pcounter_1"}, {"counting"}, "other")
        with subprocess.Popen([PROGRAM, "top", "-J", "-i", "100", "-d", "pcounter_0"],
                              stdout=subprocess.PIPE, text=True) as watcher:
            same(json.loads(watcher.stdout.readline())["state"], "asleep", "before")
            lab.gpus[0].forget()
            write(f"{power}/control", "on")
            while json.loads(watcher.stdout.readline())["state"] != "counting":
                pass
            watcher.send_signal(signal.SIGINT)
            watcher.communicate()
        write(f"{power}/control", "auto")
        wait_for(lambda: text(f"{power}/runtime_status") == "suspended", "it stays awake")
        lab.gpus[0].forget()


@case("tool: top ends in good order by SIGINT, and quietly when nobody reads", two)
def top_ends(lab):
    for kind in ("-J", "-c"):
        with subprocess.Popen([PROGRAM, "top", kind, "-i", "20"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as watcher:
            # communicate() would lose readline()'s buffer
            out = "".join(watcher.stdout.readline() for _ in range(21))
            watcher.send_signal(signal.SIGINT)
            out += watcher.stdout.read()
            err = watcher.stderr.read()
        same((watcher.returncode, err), (0, ""), "status and stderr")
        check(out.endswith("\n"), f"{len(out)} characters")
        if kind == "-J":
            rows_of(out)
        else:
            same({len(row) for row in csv.reader(out.splitlines())}, {len(TOP_COLUMNS)}, "columns")
    done = run("sh", "-c", f"{PROGRAM} top -J -i 20 | head -n 1")
    json.loads(done.stdout)


SCAN_COLUMNS = ["gpu", "address", "chip", "domain", "signal", "name", "confidence", "state",
                "events", "cycles", "share", "share_during", "change", "rank", "certainty"]
# domain, signal: before, and while the command runs
QUIET = {(0, 0x03): "const 0", (1, 0x20): "const 1", (1, 0x21): "duty 7/20",
         (2, 0x07): "random 9000/65536 seed 5", (5, 0x30): "duty 1/1000"}
MOVED = {(1, 0x10): ("const 0", "duty 5/10"), (1, 0x11): ("const 1", "const 0"),
         (1, 0x12): ("const 0", "duty 1/1000"), (3, 0x05): ("duty 3/10", "duty 6/10"),
         (7, 0xd2): ("const 0", "const 1"), (0, 0x00): ("random 9000/65536 seed 6", "const 0"),
         (6, 0x9f): ("const 1", "duty 9/10")}


def command(gpu):
    """Write a script that drives the wires for a while; return its path."""
    lines = [f"signal {dom} {sig} {script}" for (dom, sig), (_, script) in MOVED.items()]
    back = [f"signal {dom} {sig} {script}" for (dom, sig), (script, _) in MOVED.items()]
    path = pathlib.Path("/dev/shm/command")
    say = "".join("sleep 0.05\n" if line == "sleep" else
                  f"printf '{line}\\n' >&3; read -r status rest <&3; [ \"$status\" = ok ]\n"
                  for line in [*lines, "sleep", *back])
    path.write_text(f"#!/bin/sh\nset -e\nexec 3<>{gpu.port}\n{say}", encoding="ascii")
    path.chmod(0o755)
    return str(path)


def prepare(gpu):
    for sig in range(0x40):     # leftovers of other cases
        gpu("signal", 1, sig, "const 0")
    for (dom, sig), script in QUIET.items():
        gpu("signal", dom, sig, script)
    for (dom, sig), (script, _) in MOVED.items():
        gpu("signal", dom, sig, script)


def table_of(out):
    lines = list(csv.DictReader(out.splitlines()))
    same({tuple(line) for line in lines}, {tuple(SCAN_COLUMNS)}, "columns")
    return {(int(line["domain"]), int(line["signal"])): line for line in lines}


def state(script):
    return {"const 0": "low", "const 1": "high"}.get(script, "active")


@case("tool: scan -- COMMAND finds the wires that it moves, all of them and no other", one_new,
      about="minutes")
def scan_command(lab):
    prepare(lab.gpu)
    path = command(lab.gpu)
    table = table_of(tool("scan", "-c", "-i", "20", "--", path))
    same(len(table), sum((0x60, 256, 0xa0, 0x40, 0x60, 0x60, 0xc0, 256)), "wires")
    found = {wire for wire, line in table.items() if line["rank"]}
    same(found, set(MOVED), "wires that the command moves")
    ranks = sorted((int(line["rank"]), abs(float(line["change"]))) for line in table.values()
                   if line["rank"])
    same([rank for rank, _ in ranks], list(range(1, len(MOVED) + 1)), "ranks")
    changes = [change for _, change in ranks]
    same(changes, sorted(changes, reverse=True), "changes by rank")
    # and their levels before
    want = {**QUIET, **{wire: before for wire, (before, _) in MOVED.items()}}
    for wire, script in want.items():
        same(table[wire]["state"], state(script), f"{wire}: {script}")
        kind, value, *_ = script.split()
        part, whole = (int(n) for n in value.split("/")) if kind != "const" else (int(value), 1)
        check(abs(float(table[wire]["share"]) - part / whole) < 0.01, f"{table[wire]}")
    # other cases may have left others moving
    moving = {wire for wire in want if table[wire]["state"] == "active"}
    same(moving, {wire for wire, script in want.items() if state(script) == "active"}, "active")
