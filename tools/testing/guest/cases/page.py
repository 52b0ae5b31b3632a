# SPDX-License-Identifier: GPL-2.0-only
"""The worked examples of the documentation, run from the page itself."""

import re
import shlex

from support import HERE, PROGRAM, Failed, case, check, near, perf_stat, same

TOP = HERE.parents[3]
PAGES = [TOP / "Documentation/admin-guide/perf" / name
         for name in ("pcounter-terms.rst", "pcounter-names.rst", "pcounter-idle.rst",
                      "pcounter-record.rst")]
TERMS = TOP / "include/uapi/linux/pcounter.h"


class Example:
    """A command, where it runs, and its expected output."""

    def __init__(self, chip, scenario, command):
        self.chip = chip
        self.scenario = scenario
        self.command = command
        words = shlex.split(command)
        check(words[:3] == ["perf", "stat", "-e"] and words[4] == "--", f"not an example: {command}")
        self.events = words[3]
        self.workload = words[5:]
        self.counts = None


def examples():
    """Return all examples of the pages, in their order."""
    found = []
    for page in PAGES:
        found += examples_of(page)
    return found


def examples_of(page):
    found = []
    chip = scenario = None
    for line in page.read_text(encoding="ascii").splitlines():
        head = re.fullmatch(r"  # ([a-z0-9]+): (.*)", line)
        if head:
            chip, scenario = head[1], head[2].split("; ")
        elif line.startswith("  $ perf stat") and chip and not line.endswith("..."):
            found.append(Example(chip, scenario, line.removeprefix("  $ ")))
        elif found and found[-1].counts is None and re.fullmatch(r"  (~?\d+ ?)+", line):
            found[-1].counts = line.split()
        elif not line.startswith("  ") and line:
            chip = None
    return found


def fits(lab):
    chips = {example.chip for example in examples()}
    return any(gpu.chip.name in chips for gpu in lab.gpus)


@case("page: every term of an event has a worked example", fits)
def terms(_):
    names = {name.lower() for name in
             re.findall(r"#define PCOUNTER_(\w+)_LO\b", TERMS.read_text(encoding="ascii"))}
    used = set()
    for example in examples():
        check(example.counts, f"no numbers for {example.command}")
        used |= set(re.findall(r"\b([a-z]\w*)(?=[=,/])", example.events))
    same(sorted(names - used), [], "terms without an example")


@case("page: its examples print what it says", fits, about="pdaemon many")
def run_examples(lab):
    ran = 0
    for gpu in lab.gpus:
        for example in examples():
            if example.chip == gpu.chip.name:
                for line in example.scenario:
                    gpu(line)
                compare(gpu, example)
                ran += 1
    check(ran, "no example for these chips")


def compare(gpu, example):
    loose = any(count.startswith("~") for count in example.counts)
    gpu("freeze")
    align(gpu)
    gpu("step", 1 if loose else 0)
    try:
        events = re.sub(r"(pcounter_(idle_)?)0", rf"\g<1>{gpu.number}", example.events)
        counts = perf_stat(events, *workload(gpu, example))
    finally:
        gpu("step", 0)
        gpu("thaw")
    same(len(counts), len(example.counts), f"events of {example.command}")
    for count, want in zip(counts, example.counts):
        what = f"{count.event} in {example.command}"
        if want.startswith("~"):
            near(count.value, int(want[1:]), max(100, int(want[1:]) // 100), what)
        elif count.value != int(want):
            raise Failed(f"{what}: {count.value}, the page says {want}")


def align(gpu):
    """Set every domain to a round cycle, where phases start."""
    domains = range(gpu.chip.domains)
    for dom in domains:
        gpu("clock", dom, "0/1")
    for dom in domains:
        gpu("clock", dom, "1/1")
        gpu("run", 10000 - gpu.cycle(dom) % 10000)
        gpu("clock", dom, "0/1")
    for dom in domains:
        gpu("clock", dom, "1/1")


def workload(gpu, example):
    """Adapt the command: the programs are elsewhere; vgpuctl is quiet, and needs the GPU."""
    path = f"{HERE.parent / 'vgpuctl'}"
    words = []
    for word in example.workload:
        if word == "vgpuctl":
            words += [path, "-q", "-g", str(gpu.number)]
        else:
            word = word.replace("vgpuctl ", f"{path} -q -g {gpu.number} ")
            word = word.replace("pcounter trigger", f"{PROGRAM} trigger -d pcounter_{gpu.number}")
            words.append(word.replace("pcounter mark pcounter_0/",
                                      f"{PROGRAM} mark pcounter_{gpu.number}/"))
    return words
