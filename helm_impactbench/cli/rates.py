"""The command `impactbench rates`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import reads_suite, shown_model
from helm_impactbench.cli.tables import figure, print_table, write_rows

if TYPE_CHECKING:
    from helm_impactbench.analysis.rates import ModelScore, Rate
    from helm_impactbench.results.outcome import Outcome

LEVELS = ("overall", "benchmark", "metric")


@click.command("rates")
@reads_suite
@click.option("--by", type=click.Choice(LEVELS), default="benchmark", show_default=True, help="One row per what.")
def rates(outcomes: list[Outcome], out: Path | None, by: str) -> None:
    """Print pass rates with their counts: how many are scored, what is missing and why, how sure each rate is.

    Intervals are 95%: overall for benchmarks like these (two levels) and for these benchmarks, of a benchmark from the
    cluster bootstrap over base scenarios, of a metric Wilson's. "if unscored fail / pass" are the bounds that a rate
    could have had with every verdict. See docs/statistics.md.
    """
    from helm_impactbench.analysis.rates import model_scores

    rows = [row for score in model_scores(outcomes) for row in _rows(score, by)]
    unscored = {reason for row in rows for reason in row["unscored_by_reason"].split("; ") if reason}
    header = ["Model", *(["Scope"] if by != "overall" else []), "Pass rate", "95% interval"]
    header += ["these benchmarks"] if by == "overall" else []
    header += ["scored / all", "if unscored fail", "if unscored pass", "design effect"]
    print_table([*header, *(["unscored"] if unscored else [])], [_cells(row, by, bool(unscored)) for row in rows],
                exchange=False)  # fmt: skip
    write_rows(out, rows)


def _rows(score: ModelScore, by: str) -> Iterator[dict[str, Any]]:
    from helm_impactbench.analysis.rates import Rate, grouped

    if by == "overall":
        yield _row(score.model, "all", score.total, score)
    for slug, rate in score.rates.items():
        if by == "benchmark":
            yield _row(score.model, slug, rate)
        elif by == "metric":
            metrics = grouped(rate.outcomes, lambda outcome: outcome.metric)
            yield from (_row(score.model, metric, Rate(tuple(metrics[metric]))) for metric in sorted(metrics))


def _row(model: str, scope: str, rate: Rate, score: ModelScore | None = None) -> dict[str, Any]:
    interval = score.interval if score else rate.interval
    same = score.same_benchmarks_interval if score else rate.interval
    return {
        "model": model,
        "scope": scope,
        "pass_rate": score.mean if score else rate.value,
        "low": interval.low,
        "high": interval.high,
        "low_these_benchmarks": same.low,
        "high_these_benchmarks": same.high,
        "scored": len(rate.scored),
        "conversations": rate.conversations,
        "worst_case": rate.worst_case,
        "best_case": rate.best_case,
        "design_effect": rate.design_effect,
        "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in sorted(rate.unscored.items())),
    }


def _cells(row: dict[str, Any], by: str, with_reasons: bool) -> Sequence[str]:
    return [
        shown_model(row["model"]),
        *([row["scope"]] if by != "overall" else []),
        figure(row["pass_rate"]),
        _interval(row["low"], row["high"]),
        *([_interval(row["low_these_benchmarks"], row["high_these_benchmarks"])] if by == "overall" else []),
        f"{row['scored']} / {row['conversations']}",
        figure(row["worst_case"]),
        figure(row["best_case"]),
        figure(row["design_effect"], 2),
        *([row["unscored_by_reason"]] if with_reasons else []),
    ]


def _interval(low: float, high: float) -> str:
    from helm_impactbench.stats.intervals import Interval

    return str(Interval(low, high))
