# SPDX-License-Identifier: GPL-2.0-only
"""The program "pcounter", and a machine that types its commands."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from support import (PATIENT, PROGRAM, check, insmod, loaded, rmmod, run, same, text, wait_for,
                     write)

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def one(lab):
    return len(lab.gpus) == 1 and lab.chip.name == "g84"


def one_new(lab):
    """Choose one kernel, since surveys take long."""
    return one(lab) and os.uname().release.startswith("6.12")


def two(lab):
    return len(lab.gpus) == 2 and lab.chip.name == "g84"


def tool(*args, status=0, **kwargs):
    """Run it; return stdout, the output for programs. A status of None accepts any."""
    done = subprocess.run([PROGRAM, *args], check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)
    check(status in (None, done.returncode),
          f"pcounter {' '.join(args)[:200]}: {done.returncode}: {done.stdout} {done.stderr}")
    tool.stderr, tool.status = done.stderr, done.returncode
    return done.stdout


def monitor(user=None):
    """Run the program of the page for authors of monitors; return its status and its output."""
    path = "/dev/shm/monitor"
    shutil.copy(os.environ["PCOUNTER_MONITOR"], path)
    os.chmod(path, 0o755)
    done = subprocess.run([path], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **(user or {}))
    return done.returncode, done.stdout


def counted(*args):
    """Return the rows of "pcounter stat" by the names of the metrics."""
    return {row["event"]: row for row in rows_of(tool("stat", "-j", *args))}


@contextlib.contextmanager
def suspended(gpu):
    """Put the GPU to sleep, as the kernel sees it: runtime-suspended; check that
    it stays untouched.
    """
    power = pathlib.Path(gpu.pci) / "power"
    write(power / "control", "auto")
    wait_for(lambda: text(power / "runtime_status") == "suspended", "it does not fall asleep")
    gpu.forget()
    try:
        yield
        same(text(power / "runtime_status"), "suspended", "runtime_status")
        same(gpu.log(), [], "accesses to a sleeping GPU")
    finally:
        write(power / "control", "on")


def rows_of(out):
    return [json.loads(line) for line in out.splitlines()]


def mount_terminals():
    os.makedirs("/dev/pts", exist_ok=True)
    if not os.path.ismount("/dev/pts"):
        same(run("mount", "-t", "devpts", "devpts", "/dev/pts").returncode, 0, "mount")


USER = ("--userspec=1000:1000", "--groups=")
# the host's folders, for a root with a /lib of its own
OTHERS = "usr etc proc sys dev tmp".split()


class Machine:
    """A root with both programs, a sudo for root, and modules in modprobe's folder."""

    def __init__(self, root):
        self.root = root
        self.release = os.uname().release
        root.chmod(0o755)
        for name in (*OTHERS, "opt", "lib/modprobe.d", f"lib/modules/{self.release}"):
            (root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib64"):
            (root / name).symlink_to(f"usr/{name}")
        for path in pathlib.Path("/usr/lib").iterdir():
            if not (root / "lib" / path.name).exists():
                (root / "lib" / path.name).symlink_to(path)
        for program in (PROGRAM, shutil.which("perf")):
            shutil.copy(program, root / "opt")
        sudo = root / "opt/sudo"
        sudo.write_text('#!/bin/sh\nexec "$@"\n', encoding="ascii")
        sudo.chmod(0o755)
        self.options(PATIENT, "owner=pcounter_sleeper")

    def options(self, *words):
        (self.root / "lib/modprobe.d/test.conf").write_text(
            f"options pcounter {' '.join(words)}\n", encoding="ascii")

    def install(self, module):
        """Install like "make modules_install"."""
        modules = self.root / "lib/modules" / self.release
        shutil.copy(module, modules)
        for name in ("order", "builtin"):
            (modules / f"modules.{name}").touch()
        done = run("depmod", "-b", str(self.root), self.release)
        check(done.returncode == 0, f"depmod: {done.stdout}")

    def sh(self, command, who=()):
        """Return status and output of a shell; its mounts end with it."""
        mounts = "".join(f"mount --rbind /{name} {self.root}/{name} && " for name in OTHERS)
        script = (f"{mounts} exec chroot {' '.join(who)} {self.root} env PATH=/opt:$PATH "
                  'HOME=/tmp sh -c "$0"')
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, command], check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def doctor(self, *args):
        status, out = self.sh(f"pcounter doctor {' '.join(args)}")
        return status, out.splitlines()

    def cured(self, cause, *args):
        """Check that doctor fails for this cause only; type its command, and
        check that doctor succeeds.
        """
        status, lines = self.doctor(*args)
        commands = re.findall(r"; do: (.*)", "\n".join(lines))
        check(status == 1 and len(commands) == 1, f"{lines}")
        check(any(re.match(f"FAIL .*{cause}.*; do: ", line) for line in lines), f"{lines}")
        status, out = self.sh(commands[0])
        same(status, 0, f"{commands[0]}: {out}")

        def works():
            works.said = self.doctor(*args)
            return works.said[0] == 0 and "; do: " not in "\n".join(works.said[1])

        wait_for(works, f"{commands[0]} has not helped")
        same(works.said[1][-1], "Counting will work.", "verdict")
        return commands[0]


@contextlib.contextmanager
def machine(lab, built=True):
    """Make a machine; afterwards the module is loaded as before."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        found = Machine(pathlib.Path(folder))
        if built:
            found.install(lab.module)
        try:
            yield found
        finally:
            if loaded():
                rmmod()
            insmod(lab.module)
