# SPDX-License-Identifier: GPL-2.0-only
"""Events and metrics in the layout of the kernel's tools/perf/pmu-events."""

import json
import re

UNIT = "pcounter"
CONFIDENCE = {"one": "one document", "several": "several documents",
              "disputed": "documents disagree"}


def identifier(chip):
    """What the PMU's identifier file has."""
    return f"{chip.chipset:#05x}"


def event_json(event):
    """config is there because jevents.py otherwise writes event=, a term of ours."""
    text = event.description
    return {
        "EventName": event.name,
        "BriefDescription": f"{text[0].upper()}{text[1:]} [{CONFIDENCE[event.confidence]}]",
        "ConfigCode": "0x0",
        "Filter": event.terms(),
        "Unit": UNIT,
        "Compat": identifier(event.chip),
        "Confidence": event.confidence,
    }


def cycles(event):
    prefix = "" if not event.chip.sets else \
             "hub_" if event.set == "hub" else f"{event.set}0_"
    return f"{prefix}dom{event.number}_cycles"


def of(name):
    """An event in the way of metric expressions."""
    return f"{UNIT}@{name}@"


def metric_json(chip, name, description, expression, scale="100%"):
    metric = {
        "MetricName": name,
        "BriefDescription": description,
        "MetricExpr": expression,
        "MetricGroup": "pcounter",
        "Unit": UNIT,
        "Compat": identifier(chip),
    }
    if scale:
        metric["ScaleUnit"] = scale
    return metric


def metrics(chip, events):
    by_name = {event.name: event for event in events}
    for event in events:
        found = re.fullmatch(r"(\w+)_idle", event.name)
        if found and event.row["kind"] == "level":
            yield metric_json(chip, f"{found[1]}_busy",
                              f"Share of the clocks in which {event.row['name']} is 0",
                              f"1 - {of(event.name)} / {of(cycles(event))}")
    tiles = "zcull_rasterized_tiles"
    if f"{tiles}_low" in by_name:
        yield metric_json(chip, tiles, "Sum of the 6-bit number of rasterized tiles",
                          f"{of(tiles + '_low')} + 16 * {of(tiles + '_4')} + "
                          f"32 * {of(tiles + '_5')}", None)


def text_of(objects):
    return json.dumps(objects, indent="\t") + "\n"


def files(names):
    """The files of each chip, by path. What one domain sees of another is left out."""
    made = {}
    for chip in names.in_order():
        events = [event for event in names.events[chip.name] if "_in_" not in event.name or
                  event.row["kind"] != "trailer"]
        folder = f"{chip.name.lower()}/sys"
        made[f"{folder}/signals.json"] = text_of([event_json(event) for event in events])
        found = list(metrics(chip, events))
        if found:
            made[f"{folder}/metrics.json"] = text_of(found)
    return made
