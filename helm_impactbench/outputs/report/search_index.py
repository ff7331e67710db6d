"""What the search over all conversations reads first: one list of all conversations, by run.

A page loads those runs that a search needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from helm_impactbench.outputs.report.names import conversation_id, file_name, setup_digest, setups_apart
from helm_impactbench.outputs.report.pages import note_id
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.runs import RunPart, Site
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.passages import visible
from helm_impactbench.results.verdict_words import VERDICTS, verdict

INDEX = "search/index.js"


def search_values(results: Results) -> dict[str, Any]:
    """Return what the page and its filters show."""
    site, seen = results.site, {verdict(outcome) for outcome in results.outcomes}
    return {
        "results": results,
        "axes": _levels(results.outcomes),
        "metrics": {
            slug: {key: metric.name for key, metric in sorted(own.items())} for slug, own in results.metrics.items()
        },
        "benchmarks": [(slug, info.name) for slug, info in site.benchmarks.items()],
        "verdicts": [(word, word.replace("_", " ")) for word in VERDICTS if word in seen],
        "megabytes": sum(part.search_bytes for part in results.parts) / 1e6,
        "searchable": site.has_conversations,
        "has_words": any(part.search_bytes for part in results.parts),
    }


def _levels(outcomes: Sequence[Outcome]) -> dict[str, list[str]]:
    """Return axis -> its levels."""
    found: dict[str, set[str]] = {}
    for outcome in outcomes:
        for axis, level in outcome.axes:
            found.setdefault(axis, set()).add(level)
    return {axis: sorted(own) for axis, own in sorted(found.items()) if len(own) > 1}


def search_index(results: Results) -> str:
    """Return the list of all conversations, by run, as a script of plain JSON."""
    site = results.site
    places = {name: {key: place for place, key in enumerate(own)} for name, own in _keys(results).items()}
    setups: dict[str, set[str]] = {}
    for part in results.parts:
        for outcome in part.outcomes[:1]:
            setups.setdefault(outcome.benchmark, set()).add(outcome.setup)
    apart = {slug: setups_apart(own) for slug, own in setups.items()}
    index = {
        "models": [[model, visible(site.models[model])] for model in places["models"]],
        "benchmarks": [[slug, visible(site.benchmarks[slug].name)] for slug in places["benchmarks"]],
        "metrics": [_metric(results, name) for name in places["metrics"]],
        "verdicts": list(VERDICTS),
        "levels": [[[axis, visible(level)] for axis, level in axes] for axes in places["levels"]],
        "notes": {note_id(note): visible(note) for name in places["metrics"] if (note := _note(results, name))},
        "runs": [_run(site, part, places, apart) for part in results.parts if part.outcomes],
    }
    return f"globalThis.impactbenchSearch = {json.dumps(index, separators=(',', ':'))};\n"


def _keys(results: Results) -> dict[str, Iterable[Any]]:
    return {
        "models": results.site.models,
        "benchmarks": results.site.benchmarks,
        "metrics": dict.fromkeys(outcome.metric for outcome in results.outcomes),
        "levels": dict.fromkeys(outcome.axes for outcome in results.outcomes),
        "verdicts": VERDICTS,
    }


def _metric(results: Results, name: str) -> list[str]:
    """Return slug/metric, the metric's name, and the id of the note that stands before its words, if any."""
    slug, metric_id = name.split("/", 1)
    note = _note(results, name)
    return [name, visible(results.metrics[slug][metric_id].name), note_id(note) if note else ""]


def _note(results: Results, name: str) -> str | None:
    slug, metric_id = name.split("/", 1)
    return results.site.benchmarks[slug].note_before(results.metrics[slug][metric_id])


def _run(
    site: Site, part: RunPart, places: dict[str, dict[Any, int]], apart: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return a run; `apart` has, by benchmark and set-up, what a reader is told where a model has several."""
    first = part.outcomes[0]
    return {
        "words": site.words(first) if part.search_bytes else "",
        "bytes": part.search_bytes,
        "folder": site.run(first),
        "setup": setup_digest(first.setup),
        "apart": visible(apart[first.benchmark][first.setup]),
        "model": places["models"][first.model],
        "benchmark": places["benchmarks"][first.benchmark],
        "conversations": [_conversation(outcome, places) for outcome in part.outcomes],
    }


def _conversation(outcome: Outcome, places: dict[str, dict[Any, int]]) -> list[Any]:
    """Return id, metric, verdict and levels; and the end of its address where that is not the id."""
    name = conversation_id(outcome)
    word = places["verdicts"][verdict(outcome)]
    found = [name, places["metrics"][outcome.metric], word, places["levels"][outcome.axes]]
    return found if file_name(name) == name else [*found, file_name(name)]
