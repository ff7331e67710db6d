"""`robustness`: order, lead and gaps under every judge, simulated user, option and exclusion at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypedDict

from helm_impactbench.analysis.people import PeopleGap, people_gaps, people_sentences
from helm_impactbench.analysis.robustness import Analysis, Standing, analyses, gaps_found, standings
from helm_impactbench.errors import ImpactBenchError, listed
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import any_of, known, varies
from helm_impactbench.tables.names import short_names, shown_model

FIRST = 3
"""Places whose order is followed."""
CHANGED = "Analyses that change something"


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


def robustness(reading: Reading, others: Mapping[str, Reading] | None = None, *, unranked: str = "") -> Result:
    """Return how far order, lead and gaps between people hold under every analysis of a suite.

    others: suites of the same cases by name, such as one that another judge read. unranked: why the screen has no order
    of models, such as a judge that failed its check; empty where it has. Raises ImpactBenchError where no conversation
    has a verdict, and where the suite can be analysed in one way alone.
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
    each = [list(_rows(own, names, gaps)) for own in by_scope.values()]
    rows = [row for own in each for row in own]
    changed = [row for own in each for row in own if row is own[0] or _says(row) != _says(own[0])]
    ranks: list[StandingRow] = [
        {"scope": one.scope, "analysis": one.analysis.name, "model": model, "place": place, "value": value}
        for one in found
        for place, (model, value) in enumerate(one.models.items(), start=1)
    ]
    table = Table.of("analyses", AnalysisRow, rows, "Every analysis that the suite allows", "wide")
    places = Table.of("places", StandingRow, ranks, "Models under each analysis", "wide")
    if unranked:
        note = f"No order of models: {unranked}. Files have the figures."
        return Result((replace(table, view="file"), replace(places, view="file")), (note,))
    tables = (
        *([replace(table, name="changed", rows=changed, title=CHANGED, view="default", in_files=False)]
          if len(changed) > len(by_scope) else []),
        table,
        places,
    )  # fmt: skip
    return Result(
        tables,
        (*sentences, *_gap_sentences(gaps)),
        (
            "Each analysis changes one thing. Analyses share conversations, so their number is no evidence "
            "in itself: what holds under all of them can still be chance, and impactbench compare tests that.",
        ),
        first=people_sentences(people_gaps(reading.outcomes)),
        beyond=("--wide shows every analysis.",),
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
            "order": _order(one.first(FIRST), names),
            "same_order": one.first(FIRST) == as_run,
            "lead": one.difference.value if one.difference else None,
            "significant": one.test.found if one.test else None,
            "gaps": "; ".join(_gap_text(gap, names) for gap in of.get(id(one.analysis), ())),
        }


def _says(row: AnalysisRow) -> tuple[object, ...]:
    """Return what an analysis says, without the size of gaps."""
    return row["same_order"], row["significant"], {gap.rpartition(" ")[0] for gap in row["gaps"].split("; ")}


def _order(first: Sequence[Sequence[str]], names: Mapping[str, str]) -> str:
    """Return models as in a > b = c, best first; those with = have the same figure."""
    return " > ".join(" = ".join(names.get(model, model) for model in place) for place in first)


def _gap_text(gap: PeopleGap, names: Mapping[str, str]) -> str:
    (worse, low), (_, high) = gap.worse, gap.better
    return f"{names.get(gap.model, gap.model)}: {worse} {value_text(low - high, 'difference')}"


def _sentences(own: Sequence[Standing], names: Mapping[str, str]) -> Iterator[str]:
    first, number = own[0].first(FIRST), len(own)
    if len(own[0].models) < 2 or number < 2:
        return
    same = sum(one.first(FIRST) == first for one in own)
    leads = sum(one.first(1) == first[:1] for one in own)
    leading = listed([names.get(model, model) for model in first[0]])
    ahead = f"{leading} {'leads' if len(first[0]) == 1 else 'share the lead'} under {leads}"
    yield f"{own[0].scope}: the order {_order(first, names)} holds under {same} of {number} analyses; {ahead}."
    if len(first) < 2 or len(first[0]) > 1 or len(first[1]) > 1:
        return
    tested = [one for one in own if one.test is not None and one.difference is not None]
    if tested and own[0].test is not None:
        better = sum(one.test.found and one.difference.value > 0 for one in tested if one.test and one.difference)
        yield (
            f"{own[0].scope}: its lead over {names.get(first[1][0], first[1][0])} is significant under {better} of "
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
