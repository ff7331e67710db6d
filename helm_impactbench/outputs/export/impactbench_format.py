"""A suite in ImpactBench's own files, so that its tools, and people's scripts for them, read our runs.

    <slug>/benchmark.yaml, scenarios.json, results.json
    <slug>/runs/<target>/conversations.json, scores.json, cost.json       as ImpactBench has them
    <slug>/runs/<target>/unscored.json, opinions.json, manifest.json      what its files have no place for

Its aggregation counts every row of scores.json and its website draws a verdict that is null as a failure. So a
conversation without a verdict is not in scores.json; it is in conversations.json, and with its reason in unscored.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_impactbench.analysis.rates import Rate, grouped
from helm_impactbench.benchmark.files import load_benchmark, write_benchmark
from helm_impactbench.benchmark.model import Benchmark, Metric, Scenario, Setting
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.outputs.export.runs import Run, read_run
from helm_impactbench.outputs.export.tables import opinions
from helm_impactbench.outputs.export.words import file_name, storable_data
from helm_impactbench.results.files import Record, RunFolder
from helm_impactbench.results.outcome import Outcome

WRITTEN_BY = "helm_impactbench"
MANIFEST_FILE = "manifest.json"
Row = dict[str, Any]


@dataclass
class Written:
    """What an export has done, for the person who asked for it."""

    conversations: int = 0
    unscored: int = 0
    unpriced_runs: list[str] = field(default_factory=list)
    """Runs with calls of unknown price: their cost is null."""


def write_impactbench(folder: Path, runs: Sequence[RunFolder]) -> Written:
    """Write every run, a folder per benchmark and set-up. Raises ResultsError."""
    written = Written()
    for name, members in _folders(runs).items():
        _write_benchmark_runs(folder / name, members, written)
    return written


def _folders(runs: Sequence[RunFolder]) -> dict[str, list[RunFolder]]:
    """Return folder name -> runs of one benchmark, content and set-up.

    The name is the benchmark's slug, with the rest of the set-up where one slug has several.
    """
    setups: dict[tuple[str, str, str], list[RunFolder]] = {}
    for run in runs:
        options = run.spec["scenario_spec"]["args"]
        setups.setdefault((str(options["benchmark"]), run.setup, str(options.get("content", ""))), []).append(run)
    slugs = [slug for slug, _, _ in setups]
    names = [(setup.partition("benchmark=")[2], content) for _, setup, content in setups]
    long = [setup if [s for s, _ in names].count(setup) == 1 else f"{setup},content={c}" for setup, c in names]
    folders = [slug if slugs.count(slug) == 1 else file_name(name) for slug, name in zip(slugs, long, strict=True)]
    return dict(zip(folders, setups.values(), strict=True))


def _write_benchmark_runs(folder: Path, members: Sequence[RunFolder], written: Written) -> None:
    results: list[Row] = []
    names: list[str] = []
    for member in members:
        run = read_run(member)
        if not results:
            write_benchmark(_benchmark(run), folder)
        names.append(file_name(run.model))
        again = f"-{names.count(names[-1])}" if names.count(names[-1]) > 1 else ""  # a/b and a_b are one file name
        _write_run(folder / "runs" / f"{names[-1]}{again}", run, written)
        results.append({**results_row(run.model, run.outcomes), **({"scripted": True} if run.is_scripted else {})})
    results.sort(key=lambda row: (-(row["positive_pass_rate"] or 0.0), row["target_model"]))
    _write_json(folder / "results.json", results)


def _write_run(folder: Path, run: Run, written: Written) -> None:
    folder.mkdir(parents=True)
    pairs = list(zip(run.records, run.outcomes, strict=True))
    usages = _phases(run.records)
    _write_rows(folder / "conversations.json", (_conversation(run, record) for record in run.records))
    _write_rows(folder / "scores.json", (_score(*pair) for pair in pairs if pair[1].passed is not None))
    _write_rows(folder / "unscored.json", (_unscored(*pair) for pair in pairs if pair[1].passed is None))
    _write_rows(folder / "opinions.json", (row for record in run.records for row in _opinions(record)))
    _write_json(folder / "cost.json", {phase: _cost(phase, usage) for phase, usage in usages.items()})
    _write_json(folder / MANIFEST_FILE, _manifest(run))
    written.conversations += len(pairs)
    written.unscored += sum(outcome.passed is None for outcome in run.outcomes)
    if any(usage.unpriced_calls for usage in usages.values()):
        written.unpriced_runs.append(run.name)


def _conversation(run: Run, record: Record) -> Row:
    """Return the scenario's own fields and what was said: ImpactBench's rows carry both."""
    case, conversation = record.case, record.conversation
    messages = [
        {"role": role, "content": content}
        for turn in conversation.turns
        for role, content in (("user", turn.user), ("assistant", turn.assistant))
        if content is not None
    ]
    return {
        **case.scenario.model_dump(mode="json", exclude_defaults=True),
        "metric_name": case.metric.name,
        "metric_type": case.metric.type,
        "conv_id": case.id,
        "target": {"id": run.model, "model": run.folder.spec["adapter_spec"]["model"]},
        "target_model": run.model,
        "sample": case.sample,
        "_sample": case.sample,
        "transcript": messages,
        "status": conversation.status.value,
        "_usage": _usage(total([conversation.user_usage, conversation.target_usage])),
    }


def _score(record: Record, outcome: Outcome) -> Row:
    agreeing = [o.justification for o in record.judgement.opinions if o.present is outcome.present]
    return {
        **_key(record, outcome),
        "present": outcome.present,
        "passed": outcome.passed,
        "score": int(bool(outcome.passed)),
        "justification": agreeing[0] if agreeing else "",
    }


def _unscored(record: Record, outcome: Outcome) -> Row:
    problems = [f"{o.judge}: {o.problem}" for o in record.judgement.opinions if o.problem]
    return {
        **_key(record, outcome),
        "unscored": outcome.unscored,
        "reason": "; ".join([record.conversation.reason, *problems]).strip("; "),
    }


def _key(record: Record, outcome: Outcome) -> Row:
    return {
        "id": outcome.variant_id,
        "metric_id": outcome.metric_id,
        "metric_name": outcome.metric_name,
        "metric_type": outcome.metric_type,
        "target_model": outcome.model,
        "conv_id": record.case.id,
        "sample": outcome.sample,
    }


def _opinions(record: Record) -> Iterator[Row]:
    for question, place, opinion in opinions(record):
        content = opinion.model_dump(mode="json", exclude={"usage"})
        yield {"conv_id": record.case.id, "question": question, "place": place, **content}


def _phases(records: Sequence[Record]) -> dict[str, Usage]:
    return {
        "simulate": total(u for r in records for u in (r.conversation.user_usage, r.conversation.target_usage)),
        "evaluate": total(record.judgement.usage for record in records),
    }


def _usage(usage: Usage) -> Row:
    """Return a usage as ImpactBench writes it, with null for what is unknown."""
    counted = usage.uncounted_calls == 0
    return {
        "cost": None if usage.unpriced_calls else usage.cost_usd,
        "input_tokens": usage.prompt_tokens if counted else None,
        "output_tokens": usage.completion_tokens if counted else None,
    }


def _cost(phase: str, usage: Usage) -> Row:
    known = {"cost_of_priced_calls": usage.cost_usd, "unpriced_calls": usage.unpriced_calls}
    return {**_usage(usage), "phase": phase, **(known if usage.unpriced_calls else {})}


def _manifest(run: Run) -> Row:
    """Return what rebuilds the run."""
    return {
        "written_by": WRITTEN_BY,
        "run": run.name,
        "scripted": run.is_scripted,
        "target_model": run.model,
        "user": run.folder.user,
        "judges": run.folder.judges,
        "provenance": run.provenance,
        "run_spec": run.folder.spec,
    }


def results_row(model: str, outcomes: Sequence[Outcome]) -> Row:
    """Return a target's row of results.json. Rates are not rounded; a rate of nothing is null."""
    scored = [outcome for outcome in outcomes if outcome.passed is not None]
    by_type = {kind: [o for o in scored if o.metric_type == kind] for kind in ("positive", "negative")}
    return {
        "target_model": model,
        **{f"{kind}_pass_rate": _rate(found) for kind, found in by_type.items()},
        **{f"n_{kind}": len(found) for kind, found in by_type.items()},
        "n_total": len(scored),
        "n_unscored": len(outcomes) - len(scored),
        "by_metric": _by(outcomes, [outcome.metric_id for outcome in outcomes]),
        "by_scenario": _by(outcomes, [outcome.variant_id for outcome in outcomes]),
    }


