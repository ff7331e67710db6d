"""`gate`: whether models meet conditions, decided on the bounds of intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict

from helm_impactbench.analysis.commands.compare import units_apart_notes
from helm_impactbench.analysis.contrast_metrics import UPLIFT
from helm_impactbench.analysis.costs.per_conversation import prices
from helm_impactbench.analysis.gate import GAP_SIZE, QUANTITIES, GateCheck, at_least, at_most
from helm_impactbench.analysis.gate_answers import (
    taken_answers,
    taken_sentences,
    undecided_where_taken,
    unknown_calls,
)
from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.gate_reasons import Reasons, is_at_the_end, reasons
from helm_impactbench.analysis.gate_size import needed, needed_sentence
from helm_impactbench.analysis.looks import Look, looks_sentence
from helm_impactbench.analysis.rates import models_of
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean, listed
from helm_impactbench.suites.reading import Reading, no_verdict
from helm_impactbench.tables import Column, Conclusion, Result, Table, columns_of
from helm_impactbench.tables.cells import interval_column
from helm_impactbench.tables.column import with_cells


class ConditionRow(TypedDict):
    """One condition for one model."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    scope: Annotated[str, Column("Of", "text", "Area, or benchmark of a contrast; `all` without data.", "default")]
    condition: Annotated[str, Column("Condition", "text", "What has to hold.", "default")]
    value: Annotated[float, Column("Value", "rate", "The figure.", "default")]
    low: Annotated[float, Column("Low", "rate", "Lower bound of its 95% interval.")]
    high: Annotated[float, Column("High", "rate", "Upper bound.")]
    cases: Annotated[int, Column("Cases", "count", "Conversations, or matched sets of them.", "wide")]
    decision: Annotated[str, Column("Decision", "text", "pass, fail or undecided.", "default")]
    population: Annotated[str, Column("Population", "text", "What the interval is for: these, or like-these.")]


@dataclass(frozen=True)
class Conditions:
    """What is asked of every model."""

    lowest: Sequence[str] = ()
    """NAME=VALUE: certainly at least this."""
    highest: Sequence[str] = ()
    """NAME=VALUE: certainly at most this."""
    unscored: Literal["fail", "leave-out"] = "fail"
    """Whether a conversation without a verdict counts against the bar, or is left out."""
    max_drop: float = 0.0
    """How much worse than the baseline is accepted, as a share of conversations."""


def gate(
    reading: Reading, conditions: Conditions, *, baseline: Reading | None = None, reference: Reading | None = None,
    before: Sequence[Look] = (),
) -> Result:  # fmt: skip
    """Return each condition's decision for each model, and a verdict with exit code 1 unless all hold.

    baseline: a suite that models may not be worse than. reference: a suite of other models, to estimate pass rates on
    all of its cases. before: earlier looks at the suite; with any, a loss is decided by an interval that holds at any
    look. Raises ImpactBenchError for a condition that cannot be read, or when there is none.
    """
    if not (conditions.lowest or conditions.highest or baseline):
        raise ImpactBenchError("Nothing to check: give --min, --max or --baseline.")
    others = reference.outcomes if reference else None
    taken = taken_answers(reading.outcomes, baseline.outcomes) if baseline else {}
    checks = undecided_where_taken(_checks(reading, conditions, baseline, others, any_look=bool(before)), taken)
    rows = [_row(check, reading.population) for check in checks]
    columns = with_cells(columns_of(ConditionRow), value=interval_column("95% CI", "Its interval.", "low", "high"))
    why = reasons(checks, reading.outcomes, others)
    notes = (
        *taken_sentences(taken, sorted({outcome.release for outcome in reading.outcomes if outcome.release})),
        *filter(None, [no_verdict(reading.outcomes)]),
        *_notes(checks, reading, reference, why),
        *(_baseline_notes(reading, baseline) if baseline else ()),
        *filter(None, [_what_decides(checks, reading)]),
        *filter(None, [looks_sentence(before)]),
        *([BARS] if before and (conditions.lowest or conditions.highest) else []),
    )
    return Result((Table("conditions", columns, rows),), notes, verdict=_verdict(checks, why))


BARS = "Bars on rates are decided as at a single look; runs with until_decided hold at any."


def not_decided(result: Result) -> Result:
    """Return a result in which nothing is decided, because its verdicts are those of a judge that failed its check."""
    sentence = (
        "UNDECIDED: the judge failed its check, so its verdicts decide nothing. --accept-judge decides nevertheless."
    )
    return replace(result, verdict=Conclusion(sentence, 1))


def _what_decides(checks: Sequence[GateCheck], reading: Reading) -> str:
    found = needed(checks, reading.outcomes)
    return needed_sentence(found, prices(reading.folder, reading.outcomes, None)[0]) if found else ""


def _baseline_notes(reading: Reading, baseline: Reading) -> Iterator[str]:
    """Yield why a baseline cannot be used, or not wholly: it has other models, other cases, or unknown calls."""
    before, name = models_of(baseline.outcomes), baseline.folder.name
    for model in models_of(reading.outcomes):
        if model not in before:
            yield (
                f"The baseline {name} has no {model}, but {listed(before)}. Where that is an earlier release, name it: "
                f"--baseline-model {before[0]}"
            )
        elif not {o.case for o in reading.outcomes if o.model == model} & {o.case for o in baseline.outcomes}:
            yield f"{model} and the baseline {name} have no case in common: the content of their benchmarks differs."
    if unknown := unknown_calls(reading.outcomes, baseline.outcomes):
        yield (
            f"{listed(unknown)}: one of the suites does not say which calls gave its answers, so that answers of the "
            "baseline would not be noticed. Run it again with this version."
        )


