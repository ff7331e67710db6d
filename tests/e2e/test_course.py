"""The notebooks of the course run from the first cell to the last, and their exercises come to what they say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.commands import run_command

NOTEBOOKS = Path(__file__).parents[2] / "docs/notebooks"
SHOWN = {
    "build_a_benchmark": ("second-opinion: ok", "m02      1.0      2"),
    "is_the_judge_right": ("sensitivity", "70", "(0.1, 0.1) 0.66 0.5"),
    "which_model_is_better": ("only the second passed: 0", "Behind the first"),
    "what_a_score_does_not_show": ("rehearsal/minors-only  1.000000  0.000000", "Significant: "),
}
"""Notebook -> words of its outputs, in order."""


@pytest.mark.parametrize("name", list(SHOWN))
def test_a_notebook_runs_and_shows_what_it_says(tmp_path: Path, name: str) -> None:
    """Without a key and without the internet; nothing is stored in it."""
    place = tmp_path / "docs/notebooks"
    place.mkdir(parents=True)
    shutil.copy(NOTEBOOKS / f"{name}.ipynb", place)
    run_command("jupyter-execute", f"{name}.ipynb", "--inplace", cwd=place, JUPYTER_PLATFORM_DIRS="1",
                IPYTHONDIR=str(tmp_path / "ipython"), MPLCONFIGDIR=str(tmp_path / "matplotlib"))  # fmt: skip
    executed = json.loads((place / f"{name}.ipynb").read_text(encoding="utf-8"))
    text = "\n".join(
        "".join(output.get(kind) or output.get("data", {}).get(kind, []))
        for cell in executed["cells"]
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
        for kind in ("text", "text/plain", "text/html")
    )
    for words in SHOWN[name]:
        assert words in text, words


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_it_is_stored_without_results(path: Path) -> None:
    """Outputs would be of one machine and of one day."""
    code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert code
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
