# SPDX-License-Identifier: GPL-2.0-only
"""Hostile users: the fuzzer on all PMUs, while devices come and go."""

import contextlib
import pathlib
import random
import subprocess
import time

from attackers import ALL, Programs, attack_beside
from drivers import sleeper
from lives import counts_right, finish, pmu_of, start
from support import (CPU1, PMUS, SOAK_SECONDS, case, check, classic, insmod, loaded, rmmod, run,
                     seed, wait_for, write)

ABOUT = "checked races kernel random soak"

CGROUPS = pathlib.Path("/dev/shm/cgroup")


@case("fuzz: system calls on all terms, from several threads", classic)
def quiet(lab):
    finish(start("fuzz", "-n", "4"))
    counts_right(lab)


@case("fuzz: the same while GPUs are unplugged, sleep, lie and come back", classic)
def troubled(lab):
    rnd = random.Random(seed())
    driver = sleeper(lab)
    stack = contextlib.ExitStack()
    stack.enter_context(attack_beside())
    if SOAK_SECONDS:
        stack.enter_context(Programs(lab, ALL, length=10 * SOAK_SECONDS))
    process = start("fuzz", "-n", "4")
    insmod(driver, "delay_ms=1")
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
            elif CPU1.exists():
                write(CPU1, "0")
                write(CPU1, "1")
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
        # a GPU unplugged with open events comes back with another number
        if loaded():
            rmmod()
        insmod(lab.module)
    for gpu in lab.gpus:
        wait_for(lambda gpu=gpu: pmu_of(gpu), "no PMU afterwards")
    check(len(list(PMUS.glob("pcounter_[0-9]*"))) == len(lab.gpus), "PMUs afterwards")
    counts_right(lab)


@contextlib.contextmanager
def cgroup():
    """Make a cgroup with a task in it that sleeps and runs; return None if that is impossible."""
    CGROUPS.mkdir(exist_ok=True)
    if run("mount", "-t", "cgroup2", "none", str(CGROUPS)).returncode:
        yield None
        return
    folder = CGROUPS / "lives"
    folder.mkdir()
    task = subprocess.Popen(["sh", "-c", "while :; do sleep 0.01; done"])
    write(folder / "cgroup.procs", task.pid)
    try:
        yield folder
    finally:
        task.kill()
        task.wait()
        run("umount", "-l", str(CGROUPS))


def reload_if_unused(lab, rnd):
    if loaded() and run("rmmod", "pcounter").returncode:
        return False
    time.sleep(rnd.random() / 50)
    insmod(lab.module)
    return True


def replug(lab, rnd):
    gpu = rnd.choice(lab.gpus)
    write(f"{gpu.pci}/remove", "1")
    time.sleep(rnd.random() / 20)
    write("/sys/bus/pci/rescan", "1")
    return True


def rebind(lab, rnd):
    run("rmmod", "pcounter_sleeper")
    insmod(sleeper(lab), "delay_ms=1")
    return True


def unbind(lab, rnd):
    gpu = rnd.choice(lab.gpus)
    driver = pathlib.Path(gpu.pci) / "driver"
    if driver.exists():
        write(driver / "unbind", pathlib.Path(gpu.pci).name)
    return driver.exists()


def hotplug(lab, rnd):
    if not CPU1.exists():
        return False
    write(CPU1, "0")
    time.sleep(rnd.random() / 20)
    write(CPU1, "1")
    return True


TROUBLES = (reload_if_unused, reload_if_unused, reload_if_unused, replug, rebind, unbind, hotplug)


@case("fuzz: groups, buffers and processes end while the module and GPUs come and go", classic)
def lives(lab):
    rnd = random.Random(seed())
    done = dict.fromkeys((trouble.__name__ for trouble in TROUBLES), 0)
    with cgroup() as folder:
        process = start("lives", *(["-g", folder] if folder else []))
        try:
            while process.poll() is None:
                trouble = rnd.choice(TROUBLES)
                done[trouble.__name__] += trouble(lab, rnd)
                time.sleep(rnd.random() / 20)
            finish(process)
        finally:
            process.kill()
            run("rmmod", "pcounter_sleeper")
    print(f"# {done}", flush=True)
    # no event is open any more: perf frees the rest by itself
    rmmod()
    insmod(lab.module)
    for gpu in lab.gpus:
        write(f"{gpu.pci}/power/control", "on")
        wait_for(lambda gpu=gpu: pmu_of(gpu), "no PMU afterwards")
    counts_right(lab)
