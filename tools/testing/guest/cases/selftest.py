# SPDX-License-Identifier: GPL-2.0-only
"""pcounter selftest: reports, experiments, and restored registers."""

import contextlib
import functools
import importlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from lives import leave_and_return
from program import one, suspended, tool
from reports import (BUS, PACKETS, evidence, expected_of, failed, known_of, stage_of, unsteady,
                     verdicts, wrong_in)
from support import (EVENT, LIBC, PROGRAM, Event, beside, booted_with, case, check, counter, cycles,
                     insmod, loading, op, rmmod, run, same, seed, snapshot, text, wait_for, write)

ABOUT = "registers pdaemon waits"

SCRIPTS = str(pathlib.Path(__file__).resolve().parents[4] / "scripts")
EXPERIMENT = "/sys/kernel/debug/pcounter/pcounter_0/lab/experiment"
LABORATORY = pathlib.Path("/sys/module/pcounter_lab")
MOST = 100 * 1024
PR_SET_CHILD_SUBREAPER = 36
GPC_COUNT = 0x022430
TRAILER_4 = 0x40


@functools.cache
def importer():
    """Load the reader of import-report.py --check, and its knowledge.
    Once for all, since Python takes seconds to start in a guest.
    """
    sys.path.append(SCRIPTS)
    reader = importlib.import_module("selftest_reports")
    return reader, reader.Known()


@functools.cache
def installed():
    """Install the modules as on a user's system, for modprobe."""
    release = os.uname().release
    folder = pathlib.Path("/dev/shm/system/lib/modules", release)
    (folder / "updates").mkdir(parents=True)
    for name in ("pcounter", "pcounter_lab"):
        shutil.copy(pathlib.Path(sys.argv[1]).with_name(f"{name}.ko"), folder / "updates")
    done = run("depmod", "-b", "/dev/shm/system", release)
    check(done.returncode == 0, f"depmod: {done.stdout}")
    return {**os.environ, "MODPROBE_OPTIONS": "-d /dev/shm/system"}


def laboratory(lab):
    """Load the laboratory, for cases that use it without the program."""
    return loading(lab, "pcounter_lab")


def report_of(*args, status=0):
    """Return the report of a run, its output and messages, and its status."""
    loaded = LABORATORY.exists()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        said = tool("selftest", "-o", str(path), *args, status=status or None, env=installed())
        progress, found = tool.stderr, tool.status
        same(LABORATORY.exists(), loaded, "the laboratory stays as it was")
        text = path.read_text(encoding="utf-8")
        check(len(text) < MOST, f"{len(text)} bytes")
        check(os.uname().nodename not in text or not os.uname().nodename, "the host's name")
        reader, known = importer()
        reader.load(path.read_bytes(), known)
        return json.loads(text), said, progress, found


def asked_again(ask, right):
    """Return the first right answer, or the last one.
    A virtual GPU that had no processor for a while, and then catches up, looks
    like one that stands still or runs too fast; a real error occurs three times.
    """
    for _ in range(3):
        said = ask()
        if right(said):
            break
    return said


def selftest(*args, status=0):
    """Return the report of a run with the expected results, unless the status differs."""
    report, said, progress, found = asked_again(
        lambda: report_of(*args, status=status),
        lambda run: status or wrong_in(run[0]) == ([], {}))
    check(status or wrong_in(report) == ([], {}), f"{wrong_in(report)}: {said}")
    check(found == 0 or status or unsteady(report), said)
    for stage in report["stages"]:
        check(f"stage {stage['stage']}: {stage['name']} (touches " in progress, progress)
    print(f"# {' '.join(args)}: {progress.splitlines()[-1]}", flush=True)
    return report


def any_gpu(_lab):
    return True


def any_fermi(lab):
    return any(gpu.chip.name == "gf100" for gpu in lab.gpus)


@case("selftest: what is known is counted on every GPU, and registers are as found", any_gpu,
      about="many")
def stages(lab):
    for number, gpu in enumerate(lab.gpus):
        report = selftest(f"pcounter_{number}")
        same(report["chip"].lower(), gpu.chip.name, "chip")
        check(report["restored"], "registers are not as they were found")
        check(gpu.pci.rsplit("/", maxsplit=1)[-1] not in json.dumps(report), "an address")
        same(report["experiments"], [], "experiments that nobody asked for")
        counted = [entry["evidence"][:3] for stage in report["stages"] if stage["stage"] == 3
                   for entry in stage["checks"]]
        same(counted, [[1001, 201, 1202]] if gpu.chip.name in BUS else [], gpu.chip.name)
        same(report["gpu"]["boot_0"] >> 20, gpu.chip.chipset, "BOOT_0")
        same((report["gpu"]["power"], len(report["gpu"]["bars"])), ("awake", 6), "stage 0")
        same(len(stage_of(report, 1)["registers"]), len(stage_of(report, 1)["levels"]),
             "domains whose registers are known")
        lacking = expected_of(gpu.chip) - known_of(report)
        check(not lacking, f"{gpu.chip.name}: not asked: {lacking}")
        selftest("--experiments", f"pcounter_{number}")


