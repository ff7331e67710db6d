"""`compare`: which model is ahead, by how much, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from helm_impactbench.analysis.columns import confidence
from helm_impactbench.analysis.commands.floor import floor_note
from helm_impactbench.analysis.comparison import Comparison, ModelPair, compare_at_any_look, did_not_arise
from helm_impactbench.analysis.comparison import compare as compared
from helm_impactbench.analysis.difference_rows import (
    SIGNIFICANT,
    GapModelRow,
    GapPairRow,
    ModelRow,
    PairRow,
    gap_pair_row,
    gap_rows,
    model_rows,
    pair_row,
    significance,
)
from helm_impactbench.analysis.gap_comparison import GapComparison, GapPair, compare_gaps
from helm_impactbench.analysis.looks import Look, looks_sentence
from helm_impactbench.analysis.paired import Difference, equality_tips, of_the_missing, undone_words
from helm_impactbench.analysis.people import AREA, PeopleGap, gaps_of, hidden_sentence, people_levels, people_sentences
from helm_impactbench.analysis.rates import by_area
from helm_impactbench.analysis.widest_gap import units_apart
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.population import Population
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Row, Table, columns_of
from helm_impactbench.tables.cells import off_zero, value_text
from helm_impactbench.tables.column import any_of, with_cells
from helm_impactbench.tables.names import short_names


def compare(
    reading: Reading, *, equal_within: float | None = None, unranked: str = "", before: Sequence[Look] = ()
) -> Result:
    """Return the models in order, and every pair tested on the cases that both met.

    Models are ranked by the mean over benchmarks of their pass rates, area by area; on contrast metrics, by how far
    their typical gap is from 0. equal_within: also test whether two models are equal within this difference. unranked:
    why the screen does not have the models in order, such as a judge that failed its check; empty where it has.
    before: earlier looks at the suite; with any, tests are those that hold at any look. Raises ImpactBenchError when no
    conversation has a verdict.
    """
    reading.check_verdicts()
    ranked = not unranked
    areas = {area: (compare_at_any_look if before else compared)(own) for area, own in by_area(reading.levels).items()}
    gaps = compare_gaps(reading.outcomes)
    over_all, in_benchmarks = people_levels(reading.outcomes) if ranked else ([], [])
    people = gaps_of(over_all)
    areas |= {AREA: replace(areas[AREA], apart=people)} if AREA in areas else {}
    models = [row for area, found in areas.items() for row in model_rows(found, area)]
    pairs = [pair_row(pair, area) for area, found in areas.items() for pair in _pairs(found)]
    gap_models = [row for found in gaps for row in gap_rows(found)]
    gap_pairs = [gap_pair_row(found.benchmark, pair) for found in gaps for pair in found.pairs]
    population = reading.population
    margin = equal_within if ranked else None
    tables = (
        *(
            _ranking(
                area,
                found,
                pairs,
                population,
                people if area == AREA else {},
                gaps if area == AREA else (),
                ranked=ranked,
            )
            for area, found in areas.items()
        ),
        *(distances(gaps) if AREA not in areas else ()),
        *([Table("models", columns_of(ModelRow), models, "Models", "file")] if models else []),
        *([_pairs_table("pairs", PairRow, pairs, "difference", margin, population)] if models else []),
        *([Table("gap_models", _gap_columns(population), gap_models, GAP_TITLE, "wide")] if gaps else []),
        *([_gap_pairs_table(gap_pairs)] if gaps else []),
    )
    notes = (
        *filter(None, [hidden_sentence(over_all, in_benchmarks)]),
        *(_notes(reading, areas, gaps, equal_within) if ranked else _not_ranked(unranked, equal_within)),
    )
    first = (*people_sentences(people), *filter(None, [looks_sentence(before)]))
    beyond = ("--wide shows every pair.",) if ranked and (pairs or gap_pairs) else ()
    return Result(tables, notes, tuple(_details()), first=first, beyond=beyond)


def _pairs(comparison: Comparison) -> list[ModelPair]:
    """Return the pairs of models that have an average each."""
    return [pair for pair in comparison.pairs if not {pair.first, pair.second} & {*comparison.apart}]


def _not_ranked(why: str, equal_within: float | None) -> Iterator[str]:
    """Yield why there is no order, and no answer to whether models are equal."""
    yield f"No ranking and no differences: {why}. Files and --wide have the figures."
    if equal_within is not None:
        yield f"Whether models are equal within {equal_within:g} is not decided: {why}."


GAP_TITLE = "Typical gap between groups on the same words, less what chance adds"


def _ranking(
    area: str,
    comparison: Comparison,
    pairs: Sequence[PairRow],
    population: Population,
    people: Mapping[str, Sequence[PeopleGap]],
    gaps: Sequence[GapComparison],
    *,
    ranked: bool,
) -> Table:
    """Return the screen's ranking: rank, mean, and each model's difference from the one that leads.

    A model with which people fare differently has the rates of two groups in the place of its mean, and no rank. Not
    ranked, models stand by name with their means alone. `gaps`: typical gaps that stand beside the means, in none of
    them.
    """
    beside = {(row["model"], found.benchmark): _gap_text(row) for found in gaps for row in gap_rows(found)}
    first = comparison.models[0] if comparison.models else ""
    behind = {frozenset((row["first"], row["second"])): row for row in pairs if row["area"] == area}
    models = model_rows(comparison, area)
    names = short_names(row["model"] for row in models)
    rows: list[Row] = []
    for row in models:
        pair = behind.get(frozenset((first, row["model"])))
        own: Row = {
            **row,
            **_behind(pair, first, population),
            "model": names[row["model"]],
            **{_gap_key(found.benchmark): beside.get((row["model"], found.benchmark), "") for found in gaps},
        }
        rows += _by_people(own, people[row["model"]][0]) if row["model"] in people else [own]
    columns = (
        Column("Rank", "text", "The ranks that the tests allow.", "default", text=rank_text, in_files=False),
        *(column for column in columns_of(ModelRow) if column.key in ("model", "mean_score")),
        confidence(population),
        Column("Behind the first", "text", "Difference on shared cases.", "default", any_of("behind"), "behind"),
        Column("Significant", "text", "At 5%, corrected.", "default", any_of("behind"), "significant"),
        *(
            Column(
                f"Gap: {found.benchmark}", "text", "Typical gap; 0 is ideal.", "default", key=_gap_key(found.benchmark)
            )
            for found in gaps
        ),
        *(column for column in columns_of(ModelRow) if column.key in ("group", "lacks")),
    )
    if not ranked:
        order = ("Rank", "Behind the first", "Significant", "Group")
        columns = tuple(column for column in columns if column.title not in order)
        rows.sort(key=lambda row: str(row["model"]))
    title = f"Models on {area} benchmarks, {'best first' if ranked else 'by name'}"
    return Table("ranking", columns, rows, title, in_files=False)


def _gap_key(benchmark: str) -> str:
    return f"gap of {benchmark}"


def _by_people(row: Row, gap: PeopleGap) -> Iterator[Row]:
    """Yield the row of a model with which people fare differently, and one for each of two groups."""
    ends = {key: math.nan for key in row if key.startswith(("low_", "high_"))}
    yield {**row, **ends, "mean_score": None, "behind": "", "significant": "", "people": f"differs by {gap.axis}"}
    for group, rate in (gap.better, gap.worse):
        yield {
            **ends,
            "model": f"  {group}",
            "mean_score": rate,
            "people": " ",
            "best_rank": None,
            "worst_rank": None,
            "behind": "",
            "significant": "",
            "lacks": "",
        }


def _behind(pair: PairRow | None, first: str, population: Population) -> Row:
    """Return how far a model is behind the first one, on the cases that both met, and whether significantly."""
    if pair is None:
        return {"behind": "", "significant": ""}
    if pair["difference"] is None:
        return {"behind": "not compared", "significant": "-"}
    sign = 1 if pair["first"] == first else -1
    ending = population.replace("-", "_")
    row: Mapping[str, float] = pair  # type: ignore[assignment]
    low, high = sorted((sign * row[f"low_{ending}"], sign * row[f"high_{ending}"]))
    interval = f"{off_zero(low, 2):.2f} to {off_zero(high, 2):.2f}" if low == low else "unknown"
    return {"behind": f"{sign * pair['difference']:.3f} ({interval})", "significant": significance(pair)}


def rank_text(row: Row) -> str:
    """Return the ranks that tests allow a model: 2, 2 to 3, or none."""
    if row.get("people"):
        return str(row["people"]).strip()
    best, worst = row["best_rank"], row["worst_rank"]
    return "none" if best is None else str(best) if best == worst else f"{best} to {worst}"


def distances(gaps: Sequence[GapComparison]) -> Iterator[Table]:
    """Yield the screen's matrix of typical gaps with the ranks that tests allow: models by benchmarks, 0 is ideal."""
    if not gaps:
        return
    rows = {score.model: dict[str, object]() for found in gaps for score in found.scores}
    for found in gaps:
        for row in gap_rows(found):
            rows[row["model"]][found.benchmark] = _gap_text(row)
    names = short_names(rows)
    head = Column("Model", "model", "Model.", "default", key="model")
    columns = (head, *(Column(one.benchmark, "text", "Typical gap.", "default", key=one.benchmark) for one in gaps))
    cells = [{"model": names[model], **own} for model, own in rows.items()]
    yield Table("distances", columns, cells, f"{GAP_TITLE}; 0 is ideal", in_files=False)


