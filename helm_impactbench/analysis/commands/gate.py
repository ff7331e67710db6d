"""`gate`: whether models meet conditions, decided on the bounds of intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict

from helm_impactbench.analysis.commands.compare import units_apart_notes
from helm_impactbench.analysis.contrast_metrics import UPLIFT
from helm_impactbench.analysis.costs.per_conversation import prices
from helm_impactbench.analysis.gate import GAP_SIZE, QUANTITIES, GateCheck, at_least, at_most, without_data
from helm_impactbench.analysis.gate_answers import (
    taken_answers,
    taken_sentences,
    undecided_where_judged_otherwise,
    undecided_where_people_differ,
    undecided_where_taken,
    unknown_calls,
)
from helm_impactbench.analysis.gate_baseline import drop_words, is_comparison, not_worse
from helm_impactbench.analysis.gate_limits import (
    judged_otherwise,
    lacked_by_models,
    left_out,
    losses_left_open,
    not_compared,
)
from helm_impactbench.analysis.gate_profile import Condition, Profile, without_severity
from helm_impactbench.analysis.gate_reasons import Reasons, is_at_the_end, reasons
from helm_impactbench.analysis.gate_size import needed, needed_sentence
from helm_impactbench.analysis.looks import Look, looks_sentence
from helm_impactbench.analysis.people import gaps_of, hidden_sentence, people_levels, people_sentences
from helm_impactbench.analysis.rates import models_of
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean, listed
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading, no_verdict
from helm_impactbench.tables import Column, Conclusion, Result, Table, columns_of
from helm_impactbench.tables.cells import interval_column
from helm_impactbench.tables.column import with_cells


class ConditionRow(TypedDict):
    """One condition for one model."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    scope: Annotated[
        str, Column("Of", "text", "Area, or benchmark of a contrast; `all` if there are no data.", "default")
    ]
    condition: Annotated[str, Column("Condition", "text", "What has to hold.", "default")]
    value: Annotated[float, Column("Value", "rate", "The figure that the condition is about.", "default")]
    low: Annotated[float, Column("Low", "rate", "Lower end of the figure's 95% CI.")]
    high: Annotated[float, Column("High", "rate", "Upper end of the figure's 95% CI.")]
    cases: Annotated[int, Column("Cases", "count", "Conversations, or matched sets of conversations.", "wide")]
    decision: Annotated[str, Column("Decision", "text", "pass, fail or undecided.", "default")]
    population: Annotated[
        str, Column("Population", "text", "What the interval generalises to: `these` or `like-these`.")
    ]


class ProfileRow(TypedDict):
    """One condition of a release profile, over all models."""

    condition: Annotated[
        str, Column("Condition", "text", "What has to hold; what it applies to is in brackets.", "default")
    ]
    why: Annotated[str, Column("Why", "text", "The profile's reason for the condition.", "default")]
    decision: Annotated[
        str,
        Column("Decision", "text", "pass if every model passes, otherwise the worst decision on any model.", "default"),
    ]


@dataclass(frozen=True)
class Conditions:
    """What is asked of every model."""

    lowest: Sequence[str] = ()
    """NAME=VALUE: certainly at least this."""
    highest: Sequence[str] = ()
    """NAME=VALUE: certainly at most this."""
    unscored: Literal["fail", "leave-out"] = "fail"
    """Whether a conversation without a verdict counts against the bar, or is left out."""
    max_drop: float | None = None
    """How much worse than the baseline is accepted, as a share of conversations; None for nothing, or what a profile
    says."""
    profile: Profile | None = None
    """Conditions to which these are added."""


