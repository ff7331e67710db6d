"""What a suite has paid for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from helm_impactbench.llm.limits.spend_log import ReservedCall, SpendLog


def test_the_log_sums_over_processes_and_passes_over_a_line_that_was_cut_off(tmp_path: Path) -> None:
    """Two processes add, one is killed in the middle of a line: the whole lines count."""
    path = tmp_path / "suite/spending.jsonl"
    spend_log = SpendLog(path)
    spend_log.add("a", 0.25)
    code = """
import pathlib, sys
from helm_impactbench.llm.limits.spend_log import SpendLog
SpendLog(pathlib.Path(sys.argv[1])).add("b", 0.5)
"""
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    with path.open("a") as file:
        file.write('{"deployment": "c", "cost')
    assert spend_log.total() == 0.75
    assert SpendLog(path).total() == 0.75
    spend_log.add("d", 1.0)
    assert spend_log.total() == 1.75
    assert SpendLog(path).total() == 1.75


def test_a_deleted_log_is_written_again(tmp_path: Path) -> None:
    """The folder goes during a run: what this process paid stays booked, and nothing counts twice."""
    path = tmp_path / "suite/spending.jsonl"
    spend_log = SpendLog(path)
    spend_log.add("a", 0.25)
    spend_log.reserve("c-1", "b", 1.0)
    shutil.rmtree(path.parent)
    spend_log.settle("c-1", ReservedCall("b", 1.0), 0.5)
    assert (spend_log.total(), SpendLog(path).total()) == (0.75, 0.75)
    assert SpendLog(path).on_their_way() == {}
