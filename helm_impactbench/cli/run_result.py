"""What `impactbench run` ends with: the result, what failed, the pages and the next command."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.suite import (
    no_verdict,
    say_relatives,
    shown_model,
    shown_reference,
    suite_outcomes,
    suite_references,
)
from helm_impactbench.cli.tables import figure, print_table

if TYPE_CHECKING:
    from helm_impactbench.analysis.gap_comparison import GapComparison
    from helm_impactbench.analysis.rates import ModelScore
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.study.model import Study


def conclude(study: Study, output_path: str, report: bool) -> None:
    """Show the result in a few lines, and where to go from there."""
    from helm_impactbench.analysis.comparison import compare
    from helm_impactbench.analysis.gap_comparison import compare_gaps
    from helm_impactbench.analysis.marked import marked_sentence
    from helm_impactbench.analysis.rates import by_area, model_scores
    from helm_impactbench.cli.compare import print_gap_models
    from helm_impactbench.llm.batch.deferred_call import judges_deferred
    from helm_impactbench.stats.population import DEFAULT, WORDS

    outcomes, bots = suite_outcomes(study.suite, output_path), suite_references(study.suite, output_path)
    if words := no_verdict(outcomes):
        click.echo(f"\n{words}")
        if not judges_deferred() and all(outcome.unscored != "not_judged" for outcome in outcomes):
            click.echo("Repeat the command when the cause is removed: only what failed is asked again.")
            sys.exit(1)
    say_relatives(outcomes)
    gaps = compare_gaps(outcomes)
    if len(gaps) > 1:
        _print_distances(gaps)
    else:
        for one in gaps:
            print_gap_models(one, DEFAULT)
    for area, own in by_area(outcome for outcome in outcomes if outcome.is_level).items():
        found = compare(own)
        rows = [_row(score, _rank(found.ranks.get(score.model)), shown_model) for score in found.scores]
        beside = model_scores(bot for bot in bots if bot.area == area and bot.is_level)
        rows += [_row(score, "-", shown_reference) for score in beside]
        click.echo(f"\nModels, best first ({area}). The mean score is the mean over benchmarks of their pass rates.")
        print_table(("Model", "Mean score", "95% interval", "Rank", "scored / all"), rows)
    click.echo(f"95% intervals are {WORDS[DEFAULT]}.")
    for line in filter(None, (_missing(outcomes), marked_sentence(outcomes))):
        click.echo(line)
    elsewhere = [] if output_path == "benchmark_output" else ["--output-path", output_path]
    option = shlex.join(["--suite", study.suite, *elsewhere])
    if report:
        _write_report(study.suite, output_path)
    else:
        click.echo(f"Pages: impactbench report {option}")
    if judges_deferred() and any(outcome.unscored == "judge_error" for outcome in outcomes):
        click.echo(f"Next: impactbench batch {option} --wait, then the same command again")
        return
    click.echo(f"Next: impactbench {_next(outcomes)} {option}")


def _next(outcomes: Sequence[Outcome]) -> str:
    """Return the command that says more: the contrasts, models beside each other, or one model's metrics."""
    if any(outcome.contrast for outcome in outcomes):
        return "contrasts"
    return "compare" if len({outcome.model for outcome in outcomes}) > 1 else "rates --by metric"


def _row(score: ModelScore, rank: str, shown: Callable[[str], str]) -> tuple[str, ...]:
    scored = f"{len(score.total.scored):,} / {score.total.conversations:,}"
    return shown(score.model), figure(score.mean), str(score.interval), rank, scored


def _print_distances(gaps: Sequence[GapComparison]) -> None:
    """Print how far apart the groups of each benchmark are at most, a column per benchmark: the result comes last."""
    from helm_impactbench.analysis.difference_rows import gap_rows

    found = {one.benchmark: {row["model"]: row["distance"] for row in gap_rows(one)} for one in gaps}
    models = dict.fromkeys(model for own in found.values() for model in own)
    rows = [(shown_model(model), *(figure(own.get(model)) for own in found.values())) for model in models]
    click.echo("\nWidest difference between groups on the same words. 0 is ideal.")
    print_table(("Model", *found), rows)


def _rank(ranks: tuple[int, int] | None) -> str:
    return "-" if ranks is None else str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def _missing(outcomes: Sequence[Outcome]) -> str:
    """Return how many conversations have no score, and why; empty without any."""
    from collections import Counter

    reasons = Counter(outcome.why_missing for outcome in outcomes if outcome.why_missing)
    text = ", ".join(f"{count:,} {str(reason).replace('_', ' ')}" for reason, count in reasons.most_common())
    return f"Without a score: {text}." if text else ""


def _write_report(suite: str, output_path: str) -> None:
    from helm_impactbench.analysis.commands.items import REHEARSAL_ANCHORS
    from helm_impactbench.outputs.report.build import build_report
    from helm_impactbench.results.files import suite_folder

    click.echo("Writing the pages ...", err=True)
    began, place = time.monotonic(), Path(output_path) / "reports" / suite
    build_report(suite_folder(Path(output_path), suite), place, shown_model=shown_model, anchors=REHEARSAL_ANCHORS)
    click.echo(f"Pages: {place / 'index.html'} ({time.monotonic() - began:.0f} s)")