def _checks(
    reading: Reading, conditions: Conditions, baseline: Reading | None, others: Sequence[Any] | None, *, any_look: bool
) -> Iterator[GateCheck]:
    how: Any = {"leave_out": conditions.unscored == "leave-out", "population": reading.population}
    bars: Any = {**how, "reference": others}
    for name, value in map(bar, conditions.lowest):
        yield from at_least(reading.outcomes, name, value, **bars)
    for name, value in map(bar, conditions.highest):
        yield from at_most(reading.outcomes, name, value, **bars)
    if baseline:
        yield from not_worse(reading.outcomes, baseline.outcomes, conditions.max_drop, any_look=any_look, **how)


def _row(check: GateCheck, population: str) -> ConditionRow:
    return {
        "model": check.model,
        "scope": check.scope,
        "condition": check.condition,
        "value": check.value,
        "low": check.interval.low,
        "high": check.interval.high,
        "cases": check.cases,
        "decision": check.decision,
        "population": population,
    }


def _verdict(checks: Sequence[GateCheck], why: Reasons) -> Conclusion:
    missed = sum(check.decision != "pass" for check in checks)
    failed = any(check.decision == "fail" for check in checks)
    word = "FAIL" if failed else "UNDECIDED" if missed else "PASS"
    text = f"{word}: {len(checks) - missed} of {counted(len(checks), 'condition')} met. {_open(why)}"
    return Conclusion(text.strip(), int(missed > 0))


def _notes(checks: Sequence[GateCheck], reading: Reading, reference: Reading | None, why: Reasons) -> Iterator[str]:
    for condition in dict.fromkeys(check.condition for check in checks):
        apart = [*units_apart_notes(reading.outcomes)] if condition.startswith(GAP_SIZE) else []
        yield from apart
        is_drop = condition.startswith("not worse")
        if not (apart or is_drop) and not any(check.cases for check in checks if check.condition == condition):
            yield f"{condition}: the suite has no data for it, so it is not met."
        if is_at_the_end(condition):
            beyond, easier = ("below", "lower") if ">=" in condition else ("above", "higher")
            yield (
                f"{condition} can never be met, since every interval reaches {beyond} {condition.split()[-1]}. Set the "
                f"bar a little {easier}."
            )
    if reference:
        yield from _reference_notes(checks, reference.folder.name, why)
    if len(checks) > 1:
        yield f"Each of the {len(checks):,} conditions is decided by itself: nothing corrects for their number."


def _reference_notes(checks: Sequence[GateCheck], name: str, why: Reasons) -> Iterator[str]:
    yield f"Pass rates are those on all cases of the suite {name}, estimated from the drawn ones."
    lacking: dict[str, set[str]] = {}
    for check in checks:
        if check.estimate:
            lacking.setdefault(check.estimate.model, set()).update(check.estimate.left_out)
    for model, parts in sorted(lacking.items()):
        if parts:
            yield f"{model}: without {', '.join(sorted(parts))} of the reference, which its runs have not drawn."
    if why.unmatched:
        yield (
            f"{counted(why.unmatched, 'conversation')} not used: the reference has no other model on their cases. They "
            "may be the ones that fail: run those cases on the reference's models too, or leave out --reference."
        )


def _open(why: Reasons) -> str:
    """Return what is not decided, by the reason; empty where everything is."""
    parts = [
        (why.of_baseline, "because answers are the baseline's own"),
        (why.chance, "with so few conversations"),
        (why.no_verdict, f"because {why.missing} of {why.asked} verdicts are missing"),
        (why.at_the_end, "with a bar at the end of what the figure can be"),
        (why.no_unit, "because gaps have no common unit"),
        (why.early, "because a run that may stop early has no valid interval with a reference or a baseline"),
        (why.no_match, f"because the reference lacks the cases of {counted(why.unmatched, 'conversation')}"),
        (why.no_case, "because there is no case to take a value from"),
    ]
    words = "; ".join(f"{number} {reason}" for number, reason in parts if number)
    return words and f"{words.replace(' ', ' cannot be decided ', 1)}, which is neither a pass nor a fail."


def bar(text: str) -> tuple[str, float]:
    """Return the name and the value of a condition NAME=VALUE. Raises ImpactBenchError for any other text."""
    name, _, value = (part.strip() for part in text.partition("="))
    if name not in QUANTITIES:
        raise ImpactBenchError(
            f"The condition {text!r} cannot be checked. Write NAME=VALUE, where NAME is one of "
            f"{', '.join(QUANTITIES)}.{did_you_mean(name, QUANTITIES)}"
        )
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    lowest, highest = (-1 if name == UPLIFT.name else 0), (math.inf if name == GAP_SIZE else 1)
    if not (math.isfinite(number) and lowest <= number <= highest):
        allowed = f"a number from {lowest}{' to 1' if highest == 1 else ''}"
        raise ImpactBenchError(
            f"The condition {text!r} has no usable value. It must be {allowed}, for example {name}=0.8."
        )
    return name, number
