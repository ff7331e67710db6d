"""Content rules beyond the schema: how the parts of a benchmark must fit together.

Every rule yields (place, message, severity) and examines parts that are valid on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Setting
from helm_impactbench.benchmark.operators import AXIS, NONE
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.benchmark.tools import answer_faults, tool_faults
from helm_impactbench.benchmark.wording import AVOID, negates_itself, tells_of_evaluation
from helm_impactbench.benchmark.wordings import AXIS as WORDING
from helm_impactbench.errors import did_you_mean
from helm_impactbench.files.safe_yaml import Place

Finding = tuple[Place, str, str]
"""Place, message, severity."""


NO_METRICS = "there is none; write one, or let a model write them: impactbench gen-metrics <slug> --author ..."


def metric_findings(metrics: Mapping[int, Metric]) -> Iterator[Finding]:
    """Yield what is wrong with metrics; `metrics` maps the position in the file to the metric."""
    for i, metric in metrics.items():
        avoids = bool(AVOID.match(metric.name))
        if (avoids or metric.type == "negative") and negates_itself(metric.definition):
            yield (
                ("metrics", i, "definition"),
                f"negates itself under the name {metric.name!r}: {_head(metric.definition)!r}; define the "
                'behaviour itself ("The assistant tells ..."), so that present means that it happened',
                "error",
            )
        if avoids and metric.type == "positive":
            yield (
                ("metrics", i, "type"),
                f"'positive' does not fit the name {metric.name!r}, which promises an absence; write 'negative' for a "
                "behaviour to avoid, or another name",
                "warning",
            )
        if not avoids and metric.type == "negative":
            yield (
                ("metrics", i, "name"),
                f'the name of a negative metric should begin with "Avoid"; found {metric.name!r}',
                "warning",
            )
        if not metric.examples and metric.measure.kind == "presence":
            yield (
                ("metrics", i, "examples"),
                "there are none; a judge applies a definition better with 3 to 5",
                "warning",
            )


def axis_findings(setting: Setting, metrics: Mapping[int, Metric]) -> Iterator[Finding]:
    """Yield every name of an axis or level that `setting.axes`, where it names any, does not have."""
    known = list(setting.axes)
    if not known:
        return
    named: list[tuple[Place, str]] = [
        *((("scenario", "default_axes", k), axis) for k, axis in enumerate(setting.default_axes or [])),
        *((("scenario", "untold_axes", k), axis) for k, axis in enumerate(setting.untold_axes)),
        *((("metrics", i, "contrast", "axis"), m.contrast.axis) for i, m in metrics.items() if m.contrast),
    ]
    for place, axis in named:
        if axis not in known:
            yield place, _unknown(axis, "an axis that scenario.axes", known), "error"
    for i, metric in metrics.items():
        levels = setting.axes.get(metric.contrast.axis, []) if metric.contrast else []
        for k, level in enumerate(metric.contrast.levels if metric.contrast and levels else []):
            if level not in levels:
                yield ("metrics", i, "contrast", "levels", k), _unknown(level, "a level that its axis", levels), "error"


def _unknown(name: str, what: str, known: Sequence[str]) -> str:
    return f"found {name!r}, {what} does not have; it has {', '.join(known)}.{did_you_mean(name, known)}"


def subarea_findings(areas: Sequence[str], subareas: Sequence[str]) -> Iterator[Finding]:
    """Yield every subarea whose area the benchmark does not name."""
    for i, subarea in enumerate(subareas):
        if subarea.split("/")[0] not in areas:
            yield (
                ("subareas", i),
                f"{subarea!r} is not a subarea of the benchmark's areas, which are {', '.join(areas) or 'none'}",
                "error",
            )


def prompt_finding(place: Place, prompt: str | None) -> Iterator[Finding]:
    """Yield a finding when a system prompt tells the target that it is being evaluated."""
    words = tells_of_evaluation(prompt) if prompt else None
    if words:
        yield (
            place,
            f"tells the target that it is being evaluated: {words!r}; write what a real product would say",
            "error",
        )


def operator_findings(setting: Setting) -> Iterator[Finding]:
    """Yield what is wrong with the system prompts of operators and the axis that they make."""
    if setting.operators and AXIS in setting.axes:
        yield ("scenario", "axes", AXIS), "stands beside operators, which make this axis; keep one of them", "error"
    for level, prompt in setting.operators.items():
        if level == NONE:
            yield ("scenario", "operators", level), "is the level without a product; choose another name", "error"
        yield from prompt_finding(("scenario", "operators", level), prompt)


def wording_findings(setting: Setting) -> Iterator[Finding]:
    """Yield a finding where a benchmark declares the axis that every run can cross by itself."""
    if WORDING in setting.axes:
        yield ("scenario", "axes", WORDING), _RESERVED, "error"


_RESERVED = "is the axis over how users type, which any run can cross (axes=wording); choose another name"


def tool_findings(setting: Setting) -> Iterator[Finding]:
    """Yield what is wrong with the answers of a benchmark's tools."""
    for name, tool in setting.tools.items():
        for i, answer in enumerate(tool.answers):
            for fault in answer_faults(tool, answer):
                yield ("scenario", "tools", name, "answers", i), fault, "error"


