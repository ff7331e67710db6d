"""The tests of judges from beginning to end: plan, ask, keep the record, say what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from helm_impactbench.benchmark.golden import golden_digest
from helm_impactbench.benchmark.golden_files import golden_folders, load_golden
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.helm.asking import Asking
from helm_impactbench.helm.panels.prompts import judge_prompts
from helm_impactbench.results.files import suite_folder
from helm_impactbench.suites.registry import selected
from helm_impactbench.tables import Result
from helm_impactbench.validity.golden.edge_cases import chosen
from helm_impactbench.validity.golden.panel_check import PanelCheck
from helm_impactbench.validity.golden.run import GoldenCheck
from helm_impactbench.validity.instrument import Instrument, Plan
from helm_impactbench.validity.records.judges import GoldenRecord, judge_folder, judge_name, write_golden, write_stress
from helm_impactbench.validity.stress.kinds import ALL, KINDS, chosen_kinds
from helm_impactbench.validity.stress.run import Rewriting, Stress, stress_plan
from helm_impactbench.validity.stress.stored import stored_subjects, subjects_digest
from helm_impactbench.validity.stress.versions import Material, golden_subjects, versions

USUAL_CONVERSATIONS = 200


class _JudgeCheck(Instrument[Any, Any, GoldenRecord], Protocol):
    """What has judges read material whose verdict is known."""

    @property
    def judges(self) -> tuple[str, ...]: ...
    @property
    def plan(self) -> Plan: ...


def check_judge(
    judge: str,
    benchmarks: Sequence[Path],
    output_path: Path,
    asking: Asking,
    *,
    panel: str | None = None,
    dry_run: bool = False,
) -> Result:
    """Return how well a judge or panel reads golden sets; of a dry run, its plan.

    benchmarks: their folders; all with a golden set if there are none. panel: HELM's names of safety suites joined by
    "+", or all; their edge cases take the place of golden sets. Raises ImpactBenchError.
    """
    if panel and benchmarks:
        raise ImpactBenchError(
            "--panel has edge cases of safety suites read and no benchmark, so leave one of them out."
        )
    judges = asking.judges(judge, "check-judge")
    check: _JudgeCheck = (
        PanelCheck(chosen(panel), judges, judge_prompts)
        if panel
        else GoldenCheck(tuple(load_golden(folder) for folder in golden_folders(tuple(benchmarks))), judges)
    )
    plan = asking.planned(check.plan, dry_run=dry_run)
    if dry_run:
        return plan
    asking.ready([("judge", name) for name in check.judges], _spending(output_path, check.judges))
    return asking.figures(check, partial(write_golden, output_path))


def stress(
    judge: str,
    benchmarks: Sequence[Path],
    output_path: Path,
    asking: Asking,
    *,
    edits: str = ALL,
    rewriter: str | None = None,
    suite: str | None = None,
    conversations: int = USUAL_CONVERSATIONS,
    dry_run: bool = False,
) -> Result:
    """Return whether edits move the verdicts of a judge or panel; of a dry run, its plan.

    edits: names joined by "+", or all. rewriter: writes the edits that need a model. suite: so many of its
    conversations take the place of golden sets. Raises ImpactBenchError.
    """
    kinds = chosen_kinds(edits, rewriter=rewriter is not None)
    material = _golden(benchmarks) if suite is None else _stored(suite, benchmarks, output_path, conversations)
    judges = asking.judges(judge, "stress")
    writer = None if rewriter is None else asking.deployment(rewriter, "rewriter")
    planned = versions(material.subjects, kinds)
    plan = asking.planned(stress_plan(planned, kinds, judges, writer), dry_run=dry_run)
    if edits == ALL and writer is None:
        unwritten = [kind.name for kind in KINDS.values() if kind.edit is None]
        plan = plan.warned(f"{' and '.join(unwritten)} are left out: a model has to write them (--rewriter).")
    if dry_run:
        return plan
    asking.ready([("judge", name) for name in judges], _spending(output_path, judges))
    test = Stress(planned, kinds, judges, material)
    if writer is not None and any(kind.edit is None for kind in kinds):
        asking.ready([("rewriter", writer)], _spending(output_path, judges))
        written, used = asking.record(Rewriting(planned, kinds, writer))
        test = replace(test, planned=written, rewriter=writer, rewriting=used)
    return asking.figures(test, partial(write_stress, output_path))


def _golden(benchmarks: Sequence[Path]) -> Material:
    sets = [load_golden(folder) for folder in golden_folders(tuple(benchmarks))]
    return Material(golden_subjects(sets), counted(len(sets), "golden set"), golden_digest(sets))


def _stored(suite: str, benchmarks: Sequence[Path], output_path: Path, conversations: int) -> Material:
    folder = suite_folder(output_path, suite)
    runs = [one for one in selected(folder, tuple(path.name for path in benchmarks)) if not one.suite.no_conversations]
    if not runs:
        raise ImpactBenchError(f"Suite {suite} has no run whose conversations can be read.")
    subjects = stored_subjects([(one.run, one.suite.question) for one in runs], conversations)
    return Material(subjects, f"suite {suite}", subjects_digest(subjects))


def _spending(output_path: Path, judges: tuple[str, ...]) -> Path:
    return judge_folder(output_path) / judge_name(judges)
