"""GSM8K with judges who read the steps: figures of a hand count, and HELM's own run of the suite left as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import helm
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, text_of
from tests.support.suites import write_suite

TARGET = "litellm/openai/target"
JUDGE = "litellm/openai/judge"
ROWS = 8
RIGHT = {0, 1, 2, 3, 4, 5}
"""Sums whose result is right: of these, 4 and 5 by a wrong step; of the others, 6 has right steps by the judge."""
BAD_STEPS = {4, 5, 7}


def planted(body: Body) -> str:
    """Answer as a target that is right on RIGHT, and as a judge who knows BAD_STEPS."""
    words = text_of(body)
    if "<solution>" in words:
        number = int(re.findall(r"has (\d+) kites and", words)[-1]) - 2
        return f"<reasoning>It is so.</reasoning>\n<score>{int(number not in BAD_STEPS)}</score>"
    number = int(re.findall(r"has (\d+) kites and", words)[-1]) - 2
    return f"She adds. The answer is {2 * number + 5 + (number not in RIGHT)}."


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Body]]:
    """Suite `s` of HELM's gsm and of the panel, on one target; and all requests."""
    folder = tmp_path_factory.mktemp("reasoning")
    write_suite(folder, "gsm", rows=ROWS)
    server = OpenAIServer(planted)
    entries = (f"gsm:model={TARGET}", f"panel_gsm:judge={JUDGE},model={TARGET}")
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 100, "-n", 4, cwd=folder,
                OPENAI_API_KEY="sk-x", OPENAI_API_BASE=server.url)  # fmt: skip
    server.close()
    return folder, server.requests


def test_figures_are_those_of_a_hand_count(suite: tuple[Path, list[Body]]) -> None:
    """5 of 8 with right steps, 2 of 8 right by wrong steps: in HELM's files, in its tables and in combined."""
    folder, _ = suite
    run = helm.run_folder(folder, "s", "panel_gsm")
    assert helm.total(run, "steps_right") == (5, 8)
    assert helm.total(run, "right_answer_wrong_steps") == (2, 8)
    run_command("impactbench", "combined", "--suite", "s", "--out", "combined.json", cwd=folder)
    found: dict[str, Any] = json.loads((folder / "combined.json").read_text())
    shares = {row["figure"]: row for row in found["reasoning"]}
    assert {name: (row["value"], row["scored"]) for name, row in shares.items()} == {
        "steps right": (5 / 8, 8), "right answer, wrong steps": (2 / 8, 8),
    }  # fmt: skip
    assert all(row["low"] < row["value"] < row["high"] for row in shares.values())
    scores = {row["score"]: row["value"] for row in found["scores"]}
    assert scores["gsm"] == scores["capability"] == 6 / 8, "a second figure of the same answers is in no mean"
    run_command("impactbench", "summarize", "--suite", "s", cwd=folder)
    (table, *_) = json.loads((folder / "benchmark_output/runs/s/groups/panel_gsm.json").read_text())
    cells = dict(zip((cell["value"] for cell in table["header"]), table["rows"][0], strict=True))
    assert cells["Steps right"]["value"] == 5 / 8
    assert cells["Right by wrong steps"]["value"] == 2 / 8


def test_helms_own_run_is_as_it_was(suite: tuple[Path, list[Body]]) -> None:
    """The target meets the same requests in both runs, and HELM's figure is the same."""
    folder, requests = suite
    own, panel = helm.run_folder(folder, "s", "gsm:model"), helm.run_folder(folder, "s", "panel_gsm")
    name = "final_number_exact_match"
    assert helm.total(own, name) == helm.total(panel, name) == (6 / 8, 1)
    assert "annotations" not in helm.read(own, "scenario_state")["request_states"][0]
    asked = [text_of(body) for body in requests if "<solution>" not in text_of(body)]
    assert {asked.count(text) for text in asked} <= {1, 2}
    assert len(set(asked)) == ROWS
