#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that every citation of the hardware pages leads to a section.

usage: check-citations.py [DIRECTORY]

A comment cites hw:PAGE/SECTION or hw:PAGE, a page refers to the label; see
Documentation/gpu/pcounter/index.rst.

Pages of the driver name its files and functions, ``perf/pmu.c`` and
``pcounter_timer()``: these must exist, too.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PAGES = "Documentation/gpu/pcounter"
PREFIX = "pcounter-hw-"
SKIPPED = {".git", "build", "__pycache__"}
# It cites sections that must not be found.
OWN_TESTS = "scripts/tests/test_check_citations.py"

CODE = ("drivers/gpu/pcounter", "tools/testing/pcounter")
GUIDES = ("internals.rst", "callbacks.rst", "cost.rst")
FILE = re.compile(r"``([a-z_/0-9]+\.[ch])``")
FUNCTION = re.compile(r"``([a-z_0-9]+)\(\)``")

LABEL = re.compile(r"^\.\. _(pcounter-hw-[a-z0-9-]+):$")
CITED = re.compile(r"\bhw:([a-z][a-z0-9-]*(?:/[a-z0-9]+(?:-[a-z0-9]+)*)?)")
REF = re.compile(r":ref:`(?:[^`<]*<)?(pcounter-hw-[^`>]*)>?`")


def files(top):
    """Yield all text files below a directory, with their paths in it."""
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top)
        if SKIPPED & set(name.parts) or name.as_posix() == OWN_TESTS or not path.is_file():
            continue
        try:
            yield name.as_posix(), path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue


def labels(pages, complain):
    """Return the labels of all pages. A label begins with the name of its page."""
    found = {}
    for path in sorted(pages.glob("*.rst")):
        own = PREFIX + path.stem
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = LABEL.match(line)
            if not match:
                continue
            label, place = match[1], f"{PAGES}/{path.name}:{number}"
            if label != own and not label.startswith(own + "-"):
                complain(f"{place}: label {label} does not begin with {own}")
            if label in found:
                complain(f"{place}: label {label} is at {found[label]}, too")
            found[label] = place
    return found


def names(top, complain):
    """Check files and functions of the driver and its model that the guides name."""
    folders = [top / folder for folder in CODE]
    code = "\n".join(path.read_text(encoding="utf-8")
                     for folder in folders for path in folder.rglob("*.[ch]"))
    for path in (top / PAGES / guide for guide in GUIDES):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for name in FILE.findall(text):
            if not any((folder / name).exists() for folder in (*folders, top)):
                complain(f"{PAGES}/{path.name}: there is no {name}")
        for name in FUNCTION.findall(text):
            if not re.search(rf"\b{name}\(", code):
                complain(f"{PAGES}/{path.name}: there is no {name}()")


def check(top):
    """Return complaints and the number of citations."""
    complaints = []
    names(top, complaints.append)
    known = labels(top / PAGES, complaints.append)
    cited = 0
    for name, lines in files(top):
        for number, line in enumerate(lines, 1):
            place = f"{name}:{number}"
            wanted = [(f"hw:{what}", PREFIX + what.replace("/", "-"))
                      for what in CITED.findall(line)]
            wanted += [(label, label) for label in REF.findall(line)]
            cited += len(wanted)
            complaints += [f"{place}: {what} leads nowhere"
                           for what, label in wanted if label not in known]
    return complaints, cited


def main():
    top = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TOP
    complaints, cited = check(top)
    for complaint in complaints:
        print(complaint)
    if not cited:
        sys.exit("nothing is cited")
    print(f"{cited} citations")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
