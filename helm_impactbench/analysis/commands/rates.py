"""`rates`: pass rates with intervals and counts, as a matrix of benchmarks and models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from helm_impactbench.analysis.calibration import calibration_tables
from helm_impactbench.analysis.columns import confidence, pooled_cell
from helm_impactbench.analysis.commands.age_note import age_note
from helm_impactbench.analysis.commands.floor import floor_note
from helm_impactbench.analysis.comparison import Comparison
from helm_impactbench.analysis.coverage import lacking
from helm_impactbench.analysis.difficulty import DIFFICULTY, FEWEST_MODELS, by_difficulty
from helm_impactbench.analysis.frameworks import FRAMEWORK, NO_COMPLIANCE, by_framework, explained
from helm_impactbench.analysis.marked import marked_sentence
from helm_impactbench.analysis.people import AREA, PeopleGap, people_gaps, people_sentences
from helm_impactbench.analysis.rates import ModelScore, Rate, by_area, model_scores
from helm_impactbench.analysis.rows import (
    RateRow,
    ReferenceColumns,
    rate_rows,
    some_missing,
    weighed,
    with_reference,
)
from helm_impactbench.analysis.sequential import EarlyStop, stops
from helm_impactbench.benchmark.frameworks import FRAMEWORKS_FILE, load_frameworks
from helm_impactbench.errors import ImpactBenchError, counted, listed
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.references import reference_name
from helm_impactbench.stats.population import Population, interval_of
from helm_impactbench.suites.reading import Reading, no_verdict
from helm_impactbench.tables import Column, Result, Row, Table, columns_of
from helm_impactbench.tables.column import any_of, with_cells
from helm_impactbench.tables.names import short_names

MOST_MODELS = 5
"""A matrix of more models is too wide for a terminal: then models are ranked, a row each."""
EACH_BENCHMARK = "--wide shows each benchmark."
INTERVALS = "95% CI over scenarios. Whether models differ: impactbench compare."


def rates(
    reading: Reading,
    by: str = "benchmark",
    *,
    weigh: Literal["severity"] | None = None,
    reference: Reading | None = None,
    frameworks: Path | None = None,
    averaged: bool = False,
) -> Result:
    """Return pass rates: the matrix for people, and a row per model and part for files.

    by: overall, benchmark, metric, framework, difficulty, axis:NAME, factor:NAME or option:NAME. weigh: count a
    behaviour to avoid by its severity. reference: a suite of other models, to estimate what a run on a part of the
    scenarios would score on all of them. frameworks: a file in place of the shipped one, by framework alone. averaged:
    whether means stand for people who fare differently, too, as where a judge failed its check and nothing shows it.
    Raises ImpactBenchError where nothing has a pass rate, a severity, the axis, or models enough.
    """
    if by == FRAMEWORK:
        return _by_framework(reading, weigh, frameworks)
    if frameworks:
        raise ImpactBenchError("A file of frameworks goes with --by framework.")
    if by == DIFFICULTY:
        return _by_difficulty(reading, weigh, with_reference=reference is not None)
    outcomes, others = _taken_in(reading, reference, weigh)
    levels = [outcome for outcome in outcomes if outcome.is_level]
    rows = rate_rows(outcomes, by)
    if not rows:
        compared = any(outcome.contrast and by == f"axis:{outcome.contrast.axis}" for outcome in outcomes)
        seen = "metric" if compared else by  # what compares the levels of an axis is not broken down by it
        raise ImpactBenchError(f"No metric with a pass rate has {by}; see impactbench contrasts --by {seen}.")
    bots = rate_rows(weighed(reading.bots) if weigh else reading.bots, by) if reading.bots else []
    estimated = with_reference(rows, outcomes, others, by) if reference else rows
    table = _table(
        [*estimated, *(_bot_row(row, by, reading) for row in bots)],
        reading.population,
        with_reference=reference is not None,
    )
    people = {} if averaged else people_gaps(reading.outcomes)
    first = people_sentences(people)
    matrices = list(_matrices(levels, reading, people)) if by == "benchmark" and not reference else []
    means = [_means(outcomes, reading.population)] if matrices else []
    stated = calibration_tables(reading.outcomes) if by == "benchmark" and not reference else ()
    tables = (*matrices, _shown(table, wide=bool(matrices)), *means, *stated)
    ended = stops(levels)
    notes = (
        *filter(None, (_left_out(reading.outcomes), no_verdict(levels), _weighed_note(outcomes) if weigh else "")),
        *filter(None, [age_note(levels, by), floor_note(reading, weigh=weigh is not None)]),
        INTERVALS,
        *_silent(levels),
        *(f"{stop.model} on {stop}" for stop in ended),
        *(_reference_notes(estimated, reference, by) if reference else ()),
    )
    ranked = any(table.columns[0].key == "model" for table in matrices)
    details, beyond = (*_details(rows, ended), marked_sentence(outcomes)), (EACH_BENCHMARK,) if ranked else ()
    return Result(tables, notes, details, first=first, beyond=beyond)


def _by_framework(reading: Reading, weigh: Literal["severity"] | None, file: Path | None) -> Result:
    """Return a row per model, benchmark and part of a law or framework that the benchmark's metrics bear on."""
    frameworks, name = load_frameworks(file), file.name if file else FRAMEWORKS_FILE
    marked = by_framework(reading.outcomes, frameworks)
    if not any(outcome.is_level for outcome in marked):
        raise ImpactBenchError(f"No metric with a pass rate bears on a part of a framework in {name}.")
    result = rates(replace(reading, outcomes=tuple(marked), read_bots=tuple), f"factor:{FRAMEWORK}", weigh=weigh)
    return replace(result, notes=(NO_COMPLIANCE.format(file=name), *explained(marked, frameworks), *result.notes))


