# SPDX-License-Identifier: GPL-2.0-only
"""Events with public names, and metrics of them, for the kernel's pmu-events."""

import re

from signals_json import UNIT, cycles, identifier, of, text_of

CONFIDENCE = {"traced": "traced on a card", "checked": "compared on a card",
              "documents": "by documents"}
WORD = re.compile(r"cycles\((\w+)\)|([a-z]\w*)")


def terms_of(event):
    return ",".join(f"{term}={value:#x}" for term, value in event.terms.items()
                    if term != "unit")


def event_json(event, text):
    unit, words = text.of(event.public)
    return {
        "EventName": event.name,
        "BriefDescription": f"{words[0].upper()}{words[1:]} [{CONFIDENCE[event.confidence]}]",
        "ConfigCode": "0x0",
        "Filter": terms_of(event),
        "ScaleUnit": f"1{unit}",
        "Unit": UNIT,
        "Compat": identifier(event.chip),
        "Confidence": event.confidence,
    }


def expression(metric, known):
    """In perf's words, None if the chip lacks an event of it."""
    missing = []

    def word(found):
        name = found[1] or found[2]
        if name == "seconds":
            return "duration_time"
        if name not in known:
            missing.append(name)
            return name
        return of(cycles(known[name])) if found[1] else of(name)

    text = WORD.sub(word, metric["expression"])
    return None if missing else text


def metrics_json(public, chip, known):
    """The first row of each metric whose events the chip has."""
    made = {}
    for metric in public.metrics:
        text = expression(metric, known)
        if text is None or metric["metric"] in made:
            continue
        scale = metric["scale"] + metric["unit"]
        made[metric["metric"]] = {
            "MetricName": metric["metric"],
            "BriefDescription": metric["text"][0].upper() + metric["text"][1:],
            "MetricExpr": text,
            "MetricGroup": "pcounter",
            "ScaleUnit": scale,
            "Unit": UNIT,
            "Compat": identifier(chip),
        }
    return list(made.values())


def files(public):
    """The files of each chip, by path."""
    made = {}
    for chip in public.names.in_order():
        events = public.events.get(chip.name, [])
        known = {event.name: event for event in public.names.events[chip.name] + events}
        folder = f"{chip.name.lower()}/sys"
        if events:
            made[f"{folder}/events.json"] = text_of([event_json(event, public.text)
                                                     for event in events])
        metrics = metrics_json(public, chip, known)
        if metrics:
            made[f"{folder}/event-metrics.json"] = text_of(metrics)
    return made
