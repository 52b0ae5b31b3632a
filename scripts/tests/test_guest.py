# SPDX-License-Identifier: GPL-2.0-only
"""A guest that hangs is distinguished from one that needs more time."""

import contextlib
import pathlib
import subprocess
import sys
import time
import types
import unittest
import unittest.mock

GUEST = pathlib.Path(__file__).resolve().parents[2] / "tools/testing/guest"
sys.path[:0] = [str(GUEST), str(GUEST / "lib")]

import guest  # noqa: E402
import support  # noqa: E402

USUAL = guest.OTHER_BOOT_SECONDS


class Limits(unittest.TestCase):
    def judged(self, boot, heard, told, limit=100, silence=50):
        """Return the judgement of a guest, from the ages of its signs of life."""
        now = time.monotonic()
        with guest.Guest(types.SimpleNamespace(line="6.12", checked=False), []) as machine:
            machine.boot = boot
            try:
                machine.judge(now - heard, now - told, limit, silence)
            except guest.GuestError as error:
                return str(error)
        return ""

    def test_in_time(self):
        self.assertEqual(self.judged(USUAL, heard=10, told=90), "")

    def test_hangs(self):
        self.assertIn("hangs", self.judged(USUAL, heard=60, told=90))

    def test_never_boots(self):
        self.assertIn("has not booted", self.judged(None, heard=700, told=700, limit=1000))

    def test_too_slow(self):
        self.assertIn("too slow", self.judged(USUAL, heard=10, told=110))

    def test_slow_boot_gives_time(self):
        self.assertEqual(self.judged(3 * USUAL, heard=140, told=290), "")
        self.assertIn("hangs", self.judged(3 * USUAL, heard=160, told=290))
        self.assertIn("too slow", self.judged(3 * USUAL, heard=10, told=310))

    def test_fast_boot_takes_none(self):
        self.assertEqual(self.judged(USUAL / 10, heard=40, told=90), "")


class Endless(unittest.TestCase):
    """A case that would stand for ever fails, and names the command that it waits for."""

    def test_command(self):
        with self.assertRaisesRegex(support.Endless, "after 0 s.*'sleep 1000'"), \
                support.limited(0.1):
            subprocess.run(["sh", "-c", "sleep 1000; true"], check=False)
        self.assertEqual(support.descendants(), {})

    def test_command_at_the_end(self):
        with self.assertRaisesRegex(support.Endless, "'sleep 2000'"), \
                support.limited(0.1, again=1), contextlib.ExitStack() as stack:
            stack.callback(subprocess.run, ["sleep", "2000"])
            subprocess.run(["sleep", "1000"], check=False)

    def test_in_time(self):
        with support.limited(0.1):
            pass
        time.sleep(0.2)


class Killed(unittest.TestCase):
    def test_guests_end_with_the_test(self):
        guest_like = [*guest.LINKED, "sh", "-c", "echo; exec sleep 60"]
        with subprocess.Popen([sys.executable, "-c", f"import subprocess; subprocess.run({guest_like})"],
                              stdout=subprocess.PIPE) as test:
            test.stdout.readline()
            begun = time.monotonic()
            test.kill()
            # the end of the last program that could write
            test.stdout.read()
        self.assertLess(time.monotonic() - begun, 30)


class Lines(unittest.TestCase):
    def run_guest(self, said):
        """Feed the output of a guest that ends."""
        with contextlib.ExitStack() as stack:
            machine = stack.enter_context(guest.Guest(types.SimpleNamespace(line="6.12", checked=False), []))
            machine.output.write_text(said, encoding="ascii")
            machine.started = time.monotonic()
            machine.qemu = stack.enter_context(subprocess.Popen(["true"]))
            machine.qemu.wait()
            return list(machine.lines(100)), machine

    def test_first_words_are_the_boot(self):
        lines, machine = self.run_guest("guest-begin\r\nok 1\r\nguest-end 0\r\n")
        self.assertEqual((lines, machine.status), (["ok 1"], 0))
        self.assertIsNotNone(machine.boot)

    def judged_after(self, said):
        """Return when a running guest last gave a sign of life, and when it last
        printed anything else.
        """
        judged = []
        with guest.Guest(types.SimpleNamespace(line="6.12", checked=False), []) as machine:
            machine.output.write_text(said, encoding="ascii")
            machine.status = 0
            polls = iter((None, 0))
            machine.qemu = types.SimpleNamespace(poll=lambda: next(polls))
            with unittest.mock.patch.object(machine, "judge",
                                            lambda *args: judged.append(args[:2])):
                list(machine.lines(100))
        return judged[0]

    def test_being_alive_is_no_progress(self):
        heard, told = self.judged_after(f"{guest.ALIVE}\n")
        self.assertLess(told, heard)
        heard, told = self.judged_after("ok 1\n")
        self.assertEqual(told, heard)

    def test_dies(self):
        with self.assertRaisesRegex(guest.GuestError, "died"):
            self.run_guest("guest-begin\nok 1\n")


