# SPDX-License-Identifier: GPL-2.0-only
"""Support for the cases. Runs in a guest, as root."""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
VGPUCTL = str(HERE.parent / "vgpuctl")
BUILT = HERE.parents[3] / "build/tools/pcounter"
PROGRAM = "/dev/shm/pcounter"
PMUS = pathlib.Path("/sys/bus/event_source/devices")
# exists in a checkers' kernel, in use or not
KMEMLEAK = pathlib.Path("/sys/kernel/debug/kmemleak")
KCSAN = pathlib.Path("/sys/kernel/debug/kcsan")
CPU1 = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")

# signals of most cases, and a group
A, ONE = 0x10, 0x12
MEMBERS = (f"dom=1,sig={A}", "dom=1,clk")

PRE, START, EVENT, STOP = range(4)
BOOT_0 = 0x000000
BOOT_1 = 0x000004
BOOT = {BOOT_0, BOOT_1}
STRAPS = 0x101000
DEBUG_1 = 0x400084
PM_TRIGGER = 0x20
RECORD_REGS = (0xa7a0, 0xa7a4)
GCTRL = 0xa7a8


def publish_program():
    """Copy the program for all users, since the checkout may be in a private folder."""
    if BUILT.exists():
        shutil.copy(BUILT, PROGRAM)
        os.chmod(PROGRAM, 0o755)


def src(slot, dom):
    return 0xa400 + slot * 0x40 + dom * 4


def op(slot, dom):
    """Return the op register; SETFLAG is slot 4, CLRFLAG slot 5."""
    return (0xa420 + slot * 0x40 if slot < 4 else 0xa500 + (slot - 4) * 0x20) + dom * 4


def spec_src(dom):
    return 0xa560 + dom * 4


def counter(slot, dom):
    return (0xa700, 0xa6c0, 0xa680, 0xa740)[slot] + dom * 4


def cycles(dom):
    return 0xa600 + dom * 4


def threshold(dom):
    return 0xa780 + dom * 4


def ctrl(dom):
    return 0xa7c0 + dom * 4


def ack(dom):
    return 0xa7e0 + dom * 4


# QUAD_STATE, SINGLE_STATE: states of the engine, not written values
CTRL_STATE = 0x33000000


class Chip:
    """A chip's facts from the hardware documents, as far as a case needs them."""

    def __init__(self, name, chipset, domains, sig, zero):
        self.name = name
        self.chipset = chipset
        self.domains = domains
        self.sig = sig          # some signal of domain 1
        self.zero = zero        # a domain and the first signal beyond its last
        self.nv10 = chipset < 0x40
        self.quad = chipset >= 0x30
        self.record = 0x84 <= chipset < 0xc0
        self.sets = chipset >= 0xc0
        self.pdaemon = chipset >= 0xa3
        self.swap_shared = chipset in (0x30, 0x31, 0x40, 0x50)
        self.delay23 = chipset in (0x92, 0xa3)

    @property
    def classic(self):
        """Return true for the nv40 layout, whose registers some cases know."""
        return not self.nv10 and not self.sets


CHIPS = {chip.name: chip for chip in (
    Chip("nv10", 0x10, 1, 0x18, (0, 0xa0)),
    Chip("nv15", 0x15, 1, 0x18, (0, 0xa0)),
    Chip("nv20", 0x20, 2, 0x18, (0, 0xc0)),
    Chip("nv31", 0x31, 2, 0x18, (1, 0x40)),
    Chip("nv40", 0x40, 5, 0x18, None),
    Chip("g80", 0x50, 5, 0xc8, (3, 0x40)),
    Chip("g84", 0x84, 8, 0xc8, (3, 0x40)),
    Chip("g92", 0x92, 8, 0xc8, (3, 0x40)),
    Chip("gt215", 0xa3, 8, 0xc8, (3, 0x40)),
    # 8 of the HUB; 2 GPCs of 1 or 3, 2 partitions of 2
    Chip("gf100", 0xc0, 14, 0x08, None),
    Chip("gk104", 0xe4, 18, 0x08, None),
)}


class Failed(Exception):
    """A case has found an error."""


def errno_name(error):
    """Return the name of an errno; EOPNOTSUPP has two."""
    return "EOPNOTSUPP" if error.errno == errno.EOPNOTSUPP else errno.errorcode[error.errno]


def same(got, want, what):
    if got != want:
        raise Failed(f"{what}: {got!r}, should be {want!r}")


