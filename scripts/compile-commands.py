#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write compile_commands.json, by which editors know how each file is compiled.

The module's commands are those of a build for Debian's 6.12.
"""

import json
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
COMMAND = re.compile(r"(?:.*:= +)?(\S*cc\S* .*-c -o \S+ (\S+(?<!\.mod)\.c))")


def said(*words):
    return subprocess.run(words, cwd=TOP, check=True, stdout=subprocess.PIPE, text=True).stdout


def commands(folder, lines):
    for found in filter(None, map(COMMAND.match, lines)):
        yield {"directory": str(folder), "command": found[1], "file": found[2]}


modules = Path(said("scripts/build-modules.sh", "6.12").strip())
# they are built in a copy of the sources
lines = [path.read_text(encoding="utf-8").split("\n")[0].replace(str(modules.parent), str(TOP))
         for path in modules.parent.rglob(".*.o.cmd")]
(TOP / "compile_commands.json").write_text(json.dumps([
    *commands(said("scripts/kernels.sh", "headers", "6.12").strip(), lines),
    *commands(TOP / "tools/pcounter", said("make", "-nB", "-C", "tools/pcounter", "objects")
              .splitlines())], indent=1) + "\n", encoding="utf-8")
