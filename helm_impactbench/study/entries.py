"""A study as run entries and as the helm-run that runs them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from helm_impactbench.benchmark.areas import Area
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.benchmark.wordings import AXIS
from helm_impactbench.conversation.option import Effect, written
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.conversation.usual_roles import usual_user
from helm_impactbench.errors import BenchmarkError, RunEntryError, did_you_mean
from helm_impactbench.llm.release import read_release, written_release
from helm_impactbench.results.references import DEPLOYMENTS
from helm_impactbench.study.model import ALL, QUICK, Option, Study, Target

QUICK_PART = 0.06
"""As in run_entries/quick.conf: about 160 conversations."""
RUNNER = "helm_impactbench.ParallelRunner"
TEMPERATURE = "temperature"
"""HELM's option of any run entry; it stands in no table of ours."""
MODEL = "model"
"""The option of a run entry that names its target."""
CONF = "run_entries.conf"
"""The entries of a study, in the folder of its suite."""


def run_entries(study: Study, share: float = 1.0) -> list[str]:
    """Return a run entry per benchmark and arm, without model=; with it, where models have releases of their own.

    share: of what the study takes. Raises RunEntryError, BenchmarkError.
    """
    chosen = _chosen(study.benchmarks)
    part: dict[str, Option] = {"part": QUICK_PART} if QUICK in study.benchmarks else {}
    several = len({tuple(_own_options(target).items()) for target in study.targets}) > 1
    targets = {(one.name, *_own_options(one).values()): one for one in study.targets} if several else {}
    return [
        _entry(found, study, _part(found, {**part, **_own_options(target), **study.options, **arm}, share))
        + (f",{MODEL}={target.name}" if several else "")
        for target in targets.values() or study.targets[:1]
        for arm in _arms(study)
        for found in chosen
    ]


def _own_options(target: Target) -> dict[str, Option]:
    """Return the options of a run entry that a target has by itself."""
    own = {name: getattr(target, name) for name in ("release", "system_prompt", "target_tokens", TEMPERATURE)}
    return {name: value for name, value in own.items() if value is not None}


def _arms(study: Study) -> list[dict[str, Option]]:
    """Return the options of each arm, with its name where there are several."""
    if len(study.arms) == 1:
        return [dict(options) for options in study.arms.values()]
    return [{"arm": name, **options} for name, options in study.arms.items()]


def reference_entries(study: Study) -> list[str]:
    """Return the run entries of the reference bots, each with its model=: a share of what a model's entry takes.

    Bots that the study tests are none. Raises RunEntryError, BenchmarkError.
    """
    bots = [name for name in DEPLOYMENTS if name not in study.models] if study.references else []
    part: dict[str, Option] = {"part": QUICK_PART} if QUICK in study.benchmarks else {}
    arms = [{**part, **study.options, **arm} for arm in study.arms.values()]
    chosen = _chosen(study.benchmarks) if bots else []
    entries = (
        f"{_entry(found, study, _share(found, options, study.references))},model={bot}"
        for options in arms
        for found in chosen
        for bot in bots
    )
    return list(dict.fromkeys(entries))  # arms that differ in the target alone are one to a bot


def _share(benchmark: Benchmark, options: dict[str, Option], share: float) -> dict[str, Option]:
    """Return the options of a bot's entry: a share of what an entry with these options takes, and all of that."""
    return _part(benchmark, _without(options, Effect.END, Effect.TARGET), share, always=True)


def _part(benchmark: Benchmark, options: dict[str, Option], share: float, *, always: bool = False) -> dict[str, Option]:
    """Return options of an entry that takes a share of what an entry with these options takes.

    always: say so also where the share is all.
    """
    if share == 1 and not always:
        return options
    part = options.get("part", 1.0)
    pilot = benchmark.scenario.default_pilot if part == 1 and "pilot" not in options else None
    of_pilot: dict[str, Option] = {} if pilot is None else {"pilot": pilot}
    return {**options, **of_pilot, "part": float(f"{float(part) * share:.4g}")}


def _entry(benchmark: Benchmark, study: Study, options: dict[str, Option]) -> str:
    roles = {"user": study.user or usual_user()} if _asks_user(benchmark, options) else {}
    if any(metric.type == "contrast" for metric in benchmark.metrics):  # these have no pass rate to stop by
        options = _without(options, Effect.END)
    again: dict[str, Option] = {"replicate": study.replicate} if study.replicate > 1 else {}
    given = {"benchmark": benchmark.slug, **options, **again, **roles, "judge": "+".join(study.judge)}
    if "release" in given:
        given["release"] = written_release(read_release(given["release"]))
    return "impactbench:" + ",".join(f"{name}={written(value)}" for name, value in given.items())