def near(got, want, tolerance, what):
    if not abs(got - want) <= tolerance:
        raise Failed(f"{what}: {got!r}, should be {want!r} +- {tolerance!r}")


def check(condition, what):
    if not condition:
        raise Failed(what)


def text(path):
    return pathlib.Path(path).read_text(encoding="ascii").strip()


def write(path, value):
    with open(path, "w", encoding="ascii") as stream:
        stream.write(str(value))


# Bounds are for a guest that starts within 5 s of its boot: they grow with a
# slower start.
PATIENCE = max(1, time.monotonic() / 5)


def wait_for(condition, complaint, seconds=30):
    """Wait for a condition. The bound costs no time but in a failure, and a host may stop a
    guest for seconds.
    """
    deadline = time.monotonic() + seconds * PATIENCE
    # a condition that was true once may become false again
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    check(met, complaint)


def stands(event):
    """Return true if the running time of an event, or of its group, stands still."""
    before = event.read_times()[1]
    time.sleep(0.1)
    return event.read_times()[1] == before


class Access:
    """One register access that the virtual GPU has seen."""

    def __init__(self, word):
        kind, rest = word.split(":")
        addr, val = rest.split("=")
        self.write = kind == "w"
        self.addr = int(addr, 16)
        self.val = int(val, 16)

    def __repr__(self):
        return f"{'w' if self.write else 'r'}:{self.addr:06x}={self.val:08x}"


class Vgpu:
    """A virtual GPU, by its control port."""

    def __init__(self, number, chip):
        self.number = number
        self.chip = chip
        self.pci = None
        for path in pathlib.Path("/sys/class/virtio-ports").iterdir():
            if text(path / "name") == f"vgpu{number}":
                self.port = f"/dev/{path.name}"

    def __call__(self, *words):
        line = " ".join(str(word) for word in words)
        fd = os.open(self.port, os.O_RDWR)
        try:
            os.write(fd, f"{line}\n".encode())
            answer = b""
            while not answer.endswith(b"\n"):
                answer += os.read(fd, 32768)
        finally:
            os.close(fd)
        status, _, rest = answer.decode().strip().partition(" ")
        if status != "ok":
            raise Failed(f"vgpu: {line}: {rest}")
        return rest

    def number_of(self, *words):
        return int(self(*words).split()[0], 0)

    def signal(self, dom, sig, *script):
        self("signal", dom, sig, *script)

    def cycle(self, dom):
        return self.number_of("cycle", dom)

    def count(self, dom, sig, first, last):
        return self.number_of("count", dom, sig, first, last)

    def accesses(self):
        """Return the number of accesses since the last call, even if the log holds fewer."""
        return int(self("log").split()[0])

    def log(self, partial=False):
        """Return the accesses since the last call, oldest first."""
        total, *words = self("log").split()
        if not partial:
            check(int(total) == len(words), f"{total} accesses are more than the log holds")
        return [Access(word) for word in words]

    def forget(self):
        """Start a new log."""
        self("log")

    @contextlib.contextmanager
    def frozen(self):
        """Freeze time, as far as the chip can work without it.
        On NV40:G84 a swap is a pulse of one clock, so there each register access
        takes some.
        """
        self("freeze")
        self("step", 1 if self.chip.swap_shared else 0)
        try:
            yield
        finally:
            self("step", 0)
            self("thaw")


