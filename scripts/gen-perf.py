#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write events and metrics in the layout of the kernel's tools/perf/pmu-events.

usage: gen-perf.py DIR
"""

import json
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from hwtables import TABLES, Tables, explain, read_rows  # noqa: E402

FOLDER = "arch/x86/nvidia"
UNIT = "pcounter"
PEAKS = f"{UNIT};{UNIT}_peak"
CONFIDENCE = {"one": "one document", "several": "several documents",
              "disputed": "documents disagree", "traced": "traced on a card",
              "checked": "compared on a card", "documents": "by documents"}
WORD = re.compile(r"cycles\((\w+)\)|([a-z]\w*)")


def capital(text):
    return text[0].upper() + text[1:]


def event_json(chip, event, text, unit=None):
    """Return a JSON entry. config is there because otherwise jevents.py writes
    event=, a term of ours.
    """
    scale = {"ScaleUnit": f"1{unit}"} if unit else {}
    return {
        "EventName": event.name,
        "BriefDescription": f"{capital(text)} [{CONFIDENCE[event.confidence]}]",
        "ConfigCode": "0x0",
        "Filter": event.row["terms"],
        **scale,
        "Unit": UNIT,
        "Compat": f"{chip.chipset:#05x}",
        "Confidence": event.confidence,
    }


def metric_json(chip, name, text, expression, scale, group=UNIT):
    return {
        "MetricName": name,
        "BriefDescription": capital(text),
        "MetricExpr": expression,
        "MetricGroup": group,
        **({"ScaleUnit": scale} if scale else {}),
        "Unit": UNIT,
        "Compat": f"{chip.chipset:#05x}",
    }


def of(name):
    """Return an event in the syntax of metric expressions."""
    return f"{UNIT}@{name}@"


def cycles(chip, event):
    kind, number = event.domain
    prefix = "" if not chip.sets else "hub_" if kind == "hub" else f"{kind}0_"
    return of(f"{prefix}dom{number}_cycles")


def signal_metrics(chip, signals):
    names = {event.name for event in signals}
    for event in signals:
        found = re.fullmatch(r"(\w+)_idle", event.name)
        if found and event.row["kind"] == "level":
            yield metric_json(chip, f"{found[1]}_busy",
                              f"share of the clocks in which {event.row['label']} is 0",
                              f"1 - {of(event.name)} / {cycles(chip, event)}", "100%")
    tiles = "zcull_rasterized_tiles"
    if f"{tiles}_low" in names:
        yield metric_json(chip, tiles, "sum of the 6-bit number of rasterized tiles",
                          f"{of(tiles + '_low')} + 16 * {of(tiles + '_4')} + "
                          f"32 * {of(tiles + '_5')}", None)


def expression(chip, metric, known):
    """Return the expression in perf's syntax, None if the chip lacks an event of it."""
    names = {found[1] or found[2] for found in WORD.finditer(metric["expression"])}
    if names - {"seconds"} - set(known):
        return None
    return WORD.sub(lambda found: cycles(chip, known[found[1]]) if found[1] else
                    "duration_time" if found[2] == "seconds" else of(found[2]),
                    metric["expression"])


def event_metrics(chip, known, metrics):
    """Return the first row of each metric that is for the chip, and whose events it has."""
    made = {}
    for metric in metrics:
        name, peak = metric["metric"], metric["peak"]
        text = expression(chip, metric, known)
        if text and name not in made and (not metric["end"] or chip.chipset < metric["end"]):
            about = f"{metric['text']}: {peak}" if peak else metric["text"]
            made[name] = metric_json(chip, name, about, text, metric["scale"] + metric["unit"],
                                     PEAKS if peak else UNIT)
    return made.values()


def files(tables):
    """Return the entries of each file, without the copies that domains have of
    others' outputs.
    """
    texts = list(read_rows(TABLES / "event-texts.csv"))
    metrics = list(read_rows(TABLES / "metrics.csv", tables.ids))
    public = tables.public_events()
    for chip, signals in tables.named_signals().items():
        events = public.get(chip, [])
        known = {event.name: event for event in signals + events}
        own = [event for event in signals
               if "_in_" not in event.name or event.row["kind"] != "trailer"]
        folder = f"{chip.name.lower()}/sys"
        yield f"{folder}/signals.json", [event_json(chip, event, event.row["description"])
                                         for event in own]
        yield f"{folder}/metrics.json", list(signal_metrics(chip, own))
        yield f"{folder}/events.json", [event_json(chip, event, *reversed(explain(event, texts)))
                                        for event in events]
        yield f"{folder}/event-metrics.json", list(event_metrics(chip, known, metrics))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    folder = Path(sys.argv[1], FOLDER)
    made = {folder / path: entries for path, entries in files(Tables()) if entries}
    shutil.rmtree(folder, ignore_errors=True)
    for path, entries in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(entries, indent="\t") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