def _gap_text(row: GapModelRow) -> str:
    size, rank = value_text(row["typical_gap"], "difference").lstrip("+"), rank_text(row)
    return size if rank == "none" else f"{size} (rank {rank})"


def _gap_columns(population: Population) -> tuple[Column, ...]:
    rank = Column("Rank", "text", "The ranks that the tests allow.", "wide", text=rank_text, in_files=False)
    interval = confidence(population, "difference", "wide")
    return with_cells(columns_of(GapModelRow), gap=interval, worst_rank=rank)


def _gap_pairs_table(rows: Sequence[GapPairRow]) -> Table:
    columns = with_cells(columns_of(GapPairRow), can_be_found=replace(SIGNIFICANT, view="wide"))
    return Table(
        "gap_pairs", columns, rows, "Pairs of models by their typical gaps, on the cases that both met", "wide"
    )


def _pairs_table(
    name: str, row: type, rows: Sequence[Row], figure: str, equal_within: float | None, population: Population
) -> Table:
    cells = {figure: confidence(population, "difference", "wide"), "can_be_found": replace(SIGNIFICANT, view="wide")}
    if equal_within is not None:
        cells["high_90"] = _equality_column(equal_within)
    title = "Pairs of models, on the cases that both met"
    return Table(name, with_cells(columns_of(row), **cells), rows, title, "wide")


