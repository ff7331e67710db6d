"""What `impactbench run` ends with: the result, what failed, the pages and the next command."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.reading import show

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.study.model import Study


def conclude(study: Study, output_path: str, report: bool) -> None:
    """Show the result in a few lines, and where to go from there."""
    from helm_impactbench.analysis.marked import marked_sentence
    from helm_impactbench.analysis.validation import validation_sentence
    from helm_impactbench.api import load_suite
    from helm_impactbench.llm.batch.deferred_call import judges_deferred
    from helm_impactbench.suites.reading import no_verdict

    suite = load_suite(study.suite, output_path)
    outcomes = suite.reading.outcomes
    if words := no_verdict(outcomes):
        click.echo(f"\n{words}")
        failed = {outcome.unscored for outcome in outcomes if outcome.unscored}
        if failed and "not_judged" not in failed and not judges_deferred():
            click.echo("Repeat the command when the cause is removed: only what failed is asked again.")
            sys.exit(1)
    else:
        show(suite.compare())
    for line in filter(None, (_missing(outcomes), marked_sentence(outcomes), validation_sentence(outcomes))):
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
    return "rates" if len({outcome.model for outcome in outcomes}) > 1 else "rates --by metric"


def _missing(outcomes: Sequence[Outcome]) -> str:
    """Return how many conversations have no score, and why; empty without any."""
    from collections import Counter

    reasons = Counter(outcome.why_missing for outcome in outcomes if outcome.why_missing)
    text = ", ".join(f"{count:,} {str(reason).replace('_', ' ')}" for reason, count in reasons.most_common())
    return f"Without a score: {text}." if text else ""


def _write_report(suite: str, output_path: str) -> None:
    from helm_impactbench.outputs.report.of_suites import write_report
    from helm_impactbench.results.files import suite_folder

    click.echo("Writing the pages ...", err=True)
    began = time.monotonic()
    report = write_report([suite_folder(Path(output_path), suite)], pages="all")
    click.echo(f"Pages: {report.index} ({time.monotonic() - began:.0f} s)")
