"""`robustness`: order, lead and gaps under every judge, simulated user, option and exclusion at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.analysis.robustness import Analysis, Standing, analyses, gaps_found, standings
from helm_impactbench.errors import ImpactBenchError, listed
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import any_of, known, varies
from helm_impactbench.tables.names import short_names, shown_model

FIRST = 3
"""Models whose order is followed."""


class AnalysisRow(TypedDict):
    """What one analysis says of one scope."""

    scope: Annotated[str, Column("Over", "text", "An area, or a contrast benchmark.", "default", varies("scope"))]
    figure: Annotated[str, Column("Figure", "text", "mean score, or typical gap (lower is better).", "wide")]
    kind: Annotated[str, Column("Kind", "text", "as run, judge, user, option, exclusion, missing or suite.", "wide")]
    analysis: Annotated[str, Column("Analysis", "text", "What is done differently from the suite as run.", "default")]
    order: Annotated[str, Column("First three", "text", "The three best models, best first.", "default")]
    same_order: Annotated[
        bool,
        Column(
            "Same",
            "flag",
            "Whether the first three and their order match the suite as run.",
            "default",
        ),
    ]
    lead: Annotated[
        float | None,
        Column(
            "Lead",
            "difference",
            "Lead of the first model over the second, both as run, on shared cases.",
            "default",
            known("lead"),
        ),
    ]
    significant: Annotated[
        bool | None,
        Column(
            "Significant",
            "flag",
            "Whether the lead is significant, corrected for all models behind the first.",
            "default",
            known("significant"),
        ),
    ]
    gaps: Annotated[
        str,
        Column(
            "Groups that differ",
            "text",
            "Models with which groups of people fare differently.",
            "default",
            any_of("gaps"),
        ),
    ]


class StandingRow(TypedDict):
    """One model under one analysis."""

    scope: Annotated[str, Column("Over", "text", "An area, or a contrast benchmark.", "wide")]
    analysis: Annotated[str, Column("Analysis", "text", "What is done differently from the suite as run.", "wide")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "wide")]
    place: Annotated[int, Column("Place", "count", "The model's rank by the figure; 1 is the best.", "wide")]
    value: Annotated[float, Column("Figure", "number", "Mean score, or typical gap.", "wide")]


def robustness(reading: Reading, others: Mapping[str, Reading] | None = None) -> Result:
    """Return how far order, lead and gaps between people hold under every analysis of a suite.

    others: suites of the same cases by name, such as one that another judge read. Raises ImpactBenchError where no
    conversation has a verdict, and where the suite can be analysed in one way alone.
    """
    reading.check_verdicts()
    every = analyses(reading.outcomes, {name: other.outcomes for name, other in (others or {}).items()})
    if len(every) < 2:
        raise ImpactBenchError(
            "There is only one way to analyse this suite: one judge, one simulated user, one benchmark, nothing "
            "missing or left out. Name another suite of the same cases with --also, for example one that "
            "impactbench rejudge made."
        )
    found, gaps = standings(every), gaps_found(every)
    names = short_names(dict.fromkeys(outcome.model for outcome in reading.outcomes))
    by_scope: dict[str, list[Standing]] = {}
    for one in found:
        by_scope.setdefault(one.scope, []).append(one)
    sentences = [line for own in by_scope.values() for line in _sentences(own, names)]
    rows = [row for own in by_scope.values() for row in _rows(own, names, gaps)]
    ranks: list[StandingRow] = [
        {"scope": one.scope, "analysis": one.analysis.name, "model": model, "place": place, "value": value}
        for one in found
        for place, (model, value) in enumerate(one.models.items(), start=1)
    ]
    return Result(
        (
            Table.of("analyses", AnalysisRow, rows, "Every analysis that the suite allows"),
            Table.of("places", StandingRow, ranks, "Models under each analysis", "wide"),
        ),
        (*sentences, *_gap_sentences(gaps)),
        (
            "Each analysis changes one thing. Analyses share conversations, so their number is no evidence "
            "in itself: what holds under all of them can still be chance, and impactbench compare tests that.",
        ),
    )


def _rows(
    own: Sequence[Standing], names: Mapping[str, str], gaps: Sequence[tuple[Analysis, Sequence[PeopleGap]]]
) -> Iterator[AnalysisRow]:
    as_run = own[0].first(FIRST)
    of = {id(analysis): found for analysis, found in gaps} if own[0].figure == "mean score" else {}
    for one in own:
        yield {
            "scope": one.scope,
            "figure": one.figure,
            "kind": one.analysis.kind,
            "analysis": one.analysis.name,
            "order": " > ".join(names.get(model, model) for model in one.first(FIRST)),
            "same_order": one.first(FIRST) == as_run,
            "lead": one.difference.value if one.difference else None,
            "significant": one.test.found if one.test else None,
            "gaps": "; ".join(_gap_text(gap, names) for gap in of.get(id(one.analysis), ())),
        }


def _gap_text(gap: PeopleGap, names: Mapping[str, str]) -> str:
    (worse, low), (_, high) = gap.worse, gap.better
    return f"{names.get(gap.model, gap.model)}: {worse} {value_text(low - high, 'difference')}"


def _sentences(own: Sequence[Standing], names: Mapping[str, str]) -> Iterator[str]:
    first, number = own[0].first(FIRST), len(own)
    if len(first) < 2 or number < 2:
        return
    same = sum(one.first(FIRST) == first for one in own)
    leads = sum(one.first(1) == first[:1] for one in own)
    what = {2: "both models"}.get(len(first), "the first three")
    told = listed([names.get(model, model) for model in first])
    yield (
        f"{own[0].scope}: the order of {what} ({told}) holds under {same} of {number} analyses; "
        f"{names.get(first[0], first[0])} leads under {leads}."
    )
    tested = [one for one in own if one.test is not None and one.difference is not None]
    if tested and own[0].test is not None:
        better = sum(one.test.found and one.difference.value > 0 for one in tested if one.test and one.difference)
        yield (
            f"{own[0].scope}: its lead over {names.get(first[1], first[1])} is significant under {better} of "
            f"{len(tested)}, as run {'too' if own[0].test.found else 'not'}."
        )


def _gap_sentences(gaps: Sequence[tuple[Analysis, Sequence[PeopleGap]]]) -> Iterator[str]:
    """Yield under how many analyses each model does worse with a group, whichever analysis found it."""
    seen: dict[tuple[str, str, str], int] = {}
    for _, found in gaps:
        for gap in found:
            key = (gap.model, gap.worse[0], gap.better[0])
            seen[key] = seen.get(key, 0) + 1
    for (model, worse, better), count in sorted(seen.items(), key=lambda item: (-item[1], item[0])):
        yield f"{shown_model(model)} does worse with {worse} than with {better} under {count} of {len(gaps)} analyses."
