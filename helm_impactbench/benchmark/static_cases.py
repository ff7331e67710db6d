"""Rules for fixed messages and for the axes of contrasts: what has to be equal is compared word for word.

Every rule yields (place, message, severity).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.rules import Finding
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import did_you_mean

MOST_LENGTH_DIFFERENCE = 0.1
"""Share by which the lengths of two compared versions may differ: a longer story is a better case."""
_HOLE = "\N{REPLACEMENT CHARACTER}"


def findings(scenarios: Mapping[int, Scenario], metrics: Mapping[str, Metric]) -> Iterator[Finding]:
    """Yield what is wrong; `scenarios` maps the position in the file to the scenario, `metrics` an id to the metric."""
    by_base: dict[tuple[str, str], dict[int, Scenario]] = {}
    for i, scenario in scenarios.items():
        by_base.setdefault((scenario.metric_id, scenario.base_id), {})[i] = scenario
        yield from _cue_findings(i, scenario)
        metric = metrics.get(scenario.metric_id)
        if metric is not None:
            yield from _view_findings(i, scenario, metric)
        if metric is not None and metric.contrast is not None:
            yield from _level_findings(i, scenario, metric)
    for (metric_id, _), variants in by_base.items():
        yield from _equality_findings(variants)
        if metric_id in metrics:
            yield from _version_findings(variants, metrics[metric_id])
            yield from _missing_levels(variants, metrics[metric_id])
    yield from _repeated(scenarios)


def _view_findings(i: int, scenario: Scenario, metric: Metric) -> Iterator[Finding]:
    allowed = metric.measure.presentation.view_values
    for key, value in scenario.view.items():
        if key not in allowed:
            yield (
                (i, "view", key),
                f"unknown key for the measure {metric.measure.kind}; the keys are {', '.join(allowed) or 'none'}."
                f"{did_you_mean(key, allowed)}",
                "error",
            )
        elif value not in allowed[key]:
            yield (i, "view", key), f"found {value!r}, expected {' or '.join(allowed[key])}", "error"


def _version_findings(variants: Mapping[int, Scenario], metric: Metric) -> Iterator[Finding]:
    """Yield what the metric's own measure finds wrong with the versions of one case."""
    fixed = {i: scenario for i, scenario in sorted(variants.items()) if scenario.messages}
    places = list(fixed)
    versions = [(scenario.context, "\n".join(scenario.messages)) for scenario in fixed.values()]
    for place, message, severity in metric.measure.presentation.version_faults(versions) if len(fixed) > 1 else ():
        yield (places[place], "messages"), message, severity


def _missing_levels(variants: Mapping[int, Scenario], metric: Metric) -> Iterator[Finding]:
    """Yield a base scenario without a version at one of the compared levels: it is in no figure that needs both."""
    wanted = metric.contrast.levels if metric.contrast else []
    there = {scenario.axes.get(metric.contrast.axis) for scenario in variants.values() if metric.contrast}
    missing = [level for level in wanted if level not in there]
    if missing:
        i, first = min(variants.items())
        yield (
            (i, "axes"),
            f"{first.base_id} has no version for {', '.join(missing)}; it needs one at every level that metric "
            f"{metric.id} compares",
            "warning",
        )


def _repeated(scenarios: Mapping[int, Scenario]) -> Iterator[Finding]:
    """Yield fixed messages that another base scenario has too: one case would count as two."""
    seen: dict[tuple[object, ...], Scenario] = {}
    for i, scenario in scenarios.items():
        levels = tuple(sorted(scenario.axes.items()))
        case = (scenario.metric_id, *scenario.messages, levels, scenario.target_system_prompt)
        earlier = seen.setdefault(case, scenario)
        if scenario.messages and earlier.base_id != scenario.base_id:
            yield (
                (i, "messages"),
                f"the same as in {earlier.id}; each base scenario needs a case of its own",
                "error",
            )


def _cue_findings(i: int, scenario: Scenario) -> Iterator[Finding]:
    for k, cue in enumerate(scenario.cues):
        if not any(cue in text for text in _words(scenario)):
            yield (i, "cues", k), f"{_head(cue)!r} is in no message and not in app_context; write words of one", "error"


def _level_findings(i: int, scenario: Scenario, metric: Metric) -> Iterator[Finding]:
    contrast = metric.contrast
    assert contrast is not None
    level = scenario.axes.get(contrast.axis)
    known = [*contrast.levels, *([contrast.reference] if contrast.reference else [])]
    if level is None:
        yield (
            (i, "axes"),
            f"there is no level of {contrast.axis!r}, which metric {metric.id} compares; give one to every "
            "scenario of a contrast metric",
            "error",
        )
    elif contrast.levels and level not in known:
        yield (
            (i, "axes"),
            f"found {contrast.axis}: {level!r}, but metric {metric.id} compares {', '.join(known)}",
            "error",
        )


def _equality_findings(variants: Mapping[int, Scenario]) -> Iterator[Finding]:
    """Yield every variant with fixed messages that differs from the first one in more than its cues."""
    fixed = {i: scenario for i, scenario in variants.items() if scenario.messages}
    if len(fixed) < 2:
        return
    (_, first), *others = sorted(fixed.items())
    wanted = _without_cues(first)
    for i, scenario in others:
        got = _without_cues(scenario)
        if got != wanted:
            yield (
                (i, "messages"),
                f"differ from those of {first.id} in more than their cues: {_difference(got, wanted)}; use "
                "the same words at every level, and name what differs in cues",
                "error",
            )


def _length_findings(variants: Mapping[int, Scenario], metrics: Mapping[str, Metric]) -> Iterator[Finding]:
    """Yield a warning where the compared versions of fixed messages differ much in length."""
    words: dict[int, int] = {}
    for i, scenario in variants.items():
        metric = metrics.get(scenario.metric_id)
        contrast = metric.contrast if metric else None
        if contrast and scenario.messages and scenario.axes.get(contrast.axis) != contrast.reference:
            words[i] = sum(len(text.split()) for text in _words(scenario))
    if len(words) < 2:
        return
    least, most = min(words, key=words.__getitem__), max(words, key=words.__getitem__)
    if words[most] > (1 + MOST_LENGTH_DIFFERENCE) * words[least]:
        yield (
            (most, "messages"),
            f"have {words[most]} words, those of {variants[least].id} {words[least]}; allowed without a warning: a "
            f"difference of {MOST_LENGTH_DIFFERENCE:.0%}",
            "warning",
        )


def _words(scenario: Scenario) -> list[str]:
    """Return what the target reads of a case."""
    return [*scenario.messages, *([scenario.app_context] if scenario.app_context else [])]


def _without_cues(scenario: Scenario) -> list[str]:
    texts = _words(scenario)
    for cue in sorted(scenario.cues, key=len, reverse=True):
        texts = [text.replace(cue, _HOLE) for text in texts]
    return [" ".join(text.split()) for text in texts]


def _difference(got: Sequence[str], wanted: Sequence[str]) -> str:
    if len(got) != len(wanted):
        return f"{len(got)} messages beside {len(wanted)}"
    one, other = next((a, b) for a, b in zip(got, wanted, strict=True) if a != b)
    place = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return repr(_head(one[max(0, place - 20) : place + 40]))


def _head(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "..."
