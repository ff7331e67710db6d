"""All that can run, or be read, in a folder of runs. Shared code iterates over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ResultsError, counted, listed
from helm_impactbench.process.collector import collector_off
from helm_impactbench.results.files import (
    SPEC_FILE,
    RunFolder,
    check_known,
    no_finished_run,
    of_releases,
    targets_apart,
)
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.references import DEPLOYMENTS as BOT_DEPLOYMENTS
from helm_impactbench.results.references import references
from helm_impactbench.results.repeats import Repeats, repeats, repeats_line
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.suites.base import RunKind
from helm_impactbench.suites.external.suite import External
from helm_impactbench.suites.impact import Impact
from helm_impactbench.suites.panels.suite import Panels
from helm_impactbench.suites.planned_prompts import PlannedPrompts
from helm_impactbench.suites.title import Title

SUITES: tuple[RunKind, ...] = (Panels(), External(), Impact())
"""Impact comes last: it takes any name for a benchmark."""
Say = Callable[[str], object]
"""What takes a line for people."""


@dataclass(frozen=True)
class SuiteRun:
    """A finished run and the suite that it belongs to."""

    suite: RunKind
    run: RunFolder
    repeats: Repeats | None = None
    """What of it does not count; None where everything does."""
    held: tuple[Outcome, ...] | None = None
    """All its outcomes, where they have been read already."""

    @property
    def benchmark(self) -> str:
        """The benchmark that it is a run of."""
        return self.suite.benchmark(self.run)

    def outcomes(self) -> list[Outcome]:
        """Return what it came to, without conversations that do not count. Raises ResultsError."""
        if self.repeats is None:
            return self.suite.outcomes(self.run) if self.held is None else [*self.held]
        return [outcome for _, outcome in self.placed()]

    def placed(self) -> list[tuple[int, Outcome]]:
        """Return its outcomes that count, each with the place of its conversation in the run. Raises ResultsError."""
        found = self.suite.outcomes(self.run) if self.held is None else self.held
        return [pair for pair in enumerate(found) if self.repeats is None or self.repeats.leaves(pair[1])]


def suite_named(name: str) -> RunKind:
    """Return the suite of that name. Raises KeyError when there is none."""
    return {suite.name: suite for suite in SUITES}[name]


def suite_runs(folder: Path, releases: Sequence[str] = ()) -> list[SuiteRun]:
    """Return the finished runs of all suites in a folder, by name; runs that nobody knows are left out.

    releases: of these only, where any are given; a target that has several is called by model and release. Raises
    ResultsError, also for a release that the folder has no run of.
    """
    found = [one for path in _run_paths(folder) if (one := suite_run(RunFolder(path))) is not None]
    kept = of_releases(folder, [one.run for one in found], releases)
    suites = {one.run: one for one in found}
    named = targets_apart(kept)
    return [replace(suites[run], run=called) for run, called in zip(kept, named, strict=True)]


def suite_run(run: RunFolder) -> SuiteRun | None:
    """Return a run with its suite; None when it is not finished, or a run of something else."""
    for suite in SUITES:
        if all((run.path / name).exists() for name in suite.files) and suite.owns(run):
            return SuiteRun(suite, run)
    return None


def each_once(runs: Sequence[SuiteRun], say: Say | None = None) -> list[SuiteRun]:
    """Return runs in which each case counts once, without those of which nothing is left; `say` is told what is out.

    Raises ResultsError.
    """
    with_cases = {one.run: one for one in runs if not one.suite.no_conversations}
    held: dict[RunFolder, tuple[Outcome, ...]] = {}

    def read(run: RunFolder) -> Sequence[Outcome]:
        return held.setdefault(run, tuple(with_cases[run].outcomes()))

    with collector_off():
        found = repeats(with_cases, read)
    if say and (line := repeats_line(found.values())):
        say(line)
    return [
        replace(one, repeats=found.get(one.run), held=held.get(one.run)) if one.run in held else one
        for one in runs
        if not (one.run in found and found[one.run].is_all)
    ]


def selected(
    folder: Path,
    benchmarks: Sequence[str] = (),
    models: Sequence[str] = (),
    say: Say | None = None,
    releases: Sequence[str] = (),
) -> list[SuiteRun]:
    """Return the runs in a folder, of the given benchmarks and models only where any are given; each case once.

    `say` is told which conversations do not count. Raises ResultsError, also for a benchmark or model that the folder
    has no run of.
    """
    return each_once(_chosen(folder, benchmarks, models, releases), say)


def _chosen(
    folder: Path, benchmarks: Sequence[str], models: Sequence[str], releases: Sequence[str] = ()
) -> list[SuiteRun]:
    runs = suite_runs(folder, releases)
    if not runs:
        raise no_finished_run(folder, " that can be read")
    check_known("benchmark", benchmarks, {found.benchmark for found in runs}, folder.name)
    check_known("model", models, {name for found in runs for name in found.run.names}, folder.name)
    asked = [found for found in runs if not benchmarks or found.benchmark in benchmarks]
    chosen = _of_models(without_kept(asked), models)
    if not chosen:
        kept = listed(sorted({found.benchmark for found in _of_models(asked, models)}))
        cure = f" There are kept failures: choose {kept} alone, with --benchmark." if kept else ""
        raise ResultsError(f"Suite {folder.name} has no run of these models on these benchmarks together.{cure}")
    return chosen


def _of_models(runs: Iterable[SuiteRun], models: Sequence[str]) -> list[SuiteRun]:
    return [found for found in runs if not models or found.run.names & {*models}]


def without_kept(runs: Iterable[SuiteRun]) -> list[SuiteRun]:
    """Return the runs whose cases are no kept failures, or those of kept failures where there is nothing else."""
    found = list(runs)
    return [one for one in found if not one.run.is_regression] or found


def are_kept(folder: Path, benchmarks: Sequence[str] = (), releases: Sequence[str] = ()) -> bool:
    """Return whether kept failures are all that is read of a folder. Raises ResultsError."""
    read = [one for one in suite_runs(folder, releases) if not benchmarks or one.benchmark in benchmarks]
    return bool(read) and all(one.run.is_regression for one in read)


def read_suite(
    folder: Path,
    benchmarks: Sequence[str] = (),
    models: Sequence[str] = (),
    say: Say | None = None,
    releases: Sequence[str] = (),
) -> list[Outcome]:
    """Return the outcomes of the runs that `selected` returns, without those of references. Raises ResultsError."""
    return outcomes_of(each_once(without_references(_chosen(folder, benchmarks, models, releases)), say))


def read_references(
    folder: Path, benchmarks: Sequence[str] = (), models: Sequence[str] = (), releases: Sequence[str] = ()
) -> list[Outcome]:
    """Return the outcomes of the references among these runs: bots that were run beside models. Raises ResultsError."""
    return outcomes_of(each_once(of_references(_chosen(folder, benchmarks, models, releases))))


def without_references(runs: Iterable[SuiteRun]) -> list[SuiteRun]:
    """Return the runs whose targets are models, or of bots where there is nothing else."""
    found = list(runs)
    bots = references(one.run.model for one in found)
    return [one for one in found if one.run.model not in bots]


def of_references(runs: Iterable[SuiteRun]) -> list[SuiteRun]:
    """Return the runs of bots beside models."""
    found = list(runs)
    bots = references(one.run.model for one in found)
    return [one for one in found if one.run.model in bots]


def outcomes_of(runs: Iterable[SuiteRun]) -> list[Outcome]:
    """Return the outcomes of runs, one run after the other. Raises ResultsError."""
    with collector_off():
        return [outcome for found in runs for outcome in found.outcomes()]


def conversations_of(folder: Path, releases: Sequence[str] = ()) -> list[Outcome]:
    """Return the outcomes of all runs in a folder that have conversations. Raises ResultsError."""
    return outcomes_of(one for one in suite_runs(folder, releases) if not one.suite.no_conversations)


def title_of(benchmark: str) -> Title:
    """Return what a benchmark is called."""
    return next(title for suite in SUITES if (title := suite.title(benchmark)) is not None)


def prompts_of(run_spec: str, options: Mapping[str, Any], most: int) -> PlannedPrompts | None:
    """Return what a run entry of some suite takes by published sizes; None for one whose cases are at hand, or unknown.

    run_spec: the entry's name. options: the rest of it, without the target. most: prompts at most.
    """
    found = (suite.prompts(run_spec, options, most) for suite in SUITES)
    return next((prompts for prompts in found if prompts is not None), None)


def left_out(
    folder: Path,
    *,
    conversations: bool = False,
    releases: Sequence[str] = (),
    benchmarks: Sequence[str] = (),
    with_kept: bool = False,
) -> list[str]:
    """Return a line for each kind of runs that a command cannot read, with the reason; none where all take part.

    `conversations`: the command reads conversations, and not scores alone. `releases`, `benchmarks`: of
    which it reads runs alone. `with_kept`: it reads kept failures beside others, too.
    """
    unknown, without, asked = Counter[str](), Counter[str](), list[SuiteRun]()
    for path in _run_paths(folder):
        found = suite_run(RunFolder(path))
        if found is None:
            unknown[path.name.partition(":")[0]] += 1
        elif releases and not found.run.release and found.run.model not in BOT_DEPLOYMENTS:
            without["they name no release"] += 1
        else:
            if conversations and found.suite.no_conversations:
                without[found.suite.no_conversations] += 1
            is_of_release = not releases or found.run.release in ("", *releases)
            if is_of_release and (not benchmarks or found.benchmark in benchmarks):
                asked.append(found)
    kept = Counter(one.benchmark for one in asked if one.run.is_regression)
    if with_kept or kept.total() == len(asked):
        kept.clear()
    reasons = {
        **without,
        **{
            f"{slug} has failures that are kept, in no rate; impactbench rates --benchmark {slug} shows them": count
            for slug, count in kept.items()
        },
    }
    if not unfinished(folder) and (begun := sum(_is_begun(path) for path in folder.iterdir())):
        reasons["begun by an earlier command and not finished; to go on, repeat it"] = begun
    if unknown:
        names = ", ".join(sorted(unknown))
        reasons[f"not finished, or of a suite that is not known here ({names})"] = unknown.total()
    return [f"{counted(count, 'run')} left out: {why}." for why, count in reasons.items()]


def _is_begun(path: Path) -> bool:
    """Return whether HELM made this folder for a run of which nothing is there yet."""
    return "model=" in path.name and path.is_dir() and not (path / SPEC_FILE).exists()


def _run_paths(folder: Path) -> Iterator[Path]:
    yield from (path.parent for path in sorted(folder.glob(f"*/{SPEC_FILE}")))
