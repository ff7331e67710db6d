"""`power`: how many base scenarios would find a difference as significant, from a suite or from assumptions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict

from helm_impactbench.analysis.costs.per_conversation import prices
from helm_impactbench.analysis.power import (
    PowerPlan,
    PowerQuestion,
    assumed_plans,
    gap_pilot,
    gap_tests,
    level_pilot,
    model_pilot,
    plans,
)
from helm_impactbench.analysis.rates import Rate, by_area, by_benchmark
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean, listed, the_one_meant
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.assumed import Assumed
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.rare import bases_for_interval, bases_without_failure
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import varies

Pair = tuple[str, str]
Gap = tuple[str, str, str, str]
Scope = tuple[str, Sequence[Outcome], Pilot | None]
"""Name, outcomes, and the pilot that they are."""
ASSUMED_SCENARIOS = 100
NO_PAIRS = "fewer than two base scenarios have a verdict on both sides"
NO_RANGE = "a gap of a measure without a range has no size that could be planned for"
NO_SCORES = "power is calculated from differences of scores, which a contrast does not have"
MOST = "more than 1,000,000"


@dataclass(frozen=True)
class Wanted:
    """What should be found, among how many, and at what price."""

    difference: float | None = None
    """The smallest true difference that would matter, and should be found."""
    among: int | None = None
    """Models that will be compared; None for as many as the suite has, or two."""
    scenarios: int | None = None
    """Base scenarios for which the smallest difference is shown; None for the suite's, or 100."""
    usd_each: float | None = None
    """US dollars of a conversation; None for the suite's own."""


def _rounded_up(key: str) -> Callable[[Row], str]:
    """Return what writes a number of scenarios or conversations, rounded up."""
    return lambda row: MOST if row[key] is None else f"{math.ceil(row[key]):,}"


class PowerRow(TypedDict):
    """What it takes with a number of samples per variant."""

    area: Annotated[str, Column("Of", "text", "Area, benchmark, or `assumed`.", "default", varies("area"))]
    samples: Annotated[int, Column("Samples", "count", "Samples per variant.", "default")]
    models: Annotated[int, Column("Models", "count", "Number of models compared.", "wide")]
    detectable_difference: Annotated[
        float,
        Column("Detectable", "rate", "The smallest difference that the given base scenarios can find.", "default"),
    ]
    wanted_difference: Annotated[float, Column("Wanted", "rate", "The difference that should be found.", "wide")]
    scenarios_needed: Annotated[
        float | None,
        Column(
            "Scenarios needed",
            "count",
            "Base scenarios needed to find the difference in 80% of suites; empty if over 1,000,000.",
            "default",
            text=_rounded_up("scenarios_needed"),
        ),
    ]
    scenarios_low: Annotated[
        float | None,
        Column(
            "Range",
            "count",
            "Base scenarios that would suffice for one tenth of the true values compatible with the pilot.",
            "default",
            lambda rows: any(row["scenarios_low"] != row["scenarios_high"] for row in rows),
            text=lambda row: f"{_rounded_up('scenarios_low')(row)} to {_rounded_up('scenarios_high')(row)}",
        ),
    ]
    scenarios_high: Annotated[
        float | None,
        Column(
            "Range, high",
            "count",
            "Base scenarios that would suffice for nine tenths of them; empty if over 1,000,000.",
        ),
    ]
    conversations_per_side: Annotated[
        float | None,
        Column(
            "Per side",
            "count",
            "Conversations of each model, or at each level.",
            "wide",
            text=_rounded_up("conversations_per_side"),
        ),
    ]
    conversations: Annotated[
        float | None,
        Column(
            "Conversations",
            "count",
            "Conversations of all models, at both levels if levels are compared.",
            "default",
            text=_rounded_up("conversations"),
        ),
    ]
    usd: Annotated[float | None, Column("US$", "money", "Cost of all conversations; empty if unknown.", "default")]


WHICH = "Name the smallest difference that would matter to you, such as 0.05"