def gate(
    reading: Reading,
    conditions: Conditions,
    *,
    baseline: Reading | None = None,
    reference: Reading | None = None,
    before: Sequence[Look] = (),
) -> Result:
    """Return each condition's decision for each model, and a verdict with exit code 1 unless all hold.

    baseline: a suite that models may not be worse than. reference: a suite of other models, to estimate pass rates on
    all of its cases. before: earlier looks at the suite; with any, a loss is decided by an interval that holds at any
    look. Raises ImpactBenchError for a condition that cannot be read, or when there is none.
    """
    asked = _asked(conditions, has_baseline=baseline is not None)
    others = reference.outcomes if reference else None
    taken = taken_answers(reading.outcomes, baseline.outcomes) if baseline else {}
    found = _checks(reading, asked, conditions, baseline, others, any_look=bool(before))
    # Each model by itself: others in the suite do not change what is decided.
    over_all, in_benchmarks = people_levels(reading.outcomes, alone=True)
    people = gaps_of(over_all)
    otherwise = judged_otherwise(reading.outcomes, baseline.outcomes) if baseline else []
    decided = [
        undecided_where_taken(
            undecided_where_judged_otherwise(undecided_where_people_differ(checks, people), otherwise), taken
        )
        for checks in found
    ]
    checks = [check for own in decided for check in own]
    rows = [_row(check, reading.population) for check in checks]
    columns = with_cells(columns_of(ConditionRow), value=interval_column("95% CI", "Its interval.", "low", "high"))
    why = reasons(checks, reading.outcomes, others)
    notes = (
        *taken_sentences(taken, sorted({outcome.release for outcome in reading.outcomes if outcome.release})),
        *filter(None, [no_verdict(reading.outcomes), hidden_sentence(over_all, in_benchmarks)]),
        *_notes(checks, reading, reference, why),
        *(_baseline_notes(reading, baseline) if baseline else ()),
        *losses_left_open(checks),
        *(() if reference else lacked_by_models(checks, reading.outcomes)),  # with one, rates are over all its cases
        *(left_out(reading.outcomes) if conditions.unscored == "leave-out" else ()),
        *filter(None, [_what_decides(checks, reading)]),
        *filter(None, [looks_sentence(before)]),
        *([BARS] if before and any(condition.max_drop is None for condition in asked) else []),
    )
    first = people_sentences(people)
    tables, verdict = (Table("conditions", columns, rows),), _verdict(checks, why)
    if not conditions.profile:
        return Result(tables, notes, verdict=verdict, first=first)
    signed = replace(
        verdict, sentence=f"{conditions.profile.name}: {verdict.sentence}", signature=conditions.profile.signature
    )
    return Result((*tables, _profile_table(conditions.profile, asked, decided)), notes, verdict=signed, first=first)


def _asked(conditions: Conditions, *, has_baseline: bool) -> list[Condition]:
    """Return every condition, those of a profile first. Raises ImpactBenchError where there is none."""
    profile = conditions.profile
    own = [*profile.conditions] if profile else []
    if profile and not has_baseline and any(condition.max_drop is not None for condition in own):
        raise ImpactBenchError(
            f"{profile.source} has a condition with max-drop, which needs what to compare with: --baseline SUITE."
        )
    given = [
        *(Condition(min=text, why=_GIVEN) for text in conditions.lowest),
        *(Condition(max=text, why=_GIVEN) for text in conditions.highest),
    ]
    drop = conditions.max_drop
    if has_baseline and (drop is not None or all(condition.max_drop is None for condition in own)):
        given.append(Condition(**{"max-drop": drop or 0.0}, why=_GIVEN))  # type: ignore[arg-type]  # its name in files
    if not (own or given):
        raise ImpactBenchError("Nothing to check: give --min, --max, --baseline or --profile.")
    return [*own, *given]


_GIVEN = "given on the command line"
"""Why there is a condition that no profile has."""


def _profile_table(profile: Profile, asked: Sequence[Condition], decided: Sequence[Sequence[GateCheck]]) -> Table:
    rows: list[ProfileRow] = [
        {"condition": checks[0].words if checks else "", "why": condition.why, "decision": _worst(checks)}
        for condition, checks in zip(asked, decided, strict=True)
    ]
    return Table.of("profile", ProfileRow, rows, f"Release profile: {profile.name}")


def _worst(checks: Sequence[GateCheck]) -> str:
    if not checks:  # nothing was asked, so nothing holds
        return "undecided"
    decisions = {check.decision for check in checks}
    return next((word for word in ("fail", "undecided") if word in decisions), "pass")


BARS = "Bars on rates are decided as at a single look; runs with until_decided hold at any."


def not_decided(result: Result) -> Result:
    """Return a result in which nothing that rests on verdicts is decided: the judge failed its check.

    How many conversations have no verdict is known without it.
    """
    tables = [
        replace(
            table,
            rows=[row if _needs_no_judge(row["condition"]) else {**row, "decision": "undecided"} for row in table.rows],
        )
        for table in result.tables
    ]
    if all(_needs_no_judge(row["condition"]) for table in tables for row in table.rows):
        return result
    sentence = (
        "UNDECIDED: the judge failed its check, so its verdicts decide nothing. --accept-judge decides nevertheless."
    )
    verdict = replace(result.verdict or Conclusion(""), sentence=sentence, exit_code=1)
    return replace(result, tables=tuple(tables), verdict=verdict)


def of_unfinished(result: Result, suites: Sequence[str]) -> Result:
    """Return a result in which nothing is decided, since each figure may change with what these suites lack."""
    tables = [replace(table, rows=[{**row, "decision": "undecided"} for row in table.rows]) for table in result.tables]
    sentence = (
        f"UNDECIDED: {listed(suites)} {'is' if len(suites) == 1 else 'are'} not finished, and what is missing may "
        "change any decision. Gate again when the run has finished."
    )
    verdict = replace(result.verdict or Conclusion(""), sentence=sentence, exit_code=1)
    return replace(result, tables=tuple(tables), verdict=verdict)


def _needs_no_judge(condition: object) -> bool:
    return str(condition).startswith("unscored ")


