"""Can helm-run write where it has to? Asked before the first call, because an answer that cannot be kept is lost."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from helm.proxy.services.service import CACHE_DIR

from helm_impactbench.files.atomic_write import StorageError

_PROBE_BYTES = 1 << 16


def check_folders(arguments: Sequence[str]) -> None:
    """Raise StorageError for an output or cache folder of helm-run that takes no file. `arguments` is sys.argv."""
    if not arguments or Path(arguments[0]).stem != "helm-run":
        return
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("-o", "--output-path", default="benchmark_output")
    parser.add_argument("--suite", default="default")
    parser.add_argument("--local-path", default="prod_env")
    with suppress(argparse.ArgumentError, SystemExit):
        found, _ = parser.parse_known_args(arguments[1:])
        check_folder(Path(found.output_path) / "runs" / found.suite, "results", "--output-path")
        check_folder(Path(found.local_path) / CACHE_DIR, "models' answers", "--local-path")


def check_folder(folder: Path, what: str, option: str) -> None:
    """Raise StorageError unless a file can be written into `folder`, or to where it is to be made."""
    there = folder
    try:
        there = next((path for path in (folder, *folder.parents) if path.exists()), Path())
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
    except OSError as error:
        raise StorageError(
            f"{there} cannot be written to ({error.strerror}), where the {what} go. Free space or give write access "
            f"there, or choose another folder with {option}. No call was made."
        ) from error
