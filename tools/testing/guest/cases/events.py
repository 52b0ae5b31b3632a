# SPDX-License-Identifier: GPL-2.0-only
"""Events with public names, and metrics: results of perf and of the program for a scenario."""

import contextlib
import json
import os
import random
import re
import tempfile

from names import TABLES, promised, rows
from support import Bar0, VGPUCTL, Failed, Pmu, case, check, near, perf_stat, run, same
from tool import PROGRAM, counted, on_terminal, rows_of, tool

ABOUT = "registers tables waits"

# Register values that NVIDIA's tools write for an event, as documents list them.
DOCUMENTED = TABLES.parents[1] / "tools/testing/unit/traces/verified-events.csv"
CHIPS = ("g80", "g84", "g92", "gt215", "gf100", "gk104")
AT_MOST = 20        # of each chip
BEHIND_MUXES = 70   # wires, of each chip
# hw:muxes/gf100-memory: muxes of partitions, and their select with the enable
PARTS, PART_SELECT = range(0x140000, 0x150000), 0x3fff
TRIES = 300
SECONDS = (2, 8, 32)     # a busy host gives few turns
LEAST_CYCLES = 1000
# hw:muxes/tesla
PROPS, VFETCH, CROP = (0x650, 0x750), 0x400c0c, 0x407008
TPCS, UNITS = range(0x408000, 0x410000), 0x4008fc
SOURCE_0 = 0xaaaa
EVENT_B6 = 2
# hw:real-cards/r14: constant 0, which no script changes
ZEROS = {0xcf, 0xef, 0x6f, 0x4f}
SETS = ("hub", "gpc0.", "part0.")
# Levels of a wire in the first 3 and in the other 7 of 10 clocks.
SCRIPTS = {(0, 0): "const 0", (1, 1): "const 1", (1, 0): "duty 3/10",
           (0, 1): "duty 7/10 phase 7"}
FIRST, OTHERS = 0.3, 0.7


def known(lab):
    return any(public(gpu.chip) for gpu in lab.gpus if gpu.chip.name in CHIPS)


def public(chip):
    return promised(chip, "events.csv")


def select_bits(chip, addr):
    """Return the bits of a register that distinguish the positions of its muxes.
    A graphics context brings its own value of the other bits, which stay
    unchanged.
    """
    if addr in TPCS:
        return 0x1f if addr & 0x7ff in PROPS else 0
    if chip.name == "g80":
        return {VFETCH: 0x1, CROP: 0x7}.get(addr, 0xf)
    return 0x3 if addr == VFETCH else 0xf


def muxes(chip):
    """Return for each event of a chip one of its muxes in the table: address, mask, value."""
    found = {}
    for row in rows(DOCUMENTED):
        items = re.findall(r"(?:^|;)(?!TPCALL|HUB)[^@;]+@([0-9a-f]{6})=([0-9a-f]{8})", row["mux"])
        items = [(int(addr, 16), int(value, 16)) for addr, value in items]
        if chip.name.upper() not in row["chips"].split() or not items or not items[-1][1]:
            continue
        addr, value = items[-1]
        mask = PART_SELECT if addr in PARTS else value | select_bits(chip, addr)
        found[row["event"].removesuffix("_gpc0_tpc0")] = (addr, mask, value & mask)
    return found


def first_tpc(gpu, addr):
    """Map a document's TPC to the first enabled one (hw:muxes/tesla)."""
    if gpu.chip.sets or addr not in TPCS:
        return addr
    stride = 0x800 if gpu.chip.chipset >= 0xa0 else 0x1000
    with Bar0(gpu.pci) as bar:
        units = bar.rd32(UNITS)
    first = (units & -units).bit_length() - 1
    return TPCS.start + first * stride + (addr - TPCS.start) % stride


