"""A new folder that is there when it is whole, and that never takes the place of another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helm_impactbench.errors import ExchangeError


def check_new(path: Path) -> None:
    """Raise ExchangeError when something is at `path`, or nothing can be put there."""
    if path.exists() or path.is_symlink():
        raise ExchangeError(f"{path} exists; nothing is overwritten: give another --out-dir, or move it away.")
    if path.parent.exists() and not path.parent.is_dir():
        raise ExchangeError(f"{path.parent} is a file. Give a folder to put {path.name} into.")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give a folder to write into, and move it to `path` at the end; after an error nothing of it is left.

    Raises ExchangeError when `path` exists or cannot be written.
    """
    check_new(path)
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)  # of an interruption
        unfinished.mkdir(parents=True)
        yield unfinished
        check_new(path)  # somebody else may have been quicker
        unfinished.rename(path)
    except OSError as error:
        raise ExchangeError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