def power(reading: Reading, wanted: Wanted, *, pair: Pair | None = None, gap: Gap | None = None) -> Result:
    """Return what would find the difference between two models (pair), or two levels of an axis in one model (gap).

    The suite is the pilot. Raises ImpactBenchError for an unknown name, without a difference, and where nothing can be
    planned.
    """
    reading.check_verdicts()
    if wanted.difference is None:
        raise ImpactBenchError(
            f"--difference is missing. {WHICH}: planning for the one that a pilot happens to show names too few base "
            "scenarios."
        )
    outcomes = reading.outcomes
    if pair:
        pair = _known_pair(outcomes, pair)
    elif gap:
        gap = known_gap(outcomes, gap)
    else:
        raise ImpactBenchError("Name what should be found: two targets (pair), or a target, an axis and two levels.")
    among = wanted.among or len({outcome.model for outcome in outcomes})
    rows: list[PowerRow] = []
    sentences, notes, reasons = [], list(_left_out(outcomes, gap)), []
    for scope, own, pilot in _scopes(outcomes, pair, gap):
        if pilot is None:
            without_range = all(outcome.contrast and not outcome.bounds for outcome in own)
            reasons.append(f"{scope}: {NO_RANGE if without_range else NO_PAIRS}.")
        else:
            question = PowerQuestion(
                scope, wanted.difference, among, _tests(outcomes, own, among), levels=2 if gap else 0
            )
            scenarios = wanted.scenarios or round(pilot.scenarios / pilot.usable)
            usd_each = prices(reading.folder, own, wanted.usd_each)[0]
            planned = plan_rows(question, plans(pilot, question, scenarios), usd_each)
            rows += planned
            sentences.append(concluded(question, planned[0], usd_each))
            notes += _notes(question, pilot, scenarios, samples_known=len(planned) > 1)
    if not rows:
        raise ImpactBenchError(" ".join(reasons))
    return Result((Table.of("plans", PowerRow, rows, " ".join(sentences)),), (*notes, *reasons), _DETAILS)


def assumed_power(assumed: Assumed, levels: int, wanted: Wanted) -> Result:
    """Return what would find a difference under assumptions, without a suite.

    levels: of an axis, two of which are compared; 0 to compare models. Raises ImpactBenchError without a difference,
    and for one that cannot be.
    """
    if wanted.difference is None:
        raise ImpactBenchError(f"--assume needs --difference. {WHICH}.")
    among, scenarios = wanted.among or 2, wanted.scenarios or ASSUMED_SCENARIOS
    tests = among * math.comb(levels, 2)
    question = PowerQuestion("assumed", wanted.difference, among, tests, levels=2 if levels else 0)
    try:
        rows = plan_rows(question, assumed_plans(assumed, question, scenarios), wanted.usd_each)
    except ValueError as error:
        raise ImpactBenchError(f"--assume with --difference {wanted.difference:g}: {error}") from error
    note = (
        f"Assumed: rate {assumed.rate:g}, icc {assumed.icc:g}, repeat {assumed.same_case:g}, alike {assumed.alike:g}, "
        f"{counted(assumed.variants, 'variant')}. Wanted: {wanted.difference:.3f}, {_tested(question)}; detectable: "
        f"with {counted(scenarios, 'scenario')}."
    )
    table = Table.of("plans", PowerRow, rows, concluded(question, rows[0], wanted.usd_each))
    return Result((table,), (note,), _DETAILS)


_DETAILS = (
    "Needed is what finds the difference in four of five suites, over 40 truths that the pilot leaves open: its base "
    "scenarios, with weights as other pilots could have had them, so that they have that difference. They are tested "
    "as compare and contrasts do.",
)


def plan_rows(question: PowerQuestion, planned: Iterable[PowerPlan], usd_each: float | None) -> list[PowerRow]:
    """Return a row per number of samples."""
    return [_row(question, plan, usd_each) for plan in planned]


def concluded(question: PowerQuestion, row: PowerRow, usd_each: float | None) -> str:
    """Return in a sentence what it takes to find the difference."""
    needed, of = row["scenarios_needed"], "two levels" if question.levels else "two models"
    if needed is None:
        return f"A true difference of {question.difference:.3f} is out of reach: 1,000,000 base scenarios are too few."
    price = "at a price that is not known (--usd-each)" if usd_each is None else f"for {row['usd']:,.2f} US$"
    return (
        f"{question.scope}: with {needed:,.0f} base scenarios a true difference of {question.difference:.3f} between "
        f"{of} is found in four of five such suites{_range(row)}: {math.ceil(row['conversations'] or 0):,} "
        f"conversations of {counted(question.models, 'model')}, {price}."
    )


def _range(row: PowerRow) -> str:
    """Return between what numbers the pilot leaves it open; empty where nothing is left open."""
    low, high = row["scenarios_low"], row["scenarios_high"]
    if low == high or low is None:
        return ""
    return f" (by this pilot it could be {low:,.0f} to {MOST if high is None else f'{high:,.0f}'})"


