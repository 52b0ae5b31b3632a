# SPDX-License-Identifier: GPL-2.0-only
"""The program "pcounter": every verb, with 0, 1 and 2 GPUs, asleep, without permission."""

import contextlib
import json
import os
import pathlib
import random
import subprocess
import time

from support import Event, PMUS, Pmu, case, check, errno_name, insmod, rmmod, run, same, text

PROGRAM = str(pathlib.Path(__file__).resolve().parents[4] / "build/tools/pcounter")
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def one(lab):
    return len(lab.gpus) == 1 and lab.chip.name == "g84"


def two(lab):
    return len(lab.gpus) == 2 and lab.chip.name == "g84"


def tool(*args, status=0, **kwargs):
    """Run it; gives its stdout, which alone is for programs."""
    done = subprocess.run([PROGRAM, *args], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)
    check(done.returncode == status,
          f"pcounter {' '.join(args)[:200]}: {done.returncode}: {done.stdout} {done.stderr}")
    tool.stderr = done.stderr
    return done.stdout


def address(gpu):
    return gpu.pci.rsplit("/", maxsplit=1)[-1]


@contextlib.contextmanager
def asleep(gpu):
    """As the kernel sees it: runtime-suspended; and nobody touches it meanwhile."""
    power = pathlib.Path(gpu.pci) / "power"
    (power / "control").write_text("auto", encoding="ascii")
    deadline = time.monotonic() + 2
    while text(power / "runtime_status") != "suspended":
        check(time.monotonic() < deadline, "it does not fall asleep")
        time.sleep(0.01)
    gpu.forget()
    try:
        yield
        same(text(power / "runtime_status"), "suspended", "runtime_status")
        same(gpu.log(), [], "accesses to a sleeping GPU")
    finally:
        (power / "control").write_text("on", encoding="ascii")


@contextlib.contextmanager
def paranoid(level):
    knob = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
    before = knob.read_text(encoding="ascii")
    knob.write_text(str(level), encoding="ascii")
    try:
        yield
    finally:
        knob.write_text(before, encoding="ascii")


@contextlib.contextmanager
def no_gpus(lab):
    """Taken off the bus, and found again."""
    for gpu in lab.gpus:
        (pathlib.Path(gpu.pci) / "remove").write_text("1", encoding="ascii")
    try:
        yield
    finally:
        pathlib.Path("/sys/bus/pci/rescan").write_text("1", encoding="ascii")
        deadline = time.monotonic() + 5
        while not all((PMUS / f"pcounter_{gpu.number}").exists() for gpu in lab.gpus):
            check(time.monotonic() < deadline, "the PMUs do not come back")
            time.sleep(0.01)


@case("tool: list shows two GPUs, their chips and measured clocks", two)
def list_two(lab):
    lab.gpus[1]("clock", 2, "3/2")
    gpus = json.loads(tool("list", "--json"))
    lab.gpus[1]("clock", 2, "1/1")
    same([gpu["chip"] for gpu in gpus], ["G84", "GT215"], "chips")
    same([gpu["address"] for gpu in gpus], [address(gpu) for gpu in lab.gpus], "addresses")
    same([gpu["pmu"] for gpu in gpus], ["pcounter_0", "pcounter_1"], "PMUs")
    same([len(gpu["domains"]) for gpu in gpus], [8, 8], "domains")
    same([gpu["power"] for gpu in gpus], ["awake", "awake"], "power")
    clocks = [domain["clock_hz"] for domain in gpus[1]["domains"]]
    check(0.9e6 < clocks[1] < 1.1e6 and 1.35e6 < clocks[2] < 1.65e6, f"clocks {clocks}")
    check("G84" in tool("list") and "core A" in tool("list"), "text")
    same([gpu["chip"] for gpu in json.loads(tool("list", "-J", "-d", "pcounter_1"))], ["GT215"],
         "one of them")


@case("tool: list and doctor without any GPU", two)
def none(lab):
    with no_gpus(lab):
        same(json.loads(tool("list", "--json")), [], "list")
        same(tool("list"), "", "list as text")
        findings = json.loads(tool("doctor", "--json", status=1))
        check(any(line["subject"] == "GPU" and line["finding"] == "FAIL" for line in findings),
              f"{findings}")
        tool("explain", "pcounter/clk/", status=3)
    tool("list", "-d", "0000:ff:1f.7", status=3)


