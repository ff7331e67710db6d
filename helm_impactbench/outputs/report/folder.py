"""The report's folder: written beside its place and moved there when it is whole."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ImpactBenchError

MARKER = "impactbench-report.json"
"""What distinguishes a report of ours from any other folder."""


def check_place(out: Path) -> None:
    """Raise ImpactBenchError unless `out` is free, empty, or a report of ours that may be replaced."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ImpactBenchError(
            f"--out-dir {out} is not a folder; name a folder that does not exist yet, or an older report."
        )
    if out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file():
        raise ImpactBenchError(
            f"--out-dir {out} has files in it and is not a report of impactbench ({MARKER} is missing), so it is not "
            "replaced. Name another folder, or remove this one."
        )


@contextmanager
def new_folder(out: Path, about: Mapping[str, Any]) -> Iterator[Path]:
    """Yield a folder to write into; when the block ends well it takes the place of `out`, else nothing changes."""
    check_place(out)
    out = out.absolute()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise ImpactBenchError(f"--out-dir {out} cannot be written: {error.strerror or error}") from error
    fresh = work / "new"
    try:
        fresh.mkdir()
        yield fresh
        (fresh / MARKER).write_text(json.dumps(about, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        _put(fresh, out, aside=work / "old")
    except OSError as error:
        raise ImpactBenchError(f"--out-dir {out} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _put(fresh: Path, out: Path, *, aside: Path) -> None:
    """Move `fresh` to `out`; what is there goes `aside`, and back again when the move fails."""
    if not out.exists():
        fresh.rename(out)
        return
    out.rename(aside)
    try:
        fresh.rename(out)
    except OSError:
        aside.rename(out)
        raise