def _what_decides(checks: Sequence[GateCheck], reading: Reading) -> str:
    found = needed(checks, reading.outcomes)
    return needed_sentence(found, prices(reading.folder, reading.outcomes, None)[0]) if found else ""


def _baseline_notes(reading: Reading, baseline: Reading) -> Iterator[str]:
    """Yield why a baseline cannot be used, or not wholly: other models, cases or judges, or unknown calls."""
    before, name = models_of(baseline.outcomes), baseline.folder.name
    for model in models_of(reading.outcomes):
        if model not in before:
            yield (
                f"The baseline {name} has no {model}, but {listed(before)}. Where that is an earlier release, name it: "
                f"--baseline-model {before[0]}"
            )
        elif not {o.case for o in reading.outcomes if o.model == model} & {o.case for o in baseline.outcomes}:
            yield f"{model} and the baseline {name} have no case in common: the content of their benchmarks differs."
    yield from not_compared(reading.outcomes, baseline.outcomes, name)
    if otherwise := judged_otherwise(reading.outcomes, baseline.outcomes):
        yield (
            f"{listed(otherwise)}: other judges in the baseline, so a difference, or none, may be the judges' doing. "
            "Have both suites judged by the same ones: impactbench rejudge"
        )
    if unknown := unknown_calls(reading.outcomes, baseline.outcomes):
        yield (
            f"{listed(unknown)}: one of the suites does not say which calls gave its answers, so that answers of the "
            "baseline would not be noticed. Run it again with this version."
        )


def _checks(
    reading: Reading,
    asked: Sequence[Condition],
    conditions: Conditions,
    baseline: Reading | None,
    others: Sequence[Outcome] | None,
    *,
    any_look: bool,
) -> list[list[GateCheck]]:
    """Return the checks of each condition: of every model, also of one that has nothing of what it is about."""
    how: Any = {"leave_out": conditions.unscored == "leave-out", "population": reading.population}
    own = len(conditions.profile.conditions) if conditions.profile else 0
    places = [
        f"{conditions.profile.source}: condition {n + 1}: " if conditions.profile and n < own else ""
        for n in range(len(asked))
    ]
    found = []
    for condition, place in zip(asked, places, strict=True):
        try:
            among = condition.of(reading.outcomes)
            name, value = bar(condition.min or condition.max or "") if condition.max_drop is None else ("", 0.0)
        except ImpactBenchError as error:
            raise ImpactBenchError(f"{place}{error}") from error
        outcomes = condition.scored(among)
        if condition.max_drop is not None:
            before = condition.scored(condition.of(baseline.outcomes, strict=False)) if baseline else []
            checks = not_worse(outcomes, before, condition.max_drop, any_look=any_look, **how)
        else:
            reference = None if others is None else condition.scored(condition.of(others, strict=False))
            checks = (at_least if condition.min else at_most)(outcomes, name, value, reference=reference, **how)
        if condition.part:
            words = checks[0].condition if checks else _words(condition)
            lacking = [model for model in models_of(reading.outcomes) if model not in {one.model for one in checks}]
            checks = [*checks, *(without_data(model, words) for model in lacking)]
            checks = [
                replace(check, part=condition.part, among=among, is_severe_only=condition.severe) for check in checks
            ]
        found.append(checks)
    return found


def _words(condition: Condition) -> str:
    """Return what a condition asks for as checks say it, where there is no check of it."""
    if condition.max_drop is not None:
        return drop_words(condition.max_drop)
    name, value = bar(condition.min or condition.max or "")
    return f"{name} {'>=' if condition.min else '<='} {value:g}"


def _row(check: GateCheck, population: str) -> ConditionRow:
    return {
        "model": check.model,
        "scope": check.scope,
        "condition": check.words,
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
    for words in dict.fromkeys(check.words for check in checks):
        own = [check for check in checks if check.words == words]
        condition, among = own[0].condition, own[0].among
        about = reading.outcomes if among is None else among
        apart = [*units_apart_notes(about)] if condition.startswith(GAP_SIZE) else []
        yield from apart
        if not (apart or is_comparison(condition)) and not any(check.cases for check in own):
            yield f"{words}: No data for this condition; it counts as not met."
        if is_at_the_end(condition):
            beyond, easier = ("below", "lower") if ">=" in condition else ("above", "higher")
            yield (
                f"{words} can never be met, since every interval reaches {beyond} {condition.split()[-1]}. Set the "
                f"bar a little {easier}."
            )
        if own[0].is_severe_only and (number := without_severity(about)):
            yield f"{words}: {counted(number, 'failure')} without a severity count as severe."
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
        (why.of_judges, "because other judges judged the baseline"),
        (why.of_people, "because people fare differently (gate each group with --where)"),
        (why.chance, "with so few conversations"),
        (why.no_interval, "because the value has no interval (too few base scenarios, or benchmarks for like-these)"),
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
