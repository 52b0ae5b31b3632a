# SPDX-License-Identifier: GPL-2.0-only
"""Guests of the distribution's kernel with virtual GPUs.

The guest has the host's root file system, read-only, with all programs installed
here, perf above all. A guest runs one script, whose output arrives here line by line.
"""

import fcntl
import functools
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
CACHE = pathlib.Path(os.environ.get("PCOUNTER_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or
                                  pathlib.Path.home() / ".cache") / "pcounter")

# Modules that the guest needs before it can mount the host's root.
MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p")

# Patterns of the kernel's error messages.
SPLAT = re.compile(r"BUG:|WARNING:|INFO:|Oops|Kernel panic|general protection|"
                   r"Call Trace|KASAN|UBSAN|unchecked MSR|soft lockup|"
                   r"rcu: .*(stall|detected)|refcount_t:|Unable to handle")

# Slow kernels with checkers; "debug-6.1" is like "debug".
CHECKED = ("debug", "kcsan")
ONE_OFF = ("debug-6.1", "debug-newest")
# This kernel loads nothing, and has no file system of the host.
BARE = "kunit"

# Limits are for a machine on which a kernel boots in this time; a slower boot
# extends all later limits, too.
BOOT_SECONDS = {"debug": 10, "kcsan": 4, "kunit": 10}
OTHER_BOOT_SECONDS = 12
# A guest without output for this time hangs.
SILENCE_SECONDS = 300
CHECKED_SILENCE_SECONDS = 600

# The first line of a guest: its kernel has booted.
BEGIN = "guest-begin"

# Appended to a script in a kernel that counts executed code.
COVERAGE = "cp -r /sys/kernel/debug/gcov /dev/share 2>/dev/null\n"

# Hardening of a distribution's kernel at every entry, fault and allocation,
# which no case tests: a third of a guest's time. Uncleared memory also shows
# errors.
UNHARDENED = ("mitigations=off norandmaps randomize_kstack_offset=off init_on_alloc=0 "
              "apparmor=0 audit=0")

# KASAN reports once, but a known fault of perf must hide no other.
EVERY_REPORT = "kasan_multi_shot"

# Seconds for which a busy host may delay a processor of the guest. After twice
# the first number the guest's kernel complains of a soft lockup, after the second
# of an RCU stall.
WATCHDOGS = "watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"

# Repeated by the cases as a sign of life.
ALIVE = "guest-alive"

# A disk for Secure Boot, with files from the packages of FIRMWARE.
FIRMWARE = ("ovmf", "shim-signed", "grub-efi-amd64-signed")
ESP = {"EFI/BOOT/BOOTX64.EFI": "usr/lib/shim/shimx64.efi.signed",
       "EFI/BOOT/grubx64.efi": "usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed"}

# A program that runs in this way ends when the test that has started it is killed.
LINKED = ("setpriv", "--pdeathsig", "KILL")

# With KVM a guest either boots at once or never.
PROBE_SECONDS = 10


class GuestError(Exception):
    """A guest that failed to start, or did not end by itself."""


def slowness(line, boot):
    """Return how much slower this machine is than the reference of the limits, at least 1."""
    return max(1, (boot or 0) / BOOT_SECONDS.get(line.split("-")[0], OTHER_BOOT_SECONDS))


