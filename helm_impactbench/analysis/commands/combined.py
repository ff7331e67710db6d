"""`combined`: impact beside safety and capability, and whether benchmarks measure more than capability."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import Bounds, bounds_row, confidence
from helm_impactbench.analysis.combined.capability import Against, Finding
from helm_impactbench.analysis.combined.combined import Combined, combine
from helm_impactbench.analysis.combined.reasoning import reasoning_shares
from helm_impactbench.analysis.combined.requests import RequestShare, request_shares
from helm_impactbench.analysis.combined.scales import CombinedScale, Score
from helm_impactbench.analysis.latency import latency_tables
from helm_impactbench.analysis.people import people_gaps, people_sentences
from helm_impactbench.errors import ResultsError
from helm_impactbench.results.references import PREFIX
from helm_impactbench.stats.population import Population, interval_of
from helm_impactbench.suites.external.table import people_on
from helm_impactbench.suites.reading import Reading
from helm_impactbench.suites.registry import title_of
from helm_impactbench.tables import Column, Result, Row, Table, columns_of
from helm_impactbench.tables.cells import range_text, value_text
from helm_impactbench.tables.column import any_of, with_cells


class ScoreHead(TypedDict):
    """Whose score it is, on which scale."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    score: Annotated[str, Column("Score", "text", "Benchmark or suite; for a mean, its kind.", "default")]
    kind: Annotated[str, Column("Kind", "text", "impact, safety or capability.")]
    is_mean: Annotated[bool, Column("Mean", "flag", "Whether the score is a mean over benchmarks or suites.")]
    value: Annotated[
        float, Column("Value", "rate", "The score; for contrasts, the distance from no difference.", "default")
    ]


class ScoreRow(ScoreHead, Bounds):
    """One model on one scale."""

    scored: Annotated[int, Column("Scored", "count", "Conversations or answers with a value.", "default")]
    total: Annotated[int, Column("Of all", "count", "All conversations or answers.", "default")]
    unscored_by_reason: Annotated[
        str,
        Column(
            "Without a score",
            "text",
            "Reasons for a missing score, with counts.",
            "default",
            any_of("unscored_by_reason"),
        ),
    ]
    lacks: Annotated[
        str, Column("Lacks", "text", "Benchmarks or suites in the mean on which the model was not run.", "wide")
    ]
    left_out: Annotated[str, Column("Left out", "text", "Metrics whose units cannot be averaged with others.", "wide")]


class RequestRow(TypedDict):
    """A share of a model's answers to harmful or safe requests."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    suite: Annotated[str, Column("Suite", "text", "Whose requests.", "default")]
    figure: Annotated[str, Column("Figure", "text", "attack success, refusal or over-refusal.", "default")]
    factor: Annotated[str, Column("By", "text", "What the requests have in common.", "default", any_of("factor"))]
    level: Annotated[str, Column("Requests", "text", "Their category.", "default", any_of("level"))]
    value: Annotated[float, Column("Share", "rate", "Of the scored answers.", "default", text=lambda row: _share(row))]
    low: Annotated[float | None, Column("Low", "rate", "Lower bound of the 95% confidence interval.")]
    high: Annotated[float | None, Column("High", "rate", "Upper bound of the 95% confidence interval.")]
    scored: Annotated[int, Column("Scored", "count", "Answers with a score.", "default")]
    total: Annotated[int, Column("Of all", "count", "All answers.")]


class ReasoningRow(TypedDict):
    """A share of a model's answers whose steps were judged."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    suite: Annotated[str, Column("Suite", "text", "Whose questions.", "default")]
    figure: Annotated[str, Column("Figure", "text", "steps right; or right answer, wrong steps.", "default")]
    value: Annotated[float, Column("Share", "rate", "Of the scored answers.", "default", text=lambda row: _share(row))]
    low: Annotated[float | None, Column("Low", "rate", "Lower bound of the 95% confidence interval.")]
    high: Annotated[float | None, Column("High", "rate", "Upper bound of the 95% confidence interval.")]
    scored: Annotated[int, Column("Scored", "count", "Answers with a score.", "default")]
    total: Annotated[int, Column("Of all", "count", "All answers.")]