@case("tool: without the module list says so, and doctor how to load it", two)
def unloaded(lab):
    rmmod()
    try:
        gpus = json.loads(tool("list", "--json"))
        same([gpu["unsupported"] for gpu in gpus], ["the module pcounter is not loaded"] * 2, "why")
        check("sudo modprobe pcounter" in tool("doctor", status=1), "no way to load it")
    finally:
        insmod(lab.module)


@case("tool: a sleeping GPU is shown asleep and left asleep", two)
def sleeping(lab):
    with asleep(lab.gpus[0]):
        gpus = json.loads(tool("list", "--json"))
        same([gpu["power"] for gpu in gpus], ["asleep", "awake"], "power")
        same({domain["clock_hz"] for domain in gpus[0]["domains"]}, {None}, "clocks")
        check("asleep" in tool("list"), "text")
        check("asleep" in tool("doctor", status=1), "doctor")
        tool("doctor", "-d", "pcounter_1")


@case("tool: doctor says that it works, and without permission what would help", two)
def doctor(lab):
    findings = json.loads(tool("doctor", "--json"))
    check(all(line["finding"] != "FAIL" for line in findings), f"{findings}")
    same(sum("counts: 8 domains" in line["text"] for line in findings), 2, "trials")
    with paranoid(2):
        out = tool("doctor", status=1, **NOBODY)
        check(f"sudo setcap cap_perfmon+ep {PROGRAM}" in out, out)
        check("perf_event_paranoid is 2" in out, out)
        gpus = json.loads(tool("list", "--json", **NOBODY))
        same({domain["clock_hz"] for gpu in gpus for domain in gpu["domains"]}, {None}, "clocks")
    with paranoid(-1):
        tool("doctor", **NOBODY)


@case("tool: wrong usage ends with 2, help with 0, and only data goes to stdout", one)
def usage(lab):
    same(tool(status=2), "", "no verb")
    same(tool("nosuch", status=2), "", "unknown verb")
    for verb in ("list", "doctor", "explain"):
        same(tool(verb, "--nosuch", status=2), "", "unknown option")
        check(tool(verb, "--help").startswith(f"usage: pcounter {verb}"), "help")
    same(tool("explain", "nonsense", status=2), "", "unknown event")
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([PROGRAM, "list"], check=False, stdout=full,
                              stderr=subprocess.DEVNULL)
        same(done.returncode, 1, "status with a full disk")


@case("tool: explain names wires, formula and counter", one)
def explain(lab):
    out = tool("explain", "{pcounter_0/dom=1,sig=0x10,sig1=0x11,op=0x2222/,pcounter_0/dom=1,clk/}")
    for words in ("a AND NOT b", "a = 0x10, b = 0x11", "counter  EVENT", "core A",
                  "3 more signals"):
        check(words in out, out)
    members = [f"pcounter_0/dom=1,sig={sig}/" for sig in range(5)]
    out = tool("explain", "{" + ",".join(members) + "}", status=1)
    check("nearest  {pcounter_0/dom=0x1,sig=0x0/," in out, out)


def random_event(rng, terms):
    """Terms that often make sense, sometimes not."""
    words = [f"dom={rng.choice((0, 0, 1, 1, 1, 1, 2, 2, 9 if rng.random() < 0.2 else 2))}"]
    if rng.random() < 0.1:
        words.append("clk")
    else:
        words += [f"sig{i or ''}={rng.randrange(16, 20) if rng.random() < 0.98 else 255}"
                  for i in range(rng.randint(1, 4))]
        if rng.random() < 0.6:
            words.append(f"op={rng.choice((0xaaaa, 0x8888, 0x6666, 0xcafe, 0xff00, 0))}")
    for term in ("pre", "start", "event", "stop", "setflag", "clrflag"):
        if rng.random() < 0.05:
            words.append(term)
    for term, values in (("d0", (1,)), ("d1", (1,)), ("d2", (1,)), ("flag", (1,)),
                         ("single", (1,)), ("quad", (1,)), ("ctr", (1, 2, 3, 4, 5)), ("all", (1,)),
                         ("evpulse", (1,)), ("flagpulse", (1,)), ("periodic", (1, 2)),
                         ("swap", (0x10, 0x11, 0xfe)), ("threshold", (1, 2, 1 << 33)),
                         ("init", (1, 2)), ("config1", (1 << 5, 1 << 2, 1 << 40))):
        if (term in terms or term == "config1") and rng.random() < 0.02:
            words.append(f"{term}={rng.choice(values)}")
    return ",".join(words)


