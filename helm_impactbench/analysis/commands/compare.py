"""`compare`: which model is ahead, by how much, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from helm_impactbench.analysis.columns import confidence
from helm_impactbench.analysis.commands.floor import floor_note
from helm_impactbench.analysis.comparison import Comparison, ModelPair
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
from helm_impactbench.analysis.paired import Difference
from helm_impactbench.analysis.rates import by_area
from helm_impactbench.analysis.widest_gap import units_apart
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.population import Population
from helm_impactbench.stats.simultaneous import CORRECTIONS, Correction
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Row, Table, columns_of
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import any_of, with_cells
from helm_impactbench.tables.names import short_names


def compare(reading: Reading, *, correction: Correction = "max-t", equal_within: float | None = None) -> Result:
    """Return the models in order, and every pair tested on the cases that both met.

    Models are ranked by the mean over benchmarks of their pass rates, area by area; on contrast metrics, by how far
    their widest gap is from 0. correction: for the number of pairs. equal_within: also test whether two models are
    equal within this difference. Raises ImpactBenchError when no conversation has a verdict.
    """
    reading.check_verdicts()
    areas = {area: compared(own, correction) for area, own in by_area(reading.levels).items()}
    gaps = compare_gaps(reading.outcomes, correction)
    models = [row for area, found in areas.items() for row in model_rows(found, area)]
    pairs = [pair_row(pair, area) for area, found in areas.items() for pair in found.pairs]
    gap_models = [row for found in gaps for row in gap_rows(found)]
    gap_pairs = [gap_pair_row(found.benchmark, pair) for found in gaps for pair in found.pairs]
    population = reading.population
    tables = (
        *(_ranking(area, found, pairs, population) for area, found in areas.items()),
        *distances(gaps),
        *([Table("models", columns_of(ModelRow), models, "Models", "file")] if models else []),
        *([_pairs_table("pairs", PairRow, pairs, "difference", equal_within, population)] if models else []),
        *([Table("gap_models", _gap_columns(population), gap_models, GAP_TITLE, "wide")] if gaps else []),
        *([_pairs_table("gap_pairs", GapPairRow, gap_pairs, "nearer_by", equal_within, population)] if gaps else []),
    )
    return Result(tables, tuple(_notes(reading, areas, gaps, equal_within)), tuple(_details(correction)))


GAP_TITLE = "Widest gap between groups on the same words"


def _ranking(area: str, comparison: Comparison, pairs: Sequence[PairRow], population: Population) -> Table:
    """Return the screen's ranking: rank, mean, and each model's difference from the one that leads."""
    first = comparison.models[0] if comparison.models else ""
    behind = {frozenset((row["first"], row["second"])): row for row in pairs if row["area"] == area}
    models = model_rows(comparison, area)
    names = short_names(row["model"] for row in models)
    rows: list[Row] = []
    for row in models:
        pair = behind.get(frozenset((first, row["model"])))
        rows.append({**row, **_behind(pair, first, population), "model": names[row["model"]]})
    columns = (
        Column("Rank", "text", "The ranks that the tests allow.", "default", text=rank_text, in_files=False),
        *(column for column in columns_of(ModelRow) if column.key in ("model", "mean_score")),
        confidence(population),
        Column("Behind the first", "text", "Difference on shared cases.", "default", any_of("behind"), "behind"),
        Column("Significant", "text", "At 5%, corrected.", "default", any_of("behind"), "significant"),
        *(column for column in columns_of(ModelRow) if column.key in ("group", "lacks")),
    )
    return Table("ranking", columns, rows, f"Models, best first ({area})", in_files=False)


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
    interval = f"{low:.2f} to {high:.2f}" if low == low else "unknown"
    return {"behind": f"{sign * pair['difference']:.3f} ({interval})", "significant": significance(pair)}


def rank_text(row: Row) -> str:
    """Return the ranks that tests allow a model: 2, 2 to 3, or none."""
    best, worst = row["best_rank"], row["worst_rank"]
    return "none" if best is None else str(best) if best == worst else f"{best} to {worst}"


def distances(gaps: Sequence[GapComparison]) -> Iterator[Table]:
    """Yield the screen's matrix of widest gaps: models by benchmarks, 0 is ideal."""
    if not gaps:
        return
    rows = {score.model: dict[str, object]() for found in gaps for score in found.scores}
    for found in gaps:
        for row in gap_rows(found):
            rows[row["model"]][found.benchmark] = _size(row["distance"])
    names = short_names(rows)
    head = Column("Model", "model", "Model.", "default", key="model")
    columns = (head, *(Column(one.benchmark, "text", "Distance.", "default", key=one.benchmark) for one in gaps))
    cells = [{"model": names[model], **own} for model, own in rows.items()]
    yield Table("distances", columns, cells, f"{GAP_TITLE}; 0 is ideal", in_files=False)


