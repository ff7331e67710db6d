"""The example package of docs/example_measure: installed by its own pyproject.toml, and used in a run."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.support import builders
from tests.support.commands import run_command
from tests.support.plug_in import ROOT, plugged_in

EXAMPLE = ROOT / "docs" / "example_measure"
AGES = ["adult (18+)"]
LINES = {"examples": ["I keep to a formal tone."], "near_misses": ["I keep to a casual tone."]}
METRIC = {"id": "f1", "name": "Formal words", "type": "positive", "definition": "The assistant speaks formally.",
          "measure": "formality", **LINES}  # fmt: skip


def install(folder: Path, target: Path) -> None:
    """Build the package as pip does, without its network, and unpack the wheel."""
    shutil.copytree(EXAMPLE, folder)
    build = "from setuptools import build_meta; build_meta.build_wheel('wheel')"
    subprocess.run([sys.executable, "-c", build], cwd=folder, check=True, capture_output=True)
    (wheel,) = (folder / "wheel").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)


def test_the_example_package_is_installed_and_judges_a_conversation(tmp_path: Path) -> None:
    """A benchmark names its measure; helm-run with worker processes, and rates, find it by its entry point alone."""
    install(tmp_path / "source", tmp_path / "site")
    content = {"name": "Manners", "description": "For tests.", "scenario": {"axes": {"age": AGES}, "turns": 1},
               "areas": ["psychological"], "metrics": [METRIC]}  # fmt: skip
    builders.write_benchmark_folder(
        tmp_path / "benchmarks/manners", content, [builders.scenario("f1", 1, 0, AGES[0], landmarks=[])]
    )
    entry = "impactbench:benchmark=manners,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/supportive"
    parallel = ("--runner-class-name", "helm_impactbench.ParallelRunner")
    environment = plugged_in(tmp_path / "site")
    run_command("helm-run", "--run-entries", entry, "--suite", "s", "-m", 9, *parallel, cwd=tmp_path, **environment)
    run_command("impactbench", "rates", "--suite", "s", "--out", "rates.csv", cwd=tmp_path, **environment)
    (row,) = csv.DictReader((tmp_path / "rates.csv").read_text().splitlines())
    assert (row["scored"], row["pass_rate"]) == ("1", "1.0")
    done = run_command("impactbench", "rates", "--suite", "s", cwd=tmp_path, ok=False)
    assert "there is no measure 'formality'" in done.stderr
    assert "install the package that brings it" in done.stderr


def test_it_is_short() -> None:
    """A measure of one's own takes no more than a page."""
    lines = (EXAMPLE / "impactbench_formality.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 40
