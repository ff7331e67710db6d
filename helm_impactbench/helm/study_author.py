"""What benchmarks of the user's own lack is written before they are run, by the author that a study names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from helm_impactbench.authoring import phases
from helm_impactbench.authoring.author_client import AuthorClient, PhaseResult
from helm_impactbench.authoring.levels import combinations, usual_axes
from helm_impactbench.authoring.shortfall import phase_lines, shortfall
from helm_impactbench.authoring.slots import ScenarioOptions
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark, load_draft
from helm_impactbench.errors import BenchmarkError, counted
from helm_impactbench.files.resources import USER_BENCHMARKS
from helm_impactbench.llm.credentials import Credentials
from helm_impactbench.llm.limits.admission import count_for
from helm_impactbench.study.model import ALL, Study
from helm_impactbench.study.watcher import AuthorProgress, Watcher
from helm_impactbench.tables.names import scripted_author_note

_SEED = 0
"""As in gen-metrics and gen-scenarios, which continue what is begun here."""


def open_author(model: str, slug: str, seed: int, local_path: Path, show: AuthorProgress) -> AuthorClient:
    """Return the client of an author model, ready for calls. Raises ModelError. show: told of each finished call."""
    from helm_impactbench.helm.preflight import check_deployment, resolve_deployment  # HELM takes seconds to import
    from helm_impactbench.helm.session import open_caller

    caller = open_caller(local_path)
    deployment = resolve_deployment(model, "author")
    check_deployment(deployment, "author", Credentials(local_path))
    return AuthorClient(caller, deployment, slug, seed, show)


def write_missing(study: Study, local_path: Path, suite_folder: Path, watcher: Watcher) -> None:
    """Write metrics for a benchmark that has none, and scenarios for metrics that have none; check the result.

    The watcher is asked before the first call. What is spent counts for the suite. Raises BenchmarkError when somebody
    has to write them and the study names no author, or when the author leaves something out.
    """
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
    for line in writing_plan(study):
        watcher.say(line)
    watcher.agree(f"Have {study.author} write them?")
    suite_folder.mkdir(parents=True, exist_ok=True)
    count_for(suite_folder, study.budget_usd)
    for folder in drafts:
        _write(folder, study, study.author, local_path, watcher)
        load_benchmark(folder)
        watcher.say(f"Checked: impactbench check {folder.name} shows what could be worded better.")


def writing_plan(study: Study) -> list[str]:
    """Return a line per benchmark of the user's own that the study's author would have to write for first."""
    planned = [_plan(folder, study) for folder in _drafts(study)] if study.author else []
    note = scripted_author_note(study.author) if planned and study.author else ""
    return [*planned, note] if note else planned


def _drafts(study: Study) -> Iterator[Path]:
    """Yield the folders of the user's own benchmarks that the study means and that lack something."""
    for slug, folder in benchmark_paths([USER_BENCHMARKS]).items():
        if slug in study.benchmarks or (ALL in study.benchmarks and study.author):
            draft, rows = load_draft(folder)
            written = {row.get("metric_id") for row in rows}
            if not draft.metrics or any(metric.id not in written for metric in draft.metrics):
                yield folder


def _plan(folder: Path, study: Study) -> str:
    draft, rows = load_draft(folder)
    plan = phases.metric_plan(folder, study.metrics) if not draft.metrics else None
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
    axes = {axis: list(levels) for axis, levels in study.axes.items()} or usual_axes(folder)
    return ScenarioOptions(per_metric=study.scenarios_per_metric, axes=axes)


def _write(folder: Path, study: Study, model: str, local_path: Path, watcher: Watcher) -> None:
    if not load_draft(folder)[0].metrics:
        with watcher.writing() as show:
            author = open_author(model, folder.name, _SEED, local_path, show)
            metrics = phases.gen_metrics(folder, study.metrics, author)
        rest = f"impactbench gen-metrics {folder.name} writes the rest; the same command goes on without them"
        _check(metrics, "metric", folder, watcher, rest if metrics.made else "")
    with watcher.writing() as show:
        author = open_author(model, folder.name, _SEED, local_path, show)
        variants = phases.gen_scenarios(folder, _options(folder, study), author)
    _check(variants, "variant", folder, watcher)


def _check(phase: PhaseResult, what: str, folder: Path, watcher: Watcher, remedy: str = "") -> None:
    """Tell how a phase ended. Raises BenchmarkError where something is missing."""
    for line in phase_lines(phase, what, folder):
        watcher.say(line)
    if missing := shortfall(phase, what, remedy):
        raise BenchmarkError("\n".join(missing).strip())
