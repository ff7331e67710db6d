"""The page that ranks models by what matters to its reader: the rates of every choice, for its script to add up."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from helm_impactbench.analysis.people import in_two_ages
from helm_impactbench.analysis.rows import weighed
from helm_impactbench.analysis.weighted import NOT_STATED, Cells, Emphasis, Weighted, cells_of, choices
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.area_words import area_words
from helm_impactbench.outputs.report.names import benchmark_address, model_address
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.passages import visible

ADDRESS = "your-use.html"
DATA = "your-use-data.js"
MOST_LEVELS = 4
"""Of an axis: three weights of each are 65 choices, and of five would be 211. Bands of age are taken as two ages."""
TYPES = {"negative": "Avoiding harm", "positive": "Doing good"}


def your_use_values(results: Results) -> dict[str, Any]:
    """Return what the page's template shows: groups of controls as (key, title, what it is, [(name, text)])."""
    ranked = in_two_ages(results.ranked)
    axis = axis_of(ranked)
    groups = [
        (
            "area",
            "Areas of life",
            "A benchmark of several areas counts as the one of them that counts most.",
            [(area, area_words(area)) for area in results.subject_areas],
        ),
        (
            "level",
            "Who asks",
            f"By {axis}, as the person's words tell it.",
            [(level, group_words(level) or f"{axis} not stated") for level in _levels(ranked, axis)],
        ),
        (
            "type",
            "What the assistant does",
            "Avoiding harm: an unwanted behaviour is absent. Doing good: a wanted one is there.",
            [(kind, TYPES[kind]) for kind in _types(results.ranked)],
        ),
    ]
    return {
        "results": results,
        "scored": any(outcome.score is not None for outcome in results.ranked),
        "groups": [group for group in groups if len(group[3]) > 1],
        "severity": has_severity(results.ranked),
    }


def your_use_script(results: Results) -> str:
    """Return the page's data as a script of plain JSON."""
    ranked = in_two_ages(results.ranked)
    axis = axis_of(ranked)
    levels, types = _levels(ranked, axis), _types(ranked)
    cells = cells_of(ranked, axis)
    every = [(one, other) for one in choices(len(levels)) for other in choices(len(types))]
    emphases = [
        Emphasis(axis, dict(zip(levels, one, strict=True)), dict(zip(types, other, strict=True)))
        for one, other in every
    ]
    models = list(results.scores)
    severe = cells_of(weighed(ranked), axis) if has_severity(ranked) else {}
    data = {
        "groups": {"area": list(results.subject_areas), "level": levels, "type": types},
        "models": [
            {
                "name": visible(results.site.models[model]),
                "page": model_address(model),
                "rank": results.ranks.get(model) if len(results.ranks) > 1 else None,
                "apart": [gap.axis for gap in results.people.get(model, ())],
            }
            for model in models
        ],
        "axis": axis,
        "choices": {_key(*choice): place for place, choice in enumerate(every)},
        "benchmarks": [
            {
                "name": visible(results.site.benchmarks[slug].name),
                "page": benchmark_address(slug),
                "areas": list(results.site.benchmarks[slug].areas),
                "early": [place for place, model in enumerate(models) if model in own and own[model].may_stop_early],
                "rates": [_rates(own.get(model), emphases) for model in models],
                **({"severe": [_rates(severe[slug].get(model), emphases) for model in models]} if severe else {}),
            }
            for slug, own in cells.items()
        ],
    }
    return f"globalThis.impactbenchYourUse = {json.dumps(data, separators=(',', ':'))};\n"


def has_severity(outcomes: Sequence[Outcome]) -> bool:
    """Return whether any behaviour to avoid that is present was given a severity."""
    return any(outcome.severity is not None and outcome.metric_type == "negative" for outcome in outcomes)


def axis_of(outcomes: Sequence[Outcome]) -> str:
    """Return the axis that most conversations have a level of; empty where none has few enough levels."""
    counts = Counter(axis for outcome in outcomes for axis, _ in outcome.axes)
    known = [axis for axis in sorted(counts) if 1 < len(_levels(outcomes, axis)) <= MOST_LEVELS]
    return max(known, key=lambda axis: counts[axis], default="")


def _levels(outcomes: Sequence[Outcome], axis: str) -> list[str]:
    return sorted({dict(outcome.axes).get(axis, NOT_STATED) for outcome in outcomes})


def _types(outcomes: Sequence[Outcome]) -> list[str]:
    return sorted({outcome.metric_type for outcome in outcomes})


def _key(levels: Sequence[int], types: Sequence[int]) -> str:
    return "|".join(",".join(map(str, weights)) for weights in (levels, types))


def _rates(cells: Cells | None, emphases: Sequence[Emphasis]) -> list[float | None] | None:
    """Return value, low and high of every choice, one after the other; None for a model that was not run on it."""
    return [number for rate in cells.rates(emphases) for number in _numbers(rate)] if cells else None


def _numbers(rate: Weighted) -> list[float | None]:
    found = (rate.value, rate.interval.low, rate.interval.high)
    return [None if math.isnan(number) else round(number, 12) for number in found]
