"""The name of a run, which is its folder's: how long it may be, and that no two deployments share one."""

from __future__ import annotations

from contextlib import suppress

from helm_impactbench.errors import ResultsError, RunEntryError
from helm_impactbench.process.helm_run import HelmRun, Program
from helm_impactbench.results.files import RunFolder, folder_name, is_whole

MAX_NAME_BYTES = 255
"""Longest folder name on common file systems."""
_ASKED: dict[str, str] = {}
"""Run -> deployment, of the runs that this helm-run will do."""


def check_run_name(name: str) -> None:
    """Raise RunEntryError for a run whose name is too long for its folder."""
    size = len(name.encode("utf-8", "replace"))
    if size > MAX_NAME_BYTES:
        raise RunEntryError(
            f"The run {name[:80]}... needs a folder name of {size} bytes, but may have only {MAX_NAME_BYTES}. Give "
            "models with long names shorter ones in prod_env/model_deployments.yaml, or take fewer judges"
        )


def check_one_deployment(name: str, deployment: str, run: HelmRun) -> None:
    """Raise RunEntryError where a helm-run would replace the results of another deployment of the same model.

    HELM names a run by the last two parts of its deployment: litellm/openai/gpt-4o and openai/gpt-4o have one folder.
    """
    if run.program is not Program.HELM_RUN or run.suite_folder is None or run.dry_run:
        return
    folder = run.suite_folder / folder_name(name)
    before, where = _ASKED.setdefault(name, deployment), "this command"
    if before == deployment and is_whole(folder):
        with suppress(ResultsError):  # files that nobody can read are no loss
            before, where = RunFolder(folder).deployment, f"suite {run.suite}"
    if before != deployment:
        raise RunEntryError(
            f"{before} and {deployment} have the same run folder, {folder}: the results of {deployment} would replace "
            f"those of {before} in {where}. Use another --suite for {deployment}."
        )