def answer(name):
    """Return the result of a single experiment."""
    with open(EXPERIMENT, "r+b", buffering=0) as file:
        file.write(name.encode())
        file.seek(0)
        return json.loads(file.read())


@case("selftest: what differs from the documents is named, and at which register", one,
      about="slow")
def differs(lab):
    """Test a counter that counts one more, a register that keeps nothing, a clock, a trailer."""
    before = snapshot(lab.gpu)
    counters = "PRE, START, EVENT, STOP of always 1 equal cycles"
    try:
        lab.gpu("fault", "more", counter(EVENT, 2), 1)
        lab.gpu("fault", "sticky", op(EVENT, 0), 0)
        lab.gpu("clock", 3, "0/1")
        lab.gpu("trailer", 4, 0x00)
        report = selftest("--experiments", status=1)
    finally:
        lab.gpu("fault", "none")
        lab.gpu("clock", 3, "1/1")
        lab.gpu("trailer", 4, TRAILER_4)
    wrong = {(name, dom): register for _, name, dom, register in failed(report)}
    addr, wanted, got = wrong[counters, "2"]
    same((addr, got), (counter(EVENT, 2), wanted + 1), "one more")
    check((counters, "1") not in wrong, "a counter that is right is named")
    check(("PERIODIC has a period of 1024 clocks", "4") in wrong, f"a trailer: {wrong}")
    same([(entry["domain"], entry["register"]) for entry in stage_of(report, 2)["checks"]
          if entry["name"] == "clock" and entry["evidence"] == [0, 0]],
         [("3", [cycles(3), 1, 0])], "dead domains")
    row = next(row for row in report["experiments"] if row["name"] == "registers")
    same((row["verdict"], row["register"][0], row["register"][2]),
         ("contradicts", op(EVENT, 0), 0), "a register that keeps nothing")
    check(report["restored"], "not as it was found")
    same(snapshot(lab.gpu), before, "registers")


def records(lab):
    return one(lab) and lab.chip.record


@case("selftest: packets, position and LIMIT of record mode are judged", records, about="slow")
def record_mode(lab):
    before = snapshot(lab.gpu)
    # many periods end between the start of the counters and that of record mode
    lab.gpu("clock", 2, "200/1")
    try:
        found = asked_again(lambda: [entry["name"] for entry in
                                     stage_of(selftest("--record"), 5)["checks"]],
                            PACKETS.issubset)
    finally:
        lab.gpu("clock", 2, "1/1")
    check(PACKETS.issubset(found), f"{found}")
    same(found.count("packets are 1024 clocks apart"), lab.chip.domains, "domains")
    # on a card that refuses this channel the other domains are not tried
    lab.gpu("quirk", "no_system_channel", 1)
    try:
        wrong = failed(selftest("--record", status=1))
    finally:
        lab.gpu("quirk", "no_system_channel", 0)
        lab.gpu("record", "reset")
    same([row[:3] for row in wrong if row[0] == 5],
         [(5, "packets arrive by a channel in system memory", "0")], "no channel")
    same(snapshot(lab.gpu), before, "registers")


# The GPU is too fast for these: an access takes longer than a record's way.
FAST = {"stream_empty", "stream_count_late", "stream_split"}


@case("selftest: records of GF100 and later are examined, in both readings", any_fermi,
      about="many")
def streams(lab):
    gpu = next(gpu for gpu in lab.gpus if gpu.chip.name == "gf100")
    before = snapshot(gpu)
    for reading in (0, 1):
        gpu("quirk", "stream_sum", reading)
        gpu("quirk", "stream_request", reading)
        try:
            found = verdicts(selftest("--record", f"pcounter_{gpu.number}"))
        finally:
            gpu("quirk", "stream_sum", 0)
            gpu("quirk", "stream_request", 0)
        asked = {name for name in found if name.startswith("stream_")}
        decided = {name for name in asked if found[name][0] == "decided"}
        check(asked - decided <= FAST, f"not answered: {asked - decided}")
        same([found["stream_sum"], found["stream_request"], found["stream_mode"]],
             [("decided", reading), ("decided", reading), ("decided", 0)], "readings")
        check("record_bogus" in found and found["record_bogus"][0] == "absent", "Tesla's")
    same(snapshot(gpu), before, "registers")


