# SPDX-License-Identifier: GPL-2.0-only
"""pcounter doctor: each command that it prints, typed verbatim, removes the cause."""

import os
import re
import time

from drivers import bind, driver, lending, let_sleep, modprobe, name_of, switched, unbind
from program import machine, one_new, tool
from support import PATIENT, PMUS, case, check, insmod, rmmod, run, same, text, wait_for, write

ABOUT = "registers two slow"

SWITCHEROO = "/sys/kernel/debug/vgaswitcheroo/switch"


@case("doctor: a module that is not built, or not loaded: the command for that is typed", one_new)
def not_loaded(lab):
    with machine(lab, built=False) as place:
        rmmod()
        status, lines = place.doctor()
        kernel = os.uname()
        # only for a packaged kernel the headers are a package, too
        packaged = "Debian" in kernel.version
        want = [f"sudo apt-get install linux-headers-{kernel.release}"] if packaged else []
        same([line.split("; do: ")[1] for line in lines if "; do: " in line], want, "commands")
        check(status == 1 and any("nor built for this kernel" in line for line in lines),
              f"{lines}")
        # headers, then DKMS, neither of which is here: doctor infers that from
        # their traces
        place.install(lab.module)
        same(place.cured("pcounter is not loaded"), "sudo modprobe pcounter", "command")


@case("doctor: a GPU that sleeps is woken by the command that it names", one_new)
def sleeps(lab):
    with machine(lab) as place, driver(lab, "delay_ms=1"):
        let_sleep(lab)
        check(place.cured("asleep").startswith("echo on | sudo tee "), "command")
        # doctor does not advise a setting that is on already: nothing is
        same(text(f"{lab.gpu.pci}/power/control"), "on", "power/control")
        # a GPU that has slept since before the module was loaded has no PMU yet
        rmmod()
        let_sleep(lab)
        insmod(lab.module)
        place.cured("asleep")


@case("doctor: a GPU that vga_switcheroo has switched off is switched on by the command", one_new)
def switched_off(lab):
    with machine(lab) as place, switched(lab):
        # a GPU that was switched to the other one can be switched off
        for word in ("IGD", "OFF"):
            write(SWITCHEROO, word)
        check(f"DIS: :Off:{name_of(lab.gpu)}" in text(SWITCHEROO), text(SWITCHEROO))
        same(place.cured("vga_switcheroo"), f"echo ON | sudo tee {SWITCHEROO}", "command")


@case("doctor: a GPU that is lent comes back by the command that it names",
      lambda lab: one_new(lab) and lending(lab))
def lent(lab):
    modprobe("pci-stub")
    try:
        with machine(lab) as place:
            bind(lab, "pci-stub")
            wait_for(lambda: not (PMUS / lab.pmu.name).exists(), "it is not lent")
            place.cured("pci-stub lends it")
            write(f"{lab.gpu.pci}/driver_override", "\n")
    finally:
        if os.path.exists(f"{lab.gpu.pci}/driver"):
            unbind(lab)
        run("rmmod", "pci-stub")


@case("doctor: beside a driver that is not known it names the parameter that says so", one_new)
def stranger(lab):
    with machine(lab) as place:
        place.options(PATIENT)
        rmmod()
        with driver(lab):
            same(place.sh("modprobe pcounter")[0], 0, "modprobe")
            command = place.cured("pcounter_sleeper, which is not known")
            check(command.endswith("owner=pcounter_sleeper"), command)


@case("doctor: of a chip that no document is sure of it names the parameter that tries",
      lambda lab: len(lab.gpus) == 1 and lab.chip.name == "nv40")
def unverified(lab):
    with machine(lab) as place:
        rmmod()
        # MCP61, which may have the same layout
        lab.gpu("boot_0", f"{0x04c << 20 | 0xa2:#x}")
        try:
            same(place.sh("modprobe pcounter")[0], 0, "modprobe")
            check(place.cured("is not known, left alone").endswith("unverified=1"), "command")
        finally:
            rmmod()
            lab.gpu("boot_0", f"{lab.chip.chipset << 20 | 0xa2:#x}")


@case("doctor: without /proc or /sys it says so, and mounting them helps", one_new)
def not_mounted(lab):
    with machine(lab) as place:
        for name, subject in (("proc", "note  /proc "), ("sys", "FAIL  /sys ")):
            status, out = place.sh(f"umount -l /{name}; pcounter doctor")
            check(f"{subject}" in out and "CONFIG_" not in out, out)
            same(status, int(name == "sys"), out)
            command = re.search(r"; do: (.*)", out)[1]
            status, out = place.sh(f"umount -l /{name}; {command} && pcounter doctor")
            check(status == 0 and "; do: " not in out, out)


@case("doctor: again and again, it keeps no GPU awake", one_new)
def keeps_none_awake(lab):
    # a user that polls more often than that keeps it awake
    start = time.monotonic()
    tool("doctor")
    delay = 3 * (time.monotonic() - start)
    with driver(lab, f"delay_ms={int(1000 * delay)}"):
        write(f"{lab.gpu.pci}/power/control", "auto")
        start = time.monotonic()
        while text(f"{lab.gpu.pci}/power/runtime_status") != "suspended":
            check(time.monotonic() < start + 10 * delay, "it is awake for want of a pause")
            tool("doctor", status=None)
