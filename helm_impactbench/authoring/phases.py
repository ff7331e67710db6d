"""What the commands new, gen-metrics and gen-scenarios do to a benchmark's folder."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import count as numbers
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from helm_impactbench._version import __version__
from helm_impactbench.authoring.author_client import AuthorClient, PhaseResult, record
from helm_impactbench.authoring.metrics import MetricPlan, generate_metrics, metric_prompts, plan_metrics, with_ids
from helm_impactbench.authoring.scenario_replies import scenario_prompts
from helm_impactbench.authoring.scenarios import ScenarioWriter
from helm_impactbench.authoring.slots import (
    ScenarioOptions,
    Slot,
    SlotGap,
    in_file_order,
    open_gaps,
    open_slots,
    stale_slots,
)
from helm_impactbench.authoring.spec import Clause
from helm_impactbench.authoring.yaml_edit import with_metrics
from helm_impactbench.benchmark.files import BENCHMARK_FILE, SCENARIOS_FILE, load_draft
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import BenchmarkFile
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.rules import is_stale
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.prompts import prompts_digest

_ROWS = TypeAdapter(list[Scenario])
PLACEHOLDER = "(Describe it here.)"
"""In the description that `impactbench new` writes when it is given none."""


def new_benchmark(folder: Path, name: str, description: str) -> Path:
    """Write a benchmark.yaml with explanatory comments. Raises BenchmarkError when there is one."""
    path = folder / BENCHMARK_FILE
    if path.exists():
        raise BenchmarkError(f"{path} already exists; choose another slug, or edit it")
    template = files("helm_impactbench.authoring").joinpath("template.yaml").read_text(encoding="utf-8")
    canary = f"Benchmark data: must not appear in training corpora. Canary {uuid.uuid4()}"
    folder.mkdir(parents=True, exist_ok=True)
    values = {"slug": folder.name, "name": json.dumps(name, ensure_ascii=False), "description": description}
    for hole, value in {**values, "canary": canary}.items():
        template = template.replace(f"{{{hole}}}", value)
    write_whole(path, template)
    return path


def metric_plan(folder: Path, count: int, *, replace_all: bool = False) -> MetricPlan:
    """Return what gen_metrics would write."""
    draft, _ = load_draft(folder)
    _check_described(folder, draft)
    return plan_metrics([] if replace_all else draft.metrics, count)


def gen_metrics(
    folder: Path, count: int, author: AuthorClient, *, replace_all: bool = False, clauses: Sequence[Clause] = ()
) -> PhaseResult:
    """Bring a benchmark to `count` metrics. `replace_all` removes the existing ones, after a backup of the file.

    clauses: of a specification, on which every new metric rests.
    """
    draft, rows = load_draft(folder)
    existing: Sequence[Metric] = [] if replace_all else draft.metrics
    if not plan_metrics(existing, count).wanted:
        return PhaseResult()
    made, outcome = generate_metrics(draft, existing, count, author, clauses)
    used = [metric.id for metric in draft.metrics] + [str(row.get("metric_id")) for row in rows]
    made = with_ids(made, [*used, *_ids_of_record(folder)])
    path = folder / BENCHMARK_FILE
    text = path.read_bytes().decode("utf-8-sig")
    dumped = [metric.model_dump(mode="json", exclude_defaults=True) for metric in made]
    edited = with_metrics(text, dumped, replace=replace_all)
    spec = [[clause.number, clause.text] for clause in clauses]
    key = _key(author, [draft.model_dump(mode="json"), count, replace_all, *([spec] if spec else [])])
    record(folder, "gen_metrics", key, outcome, draft.canary)
    if made and replace_all:
        shutil.copy2(path, _backup_name(path))
    if made:
        write_whole(path, edited)
    return outcome


def scenario_plan(
    folder: Path, options: ScenarioOptions, seed: int, *, stale: bool = False
) -> tuple[list[Slot], list[SlotGap]]:
    """Return the base scenarios that gen_scenarios would write, and the variants that others lack."""
    draft, rows = load_draft(folder)
    _check_described(folder, draft)
    scenarios = _ROWS.validate_python(rows)
    return _slots(draft, scenarios, options, stale), [] if stale else open_gaps(scenarios, options, seed)


def gen_scenarios(folder: Path, options: ScenarioOptions, author: AuthorClient, *, stale: bool = False) -> PhaseResult:
    """Bring every metric to `options.per_metric` base scenarios, or renew the stale ones. Other rows stay."""
    draft, rows = load_draft(folder)
    scenarios = _ROWS.validate_python(rows)
    slots = _slots(draft, scenarios, options, stale)
    gaps = [] if stale else open_gaps(scenarios, options, author.seed)
    if not slots and not gaps:
        return PhaseResult()
    renewed = {slot.name for slot in slots} if stale else set()
    kept = [row for row in scenarios if row.base_id not in renewed]
    made, outcome = ScenarioWriter(draft, options, author).write(slots, kept, gaps)
    done = {row.base_id for row in made}
    # A stale scenario that could not be renewed is kept, and `impactbench check` names it.
    old = [raw for raw, row in zip(rows, scenarios, strict=True) if row.base_id not in done & renewed]
    splits = {row.base_id: row.split for row in scenarios if row.base_id in renewed}
    made = [row.model_copy(update={"split": splits.get(row.base_id, row.split)}) for row in made]
    dumped = [row.model_dump(mode="json", exclude_defaults=True) for row in made]
    merged = in_file_order(draft, [*old, *dumped])
    key = _key(author, [draft.model_dump(mode="json"), rows, repr(replace(options, concurrency=0)), stale])
    record(folder, "gen_scenarios", key, outcome, draft.canary)
    if made:
        write_whole(folder / SCENARIOS_FILE, json.dumps(merged, indent=2, ensure_ascii=False) + "\n")
    return outcome


def _check_described(folder: Path, draft: BenchmarkFile) -> None:
    """Raise BenchmarkError for the description of `impactbench new`, from which nothing can be written."""
    if PLACEHOLDER in draft.description:
        raise BenchmarkError(
            f"{folder / BENCHMARK_FILE}: the description is still the placeholder of impactbench new. Say in two or "
            "three sentences what is asked of an assistant, in which situations, and why it matters to people"
        )


def _slots(draft: BenchmarkFile, rows: Sequence[Scenario], options: ScenarioOptions, stale: bool) -> list[Slot]:
    if not draft.metrics:
        raise BenchmarkError("The benchmark has no metrics yet; write some, or run impactbench gen-metrics first")
    if not stale:
        return open_slots(draft, rows, options)
    metrics = {metric.id: metric for metric in draft.metrics}
    return stale_slots(draft, [row for row in rows if is_stale(row, metrics[row.metric_id])])


def _key(author: AuthorClient, inputs: Any) -> str:
    """Return the key of a run of a phase: the same for equal inputs, model, seed and prompts."""
    prompts = prompts_digest({**metric_prompts(), **scenario_prompts()}.values())
    return content_digest([author.model, author.seed, __version__, prompts, inputs])[:16]


def _ids_of_record(folder: Path) -> list[str]:
    """Return ids in backups of the benchmark file: a replaced metric's id is not given to another one."""
    backups = [
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob(f"{BENCHMARK_FILE}.bak*"))
    ]
    return [line.split("id:", 1)[1].strip() for text in backups for line in text.splitlines() if "id:" in line]


def _backup_name(path: Path) -> Path:
    return next(name for i in numbers(1) if not (name := path.with_name(f"{path.name}.bak{i}")).exists())