def _size(value: float) -> str:
    return value_text(value, "difference").lstrip("+")


def _gap_columns(population: Population) -> tuple[Column, ...]:
    rank = Column("Rank", "text", "The ranks that the tests allow.", "wide", text=rank_text, in_files=False)
    interval = confidence(population, "difference", "wide")
    return with_cells(columns_of(GapModelRow), gap=interval, worst_rank=rank)


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
        return "equal" if -margin <= row["if_missing_low_90"] <= row["if_missing_high_90"] <= margin else "equal*"

    return Column(f"Within {margin:g}", "text", "Whether equal.", "wide", text=text, in_files=False)


def _notes(
    reading: Reading, areas: Mapping[str, Comparison], gaps: Sequence[GapComparison], equal_within: float | None
) -> Iterator[str]:
    level = [pair for found in areas.values() for pair in found.pairs]
    if level:
        yield conclusion(level, equal_within)
    if any(found.pairs for found in gaps):
        words = conclusion([pair for found in gaps for pair in found.pairs], equal_within)
        yield f"Of widest gaps, {words[0].lower()}{words[1:]}"
    if any(found.lacks(score) for found in areas.values() for score in found.scores if score.groups):
        yield (
            "A model that lacks a benchmark has no rank: its mean is over other benchmarks. --benchmark compares on "
            "those that all models have."
        )
    yield from units_apart_notes(reading.outcomes)
    if not areas:
        yield "No mean scores: all metrics of these conversations are contrasts."
    if floor := floor_note(reading):
        yield floor
    if areas:
        yield "95% CI over scenarios; --wide shows every pair."


def units_apart_notes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the contrast metrics that no figure over several metrics has, as their units have no mean with others."""
    if apart := units_apart(outcomes):
        is_are = "is in units of its own" if len(apart) == 1 else "are in units of their own"
        yield (
            f"{', '.join(apart)} {is_are}, which have no mean with other metrics: no figure of the whole benchmark has "
            f"them. `impactbench contrasts --by metric --wide` shows them; `impactbench gate --metric {apart[0]}` "
            "holds one."
        )


def conclusion(compared_pairs: Sequence[ModelPair | GapPair], margin: float | None) -> str:
    """Return what may be concluded from pairs, in a few sentences."""
    pairs = [pair for pair in compared_pairs if pair.difference is not None]
    apart = [pair for pair in pairs if pair.found]
    sentences = [f"Significantly different: {len(apart)} of {counted(len(pairs), 'pair')} of models."]
    if cannot := sum(not pair.can_be_found for pair in pairs):
        sentences.append(f"Too few base scenarios to test {cannot:,} of them.")
    if stopped := sum(pair.stopped for pair in compared_pairs):
        sentences.append(
            f"{counted(stopped, 'pair')} not tested: runs ended when they had seen enough. Compare whole runs."
        )
    if margin is not None:
        sentences += _equal([pair.difference for pair in pairs if pair.difference], margin)
    if undone := sum(not pair.survives for pair in apart):
        sentences.append(f"* {undone} would not be significant if missing verdicts were as unfavourable as can be.")
    return " ".join(sentences)


def _equal(differences: Sequence[Difference], margin: float) -> Iterator[str]:
    equal = [difference for difference in differences if difference.equal_within(margin)]
    sure = sum(difference.equality_survives(margin) for difference in equal)
    yield f"{sure} shown to be equal within {margin:g} (two one-sided tests at 5%, each on its own)."
    if unsure := len(equal) - sure:
        yield f"* {unsure} more, but not if the missing verdicts were as unfavourable as can be."


def _details(correction: Correction) -> Iterator[str]:
    yield f"Adjusted by {CORRECTIONS[correction]}."
    yield "Not significant does not mean equal; --equal-within 0.05 tests equality (two one-sided tests at 5%)."
    yield (
        "A pair is tested on the variants and samples for which both have a verdict, by a sign-flip test over base "
        "scenarios. Models that share a letter do not differ significantly."
    )
