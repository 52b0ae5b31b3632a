# SPDX-License-Identifier: GPL-2.0-only
"""Events with public names, and metrics: what perf and the program make of a scenario."""

import contextlib
import itertools
import json
import os
import pty
import select
import time

from names import count, promised
from support import PATIENCE, VGPUCTL, Pmu, case, check, near, run, same
from tool import PROGRAM, tool

CHIPS = ("g80", "g84", "g92", "gt215", "gf100", "gk104")
AT_MOST = 20        # of each chip
CYCLES = 10000
SOURCE_0 = 0xaaaa
ALWAYS = 0xffff
EVENT_B6 = 2
# hw:real-cards/r14: constant 0, which no script moves
ZEROS = {0xcf, 0xef, 0x6f, 0x4f}
SETS = ("hub", "gpc0.", "part0.")


def known(lab):
    return any(public(gpu.chip) for gpu in lab.gpus if gpu.chip.name in CHIPS)


def public(chip):
    return promised(chip, "events.frozen")


class Configuration:
    """The signals of an event, and a scenario in which its count is known."""

    def __init__(self, chip, terms):
        fields = {name: int(value, 0) for name, value in
                  (term.split("=") for term in terms.split(",")) if value != "?"}
        self.dom = f"{SETS[fields['set']]}{fields['dom']}" if chip.sets else fields["dom"]
        self.sig = [fields.get(name, 0) for name in ("sig", "sig1", "sig2", "sig3")]
        self.op = fields.get("op", SOURCE_0)
        self.bits = []
        if "ctr" in fields:
            self.bits = [fields.get(f"bit{n}", 0) for n in range(4)]
            if fields["ctr"] == EVENT_B6:
                self.bits += self.sig[2:]

    def gate(self, levels):
        """The logic op; signals that have no level are 0."""
        row = sum(levels.get(signal, 0) << n for n, signal in enumerate(self.sig))
        return self.op >> row & 1

    def scripts(self):
        """What each signal does, and the count in each cycle on average."""
        number = {signal: n % 2 == 0 for n, signal in enumerate(self.bits) if signal not in ZEROS}
        weight = sum(1 << n for n, signal in enumerate(self.bits) if number.get(signal)) or 1
        if self.op == ALWAYS:
            return number, None, weight
        moving = sorted({signal for n, signal in enumerate(self.sig)
                         if signal not in ZEROS and self.depends(n)})
        check(not set(moving) & set(number), f"{moving} are gate and number")
        for levels in itertools.product((0, 1), repeat=len(moving)):
            levels = dict(zip(moving, levels))
            for signal in moving:
                high = self.gate({**levels, signal: 1})
                if high != self.gate({**levels, signal: 0}):
                    levels.pop(signal)
                    return {**number, **levels}, signal, weight * (0.3 if high else 0.7)
        return number, None, 0

    def depends(self, n):
        return any((self.op >> row & 1) != (self.op >> (row ^ 1 << n) & 1) for row in range(16))


@case("events: perf stat counts by public name what the scenario says", known)
def counts(lab):
    for gpu in lab.gpus:
        if gpu.chip.name not in CHIPS:
            continue
        pmu = Pmu(gpu.number)
        tried = 0
        for name, terms in sorted(public(gpu.chip).items())[::-1][:AT_MOST]:
            configuration = Configuration(gpu.chip, terms)
            fixed, moving, each = configuration.scripts()
            for signal, level in fixed.items():
                gpu.signal(configuration.dom, signal, "const", int(level))
            if moving is not None:
                gpu.signal(configuration.dom, moving, "duty", "3/10")
            near(count(gpu, pmu.event(name)), CYCLES * each, CYCLES * each / 50 + 50,
                 f"{gpu.chip.name} {name}")
            tried += 1
        check(tried or not public(gpu.chip), f"{gpu.chip.name}: nothing tried")


@case("events: pcounter stat makes metrics of them", lambda lab: lab.chip.name in ("g84", "gt215"))
def metrics(lab):
    gpu = lab.gpu
    idle = {"g84": 0xbd, "gt215": 0xcb}[gpu.chip.name]
    gpu.signal(1, idle, "duty", "3/10")
    out = json.loads(tool("stat", "-j", "-d", f"pcounter_{gpu.number}", "-M",
                          "gpu_busy,triangles_per_second", "--", VGPUCTL, "-q", "-g",
                          str(gpu.number), "run", "100000"))
    by_name = {metric["metric"]: metric for metric in out["metrics"]}
    near(by_name["gpu_busy"]["value"], 70, 2, "gpu_busy")
    same(by_name["gpu_busy"]["unit"], "%", "unit")
    check(by_name["triangles_per_second"]["value"] >= 0, f"{by_name}")
    # without a wish: what says why it is slow
    first = json.loads(tool("stat", "-j", "-t", "50", "-d", f"pcounter_{gpu.number}"))
    check("gpu_busy" in {metric["metric"] for metric in first["metrics"]}, f"{first}")
    same(tool("stat", "-M", "gpu_bussy", status=2), "", "a metric that does not exist")
    check("did you mean gpu_busy?" in tool.stderr, tool.stderr)
    same(tool("stat", "-M", "warps_per_clock", status=2), "", "a metric of another chip")
    check("lacks" in tool.stderr, tool.stderr)


@case("events: the first page of top names engines, and a wrong name the nearest",
      lambda lab: lab.chip.name in ("g84", "gt215"))
def engines(lab):
    lab.gpu.signal(1, {"g84": 0xbd, "gt215": 0xcb}[lab.chip.name], "duty", "3/10")
    os.makedirs("/dev/pts", exist_ok=True)
    if not os.path.ismount("/dev/pts"):
        same(run("mount", "-t", "devpts", "devpts", "/dev/pts").returncode, 0, "mount")
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TERM="xterm-256color", LINES="24", COLUMNS="80")
        os.execv(PROGRAM, [PROGRAM, "top", "-i", "100"])
    want = b"70.0 %" if lab.chip.name == "g84" else b"3D engine"
    out, deadline = b"", time.monotonic() + 5 * PATIENCE
    while want not in out and time.monotonic() < deadline:
        if select.select([fd], [], [], 0.2)[0]:
            out += os.read(fd, 65536)
    os.write(fd, b"\tq")
    with contextlib.suppress(OSError):
        while select.select([fd], [], [], 2)[0]:
            out += os.read(fd, 65536)
    same(os.waitpid(pid, 0)[1], 0, "status after q")
    for words in (b"busy engines", b"3D engine", want, b"clocks in MHz"):
        check(words in out, f"{words} not in {out!r}")
    same(tool("top", "-e", "pgraph_idel", status=2), "", "a name that does not exist")
    check("did you mean pgraph_idle?" in tool.stderr, tool.stderr)


@case("events: the program shows and explains them", lambda lab: lab.chip.name in ("g84", "gt215"))
def shows(lab):
    shown = {entry["name"]: entry for entry in json.loads(tool("events", "-j"))}
    for name in public(lab.chip):
        check(name in shown and shown[name]["text"], f"{name}: {shown.get(name)}")
    check("gpu_busy" in shown, "metrics are there, too")
    check("setup_triangle_count" in tool("explain", "setup_triangle_count"), "explain a name")
    tool("explain", "setup_triangle_cout", status=1)
    tool("explain", "gpu_busy")
    tool("events", "nonsense", status=1)