def _without(options: dict[str, Option], *effects: Effect) -> dict[str, Option]:
    """Return options without those that have one of these effects: when a run ends, or whom it tests."""
    left_out = RunOptions.with_effect(*effects)
    return {name: value for name, value in options.items() if name not in left_out}


def _chosen(names: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks that slugs, areas, `quick` and `all` stand for, each once."""
    known = benchmark_paths()
    allowed = [*known, *get_args(Area), QUICK, ALL]
    for name in names:
        if name not in allowed:
            raise RunEntryError(
                f"No benchmark or area {name!r}; impactbench list shows them.{did_you_mean(name, allowed)}"
            )
    found = [load_benchmark(folder) for slug, folder in known.items() if _may_be_meant(slug, names)]
    return [benchmark for benchmark in found if _is_meant(benchmark, names)]


def _may_be_meant(slug: str, names: Sequence[str]) -> bool:
    return slug in names or bool({QUICK, ALL, *get_args(Area)} & {*names})


def _is_meant(benchmark: Benchmark, names: Iterable[str]) -> bool:
    """Return whether one of these names means a benchmark. Not every target can carry tools, so that a benchmark with
    tools is meant by its own name alone.
    """
    wanted = {*names}
    if benchmark.slug in wanted or benchmark.scenario.tools:
        return benchmark.slug in wanted
    if ALL in wanted or wanted & {*benchmark.areas}:
        return True
    return QUICK in wanted and _asks_user(benchmark, {})


def asks_user(study: Study) -> bool:
    """Return whether a study asks its user's model; what cannot be read, or is yet to be written, counts as such."""
    try:
        chosen = _chosen(study.benchmarks)
        of_arms = [{**study.options, **arm} for arm in study.arms.values()]
        return any(_asks_user(benchmark, options) for benchmark in chosen for options in of_arms)
    except (BenchmarkError, RunEntryError):  # whoever plans it says what is wrong
        return True


def _asks_user(benchmark: Benchmark, given: Mapping[str, Option]) -> bool:
    """Return whether a case under these options goes on beyond fixed messages, or has its first one paraphrased."""
    options = RunOptions.model_validate({name: given[name] for name in ("turns", "axes", "levels") if name in given})
    rewords = AXIS in (options.axes or ())
    scenarios = selected_scenarios(benchmark, options.selection) if rewords else benchmark.scenarios
    plans = (plan_case(benchmark, "", scenario, 0, options).plan for scenario in scenarios)
    return any(plan.is_simulated or plan.is_paraphrased for plan in plans)


def conf_text(entries: Sequence[str], models: Sequence[str] = (), references: Sequence[str] = ()) -> str:
    """Return run entries as a file that helm-run --conf-paths reads.

    references: entries that name their model. HELM puts every entry that names none to all of --models-to-run, so
    with references each entry is written once for each of `models`.
    """
    open_entries = [entry for entry in entries if f",{MODEL}=" not in entry]
    named = [f"{entry},{MODEL}={model}" for entry in open_entries for model in models] if references else open_entries
    named += [entry for entry in entries if entry not in open_entries]
    lines = (f"  {{description: {json.dumps(entry)}, priority: 1}}" for entry in (*named, *references))
    return "\n".join(["# The run entries of this suite, as impactbench run wrote them.", "entries: [", *lines, "]", ""])


def helm_run_arguments(
    study: Study, conf: Path, output_path: Path, local_path: Path, references: Sequence[str] = ()
) -> list[str]:
    """Return the arguments of the helm-run that does the same; `references` are the bots' run entries."""
    bots = dict.fromkeys(entry.rpartition(",model=")[2] for entry in references)
    return [
        *("--conf-paths", str(conf)),
        *("--models-to-run", *study.models, *bots),
        *("--suite", study.suite),
        *("--max-eval-instances", str(study.most_prompts)),
        *("--num-threads", str(study.threads)),
        *("--runner-class-name", RUNNER),
        *("--output-path", str(output_path)),
        *("--local-path", str(local_path)),
    ]
