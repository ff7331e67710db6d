"""The command `impactbench explain`: one conversation on one screen, to see whose fault a failed verdict is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.reading import show

if TYPE_CHECKING:
    from helm_impactbench.cli.explain_find import Found
    from helm_impactbench.cli.explain_view import Explained
    from helm_impactbench.suites.registry import SuiteRun


@click.command("explain")
@options.suite(several=True)
@options.output_path
@options.benchmark
@options.metric
@options.model
@options.release()
@options.baseline_model
@options.out(".json", ".md", ".csv")
@options.wide
@click.argument("case", required=False)
def explain(
    suites: tuple[str, ...],
    output_path: str,
    benchmarks: tuple[str, ...],
    metrics: tuple[str, ...],
    models: tuple[str, ...],
    releases: tuple[str, ...],
    baseline_model: str | None,
    out: Path | None,
    wide: bool,
    case: str | None,
) -> None:
    """Show on one screen how a conversation came to its verdict.

    \b
      impactbench explain --suite impact
      impactbench explain --suite impact prosocial/m01_s002_v01
      impactbench explain --suite impact --release v1 --release v2
      impactbench explain --suite impact --suite rejudged prosocial/m01_s002_v01

    CASE is benchmark/id, as the report and helm-server show it, or the address of a conversation's page. Without CASE,
    conversations that failed or have no verdict are grouped by what to look at first. --wide lists each conversation.
    With two releases, or two suites, the command lists the base scenarios that turned from pass to fail. Metrics whose
    pass rate fell furthest come first.

    With CASE, the screen shows what the simulated user was told and what was said, with judges' quotes marked. It also
    shows the answers of each judge and check. At the end, it shows how the case went in other samples, replicates,
    models and suites, including rejudged ones.

    The "First guess" is based on recorded facts, such as a missing verdict, an invented quote, or disagreeing judges.
    It says where to look first, not who is right. Messages are shortened on the screen; --out writes them in full.
    """
    from helm_impactbench.api import load_suites
    from helm_impactbench.cli.suite import suite_conversations
    from helm_impactbench.errors import ImpactBenchError

    suite, *others = suites
    if baseline_model and (case is not None or len({*suites}) + (len(releases) > 1) < 2):
        raise ImpactBenchError("--baseline-model is for two suites or releases: it names the model of the first.")
    if case is not None:
        runs = suite_conversations(suite, output_path, benchmarks, releases=releases)
        _show(suite, case, runs, others, output_path, metrics, models, out)
        return
    if len(others) > 1:
        raise ImpactBenchError("More than two suites are for one CASE; name it, or give two to list what turned.")
    opened = load_suites(suites, output_path, benchmarks=benchmarks, metrics=metrics, models=models, releases=releases)
    baseline = opened[0] if len(opened) > 1 else None
    show(opened[-1].explain(baseline, baseline_model=baseline_model), out, wide=wide)


def _all(runs: Sequence[SuiteRun]) -> list[Found]:
    return [(one.run, outcome, place) for one in runs for place, outcome in one.placed()]


def _of_metrics(found: Sequence[Found], metrics: tuple[str, ...]) -> list[Found]:
    from helm_impactbench.suites.reading import of_metrics

    kept = set(map(id, of_metrics([outcome for _, outcome, _ in found], metrics)))
    return [one for one in found if id(one[1]) in kept]


def _show(
    suite: str,
    case: str,
    runs: Sequence[SuiteRun],
    others: Sequence[str],
    output_path: str,
    metrics: tuple[str, ...],
    models: tuple[str, ...],
    out: Path | None,
) -> None:
    from helm_impactbench.cli.explain_find import conversation_meant
    from helm_impactbench.cli.explain_screen import print_explained, write_explained
    from helm_impactbench.outputs.render.files import check_ending
    from helm_impactbench.results.files import check_known

    if out:
        check_ending(out, (".json", ".md"))
    check_known("model", models, {one.run.model for one in runs}, suite)
    everything = _all(runs)
    chosen = [one for one in _of_metrics(everything, metrics) if not models or one[1].model in models]
    found = _explained(suite, conversation_meant(case, suite, chosen), everything, others, output_path)
    print_explained(found)
    if out:
        write_explained(out, found)


def _explained(
    suite: str, meant: Found, everything: Sequence[Found], others: Sequence[str], output_path: str
) -> Explained:
    from helm_impactbench.analysis.doubts import Doubt, first_guess, record_doubts
    from helm_impactbench.analysis.reruns import other_models, reruns
    from helm_impactbench.cli.explain_find import record_at, short_address
    from helm_impactbench.cli.explain_view import Explained
    from helm_impactbench.cli.suite import suite_conversations
    from helm_impactbench.results.verdict_words import verdict

    run, outcome, place = meant
    record = record_at(run, place)
    elsewhere = {name: _all(suite_conversations(name, output_path)) for name in others}
    own = [one for _, one, _ in everything]
    again = reruns(
        outcome, suite, {suite: own, **{name: [one for _, one, _ in all_] for name, all_ in elsewhere.items()}}
    )
    met = {id(rerun.outcome) for rerun in again}
    same = {
        name
        for name, all_ in elsewhere.items()
        for other_run, other, other_place in all_
        if id(other) in met and record_at(other_run, other_place).conversation.turns == record.conversation.turns
    }
    moved = [
        Doubt("judges", f"in suite {rerun.suite} the same conversation is {verdict(rerun.outcome).replace('_', ' ')}")
        for rerun in again
        if rerun.suite in same and (rerun.outcome.status, rerun.outcome.value) != (outcome.status, outcome.value)
    ]
    doubts = [*record_doubts(record, outcome), *moved]
    return Explained(
        suite=suite,
        address=short_address(outcome),
        record=record,
        outcome=outcome,
        guess=first_guess(record, doubts),
        doubts=tuple(doubts),
        reruns=tuple(again),
        same=frozenset(same),
        others=tuple(other_models(outcome, own)),
    )
