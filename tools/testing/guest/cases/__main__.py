# SPDX-License-Identifier: GPL-2.0-only
"""Run in a guest every case that fits its GPUs; print TAP.

With words, only cases whose name has one of them.
"""

import argparse
import importlib
import os
import pathlib
import sys
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import support  # noqa: E402

# In this order: first the cases without the module, last the cases that leave a
# GPU damaged.
for name in ("vgpu", "checker", "module", "bucket", "mux", "refusals", "rights", "counting",
             "trigger", "costs", "idle", "record", "recordfaults", "names", "page", "tools", "tool",
             "selftest", "events", "aux", "capture", "timeline", "sim", "cards", "faults",
             "nested", "power", "bpf", "irqsoff", "cpu", "attack", "owner", "doctor", "user",
             "hostile", "recordtool", "recordhostile", "life", "outlive", "fuzz", "stream", "fails",
             "leaks", "unload"):
    importlib.import_module(name)


ALIVE_SECONDS = 5


def unthrottle():
    """Keep perf from throttling events: samples are slow to make here."""
    for name, value in (("perf_cpu_time_max_percent", "50"),
                        ("perf_event_max_sample_rate", "100000"),
                        ("perf_cpu_time_max_percent", "0")):
        pathlib.Path(f"/proc/sys/kernel/{name}").write_text(value, encoding="ascii")


def be_alive():
    """Print a sign of life for guest.py, since a machine that hangs prints nothing."""
    while True:
        os.write(1, b"guest-alive\n")
        time.sleep(ALIVE_SECONDS)


def main():
    threading.Thread(target=be_alive, daemon=True).start()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--need", default="", help="attributes, of which a case has one")
    parser.add_argument("--but", default="", help="attributes, of which a case has none")
    parser.add_argument("--word", action="append", default=[])
    parser.add_argument("module")
    parser.add_argument("chips", nargs="+")
    args = parser.parse_args()
    lab = support.Lab(args.chips, args.module)
    cases = support.chosen(lab, args.word, args.need.split(), args.but.split())
    failed = 0
    unthrottle()
    support.publish_program()
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, 1):
        start = time.monotonic()
        try:
            with support.limited(support.CASE_SECONDS):
                case.func(lab)
            status = "ok"
        except support.Failed as error:
            status = "not ok"
            print(f"# {case.name}: {error}", flush=True)
        except Exception:   # after any exception, the other cases still count
            status = "not ok"
            print("\n".join(f"# {line}" for line in traceback.format_exc().splitlines()),
                  flush=True)
        failed += status != "ok"
        print(f"{status} {number} - {case.name}", flush=True)
        took = time.monotonic() - start
        if took > 3:
            print(f"# took {took:.1f} s", flush=True)
    sys.exit(1 if failed else 0)


main()