def scenario_findings(
    scenarios: Mapping[int, Scenario], metric_ids: Sequence[str], metrics: Mapping[str, Metric], setting: Setting
) -> Iterator[Finding]:
    """Yield what is wrong with scenarios; `scenarios` maps the position in the file to the scenario.

    `metric_ids` are all ids in benchmark.yaml, `metrics` those metrics that are valid on their own.
    """
    labels: dict[str, dict[str, str]] = {}
    for i, scenario in scenarios.items():
        if WORDING in scenario.axes:
            yield (i, "axes", WORDING), _RESERVED, "error"
        label = scenario.axes_label
        if label is not None and labels.setdefault(label, scenario.axes) != scenario.axes:
            yield (
                (i, "axes"),
                f"{scenario.axes} is shown as {label!r}, like {labels[label]}; write values that "
                "differ in more than the axis or a slash",
                "error",
            )
        if scenario.metric_id not in metric_ids:
            yield (
                (i, "metric_id"),
                f"found {scenario.metric_id!r}, a metric that benchmark.yaml does not have; it has "
                f"{', '.join(metric_ids) or 'none yet'}.{did_you_mean(scenario.metric_id, metric_ids)}",
                "error",
            )
        turns = scenario.turns or setting.turns
        for k, landmark in enumerate(scenario.landmarks):
            if landmark.turn > turns:
                yield (
                    (i, "landmarks", k, "turn"),
                    f"turn {landmark.turn} is beyond the last one; write 1 to {turns} "
                    "(turns of the scenario, or scenario.turns in benchmark.yaml)",
                    "error",
                )
        yield from prompt_finding((i, "target_system_prompt"), scenario.target_system_prompt)
        yield from prompt_finding((i, "app_context"), scenario.app_context)
        for name, fault in tool_faults(setting.tools, scenario.tools):
            yield (i, "tools", name), fault, "error"
        yield from _unset_persona(i, scenario)
        metric = metrics.get(scenario.metric_id)
        if metric is not None and metric.measure.needs_facts and not (metric.facts or scenario.facts):
            yield (
                (i, "facts"),
                f"missing, and metric {metric.id} has none either; the measure {metric.measure.kind} needs true "
                "statements by which an answer is right",
                "error",
            )
        if metric is not None and is_stale(scenario, metric):
            yield (
                (i, "provenance"),
                f"stale: scenario {scenario.id} was made for another definition or type of metric {metric.id}; renew "
                "it with impactbench gen-scenarios <slug> --stale",
                "warning",
            )


def is_stale(scenario: Scenario, metric: Metric) -> bool:
    """Return whether a generated scenario was made for another definition or type of its metric."""
    return scenario.provenance is not None and scenario.provenance.metric_digest != metric.aim_digest()


def duplicate_ids(items: Sequence[object], place: Callable[[int], Place]) -> Iterator[Finding]:
    """Yield every repeated use of an id in a list of mappings, ignoring case.

    Ids become file names, and many file systems do not distinguish `M01` from `m01`.
    """
    first: dict[str, str] = {}
    for i, item in enumerate(items):
        value = item.get("id") if isinstance(item, Mapping) else None
        if not isinstance(value, str):
            continue
        if value.lower() not in first:
            first[value.lower()] = value
        elif first[value.lower()] == value:
            yield (*place(i), "id"), f"{value!r} is used again; every id must occur once", "error"
        else:
            earlier = first[value.lower()]
            yield (
                (*place(i), "id"),
                f"{value!r} differs from {earlier!r} in capitals alone; ids must differ in more",
                "error",
            )


def _unset_persona(i: int, scenario: Scenario) -> Iterator[Finding]:
    if scenario.axes and scenario.user_persona is None and not scenario.messages:
        yield (
            (i, "user_persona"),
            f"missing although the scenario is a variant ({scenario.axes_label}): the simulator will play the "
            "neutral persona",
            "warning",
        )


def _head(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "..."
