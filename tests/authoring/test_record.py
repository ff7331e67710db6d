"""The record of what authoring used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_impactbench.authoring.author_client import RECORD_FILE, REJECTED_FILE, PhaseResult, record
from helm_impactbench.llm.usage import Usage

USED = PhaseResult(usage=Usage(calls=2, prompt_tokens=5, completion_tokens=3, cost_usd=0.5))


def costs(folder: Path) -> dict[str, object]:
    """Return the totals of a phase in its record."""
    found: dict[str, object] = json.loads((folder / RECORD_FILE).read_text())["cost"]["gen_metrics"]["total"]
    return found


def test_runs_add_up_and_a_repeat_counts_once(tmp_path: Path) -> None:
    """By the key of the run."""
    for key in ("one", "two", "two"):
        record(tmp_path, "gen_metrics", key, USED, None)
    assert (costs(tmp_path)["cost"], costs(tmp_path)["calls"]) == (1.0, 4)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[1]", '{"cost": 5}', '{"cost": {"gen_metrics": []}}', '{"cost": {"gen_metrics": {"runs": {"a": {}}}}}',
     '{"cost": {"gen_metrics": {"runs": {"a": {"cost": "x"}}}}}', "[" * 100_000, '{"cost": NaN}'],
)  # fmt: skip
def test_a_damaged_record_is_put_aside(tmp_path: Path, content: str) -> None:
    """What was just paid for is written, and the damaged file is kept under another name."""
    for name in (RECORD_FILE, REJECTED_FILE):
        (tmp_path / name).write_text(content)
    record(tmp_path, "gen_metrics", "one", USED, "canary")
    assert costs(tmp_path)["cost"] == 0.5
    assert (tmp_path / f"{RECORD_FILE}.damaged").read_text() == content