@case("selftest: a GPC that is counted and not there is named", any_fermi, about="many")
def absent_gpc(lab):
    gpu = next(gpu for gpu in lab.gpus if gpu.chip.name == "gf100")
    rmmod()
    try:
        # two of four GPCs are disabled
        gpu("fault", "sticky", GPC_COUNT, 5)
        insmod(lab.module)
        wrong = failed(selftest(f"pcounter_{gpu.number}", status=1))
    finally:
        rmmod()
        gpu("fault", "none")
        insmod(lab.module)
    rows = [row for row in wrong if row[1] == "domain answers"]
    check(rows and all(row[2].startswith("gpc2.") and row[3][2] >> 20 == 0xbad
                       for row in rows), f"{wrong}")


@case("selftest: its report goes through no link", one)
def planted(lab):
    with tempfile.TemporaryDirectory() as folder:
        path, victim = pathlib.Path(folder) / "report", pathlib.Path(folder) / "victim"
        path.symlink_to(victim)
        tool("selftest", "-o", str(path), status=1, env=installed())
        check(f"{path}: a link, " in tool.stderr, tool.stderr)
        check(path.is_symlink() and not victim.exists(), "the link, or its target")


@case("selftest: a GPU that somebody counts on, or that sleeps, is left alone", one)
def busy(lab):
    with Event(lab.pmu, "dom=1,clk") as event:
        event.enable()
        report = selftest(status=1)
        same(len(report["stages"]), 1, "stages")
        check(event.read()[0] > 0, "the count")
    with suspended(lab.gpu):
        report = selftest(status=1)
        same(len(report["stages"]), 1, "stages")


