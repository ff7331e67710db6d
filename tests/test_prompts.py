"""Templates: holes are declared, filled in one pass, and inserted text stays text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench import prompts as prompting
from helm_impactbench.authoring.metrics import metric_prompts
from helm_impactbench.authoring.scenario_replies import scenario_prompts
from helm_impactbench.benchmark.measures import confidence, presence, quantity, scale, stance
from helm_impactbench.conversation.paraphrase import paraphrase_prompts
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.errors import PromptError
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.panels.prompts import own_prompt
from helm_impactbench.judging.checks import check_prompts
from helm_impactbench.judging.question import judge_prompts
from helm_impactbench.llm.limits.probe import probe_prompt
from helm_impactbench.prompts import load_prompt, prompts_digest
from helm_impactbench.suites.panels.question import retry_prompt
from helm_impactbench.suites.panels.table import TABLE
from helm_impactbench.validity.cues import cue_prompts
from helm_impactbench.validity.simulator.review import review_prompts
from helm_impactbench.validity.stress.rewriting import stress_prompts


@pytest.fixture
def prompt_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that takes the place of prompts/."""
    monkeypatch.setattr(prompting, "shipped", lambda *parts: tmp_path.joinpath(*parts[1:]))
    return tmp_path


def test_every_shipped_prompt_is_loaded_by_some_code() -> None:
    """No prompt text lies unused, and every declared hole is really there."""
    groups = [simulator_prompts(), judge_prompts(), scenario_prompts(), metric_prompts(), check_prompts()]
    groups += [stress_prompts(), review_prompts(), cue_prompts(), paraphrase_prompts()]
    loaded = {prompt.name for group in groups for prompt in group.values()}
    loaded |= {module._prompt().name for module in (confidence, presence, quantity, scale, stance)}
    loaded |= {retry_prompt(headings=headings).name for headings in (True, False)}
    loaded.add(probe_prompt().name)
    loaded |= {own_prompt(suite.prompt).name for suite in TABLE if suite.prompt}
    assert loaded == {path.stem for path in shipped("prompts").glob("*.txt")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ a }}", "placeholders that the text lacks: b; placeholders that nothing fills: none"),
        ("{{ a }} {{ b }} {{ c }}", "placeholders that the text lacks: none; placeholders that nothing fills: c"),
        ("{{ a }} {{ b", "is not a valid template"),
    ],
)
def test_holes_that_do_not_fit_fail_at_load(prompt_folder: Path, text: str, message: str) -> None:
    """A missing or unknown hole is found before the first call."""
    (prompt_folder / "p.txt").write_text(text)
    with pytest.raises(PromptError, match=message):
        load_prompt("p", {"a", "b"})


def test_a_missing_template_is_named() -> None:
    """The message holds the path."""
    with pytest.raises(PromptError, match=r"nothere\.txt cannot be read"):
        load_prompt("nothere", set())


@given(text=st.text())
def test_inserted_text_is_never_read_as_a_template(text: str) -> None:
    """One pass: braces, dollars and statements in a model's words come out as they went in."""
    prompt = simulator_prompts()["turn"]
    for words in (f"x{text}x", "{{ reply }} ${reply} {% if %} {# #} $5"):
        assert words in prompt.fill(reply=words, direction=None, key="0" * 8)


def test_the_hash_of_prompts_follows_their_text(prompt_folder: Path) -> None:
    """Equal text gives an equal hash in any order; another text another one."""
    (prompt_folder / "p.txt").write_text("one")
    (prompt_folder / "q.txt").write_text("two")
    p, q = load_prompt("p", ()), load_prompt("q", ())
    (prompt_folder / "q.txt").write_text("three")
    assert prompts_digest([p, q]) == prompts_digest([q, p]) != prompts_digest([p, load_prompt("q", ())])