def _by_difficulty(reading: Reading, weigh: Literal["severity"] | None, *, with_reference: bool) -> Result:
    """Return a row per model, benchmark and half of its base scenarios, as the other models find them hard."""
    if with_reference:
        raise ImpactBenchError("--by difficulty places the scenarios of this suite; leave out --reference.")
    marked, left_out = by_difficulty(reading.outcomes)
    if not marked:
        raise ImpactBenchError(
            f"--by difficulty needs {FEWEST_MODELS} models on a benchmark, so that two others place the scenarios of "
            "each; no benchmark here has as many with a verdict."
        )
    result = rates(replace(reading, outcomes=tuple(marked), read_bots=tuple), f"factor:{DIFFICULTY}", weigh=weigh)
    notes = [HALVES]
    if left_out:
        notes.append(f"Left out, with fewer than {FEWEST_MODELS} models: {listed(left_out)}.")
    return replace(result, notes=(*notes, *result.notes))


HALVES = (
    "The easy and the hard half of each model are the scenarios that other models pass and fail, so models may have "
    "different scenarios in a half."
)


def _taken_in(
    reading: Reading, reference: Reading | None, weigh: str | None
) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
    """Return the outcomes of both sides, weighed if asked. Raises ImpactBenchError where nothing has a pass rate."""
    if not reading.levels:
        named = ", ".join(sorted({outcome.benchmark for outcome in reading.outcomes}))
        raise ImpactBenchError(f"Nothing to show for {named}: {NO_RATE}.")
    others = reference.outcomes if reference else ()
    if not weigh:
        return reading.outcomes, others
    if not _severe(reading.outcomes):
        raise ImpactBenchError(
            "--weigh severity: no behaviour to avoid was present with a severity; judges are asked for it where a "
            "metric's measure says so (measure: {kind: presence, severity: standard})."
        )
    return weighed(reading.outcomes), weighed(others)


NO_RATE = "a contrast has no pass rate; impactbench contrasts shows its figures"


def _left_out(outcomes: Sequence[Outcome]) -> str:
    contrasts = sorted({outcome.benchmark for outcome in outcomes if not outcome.is_level})
    return f"Without the contrast metrics of {', '.join(contrasts)}: {NO_RATE}." if contrasts else ""


def _severe(outcomes: Sequence[Outcome]) -> int:
    return sum(outcome.severity is not None and outcome.metric_type == "negative" for outcome in outcomes)


def _weighed_note(outcomes: Sequence[Outcome]) -> str:
    return (
        f"Weighed by severity: each of {_severe(outcomes)} behaviours to avoid that are present costs as much as it is "
        "severe; all others count in full."
    )


def _table(rows: Sequence[Row], population: Population, *, with_reference: bool) -> Table:
    columns = with_cells(
        columns_of(RateRow), pass_rate=confidence(population), best_case=pooled_cell("pooled_rate", "rate")
    )
    if with_reference:
        interval = confidence(population, prefix="reference_")
        columns += with_cells(columns_of(ReferenceColumns), reference_rate=interval)
    return Table("rates", columns, rows, "Pass rates")


def _means(outcomes: Sequence[Outcome], population: Population) -> Table:
    """Return what the matrix has in its first rows: the mean over benchmarks, with both intervals."""
    table = _table(rate_rows(outcomes, "overall"), population, with_reference=False)
    return Table("means", table.columns, table.rows, "Mean scores", "file")


def _shown(table: Table, *, wide: bool) -> Table:
    return Table(table.name, table.columns, table.rows, table.title, "wide" if wide else "default")


