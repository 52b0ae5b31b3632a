# SPDX-License-Identifier: GPL-2.0-only
"""Cards of which too little is known, or whose base of a domain is."""

from support import (PMUS, PROGRAM, Event, Pmu, case, check, insmod, loading, rmmod, run, same,
                     text)

TOO_LITTLE = "too little is known of PCOUNTER on GM206"
NO_BASE = "no signal found that could end a period"


@case("cards: a domain whose base is nowhere counts nothing, and the log says why once",
      lambda lab: [gpu.chip.name for gpu in lab.gpus] == ["nv20", "gf100"], about="layouts")
def no_base(lab):
    run("dmesg", "--clear")
    with loading(lab, "pcounter_sim", "chip=gf106",
                 'scenario="trailer gpc0.0 none;trailer hub6 0x80"'):
        pmu = Pmu(len(lab.gpus))
        same(text(pmu.path / "caps/chip"), "GF106", "caps/chip")
        for place, counts in (("set=1,unit=0,dom=0", False), ("dom=6", True)):
            with Event(pmu, f"{place},clk") as event:
                event.enable()
                run("sleep", "0.02")
                same(event.read()[0] > 0, counts, f"{place} counts")
        same(run("dmesg").stdout.count(NO_BASE), 1, "reasons in the log")


@case("cards: of a GPU that is newer than Pascal log and program say that it is not supported",
      lambda lab: lab.gpus[-1].chip.name == "nv31")
def newer(lab):
    gpu = lab.gpus[-1]
    before = f"{gpu.chip.chipset << 20 | 0xa2:#x}"
    rmmod()
    gpu("boot_0", f"{0x162 << 20 | 0xa2:#x}")
    run("dmesg", "--clear")
    try:
        insmod(lab.module)
        for said in (run("dmesg"), run(PROGRAM, "list"), run(PROGRAM, "doctor")):
            said = said.stdout
            check("chipset 0x162 is newer than Pascal: not supported" in said, said)
    finally:
        rmmod()
        gpu("boot_0", before)
        insmod(lab.module)


@case("cards: Maxwell is left alone; told to try, the driver writes to nothing that reads wrong",
      lambda lab: lab.gpus[-1].chip.name == "nv31")
def maxwell(lab):
    gpu = lab.gpus[-1]
    before = f"{gpu.chip.chipset << 20 | 0xa2:#x}"
    run("dmesg", "--clear")
    rmmod()
    gpu("boot_0", f"{0x126 << 20 | 0xa2:#x}")
    try:
        insmod(lab.module)
        check(not (PMUS / f"pcounter_{gpu.number}").exists(), "a PMU for GM206")
        said = run("dmesg").stdout
        check(TOO_LITTLE in said, f"log: {said}")
        said = run(PROGRAM, "doctor").stdout
        check(TOO_LITTLE in said, f"doctor: {said}")
        rmmod()
        gpu.forget()
        insmod(lab.module, "unverified=1")
        with Event(Pmu(gpu.number), "set=0,dom=2,clk") as event:
            event.enable()
            run("sleep", "0.05")
            same(event.read(), [0], "clocks")
        said = run("dmesg").stdout
        check("do not read like a domain's, or PMC.ENABLE disables PCOUNTER" in said,
              f"log: {said}")
        said = run(PROGRAM, "doctor").stdout
        check("GM206 is not known well" in said, f"doctor: {said}")
        same([access for access in gpu.log(partial=True) if access.write], [], "writes")
    finally:
        rmmod()
        gpu("boot_0", before)
        insmod(lab.module)
