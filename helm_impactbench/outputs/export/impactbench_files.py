"""A suite in ImpactBench's own files, so that its tools, and people's scripts for them, read our runs.

    <slug>/benchmark.yaml, scenarios.json, results.json
    <slug>/runs/<target>/conversations.json, scores.json, cost.json       as ImpactBench has them
    <slug>/runs/<target>/verdicts.json, manifest.json                     what its files have no place for

Its aggregation counts every row of scores.json and its website draws a verdict that is null as a failure. So a
conversation without a verdict is not in scores.json; it is in conversations.json, and with its reason in verdicts.json.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.files import write_benchmark
from helm_impactbench.outputs.export import impactbench_rows as rows
from helm_impactbench.outputs.export.rebuilt import benchmark_of
from helm_impactbench.outputs.export.runs import Run, read_run
from helm_impactbench.outputs.export.words import file_name, storable_data
from helm_impactbench.results.files import RunFolder

MANIFEST_FILE = "manifest.json"
VERDICTS_FILE = "verdicts.json"


@dataclass
class Written:
    """What an export has done, for the person who asked for it."""

    conversations: int = 0
    without_verdict: Counter[str] = field(default_factory=Counter)
    """Status (unscored, not_applicable, unclear) -> conversations."""
    not_in_scores: Counter[str] = field(default_factory=Counter)
    """Kind of answer that scores.json cannot hold -> conversations."""
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
        setups.setdefault((run.benchmark, run.setup, str(run.options.get("content", ""))), []).append(run)
    slugs = [slug for slug, _, _ in setups]
    names = [(setup.partition("benchmark=")[2] or setup, content) for _, setup, content in setups]
    long = [setup if [s for s, _ in names].count(setup) == 1 else f"{setup},content={c}" for setup, c in names]
    folders = [slug if slugs.count(slug) == 1 else file_name(name) for slug, name in zip(slugs, long, strict=True)]
    return dict(zip(folders, setups.values(), strict=True))


def _write_benchmark_runs(folder: Path, members: Sequence[RunFolder], written: Written) -> None:
    results: list[rows.Row] = []
    names: list[str] = []
    for member in members:
        run = read_run(member)
        if not results:
            write_benchmark(benchmark_of(run), folder)
        names.append(file_name(run.model))
        again = f"-{names.count(names[-1])}" if names.count(names[-1]) > 1 else ""  # a/b and a_b are one file name
        _write_run(folder / "runs" / f"{names[-1]}{again}", run)
        _note(run, written)
        results.append(rows.results_row(run))
    results.sort(key=lambda row: (-(row["positive_pass_rate"] or 0.0), row["target_model"]))
    _write_json(folder / "results.json", results)


def _write_run(folder: Path, run: Run) -> None:
    folder.mkdir(parents=True)
    scored = filter(rows.has_score_row, run.records)
    _write_rows(folder / "conversations.json", (rows.conversation_row(run, record) for record in run.records))
    _write_rows(folder / "scores.json", (rows.score_row(run, record) for record in scored))
    _write_rows(folder / VERDICTS_FILE, (rows.verdict_row(run, record) for record in run.records))
    costs = rows.phases(run.records).items()
    _write_json(folder / "cost.json", {phase: rows.cost_row(phase, usage) for phase, usage in costs})
    _write_json(folder / MANIFEST_FILE, rows.manifest(run))


def _note(run: Run, written: Written) -> None:
    written.conversations += len(run.outcomes)
    written.without_verdict.update(outcome.status for outcome in run.outcomes if not outcome.is_scored)
    written.not_in_scores.update(
        f"{outcome.metric_type} ({outcome.measure})"
        for record, outcome in zip(run.records, run.outcomes, strict=True)
        if outcome.is_scored and not rows.has_score_row(record)
    )
    if any(usage.unpriced_calls for usage in rows.phases(run.records).values()):
        written.unpriced_runs.append(run.name)


def _write_rows(path: Path, found: Iterable[rows.Row]) -> None:
    """Write a JSON list row by row."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, row in enumerate(found):
            file.write(("," if number else "") + "\n" + _text(row))
        file.write("\n]\n")


def _write_json(path: Path, value: Any) -> None:
    path.write_text(_text(value, 2) + "\n", encoding="utf-8")


def _text(value: Any, indent: int | None = None) -> str:
    return json.dumps(storable_data(value), ensure_ascii=False, indent=indent, allow_nan=False)
