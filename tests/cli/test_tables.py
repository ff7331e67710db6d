"""Tables as files."""

from __future__ import annotations

from pathlib import Path

from helm_impactbench.cli.tables import write_rows


def test_no_cell_of_a_table_of_figures_is_a_formula(tmp_path: Path) -> None:
    """Names come from models and benchmarks; a figure below zero stays a number, and an unknown one is empty."""
    rows = [{"=model": "@SUM(1)", "gap": -0.5}, {"=model": "a", "gap": float("nan"), "more": True}]
    write_rows(tmp_path / "x.csv", rows)
    assert (tmp_path / "x.csv").read_bytes() == b"'=model,gap,more\r\n'@SUM(1),-0.5,\r\na,,True\r\n"
