"""Which scenarios of a benchmark a run takes."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark import operators, wordings
from helm_impactbench.benchmark.balance import balanced
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import BenchmarkError, did_you_mean, the_one_meant


@dataclass(frozen=True)
class ScenarioSelection:
    """What a run takes of a benchmark."""

    metric: str | None = None
    """One metric's id; None for all."""
    split: str = "all"
    """public, held_out or all."""
    part: float = 1.0
    """Fraction of the scenarios, spread over levels and metrics; of a benchmark with contrasts, of base scenarios."""
    axes: tuple[str, ...] | None = None
    """The axes that are crossed; of every other axis the first level alone is taken. None: the benchmark's default."""
    levels: str = ""
    """The levels that are taken, of axes and factors that have one of them, with + between them; empty for all."""
    pilot: int | None = None
    """That many base scenarios per metric, whole, spread evenly over their factors. None: the benchmark's default,
    or all where only a part is taken."""


def selected_scenarios(benchmark: Benchmark, selection: ScenarioSelection) -> list[Scenario]:
    """Return the scenarios of a selection, in file order; the same whenever it is taken.

    Raises BenchmarkError when the benchmark has no such metric, axis or level, or when nothing is left.
    """
    axes = levels_by_axis(benchmark)
    if wordings.AXIS in (selection.axes or ()):
        axes[wordings.AXIS] = list(wordings.WORDINGS)
    _check(benchmark, selection, [*dict.fromkeys([*axes, wordings.AXIS])])
    of_axes = {level for found in axes.values() for level in found}
    factors = {name: found - of_axes for name, found in _levels_by_factor(benchmark).items()}
    levels = _named_levels(benchmark, selection.levels, axes, factors)
    crossed = selection.axes if selection.axes is not None else benchmark.scenario.default_axes
    selected = [
        scenario
        for scenario in benchmark.scenarios
        if selection.metric in (None, scenario.metric_id)
        and selection.split in ("all", scenario.split)
        and (crossed is None or _at_default(scenario, crossed, axes))
        and _at_level(scenario.axes, levels, axes)
        and _at_level(scenario.factors, levels, factors, needed=True)
    ]
    if not selected:
        raise BenchmarkError(
            f"Benchmark {benchmark.slug} has no scenario for metric={selection.metric or 'all'}, "
            f"split={selection.split}; it has {len(benchmark.scenarios)} in total."
        )
    pilot = benchmark.scenario.default_pilot if selection.part == 1 else None
    if (most := selection.pilot or pilot) is not None:
        selected = _pilot(selected, most)
    if selection.part < 1:
        selected = _part(benchmark, selected, selection.part)
    return _crossed(benchmark, selected, selection.axes or (), levels)


def _crossed(
    benchmark: Benchmark, scenarios: list[Scenario], axes: Sequence[str], levels: Sequence[str]
) -> list[Scenario]:
    """Return scenarios under the levels of the axes that a run crosses by itself, of those that it names."""
    if wordings.AXIS in axes:
        scenarios = wordings.under_wordings(scenarios, _taken(wordings.WORDINGS, levels))
    if operators.AXIS in axes:
        known = operators.operator_levels(benchmark)
        scenarios = operators.under_operators(benchmark, scenarios, _taken(known, levels))
    return scenarios


def _taken(known: Sequence[str], levels: Sequence[str]) -> Sequence[str]:
    return [level for level in known if level in levels] or known


def _check(benchmark: Benchmark, selection: ScenarioSelection, axes: Sequence[str]) -> None:
    metrics = [metric.id for metric in benchmark.metrics]
    for name in [selection.metric] if selection.metric is not None else []:
        if name not in metrics:
            raise _unknown(benchmark, "metric", name, metrics)
    for name in selection.axes or ():
        if name not in axes:
            raise _unknown(benchmark, "axis", name, axes)


def _unknown(benchmark: Benchmark, what: str, name: str, known: Sequence[str]) -> BenchmarkError:
    return BenchmarkError(
        f"Benchmark {benchmark.slug} has no {what} {name!r}. It has {', '.join(known) or 'none'}."
        f"{did_you_mean(name, known)}"
    )


