"""The front page as it was made last, kept in the suite's folder: shown at once while the suite is read again.

    line 1   what it was made from: the package, and what times and sizes say of the files of every run and check
    rest     the page

A page that follows from anything else is not shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.outputs.report.pages import HERE as TEMPLATES
from helm_impactbench.results.files import SPEC_FILE, STATE_FILE
from helm_impactbench.results.kept import FORMAT
from helm_impactbench.validity.records.judges import judge_folder

FILE = ".impactbench-front.html"
_NOTICE = '<p class="soft" role="status">These are the results from the last visit; the suite is being read again.</p>'


def kept_front(suite: Path, options: Mapping[str, Any]) -> str | None:
    """Return the front page that was kept, with a line that says so; None where there is none of just this suite."""
    try:
        head, _, page = read_bytes(suite / FILE, MAX_RUN_BYTES).decode("utf-8").partition("\n")
    except (IntakeError, UnicodeDecodeError):
        return None
    if head != origin(suite, options):
        return None
    return page.replace("<main ", f'{_NOTICE}<meta http-equiv="refresh" content="3"><main ', 1)


def keep_front(suite: Path, origin: str, page: str) -> None:
    """Keep a front page, unless the folder takes no file; origin: as it was before the suite was read for it."""
    with suppress(OSError):
        write_whole(suite / FILE, f"{origin}\n{page}", durable=False)


def origin(suite: Path, options: Mapping[str, Any]) -> str:
    """Return the hash of all that the page follows from, as far as times and sizes of files tell it."""
    patterns = (f"*/{STATE_FILE}", f"*/{SPEC_FILE}", "*.json", "*.jsonl")
    files = [path for pattern in patterns for path in sorted(suite.glob(pattern))]
    files += sorted(judge_folder(suite.parents[1]).glob("*.json"))
    stats = [(path.parent.name, path.name, (found := path.stat()).st_size, found.st_mtime_ns) for path in files]
    templates = [path.stat().st_mtime_ns for path in sorted(TEMPLATES.iterdir()) if path.is_file()]
    made_of = [FORMAT, __version__, {name: str(value) for name, value in options.items()}, templates, stats]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
