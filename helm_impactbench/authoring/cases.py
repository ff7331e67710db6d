"""Cases from what is at hand: conversations that failed, and prompts in a CSV or JSONL file.

A failed conversation is kept as its user's messages, word for word, so that the next release meets what the last one
met. Kept failures make a benchmark of their own, marked as such: cases that were chosen because a model failed on them
say nothing about how often it fails.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from helm_impactbench.authoring.file_rows import read_rows
from helm_impactbench.benchmark.files import BENCHMARK_FILE, SCENARIOS_FILE, load_benchmark, load_draft, write_benchmark
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import BenchmarkError, ImpactBenchError, did_you_mean
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record

FAILED = 0.5
"""A score below this is a failure."""
COLUMNS = ("message", "messages", "metric", "system_prompt", "facts")
"""Of a file of prompts; beside them axis:NAME and factor:NAME."""


@dataclass(frozen=True)
class Failure:
    """A conversation that did not pass."""

    record: Record
    outcome: Outcome


@dataclass(frozen=True)
class Added:
    """What became of cases."""

    written: int
    known: int
    """Cases that the benchmark had already."""


def failures(found: Iterable[tuple[Record, Outcome]]) -> list[Failure]:
    """Return the conversations that failed, the most severe first; contrasts neither pass nor fail."""
    failed = [
        Failure(record, outcome)
        for record, outcome in found
        if outcome.is_level and outcome.score is not None and outcome.score < FAILED
    ]
    return sorted(failed, key=lambda one: (-(one.outcome.severity or 0.0), one.outcome.score or 0.0))


def keep_failures(folder: Path, found: Sequence[Failure]) -> Added:
    """Add failures to the benchmark of kept failures in `folder`, which is written if there is none.

    Raises BenchmarkError where the folder holds a benchmark of another kind.
    """
    before = _kept_before(folder)
    metrics = {metric.id: metric for metric in before.metrics}
    have = {_content(scenario) for scenario in before.scenarios}
    written = list[Scenario]()
    for failure in found:
        metric = _metric(failure, folder.name)
        scenario = _replayed(failure.record, metric.id, len(before.scenarios) + len(written) + 1)
        if _content(scenario) in have:
            continue
        metrics.setdefault(metric.id, metric)
        have.add(_content(scenario))
        written.append(scenario)
    if written:
        update = {"metrics": [*metrics.values()], "scenarios": [*before.scenarios, *written]}
        write_benchmark(before.model_copy(update=update), folder)
        load_benchmark(folder)
    return Added(len(written), len(found) - len(written))


def _kept_before(folder: Path) -> Benchmark:
    if not (folder / BENCHMARK_FILE).is_file():
        return Benchmark(
            slug=folder.name,
            name=folder.name.replace("-", " ").capitalize(),
            description="Conversations in which a model failed, kept so that the failures do not come back.",
            regression=True,
        )
    before = load_benchmark(folder)
    if not before.regression:
        raise BenchmarkError(
            f"{folder / BENCHMARK_FILE} measures; failures would bias its rates. Name another "
            "benchmark for them, which is then written."
        )
    return before


def _metric(failure: Failure, slug: str) -> Metric:
    """Return the metric under an id that says where it is from; one that is kept already has such an id."""
    metric = failure.record.case.metric
    if failure.outcome.benchmark == slug:
        return metric
    return metric.model_copy(update={"id": f"{failure.outcome.benchmark}.{metric.id}"[:64]})


def _replayed(record: Record, metric_id: str, number: int) -> Scenario:
    source = record.case.scenario
    return Scenario(
        id=f"kept_{number:04d}",
        metric_id=metric_id,
        messages=[turn.user for turn in record.conversation.turns],
        axes=source.axes,
        facts=source.facts,
        view=source.view,
        target_system_prompt=record.case.plan.target_system_prompt,
    )


def _content(scenario: Scenario) -> str:
    return content_digest(scenario.model_dump(mode="json", exclude={"id", "provenance", "canary"}))


def read_prompts(path: Path, metric: str | None = None) -> list[Scenario]:
    """Return the cases in a CSV or JSONL file; `metric`: id for rows that name none.

    CSV: a row per case, its words in `message`. JSONL: an object per line, and `messages` may be a list. Raises
    ImpactBenchError with the line of the first fault.
    """
    rows = read_rows(path, '{"message": "..."}')
    if not rows:
        raise ImpactBenchError(f"{path}: contains no case; write one per row")
    return [_scenario(path, line, row, metric) for line, row in rows]


def _scenario(path: Path, line: int, row: Mapping[str, Any], metric: str | None) -> Scenario:
    """Return a row as a case whose id is yet to be given."""
    levels: dict[str, dict[str, Any]] = {"axis": {}, "factor": {}}
    for name, value in row.items():
        kind, _, rest = name.partition(":")
        if kind in levels and rest:
            levels[kind][rest] = value
        elif name not in COLUMNS:
            raise ImpactBenchError(
                f"{path}:{line}: there is no column {name!r} in cases. Columns can be {', '.join(COLUMNS)}, axis:NAME "
                f"and factor:NAME.{did_you_mean(name, COLUMNS)}"
            )
    messages = row.get("messages", [row["message"]] if "message" in row else None)
    if not messages or ("messages" in row and "message" in row):
        raise ImpactBenchError(f"{path}:{line}: a case has `message`, or a list of `messages`, and not both.")
    if not (row.get("metric") or metric):
        raise ImpactBenchError(
            f"{path}:{line}: no metric. Give the row one, or name one for all: impactbench cases read SLUG FILE METRIC"
        )
    try:
        return Scenario(
            id="new",
            metric_id=row.get("metric") or metric or "",
            messages=messages,
            axes=levels["axis"],
            factors=levels["factor"],
            facts=row.get("facts", []),
            target_system_prompt=row.get("system_prompt"),
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ImpactBenchError(f"{path}:{line}: {where}: {first['msg']}") from error


def add_prompts(folder: Path, cases: Sequence[Scenario]) -> Added:
    """Add cases to a benchmark that has their metrics. Raises BenchmarkError, and leaves the files as they were."""
    draft, rows = load_draft(folder)
    known = [metric.id for metric in draft.metrics]
    for case in cases:
        if case.metric_id not in known:
            raise BenchmarkError(
                f"{folder / BENCHMARK_FILE} has no metric {case.metric_id!r}.{did_you_mean(case.metric_id, known)}"
            )
    before = TypeAdapter(list[Scenario]).validate_python(rows)
    have, used = {_content(scenario) for scenario in before}, {scenario.id for scenario in before}
    new = list[Scenario]()
    for case in cases:
        if _content(case) not in have:
            have.add(_content(case))
            new.append(case.model_copy(update={"id": _free_id(case.metric_id, used)}))
    if new:
        added = [case.model_dump(mode="json", exclude_defaults=True) for case in new]
        _write_checked(folder, json.dumps([*rows, *added], indent=2, ensure_ascii=False) + "\n")
    return Added(len(new), len(cases) - len(new))


def _free_id(metric: str, used: set[str]) -> str:
    name = next(name for number in count(1) if (name := f"{metric}_p{number:04d}"[-64:]) not in used)
    used.add(name)
    return name


def _write_checked(folder: Path, text: str) -> None:
    path = folder / SCENARIOS_FILE
    before = path.read_bytes() if path.is_file() else None
    write_whole(path, text)
    try:
        load_benchmark(folder)
    except BenchmarkError:
        path.unlink() if before is None else path.write_bytes(before)
        raise
