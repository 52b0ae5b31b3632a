# SPDX-License-Identifier: GPL-2.0-only
"""Users that attack: the fuzzer on all PMUs, while devices come and go."""

import contextlib
import os
import random
import subprocess
import time

import life
from attack import attack_beside
from bpf import ALL, Programs
from support import (SOAK_SECONDS, case, check, insmod, loaded, rmmod, run, same, seed, wait_for,
                     write)

SECONDS = 6


def fuzz(seconds):
    return subprocess.Popen(
        [os.environ["PCOUNTER_FUZZ"], "-s", str(seed()), "-t", str(seconds), "-n", "4"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process):
    output = process.communicate()[0].strip()
    print("\n".join(f"# {line}" for line in output.splitlines()), flush=True)
    same(process.returncode, 0, f"status of the fuzzer: {output}")


@case("fuzz: system calls on all terms, from several threads", life.classic)
def quiet(lab):
    finish(fuzz(max(SECONDS, int(SOAK_SECONDS))))
    life.counts_right(lab)


@case("fuzz: the same while GPUs are unplugged, sleep, lie and come back", life.classic)
def troubled(lab):
    rnd = random.Random(seed())
    sleeper = life.sleeper_of(lab)
    stack = contextlib.ExitStack()
    stack.enter_context(attack_beside())
    if SOAK_SECONDS:
        stack.enter_context(Programs(lab, ALL, length=10 * SOAK_SECONDS))
    process = fuzz(max(SECONDS, int(SOAK_SECONDS)))
    insmod(sleeper, "delay_ms=1")
    try:
        while process.poll() is None:
            gpu = rnd.choice(lab.gpus)
            what = rnd.randrange(5)
            if what == 0:
                write(f"{gpu.pci}/remove", "1")
                write("/sys/bus/pci/rescan", "1")
            elif what == 1:
                write(f"{gpu.pci}/power/control", rnd.choice(("on", "auto")))
            elif what == 2:
                gpu("fault", "hostile", rnd.randrange(2) * rnd.randrange(1, 1 << 30))
            elif what == 3:
                gpu("reset")
            elif life.CPU1.exists():
                write(life.CPU1, "0")
                write(life.CPU1, "1")
            time.sleep(rnd.random() / 20)
        finish(process)
    finally:
        process.kill()
        stack.close()
        for gpu in lab.gpus:
            gpu("fault", "none")
        run("rmmod", "pcounter_sleeper")
        for gpu in lab.gpus:
            write(f"{gpu.pci}/power/control", "on")
        # who is unplugged with events open comes back with another number
        if loaded():
            rmmod()
        insmod(lab.module)
    for gpu in lab.gpus:
        wait_for(lambda gpu=gpu: life.pmu_of(gpu), "no PMU afterwards")
    check(len(list(life.PMUS.glob("pcounter_[0-9]*"))) == len(lab.gpus), "PMUs afterwards")
    life.counts_right(lab)