@contextlib.contextmanager
def a_run():
    """A run of all experiments, in progress."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with (tempfile.TemporaryDirectory() as folder,
          subprocess.Popen([PROGRAM, "selftest", "--experiments", "--record",
                            "-o", f"{folder}/report"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=installed()) as process):
        try:
            yield process
        except BaseException:
            process.kill()
            raise
    # modprobe or rmmod of a killed run goes on
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    # a killed run leaves the laboratory loaded
    if LABORATORY.exists():
        rmmod("pcounter_lab")


@case("selftest: killed at any time it leaves the registers as they were", one, about="random")
def killed(lab):
    before = snapshot(lab.gpu)
    dice = random.Random(seed())
    for _ in range(6):
        with a_run() as process:
            time.sleep(dice.random() * 6)
            process.send_signal(dice.choice((signal.SIGKILL, signal.SIGINT)))
        same(snapshot(lab.gpu), before, "registers")


@case("selftest: a GPU that is unplugged while asked has its registers as they were", one)
def unplugged(lab):
    """Check an unplug: the module restores registers first.
    perf's counts on a GPU that leaves do not matter here.
    """
    before = snapshot(lab.gpu)
    dice = random.Random(seed())
    ask = f"for i in $(seq 200); do echo {{}} >{EXPERIMENT}; done"
    for experiment in ("periodic_restart", "pulse_early", "registers"):
        with laboratory(lab):
            with subprocess.Popen(["sh", "-c", ask.format(experiment)],
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(dice.random() / 2)
                write(f"{lab.gpu.pci}/remove", "1")
                process.kill()
            leave_and_return()
            wait_for(lambda: os.path.exists(EXPERIMENT), "a GPU that returns cannot be asked")
        same(snapshot(lab.gpu), before, "registers")


@case("selftest: ends by itself, with a report, when the GPU is unplugged during a run", one,
      about="slow")
def unplugged_run(lab):
    before = snapshot(lab.gpu)
    for stage in ("stage 2", "stage 4"):
        # a GPU whose registers cannot be read is not one whose registers are back
        with tempfile.TemporaryDirectory() as folder:
            with subprocess.Popen([PROGRAM, "selftest", "--experiments", "-o", f"{folder}/report"],
                                  text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=installed()) as process:
                said = ""
                while stage not in said:
                    said += process.stderr.readline() or stage
                write(f"{lab.gpu.pci}/remove", "1")
                said += process.stderr.read()
            leave_and_return()
            report = json.loads(pathlib.Path(folder, "report").read_text(encoding="utf-8"))
        same(process.returncode, 1, said)
        check("not as expected: registers can be read again" in said, said)
        check("restored" not in report, f"restored: {report.get('restored')}")
        check(not LABORATORY.exists(), "the laboratory stays")
        same(snapshot(lab.gpu), before, "registers")


@case("selftest: the system sleeps while an experiment has memory", one)
def sleeps(lab):
    before = snapshot(lab.gpu)
    dice = random.Random(seed())
    write("/sys/power/pm_test", "freezer")
    write("/sys/module/suspend/parameters/pm_test_delay", 1)
    ask = f"while sleep 0.01; do echo record_stop_next >{EXPERIMENT}; done"
    try:
        with laboratory(lab):
            for _ in range(3):
                with subprocess.Popen(["sh", "-c", ask], stderr=subprocess.DEVNULL) as process:
                    time.sleep(dice.random() / 2)
                    write("/sys/power/state", "freeze")
                    process.kill()
                wait_for(lambda: os.path.exists(EXPERIMENT), "the GPU cannot be asked again")
    finally:
        write("/sys/power/pm_test", "none")
    same(snapshot(lab.gpu), before, "registers")


@case("selftest: registers of a GPU that has died are unknown, and not called changed", one)
def died(lab):
    with tempfile.TemporaryDirectory() as folder:
        try:
            with subprocess.Popen([PROGRAM, "selftest", "-o", f"{folder}/report"], text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=installed()) as process:
                said = ""
                while "stage 2" not in said:
                    said += process.stderr.readline() or "stage 2"
                lab.gpu("fault", "dead", 1)
                said += process.stderr.read()
        finally:
            lab.gpu("fault", "dead", 0)
        report = json.loads(pathlib.Path(folder, "report").read_text(encoding="utf-8"))
    check("not as expected: registers can be read again" in said, said)
    check("restored" not in report, f"restored: {report.get('restored')}")


@case("selftest: the module runs nothing but its own experiments, for root", one)
def refused(lab):
    with laboratory(lab):
        same(oct(os.stat(EXPERIMENT).st_mode & 0o777), "0o600", "mode")
        for word in (b"", b"wr32 0xa400 1", b"registers;", b"x" * 31, b"x" * 4096):
            try:
                with open(EXPERIMENT, "r+b", buffering=0) as file:
                    file.write(word)
            except OSError:
                continue
            check(not word, f"{word[:40]} was taken")


@case("selftest: neither module can be unloaded while an experiment may run", one)
def unload_order(lab):
    with laboratory(lab):
        check(run("rmmod", "pcounter").returncode, "the laboratory uses pcounter")
        with open(EXPERIMENT, "r+b", buffering=0):
            check(run("rmmod", "pcounter_lab").returncode, "an open file uses the laboratory")
    check(not os.path.exists(EXPERIMENT), "a file of the laboratory has stayed")
    # the first experiment of a GPU that arrives with the laboratory loaded
    with laboratory(lab):
        write(f"{lab.gpu.pci}/remove", "1")
        leave_and_return()
        # the PMU is there before its files in debugfs
        wait_for(lambda: os.path.exists(EXPERIMENT), "no file of a GPU that came later")
        check(answer("registers")["verdict"] in ("decided", "undecided"), "a GPU that came later")


@case("selftest: under lockdown what needs no write is made, and it says what is left out",
      lambda lab: len(lab.gpus) == 1 and booted_with("lsm=lockdown"), about="lockdown")
def locked_down(lab):
    security = pathlib.Path("/sys/kernel/security")
    run("mount", "-t", "securityfs", "none", str(security))
    # unsigned modules are refused afterwards
    insmod(beside(lab, "pcounter_lab"))
    # like a distribution's kernel with Secure Boot; this cannot be undone
    write(security / "lockdown", "integrity")
    check("integrity: pcounter selftest leaves out" in tool("doctor"), "doctor")
    # registers cannot be mapped, either
    registers = pathlib.Path(EXPERIMENT).with_name("registers")
    before = text(registers)
    for options in ((), ("--experiments", "--record")):
        report, _, progress, _ = report_of(*options)
        check("lockdown" in progress and "stages 3 and 4" in progress, progress)
        same([stage["stage"] for stage in report["stages"]],
             [0, 1, 2, 5, 6] if options else [0, 1, 2, 6], "stages")
        same((failed(report), report["experiments"], report["restored"]), ([], [], True),
             f"report {evidence(report)}")
        same(expected_of(lab.chip) - known_of(report), {"16 pulses of USER_1 are counted"},
             "not asked")
    with Event(lab.pmu, "dom=1,clk") as event:
        event.enable()
        same(len(report_of(status=1)[0]["stages"]), 1, "stages beside an event")
        check(event.read()[0] > 0, "the count")
    same(text(registers), before, "registers")
    rmmod("pcounter_lab")
    # the program names the laboratory that must be loaded now
    tool("selftest", status=1, env=installed())
    check("it must be signed" in tool.stderr, tool.stderr)
