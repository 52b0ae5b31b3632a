#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that perf's jevents.py accepts our events and metrics.

usage: check-jevents.py KERNEL_SOURCE

jevents.py has a table of the PMUs of JSON units. A copy gets the line for ours, as in
a kernel with the driver.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TABLE = "          'arm_cmn': 'arm_cmn',\n"
OUR_LINE = "          'pcounter': 'pcounter',\n"


def prepare(source, folder):
    """Copy the kernel's script and test events, and make ours in the kernel's layout."""
    tools = source / "tools" / "perf" / "pmu-events"
    text = (tools / "jevents.py").read_text(encoding="utf-8")
    if TABLE not in text:
        sys.exit("check-jevents.py: the table of units in jevents.py has changed")
    (folder / "jevents.py").write_text(text.replace(TABLE, TABLE + OUR_LINE), encoding="utf-8")
    shutil.copy(tools / "metric.py", folder)
    shutil.copytree(tools / "arch" / "test", folder / "arch" / "test")
    subprocess.run(["make", "-s", "-C", TOP, "events", f"PMU_EVENTS={folder}"], check=True)
    shutil.copy(tools / "arch" / "x86" / "mapfile.csv", folder / "arch" / "x86")
    # The models that the file names are not here: only its head.
    mapfile = folder / "arch" / "x86" / "mapfile.csv"
    mapfile.write_text(mapfile.read_text(encoding="utf-8").splitlines()[0] + "\n",
                       encoding="utf-8")


def run(folder):
    output = folder / "pmu-events.c"
    done = subprocess.run([sys.executable, "-B", "jevents.py", "x86", "all", "arch", output],
                          cwd=folder, check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"check-jevents.py: jevents.py refuses:\n{done.stderr}")
    return output


def compiles(source, output):
    """Compile pmu-events.c with perf's own headers."""
    tools = source / "tools"
    subprocess.run(["gcc", "-fsyntax-only", "-Wall", "-Werror", "-std=gnu11", "-D_GNU_SOURCE",
                    f"-I{tools}/perf", f"-I{tools}/perf/util/include", f"-I{tools}/include",
                    f"-I{tools}/lib", f"-I{tools}/lib/perf/include",
                    f"-I{tools}/arch/x86/include", f"-I{tools}/include/uapi",
                    f"-I{tools}/arch/x86/include/uapi", output], check=True)


def wanted(entry):
    """Return the required output for an entry: its name and its place."""
    if "MetricName" in entry:
        return entry["MetricName"], entry["Compat"]
    return entry["EventName"], f"config=0,{entry['Filter']}\\000{entry['Compat']}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(source, folder)
        output = run(folder)
        compiles(source, output)
        by_name = {}
        for text in re.findall(r'^/\* offset=[^"]*"(.*)', output.read_text(encoding="utf-8"), re.M):
            by_name.setdefault(text.partition("\\000")[0], []).append(text)
        entries = [(path.relative_to(folder), *wanted(entry))
                   for path in sorted(folder.glob("arch/x86/nvidia/**/*.json"))
                   for entry in json.loads(path.read_text(encoding="utf-8"))]
    missing = [f"{path}: {key} is not in perf's table" for path, key, rest in entries
               if not any(rest in text for text in by_name.get(key, []))]
    print(*missing, f"{len(entries)} entries, {len(missing)} missing", sep="\n")
    sys.exit(bool(missing) or not entries)


if __name__ == "__main__":
    main()