def _share(row: Row) -> str:
    return f"{value_text(row['value'], 'rate')} ({range_text(row['low'], row['high'])})"


def _finding(row: Row) -> str:
    return f"{'! ' * row['flag']}{row['finding']}"


def _interval(row: Row) -> str:
    return range_text(row["low"], row["high"])


class AgainstRow(TypedDict):
    """How a score ranks models, beside how capability does."""

    score: Annotated[str, Column("Score", "text", "Benchmark, suite or mean.", "default")]
    kind: Annotated[str, Column("Kind", "text", "impact or safety.")]
    models: Annotated[
        int, Column("Models", "count", "Models that have both this score and the capability score in full.", "default")
    ]
    rho: Annotated[float | None, Column("rho", "difference", "Spearman's rank correlation with capability.", "default")]
    low: Annotated[float | None, Column("95% CI", "number", "Lower end of rho's 95% CI.", "default", text=_interval)]
    high: Annotated[float | None, Column("High", "number", "Upper end of rho's 95% CI.")]
    p: Annotated[float | None, Column("p", "p", "p value of the test for a correlation.")]
    adjusted_p: Annotated[float | None, Column("Adjusted p", "p", "p value, corrected for all scores.", "wide")]
    flag: Annotated[bool, Column("Flag", "flag", "Whether the finding is a warning.")]
    finding: Annotated[str, Column("Finding", "text", "What the correlation says.", "default", text=_finding)]
    reason: Annotated[str, Column("Reason", "text", "Reason for the finding.")]


def combined(reading: Reading) -> Result:
    """Return impact, safety and capability of a suite's models, and each score against capability.

    Raises ResultsError where the suite has runs of impact alone.
    """
    scores = combine(reading.outcomes, title_of)
    if set(scores.overall) <= {"impact"}:
        name, models = reading.folder.name, sorted({outcome.model for outcome in reading.outcomes})
        conf = "combined-rehearsal.conf" if all(model.startswith(PREFIX) for model in models) else "combined.conf"
        raise ResultsError(
            f"Suite {name} has no finished run of a safety or capability suite to compare with impact. Fetch their "
            f"data (impactbench fetch combined), and run some into this suite: helm-run --suite {name} -m 20 "
            f'--conf-paths "$(impactbench list --path run_entries/{conf})" --models-to-run {" ".join(models)}'
        )
    population = reading.population
    refusal = [scale for scale in (scores.harm_avoided, scores.helpfulness) if scale is not None]
    every = [*scores.overall.values(), *scores.scales, *refusal]
    rows = [row for scale in every for row in score_rows(scale)]
    columns = with_cells(columns_of(ScoreRow), value=confidence(population))
    tables = (
        _matrix("means", scores.overall.values(), scores, population, "Mean scores (95% CI)"),
        *([_matrix("refusal", refusal, scores, population, "Refusing harm, and still helping")] * (len(refusal) == 2)),
        Table("scores", columns, rows, "Every score", "wide"),
        *_request_tables(reading),
        *_reasoning_tables(reading),
        *latency_tables(reading.outcomes),
        Table.of("against_capability", AgainstRow, [against_row(one) for one in scores.against], AGAINST),
    )
    first = people_sentences(people_gaps(reading.outcomes))
    return Result(tables, tuple(_notes(scores)), tuple(_details(scores)), first=first)


REQUESTS = "Attack success and refusal of harmful requests, refusal of safe ones (95% CI)"


def _request_tables(reading: Reading) -> tuple[Table, ...]:
    """Return the shares of all requests, and those by category."""
    rows = [request_row(share) for share in request_shares(reading.outcomes) if share.rate.scored]
    whole = [row for row in rows if not row["factor"]]
    apart = [row for row in rows if row["factor"]]
    return (
        *((Table.of("requests", RequestRow, whole, REQUESTS),) if whole else ()),
        *((Table.of("requests_by_category", RequestRow, apart, f"{REQUESTS}, by category", "wide"),) if apart else ()),
    )


REASONING = "Is the reasoning right? Shares of the answers whose steps were judged (95% CI)"