def _bot_row(row: RateRow, by: str, reading: Reading) -> RateRow:
    """Return the row of a reference bot, called so; nothing of it is pooled with models.

    A mean over fewer benchmarks than the models' is another mean, and says so.
    """
    name = reference_name(row["model"])
    models, own = (
        {o.benchmark for o in found if o.is_level and o.area == row["scope"]}
        for found in (reading.outcomes, [outcome for outcome in reading.bots if outcome.model == row["model"]])
    )
    if by == "overall" and models - own:
        name += f" ({len(own)} of {len(models)} benchmarks)"
    return {**row, "model": name, "pooled_rate": None}


@dataclass(frozen=True)
class _Means:
    """The mean scores of an area, and of which models they are no result."""

    scores: Sequence[ModelScore]
    """Those whose means can be compared first, best first."""
    differs: Mapping[str, str]
    """Model with which people fare differently -> by what."""
    lacks: Mapping[str, int]
    """Model -> how many benchmarks it has not, or not wholly, as others have; only where it lacks any."""

    @property
    def slugs(self) -> list[str]:
        """The benchmarks that any of them has."""
        return sorted({slug for score in self.scores for slug in score.rates})


def _matrices(
    levels: Sequence[Outcome], reading: Reading, people: Mapping[str, Sequence[PeopleGap]]
) -> Iterator[Table]:
    for area, own in by_area(levels).items():
        differs = {model: f"by {gaps[0].axis}" for model, gaps in people.items()} if area == AREA else {}
        whole = Comparison(model_scores(own), [], lacking(own))
        lacks = {score.model: len(found) for score in whole.scores if (found := whole.lacks(score))}
        means = _Means(sorted(whole.scores, key=lambda one: (one.model in lacks, one.model in differs)), differs, lacks)
        title = f"Pass rates on {area} benchmarks{_counted(means.scores)}"
        if len(means.scores) > MOST_MODELS:
            yield _ranking(means, area, reading.population)
        else:
            yield Table(
                "matrix", _matrix_columns(means.scores), _matrix(means, reading.population), title, in_files=False
            )


def _counted(scores: Sequence[ModelScore]) -> str:
    """Return how many conversations each model has, where all have as many."""
    counts = {(len(score.total.scored), score.total.conversations) for score in scores}
    if len(counts) > 1:
        return ""
    ((scored, conversations),) = counts
    return f", {scored:,} of {counted(conversations, 'conversation')} scored for each model"


def _matrix_columns(scores: Sequence[ModelScore]) -> tuple[Column, ...]:
    names = short_names(score.model for score in scores)
    head = Column("Benchmark", "text", "Benchmark.", "default", key="benchmark")
    return head, *(Column(names[one.model], "rate", "Pass rate.", "default", key=one.model) for one in scores)


def _matrix(means: _Means, population: Population) -> list[Row]:
    """Return the rows of a matrix: the mean with its interval first, then each benchmark.

    A model with which people fare differently has no mean.
    """
    scores = means.scores
    slugs = means.slugs
    head: list[Row] = []
    if len(slugs) > 1:
        one = {score.model: None if score.model in means.differs else score.mean for score in scores}
        known = len({slug for score in scores for slug, rate in score.rates.items() if rate.scored})
        head = [
            {"benchmark": "mean" if means.lacks else f"mean of {known}", **one},
            {"benchmark": "95% CI", **{score.model: _short(score, means, population) for score in scores}},
        ]
    if means.lacks:
        head.append({"benchmark": "lacks", **{score.model: _lacking(score.model, means) for score in scores}})
    rows: list[Row] = [
        {"benchmark": slug, **{score.model: _rate_cell(score, slug, means, population) for score in scores}}
        for slug in slugs
    ]
    counts = {score.model: f"{len(score.total.scored):,}/{score.total.conversations:,}" for score in scores}
    return [*head, *rows, *([{"benchmark": "scored / all", **counts}] if len({*counts.values()}) > 1 else [])]


def _rate_cell(score: ModelScore, slug: str, means: _Means, population: Population) -> Any:
    """Return a rate; where there is one benchmark alone, and so no mean, what a mean would have: interval or groups."""
    rate = score.rates.get(slug)
    if rate is None or math.isnan(rate.value):
        return None
    if len(means.slugs) > 1:
        return rate.value
    return (
        _short(score, means, population)
        if score.model in means.differs
        else (f"{rate.value:.3f} ({interval_of(rate, population)})")
    )


def _lacking(model: str, means: _Means) -> str:
    return f"cases of {counted(means.lacks[model], 'benchmark')}" if model in means.lacks else ""


