"""The notebook in docs/notebooks runs from its first cell to its last and shows what it says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.support.canonical import Canonical
from tests.support.commands import run_command

NOTEBOOK = Path(__file__).parents[2] / "docs/notebooks/first_look.ipynb"


def test_every_cell_runs(canonical: Canonical, tmp_path: Path) -> None:
    """On a suite beside it, as in a clone after `make demo`: data, a chart and tables; and on a study that it runs."""
    canonical.put(tmp_path, ["prosocial"], ["harmful", "mixed"], suite="demo")
    place = tmp_path / "docs/notebooks"
    place.mkdir(parents=True)
    shutil.copy(NOTEBOOK, place)
    run_command("jupyter-execute", NOTEBOOK.name, "--inplace", cwd=place, JUPYTER_PLATFORM_DIRS="1",
                IPYTHONDIR=str(tmp_path / "ipython"), MPLCONFIGDIR=str(tmp_path / "matplotlib"))  # fmt: skip
    executed = json.loads((place / NOTEBOOK.name).read_text(encoding="utf-8"))
    shown = ["".join(map(json.dumps, cell["outputs"])) for cell in executed["cells"] if cell["cell_type"] == "code"]
    assert ["image/png" in outputs for outputs in shown].count(True) == 1
    frames = [outputs for outputs in shown if "text/html" in outputs]
    data, results = frames[:4], frames[4:]
    for frame, word in zip(data, ("metric_name", "scored", "adjusted_p", "age"), strict=True):
        assert word in frame
        assert "rehearsal/" in frame
    for html, word in zip(results, ("Pass rates", "Behind the first", "Significant: 0 of", "Stays out"), strict=True):
        assert word in html
    assert any("0 of 2 conditions met." in outputs for outputs in shown)
    assert not any('"stderr"' in outputs for outputs in shown)
