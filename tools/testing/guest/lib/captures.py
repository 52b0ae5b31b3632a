# SPDX-License-Identifier: GPL-2.0-only
"""Captures by pcounter record, and what a GPU from GF100 on has for them."""

import contextlib
import signal
import subprocess
import tempfile

from packets import has_packets, terms
from program import tool
from support import A, PROGRAM, check, reloaded, run, same, wait_for

EVENT = f"pcounter_0/{terms(1, A)}/"


class Capture:
    """A running capture; its end checks that it is as expected."""

    def __init__(self, *args, where=None, events=(EVENT,)):
        self.folder = where or tempfile.mkdtemp(dir="/dev/shm")
        self.path = f"{self.folder}/data"
        self.command = [PROGRAM, "record", "-o", self.path, *args]
        for event in events:
            self.command[2:2] = ["-e", event]
        self.streams = len(events)
        self.program = None
        self.said = ""

    def __enter__(self):
        self.program = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: self.program.poll() is not None or has_packets(self.path, self.streams),
                 "nothing is recorded", seconds=60)
        return self

    def __exit__(self, *_):
        if self.program.poll() is None:
            self.program.send_signal(signal.SIGINT)
        self.said = self.program.communicate()[1]

    def told(self, status, *words):
        """Check that the program and its report say that something is missing."""
        same(self.program.returncode, status, self.said)
        report = tool("report", self.path, status=1) + tool.stderr
        for word in words:
            check(word in self.said + report, f"{word} is not in: {self.said}{report}")
        # after an early end by a signal, the capture may be complete up to there
        check(status == 130 or "loss     none" not in report, report)
        run("rm", "-rf", self.path, f"{self.path}.old")
        return report


# signals of each domain of the HUB
WAVE, SHARE = 0x20, 0x21
HALF = 32768
DOMAINS = range(8)
PERIODS = 1024, 2048


def kepler(lab):
    """Choose the guest with a GK104 beside a Fermi chip."""
    return [gpu.chip.name for gpu in lab.gpus] == ["gf100", "gk104"]


def duty(dom):
    """Return the clocks of 1024 in which the signal SHARE is 1."""
    return 64 * (1 + dom)


def records_of(dom, what):
    """Return the terms of an event; every second domain has a longer period."""
    return f"record,dom={dom},{what},periodic={1 + dom % 2}"


@contextlib.contextmanager
def records(lab):
    """Yield a GK104 that records: a wave that all domains share, and a share of each one's own."""
    gpu = lab.gpus[1]
    with gpu.frozen():
        for dom in DOMAINS:
            # a case before this one may have stopped the clocks of some domains
            phase = -gpu.cycle(f"hub{dom}") % (2 * HALF)
            gpu.signal(f"hub{dom}", WAVE, "duty", f"{HALF}/{2 * HALF}", "phase", phase)
            gpu.signal(f"hub{dom}", SHARE, "duty", f"{duty(dom)}/1024")
    with reloaded(lab, "unverified=1"):
        yield gpu