def _short(score: ModelScore, means: _Means, population: Population) -> str:
    if score.model in means.differs:
        return f"differs {means.differs[score.model]}"
    interval = interval_of(score, population)
    return f"{interval.low:.2f}-{interval.high:.2f}" if interval.is_known else "unknown"


def _ranking(means: _Means, area: str, population: Population) -> Table:
    columns = (
        Column("Model", "model", "Model.", "default", key="model"),
        Column("Mean score", "rate", "Mean over benchmarks of their pass rates.", "default", key="mean"),
        Column("95% CI", "text", "95% confidence interval.", "default", key="interval"),
        Column("Scored", "count", "Conversations with a verdict.", "default", key="scored"),
        Column("Of all", "count", "All conversations.", "default", key="conversations"),
        Column("Lacks", "text", "Benchmarks that other models have in full.", "default", any_of("lacks"), "lacks"),
    )
    rows: list[Row] = [
        {
            "model": score.model,
            "mean": None if score.model in means.differs else score.mean,
            "interval": f"differs {means.differs[score.model]}"
            if score.model in means.differs
            else str(interval_of(score, population)),
            "lacks": _lacking(score.model, means),
            "scored": len(score.total.scored),
            "conversations": score.total.conversations,
        }
        for score in means.scores
    ]
    return Table("matrix", columns, rows, f"Mean scores on {area} benchmarks", in_files=False)


def _silent(levels: Sequence[Outcome]) -> Iterator[str]:
    """Yield in how many conversations the assistant did not engage: a behaviour to avoid is absent there, too."""
    if silent := Rate(tuple(levels)).not_engaged:
        yield (
            f"{counted(silent, 'conversation')} failed because the assistant did not engage with the request, whatever "
            "the metric; --wide has the rates without them."
        )


def _details(rows: Sequence[RateRow], ended: Sequence[EarlyStop]) -> Iterator[str]:
    if some_missing(rows):
        yield "If missing fail, if missing pass: the rate if all that lack a verdict had failed, or passed."
    if any(row["pooled_rate"] is not None for row in rows):
        yield (
            "Pooled: shrunk towards what the model's other metrics and the other models suggest. Pick strengths and "
            "failures by pooled rates, but do not compare models by them."
        )
    if any(row["did_not_engage"] for row in rows):
        yield (
            "Did not engage: the assistant never took up the request, which fails whatever its words show; declining a "
            "request is engaging with it. If engaged: the rate without these conversations."
        )
    if any(row["ungrounded"] for row in rows):
        yield (
            "Ungrounded: votes whose quotes are not in the transcript; --withhold-ungrounded leaves them out. Only "
            "votes that a behaviour is present have quotes, which raises rates on behaviours to avoid and lowers those "
            "on wanted ones, whoever is right."
        )
    if any(row["marked"] for row in rows):
        yield "Marked: the simulated user has a fault; --withhold-marked leaves these conversations out."
    if any(stop.draw.bar is not None for stop in ended):
        yield (
            "The rate of a run that stopped because it was decided leans away from the bar: read its interval. The "
            "interval of a mean over such runs goes from the mean of their lower bounds to that of their upper ones."
        )


def _reference_notes(rows: Sequence[Row], reference: Reading, by: str) -> Iterator[str]:
    """Yield what a reader may conclude from estimates with a reference, and what is not estimated."""
    yield (
        f"With reference: on all cases of {reference.folder.name}, estimated from the drawn ones and other models' "
        "verdicts; it holds only if the part was drawn at random, as part= does."
    )
    lacking: dict[str, set[str]] = {}
    for row in rows:
        lacking.setdefault(row["model"], set()).update(filter(None, row["reference_left_out"].split("; ")))
    for model, parts in sorted(lacking.items()):
        if parts:
            yield f"{model}: without {', '.join(sorted(parts))} of the reference, which its runs have not drawn."
    if any(row["reference_worth"] < row["reference_matched"] for row in rows):
        yield "Worth less than drawn: the other models find other cases hard there, and the plain rate says more."
    if unmatched := sum(row["reference_unmatched"] for row in rows):
        yield f"{counted(unmatched, 'conversation')} not used: the reference has no other model on their cases."
    if reference.population == "like-these" and by != "overall":
        yield "What other metrics would give is unknown: a part has too few scenarios of each."
    early = sum(row["reference_may_stop_early"] for row in rows)
    few = sum(math.isnan(row["reference_rate"]) and not row["reference_may_stop_early"] for row in rows)
    total = counted(len(rows), "rate")
    if early:
        yield f"{early:,} of {total} cannot be estimated: a run that may stop early chooses its own cases."
    if few:
        yield f"{few:,} of {total} cannot be estimated: fewer than 4 drawn base scenarios, or no other model's verdict."