class Bar0:
    """The registers, as root's user space sees them."""

    def __init__(self, pci):
        with open(f"{pci}/resource0", "r+b") as stream:
            self.map = mmap.mmap(stream.fileno(), 0)

        # a memoryview's element is one access, a ctypes object's may be two
        self.words = memoryview(self.map).cast("I")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.words.release()
        self.map.close()

    def rd32(self, addr):
        return self.words[addr // 4]

    def wr32(self, addr, val):
        self.words[addr // 4] = val


def lasting_registers(chip):
    """Return registers that keep the last written value."""
    addrs = [DEBUG_1]
    for dom in range(chip.domains):
        addrs += [src(slot, dom) for slot in range(4)]
        addrs += [op(slot, dom) for slot in range(6)]
        addrs += [ctrl(dom), threshold(dom)]
        if not chip.swap_shared:
            addrs.append(spec_src(dom))
    return addrs if chip.swap_shared else [*addrs, GCTRL, *RECORD_REGS]


def quiet(gpu):
    """Stop all domains, so that the model keeps up with its clock."""
    if not gpu.chip.classic:
        gpu("reset")
        return
    with Bar0(gpu.pci) as bar:
        for addr in lasting_registers(gpu.chip):
            bar.wr32(addr, 0)


def snapshot(gpu):
    """Return the lasting registers by address."""
    with Bar0(gpu.pci) as bar:
        values = {addr: bar.rd32(addr) for addr in lasting_registers(gpu.chip)}
    for dom in range(gpu.chip.domains):
        values[ctrl(dom)] &= ~CTRL_STATE
    return values


def read_at_load(chip):
    """Return the registers that show the chip, and the users of PDAEMON's idle
    counters (hw:idle/registers, hw:idle/power).
    """
    slots = 8 if chip.sets else 4
    idle = {0x000200 if chip.sets else 0x022210,
            *(0x10a500 + slot * 16 + reg for slot in range(slots) for reg in (4, 12))}
    return BOOT | {STRAPS} | (idle if chip.pdaemon else set())


# perf

class Count:
    """A line of "perf stat -x,"."""

    def __init__(self, fields):
        value, _, self.event, running, percent = fields[:5]
        self.value = int(value) if value.isdigit() else None
        self.running = int(running or 0)
        self.percent = float(percent or 0)


def run(*command):
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def perf_stat(events, *workload, options=()):
    """Return counts by "perf stat"; with -I as a list of (time, Count)."""
    if not isinstance(events, str):
        events = ",".join(events)
    with tempfile.NamedTemporaryFile("r", encoding="ascii") as out:
        done = run("perf", "stat", "-x,", "-o", out.name, *options, "-e", events, "--", *workload)
        lines = [line.split(",") for line in out.read().splitlines()
                 if line and not line.startswith("#")]
    if done.returncode:
        raise Failed(f"perf stat -e {events}: {done.stdout}")
    counts = []
    for fields in lines:
        # event names have commas of their own: take them out of the middle
        fields = join_event(fields, "-I" in options)
        counts.append((float(fields[0]), Count(fields[1:])) if "-I" in options
                      else Count(fields))
        count = counts[-1][1] if "-I" in options else counts[-1]
        if count.value is None:
            raise Failed(f"{count.event} was not counted: {','.join(fields)}")
    return counts


def join_event(fields, timed):
    first = 3 if timed else 2
    last = next(i for i in range(first, len(fields)) if fields[i].endswith("/"))
    return [*fields[:first], ",".join(fields[first:last + 1]), *fields[last + 1:]]


class Pmu:
    """A PMU in sysfs."""

    def __init__(self, number, kind="pcounter"):
        self.name = f"{kind}_{number}"
        self.path = PMUS / self.name

    def config(self, terms):
        """Return the words for perf_event_open from a string like perf's."""
        words = [0, 0, 0]
        for term in terms.split(","):
            name, _, value = term.partition("=")
            word, _, bits = text(self.path / "format" / name).partition(":")
            words[int(word.removeprefix("config") or 0)] |= \
                int(value or "1", 0) << int(bits.split("-")[0])
        return words

    def event(self, terms):
        return f"{self.name}/{terms}/"

    def opens(self):
        """Return true if events can be opened: a PMU is in sysfs a little earlier."""
        with contextlib.suppress(OSError), Event(self, "dom=0,clk"):
            return True
        return False


LIBC = ctypes.CDLL(None, use_errno=True)
SYS_PERF_EVENT_OPEN = 298
ENABLE, DISABLE, RESET = 0x2400, 0x2401, 0x2403
FORMAT = 0x1 | 0x2 | 0x8    # TOTAL_TIME_ENABLED, TOTAL_TIME_RUNNING, GROUP
DISABLED, EXCLUSIVE = 1 << 0, 1 << 3
EXCLUDE_USER, EXCLUDE_KERNEL, EXCLUDE_HV = 1 << 4, 1 << 5, 1 << 6


class Event:
    """One perf event by the system call; on the CPU of the PMU by default."""

    def __init__(self, pmu, terms, leader=None, cpu=None, pid=-1, flags=DISABLED,
                 period=0, branches=0, extra=(0, 0, 0), samples=0, watermark=0):
        config = [a | b for a, b in zip(pmu.config(terms), extra)]
        attr = struct.pack("IIQQQQQIIQQQQIiQIHH", int(text(pmu.path / "type")), 112, config[0],
                           period, samples | (0x800 if branches else 0), FORMAT,
                           flags if leader is None else flags & ~DISABLED,
                           0, 0, config[1], config[2], branches, 0, 0, 0, 0, watermark, 0, 0)
        cpu = int(text(pmu.path / "cpumask")) if cpu is None else cpu
        self.fd = LIBC.syscall(SYS_PERF_EVENT_OPEN, attr, pid, cpu,
                               -1 if leader is None else leader.fd, 0)
        if self.fd < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    def enable(self):
        """Enable the event; a leader enables its group."""
        fcntl.ioctl(self.fd, ENABLE, 0)

    def disable(self):
        fcntl.ioctl(self.fd, DISABLE, 0)

    def reset(self):
        fcntl.ioctl(self.fd, RESET, 0)

    def read_times(self):
        """Return time enabled, time running, and the group's counts."""
        data = os.read(self.fd, 4096)
        words = struct.unpack(f"{len(data) // 8}Q", data)
        return words[1], words[2], list(words[3:3 + words[0]])

    def read(self):
        return self.read_times()[2]


@contextlib.contextmanager
def group(pmu, *members):
    """Open a group, disabled; return its leader."""
    with contextlib.ExitStack() as stack:
        leader = stack.enter_context(Event(pmu, members[0]))
        for member in members[1:]:
            stack.enter_context(Event(pmu, member, leader=leader))
        yield leader


def refused(want, *args, **kwargs):
    """Check that an event does not open, with the expected error."""
    try:
        Event(*args, **kwargs).close()
    except OSError as error:
        same(errno_name(error), want, f"refusal of {args[1]} {kwargs}")
        return
    raise Failed(f"{args[1]} {kwargs} was not refused")


@contextlib.contextmanager
def paranoid(level):
    # the kernel ignores a write at an offset: use a new descriptor each time
    before = text(PARANOID)
    PARANOID.write_text(str(level), encoding="ascii")
    same(text(PARANOID), str(level), "perf_event_paranoid")
    try:
        yield
    finally:
        PARANOID.write_text(before, encoding="ascii")


# the module

# A virtual GPU waits for a processor, sometimes for milliseconds on a busy machine.
PATIENT = "slow_read_us=1000000"
# The graphics drivers of these tests; any other driver borrows the GPU.
OWNERS = "owner=pcounter_sleeper"


def insmod(path, *parameters):
    defaults = [PATIENT, OWNERS] if path.endswith("/pcounter.ko") else []
    done = run("insmod", path, *defaults, *parameters)
    check(done.returncode == 0, f"insmod: {done.stdout}")


def rmmod(name="pcounter"):
    """Unload a module. A work item of the module may hold the last reference for some ms."""
    wait_for(lambda: run("rmmod", name).returncode == 0, f"rmmod {name} is refused")


def loaded():
    return os.path.exists("/sys/module/pcounter")


def beside(lab, name):
    """Return the path of a module that was built with the driver."""
    return str(pathlib.Path(lab.module).with_name(f"{name}.ko"))


@contextlib.contextmanager
def loading(lab, name, *parameters):
    """Load another module, and unload it afterwards."""
    insmod(beside(lab, name), *parameters)
    try:
        yield
    finally:
        rmmod(name)


@contextlib.contextmanager
def reloaded(lab, *parameters):
    """Load the module with these parameters; afterwards without them."""
    rmmod()
    try:
        insmod(lab.module, *parameters)
        yield
    finally:
        if loaded():
            rmmod()
        insmod(lab.module)


# long runs

SOAK_SECONDS = float(os.environ.get("PCOUNTER_SOAK", "0"))
# Much more than any case needs.
CASE_SECONDS = float(os.environ.get("PCOUNTER_CASE", "100")) * PATIENCE + 2 * SOAK_SECONDS


def seed():
    """Return the seed of this guest's random choices; run-tests prints it."""
    return int(os.environ.get("PCOUNTER_SEED", "1"))


def rounds(short):
    """Count rounds: a few, or as many as there is time for."""
    begin = time.monotonic()
    number = 0
    while number < short or time.monotonic() - begin < SOAK_SECONDS:
        yield number
        number += 1
    if SOAK_SECONDS:
        print(f"# {number} rounds", flush=True)


# cases

# The attributes of cases: matrix.py chooses the cases of each guest by these.
ATTRIBUTES = {
    "first": "all other cases rely on it: each guest runs it",
    "checked": "runs most of the code that a kernel with checkers observes",
    "memory": "could leak memory, above all after a failed allocation",
    "races": "has several actors",
    "kernel": "uses perf, power management, PCI or the DMA layer, which differ between kernels",
    "registers": "accesses registers, which each layout has elsewhere",
    "tables": "depends on the tables of a chip",
    "pdaemon": "differs on a chip with PDAEMON and USER signals",
    "two": "distinguishes GPUs, or uses state that they share",
    "layouts": "runs on the oldest kernel with the layouts that G84 has not",
    "waits": "mostly waits for the clock of the GPU",
    "once": "takes long, and one guest of make check runs it",
    "many": "takes a minute and more with two GPUs with dozens of domains",
    "slow": "takes long for a result that a unit test gives, or that others represent",
    "minutes": "one run in make check-all is enough, on the kernel of the distribution",
    "random": "finds most with many runs: on several kernels, and in make soak",
    "captures": "tests user programs that read captures, whatever the kernel is",
    "soak": "can run for any time",
    "slow-on-debug": "takes minutes with KASAN",
    "slow-on-kcsan": "takes minutes with KCSAN",
    "isolcpus": "needs the kernel's parameter isolcpus",
    "lockdown": "locks the kernel down, which cannot be undone",
}


class Endless(Exception):
    """A case did not end in time. No OSError, which a case may expect."""


def descendants():
    """Return the command lines of the processes below this one, by their numbers."""
    parents, below = {}, {os.getpid()}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        # a process may end meanwhile
        with contextlib.suppress(OSError):
            name, _, fields = path.read_text(errors="replace").rpartition(")")
            parents[int(name.split()[0])] = int(fields.split()[1])
    # parents are not always older: numbers begin anew
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    found = {}
    for pid in below - {os.getpid()}:
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
            found[pid] = words.replace("\0", " ").strip()
    return found


@contextlib.contextmanager
def limited(seconds, again=20):
    """Let the body run for some seconds; then kill the processes below this one, and raise
    Endless. Its cleaning up may wait as well: do the same every so often.
    """
    def end(*_):
        left = descendants()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # not by an interval: the search above may take longer on a busy host
        signal.setitimer(signal.ITIMER_REAL, again)
        raise Endless(f"no end after {seconds:.0f} s; killed: {list(left.values())}")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Case:
    """A case: its title, its function, and where it runs.

    where: a function of the Lab that chooses the sets of GPUs.
    about: its attributes, those of its file included.
    """

    def __init__(self, name, func, where, about):
        self.name = name
        self.func = func
        self.where = where
        self.about = set(about)
        if unknown := self.about - ATTRIBUTES.keys():
            raise ValueError(f"{name}: no attributes: {unknown}")

    def is_wanted(self, words, need, but):
        """Return true if the case has one of the words, and of the needed attributes, if any."""
        return not self.about & set(but) and (
            "first" in self.about or (not words or any(word in self.name for word in words)) and
            (not need or bool(self.about & set(need))))


CASES = []


def one_gpu(lab):
    return len(lab.gpus) == 1 and lab.chip.classic


def classic(lab):
    return all(gpu.chip.classic for gpu in lab.gpus)


def case(name, where=one_gpu, about=""):
    """Decorator: a function that raises on an error.

    about: attributes besides those that the variable ABOUT of its file gives to all cases.
    """
    def register(func):
        of_all = getattr(sys.modules[func.__module__], "ABOUT", "")
        CASES.append(Case(name, func, where, f"{of_all} {about}".split()))
        return func
    return register


def chosen(lab, words=(), need=(), but=()):
    """Return the cases that fit the guest's GPUs, and words and attributes, if any."""
    return [case for case in CASES if case.where(lab) and case.is_wanted(words, need, but)]


def booted_with(word):
    """Return true if a word is on the kernel's command line."""
    return word in pathlib.Path("/proc/cmdline").read_text(encoding="ascii")


class Lab:
    """The guest: its GPUs, and the module under test."""

    def __init__(self, chips, module):
        self.gpus = [Vgpu(number, CHIPS[name]) for number, name in enumerate(chips)]
        self.module = module
        found = sorted(str(path) for path in pathlib.Path("/sys/bus/pci/devices").iterdir()
                       if text(path / "vendor") == "0x10de")
        for gpu, path in zip(self.gpus, found):
            gpu.pci = path
        self.found = found
        self.gpu = self.gpus[0]
        self.chip = self.gpu.chip
        self.pmu = Pmu(0)