def _reasoning_tables(reading: Reading) -> tuple[Table, ...]:
    rows: list[ReasoningRow] = [
        {
            "model": share.model,
            "suite": title_of(share.benchmark).name,
            "figure": share.kind,
            "value": share.rate.value,
            "low": share.rate.interval.low,
            "high": share.rate.interval.high,
            "scored": len(share.rate.scored),
            "total": share.rate.conversations,
        }
        for share in reasoning_shares(reading.outcomes)
        if share.rate.scored
    ]
    return (Table.of("reasoning", ReasoningRow, rows, REASONING),) if rows else ()


def request_row(share: RequestShare) -> RequestRow:
    """Return a share with its interval."""
    return {
        "model": share.model,
        "suite": title_of(share.benchmark).name,
        "figure": share.kind,
        "factor": share.factor,
        "level": share.level,
        "value": share.rate.value,
        "low": share.rate.interval.low,
        "high": share.rate.interval.high,
        "scored": len(share.rate.scored),
        "total": share.rate.conversations,
    }


AGAINST = "More than capability? Rank correlation (Spearman) with the capability score, over models"


def score_rows(scale: CombinedScale) -> Iterator[ScoreRow]:
    """Yield a row per model."""
    for model, score in scale.scores.items():
        yield {
            "model": model,
            "score": scale.key,
            "kind": scale.kind,
            "is_mean": bool(scale.parts),
            "value": score.estimate.mean,
            **bounds_row(score),
            "scored": score.scored,
            "total": score.total,
            "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in sorted(score.unscored.items())),
            "lacks": "; ".join(score.missing),
            "left_out": "; ".join(score.left_out),
        }


def against_row(against: Against) -> AgainstRow:
    """Return a score's rank correlation with capability."""
    rho = against.correlation
    return {
        "score": against.scale.key,
        "kind": against.scale.kind,
        "models": len(against.models),
        "rho": rho.value if rho else None,
        "low": rho.interval.low if rho else None,
        "high": rho.interval.high if rho else None,
        "p": rho.p_value if rho else None,
        "adjusted_p": against.adjusted_p_value if rho else None,
        "flag": against.finding.is_flag,
        "finding": against.finding.value,
        "reason": against.reason,
    }


def _matrix(name: str, scales: Iterable[CombinedScale], scores: Combined, population: Population, title: str) -> Table:
    """Return a row per model and a column per scale."""
    shown = list(scales)
    rows: list[Row] = [
        {"model": model, **{scale.key: _cell(scale.scores.get(model), population) for scale in shown}}
        for model in scores.models
    ]
    columns = [Column(scale.name, "text", "Score.", "default", key=scale.key) for scale in shown]
    head = Column("Model", "model", "Deployment of the target.", "default", key="model")
    return Table(name, (head, *columns), rows, title, in_files=False)


def _cell(score: Score | None, population: Population) -> str:
    if score is None:
        return "not run"
    if not score.estimate.units:
        return "none scored"
    return f"{value_text(score.estimate.mean, 'rate')}{'*' * bool(score.missing)} ({interval_of(score, population)})"


def _notes(scores: Combined) -> Iterator[str]:
    for model in scores.models:
        if lacking := scores.lacks(model):
            yield f"* {model} lacks: {', '.join(lacking)}. Its starred means are not compared."
    for scale in scores.scales:
        if people := people_on(scale.key):
            yield f"People on {scale.name}: {people}."
        if apart := sorted({metric for score in scale.scores.values() for metric in score.left_out}):
            yield f"{scale.name} is without {', '.join(apart)}: their units have no mean with other metrics."
    if not scores.against:
        yield "No run of a capability suite, so benchmarks cannot be compared with capability."
    yield from _reasons([one for one in scores.against if _is_told_first(one)])


def _is_told_first(against: Against) -> bool:
    return against.finding.is_flag or against.finding is Finding.TOO_FEW


def _details(scores: Combined) -> Iterator[str]:
    yield from _reasons([one for one in scores.against if not _is_told_first(one)])
    if scores.against:
        yield (
            "A flag (!) says how scores rank models, not why. The absence of a flag proves nothing, unless the table "
            "says so."
        )


def _reasons(against: Sequence[Against]) -> Iterator[str]:
    """Yield an example of each finding."""
    for finding in dict.fromkeys(one.finding for one in against):
        yield f"{finding.value}: {next(one for one in against if one.finding is finding).reason}."
