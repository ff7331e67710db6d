"""A suite in ImpactBench's own files, so that its tools, and people's scripts for them, read our runs.

    <slug>/benchmark.yaml, scenarios.json, results.json
    <slug>/runs/<target>/conversations.json, scores.json, cost.json       as ImpactBench has them
    <slug>/runs/<target>/verdicts.json, manifest.json                     what its files have no place for

Its aggregation counts every row of scores.json and its website draws a verdict that is null as a failure. So a
conversation without a verdict is not in scores.json; it is in conversations.json, and with its reason in verdicts.json.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.files import write_benchmark
from helm_impactbench.outputs.export import impactbench_rows as rows
from helm_impactbench.outputs.export.rebuilt import benchmark_of
from helm_impactbench.outputs.export.runs import Run, read_run
from helm_impactbench.outputs.export.words import file_name, json_text
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder

MANIFEST_FILE = "manifest.json"
VERDICTS_FILE = "verdicts.json"


@dataclass
class WrittenRows:
    """What an export has done, for the person who asked for it."""

    conversations: int = 0
    without_verdict: Counter[str] = field(default_factory=Counter)
    """Status (unscored, not_applicable, unclear) -> conversations."""
    not_in_scores: Counter[str] = field(default_factory=Counter)
    """Kind of answer that scores.json cannot hold -> conversations."""
    unpriced_runs: list[str] = field(default_factory=list)
    """Runs with calls of unknown price: their cost is null."""

    def add(self, other: WrittenRows) -> None:
        """Add what was done elsewhere."""
        self.conversations += other.conversations
        self.without_verdict += other.without_verdict
        self.not_in_scores += other.not_in_scores
        self.unpriced_runs += other.unpriced_runs


def write_impactbench(folder: Path, runs: Sequence[RunFolder]) -> WrittenRows:
    """Write every run, a folder per benchmark and set-up. Raises ResultsError."""
    written = WrittenRows()
    places: list[tuple[RunFolder, Path]] = []
    for name, members in _folders(runs).items():
        write_benchmark(benchmark_of(read_run(members[0])), folder / name)
        places += zip(members, _targets(folder / name / "runs", members), strict=True)
    results: dict[Path, list[rows.Row]] = {}
    for (_, place), (row, own) in zip(places, in_workers(_write_run, places), strict=True):
        results.setdefault(place.parents[1], []).append(row)
        written.add(own)
    for benchmark, found in results.items():
        found.sort(key=lambda row: (-(row["positive_pass_rate"] or 0.0), row["target_model"]))
        _write_json(benchmark / "results.json", found)
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


def _targets(folder: Path, members: Sequence[RunFolder]) -> list[Path]:
    """Return a folder for each run: a/b and a_b are one file name."""
    names = [file_name(member.model) for member in members]
    times = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [folder / (f"{name}-{time}" if time > 1 else name) for name, time in zip(names, times, strict=True)]


def _write_run(place: tuple[RunFolder, Path]) -> tuple[rows.Row, WrittenRows]:
    """Write a run into a folder; return its row of results.json and what was done."""
    run, folder = read_run(place[0]), place[1]
    folder.mkdir(parents=True)
    scored = filter(rows.has_score_row, run.records)
    _write_rows(folder / "conversations.json", (rows.conversation_row(run, record) for record in run.records))
    _write_rows(folder / "scores.json", (rows.score_row(run, record) for record in scored))
    _write_rows(folder / VERDICTS_FILE, (rows.verdict_row(run, record) for record in run.records))
    costs = rows.phases(run.records)
    _write_json(folder / "cost.json", {phase: rows.cost_row(phase, usage) for phase, usage in costs.items()})
    _write_json(folder / MANIFEST_FILE, rows.manifest(run))
    return rows.results_row(run), _written(run, any(usage.unpriced_calls for usage in costs.values()))


def _written(run: Run, unpriced: bool) -> WrittenRows:
    return WrittenRows(
        conversations=len(run.outcomes),
        without_verdict=Counter(outcome.status for outcome in run.outcomes if not outcome.is_scored),
        not_in_scores=Counter(
            f"{outcome.metric_type} ({outcome.measure})"
            for record, outcome in zip(run.records, run.outcomes, strict=True)
            if outcome.is_scored and not rows.has_score_row(record)
        ),
        unpriced_runs=[run.name] if unpriced else [],
    )


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
    return json_text(value, indent=indent, allow_nan=False)
