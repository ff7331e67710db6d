"""Writing a run's folder: whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.results.files import RUN_FILES, STATS_FILE, is_whole
from helm_impactbench.results.publish import STAGING, publish


def figures(state: Mapping[str, Any], spec: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Count the conversations."""
    return [len(state["request_states"])], [spec["name"]]


def test_a_run_is_written_in_one_step(tmp_path: Path) -> None:
    """New and in the place of an old one; what an interruption left is not a run and is cleaned up."""
    folder = tmp_path / "suite" / "run:a=b"
    left = tmp_path / "suite" / STAGING / "new" / "run:a=b"
    left.mkdir(parents=True)
    (left / STATS_FILE).write_text("half")
    assert not is_whole(folder)
    publish(folder, {"name": "run"}, {}, {"request_states": []}, figures)
    assert is_whole(folder)
    publish(folder, {"name": "run"}, {}, {"request_states": [1, 2]}, figures)
    assert [json.loads((folder / name).read_text()) for name in RUN_FILES] == [
        {"name": "run"}, {}, {"request_states": [1, 2]}, [2], ["run"],
    ]  # fmt: skip
    assert [path.name for path in (tmp_path / "suite").iterdir()] == ["run:a=b"]


def test_a_run_whose_figures_fail_is_not_written(tmp_path: Path) -> None:
    """The old run stays as it was."""
    folder = tmp_path / "suite" / "run"
    publish(folder, {"name": "run"}, {}, {"request_states": [1]}, figures)
    with pytest.raises(KeyError):
        publish(folder, {"name": "other"}, {}, {}, figures)
    assert (folder / STATS_FILE).read_text() == "[\n  1\n]"
    assert [path.name for path in (tmp_path / "suite").iterdir()] == ["run"]
