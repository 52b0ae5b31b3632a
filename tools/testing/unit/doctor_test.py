# SPDX-License-Identifier: GPL-2.0-only
"""pcounter doctor on fake machines, one for each known cause."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import unittest

from program_test import ADMIN, PERFMON, TOP, Machine

VERSION = re.search('^PACKAGE_VERSION="(.*)"$', (TOP / "dkms.conf").read_text(encoding="ascii"),
                    re.M)[1]


class Doctor(Machine):
    """pcounter doctor names a cause for each GPU, and each named command exists."""

    RELEASE = "6.12.0-1-amd64"
    FIRST, SECOND = "0000:01:00.0", "0000:02:00.0"

    def setUp(self):
        super().setUp()
        self.script = [f"caps {PERFMON}"]
        self.tool("list")

    def file(self, path, text=""):
        """Write a file below the fake root."""
        path = self.folder / "root" / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="ascii")

    def gone(self, *paths):
        for path in paths:
            path = self.folder / "root" / path
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def device(self, address, **files):
        files = {"class": "0x030000", "vendor": "0x10de", "device": "0x0400",
                 "power/control": "auto", "power/runtime_status": "active", "power_state": "D0",
                 **files}
        for name, text in files.items():
            self.file(f"sys/bus/pci/devices/{address}/{name}", text)

    def bind(self, address, driver):
        (self.folder / f"root/sys/bus/pci/devices/{address}/driver").symlink_to(
            f"../../../bus/pci/drivers/{driver}")

    def log(self, address, text):
        self.file("dev/kmsg", f"6,1,1,-;nobody {address}: pcounter: {text}")

    def unloaded(self, built=True, signed=True):
        """The module is built for this kernel, or not, and not loaded."""
        if (self.folder / "root/sys/module/pcounter").exists():
            self.gone("sys/module/pcounter", "sys/bus/event_source/devices/pcounter_0")
        folder = self.folder / f"root/lib/modules/{self.RELEASE}"
        folder.mkdir(parents=True, exist_ok=True)
        module = folder / "pcounter.ko"
        module.unlink(missing_ok=True)
        if built:
            info = 'const char license[] __attribute__((section(".modinfo"), used)) = "license=GPL";'
            subprocess.run(["gcc", "-x", "c", "-c", "-o", module, "-"], input=info, check=True, text=True)
        if built and signed:
            with open(module, "ab") as file:
                file.write(b"DKMS" + bytes(8) + struct.pack(">5B3xI", 1, 4, 1, 4, 0, 8) +
                           b"~Module signature appended~\n")
        for name in ("order", "builtin", "builtin.modinfo"):
            (folder / f"modules.{name}").touch()
        subprocess.run([shutil.which("depmod", path="/usr/sbin:/sbin"), "-b", self.folder / "root",
                        self.RELEASE], check=True)

    def asked(self, *args, status=0):
        """Return all lines, and the commands by their purpose."""
        out = self.tool("doctor", *args, status=status,
                        env={"PATH": f"{self.folder}/bin"})
        lines = out.splitlines()
        found = [re.fullmatch(r"(\w+) +(\S+( events)?) +(.*?)(?:; do: (.*))?", line)
                 for line in lines if re.match("ok|note|FAIL", line)]
        self.assertNotIn(None, found, out)
        return lines, {line[2]: line[5] for line in found if line[5]}

    def check_bad(self, subject, cause, command, *args, last="Counting will not work."):
        """Check one cause, which alone fails, and its command; a GPU may also
        fail as a consequence.
        """
        lines, commands = self.asked(*args, status=1)
        bad = [line for line in lines if line.startswith("FAIL")]
        self.assertRegex(bad[0], f"^FAIL +{re.escape(subject)} +.*{cause}", lines)
        self.assertTrue(all("the module pcounter is not loaded" in line for line in bad[1:]), lines)
        self.assertEqual(commands, {subject: command} if command else {})
        self.assertEqual(lines[-1], last)

    def check_two(self, cause, command, status=0):
        """Check two GPUs: the second does not count, and the first does."""
        lines, commands = self.asked(status=status)
        self.assertEqual(commands, {self.SECOND: command} if command else {}, lines)
        self.assertRegex("\n".join(lines), rf"FAIL +{self.SECOND} +.*{cause}")
        self.assertEqual(lines[-2:], ["Counting will work on pcounter_0.",
                                      f"Counting will not work on {self.SECOND}."])
        self.check_bad(self.SECOND, cause, command, "-d", self.SECOND)
        self.assertEqual(self.asked("-d", self.FIRST)[0][-1], "Counting will work.")
        verdicts = [(row["subject"], row["finding"]) for row in
                    json.loads(self.run_program("doctor", "--json").stdout)
                    if row["text"].startswith("counting will")]
        self.assertEqual(verdicts, [(self.FIRST, "ok"), (self.SECOND, "FAIL")])

    # a GPU

    def test_asleep(self):
        self.device(self.SECOND, **{"power/runtime_status": "suspended", "power_state": "D3cold"})
        self.check_two("asleep", "echo on | sudo tee "
                       f"/sys/bus/pci/devices/{self.SECOND}/power/control")

    def test_switched_off(self):
        """The function is off, and not by runtime power management."""
        for control in ("on", "auto"):
            self.device(self.SECOND, power_state="D3hot", **{"power/control": control})
            self.check_two("switched off, and not by runtime power management", None)
        switch = "sys/kernel/debug/vgaswitcheroo/switch"
        self.file(switch, f"0:IGD:+:Pwr:0000:00:02.0\n1:DIS: :Off:{self.SECOND}")
        self.check_two("switched off by vga_switcheroo", f"echo ON | sudo tee /{switch}")

    def test_lent(self):
        self.device(self.SECOND)
        self.bind(self.SECOND, "vfio-pci")
        self.check_two("vfio-pci lends it to somebody else", f"echo {self.SECOND} | "
                       f"sudo tee /sys/bus/pci/devices/{self.SECOND}/driver/unbind")

    def test_strange_driver(self):
        self.device(self.SECOND)
        self.bind(self.SECOND, "newdriver")
        self.log(self.SECOND, "bound to newdriver, which is not known as a graphics driver: left "
                              "alone (if it is one, load pcounter with owner=newdriver)")
        self.check_two("newdriver", "sudo modprobe -r pcounter && "
                       "sudo modprobe pcounter owner=newdriver")

    def test_unsupported(self):
        self.device(self.SECOND)
        self.log(self.SECOND, "GF106 has no PCOUNTER")
        self.check_two("GF106 has no PCOUNTER", None)

    def test_unverified(self):
        self.device(self.SECOND)
        self.log(self.SECOND, "whether NV30 has PCOUNTER is not known, left alone (parameter "
                              "unverified=1 tries)")
        self.check_two("NV30", "sudo modprobe -r pcounter && sudo modprobe pcounter unverified=1")

    def test_clocks_stand_still(self):
        self.script += [f"still {dom}" for dom in range(8)]
        self.check_bad(self.FIRST, "all 8 clocks stand still", None)
        self.script.pop()
        lines, _ = self.asked()
        self.assertIn("clocks stand still: 0, 1, 2, 3, 4, 5, 6", lines[-2])
        self.assertEqual(lines[-1], "Counting will work.")

    def test_lost_tpcs(self):
        """A GPC with a domain less is mapped; one with all of its domains is refused."""
        chip, pmu = {"FAKE_CHIP": "GK104"}, "sys/bus/event_source/devices/pcounter_0"
        shutil.rmtree(self.folder / "root")
        self.assertNotIn("lost", self.tool("doctor", env=chip))
        self.file(f"{pmu}/caps/unverified_gpcs", "0x3")
        self.gone(f"{pmu}/events/gpc0_dom1_cycles")
        said = self.tool("doctor", env=chip)
        self.assertIn("GPC 0 lacks TPCs: which domains show the others is unverified", said)
        self.assertIn("GPC 1 lacks TPCs, and no register shows the domains of the others", said)
        for place, accepted in (("unit=0,dom=2", True), ("unit=0,dom=1", False),
                                ("unit=1,dom=1", False), ("unit=1,dom=2", False)):
            event = f"pcounter_0/set=1,{place},sig=16,mux=17,sel=7,tpc=0/"
            said = self.tool("explain", event, status=not accepted, env=chip)
            self.assertEqual("accepted" in said, accepted, said)

    def test_others_have_all(self):
        self.script += [f"busy {dom} 0 5000" for dom in range(8)]
        self.check_bad(self.FIRST, "8 of 8 domains had no turn", None)

    def test_wakes_nobody(self):
        """The program opens nothing that keeps a GPU awake: nouveau counts that as a use."""
        config = self.folder / f"root/sys/bus/pci/devices/{self.FIRST}/config"
        os.mkfifo(config)   # an open of this would hang
        self.asked()

    # the module

    def test_not_loaded(self):
        self.unloaded()
        self.check_bad("module", "pcounter is not loaded", "sudo modprobe pcounter")

    def test_runs_no_program(self):
        """An empty PATH, or an empty entry of it, is the folder of somebody else."""
        self.unloaded()
        for name in ("modinfo", "modprobe", "sh", "perf", "mokutil"):
            (self.folder / name).write_text(f"#!/bin/sh\n>{self.folder}/ran\n", encoding="ascii")
            (self.folder / name).chmod(0o755)
        for path in ("", ":/usr/bin", "/usr/bin:"):
            said = self.tool("doctor", status=1, env={"PATH": path})
            self.assertIn("do: sudo modprobe pcounter\n", said)
            self.assertFalse((self.folder / "ran").exists(), path)

    def test_lacks_headers(self):
        """Each command leads to another cause, never to the same."""
        self.unloaded(built=False)
        self.check_bad("module", "not loaded, nor built for this kernel.*headers are missing", None)
        self.script += ["debian 1"]
        self.check_bad("module", "not loaded, nor built for this kernel.*headers are missing",
                       f"sudo apt-get install linux-headers-{self.RELEASE}")
        self.file(f"lib/modules/{self.RELEASE}/build/Makefile")
        self.check_bad("module", "build it from its sources", None)
        self.file(f"usr/src/pcounter-{VERSION}/dkms.conf")
        self.check_bad("module", "DKMS does not know it", f"sudo dkms install pcounter/{VERSION}")
        self.file("var/lib/dkms/pcounter/0.9/source/dkms.conf")
        self.check_bad("module", "DKMS has not done it", "sudo dkms autoinstall")

    def test_kernels_that_take_none(self):
        self.unloaded()
        self.file("proc/sys/kernel/modules_disabled", "1")
        self.check_bad("module", "kernel.modules_disabled is 1", None)
        self.gone("proc/sys/kernel/modules_disabled", "proc/modules")
        self.script += ["noproc 1"]     # keep the fake tree from restoring these files
        self.check_bad("module", "CONFIG_MODULES", None)

    def test_realtime(self):
        """DKMS does not build for it: headers would not help."""
        self.script += ["rt 1"]
        self.unloaded()
        self.check_bad("module", "pcounter is not loaded", "sudo modprobe pcounter")
        self.unloaded(built=False)
        self.check_bad("module", "PREEMPT_RT", None)

    def test_other_version(self):
        self.file("sys/module/pcounter/version", "0.1")
        self.assertIn("pcounter 0.1 is loaded, this program is of version",
                      "\n".join(self.asked()[0]))

    def test_signatures(self):
        lockdown = "none [integrity] confidentiality"
        enforce = "sys/module/module/parameters/sig_enforce"
        self.file(enforce, "Y")
        self.assertRegex("\n".join(self.asked()[0]), "ok +lockdown +none")
        self.file(enforce, "N")
        self.file("sys/kernel/security/lockdown", lockdown)
        lines, commands = self.asked()
        self.assertEqual((commands, lines[-1]), ({}, "Counting will work."))
        self.assertRegex("\n".join(lines), r"note +lockdown +integrity: .*selftest")
        self.unloaded(signed=False)
        self.check_bad("module", "not loaded, nor signed", None)
        self.unloaded()
        self.assertEqual(self.asked(status=1)[1], {"module": "sudo modprobe pcounter"})
        self.file("var/lib/dkms/mok.pub")
        self.assertEqual(self.asked(status=1)[1]["lockdown"], "sudo apt-get install mokutil && "
                         "sudo mokutil --import /var/lib/dkms/mok.pub")
        (self.folder / "bin").mkdir()
        (self.folder / "bin/mokutil").write_text("", encoding="ascii")
        (self.folder / "bin/mokutil").chmod(0o755)
        wanted = {"module": "sudo modprobe pcounter",
                  "lockdown": "sudo mokutil --import /var/lib/dkms/mok.pub"}
        self.assertEqual(self.asked(status=1)[1], wanted)
        self.file("sys/kernel/security/lockdown", "[none] integrity confidentiality")
        self.assertEqual(self.asked(status=1)[1], {"module": "sudo modprobe pcounter"})
        self.file(enforce, "Y")
        self.assertEqual(self.asked(status=1)[1], wanted)

    def test_every_command_is_tested(self):
        """Each command that the program names occurs in this file."""
        source = (TOP / "tools/pcounter/verbs/doctor.c").read_text()
        macros = dict(re.findall(r'^#define (\w+)\s+"(.*)"', source, re.M))
        macros.update(PCI_DEVICES="/sys/bus/pci/devices", PCOUNTER_VERSION="{VERSION}")
        tested = re.sub(r'"\s+f?"', "", pathlib.Path(__file__).read_text())
        commands = re.findall(r"\bcommand\(((?:[A-Z_]+|\"[^\"]*\"|\s)+)", source)
        self.assertGreater(len(commands), 10)
        for command in commands:
            text = "".join(macros.get(word, word.strip('"')) for word in
                           re.findall(r'"[^"]*"|\w+', command))
            for part in text.split("%s"):
                self.assertIn(part, tested.replace("/{switch}", macros["SWITCHEROO"]))

    # the kernel

    def test_old(self):
        self.script += ["old 1"]
        self.assertRegex(self.asked()[0][0], "^note +kernel .*older than any that was tried")

    def test_no_perf(self):
        self.gone("sys/bus/event_source")
        lines, commands = self.asked(status=1)
        self.assertRegex("\n".join(lines), "FAIL +perf events +.*CONFIG_PERF_EVENTS")
        self.assertEqual((commands, lines[-1]), ({}, "Counting will not work."))

    def test_user_namespace(self):
        """perf asks the first namespace for capabilities, not this one."""
        self.file("proc/self/uid_map", "         0       1000          1")
        self.script = ["caps 0", "paranoid 2"]
        self.check_bad("permission", "does not accept those of this user namespace",
                       "sudo sysctl kernel.perf_event_paranoid=0 # outside of this namespace, "
                       "or count there")
        self.script = [f"caps {PERFMON | ADMIN}", "paranoid 2"]
        self.assertRegex(self.tool("doctor", status=1), "FAIL +permission")
        # the first namespace maps all users to themselves
        self.file("proc/self/uid_map", "         0          0 4294967295")
        self.assertRegex(self.tool("doctor"), "ok +permission")

    def test_rights_that_last(self):
        """An installed program names the command whose rights last, and tells which do not."""
        self.script = ["caps 0", "paranoid 3", "debian 1", "uid 1"]
        (self.folder / "root/proc/self").mkdir()
        (self.folder / "root/proc/self/exe").symlink_to("/usr/bin/pcounter")
        self.check_bad("permission", "above 2", "sudo sysctl kernel.perf_event_paranoid=2 && sudo "
                       "setcap cap_perfmon+ep /usr/bin/pcounter")
        self.file("usr/bin/pcounter-rights")
        self.check_bad("permission", "above 2",
                       'sudo pcounter-rights all # lasts; "group": only members of pcounter')
        self.script[0] = f"caps {PERFMON}"
        self.check_bad("permission", "above 2", "sudo pcounter-rights level # lasts")
        self.script[1] = "paranoid 2"
        (self.folder / "bin").mkdir()
        (self.folder / "bin/perf").write_text("", encoding="ascii")
        (self.folder / "bin/perf").chmod(0o755)
        for who, kept in (("", False), ("group /usr/bin/pcounter", True), ("level ", False)):
            self.file("etc/sysctl.d/00-pcounter.conf", f"# pcounter-rights {who}\n# before: 3")
            lines, commands = self.asked()
            lasts = "pcounter-rights keeps both" if kept else "a boot may end the level, an upgrade"
            self.assertIn(f" and this process has CAP_PERFMON; {lasts}", "\n".join(lines))
            user = "group" if kept else "all"
            self.assertEqual(commands, {"permission": f"sudo pcounter-rights {user} perf # lasts; "
                                        "perf can watch all programs"})

    def test_no_proc(self):
        """The program reports it, and infers nothing else from it."""
        self.gone("proc")
        self.script += ["noproc 1"]
        lines, commands = self.asked()
        self.assertEqual(commands, {"/proc": "sudo mount -t proc none /proc"})
        self.assertNotIn("CONFIG", "\n".join(lines))
        self.assertEqual(lines[-1], "Counting will work.")

    def test_no_sys(self):
        self.gone("sys")
        lines, commands = self.asked(status=1)
        self.assertEqual(commands, {"/sys": "sudo mount -t sysfs none /sys"})
        self.assertEqual(lines[-1], "Counting will not work.")


if __name__ == "__main__":
    unittest.main()