ORPHANED = f"""{"=" * 66}
[   12.1] BUG: KASAN: slab-use-after-free in perf_event_update_time+0x1d7/0x230
[   12.1] Read of size 4 at addr ffff888004ee80a8 by task swapper/1/0
[   12.1] Call Trace:
[   12.1]  perf_event_update_time+0x1d7/0x230
[   12.1]  __perf_remove_from_context+0x101/0x1c90
[   12.1] Allocated by task 320:
[   12.1]  perf_event_alloc+0xcd/0x2730
[   12.1]  __do_sys_perf_event_open+0x205/0x22e0
[   12.1] Freed by task 0:
[   12.1]  free_event_rcu+0x4c/0x60
[   12.1] {"=" * 66}
"""


STEPPED = """[   92.51] WARNING: CPU: 0 PID: 174 at arch/x86/kernel/traps.c:1120 exc_debug_kernel+0xca/0x160
[   92.53] RSP: 0000:fffffe677f70cf28 EFLAGS: 00010002
[   92.54] Call Trace:
[   92.54] RIP: 0010:kmem_cache_alloc_node_noprof+0x74/0x330
[   92.54] RSP: 0018:ff7471e100483d40 EFLAGS: c12ca3a2
[   92.55] ---[ end trace 0000000000000000 ]---
"""


class Complaints(unittest.TestCase):
    """Only two are no complaints: perf frees a leader before its events, and QEMU's flags."""

    def test_perf_alone(self):
        self.assertEqual(guest.complaints_in(2 * ORPHANED), [])

    def test_with_the_driver(self):
        frame = "[   12.1]  pcounter_next_member+0x1c/0x40 [pcounter]\n"
        text = ORPHANED.replace("[   12.1]  __perf_remove", frame + "[   12.1]  __perf_remove")
        self.assertEqual(len(guest.complaints_in(text)), 2)

    def test_other_memory(self):
        for part in ("perf_event_alloc", "free_event_rcu"):
            self.assertEqual(len(guest.complaints_in(ORPHANED.replace(part, "kzalloc_other"))), 2)

    def test_flags_of_no_processor(self):
        self.assertEqual(guest.complaints_in(STEPPED), [])
        self.assertEqual(len(guest.complaints_in(STEPPED.replace("c12ca3a2", "00000346"))), 2)

    def test_another_report_behind_it(self):
        self.assertEqual(guest.complaints_in(ORPHANED + "BUG: sleeping function\n"),
                         ["BUG: sleeping function"])


class Cases(unittest.TestCase):
    def test_share_nothing_but_the_library(self):
        paths = set((GUEST / "cases").glob("[a-z]*.py"))
        names = "|".join(path.stem for path in paths)
        for path in sorted(paths | set((GUEST / "lib").glob("*.py"))):
            with self.subTest(path=path.name):
                self.assertNotRegex(path.read_text(encoding="utf-8"),
                                    rf"(?m)^(from|import) ({names})\b")


class Order(unittest.TestCase):
    def test_kernels_that_are_there_come_first(self):
        rows = [types.SimpleNamespace(line=line) for line in ("kcsan", "debug", "6.12", "debug")]
        queue = guest.Queue(rows)
        there = {"6.12"}
        with unittest.mock.patch.object(guest, "is_ready", lambda line: line in there):
            self.assertIs(queue.take(), rows[2])
            there.add("debug")
            self.assertIs(queue.take(), rows[1])
            self.assertIs(queue.take(), rows[3])
            self.assertIs(queue.take(), rows[0])
            self.assertIsNone(queue.take())


if __name__ == "__main__":
    unittest.main()
