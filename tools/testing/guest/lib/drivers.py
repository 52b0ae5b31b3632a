# SPDX-License-Identifier: GPL-2.0-only
"""A graphics driver in the guest: it binds, lets the GPU sleep, and reading ends."""

import contextlib
import os
import pathlib
import re
import time

from support import beside, check, loading, near, one_gpu, run, same, text, wait_for, write

DELAY_MS = 400


def sleeper(lab):
    return beside(lab, "pcounter_sleeper")


def asleep(lab):
    return text(f"{lab.gpu.pci}/power/runtime_status") == "suspended"


def lint(lab, word):
    return int(re.search(rf"\b{word}=(\d+)", lab.gpu("lint"))[1])


def keep_awake(lab):
    write(f"{lab.gpu.pci}/power/control", "on")
    check(not asleep(lab), "power/control=on does not wake")


def let_sleep(lab):
    write(f"{lab.gpu.pci}/power/control", "auto")
    wait_for(lambda: asleep(lab), "does not fall asleep")


@contextlib.contextmanager
def driver(lab, *params):
    """Bind the driver with the GPU awake; afterwards it has gone, and the GPU is awake."""
    try:
        with loading(lab, "pcounter_sleeper", *params):
            keep_awake(lab)
            yield
    finally:
        write(f"{lab.gpu.pci}/power/control", "on")


@contextlib.contextmanager
def drowsy(lab):
    """Bind the driver with the GPU awake; check that no access reaches it asleep."""
    before = lint(lab, "asleep")
    with driver(lab, f"delay_ms={DELAY_MS}"):
        yield
        same(lint(lab, "asleep"), before, "accesses to a GPU that sleeps")


def advances(leader):
    before = leader.read_times()[1]
    time.sleep(0.02)
    return leader.read_times()[1] > before


ENDED = "recording ended"


def status(lab):
    return text(f"/sys/kernel/debug/pcounter/{lab.pmu.name}/status")


UNREAD_S = 0.7


def ends_right(lab, leader, end, whole=False):
    """Check that counts fit the running time, though nobody reads before reading ends; and
    that they have the last moments, if the driver can read these.
    """
    leader.enable()
    wait_for(lambda: advances(leader), f"does not count: {status(lab)}")
    before = leader.read_times()
    began, first = time.monotonic(), lab.gpu.cycle(1)
    time.sleep(UNREAD_S)
    end()
    # of the same seconds: on a busy host the clock of a virtual GPU is not steady
    rate = (lab.gpu.cycle(1) - first) / (time.monotonic() - began)
    wait_for(lambda: not advances(leader), "time runs on")
    after = leader.read_times()
    seconds = (after[1] - before[1]) / 1e9
    # a virtual GPU waits for a processor, and so does a reader
    near((after[2][1] - before[2][1]) / rate, seconds, 0.5, "seconds counted")
    check(seconds >= UNREAD_S or not whole, f"counted for {seconds} s")


@contextlib.contextmanager
def switched(lab, **params):
    """Make a switch for the GPU, which is on again afterwards; yield its control."""
    words = [f"{name}={value}" for name, value in params.items()]
    knob = pathlib.Path("/sys/module/pcounter_switch/parameters/on")
    with loading(lab, "pcounter_switch", f"gpu={pathlib.Path(lab.gpu.pci).name}", *words):
        yield lambda on: write(knob, "Y" if on else "N")


def stopped_lines():
    return run("dmesg").stdout.count("stopped")


MODULES = pathlib.Path(os.environ.get("PCOUNTER_MODULES", "/nowhere"))


def name_of(gpu):
    return pathlib.Path(gpu.pci).name


def packaged():
    """Choose packaged kernels: the kernels with checkers have no modules of their own."""
    return not re.search("debug|kcsan", os.uname().release)


def lending(lab):
    return one_gpu(lab) and packaged()


def modprobe(*words):
    done = run("modprobe", "-d", str(MODULES.parents[2]), *words)
    check(done.returncode == 0, f"modprobe {' '.join(words)}: {done.stdout}")


def bind(lab, name):
    write(f"{lab.gpu.pci}/driver_override", name)
    write(f"/sys/bus/pci/drivers/{name}/bind", name_of(lab.gpu))


def unbind(lab):
    write(f"{lab.gpu.pci}/driver/unbind", name_of(lab.gpu))
    write(f"{lab.gpu.pci}/driver_override", "\n")
