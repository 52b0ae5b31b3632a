# SPDX-License-Identifier: GPL-2.0-only
"""Unloading, last of all."""

import contextlib
import os
import pathlib
import subprocess
import time

from support import (Event, case, check, classic, group, insmod, loaded, perf_stat, rmmod, run,
                     same, snapshot, wait_for, write)

ABOUT = "checked kernel registers two"


@case("unload: refused while events are open", classic)
def busy(lab):
    with group(lab.pmu, "dom=1,clk") as leader:
        leader.enable()
        done = run("rmmod", "pcounter")
        check(done.returncode, "rmmod with an event open")
        check("in use" in done.stdout, f"rmmod: {done.stdout}")
        check(loaded(), "not loaded any more")
        leader.read()


@case("unload: after counting, the registers are as they were found", classic)
def restored(lab):
    rmmod()
    for gpu in lab.gpus:
        gpu("freeze")
        gpu("garbage", 7 + gpu.number)
        gpu.found = snapshot(gpu)
        gpu.forget()
    insmod(lab.module)
    # no more than fit at once: waiting events would need time to pass
    for first in (1, 5):
        perf_stat([f"pcounter/dom={dom},sig={sig}/"
                   for dom in (1, 3) for sig in range(first, first + 4)], "true")
    perf_stat("pcounter/dom=0,op=0x8888,sig=1,sig1=2/,pcounter/dom=2,clk/", "true")
    for gpu in lab.gpus:
        check(any(access.write for access in gpu.log(partial=True)), "counting wrote nothing")
    rmmod()
    for gpu in lab.gpus:
        now = snapshot(gpu)
        changed = {f"{addr:06x}": (f"{gpu.found[addr]:08x}", f"{now[addr]:08x}")
                   for addr in now if now[addr] != gpu.found[addr]}
        same(changed, {}, "changed registers")
    insmod(lab.module)


@case("unload: at once after events have taken turns", classic)
def rotating(lab):
    write(lab.pmu.path / "perf_event_mux_interval_ms", "300")
    with contextlib.ExitStack() as stack:
        for sig in range(6):
            stack.enter_context(Event(lab.pmu, f"dom=1,sig={sig}", flags=0))
        time.sleep(0.5)
    rmmod()
    # a remaining timer of perf would run here, in freed memory
    time.sleep(1)
    insmod(lab.module)


def timers_of_turns():
    """Return perf's pending timers, of any PMU."""
    lines = pathlib.Path("/proc/timer_list").read_text(encoding="ascii").splitlines()
    return [line.strip() for line in lines if "perf_mux_hrtimer_handler" in line]


@case("unload: no timer is left behind by who writes the interval of turns meanwhile", classic)
def interval_written(lab):
    paths = [gpu_pmu / "perf_event_mux_interval_ms" for gpu_pmu in
             pathlib.Path("/sys/bus/event_source/devices").glob("pcounter*")]
    wait_for(lambda: not timers_of_turns(), f"timers before: {timers_of_turns()}")
    writers = [subprocess.Popen(
        ["sh", "-c", f"while echo 60000 >{path} && echo 60001 >{path}; do :; done"],
        stderr=subprocess.DEVNULL) for path in paths]
    rmmod()
    for writer in writers:
        writer.wait()
    same(timers_of_turns(), [], "timers afterwards")
    insmod(lab.module)


@case("unload: an event that still counts when the machine goes down", classic)
def going_down(lab):
    # the kernel must not complain: run-tests checks
    if os.fork():
        return
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    event = Event(lab.pmu, "dom=1,clk", flags=0)
    os.set_inheritable(event.fd, True)
    os.execvp("sleep", ["sleep", "1000"])