def _equality_column(margin: float) -> Column:
    def text(row: Row) -> str:
        low, high = row["low_90"], row["high_90"]
        if low is None or not -margin <= low <= high <= margin:
            return "not shown"
        worst = Interval(row["if_missing_low_90"], row["if_missing_high_90"])
        tips = equality_tips(Interval(low, high), worst, margin)
        return "equal" if tips is None else f"equal, unless {of_the_missing(tips)} differ"

    return Column(f"Within {margin:g}", "text", "Whether equal.", "wide", text=text, in_files=False)


def _notes(
    reading: Reading, areas: Mapping[str, Comparison], gaps: Sequence[GapComparison], equal_within: float | None
) -> Iterator[str]:
    level = [pair for found in areas.values() for pair in _pairs(found)]
    if level:
        yield conclusion(level, equal_within)
    elif equal_within is not None and areas:
        yield f"Whether models are equal within {equal_within:g} is not decided: no two models have an average each."
    if any(found.pairs for found in gaps):
        yield _of_gaps([pair for found in gaps for pair in found.pairs])
    if any(found.lacks(score) for found in areas.values() for score in found.scores if score.groups):
        yield (
            "A model that lacks a benchmark, a metric, a level or a tenth of the cases has no rank: its mean is over "
            "other cases. --benchmark and --metric compare on those that all models have."
        )
    for better, worse in (pair for found in areas.values() for pair in found.against_means):
        yield (
            f"{better} stands above {worse}, whose mean is higher: on the cases that both have a verdict on it does "
            f"better.{_not_applicable(areas.values(), worse)}"
        )
    for found in areas.values():
        told = {worse for _, worse in found.against_means}
        yield from did_not_arise(score for score in found.scores if score.model not in told)
    yield from units_apart_notes(reading.outcomes)
    if not areas:
        yield "No mean scores: all metrics of these conversations are contrasts."
    if floor := floor_note(reading):
        yield floor
    if areas:
        yield "95% CI over scenarios."