def _named_levels(
    benchmark: Benchmark, text: str, axes: Mapping[str, Sequence[str]], factors: Mapping[str, set[str]]
) -> list[str]:
    """Return the levels in `a+b`, each whole or its beginning. A level may hold a +: the longest that fits is taken.

    What means a level of an axis means none of a factor.
    """
    known = sorted({level for levels in axes.values() for level in levels})
    others = sorted(set().union(*factors.values()))
    found, rest = list[str](), text.split("+") if text else []
    while rest:
        written = {end: "+".join(rest[:end]) for end in range(len(rest), 0, -1)}
        meant = ((end, the_one_meant(part, known) or the_one_meant(part, others)) for end, part in written.items())
        end, level = next(((end, level) for end, level in meant if level), (0, None))
        if level is None:
            if rest[0] in wordings.WORDINGS:
                raise BenchmarkError(
                    f"levels={text}: {rest[0]!r} is a level of {wordings.AXIS}, which axes= must name."
                )
            raise _unknown(benchmark, "level", rest[0], [*known, *others])
        found.append(level)
        rest = rest[end:]
    return found


def levels_by_axis(benchmark: Benchmark) -> dict[str, list[str]]:
    """Return axis -> levels, the default first: as the benchmark declares them, then as its scenarios have them."""
    found = {axis: dict.fromkeys(levels) for axis, levels in benchmark.scenario.axes.items()}
    for scenario in benchmark.scenarios:
        for axis, level in scenario.axes.items():
            found.setdefault(axis, {})[level] = None
    if benchmark.scenario.operators:
        found[operators.AXIS] = dict.fromkeys(operators.operator_levels(benchmark))
    return {axis: list(levels) for axis, levels in found.items()}


