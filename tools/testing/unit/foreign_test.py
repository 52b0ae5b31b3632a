# SPDX-License-Identifier: GPL-2.0-only
"""Files of others: their bytes do not command a terminal, and damage costs little."""

import json
import unittest

from program_test import A, PERFMON, Machine

# a command of a terminal, its C1 form in UTF-8 and as a byte, a false line, and no UTF-8
HARM = (b"\x1b[2J", "\x9b2J".encode(), b"\x9b2J", b"\nsound", b"\r\x7f\xff")


def row(event="gpu_busy", unit="%", mean=1.0, runs=8):
    """Return a line of "pcounter stat -r 8 -j"."""
    return json.dumps({"event": event, "unit": unit, "source": event,
                       "values": [mean + i / 100 for i in range(runs)]}) + "\n"


class Foreign(Machine):
    """Each reader of a file of somebody else."""

    def said(self, *args, lines=None, **kwargs):
        """Return the output, which has only letters, in as many lines as an honest file has."""
        # without block elements, which are bytes of the program's own
        kwargs["env"] = {"LC_ALL": "C", **kwargs.get("env", {})}
        done = self.run_program(*args, errors="surrogateescape", **kwargs)
        out = done.stdout + done.stderr
        self.assertRegex(out, r"\A[\n -~]*\Z", args)
        self.assertIn(done.returncode, (0, 1, 2))
        if lines:
            self.assertEqual(out.count("\n"), lines, out)
        return out

    def test_diff(self):
        (self.folder / "b").write_text(row() + row("x", mean=2))
        for harm in (harm.decode() for harm in HARM[:2] + HARM[3:4]):
            for kind in ((), ("-j",)):
                (self.folder / "a").write_text(row(unit=f"%{harm}") + row(f"y{harm}"))
                said = self.said("diff", *kind, "a", "b")
                self.assertIn("gpu_busy", said)
                self.assertRegex(said, r"pcounter: y\S+: not in all runs: left out\n")

    def test_events(self):
        (self.folder / "pcounter").mkdir()
        for harm in HARM[:3] + HARM[4:]:
            (self.folder / "pcounter/G84.events").write_bytes(
                b'mine,"dom=1,sig=3",u' + harm + b",t" + harm + b",s" + harm +
                b'\nyours,"dom=1,sgi' + harm + b'=3"\ntheirs,"dom=1,sig=' + harm + b'"\n')
            env = {"XDG_CONFIG_HOME": str(self.folder)}
            for verb in (("events", "mine"), ("explain", "mine"), ("top", "-n", "1", "-e", "mine"),
                         ("stat", "-t", "10ms", "-M", "mine"), ("events", "-j", "mine")):
                self.assertIn("mine", self.said(*verb, env=env))
            shown, = json.loads(self.run_program("events", "-j", "mine", env=env).stdout)
            self.assertEqual(shown["name"], "mine")

    def test_names_of_cards(self):
        self.script = [f"caps {PERFMON}", "signal 1 16 0.25"]
        for harm in HARM[:3] + HARM[4:]:
            (self.folder / "pci.ids").write_bytes(
                b"10de  NVIDIA\n\t0400  G84 [GeForce 8600" + harm + b"]\n")
            env = {"PCI_IDS": "pci.ids"}
            for verb in (("list",), ("list", "-j"), ("doctor",), ("doctor", "-j"),
                         ("top", "-n", "1"), ("top", "--openmetrics", "-n", "1"), ("record", "-t", "9")):
                self.said(*verb, env=env)
            gpu, = json.loads(self.run_program("list", "-j", env=env).stdout)
            self.assertRegex(gpu["card"], "GeForce 8600")
            self.assertIn("GeForce 8600", self.said("report"))

    def test_words_of_the_user(self):
        """A word that is no UTF-8 is no reason for an empty answer."""
        done = self.run_program("explain", b"pcounter_0/dom=1,sgi\xff/", errors="replace")
        self.assertIn("refused  pcounter_0/dom=1,sgi?/", done.stdout)


class CardList(Machine):
    """A list of PCI ids that is broken or missing costs the name of the card, and nothing else."""

    LISTS = (b"10de NVIDIA\n10de  NVIDIA\n", b"nonsense\n", b"\t\t\t\n", b"10de  NVIDIA\n\t04\n",
             b"10de  NVIDIA\n\t0400  G84 [GeForce 8600]\n\nno id\n", b"x" * 5000, b"\xff\xfe\0\0")

    def setUp(self):
        super().setUp()
        self.script = [f"caps {PERFMON}", "signal 1 16 0.25"]
        self.env = {"PCI_IDS": str(self.folder / "pci.ids")}

    def check_verbs(self):
        for verb in (("list",), ("list", "-j"), ("doctor",), ("top", "-n", "1", "-i", "20"),
                     ("top", "--openmetrics", "-n", "1", "-i", "20"), ("stat", "-t", "10ms"),
                     ("record", "-t", "9"), ("report",), ("scan", "-i", "20"),
                     ("events", "gpu_busy"), ("explain", f"pcounter_0/{A}/")):
            done = self.run_program(*verb, env=self.env)
            self.assertEqual((done.returncode, "pcilib" in done.stderr), (0, False),
                             f"{verb}: {done.stderr}")
        self.assertIn("e.g. GeForce 8", self.tool("list", env=self.env))

    def test_broken(self):
        for text in self.LISTS:
            (self.folder / "pci.ids").write_bytes(text)
            with self.subTest(text[:40]):
                self.check_verbs()

    def test_missing(self):
        self.check_verbs()
        (self.folder / "pci.ids").mkdir()
        self.check_verbs()


if __name__ == "__main__":
    unittest.main()
