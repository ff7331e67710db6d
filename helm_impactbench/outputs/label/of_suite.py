"""The labels of a suite: one for each of its models, from its runs on benchmarks of human impact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from helm_impactbench.analysis.people import people_gaps
from helm_impactbench.analysis.rates import grouped, models_of
from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.errors import ResultsError
from helm_impactbench.outputs.label.label import AREA, Label, label_of
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.stats.population import Population
from helm_impactbench.suites.registry import outcomes_of, read_references, selected, without_references
from helm_impactbench.validity.judge_trust import judge_trust

Say = Callable[[str], object]


def labels_of(
    folder: Path,
    benchmarks: Sequence[str],
    models: Sequence[str],
    population: Population,
    say: Say,
    releases: Sequence[str] = (),
) -> tuple[list[Label], list[Benchmark]]:
    """Return the label of each model of a suite, and the benchmarks that they are about.

    benchmarks, models, releases: only these, where any are given. say: is told what is left out. Raises ResultsError
    where the suite has nothing that a label is about.
    """
    runs = without_references(selected(folder, benchmarks, models, say, releases))
    if all(run.run.is_regression for run in runs):
        raise ResultsError(
            f"Suite {folder.name} has no label: its cases are kept failures, which do not say how often a model fails."
        )
    outcomes = _of_impact(folder.name, outcomes_of(runs), say)
    about = installed({outcome.benchmark for outcome in outcomes}, say)
    by_model = grouped(outcomes, lambda outcome: outcome.model)
    ended = {model: max(run.run.written.date() for run in runs if run.run.model == model) for model in by_model}
    users = {(run.run.model, run.run.user) for run in runs if not run.suite.no_conversations and run.run.user}
    judges = {model: {tuple(run.run.judges) for run in runs if run.run.model == model} for model in by_model}
    unequal = people_gaps(outcomes)
    bots = read_references(folder, benchmarks, releases=releases)
    labels = [
        label_of(
            by_model[model],
            about,
            [user for target, user in users if target == model],
            population,
            ended[model],
            unequal=unequal.get(model, ()),
            bots=bots,
            judges=judge_trust(folder, judges[model], {outcome.benchmark for outcome in by_model[model]}),
        )
        for model in models_of(outcomes)
    ]
    lacking = unfinished(folder)
    return [replace(label, unfinished=lacking) for label in labels], about


def _of_impact(suite: str, outcomes: Sequence[Outcome], say: Say) -> list[Outcome]:
    """Return the outcomes that a label is about, and say which it is not; raise ResultsError without any."""
    kept = [outcome for outcome in outcomes if outcome.area == AREA]
    names = ", ".join(sorted({f"{outcome.benchmark} ({outcome.area})" for outcome in outcomes if outcome.area != AREA}))
    if not kept:
        raise ResultsError(f"Suite {suite} has no run on a benchmark of human impact, which a label is about: {names}.")
    if names:
        say(f"Left out, because a label is about human impact: {names}")
    return kept


def installed(slugs: Iterable[str], say: Say) -> list[Benchmark]:
    """Return the benchmarks of those slugs that can be loaded; say of a faulty one that it is left out."""
    wanted, benchmarks = set(slugs), []
    for slug, path in benchmark_paths().items():
        if slug in wanted:
            benchmark = check_benchmark(path).benchmark
            if benchmark is None:
                say(f"Left out: {slug} is faulty; see impactbench check {slug}")
            else:
                benchmarks.append(benchmark)
    return benchmarks