class RareFailureRow(TypedDict):
    """What it takes to show that failures are rarer than a rate, by how much conversations of a scenario are alike."""

    area: Annotated[str, Column("Of", "text", "Area, or `assumed`.", "default", varies("area"))]
    correlation: Annotated[
        float,
        Column(
            "Resemblance",
            "number",
            "Correlation between two conversations of one base scenario: 0 for none, 1 for copies.",
            "default",
        ),
    ]
    scenarios: Annotated[int, Column("Scenarios", "count", "Base scenarios, all without a failure.", "default")]
    conversations: Annotated[
        int, Column("Conversations", "count", "Conversations of one model, all without a failure.", "default")
    ]
    usd: Annotated[float | None, Column("US$", "money", "Cost of the conversations; empty if unknown.", "default")]


def rare_failures(reading: Reading, rate: float, usd_each: float | None = None) -> Result:
    """Return how many conversations without a failure show that a model fails in less than `rate` of them.

    Base scenarios and what resemblance there is in them are those of the suite. Raises ImpactBenchError.
    """
    reading.check_verdicts()
    rows, sentences = list[RareFailureRow](), list[str]()
    for area, own in by_area(reading.levels).items():
        figure = Rate(tuple(own))
        if figure.resemblance is None:
            continue
        size = figure.clusters.values / figure.clusters.size / len({outcome.model for outcome in own})
        each = prices(reading.folder, own, usd_each)[0]
        rows += _failure_rows(area, rate, figure.resemblance.cautious, size, each)
        sentences.append(_failures_concluded(area, rate, size))
    if not rows:
        raise ImpactBenchError("No pass rates: all metrics of these conversations are contrasts.")
    return _failures(rows, sentences)


def assumed_failures(assumed: Assumed, rate: float, usd_each: float | None = None) -> Result:
    """Return the same for assumed base scenarios, without a suite."""
    size = float(assumed.variants * assumed.samples)
    rows = _failure_rows("assumed", rate, assumed.icc, size, usd_each)
    return _failures(rows, [_failures_concluded("assumed", rate, size)])


def _failures(rows: Sequence[RareFailureRow], sentences: Iterable[str]) -> Result:
    return Result(
        (Table.of("failures", RareFailureRow, rows, "Conversations without a failure that it takes"),),
        tuple(sentences),
        ("The bound is one-sided, 95%: a model that fails as often shows no failure in so many in 5% of suites.",),
    )


def _failure_rows(
    scope: str, rate: float, correlation: float, size: float, usd_each: float | None
) -> list[RareFailureRow]:
    found: list[RareFailureRow] = []
    for one in sorted({0.0, round(correlation, 3), 1.0}) if size > 1 else (0.0,):
        bases = bases_without_failure(rate, one, size)
        conversations = math.ceil(bases * size)
        usd = None if usd_each is None else conversations * usd_each
        found.append(
            {"area": scope, "correlation": one, "scenarios": bases, "conversations": conversations, "usd": usd}
        )
    return found


def _failures_concluded(scope: str, rate: float, size: float) -> str:
    bases = bases_for_interval(rate, size)
    several = (
        f" ({math.ceil(bases * size):,} conversations), since where nothing fails it takes conversations of one base "
        "scenario for copies: further base scenarios help, further variants hardly"
    )
    return (
        f"{scope}: the interval of rates and gate, which is two-sided, ends below {rate:g} after {bases:,} base "
        f"scenarios without a failure{several if size > 1 else ''}."
    )


def known_gap(outcomes: Sequence[Outcome], gap: Gap) -> Gap:
    """Return a gap with the full names of its model and levels. Raises ImpactBenchError for a name it lacks."""
    model, axis, *levels = gap
    model = _known_model(outcomes, model)
    axes = sorted({name for outcome in outcomes for name, _ in outcome.axes})
    if axis not in axes:
        raise ImpactBenchError(
            f"No axis {axis!r} in this suite; there are: {', '.join(axes) or 'none'}.{did_you_mean(axis, axes)}"
        )
    known = sorted({level for outcome in outcomes for name, level in outcome.axes if name == axis})
    first, second = (_level(level, axis, known) for level in levels)
    if first == second:
        raise ImpactBenchError(f"--gap names {first} twice. Give two different levels.")
    return model, axis, first, second


def _tests(outcomes: Sequence[Outcome], own: Sequence[Outcome], among: int) -> int:
    metric = outcomes[0].metric if len({outcome.metric for outcome in outcomes}) == 1 else None
    return among * gap_tests([outcome for outcome in outcomes if outcome.is_level == own[0].is_level], metric)


