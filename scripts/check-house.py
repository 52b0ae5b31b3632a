#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that every file uses only files below it, and that questions change nothing.

check-house.py [OBJECTS...]

Two files are connected where one includes the other, and where the object of one names
a symbol that the object of the other defines; OBJECTS are directories of objects that
lie as their sources do. A source and its header are one. There must be no circle of
files, and no connection from a lower floor to an upper one. The floors are those that
the page of the driver's internals draws.

A function of the driver whose name asks (is_, has_, may_, _ready, for example) takes
the driver's structures as const.
"""

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PAGE = TOP / "Documentation/gpu/pcounter/internals.rst"
# A house, and its floors one a line: rooms, two spaces, their purpose.
HOUSE = re.compile(r"^Floors of (\S+), from the roof down::\n\n((?:   .*\n)+)", re.M)

DRIVER = "drivers/gpu/pcounter"
UNASKED = ("tests",)
ASKING = (r"(?:\w+_)?(?:is|has|may|can|needs|wants)_\w+|"
          r"\w+_(?:agrees|answers|fits|wakes|(?<!make_)ready)")
QUESTION = re.compile(rf"^[a-z][\w *]*[ *]({ASKING})\(([^;{{]*?)\)\s*[;{{]", re.M)
# A pointer to a structure of the driver that is not const.
CHANGEABLE = re.compile(r"(?<!const )struct pcounter_\w+ \*")


def houses():
    for house, drawing in HOUSE.findall(PAGE.read_text(encoding="utf-8")):
        yield house, [re.split(r"  +", line.strip())[0].split() for line in drawing.splitlines()]


def stem(path):
    return str(path.with_suffix(""))


def room(node, rooms):
    """Return the room of a file: its folder below one that is a room, too, or its folder."""
    first, *rest = node.split("/")
    inner = f"{first}/{rest[0]}" if rest else first
    return inner if inner in rooms else first


def sources(house):
    listed = subprocess.run(["git", "-C", TOP / house, "ls-files", "*.c", "*.h"], check=True,
                            capture_output=True, text=True).stdout.split()
    return [Path(name) for name in listed if (TOP / house / name).exists()]


def includes(house, files):
    """Return the includes of each file. Names are of a folder, the house, or its library."""
    for path in files:
        text = (TOP / house / path).read_text(encoding="utf-8")
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            for target in (path.parent / name, Path(name), Path("lib") / name):
                if (TOP / house / target).exists():
                    yield stem(path), stem(Path(*target.parts)), f'#include "{name}"'
                    break


def objects(house, files, folder):
    """Return the objects of a folder, with the files they are made of."""
    for path in files:
        for obj in (folder / house / path, folder / path):
            obj = obj.with_suffix(".o")
            if path.suffix == ".c" and obj.exists():
                yield str(obj), stem(path)
                break


def symbols(house, files, folder):
    """Return the symbols that each object defines, and the undefined ones."""
    nodes = dict(objects(house, files, folder))
    if not nodes:
        return []
    defined, lacking = {}, []
    for line in subprocess.run(["nm", "-A", *nodes], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        obj, _, symbol = line.partition(":")
        *_, kind, name = symbol.split()
        if kind == "U":
            lacking.append((nodes[obj], name))
        elif kind in "TDRBC":
            defined[name] = nodes[obj]
    return [(node, defined[name], name) for node, name in lacking if name in defined]


def circles(edges):
    """Return sets of files each of which reaches all others of its set."""
    graph = {}
    for source, target in edges:
        graph.setdefault(source, set()).add(target)
        graph.setdefault(target, set())
    reach = {}
    for start in graph:
        seen, todo = set(), [start]
        while todo:
            for target in graph[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        reach[start] = seen
    found = {frozenset(other for other in reach[node] if node in reach[other])
             for node in graph if node in reach[node]}
    return sorted(sorted(circle) for circle in found)


def askers(house, files):
    """Return functions with the name of a question that may change what they are asked."""
    for path in files:
        if path.parts[0] in UNASKED:
            continue
        text = (TOP / house / path).read_text(encoding="utf-8")
        for name, parameters in QUESTION.findall(text):
            if CHANGEABLE.search(parameters):
                yield f"{house}/{path}: {name}() asks, but does not take const"


def check(house, floors, folders):
    files = sources(house)
    level = {name: number for number, floor in enumerate(floors) for name in floor}
    edges = [edge for folder in folders for edge in symbols(house, files, folder)]
    homeless = sorted({room(stem(path), level) for path in files} - set(level))
    faults = [f"{house}/{name}: on no floor" for name in homeless]
    if folders and not edges:
        faults.append(f"{house}: no objects")
    if house == DRIVER:
        faults += sorted(set(askers(house, files)))
    why = {}
    for source, target, reason in [*includes(house, files), *edges]:
        if source != target:
            why.setdefault((source, target), []).append(reason)
    for (source, target), reasons in sorted(why.items()):
        if level.get(room(source, level), 0) > level.get(room(target, level), 99):
            faults.append(f"{house}/{source}: up to {target}: {', '.join(sorted(set(reasons)))}")
    for circle in circles(why):
        faults.append(f"{house}: a circle: {' '.join(circle)}")
        faults += [f"    {source} -> {target}: {', '.join(sorted(set(reasons))[:6])}"
                   for (source, target), reasons in sorted(why.items())
                   if source in circle and target in circle]
    return faults, len(files), len(why)


def main():
    folders = [Path(name).resolve() for name in sys.argv[1:]]
    status = not list(houses())
    for house, floors in houses():
        faults, files, edges = check(house, floors, folders)
        print(*faults, sep="\n", end="\n" if faults else "")
        print(f"{house}: {files} files, {edges} connections, {len(faults)} faults")
        status |= bool(faults)
    sys.exit(status)


main()