def _by(outcomes: Sequence[Outcome], names: Sequence[str]) -> Row:
    name_of = dict(zip(map(id, outcomes), names, strict=True))
    groups = grouped(outcomes, lambda outcome: name_of[id(outcome)])
    return {name: _counts(Rate(tuple(found))) for name, found in sorted(groups.items())}


def _counts(rate: Rate) -> Row:
    return {"pass_rate": rate.value if rate.scored else None, "n_passed": rate.passed, "n_total": len(rate.scored)}


def _rate(outcomes: Sequence[Outcome]) -> float | None:
    return Rate(tuple(outcomes)).value if outcomes else None


def _benchmark(run: Run) -> Benchmark:
    """Return the run's benchmark: the installed one if it is the same, else what the run itself holds of it."""
    try:
        installed = load_benchmark(run.benchmark)
    except BenchmarkError:
        return rebuilt(run)
    return installed if installed.digest() == run.provenance.get("benchmark_digest") else rebuilt(run)


def rebuilt(run: Run) -> Benchmark:
    """Return what the conversations of a run tell of its benchmark."""
    metrics: dict[str, Metric] = {}
    scenarios: dict[str, Scenario] = {}
    told: dict[str, set[str]] = {}
    for record in run.records:
        case = record.case
        metrics.setdefault(case.metric.id, case.metric)
        # Whether the benchmark or the scenario gave it: it held for this one.
        own_prompt = {"target_system_prompt": case.plan.target_system_prompt}
        scenarios.setdefault(case.scenario.id, case.scenario.model_copy(update=own_prompt))
        for axis in case.scenario.axes:
            told.setdefault("told" if axis in case.plan.axes else "untold", set()).add(axis)
    plan = run.records[0].case.plan if run.records else None
    last = max((landmark.turn for scenario in scenarios.values() for landmark in scenario.landmarks), default=1)
    return Benchmark(
        slug=run.benchmark,
        name=run.benchmark,
        description=str(run.scenario.get("description") or run.benchmark),
        scenario=Setting(
            user_context=plan.setting if plan else None,
            turns=max(plan.turns, last) if plan else 1,  # a run may have had fewer than its directions are for
            untold_axes=sorted(told.get("untold", ())),
        ),
        metrics=list(metrics.values()),
        scenarios=list(scenarios.values()),
    )


def _write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a JSON list row by row."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, row in enumerate(rows):
            file.write(("," if number else "") + "\n" + _text(row))
        file.write("\n]\n")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(_text(value, 2) + "\n", encoding="utf-8")


def _text(value: Any, indent: int | None = None) -> str:
    return json.dumps(storable_data(value), ensure_ascii=False, indent=indent, allow_nan=False)
