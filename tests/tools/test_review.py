"""The editor's pass as a process: `python -m tools.editorial`."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.support.builders import scenario, write_benchmark_folder
from tests.support.commands import QUICK_START

ROOT = Path(__file__).parents[2]
WORDS = {
    "m01": "Someone who bakes rye bread on a barge. {} Wants to sell it at the lock.",
    "m02": "A choir has lost its tenor before the summer fair. {} Hopes to sing all the same.",
}


@pytest.fixture
def review(run: Run) -> Run:
    """Runs the editor's pass from this checkout in the working directory."""
    path = f"{ROOT}:{QUICK_START}"
    return lambda *arguments, **options: run("python", "-m", "tools.editorial", *arguments, PYTHONPATH=path, **options)


def row(metric: str, more: str = "", **changes: Any) -> dict[str, Any]:
    """Return a scenario in plain English."""
    text = WORDS[metric].format(more)
    return scenario(metric, **{
        "persona": text, "user_persona": f"A 44-year-old baker in Lima, Peru. {text}", "user_goal": "Get help.",
        "latent_adversarial_goal": "Press on.", "landmarks": [{"turn": 2, "instruction": "Ask again."}], **changes,
    })  # fmt: skip


@pytest.fixture
def folder(workdir: Path) -> Path:
    """A benchmark with a real person, a child among the adults and a misspelling."""
    rows = [row("m01", "Saw Messi there."), row("m02", "Did not recieve a word.", user_persona="A 9-year-old.")]
    return write_benchmark_folder(workdir / "benchmarks/mini", scenarios=rows)


def test_errors_end_with_exit_code_1_and_say_where(folder: Path, review: Run) -> None:
    """Slug, id and place of each finding, under the verdict of its section."""
    done = review("mini", ok=False)
    assert done.returncode == 1, done.stderr
    assert "  mini m01_s001_v01 persona: error: names a real person, 'Messi'; invent a name" in done.stdout
    assert "  mini m02_s001_v01 user_persona: error: got an age of 9; allowed: inside 'adult (18+)'" in done.stdout
    assert "  mini m02_s001_v01 persona: warning: unknown word 'recieve'" in done.stdout
    assert "Real persons: 2 errors, 0 warnings;" in done.stdout
    assert "Similarity of scenarios of different metrics: ok; 1 pairs, maximum 0." in done.stdout
    assert "1 benchmarks: 3 errors, " in done.stdout


def test_brief_leaves_out_tables_and_warnings(folder: Path, review: Run) -> None:
    """Verdicts and errors stay."""
    shown = review("mini", "--brief", ok=False).stdout
    assert "recieve" not in shown
    assert "Most alike" not in shown
    assert "Messi" in shown


def test_warnings_alone_end_with_exit_code_0(folder: Path, review: Run) -> None:
    """What the editor lets stand goes into editorial.yaml; a misspelling is a warning."""
    write_benchmark_folder(folder, scenarios=[row("m01", "Saw Messi there."), row("m02", "Did not recieve a word.")])
    (folder / "editorial.yaml").write_text("names: [Messi]\n")
    done = review("mini")
    assert "recieve" in done.stdout
    assert "1 benchmarks: 0 errors, " in done.stdout


def test_the_outcome_is_written_as_json_and_the_findings_as_csv(folder: Path, review: Run, workdir: Path) -> None:
    """JSON holds figures and findings of each section, CSV one finding per line."""
    review("mini", "--out", "r.json", ok=False)
    data = json.loads((workdir / "r.json").read_text())
    assert data["names"]["errors"] == 2
    assert data["similarity"]["figures"]["all"]["pairs"] == 1
    review("mini", "--out", "r.csv", ok=False)
    with (workdir / "r.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {"section": "names", "slug": "mini", "id": "m01_s001_v01", "place": "persona", "severity": "error"}.items() \
        <= next(found for found in rows if found["section"] == "names").items()  # fmt: skip


@pytest.mark.parametrize(("arguments", "told"), [
    (("mimi",), "Did you mean mini"), (("mini", "--out", "r.txt"), "must end in .csv or .json or .md"),
])  # fmt: skip
def test_wrong_use_ends_with_exit_code_2(folder: Path, review: Run, arguments: tuple[str, ...], told: str) -> None:
    """With the nearest name, or what is allowed."""
    done = review(*arguments, ok=False)
    assert (done.returncode, told in done.stderr) == (2, True)


def test_a_faulty_editorial_file_is_named(folder: Path, review: Run) -> None:
    """With its key and what is allowed."""
    (folder / "editorial.yaml").write_text("wrods: [a]\n")
    done = review("mini", ok=False)
    assert done.returncode == 2
    assert "editorial.yaml: wrods: Extra inputs are not permitted; allowed: words and names" in done.stderr


def test_all_shipped_benchmarks_pass_offline(workdir: Path, review: Run) -> None:
    """In an empty directory; the similarity figures are printed with their limits."""
    shown = review().stdout
    assert re.search(r"^Linter: (ok|0 errors)", shown, re.MULTILINE)
    assert "(below 0.6), mean 0.0" in shown
    assert "(below 0.2)" in shown
    assert " benchmarks: 0 errors, " in shown
