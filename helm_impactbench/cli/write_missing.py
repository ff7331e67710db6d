"""What benchmarks of the user's own lack is written before they are run: `impactbench run --author`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.authoring import author_client, report_phase
from helm_impactbench.errors import BenchmarkError, counted
from helm_impactbench.files.resources import USER_BENCHMARKS

if TYPE_CHECKING:
    from helm_impactbench.authoring.slots import ScenarioOptions
    from helm_impactbench.study.model import Study

_SEED = 0
"""As in gen-metrics and gen-scenarios, which continue what is begun here."""


def write_missing(study: Study, local_path: Path, suite_folder: Path, agree: Callable[[str], None]) -> None:
    """Write metrics for a benchmark that has none, and scenarios for metrics that have none; check the result.

    `agree` asks the user before the first call, and does not return when the answer is no. What is spent counts for the
    suite. Raises BenchmarkError when somebody has to write them and the study names no author.
    """
    from helm_impactbench.benchmark.files import load_benchmark, load_draft
    from helm_impactbench.llm.limits.admission import count_for

    drafts = list(_drafts(study))
    if not drafts:
        return
    if study.author is None:
        bare = [folder for folder in drafts if not load_draft(folder)[1]]
        if not bare:  # metrics without scenarios are left out of a run, as in helm-run
            return
        raise BenchmarkError(
            f"{bare[0]} has no scenarios yet, perhaps only a description; add --author, for example --author "
            "litellm/anthropic/claude-sonnet-4-6, to have metrics and scenarios written first"
        )
    for folder in drafts:
        click.echo(_plan(folder, study))
    agree(f"Have {study.author} write them?")
    suite_folder.mkdir(parents=True, exist_ok=True)
    count_for(suite_folder, study.budget_usd)
    for folder in drafts:
        _write(folder, study, study.author, local_path)
        load_benchmark(folder)
        click.echo(f"Checked: impactbench check {folder.name} shows what could be worded better.")


def _drafts(study: Study) -> Iterator[Path]:
    """Yield the folders of the user's own benchmarks that the study means and that lack something."""
    from helm_impactbench.benchmark.files import benchmark_paths, load_draft
    from helm_impactbench.study.model import ALL

    for slug, folder in benchmark_paths([USER_BENCHMARKS]).items():
        if slug in study.benchmarks or (ALL in study.benchmarks and study.author):
            draft, rows = load_draft(folder)
            written = {row.get("metric_id") for row in rows}
            if not draft.metrics or any(metric.id not in written for metric in draft.metrics):
                yield folder


def _plan(folder: Path, study: Study) -> str:
    from helm_impactbench.authoring.levels import combinations
    from helm_impactbench.authoring.phases import metric_plan
    from helm_impactbench.benchmark.files import load_draft

    draft, rows = load_draft(folder)
    plan = metric_plan(folder, study.metrics) if not draft.metrics else None
    bare = plan.wanted if plan else len({metric.id for metric in draft.metrics} - {row["metric_id"] for row in rows})
    bases = bare * study.scenarios_per_metric
    variants = bases * len(combinations(_options(folder, study).axes))
    calls = (plan.fewest_calls if plan else 0) + 2 * (bases + variants)
    first = f"{counted(plan.wanted, 'metric')}, " if plan else ""
    return (
        f"{folder} is to get {first}{counted(bases, 'scenario')} and {counted(variants, 'variant')} first: "
        f"{counted(calls, 'call')} to {study.author} if nothing is refused."
    )


def _options(folder: Path, study: Study) -> ScenarioOptions:
    from helm_impactbench.authoring.slots import ScenarioOptions
    from helm_impactbench.cli.authoring import axes_of

    axes = {axis: list(levels) for axis, levels in study.axes.items()} or axes_of(folder)
    return ScenarioOptions(per_metric=study.scenarios_per_metric, axes=axes)


def _write(folder: Path, study: Study, model: str, local_path: Path) -> None:
    from helm_impactbench.authoring import phases
    from helm_impactbench.benchmark.files import load_draft

    if not load_draft(folder)[0].metrics:
        with author_client(model, folder.name, _SEED, str(local_path)) as author:
            outcome = phases.gen_metrics(folder, study.metrics, author)
        rest = f"impactbench gen-metrics {folder.name} writes the rest; the same command goes on without them"
        report_phase(outcome, "metric", folder, rest if outcome.made else "")
    with author_client(model, folder.name, _SEED, str(local_path)) as author:
        outcome = phases.gen_scenarios(folder, _options(folder, study), author)
    report_phase(outcome, "variant", folder)
