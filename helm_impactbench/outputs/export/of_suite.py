"""The runs of a suite in the file formats of other tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.outputs.export.folder import new_folder
from helm_impactbench.results.files import RunFolder
from helm_impactbench.tables.names import shown_model

Format = Literal["impactbench", "csv", "parquet", "inspect", "every-eval-ever", "preferences", "sft"]
Relationship = Literal["first_party", "third_party", "collaborative", "other", ""]


@dataclass(frozen=True)
class Evaluation:
    """What no run records and Every Eval Ever asks for."""

    evaluator: str = ""
    """The organisation that ran the evaluation; empty for unknown."""
    relationship: Relationship = ""
    """Of the evaluator to the models' developers; empty for other."""
    instances: bool = False
    """Whether single conversations are written too, with their words."""


def check_export(kind: str, evaluation: Evaluation, *, for_spreadsheets: bool) -> None:
    """Raise ImpactBenchError for a format that there is not, or an option that is not for it."""
    if kind not in get_args(Format):
        raise ImpactBenchError(f"There is no format {kind!r}. Formats are {', '.join(get_args(Format))}.")
    if for_spreadsheets and kind != "csv":
        raise ImpactBenchError(f"--for-spreadsheets works with --format csv only, not with --format {kind}.")
    if evaluation != Evaluation() and kind != "every-eval-ever":
        raise ImpactBenchError(
            f"--evaluator, --relationship and --instances work with --format every-eval-ever only, not with {kind}."
        )


def export_runs(
    runs: Sequence[RunFolder],
    kind: Format,
    out_dir: Path,
    evaluation: Evaluation = Evaluation(),
    *,
    for_spreadsheets: bool = False,
) -> list[str]:
    """Write runs into a new folder and return what is to be known of it. Raises ImpactBenchError.

    for_spreadsheets: csv: put an apostrophe before text that a spreadsheet would take for a formula.
    """
    check_export(kind, evaluation, for_spreadsheets=for_spreadsheets)
    with new_folder(out_dir) as folder:
        if kind == "every-eval-ever":
            notes = _write_every_eval(folder, runs, evaluation)
        else:
            notes = _write(kind, folder, runs, for_spreadsheets)
    return [*notes, *_scripted(runs)]


def _write(kind: Format, folder: Path, runs: Sequence[RunFolder], for_spreadsheets: bool) -> list[str]:
    """Write one format and return what is to be known of it."""
    if kind == "impactbench":
        return _write_impactbench(folder, runs)
    if kind in ("preferences", "sft"):
        from helm_impactbench.outputs.export.training_files import write_training

        return write_training(folder, runs, kind)
    if kind == "inspect":
        from helm_impactbench.outputs.export.inspect_files import write_inspect

        write_inspect(folder, runs)
        return ["Open them in an environment with Inspect AI, which cannot be HELM's: inspect view --log-dir <folder>"]
    from helm_impactbench.outputs.export.table_files import write_csv, write_parquet

    if kind == "parquet":
        write_parquet(folder, runs)
        return []
    formulas = write_csv(folder, runs, for_spreadsheets=for_spreadsheets)
    told = (
        "an apostrophe stands before it now"
        if for_spreadsheets
        else "exact; --for-spreadsheets makes such text harmless"
    )
    return [f"{counted(formulas, 'cell')} like a spreadsheet's formula: {told}"] if formulas else []


def _write_every_eval(folder: Path, runs: Sequence[RunFolder], evaluation: Evaluation) -> list[str]:
    from helm_impactbench.outputs.export.every_eval_files import write_every_eval
    from helm_impactbench.outputs.export.every_eval_record import Evaluator

    evaluator = Evaluator(evaluation.evaluator or "unknown", evaluation.relationship or "other")
    left_out = write_every_eval(folder, runs, evaluator, instances=evaluation.instances)
    notes = [
        f"{counted(len(runs) - len(left_out), 'record')} of figures, one per run; "
        + (
            "beside it the conversations that passed or failed. The format has no place for others."
            if evaluation.instances
            else "no conversation is in them."
        )
    ]
    if left_out:
        notes.append(
            f"No record, because there is no figure, of {counted(len(left_out), 'run')}: {', '.join(left_out)}"
        )
    return [
        *notes,
        "Before you submit the records, fill in deployment_type and model_availability: runs do not say what they are, "
        "so both are 'unknown'.",
    ]


def _write_impactbench(folder: Path, runs: Sequence[RunFolder]) -> list[str]:
    from helm_impactbench.outputs.export.impactbench_files import write_impactbench

    written = write_impactbench(folder, runs)
    notes = []
    if written.without_verdict:
        notes.append(
            f"Without an answer from the judges: {written.without_verdict.total()} of "
            f"{counted(written.conversations, 'conversation')} ({_counts(written.without_verdict)}), with the "
            "reason in verdicts.json, not in scores.json"
        )
    if written.not_in_scores:
        notes.append(
            f"{counted(written.not_in_scores.total(), 'answer')} only in verdicts.json, because scores.json can "
            "only say whether the behaviour of a positive or negative metric is present: "
            f"{_counts(written.not_in_scores)}"
        )
    if written.unpriced_runs:
        notes.append(
            f"{counted(len(written.unpriced_runs), 'run')} with calls of unknown price: the cost is null, never 0"
        )
    return notes


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{what} {count}" for what, count in sorted(found.items()))


def _scripted(runs: Sequence[RunFolder]) -> list[str]:
    scripted = sorted({shown_model(run.model) for run in runs if shown_model(run.model) != run.model})
    return [f"These targets are scripts; their numbers say nothing about any model: {', '.join(scripted)}"][
        : len(scripted)
    ]