class QuickPmu(Pmu):
    """Reads every file of format/ once."""

    def __init__(self, number):
        super().__init__(number)
        self.places = {}
        for path in (self.path / "format").iterdir():
            word, _, bits = text(path).partition(":")
            self.places[path.name] = int(word[6:] or 0), int(bits.split("-")[0])

    def config(self, terms):
        words = [0, 0, 0]
        for term in terms.split(","):
            name, _, value = term.partition("=")
            word, first = self.places[name]
            words[word] |= int(value or "1", 0) << first
        return words


def opened(pmu, members):
    """What the kernel says: number of the member that it refuses, and the errno."""
    with contextlib.ExitStack() as stack:
        leader = None
        for number, member in enumerate(members):
            words = [word for word in member.split(",") if not word.startswith("config1=")]
            extra = [int(word[8:]) for word in member.split(",") if word.startswith("config1=")]
            try:
                event = stack.enter_context(Event(pmu, ",".join(words), leader=leader,
                                                  extra=(0, *(extra or [0]), 0)))
            except OSError as error:
                return number, errno_name(error)
            leader = leader or event
    return None, None


@case("tool: explain's verdict is that of perf_event_open, 1000 random groups", one)
def verdicts(lab):
    rng = random.Random(8)
    pmu = QuickPmu(0)
    terms = set(pmu.places)
    groups = [[random_event(rng, terms) for _ in range(rng.choice((1, 2, 3, 4, 5, 6)))]
              for _ in range(1000)]
    texts = ["{" + ",".join(f"pcounter_0/{member}/" for member in members) + "}"
             for members in groups]
    said = json.loads(tool("explain", "--json", *texts, status=1))
    same(len(said), len(groups), "verdicts")
    taken = 0
    for members, verdict in zip(groups, said):
        want = opened(pmu, members)
        same((verdict["refused"], verdict["errno"]), want, f"{members}: {verdict['why']}")
        taken += want[0] is None
    check(200 < taken < 800, f"{taken} of 1000 were taken: no test")


def works(text_of_group):
    members = text_of_group.strip("{}").split("/,")
    return opened(Pmu(0), [member.split("/")[1] for member in members])[0] is None


@case("tool: what explain proposes instead does work", one)
def nearest(lab):
    rng = random.Random(9)
    groups = ["{" + ",".join(f"pcounter_0/dom=1,sig={rng.randrange(8)}"
                             f"{rng.choice(('', ',event', ',stop', ',setflag'))}/"
                             for _ in range(5)) + "}" for _ in range(20)]
    groups += ["pcounter_0/dom=1,sig=1,pre,event/", "pcounter_0/dom=1,clk,sig=3/",
               "pcounter_0/dom=1,sig=3,ctr=7/"]
    proposals = [proposal for verdict in json.loads(tool("explain", "-J", *groups, status=1))
                 for proposal in verdict["nearest"]]
    check(len(proposals) > 10, f"{proposals}")
    for proposal in proposals:
        check(works(proposal), f"{proposal} does not")


@case("tool: manual pages and completion", one)
def documents(lab):
    verbs = tool("--help").split("\n\n")[1].split()[::1]
    for verb in ("list", "doctor", "explain"):
        check(verb in verbs, f"{verbs}")
        page = tool("--manual", verb)
        check(page.count(".SH ") >= 6 and verb in page, page)
        check(os.path.exists(f"{PROGRAM}-{verb}.1"), f"no page of {verb} in the build")
    completion = run("bash", "-c", "eval \"$(" + PROGRAM + " --completion bash)\"; COMP_CWORD=1; "
                     "COMP_WORDS=(pcounter exp); _pcounter; echo ${COMPREPLY[@]}")
    same(completion.stdout, "explain\n", "completion of exp")
