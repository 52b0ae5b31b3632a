# SPDX-License-Identifier: GPL-2.0-only
"""Guests of the distribution's kernel with virtual GPUs.

The host's root file system, read-only, is the guest's: whatever is installed
here, perf above all, is what the guest has. A guest runs one script, whose
output arrives here line by line.
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

# Needed before the host's root can be mounted.
MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p")

# Whatever the kernel prints when something is wrong with it.
SPLAT = re.compile(r"BUG:|WARNING:|INFO:|Oops|Kernel panic|general protection|"
                   r"Call Trace|KASAN|UBSAN|unchecked MSR|soft lockup|"
                   r"rcu: .*(stall|detected)|refcount_t:|Unable to handle")

# Kernels with checkers, slow ones; "debug-6.1" is like "debug".
CHECKED = ("debug", "kcsan")
ONE_OFF = ("debug-6.1", "debug-newest")
# In it there is nothing to load, and no file system of the host.
BARE = "kunit"

# Limits are for a machine on which a kernel boots in so many seconds; one that
# takes longer gets more time for all that follows, as well.
BOOT_SECONDS = {"debug": 10, "kcsan": 4, "kunit": 10}
OTHER_BOOT_SECONDS = 12
# A guest that says nothing for so long hangs.
SILENCE_SECONDS = 300
CHECKED_SILENCE_SECONDS = 600

# What a guest says first: its kernel has booted.
BEGIN = "guest-begin"

# For the end of a script, in a kernel that counts what is executed.
COVERAGE = "cp -r /sys/kernel/debug/gcov /dev/share 2>/dev/null\n"

# What a distribution's kernel does at every entry, fault and allocation against attackers,
# and what no case looks at: a third of a guest's time. Memory that nobody has cleared
# shows mistakes, too.
UNHARDENED = ("mitigations=off norandmaps randomize_kstack_offset=off init_on_alloc=0 "
              "apparmor=0 audit=0")

# Said by the cases again and again.
ALIVE = "guest-alive"

# A disk for Secure Boot: its files, as the packages of FIRMWARE have them.
FIRMWARE = ("ovmf", "shim-signed", "grub-efi-amd64-signed")
ESP = {"EFI/BOOT/BOOTX64.EFI": "usr/lib/shim/shimx64.efi.signed",
       "EFI/BOOT/grubx64.efi": "usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed"}

# With KVM it does not come to a boot, or it does at once.
PROBE_SECONDS = 10


class GuestError(Exception):
    """A guest that could not be started, or did not end by itself."""


def slowness(line, boot):
    """How much slower this machine is than the one that limits are for, at least 1."""
    return max(1, (boot or 0) / BOOT_SECONDS.get(line.split("-")[0], OTHER_BOOT_SECONDS))


def script(name, *args):
    """Last line that one of the project's scripts prints."""
    done = subprocess.run([TOP / "scripts" / name, *args], check=False,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise GuestError(f"{name} {' '.join(args)} failed")
    return done.stdout.strip().splitlines()[-1]


def is_ready(line):
    """Is a kernel there, or is it at least not to be built for minutes?"""
    return not subprocess.run([TOP / "scripts/kernels.sh", "ready", line], check=False).returncode


class Queue:
    """The boots that wait for their turn."""

    def __init__(self, rows):
        self.lock = threading.Lock()    # protects rows
        self.rows = list(rows)

    def take(self):
        """The first one that need not wait until its kernel is built, or else the first."""
        with self.lock:
            if not self.rows:
                return None
            row = next((row for row in self.rows if is_ready(row.line)), self.rows[0])
            self.rows.remove(row)
            return row


class Kernel:
    """A line of scripts/kernels.sh, unpacked or built in the cache."""

    def __init__(self, line):
        self.line = line
        self.checked = line.split("-")[0] in CHECKED
        # without ACPI there is no other clock, and nothing to measure it by
        self.append = (f"tsc=reliable tsc_early_khz={clock_khz()}"
                       if self.checked or line == BARE else "")
        self.wanted = () if line == BARE else MODULES
        root = pathlib.Path(script("kernels.sh", "image", line))
        self.vmlinuz = next((root / "boot").glob("vmlinuz-*"))
        self.version = self.vmlinuz.name.removeprefix("vmlinuz-")
        self.modules = root / "lib/modules" / self.version

    def dependencies(self, wanted):
        """Files of modules in the order in which they must be loaded."""
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
            # modules.dep lists what is needed last first
            for path in [*reversed(needs[files[name]]), files[name]]:
                if path not in order:
                    order.append(path)
        return order

    def initramfs(self):
        """Path of an initramfs that runs ./init; made once."""
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
    """Build what has changed of a folder's program; returns the directory."""
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
    return build_in(HERE.parent / name, name) / name


def build_tool():
    """Path of the program that the guests' cases run from the host."""
    return build_in(TOP / "tools/pcounter", "tools") / "pcounter"


@functools.cache
def clock_khz():
    """How fast the host's processors count their time."""
    return subprocess.run([build("tsc")], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def module(kernel, *options):
    """Directory of the modules, built for a kernel."""
    return pathlib.Path(script("build-modules.sh", *options, kernel.line))


def load_directly(kernel, initrd, append):
    """QEMU puts a kernel into the guest's memory."""
    return ["-machine", "pc", "-kernel", str(kernel), "-initrd", str(initrd), "-append", append]


def qemu_base(kernel, accel, console, append, initrd=None, counted=False, load=load_directly):
    """What every guest has on its command line."""
    # what is measured is measured on a kernel as users have it
    append = f"{kernel.append} {'' if counted else UNHARDENED} {append}"
    command = ["qemu-system-x86_64", "-nodefaults", "-nographic", "-vga", "none", "-no-reboot",
               "-serial", f"file:{console}",
               *load(kernel.vmlinuz, initrd or kernel.initramfs(),
                     f"console=ttyS0 no_timer_check loglevel=5 panic=-1 {append}")]
    # One processor whose clock is the number of instructions: what it measures is the
    # same on any machine. Without the instructions that copy as much as one likes.
    if counted:
        return [*command, "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off",
                "-cpu", "max,erms=off,fsrm=off", "-smp", "1"]
    # Requests to a virtual GPU must come from one thread: two at once are
    # lost without a word. Multi-threaded TCG also breaks text patching.
    if accel == "kvm":
        return [*command, "-accel", "kvm", "-cpu", "host", "-smp", "1"]
    # where there is no ACPI, the firmware names one processor of each socket
    return [*command, "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2,sockets=2"]


def kvm_works(kernel):
    """What a trial has shown, once for each boot of this machine."""
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
    """Does a guest really start under KVM? Some hosts only pretend."""
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
    """kvm or tcg; PCOUNTER_ACCEL decides, or else a trial."""
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


def complaints_in(text):
    """Lines in which a kernel complains."""
    # allocations that were made to fail, of those who say so
    text = re.sub(r"(?s)vmalloc error:.{,900}?Call Trace:", "", text)
    # what a GPU may still know is never freed, even if its driver goes
    if "pcounter: the TLB is not flushed" in text:
        text = re.sub(r"(?s)WARNING: [^\n]* dma_debug_device_change.{,9000}?end trace", "", text)
    # of cases/checker.py
    text = re.sub(r"BUG: KCSAN: data-race in race_.*", "", text)
    return [line for line in text.splitlines() if SPLAT.search(line)]


def save_coverage(source, module, name):
    """Keep what was executed of a module's objects, where scripts/coverage.py looks."""
    folder = TOP / "build/coverage" / name
    shutil.rmtree(folder, ignore_errors=True)
    for data in source.rglob("*.gcda"):
        # below the folder of which the kernel knows that it was built there
        part = pathlib.Path(str(data).rpartition("drivers/gpu/pcounter/")[2])
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data, folder / part)
        notes = part.with_suffix(".gcno")
        shutil.copy(module.parent / notes, folder / notes)


class Guest:
    """One boot. gpus: a list of (chip, scenario text); append: for the kernel.

    root: whose file system the guest has, this machine's if it is not said.
    counted: its clock counts instructions, one in a nanosecond.
    firmware: a folder with the files of FIRMWARE; the guest boots by Secure Boot.
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
        """Start one virtual GPU; returns what QEMU needs to see it."""
        control = self.work / f"vgpu{number}"
        text = self.work / f"scenario{number}"
        text.write_text(scenario)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with ours, open(self.work / f"vgpu{number}.log", "wb") as log:
            process = subprocess.Popen(
                [build("vgpu"), "--chip", chip, "--fd", str(ours.fileno()),
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
        """The firmware starts shim, that GRUB, that the kernel: each checks a signature."""
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
        # nobody but the firmware, in its own mode, writes to its variables
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
        """The script's output, line by line, until the guest ends.

        Sets self.status to the script's exit status. A guest that does not end
        by itself is an error: it hangs if it has said nothing for the seconds of
        a silence, not even that it is alive, and is too slow if it says nothing
        else for its limit. Both are for a machine of usual speed: how long the
        boot took tells. How long all of a guest takes has no limit, since that
        depends on what else the machine does.
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
        """Has the guest used up its time, and does it still do something?"""
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
        """Lines of the console in which the kernel complains."""
        return complaints_in(self.console.read_text(errors="replace")
                             if self.console.exists() else "")

    def save_coverage(self, module, name):
        """Keep what was executed of a module's objects."""
        save_coverage(self.share / "gcov", module, name)

    def explain(self):
        """What to print about a guest that failed."""
        parts = []
        for path in (self.console, self.share / "dmesg", *sorted(self.work.glob("*.log"))):
            if path.exists() and path.stat().st_size:
                tail = path.read_text(errors="replace").splitlines()[-40:]
                parts += [f"--- end of {path.name}", *tail]
        return parts

    def keep(self):
        """Leave consoles and logs behind; returns where."""
        self.kept = True
        return self.work

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
            process.wait()