def script(name, *args):
    """Return the last line of output of one of the project's scripts."""
    done = subprocess.run([TOP / "scripts" / name, *args], check=False,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise GuestError(f"{name} {' '.join(args)} failed")
    return done.stdout.strip().splitlines()[-1]


def is_ready(line):
    """Return true if a kernel exists, or can be built without minutes of waiting."""
    return not subprocess.run([TOP / "scripts/kernels.sh", "ready", line], check=False).returncode


class Queue:
    """The boots that wait for their turn."""

    def __init__(self, rows):
        self.lock = threading.Lock()    # protects rows
        self.rows = list(rows)

    def take(self):
        """Take the first boot whose kernel is ready, or else the first one."""
        with self.lock:
            if not self.rows:
                return None
            row = next((row for row in self.rows if is_ready(row.line)), self.rows[0])
            self.rows.remove(row)
            return row


class Kernel:
    """A line of scripts/kernels.sh, unpacked or built in the cache, or the first kernel of
    a system.
    """

    def __init__(self, line, root=None):
        self.line = line
        self.checked = line.split("-")[0] in CHECKED
        self.wanted = () if line == BARE else MODULES
        root = pathlib.Path(root or script("kernels.sh", "image", line))
        self.vmlinuz = min((root / "boot").glob("vmlinuz-*"))
        self.version = self.vmlinuz.name.removeprefix("vmlinuz-")
        self.modules = root / "lib/modules" / self.version

    def dependencies(self, wanted):
        """Return the files of modules in load order."""
        files, needs = {}, {}
        for line in (self.modules / "modules.dep").read_text().splitlines():
            path, deps = line.split(":")
            name = pathlib.Path(path).name.split(".ko")[0].replace("-", "_")
            files[name] = path
            needs[path] = deps.split()
        builtin = {pathlib.Path(line).stem.replace("-", "_") for line in
                   (self.modules / "modules.builtin").read_text().split()}

        order = []
        for name in wanted:
            if name in builtin:
                continue
            # modules.dep lists dependencies in reverse order
            for path in [*reversed(needs[files[name]]), files[name]]:
                if path not in order:
                    order.append(path)
        return order

    def initramfs(self):
        """Return the path of an initramfs that runs ./init; made once."""
        init = (HERE / "init").read_bytes()
        key = hashlib.sha256(init + (HERE / "guest.py").read_bytes() +
                             bytes(self.modules)).hexdigest()[:12]
        target = CACHE / "initramfs" / f"{self.version}-{key}.cpio"
        if target.exists():
            return target

        archive = Cpio()
        for name in ("bin", "modules"):
            archive.add(name, 0o040755)
        archive.add("init", 0o100755, init)
        archive.add("bin/busybox", 0o100755, find_busybox().read_bytes())
        order = []
        for path in self.dependencies(self.wanted):
            data = (self.modules / path).read_bytes()
            name = pathlib.Path(path).name
            if name.endswith(".xz"):
                name, data = name[:-3], lzma.decompress(data)
            order.append(name)
            archive.add(f"modules/{name}", 0o100644, data)
        archive.add("modules/order", 0o100644, "".join(f"{n}\n" for n in order).encode())

        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as out:
            out.write(archive.finish())
        os.rename(out.name, target)
        return target


def find_busybox():
    path = shutil.which("busybox", path="/bin:/usr/bin")
    if not path:
        raise GuestError("no busybox: scripts/setup.sh demo installs it")
    return pathlib.Path(path)


class Cpio:
    """An archive in the format that the kernel unpacks."""

    def __init__(self):
        self.parts = []
        self.inode = 0

    def add(self, name, mode, data=b""):
        self.inode += 1
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        for part in (head, data):
            self.parts.append(part + b"\0" * (-len(part) % 4))

    def finish(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def build_in(folder, out):
    """Build a folder's program if its sources changed; return the directory."""
    out = TOP / "build" / out
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["make", "-C", folder, f"O={out}"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise GuestError(f"{folder} does not build:\n{done.stdout}")
    return out


def build(name):
    """Build a program of the tests if its sources have changed; returns its path."""
    out = pathlib.Path(name).name
    return build_in(HERE.parent / name, out) / out


def build_tool():
    """Return the path of the program, which the guests' cases run from the host."""
    return build_in(TOP / "tools/pcounter", "tools") / "pcounter"


@functools.cache
def clock_khz():
    """Return the rate of the host's time stamp counter."""
    return subprocess.run([build("tsc")], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def steady_clock():
    """Return kernel parameters for a clock that does not depend on the guest's speed.

    The time stamp counter is the host's. A kernel does not trust it where there are two
    sockets; the clock of perf then stands still until the next timer interrupt, which is
    late on a busy host. Without ACPI the kernel has nothing to measure it by.
    """
    return f"tsc=reliable tsc_early_khz={clock_khz()}"


def module(kernel, *options):
    """Return the directory of the modules, built for a kernel."""
    return pathlib.Path(script("build-modules.sh", *options, kernel.line))


def load_directly(kernel, initrd, append):
    """Return the options with which QEMU itself loads a kernel into the guest's memory."""
    return ["-machine", "pc", "-kernel", str(kernel), "-initrd", str(initrd), "-append", append]


@functools.cache
def qemu(accel):
    """Return the command that runs QEMU.

    Without KVM QEMU 10 dereferences a null pointer when a firmware routes the interrupt of
    an x-pci-proxy-dev; QEMU 7.2 does not.
    """
    command = "qemu-system-x86_64"
    said = subprocess.run([command, "--version"], check=True, stdout=subprocess.PIPE, text=True)
    newer = int(re.search(r"version (\d+)", said.stdout)[1]) > 7
    return script("system.sh", "qemu") if newer and accel != "kvm" else command


def qemu_base(kernel, accel, console, append, initrd=None, counted=False, load=load_directly):
    """Return the options that every guest has."""
    # measurements use a kernel like the users'
    if not counted:
        append = f"{steady_clock()} {UNHARDENED} {WATCHDOGS} {EVERY_REPORT} {append}"
    command = [*LINKED, qemu("tcg" if counted else accel), "-nodefaults", "-nographic",
               "-vga", "none", "-no-reboot",
               "-serial", f"file:{console}",
               *load(kernel.vmlinuz, initrd or kernel.initramfs(),
                     f"console=ttyS0 no_timer_check loglevel=5 panic=-1 {append}")]
    # One processor whose clock is the number of instructions: measurements are
    # the same on any machine. Without string instructions, which copy any
    # number of bytes.
    if counted:
        return [*command, "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off",
                "-cpu", "max,erms=off,fsrm=off", "-smp", "1"]
    # Requests to a virtual GPU must come from one thread: two concurrent ones
    # are lost without an error. Multi-threaded TCG also breaks text patching.
    if accel == "kvm":
        return [*command, "-accel", "kvm", "-cpu", "host", "-smp", "1"]
    # without ACPI the firmware reports one processor of each socket
    return [*command, "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2,sockets=2"]


def kvm_works(kernel):
    """Return the result of a trial, made once for each boot of this machine."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    known = CACHE / f"kvm-{boot}"
    if not known.exists():
        works = probe_kvm(kernel)
        for old in CACHE.glob("kvm-*"):
            old.unlink(missing_ok=True)
        known.write_text("yes" if works else "no", encoding="ascii")
    return known.read_text(encoding="ascii") == "yes"


def probe_kvm(kernel):
    """Return true if a guest really starts under KVM; some hosts only pretend."""
    print(f"does KVM work here? {PROBE_SECONDS} seconds to find out", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="pcounter-") as tmp:
        console = pathlib.Path(tmp) / "console"
        command = qemu_base(kernel, "kvm", console, "pcounter.probe")
        try:
            subprocess.run([*command, "-m", "512M"], check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return console.exists() and "guest-end 0" in console.read_text(errors="replace")


_accel = None
_accel_lock = threading.Lock()  # protects _accel


def accelerator(kernel):
    """Return kvm or tcg, from PCOUNTER_ACCEL or a trial."""
    global _accel
    with _accel_lock:
        if not _accel:
            wish = os.environ.get("PCOUNTER_ACCEL", "auto")
            if wish not in ("auto", "kvm", "tcg"):
                raise GuestError("PCOUNTER_ACCEL is kvm, tcg or auto")
            if wish == "auto":
                wish = "kvm" if kvm_works(kernel) else "tcg"
            _accel = wish
        return _accel


# perf's own: it frees a leader that was outside of its context, with a member in its list
# (tools/testing/fuzz/orphan.c). A report of KASAN ends with a line of its own.
ORPHANED = re.compile(r"(?s)BUG: KASAN: slab-use-after-free in .{,20000}?={60}")
ORPHANED_PARTS = (r"Allocated by task.*\bperf_event_alloc\b", r"Freed by task.*\bfree_event_rcu\b")


def is_orphaned(report):
    """Return true if a report of KASAN is of a freed event, without a frame of a module."""
    return (all(re.search(part, report, re.DOTALL) for part in ORPHANED_PARTS) and
            not re.search(r"\+0x[0-9a-f]+/0x[0-9a-f]+ \[", report))


# QEMU's own: flags in which no instruction has left them, here a part of an address, let the
# kernel trap after each instruction (seen once, QEMU 7.2 without KVM).
STEPPED = re.compile(r"(?s)WARNING: [^\n]* exc_debug_kernel\+.{,9000}?end trace")
FLAGS = 1 << 22   # a processor has none beyond these


def is_emulators(report):
    """Return true if a report shows flags that no processor has."""
    return any(int(flags, 16) >= FLAGS for flags in re.findall(r"EFLAGS: ([0-9a-f]+)", report))


def complaints_in(text):
    """Return the lines in which a kernel complains."""
    text = ORPHANED.sub(lambda found: "" if is_orphaned(found[0]) else found[0], text)
    text = STEPPED.sub(lambda found: "" if is_emulators(found[0]) else found[0], text)
    # without the reports of allocations that were made to fail
    text = re.sub(r"(?s)vmalloc error:.{,900}?Call Trace:", "", text)
    # memory that a GPU may still address is never freed, even when its driver goes
    if "pcounter: the TLB is not flushed" in text:
        text = re.sub(r"(?s)WARNING: [^\n]* dma_debug_device_change.{,9000}?end trace", "", text)
    # of cases/checker.py
    text = re.sub(r"BUG: KCSAN: data-race in race_.*", "", text)
    return [line for line in text.splitlines() if SPLAT.search(line)]


def telling(lines):
    """Return a log's last lines, and each of the kernel's complaints with its call trace."""
    wanted = set(range(max(0, len(lines) - 40), len(lines)))
    for number, line in enumerate(lines):
        if SPLAT.search(line):
            wanted |= set(range(number, min(number + 60, len(lines))))
    return [lines[number] for number in sorted(wanted)]


def save_coverage(source, module, name):
    """Save the counts of executed code in a module's objects for scripts/coverage.py."""
    folder = TOP / "build/coverage" / name
    shutil.rmtree(folder, ignore_errors=True)
    for data in source.rglob("drivers/gpu/pcounter/**/*.gcda"):
        # below the folder in which the kernel knows it was built
        part = pathlib.Path(str(data).rpartition("drivers/gpu/pcounter/")[2])
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data, folder / part)
        notes = part.with_suffix(".gcno")
        shutil.copy(module.resolve().parent / notes, folder / notes)


class Guest:
    """One boot. gpus: a list of (chip, scenario text); append: for the kernel.

    root: the guest's file system; default: this machine's.
    counted: the clock counts instructions, one per nanosecond.
    firmware: a folder with the files of FIRMWARE; the guest uses Secure Boot.
    """

    def __init__(self, kernel, gpus, clock=1000000, memory="1G", append="", root="/",
                 counted=False, firmware=None):
        self.kernel = kernel
        self.gpus = gpus
        self.append = append
        self.root = root
        self.clock = clock
        self.memory = memory
        self.counted = counted
        self.firmware = firmware
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="pcounter-guest-"))
        self.share = self.work / "share"
        self.share.mkdir()
        self.console = self.work / "console"
        self.output = self.work / "output"
        self.processes = []
        self.qemu = None
        self.started = None
        self.boot = None
        self.status = None
        self.kept = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if not self.kept:
            shutil.rmtree(self.work, ignore_errors=True)

    def start_vgpu(self, number, chip, scenario):
        """Start one virtual GPU; return QEMU's options for it."""
        control = self.work / f"vgpu{number}"
        text = self.work / f"scenario{number}"
        text.write_text(scenario)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with ours, open(self.work / f"vgpu{number}.log", "wb") as log:
            process = subprocess.Popen(
                [*LINKED, build("pcounter/vgpu"), "--chip", chip, "--fd", str(ours.fileno()),
                 "--scenario", text, "--control", control, "--clock", str(self.clock)],
                pass_fds=[ours.fileno()], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        deadline = time.monotonic() + 60
        while not control.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise GuestError(f"vgpu {chip}: " +
                                 (self.work / f"vgpu{number}.log").read_text())
            time.sleep(0.01)
        return theirs, ["-device", f"x-pci-proxy-dev,id=gpu{number},fd={theirs.fileno()}",
                        "-chardev", f"socket,id=ctl{number},path={control}",
                        "-device", f"virtserialport,chardev=ctl{number},name=vgpu{number}"]

    def load_securely(self, kernel, initrd, append):
        """Return options to boot by Secure Boot: firmware, shim, GRUB and kernel,
        each of which is verified.
        """
        files = {name: self.firmware / path for name, path in ESP.items()}
        for name, path in {**files, "vmlinuz": kernel, "initrd": initrd}.items():
            (self.work / "esp" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.work / "esp" / name)
        config = self.work / "esp/EFI/debian/grub.cfg"
        config.parent.mkdir()
        config.write_text(f"linux /vmlinuz {append}\ninitrd /initrd\nboot\n", encoding="ascii")
        code = self.firmware / "usr/share/OVMF/OVMF_CODE_4M.ms.fd"
        variables = self.work / "variables"
        shutil.copy(self.firmware / "usr/share/OVMF/OVMF_VARS_4M.ms.fd", variables)
        # only the firmware, in its own mode, writes to its variables
        return ["-machine", "q35,smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on",
                "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={code}",
                "-drive", f"if=pflash,unit=1,format=raw,file={variables}",
                "-drive", f"if=virtio,format=raw,readonly=on,file=fat:{self.work}/esp"]

    def start(self, run):
        """Boot, and run a shell script in the guest."""
        (self.share / "run").write_text(f"echo {BEGIN}\n{run}")
        self.output.touch()
        command = qemu_base(self.kernel, accelerator(self.kernel), self.console,
                            self.append, counted=self.counted,
                            load=self.load_securely if self.firmware else load_directly)
        command += ["-object", f"memory-backend-memfd,id=mem,size={self.memory},share=on",
                    "-machine", "memory-backend=mem", "-m", self.memory,
                    "-virtfs", f"local,path={self.root},mount_tag=hostroot,security_model=none,"
                    "readonly=on,multidevs=remap",
                    "-virtfs", f"local,path={self.share},mount_tag=share,security_model=none",
                    "-device", "virtio-serial-pci",
                    "-chardev", f"file,id=out,path={self.output}",
                    "-device", "virtserialport,chardev=out,name=out"]
        sockets = []
        for number, (chip, scenario) in enumerate(self.gpus):
            theirs, args = self.start_vgpu(number, chip, scenario)
            sockets.append(theirs)
            command += args
        with open(self.work / "qemu.log", "wb") as log:
            self.qemu = subprocess.Popen(command, pass_fds=[s.fileno() for s in sockets],
                                         stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(self.qemu)
        self.started = time.monotonic()
        for theirs in sockets:
            theirs.close()

    def lines(self, limit, silence=0):
        """Yield the script's output, line by line, until the guest ends.

        Sets self.status to the script's exit status. A guest that does not end by
        itself is an error: it hangs if it prints nothing for the seconds of a silence,
        not even a sign of life, and is too slow if it prints nothing else for its
        limit. Both are for a machine of usual speed, and grow with the time of the
        boot. The total time has no limit, since it depends on other work of the
        machine.
        """
        silence = silence or (CHECKED_SILENCE_SECONDS if self.kernel.checked
                              else SILENCE_SECONDS)
        heard = told = time.monotonic()
        rest = ""
        with open(self.output, encoding="utf-8", errors="replace") as stream:
            while True:
                ended = self.qemu.poll() is not None
                rest += stream.read()
                *lines, rest = rest.split("\n")
                if lines:
                    heard = time.monotonic()
                for line in lines:
                    line = line.rstrip("\r")
                    if line == ALIVE:
                        continue
                    told = heard
                    if line == BEGIN:
                        self.boot = time.monotonic() - self.started
                    elif line.startswith("guest-end "):
                        self.status = int(line.split()[1])
                    else:
                        yield line
                if ended:
                    break
                self.judge(heard, told, limit, silence)
                if not lines:
                    time.sleep(0.1)
        if self.status is None:
            raise GuestError("the guest died")

    def judge(self, heard, told, limit, silence):
        """Raise an error if the guest hangs or has used up its time."""
        slow = slowness(self.kernel.line, self.boot)
        now = time.monotonic()
        booted = f"booted in {self.boot:.0f} s" if self.boot else "has not booted"
        if not self.boot:
            silence = max(silence, CHECKED_SILENCE_SECONDS)
        if now - heard > silence * slow:
            raise GuestError(f"the guest hangs: not a word in {now - heard:.0f} s; it {booted}")
        if now - told > limit * slow:
            raise GuestError(f"too slow: nothing but that it is alive in {now - told:.0f} s, "
                             f"{slow:.1f} times the limit; it {booted}")

    def complaints(self):
        """Return lines of the console in which the kernel complains."""
        return complaints_in(self.console.read_text(errors="replace")
                             if self.console.exists() else "")

    def save_coverage(self, module, name):
        """Save the counts of executed code in a module's objects."""
        save_coverage(self.share / "gcov", module, name)

    def explain(self):
        """Return the text to print about a failed guest."""
        parts = []
        for path in (self.console, self.share / "dmesg", *sorted(self.work.glob("*.log"))):
            if path.exists() and path.stat().st_size:
                parts += [f"--- {path.name}",
                          *telling(path.read_text(errors="replace").splitlines())]
        return parts

    def keep(self):
        """Save consoles and logs; return their place."""
        self.kept = True
        return self.work

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
            process.wait()
