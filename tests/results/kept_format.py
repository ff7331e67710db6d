"""What is kept of three stored runs, so that a change of it is noticed and FORMAT raised.

python -m tests.results.kept_format     # write the stored runs and what is kept of them, after FORMAT was raised
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from helm_impactbench.analysis.costs import kept_purchases
from helm_impactbench.results import kept_outcomes, run_summary
from helm_impactbench.results.files import SPEC_FILE, RunFolder
from helm_impactbench.results.kept import FORMAT
from helm_impactbench.suites.registry import suite_run
from tests.cli import builders
from tests.suites.external.builders import row, stat, write_run
from tests.support import kinds

HERE = Path(__file__).parent / "kept_format"
GOLDEN = HERE / "kept.json"
FILES = (kept_outcomes.FILE, run_summary.FILE, kept_purchases.FILE)


def kept_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Return run -> file -> what is kept there, of copies of the runs in a folder."""
    found = {}
    with tempfile.TemporaryDirectory() as copies:
        for path in sorted(one for one in folder.iterdir() if one.is_dir()):
            run = RunFolder(shutil.copytree(path, Path(copies) / path.name))
            suite = suite_run(run)
            assert suite is not None, path
            suite.outcomes()
            if not suite.suite.no_conversations:
                run_summary.run_summary(run)
                kept_purchases.keep_purchases(run, run.records)
            found[path.name] = {
                name: json.loads((run.path / name).read_text().partition("\n")[2])
                for name in FILES
                if (run.path / name).exists()
            }
    return found


def _write_runs(folder: Path) -> None:
    """Write a run of every kind of suite: conversations of all measures, a panel's, and one of HELM's own."""
    with tempfile.TemporaryDirectory() as place:
        runs = Path(place)
        kinds.write_run(runs / "impact", "bad", kinds.records("bad", 1))
        builders.write_panel(runs / "panel", "bad")
        rows = [row("id1", stat("final_number_exact_match", 1)), row("id2", stat("final_number_exact_match", 0))]
        write_run(runs / "helm", "gsm:model=org_bad", rows, groups=["gsm"], model="org/bad")
        for name in ("impact", "panel", "helm"):
            (path,) = [spec.parent for spec in (runs / name).rglob(SPEC_FILE)]
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns(".*"))


def main() -> None:
    """Write the golden files. Raises SystemExit while FORMAT is that of the files which are there."""
    if GOLDEN.exists() and json.loads(GOLDEN.read_text())["format"] == FORMAT:
        raise SystemExit("Raise FORMAT in helm_impactbench/results/kept.py first: kept files of it would be misread.")
    shutil.rmtree(HERE, ignore_errors=True)
    _write_runs(HERE)
    GOLDEN.write_text(json.dumps({"format": FORMAT, "kept": kept_of(HERE)}) + "\n")


if __name__ == "__main__":
    main()
