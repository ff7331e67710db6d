"""`drift`: is it the model or the instrument? Which of judge, simulated user and targets changed between suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.tables import Column, Conclusion, Result, Table
from helm_impactbench.tables.column import any_of, varies
from helm_impactbench.validity.commands.columns import presentable
from helm_impactbench.validity.drift.attribution import PARTS, Attribution, Part
from helm_impactbench.validity.drift.styles import TextShift
from helm_impactbench.validity.drift.suites import Drift, SuiteText, drift_between
from helm_impactbench.validity.drift.words import conclusion, sentences

TOO_FEW = "too few cases"
FIXED = "fixed messages"


class PartRow(TypedDict):
    """One part of the instrument."""

    suite: Annotated[str, Column("Suite", "text", "The second suite.", "default", varies("suite"))]
    part: Annotated[str, Column("Part", "text", "judge, simulated user or target.", "default")]
    result: Annotated[
        str, Column("Result", "text", "changed, no change found, too few cases, or fixed messages.", "default")
    ]
    texts: Annotated[
        int, Column("Compared", "count", "Anchors of the judge; opening messages; first replies.", "default")
    ]
    identical: Annotated[
        float | None, Column("The same", "share", "Share of texts that are the same letter by letter.", "default")
    ]
    between: Annotated[
        float | None, Column("Differ", "share", "Mean distance of a judge's answers between suites.", "default")
    ]
    within: Annotated[float | None, Column("Noise", "share", "The same within a suite.", "wide")]
    p_value: Annotated[
        float | None, Column("p", "p", "Of no change; three questions, each tested at a third of 5%.", "default")
    ]
    base_scenarios: Annotated[int | None, Column("Base scenarios", "count", "Of the texts.", "wide")]
    accuracy_before: Annotated[float | None, Column("Right before", "rate", "Share of known verdicts found.", "wide")]
    accuracy_after: Annotated[float | None, Column("Right now", "rate", "Share of known verdicts found.", "wide")]
    present_before: Annotated[
        float | None, Column("Present before", "rate", "Share of anchors called present.", "wide")
    ]
    present_after: Annotated[float | None, Column("Present now", "rate", "Share of anchors called present.", "wide")]
    models: Annotated[list[str], Column("Models", "text", "Targets that changed.", "default", any_of("models"))]
    reason: Annotated[str, Column("Why not tested", "text", "Empty where it was.", "wide", any_of("reason"))]


class DimensionRow(TypedDict):
    """One thing that was measured of texts."""

    suite: Annotated[str, Column("Suite", "text", "The second suite.", "wide", varies("suite"))]
    part: Annotated[str, Column("Part", "text", "simulated user or target.", "wide")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "wide", any_of("model"))]
    name: Annotated[str, Column("Dimension", "text", "A trait of the text, or a verdict.", "wide")]
    before: Annotated[float, Column("Before", "number", "Mean in the first suite.", "wide")]
    after: Annotated[float, Column("Now", "number", "Mean in the second suite.", "wide")]
    adjusted_p_value: Annotated[float, Column("p", "p", "Corrected for all dimensions.", "wide")]


class FactRow(TypedDict):
    """Something on record that differs."""

    suite: Annotated[str, Column("Suite", "text", "The second suite.")]
    fact: Annotated[str, Column("On record", "text", "What differs.")]


def drift(first: SuiteText, others: Sequence[SuiteText]) -> Result:
    """Return what changed from the first suite to each of the others, with its conclusion. Raises ResultsError."""
    found = {other.name: drift_between(first, other) for other in others}
    parts = [row for name, one in found.items() for row in _parts(name, one.attribution)]
    dimensions = [row for name, one in found.items() for row in _dimensions(name, one.attribution)]
    facts: list[FactRow] = [{"suite": name, "fact": fact} for name, one in found.items() for fact in one.facts]
    tables = (
        Table.of("parts", PartRow, parts, f"What changed since {first.name}"),
        Table.of("dimensions", DimensionRow, dimensions, "What was measured of texts", "wide"),
        Table.of("on_record", FactRow, facts, view="file"),
    )
    return Result(
        presentable(tables),
        tuple(f"On record: {'; '.join(one.facts)}." for one in found.values() if one.facts),
        tuple(_details(found)),
        verdict=Conclusion(" ".join(_conclusions(found))),
    )


def _conclusions(found: Mapping[str, Drift]) -> Iterator[str]:
    for name, one in found.items():
        yield f"{name}: {conclusion(one)}" if len(found) > 1 else conclusion(one)


def _details(found: Mapping[str, Drift]) -> Iterator[str]:
    for one in found.values():
        *lines, _ = sentences(one)
        yield from (line for line in lines if not line.startswith("On record"))


def _parts(suite: str, found: Attribution) -> Iterator[PartRow]:
    texts: Mapping[Part, TextShift] = {"simulated user": found.user, "target": found.target}
    for part in PARTS:
        shift = texts.get(part)
        judge = found.judge
        yield {
            "suite": suite,
            "part": part,
            "result": _result(part, found),
            "texts": shift.pairs if shift else judge.anchors,
            "identical": shift.identical if shift else None,
            "between": None if shift else judge.between,
            "within": None if shift else judge.within,
            "p_value": (shift or judge).p_value if part in found.tested else None,
            "base_scenarios": shift.scenarios if shift else None,
            "accuracy_before": None if shift else judge.accuracy.before,
            "accuracy_after": None if shift else judge.accuracy.after,
            "present_before": None if shift else judge.present.before,
            "present_after": None if shift else judge.present.after,
            "models": list(found.moved_targets) if part == "target" else [],
            "reason": found.untold.get(part, ""),
        }


def _result(part: Part, found: Attribution) -> str:
    if part in found.tested:
        return "changed" if part in found.moved else "no change found"
    return TOO_FEW if part in found.untold else FIXED


def _dimensions(suite: str, found: Attribution) -> Iterator[DimensionRow]:
    for part, shift in (("simulated user", found.user), ("target", found.target)):
        for one in shift.dimensions:
            yield {
                "suite": suite,
                "part": part,
                "model": one.group,
                "name": one.name,
                "before": one.before,
                "after": one.after,
                "adjusted_p_value": one.test.adjusted,
            }