class Configuration:
    """Wires of an event."""

    def __init__(self, chip, name, terms, mux):
        fields = {name: int(value, 0) for name, value in
                  (term.split("=") for term in terms.split(",")) if value != "?"}
        self.name = name
        self.mux = mux
        self.dom = f"{SETS[fields['set']]}{fields['dom']}" if chip.sets else fields["dom"]
        self.cycles = f"dom{self.dom}_cycles"
        if chip.sets:
            self.cycles = f"{SETS[fields['set']].rstrip('.')}_dom{fields['dom']}_cycles"
        self.sig = [fields.get(name, 0) for name in ("sig", "sig1", "sig2", "sig3")]
        self.op = fields.get("op", SOURCE_0)
        self.bits = []
        if "clk" in fields:
            self.op = 0xffff
        if "ctr" in fields:
            self.bits = [fields.get(f"bit{n}", 0) for n in range(4)]
            if fields["ctr"] == EVENT_B6:
                self.bits += self.sig[2:]

    def wires(self):
        """Return all wires that matter, and that a script can drive."""
        used = {signal for n, signal in enumerate(self.sig) if self.depends(n)} | set(self.bits)
        return [self.wire(signal) for signal in sorted(used - ZEROS)]

    def wire(self, signal):
        """A signal is another wire in another position of its mux."""
        return self.dom, signal, self.mux

    def depends(self, n):
        return any((self.op >> row & 1) != (self.op >> (row ^ 1 << n) & 1) for row in range(16))

    def each(self, levels, when):
        """Return the count per clock; signals without a level are 0."""
        level = [levels.get(self.wire(signal), (0, 0))[when] for signal in self.sig]
        gate = self.op >> sum(bit << n for n, bit in enumerate(level)) & 1
        if not self.bits:
            return gate
        return gate * sum(levels.get(self.wire(signal), (0, 0))[when] << n
                          for n, signal in enumerate(self.bits))

    def share(self, levels):
        return FIRST * self.each(levels, 0) + OTHERS * self.each(levels, 1)


def has_idle(gpu):
    return os.path.exists(f"/sys/bus/event_source/devices/pcounter_idle_{gpu.number}")


class Scenario:
    """Levels of wires that give each of some events a count of its own."""

    def __init__(self, chip):
        self.levels = {}
        self.events = []
        self.metrics = []
        self.random = random.Random(chip.name)
        self.muxes = muxes(chip)
        self.all = {name: Configuration(chip, name, terms, self.muxes.get(name))
                    for name, terms in promised(chip).items()}
        for metric in rows(TABLES / "metrics.csv"):
            self.add_metric(metric)
        for name in self.random.sample(sorted(public(chip)), len(public(chip))):
            if len(self.events) < AT_MOST:
                self.add(self.all[name])

    def add_metric(self, metric):
        """Add a metric that is a ratio of events that can count at the same time."""
        names = set(re.findall(r"\b[a-z]\w+", metric["expression"])) - {"cycles"}
        if not names <= set(self.all) or "/" not in metric["expression"] or \
                len({(self.all[name].dom, self.all[name].mux) for name in names}) > 1 or \
                metric["metric"] in (known["metric"] for known in self.metrics):
            return
        if len(self.events) + len(names) <= AT_MOST and \
                all([self.add(self.all[name]) for name in sorted(names)]):
            self.metrics.append(metric)

    def add(self, event):
        """Find levels for the wires without one; return False if the other wires
        leave no choice.
        """
        if event in self.events:
            return True
        free = [wire for wire in event.wires() if wire not in self.levels]
        if event.mux and self.behind() + len(free) > BEHIND_MUXES:
            return False
        # a mux affects a signal in all its positions, or in none
        if any(known[:2] == wire[:2] and bool(known[2]) != bool(wire[2])
               for known in self.levels for wire in free):
            return False
        for _ in range(TRIES):
            levels = {wire: self.random.choice(list(SCRIPTS)) for wire in free}
            both = self.levels | levels
            if event.share(both) and (not free or event.each(both, 0) != event.each(both, 1)):
                break
        else:
            return False
        self.levels = both
        self.events.append(event)
        return True

    def behind(self):
        """Return the number of wires behind muxes."""
        return sum(bool(mux) for _, _, mux in self.levels)

    def tell(self, gpu):
        for (dom, signal, mux), levels in self.levels.items():
            gpu.signal(dom, signal, "const 0" if mux else SCRIPTS[levels])
        for (dom, signal, mux), levels in self.levels.items():
            if mux and levels != (0, 0):
                gpu("mux", hex(first_tpc(gpu, mux[0])), *map(hex, mux[1:]), dom, signal,
                    SCRIPTS[levels])

        # the program takes gpu_busy from the idle counters, 1 is idle
        if has_idle(gpu):
            gpu("idle", "signal", 0, f"duty {round(1000 * (1 - self.busy()))}/1000")

    def busy(self):
        """Return the share of gpu_busy, an event or a metric of others; 1 without it."""
        shares = self.shares()
        known = [Scenario.value(metric, shares) / float(metric["scale"])
                 for metric in self.metrics if metric["metric"] == "gpu_busy"]
        return (known or [shares.get("gpu_busy", 1)])[0]

    def shares(self):
        return {event.name: event.share(self.levels) for event in self.events}

    @staticmethod
    def value(metric, shares):
        """Return the metric in its unit, by shares of events."""
        expression = re.sub(r"cycles\(\w+\)", "1", metric["expression"])
        return float(metric["scale"]) * eval(expression, {"__builtins__": {}}, shares)


