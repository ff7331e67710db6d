"""What every command writes with --out, on a suite of every kind, is what it was.

IMPACTBENCH_FREEZE=1 pytest tests/cli/test_frozen_outputs.py writes the files of tests/frozen again; a change of one of
them stands in a commit of its own, with its reason.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from tests.cli.builders import write_suites

FROZEN = Path(__file__).parents[1] / "frozen"
KINDS = ("mixed", "contrasts", "panels", "quantities", "levels")
COMMANDS = {
    "rates": "rates",
    "rates-overall": "rates --by overall",
    "rates-metric": "rates --by metric",
    "rates-factor": "rates --by factor:size",
    "rates-age": "rates --by axis:age",
    "rates-withheld": "rates --withhold-ungrounded --withhold-marked",
    "rates-weighed": "rates --weigh severity",
    "rates-reference": "rates --reference mixed",
    "compare": "compare",
    "compare-equal": "compare --equal-within 0.1",
    "contrasts": "contrasts",
    "contrasts-metric": "contrasts --by metric",
    "contrasts-benchmark": "contrasts --by benchmark",
    "gate": "gate --min pass_rate=0.5 --max contrast_gap_size=0.5 --max not_applicable=0.9",
    "gate-baseline": "gate --baseline mixed --max-drop 0.2",
    "agreement": "agreement",
    "items": "items",
    "items-scenario": "items --by scenario",
    "components": "components",
    "power-pair": "power --pair org/good org/bad --difference 0.2",
    "power-gap": "power --gap org/bad teller a b --difference 0.2",
    "costs": "costs",
    "combined": "combined",
    "label": "label",
    "swap": "audit swap --suite mixed",
    "drift": "drift --suite mixed",
}
"""Name of a frozen file -> the command that writes it, to which --suite KIND and --out are added."""


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of each kind, which no command changes."""
    folder = tmp_path_factory.mktemp("frozen")
    write_suites(folder)
    return folder


def written(command: str, kind: str, ending: str) -> Any:
    """Return what a command writes; None where it writes nothing. Of several CSV files, by what stands before .csv."""
    name, *options = command.split()
    sub = [options.pop(0)] if name == "audit" else []
    out = Path(f"out{ending}")
    for path in Path().glob(f"out*{ending}"):
        path.unlink()
    CliRunner().invoke(main, [name, *sub, "--suite", kind, *options, "--out", str(out)], env={"COLUMNS": ""})
    if not out.exists():
        return None
    if ending == ".json":
        return json.loads(out.read_text(encoding="utf-8"))
    tables = {path.suffixes[0]: _table(path) for path in sorted(Path().glob("out*.csv"))}
    return tables if len(tables) > 1 else tables[ending]


def _table(path: Path) -> list[list[Any]]:
    return [[_cell(cell) for cell in row] for row in csv.reader(path.read_text(encoding="utf-8").splitlines())]


def _cell(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def near(value: Any) -> Any:
    """Return a value whose numbers are compared to nine digits: other processors round the last ones otherwise."""
    if isinstance(value, float):
        return pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
    if isinstance(value, dict):
        return {key: near(item) for key, item in value.items()}
    return [near(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_command_writes_what_it_wrote(suites: Path, workdir: Path, name: str) -> None:
    """Each suite's JSON and CSV hold the frozen figures, or as before none at all."""
    shutil.copytree(suites, workdir, dirs_exist_ok=True)
    now = {
        f"{kind}{ending}": result
        for kind in KINDS
        for ending in (".json", ".csv")
        if (result := written(COMMANDS[name], kind, ending)) is not None
    }
    path = FROZEN / f"{name}.json"
    if os.environ.get("IMPACTBENCH_FREEZE"):
        path.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    frozen = json.loads(path.read_text(encoding="utf-8"))
    assert list(now) == list(frozen)
    for key, value in frozen.items():
        assert now[key] == near(value), key
