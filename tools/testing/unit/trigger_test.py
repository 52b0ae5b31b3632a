# SPDX-License-Identifier: GPL-2.0-only
"""pcounter trigger, mark --trigger and stat --trigger on a fake machine with nouveau."""

import json
import shutil
import unittest

from program_test import PERFMON, Machine


class Trigger(Machine):
    """Periods of all domains end at one moment."""

    PCI = "sys/bus/pci/devices/0000:01:00.0"
    # chip, its number, the class of an object, the method
    CHIPS = (("G84", 0x84, 0x502d, 0x140), ("gt215", 0xa3, 0x502d, 0x140),
             ("GF100", 0xc0, 0x902d, 0x140), ("gk104", 0xe4, 0xa097, 0x144),
             ("gk110", 0xf0, 0xa197, 0x144), ("gk208", 0x108, 0xa197, 0x144))

    def machine(self, chip="gk104", number=0xe4, driver="nouveau", node="renderD128", script=()):
        """Another chip is another machine."""
        root = self.folder / "root"
        shutil.rmtree(root, ignore_errors=True)
        self.chip = {"FAKE_CHIP": chip}
        self.script = [f"nouveau {number}", *script]
        (root / "dev/dri").mkdir(parents=True)
        (root / "dev/dri" / node).touch()
        (root / self.PCI / "drm" / node).mkdir(parents=True)
        (root / self.PCI / "driver").symlink_to(f"../../drivers/{driver}")
        self.log = root / "nouveau"
        self.file = root / "sys/bus/event_source/devices/pcounter_0/trigger"

    def trigger(self, *args, status=0, verb="trigger"):
        return self.tool(verb, *args, status=status, env=self.chip)

    def methods(self):
        """Return the methods that objects have got, and check that nothing is left open."""
        lines = self.log.read_text(encoding="ascii").splitlines()
        self.assertEqual((lines[0], lines[-2:]), ("channel", ["no object", "no channel"]))
        return lines[2:-2]

    def test_method(self):
        for chip, number, name, method in self.CHIPS:
            self.machine(chip, number)
            self.assertEqual(self.trigger(), "")
            self.assertEqual(self.methods(), [f"method {method:#x} {name:#x}"])

    def test_driver_goes_first(self):
        self.machine("gt215", 0xa3)
        self.file.parent.mkdir(parents=True)
        self.file.touch()
        self.trigger()
        self.assertEqual(self.file.read_text(encoding="ascii"), "1")
        self.assertFalse(self.log.exists())
        self.assertIn(f"trigger   {str(self.file).removeprefix(str(self.folder / 'root'))}",
                      self.trigger(verb="list"))

    def test_around_a_command(self):
        for args in (("--trigger",), ("--trigger", "-d", "pcounter_0", "--")):
            self.machine()
            show = f"cat {self.log}; exit 7"
            out = self.trigger(*args, "sh", "-c", show, verb="mark", status=7)
            self.assertEqual(out.splitlines()[2:], ["method 0x144 0xa097"])
            self.assertEqual(self.methods(), 2 * ["method 0x144 0xa097"])

    def test_no_counter_is_full(self):
        """Fake seconds pass while nothing runs."""
        self.machine(script=(f"caps {PERFMON}",))
        self.trigger("--trigger", "-M", "gpc0_dom0_cycles", "-t", "2s", verb="stat")
        self.assertEqual(self.methods(), 21 * ["method 0x144 0xa097"])

    def test_versus(self):
        """The second command's begin loses no count of the first."""
        self.machine("gt215", 0xa3, script=(f"caps {PERFMON}",))
        out = self.trigger("--trigger", "-j", "-M", "cycles(pgraph_idle)", "-r", "8",
                           "--versus", "sleep 0.1", "--", "sleep", "0.1", verb="stat")
        rows = [json.loads(line) for line in out.splitlines() if "cycles(" in line]
        self.assertEqual([(len(row["values"]), 0 in row["values"]) for row in rows],
                         2 * [(8, False)])

    def test_sender_that_fails(self):
        """The counts are shown, and the exit status tells."""
        self.machine("gt215", 0xa3, driver="none", script=(f"caps {PERFMON}",))
        self.file.parent.mkdir(parents=True)
        self.file.symlink_to("/dev/full")
        out = self.trigger("--trigger", "-M", "pgraph_idle", "-t", "1s", verb="stat", status=1)
        self.assertEqual((out.count("was not sent"), out.count("pgraph_idle")), (1, 1))

    def test_counts(self):
        """Each interval ends with a trigger."""
        self.machine("gt215", 0xa3, script=(f"caps {PERFMON}", "signal 1 16 0.25"))
        out = self.trigger("--trigger", "-j", "-M", "pgraph_idle", "-I", "50", "-t", "200ms",
                           verb="stat")
        self.assertEqual(len([line for line in out.splitlines() if "pgraph_idle" in line]), 4)
        self.assertEqual(len(self.methods()), 5)
        self.assertIn("--line", self.trigger("--trigger", "--line", "gpu_busy", verb="stat",
                                             status=2))

    def test_refusals(self):
        for words, args in (
                ("command streams need nouveau", {"driver": "nvidia"}),
                ("nouveau has no render node", {"node": "card0"}),
                ("renderD128: Permission denied; its group may", {"script": ("denied 1",)}),
                ("nouveau gives no channel: No such device", {"script": ("nochannel 1",)}),
                ("nouveau gives no channel: Invalid argument", {"number": 0xe8}),
                ("no class of objects", {"chip": "gm107", "number": 0x117}),
                ("no event of this chip", {"chip": "g80", "number": 0x50}),
                ("no event of this chip", {"chip": "nv40", "number": 0x40})):
            self.machine(**args)
            self.assertIn(words, self.trigger(status=1))
            if not args.keys() & {"script", "number"}:
                self.assertRegex(self.trigger(verb="list"), f"trigger   none: .*{words}")
        self.machine(script=("hangs 1",))
        self.assertIn("the trigger was not sent: Device or resource busy", self.trigger(status=1))
        self.machine("gt215", 0xa3, driver="none")
        self.file.parent.mkdir(parents=True)
        self.file.symlink_to("/dev/full")
        self.assertIn("the trigger was not sent: No space left", self.trigger(status=1))
        self.assertIn("No such file", self.trigger("--trigger", "/no/such", verb="mark", status=1))


if __name__ == "__main__":
    unittest.main()
