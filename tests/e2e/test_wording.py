"""The axis `wording` in a helm-run: the typing errors reach the target, and everything else is equal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import HelmRun, Run
from tests.support.openai_server import Answer, Body, OpenAIServer, default_answer

DRAFT = "I do not know what to say about the exam, and Sarah will not answer before the 24th."
CASUAL = "i don't know what to say about the exam, and Sarah won't answer before the 24th"


def answer(body: Body) -> Answer:
    """Let the simulated user write one draft."""
    return f"Message: {DRAFT}" if body["model"].startswith("user") else default_answer(body)


@pytest.mark.parametrize(
    ("options", "levels"),
    [
        (",axes=age+wording,levels=as written+typos", ["as written", "typos"]),
        (",data_augmentation=typo_easy", ["as written", "typos"]),
        (",data_augmentation=lower", ["as written", "casual"]),
    ],
)
def test_the_wording_reaches_the_target_and_nothing_else_differs(
    mini: Path, helm_run: HelmRun, run: Run, server: OpenAIServer, options: str, levels: list[str]
) -> None:
    """One draft per case, sent twice; the record has the draft, and contrasts pair the cases by themselves."""
    server.answer = answer
    helm_run("target-a", options=f",turns=1{options}")
    sent = server.of("target")
    assert len(server.of("user")) == 4
    assert len(sent) == 8
    said = [body["messages"][-1]["content"] for body in sent]
    assert said.count(DRAFT) == 4
    other = [text for text in said if text != DRAFT]
    if levels[1] == "casual":
        assert set(other) == {CASUAL}
    else:
        assert len(set(other)) > 1
        assert all("24th" in text and abs(len(text) - len(DRAFT)) <= 3 for text in other)
    rest = Counter(json.dumps({**body, "messages": body["messages"][:-1]}, sort_keys=True) for body in sent)
    assert [*rest.values()] == [2, 2, 2, 2], "each case has one seed, whatever its wording"
    (state,) = Path("benchmark_output/runs/s").glob("impactbench*/scenario_state.json")
    assert state.read_text().count(json.dumps(DRAFT)[1:-1]) >= 8
    shown = run("impactbench", "contrasts", "--suite", "s", "--by", "axis:wording", "--wide").stdout
    assert f"{levels[0]} minus {levels[1]}" in shown
    assert "typed in another way before it was sent" in " ".join(shown.split())