def _scopes(outcomes: Sequence[Outcome], pair: Pair | None, gap: Gap | None) -> Iterator[Scope]:
    """Yield scope, outcomes and pilot: one of every area, and where levels are compared, of every contrast."""
    levels = [outcome for outcome in outcomes if outcome.is_level]
    for area, own in by_area(levels).items():
        yield area, own, model_pilot(own, *pair) if pair else level_pilot(own, *gap) if gap else None
    for slug, own in _contrasts(outcomes, gap).items():
        yield f"{slug}, contrast metrics", own, gap_pilot(own, *gap) if gap else None


def _contrasts(outcomes: Sequence[Outcome], gap: Gap | None) -> dict[str, list[Outcome]]:
    return dict(by_benchmark(o for o in outcomes if gap and o.contrast and o.contrast.axis == gap[1]))


def _left_out(outcomes: Sequence[Outcome], gap: Gap | None) -> Iterator[str]:
    """Yield which contrast metrics take no part. Raises ImpactBenchError when nothing is left."""
    if _contrasts(outcomes, gap):
        return
    left = sorted({outcome.benchmark for outcome in outcomes if not outcome.is_level})
    if left and not any(outcome.is_level for outcome in outcomes):
        raise ImpactBenchError(f"Nothing to show for {', '.join(left)}: {NO_SCORES}.")
    if left:
        yield f"Without the contrast metrics of {', '.join(left)}: {NO_SCORES}."


def _notes(question: PowerQuestion, pilot: Pilot, scenarios: int, *, samples_known: bool) -> Iterator[str]:
    observed = value_text(float(pilot.difference), "difference")
    yield (
        f"{question.scope}: observed difference {observed} over {counted(pilot.scenarios, 'base scenario')}; wanted "
        f"{question.difference:.3f}, {_tested(question)}; detectable: with {counted(scenarios, 'scenario')}."
    )
    if pilot.usable < 1:
        yield (
            f"{1 - pilot.usable:.1%} of the base scenarios have no verdict on one side or the other. The plan reckons "
            "with as many; if they are missing for a reason, it does not hold."
        )
    if pilot.is_flat:
        yield "All base scenarios have the same difference, so two more are assumed, one at each end of the range."
    if not samples_known:
        yield "The effect of more samples per variant is unknown; run the pilot with samples=2."


def _tested(question: PowerQuestion) -> str:
    if question.levels:
        return "one test" if question.tests == 1 else f"corrected for {question.tests} contrasts"
    return "one pair tested" if question.models <= 2 else f"every pair of {question.models} models tested"


def _row(question: PowerQuestion, plan: PowerPlan, usd_each: float | None) -> PowerRow:
    known = not math.isinf(plan.scenarios)
    return {
        "area": question.scope,
        "samples": plan.samples,
        "models": question.models,
        "detectable_difference": plan.detectable,
        "wanted_difference": question.difference,
        "scenarios_needed": plan.scenarios if known else None,
        "scenarios_low": None if math.isinf(plan.least) else plan.least,
        "scenarios_high": None if math.isinf(plan.most) else plan.most,
        "conversations_per_side": plan.per_side if known else None,
        "conversations": plan.conversations if known else None,
        "usd": plan.conversations * usd_each if known and usd_each is not None else None,
    }


def _known_pair(outcomes: Sequence[Outcome], pair: Pair) -> Pair:
    """Return the full names of two models. Raises ImpactBenchError."""
    first, second = (_known_model(outcomes, model) for model in pair)
    if first == second:
        raise ImpactBenchError(f"--pair names {first} twice. Give two different targets.")
    return first, second


def _known_model(outcomes: Sequence[Outcome], model: str) -> str:
    """Return the full name of a model, which may be given by its last part, as tables do. Raises ImpactBenchError."""
    known = sorted({outcome.model for outcome in outcomes})
    named = [name for name in known if name.rpartition("/")[2] == model]
    if model not in known and len(named) != 1:
        raise ImpactBenchError(
            f"No model {model!r} in this suite; there are: {', '.join(known)}.{did_you_mean(model, known)}"
        )
    return model if model in known else named[0]


def _level(name: str, axis: str, known: Sequence[str]) -> str:
    """Return the level that is called `name`, or that alone begins so. Raises ImpactBenchError."""
    meant = the_one_meant(name, known)
    if meant is None:
        if begun := [level for level in known if level.lower().startswith(name.lower())]:
            raise ImpactBenchError(f"Several levels of {axis} begin with {name!r}: {listed(begun)}. Name one of them.")
        near = did_you_mean(name, known)
        raise ImpactBenchError(f"No level {name!r} of {axis} in this suite; there are: {', '.join(known)}.{near}")
    return meant
