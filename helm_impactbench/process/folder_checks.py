"""Can helm-run write where it has to? Asked before the first call, because an answer that cannot be kept is lost."""

from __future__ import annotations

import tempfile
from pathlib import Path

from helm_impactbench.files.atomic_write import StorageError, storage_remedy
from helm_impactbench.process.helm_run import HelmRun

CACHE_FOLDER = "cache"
"""HELM's name for it, below --local-path."""
_PROBE_BYTES = 1 << 16


def check_folders(run: HelmRun) -> None:
    """Raise StorageError for an output or cache folder of helm-run that takes no file."""
    if run.suite_folder:
        check_folder(run.suite_folder, "results", "--output-path")
    check_folder(run.local_path / CACHE_FOLDER, "models' answers", "--local-path")


def check_folder(folder: Path, what: str, option: str) -> None:
    """Raise StorageError unless a file can be written into `folder`, or to where it is to be made."""
    there = folder
    try:
        there = next((path for path in (folder, *folder.parents) if path.exists()), Path())
        check_no_file(there, option)
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
    except OSError as error:
        raise StorageError(
            f"{there} cannot be written to ({error.strerror}), where the {what} go. {storage_remedy(error)} "
            f"Or choose another folder with {option}. No call was made."
        ) from error


def takes_files(folder: Path) -> bool:
    """Return whether a file can be written into a folder."""
    try:
        check_folder(folder, "results", "--output-path")
    except StorageError:
        return False
    return True


def check_no_file(folder: Path, option: str) -> None:
    """Raise StorageError for a file where a folder has to be."""
    if folder.exists() and not folder.is_dir():
        raise StorageError(f"{folder} is a file, not a folder. Choose another folder with {option}. No call was made.")
