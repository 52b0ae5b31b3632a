# SPDX-License-Identifier: GPL-2.0-only
"""pcounter record under disturbances: an incomplete capture never looks complete."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile

from captures import Capture
from drivers import drowsy
from lives import down, leave_and_return, on_cpu1, up
from packets import EMPTY
from program import one_new, tool
from support import A, CPU1, ONE, PROGRAM, case, check, run, same, wait_for, write

ABOUT = "waits"


@case("capture: undisturbed it is complete, and so it looks", one_new)
def undisturbed(lab):
    lab.gpu("signal", 1, A, "duty 1/4")
    # the GPU is kept awake during the capture
    with drowsy(lab), Capture() as capture:
        write(f"{lab.gpu.pci}/power/control", "auto")
        lab.gpu("run", 100000)
    same(capture.program.returncode, 0, capture.said)
    report = tool("report", capture.path)
    check("loss     none" in report and "recorded 100.00 %" in report, report)


@case("capture: beside top, which counts the same domain, it tells of the gaps", one_new)
def beside_top(lab):
    with subprocess.Popen([PROGRAM, "top", "-J", "-i", "200", "-e", f"dom=1,sig={ONE}"],
                          stdout=subprocess.PIPE) as top:
        top.stdout.readline()
        try:
            with Capture() as capture:
                wait_for(lambda: "gaps" in run(PROGRAM, "report", capture.path).stdout,
                         "it gets no second turn", seconds=60)
        finally:
            top.send_signal(signal.SIGINT)
            top.communicate()
    report = capture.told(1, "gaps")
    share = float(re.search(r"recorded (\S+) %", report)[1])
    gaps = int(re.search(r"gaps (\d+)", report)[1])
    check(0 < share < 95 and gaps, report)


@case("capture: the area is full while the program cannot read it", one_new)
def full_area(lab):
    with Capture("-m", "16") as capture:
        capture.program.send_signal(signal.SIGSTOP)
        for _ in range(5):
            lab.gpu("run", 1024000)
            run("sleep", "0.1")
        capture.program.send_signal(signal.SIGCONT)
    report = capture.told(1)
    check("gaps" in report, report)


@case("capture: the system sleeps", one_new, about="slow")
def system_sleeps(lab):
    write("/sys/power/pm_test", "freezer")
    write("/sys/module/suspend/parameters/pm_test_delay", 1)
    with drowsy(lab), Capture() as capture:
        write("/sys/power/state", "freeze")
        capture.program.wait()
    capture.told(1, "counts no more", "slept", "did not end in order")


@case("capture: the PMU's CPU goes and comes", lambda lab: one_new(lab) and CPU1.exists(),
      about="slow")
def cpu_goes(lab):
    with on_cpu1(lab):
        with Capture() as capture:
            for move in (down, up):
                move(lab)
                lab.gpu("run", 100000)
        capture.told(1, "gaps")


@case("capture: the GPU is reset, is unplugged, and is when the command ends", one_new)
def gone(lab):
    folder = tempfile.mkdtemp(dir="/dev/shm")
    ends = ("--", "sh", "-c", f"until [ $(stat -c %s {folder}/data) -gt {EMPTY} ]; do "
            f"sleep 0.1; done; echo 1 >{lab.gpu.pci}/remove")
    for how, leave in ((("-t", "60s"), lambda: lab.gpu("reset")),
                       (("-t", "60s"), lambda: write(f"{lab.gpu.pci}/remove", 1)),
                       (ends, lambda: None)):
        with Capture(*how, where=folder) as capture:
            leave()
            capture.program.wait()
        capture.told(1, "counts no more", "did not end in order")
        if not os.path.exists(lab.gpu.pci):
            leave_and_return()


@case("capture: ended by ^C before its time, and killed", one_new, about="slow")
def killed(lab):
    for command in (("-t", "60s"), ("--", "sleep", "60")):
        with Capture(*command) as capture:
            pass
        capture.told(130, "ended by a signal")
    with Capture() as capture:
        capture.program.kill()
    capture.told(-signal.SIGKILL, "did not end in order")


@contextlib.contextmanager
def small_disk():
    folder = "/dev/shm/small"
    os.mkdir(folder)
    same(run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder).returncode, 0, "mount")
    try:
        yield folder
    finally:
        run("umount", folder)
        os.rmdir(folder)


@case("capture: the disk is full", one_new)
def full_disk(lab):
    with small_disk() as folder:
        with Capture(where=folder) as capture:
            lab.gpu("run", 4096000)
            capture.program.wait()
        capture.told(1, "No space left", "did not end in order")
