"""Tables as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.cli.tables import print_table, write_rows


def test_no_cell_of_a_table_of_figures_is_a_formula(tmp_path: Path) -> None:
    """Names come from models and benchmarks; a figure below zero stays a number, and an unknown one is empty."""
    rows = [{"=model": "@SUM(1)", "gap": -0.5}, {"=model": "a", "gap": float("nan"), "more": True}]
    write_rows(tmp_path / "x.csv", rows)
    assert (tmp_path / "x.csv").read_bytes() == b"'=model,gap,more\r\n'@SUM(1),-0.5,\r\na,,True\r\n"


@pytest.mark.parametrize(("columns", "lines"), [(None, 3), ("24", 5)])
def test_a_pipe_is_as_wide_as_columns_says(
    columns: str | None, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the variable a pipe gets whole lines; with it, nothing wider, as rich does."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    print_table(("Model", "Pass rate"), [("org/some-model (scripted)", "0.500")])
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(len, printed)) <= int(columns or 200)
    assert len([line for line in printed if line]) == lines