def units_apart_notes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the contrast metrics that no figure over several metrics has, as their units have no mean with others."""
    if apart := units_apart(outcomes):
        is_are = "is in units of its own" if len(apart) == 1 else "are in units of their own"
        yield (
            f"{', '.join(apart)} {is_are}, which have no mean with other metrics: no figure of the whole benchmark has "
            f"them. `impactbench contrasts --by metric --wide` shows them; `impactbench gate --metric {apart[0]}` "
            "holds one."
        )


def _not_applicable(areas: Iterable[Comparison], model: str) -> str:
    """Return in how many conversations of a model the question did not arise."""
    totals = [score.total for found in areas for score in found.scores if score.model == model]
    number = sum(total.not_applicable for total in totals)
    of = counted(sum(total.conversations for total in totals), "conversation")
    return f" In {number:,} of {of} of {model} the question did not arise." if number else ""


def _of_gaps(compared_pairs: Sequence[GapPair]) -> str:
    pairs = [pair for pair in compared_pairs if pair.shared]
    found, cannot = sum(pair.found for pair in pairs), sum(not pair.can_be_found for pair in pairs)
    few = f" Too few base scenarios to test {cannot:,} of them." if cannot else ""
    lacking = " Cases without a value are left out." if any(sum(pair.missing) for pair in pairs) else ""
    return (
        f"Of typical gaps, significantly different: {found} of {counted(len(pairs), 'pair')} of models.{few}{lacking}"
    )


def conclusion(compared_pairs: Sequence[ModelPair], margin: float | None) -> str:
    """Return what may be concluded from pairs, in a few sentences."""
    pairs = [pair for pair in compared_pairs if pair.difference is not None]
    apart = [pair for pair in pairs if pair.found]
    sentences = [f"Significantly different: {len(apart)} of {counted(len(pairs), 'pair')} of models."]
    if cannot := sum(not pair.can_be_found for pair in pairs):
        sentences.append(f"Too few base scenarios to test {cannot:,} of them.")
    if otherwise := sum(pair.judged_otherwise for pair in compared_pairs):
        sentences.append(f"{counted(otherwise, 'pair')} judged by another judge: not compared.")
    if stopped := sum(pair.stopped for pair in compared_pairs):
        sentences.append(
            f"{counted(stopped, 'pair')} not tested: runs ended when they had seen enough. Compare whole runs."
        )
    if margin is not None:
        sentences += _equal([pair.difference for pair in pairs if pair.difference], margin)
    sentences += undone_words([pair.tips for pair in apart])
    return " ".join(sentences)


def _equal(differences: Sequence[Difference], margin: float) -> Iterator[str]:
    tips = [difference.equality_tips(margin) for difference in differences if difference.equal_within(margin)]
    yield f"{len(tips)} shown to be equal within {margin:g} (two one-sided tests at 5%, each on its own)."
    yield from undone_words(tips)


def _details() -> Iterator[str]:
    yield (
        "Tests and the intervals beside them hold for all pairs at once (max-T, at most a 5% risk of any false "
        "finding): an interval excludes 0 just where the difference is significant."
    )
    yield "Not significant does not mean equal; --equal-within 0.05 tests equality (two one-sided tests at 5%)."
    yield (
        "A pair is tested on the variants and samples for which both have a verdict, by a sign-flip test over base "
        "scenarios. Models that share a letter do not differ significantly."
    )