def usual_axes(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the axes that a run crosses which names none."""
    written = (axis for axis in levels_by_axis(benchmark) if axis != operators.AXIS)
    return tuple(benchmark.scenario.default_axes if benchmark.scenario.default_axes is not None else written)


def _at_default(scenario: Scenario, crossed: Sequence[str], axes: Mapping[str, Sequence[str]]) -> bool:
    return all(axis in crossed or level == axes[axis][0] for axis, level in scenario.axes.items())


def _levels_by_factor(benchmark: Benchmark) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for scenario in benchmark.scenarios:
        for factor, level in scenario.factors.items():
            found.setdefault(factor, set()).add(level)
    return found


def _at_level(
    own: Mapping[str, str], wanted: Sequence[str], known: Mapping[str, Collection[str]], *, needed: bool = False
) -> bool:
    """Return whether a scenario has a wanted level of each of its axes, or factors, that have one.

    needed: one that states none of them is not taken.
    """
    named = {name for name, levels in known.items() if {*levels} & {*wanted}}
    stated = [own[name] in wanted for name in named if name in own]
    return all(stated) and bool(stated or not needed or not named)


def _pilot(scenarios: Sequence[Scenario], most: int) -> list[Scenario]:
    """Return the variants of at most `most` base scenarios per metric, balanced over their factors."""
    bases: dict[str, dict[str, dict[str, str]]] = {}
    for scenario in scenarios:
        bases.setdefault(scenario.metric_id, {})[scenario.base_id] = scenario.factors
    chosen = {(metric, base) for metric, found in bases.items() for base in balanced(found, most)}
    return [scenario for scenario in scenarios if (scenario.metric_id, scenario.base_id) in chosen]


def _part(benchmark: Benchmark, scenarios: list[Scenario], part: float) -> list[Scenario]:
    """Return a part of the scenarios, in file order; the matched sets of contrasts stay whole."""
    contrasts = {metric.id for metric in benchmark.metrics if metric.type == "contrast"}
    matched = [scenario for scenario in scenarios if scenario.metric_id in contrasts]
    others = [scenario for scenario in scenarios if scenario.metric_id not in contrasts]
    chosen = {one.id for one in (_spread_bases(matched, part) if matched else [])}
    chosen |= {one.id for one in (_spread(others, part, benchmark.slug) if others else [])}
    return [scenario for scenario in scenarios if scenario.id in chosen]


def _spread(scenarios: list[Scenario], part: float, slug: str) -> list[Scenario]:
    """Return every n-th matched group of an order in which neighbours have the same other levels, then the same metric.

    A group is what differs in one axis alone, such as a case as a child and as an adult tell it: half of it could not
    be compared. The last group is cut where it exceeds the part. Systematic sampling in a sorted frame; source: Cochran
    (1977), Sampling Techniques, chapter 8. A single scenario is drawn by the benchmark's slug: the middle one would be
    of the same metric in every benchmark.
    """
    places = max(1, math.ceil(part * len(scenarios) - 1e-9))
    if places == 1:
        return [sorted(scenarios, key=_order)[int(content_digest(slug), 16) % len(scenarios)]]
    groups = _matched(scenarios)
    number = min(len(groups), math.ceil(places * len(groups) / len(scenarios)))
    while True:
        drawn = [groups[math.floor((place + 0.5) * len(groups) / number)] for place in range(number)]
        if sum(map(len, drawn)) >= places or number == len(groups):
            break
        number += 1  # groups of fewer levels than others
    whole = [scenario.id for group in sorted(drawn, key=len, reverse=True) for scenario in group]
    chosen = set(whole[:places])
    return [scenario for scenario in scenarios if scenario.id in chosen]


def _matched(scenarios: list[Scenario]) -> list[list[Scenario]]:
    """Return the scenarios that differ in one axis alone, in groups: in the first axis that varies within a case."""
    cases: dict[tuple[str, str], list[Scenario]] = {}
    for scenario in scenarios:
        cases.setdefault((scenario.metric_id, scenario.base_id), []).append(scenario)
    axes = dict.fromkeys(axis for scenario in scenarios for axis in scenario.axes)
    varying = (axis for axis in axes if any(len({one.axes.get(axis) for one in own}) > 1 for own in cases.values()))
    axis = next(varying, None)
    groups: dict[tuple[object, ...], list[Scenario]] = {}
    for scenario in sorted(scenarios, key=_order):
        rest = tuple(sorted(item for item in scenario.axes.items() if item[0] != axis))
        groups.setdefault((rest, scenario.metric_id, scenario.base_id), []).append(scenario)
    return sorted(groups.values(), key=_group_order)


def _spread_bases(scenarios: list[Scenario], part: float) -> list[Scenario]:
    """Return base scenarios whole and balanced over factors, from all metrics alike, to one."""
    bases: dict[str, set[str]] = {}
    for scenario in scenarios:
        bases.setdefault(scenario.metric_id, set()).add(scenario.base_id)
    chosen = set()
    for metric, most in _shares({metric: len(found) for metric, found in bases.items()}, part).items():
        own = [scenario for scenario in scenarios if scenario.metric_id == metric]
        chosen |= {scenario.id for scenario in _pilot(own, most)}
    return [scenario for scenario in scenarios if scenario.id in chosen]


def _shares(sizes: Mapping[str, int], part: float) -> dict[str, int]:
    """Return how many each gets of `part` of all, rounded up: its own share rounded down, and the rest by remainder."""
    whole = max(1, math.ceil(part * sum(sizes.values()) - 1e-9))
    own = {name: math.floor(part * size + 1e-9) for name, size in sizes.items()}
    first = sorted(sizes, key=lambda name: (own[name] - part * sizes[name], content_digest(name)))
    for name in first[: whole - sum(own.values())]:
        own[name] += 1
    return {name: share for name, share in own.items() if share}


def _order(scenario: Scenario) -> tuple[str, str]:
    return scenario.axes_label or "", content_digest(scenario.id)


def _group_order(group: Sequence[Scenario]) -> tuple[str, str, str]:
    """Metrics have another order at each level; otherwise all levels would miss the same metrics."""
    first = group[0]
    label = first.axes_label or ""
    return label, content_digest([label, first.metric_id]), content_digest([first.metric_id, first.base_id])
