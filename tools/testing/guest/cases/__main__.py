# SPDX-License-Identifier: GPL-2.0-only
"""Runs in a guest: every case that fits its GPUs, as TAP.

usage: python3 cases MODULE CHIP... [-- WORD...]
With words, only cases whose name has one of them.
"""

import importlib
import sys
import time
import traceback

import support

# In this order: first without the module, last what leaves a GPU shaken.
for name in ("vgpu", "module", "bucket", "features", "refusals", "counting", "costs", "idle",
             "record", "names", "page", "tools", "tool", "sim", "faults", "unload"):
    importlib.import_module(name)


def main():
    args = sys.argv[1:]
    words = []
    if "--" in args:
        words = args[args.index("--") + 1:]
        args = args[:args.index("--")]
    lab = support.Lab(args[1:], args[0])
    cases = [(name, func) for name, func, where in support.CASES if where(lab)]
    if words:
        cases = [(name, func) for name, func in cases
                 if func.__module__ in ("module", "bucket") or any(word in name for word in words)]

    failed = 0
    print(f"1..{len(cases)}", flush=True)
    for number, (name, func) in enumerate(cases, 1):
        start = time.monotonic()
        try:
            func(lab)
            status = "ok"
        except support.Failed as error:
            status = "not ok"
            print(f"# {name}: {error}", flush=True)
        except Exception:   # whatever it was, the other cases still count
            status = "not ok"
            print("\n".join(f"# {line}" for line in traceback.format_exc().splitlines()),
                  flush=True)
        failed += status != "ok"
        print(f"{status} {number} - {name}", flush=True)
        took = time.monotonic() - start
        if took > 3:
            print(f"# took {took:.1f} s", flush=True)
    sys.exit(1 if failed else 0)


main()