@case("events: perf stat, pcounter top and pcounter stat say by public name what the scenario says",
      known, about="slow")
def counts(lab):
    for gpu in lab.gpus:
        if gpu.chip.name not in CHIPS:
            continue
        scenario = Scenario(gpu.chip)
        scenario.tell(gpu)
        same(len(scenario.events), AT_MOST, f"{gpu.chip.name}: events")
        check(scenario.behind(), f"{gpu.chip.name}: no wire behind a mux")
        found = {}
        for measure in by_perf, by_top, by_stat:
            found[measure] = patiently(measure, gpu, scenario.events)
            for event in scenario.events:
                want = event.share(scenario.levels)
                near(found[measure][event.name], want, want / 50,
                     f"{gpu.chip.name} {event.name} {measure.__name__}")
        metrics_of(gpu, scenario, found[by_perf])
        if has_idle(gpu):
            gpu("idle", "signal", 0, "const 0")

def patiently(measure, *args):
    """Measure longer, until all events have had a turn."""
    for seconds in SECONDS[:-1]:
        with contextlib.suppress(Failed):
            return measure(seconds, *args)
    return measure(SECONDS[-1], *args)


def shares_of(counts):
    """Return shares from events and clocks by name; too few clocks give none."""
    check(all(cycles and cycles >= LEAST_CYCLES for _, cycles in counts.values()), f"{counts}")
    return {name: value / cycles for name, (value, cycles) in counts.items()}


def by_perf(seconds, gpu, events):
    pmu = Pmu(gpu.number)
    groups = [f"{{{pmu.event(event.name)},{pmu.event(event.cycles)}}}" for event in events]
    values = [count.value for count in perf_stat(groups, "sleep", str(seconds))]
    return shares_of({event.name: pair for event, pair in
                      zip(events, zip(values[::2], values[1::2]))})


def by_top(seconds, gpu, events):
    words = [word for event in events for word in ("-e", event.name)]
    rows = {(row["name"], row["domain"]): (row["events"], row["cycles"]) for row in
            rows_of(tool("top", "-J", "-i", str(seconds * 1000), "-n", "1", "-d",
                         f"pcounter_{gpu.number}", *words))}
    # a name stands for all GPCs and partitions, the scenario for the first of them
    return shares_of({event.name: rows[event.name, "pdaemon" if event.name == "gpu_busy" else
                                       str(event.dom)] for event in events})


def metric_values(seconds, gpu, names):
    rows = counted("-d", f"pcounter_{gpu.number}", "-M", ",".join(names), "-t", f"{seconds}s")
    values = {name: row["counter-value"] for name, row in rows.items()}
    check(None not in (values.get(name) for name in names), f"{gpu.chip.name}: {values}")
    return values


def by_stat(seconds, gpu, events):
    names = {event.name: f"{event.name} / cycles({event.name})" for event in events}
    values = metric_values(seconds, gpu, names.values())
    return {name: values[text] for name, text in names.items()}


def at_once(gpu, events, expression):
    """Return true if all events of a metric can count at the same time."""
    pmu = Pmu(gpu.number)
    names = [event.name for event in events if re.search(rf"\b{event.name}\b", expression)]
    names += [event.cycles for event in events if f"cycles({event.name})" in expression]
    group = ",".join(pmu.event(name) for name in dict.fromkeys(names))
    return run(PROGRAM, "explain", "-q", f"{{{group}}}").returncode == 0


def metrics_of(gpu, scenario, by_formula):
    """Check that perf and the program compute the same value of a formula, and
    that it is right.
    """
    metrics = [metric for metric in scenario.metrics
               if at_once(gpu, scenario.events, metric["expression"])]
    check(metrics or not scenario.metrics, f"{gpu.chip.name}: no metric")
    if not metrics:
        return
    found = patiently(metric_values, gpu, [metric["metric"] for metric in metrics])
    for metric in metrics:
        for shares in (scenario.shares(), by_formula):
            want = Scenario.value(metric, shares)
            near(found[metric["metric"]], want, abs(want) / 25 + 0.5,
                 f"{gpu.chip.name} {metric['metric']}")


