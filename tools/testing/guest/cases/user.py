# SPDX-License-Identifier: GPL-2.0-only
"""README's commands, as an ordinary user of a Debian 12 would type them."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from support import HERE, case, check, insmod, rmmod, same
from tool import PROGRAM, one_new, paranoid

sys.path.insert(0, str(HERE.parent))

import readme  # noqa: E402

USER = {"user": 1000, "group": 1000, "extra_groups": []}
DEBIAN = 3      # kernel.perf_event_paranoid as Debian sets it


@contextlib.contextmanager
def installed():
    """A folder for PATH: both programs, and a sudo for root."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o755)
        shutil.copy(PROGRAM, f"{folder}/pcounter")
        shutil.copy(shutil.which("perf"), f"{folder}/perf")
        sudo = pathlib.Path(folder, "sudo")
        sudo.write_text('#!/bin/sh\nexec "$@"\n', encoding="ascii")
        sudo.chmod(0o755)
        yield folder


def sh(folder, command, **who):
    done = subprocess.run(["sh", "-c", command], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, **who)
    return done.returncode, done.stdout


def advice(kind, out):
    """There is one line that says what to do, and what that is."""
    found = re.findall(rf"^{kind} .*; do: (.*)$", out, re.M)
    same((len(found), out.count("; do: ")), (1, 1), out)
    return found[0]


def check_count(folder, command):
    status, out = sh(folder, command, **USER)
    counts = re.findall(r"^ +([\d,]+) +pcounter/", out, re.M)
    check(not status and len(counts) == 2 and counts[1] != "0", out)


@case("user: README's commands as uid 1000 count, or one true line says what to do", one_new)
def as_user(lab):
    load, doctor, listing, stat = readme.commands()
    with installed() as folder:
        rmmod()
        try:
            with paranoid(-1):
                status, out = sh(folder, doctor, **USER)
                same((status, advice("FAIL", out)), (1, f"sudo {load}"), out)
        finally:
            insmod(lab.module)
        with paranoid(DEBIAN):
            status, out = sh(folder, doctor, **USER)
            same((status, out.splitlines()[-1]), (1, "Counting will not work."), out)
            check(sh(folder, stat, **USER)[0], "perf counts without the right")
            same(sh(folder, advice("FAIL", out))[0], 0, out)
            # as much as was said, and no less: perf has not got it
            status, out = sh(folder, doctor, **USER)
            same((status, out.splitlines()[-1]), (0, "Counting will work."), out)
            check(sh(folder, stat, **USER)[0], "perf counts without the right")
            same(sh(folder, advice("note", out))[0], 0, out)
            status, out = sh(folder, doctor, **USER)
            same((status, "; do: " in out), (0, False), out)
            same(sh(folder, listing, **USER)[0], 0, "list")
            check_count(folder, stat)
        with paranoid(-1):
            status, out = sh(folder, doctor, **USER)
            same((status, "; do: " in out), (0, False), out)
            check_count(folder, stat)
