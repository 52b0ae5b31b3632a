#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports of a made-up square wave: the picture in Documentation/ and what is for programs.

usage: check-report.py [--update]

With --update the picture is written anew. Else it is compared: lines and areas,
but not letters, which depend on the fonts of the machine, nor how cairo writes
numbers.
"""

import csv
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "tools/testing/unit"))

from pictures import shapes  # noqa: E402

PICTURE = TOP / "Documentation/admin-guide/perf/pcounter-square.svg"
PROGRAM = TOP / "build/tools/pcounter"
MAKE = TOP / "build/capture"
LOST = 1        # exit status: the wave has a gap
INTERRUPTED = 130
MANY = 300000   # packets: more than are reported before a signal comes


def run(*args, status=0):
    done = subprocess.run([str(arg) for arg in args], check=False, stdout=subprocess.PIPE)
    if done.returncode != status:
        sys.exit(f"{args}: status {done.returncode}")
    return done.stdout


def check_picture(path):
    old, new = shapes(PICTURE), shapes(path)
    # three names, three waves, a gap in each
    if len(new) < 20 or old != new:
        sys.exit(f"{PICTURE} is not what the program draws: {len(old)} shapes, {len(new)} drawn; "
                 "make picture writes it anew")


def value(text):
    return None if text == "" else int(text) if re.fullmatch(r"-?\d+", text) else text


def check_rows(capture):
    table = run(PROGRAM, "report", "--csv", capture, status=LOST).decode("ascii").splitlines()
    lines = run(PROGRAM, "report", "--jsonl", capture, status=LOST).decode("ascii").splitlines()
    rows = [{key: value(text) for key, text in row.items()} for row in csv.DictReader(table)]
    if len(rows) < 1000 or rows != [json.loads(line) for line in lines]:
        sys.exit("--csv and --jsonl differ")
    # 1 ms of 600 MHz is lost, and a packet more has no length
    holes = [(before["packet"], row["packet"] - before["packet"] - 1, row["cycles"])
             for before, row in zip(rows, rows[1:]) if row["packet"] != before["packet"] + 1]
    if len(holes) != 1 or holes[0][1] not in (585, 586) or holes[0][2] is not None:
        sys.exit(f"gaps: {holes}")


def interrupted(capture, *args):
    """What a report wrote when it was interrupted after its first bytes."""
    with subprocess.Popen([PROGRAM, "report", capture, *args], stdout=subprocess.PIPE) as report:
        first = report.stdout.read(1)
        report.send_signal(signal.SIGINT)
        text = (first + report.stdout.read()).decode("ascii")
    if report.returncode != INTERRUPTED:
        sys.exit(f"status {report.returncode} after SIGINT")
    return text


def check_ends(capture):
    """In good order by SIGINT, and quietly when nobody reads."""
    text = interrupted(capture, "--jsonl")
    rows = [json.loads(line) for line in text.splitlines()]
    if not text.endswith("\n") or not 0 < len(rows) < MANY:
        sys.exit(f"{len(rows)} rows after SIGINT")
    done = subprocess.run(["sh", "-c", f"{PROGRAM} report --csv {capture} | head -n 2"],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.stderr or done.stdout.count(b"\n") != 2:
        sys.exit(f"into a closed pipe: {done}")


def main():
    run("flock", f"{MAKE}.lock", "make", "-s", "-C", TOP / "tools/testing/capture", f"O={MAKE}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        capture = folder / "square"
        capture.write_bytes(run(MAKE / "capture-make", "square"))
        picture = PICTURE if sys.argv[1:] == ["--update"] else folder / "square.svg"
        run(PROGRAM, "report", capture, "--picture", picture, status=LOST)
        run(PROGRAM, "report", capture, "--picture", folder / "square.png", status=LOST)
        check_picture(picture)
        check_rows(capture)
        (folder / "many").write_bytes(run(MAKE / "capture-make", MANY))
        check_ends(folder / "many")
        if (folder / "square.png").read_bytes()[:8] != b"\x89PNG\r\n\x1a\n":
            sys.exit("no PNG")


main()