def make_busy(gpu):
    """Make the graphics engine busy for 70 % of the time, by the source of gpu_busy."""
    if gpu.chip.name == "gt215":
        gpu("idle", "signal", 0, "duty 3/10")
    else:
        gpu.signal(1, 0xbd, "duty", "3/10")


@case("events: pcounter stat makes metrics of them", lambda lab: lab.chip.name in ("g84", "gt215"))
def metrics(lab):
    gpu = lab.gpu
    make_busy(gpu)
    # idle counters have no latch: while time goes on, their reads are some clocks apart
    with gpu.frozen():
        by_name = counted("-d", f"pcounter_{gpu.number}", "-M", "gpu_busy,triangles_per_second",
                          "--", VGPUCTL, "-q", "-g", str(gpu.number), "run", "100000")
    near(by_name["gpu_busy"]["counter-value"], 70, 2, "gpu_busy")
    same(by_name["gpu_busy"]["unit"], "%", "unit")
    check(by_name["triangles_per_second"]["counter-value"] >= 0, f"{by_name}")
    # without a deadline: the output says why it is slow
    first = counted("-t", "50", "-d", f"pcounter_{gpu.number}")
    check("gpu_busy" in first, f"{first}")
    same(tool("stat", "-M", "gpu_bussy", status=2), "", "a metric that does not exist")
    check("did you mean gpu_busy?" in tool.stderr, tool.stderr)
    same(tool("stat", "-M", "warps_per_clock", status=2), "", "a metric of another chip")
    check("lacks" in tool.stderr, tool.stderr)


@case("events: two versions that differ by 3 %, and two that do not, are told apart",
      lambda lab: lab.chip.name == "g84")
def versions(lab):
    gpu = lab.gpu
    ctl, pmu = f"{VGPUCTL} -q -g {gpu.number}", f"pcounter_{gpu.number}"
    script = {name: f"{ctl} signal 1 189 random {round((1 - busy) * 65536)}/65536 seed {seed}; "
                    f"{ctl} run 50000"
              for name, busy, seed in (("a", 0.5, 1), ("same", 0.5, 2), ("b", 0.515, 3))}
    with tempfile.TemporaryDirectory() as folder, gpu.frozen():
        for name, text in script.items():
            tool("stat", "-r", "10", "-d", pmu, "-M", "gpu_busy", "-j", "-o", f"{folder}/{name}",
                 "--", "sh", "-c", text)
        tool("stat", "-r", "8", "--versus", f"sh -c '{script['b']}'", "-d", pmu, "-M", "gpu_busy",
             "-j", "-o", f"{folder}/turns", "--", "sh", "-c", script["a"])
        rows = {names[-1]: {row["event"]: row for row in rows_of(
            tool("diff", "-j", *(f"{folder}/{name}" for name in names), status=None))}["gpu_busy"]
                for names in (("a", "same"), ("a", "b"), ("turns",))}
    # one of 10000 comparisons without a difference is a false alarm this far
    check(rows["same"]["p"] > 1e-4, f"without a difference: {rows['same']}")
    check(rows["b"]["p"] < 1e-4, f"3 %: {rows['b']}")
    for name in ("b", "turns"):
        check(rows[name]["differs"], f"3 %: {rows[name]}")
        near(rows[name]["before"], 50, 0.5, "before")
        near(rows[name]["after"] / rows[name]["before"], 1.03, 0.01, "change")
        check(0 < rows[name]["before-error"] < 0.5, f"spread {rows[name]}")


@case("events: the first page of top names engines, and a wrong name the nearest",
      lambda lab: lab.chip.name in ("g84", "gt215"))
def engines(lab):
    make_busy(lab.gpu)
    # a longer interval, where a busy host stops the virtual GPU between two reads
    for interval in ("100", "1000", "1000"):
        out = on_terminal(["top", "-i", interval], b"70.0 %", b"q", 24, 80)
        if b"70.0 %" in out:
            break
    for words in (b"busy engines", b"3D engine", b"70.0 %", b"clocks in MHz"):
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
