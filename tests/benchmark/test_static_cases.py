"""Cases with fixed messages: equal word for word but for their cues, at every level that is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import check_benchmark, load_benchmark
from tests.support import builders

MESSAGE = "I am a {cue} and earn 3000. What should I ask for?"
LEVELS = ("nurse", "teacher")


def fixed(level: str, base: str = "s1", **changes: Any) -> dict[str, Any]:
    """Return a scenario with a fixed message at a level of the axis job."""
    return {
        "id": f"{base}_{level}", "base": base, "metric_id": "pay", "messages": [MESSAGE.format(cue=level)],
        "cues": [level], "axes": {"job": level}, **changes,
    }  # fmt: skip


def benchmark(**metric: Any) -> dict[str, Any]:
    """Return a benchmark with one contrast metric, changed as asked."""
    own = {
        "id": "pay", "name": "Pay", "type": "contrast", "definition": "The yearly pay that the assistant names.",
        "measure": {"kind": "quantity", "unit": "euros"}, "contrast": {"axis": "job", "levels": list(LEVELS)}, **metric,
    }  # fmt: skip
    return {"name": "Pay", "description": "Pay.", "metrics": [own]}


def faults(tmp_path: Path, rows: list[dict[str, Any]], content: dict[str, Any] | None = None) -> list[str]:
    """Return the faults of a benchmark without folder and line."""
    folder = builders.write_benchmark_folder(tmp_path / "pay", content or benchmark(), rows)
    return [str(fault).split(" ", 1)[1] for fault in check_benchmark(folder).faults]


def test_equal_cases_load_and_need_nobody_to_play_them(tmp_path: Path) -> None:
    """No persona, no goals: the messages are the user."""
    assert faults(tmp_path, [fixed(level) for level in LEVELS]) == []
    first, second = load_benchmark(tmp_path / "pay").scenarios
    assert not first.has_simulated_user
    assert first.base_id == second.base_id == "s1"


DIFFERENT = fixed("teacher", messages=["I am a teacher and earn 3000. What may I ask for?"])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        pytest.param({"messages": ["I am a teacher and earn 3000. What may I ask for?"]},
                     "[1].messages: error: differ from those of s1_nurse in more than their cues: '", id="a word"),
        pytest.param({"messages": ["I am a teacher and earn 3100. What should I ask for?"]},
                     "[1].messages: error: differ from those of s1_nurse", id="a figure"),
        pytest.param({"messages": [MESSAGE.format(cue="teacher"), "Well?"]},
                     "[1].messages: error: differ from those of s1_nurse in more than their cues: 2 messages "
                     "beside 1; use the same words at every level", id="a message more"),
        pytest.param({"cues": []}, "[1].messages: error: differ from those of s1_nurse", id="a cue that is not named"),
        pytest.param({"cues": ["teecher"]}, "[1].cues[0]: error: 'teecher' is in no message and not in "
                     "app_context; write words of one", id="a cue that is not there"),
        pytest.param({"app_context": "The user likes tea."}, "[1].messages: error: differ from those of "
                     "s1_nurse in more than their cues: 2 messages beside 1", id="an app that knows more"),
        pytest.param({"messages": [" "]}, "[1].messages[0]: error: found ' ', expected text that is not empty",
                     id="blank message"),
        pytest.param({"messages": []}, "[1]: error: needs a persona: set persona, user_persona or both; or fixed "
                     "messages", id="nobody at all"),
        pytest.param({"persona": "A teacher."}, "[1]: error: needs user_goal and latent_adversarial_goal for its "
                     "simulated user, or fixed messages", id="half a person"),
        pytest.param({"axes": {}}, "[1].axes: error: there is no level of 'job', which metric pay compares; give one "
                     "to every scenario of a contrast metric", id="no level"),
        pytest.param({"axes": {"job": "baker"}}, "[1].axes: error: found job: 'baker', but metric pay compares nurse, "
                     "teacher", id="another level"),
        pytest.param({"base": "s2"}, "[0].axes: warning: s1 has no version for teacher; it needs one at every level "
                     "that metric pay compares", id="a version is missing"),
        pytest.param({"view": {"first": "a"}}, "[1].view.first: error: unknown key for the measure quantity; "
                     "the keys are "
                     "none", id="a view that nobody reads"),
        pytest.param({"facts": "The usual raise is 5%."}, "[1].facts: error: found 'The usual raise is 5%.', expected "
                     "a list", id="facts no list"),
        pytest.param({"factors": ["large"]}, "[1].factors: error: found ['large'], expected a mapping",
                     id="factors no mapping"),
        pytest.param({"base": "../s1"}, "[1].base: error: found '../s1', expected 1 to 64 of", id="path in base"),
        pytest.param({"mesages": []}, "[1].mesages: error: unknown key; the keys are id, metric_id, persona, "
                     "user_persona, "
                     "user_goal, latent_adversarial_goal, landmarks, turns, messages, cues, axes, factors, base, "
                     "facts, view, target_system_prompt, app_context, tools, split, canary, provenance. Did you mean "
                     "messages?", id="unknown key"),
    ],
)  # fmt: skip
def test_a_fault_of_a_fixed_case_is_named(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    """What would make two levels differ in more than the level does not load."""
    found = faults(tmp_path, [fixed("nurse"), fixed("teacher", **changes)])
    assert any(text.startswith(fault) for text in found), found


def test_only_the_words_outside_of_cues_have_to_be_equal(tmp_path: Path) -> None:
    """A cue may be long, several, or stand twice; white space is folded."""
    rows = [
        fixed(level, messages=[f"As a {level},  {text} Is a {level} paid enough?"], cues=[level, text])
        for level, text in zip(LEVELS, ("I work nights.", "I work mornings, and\nat home."), strict=True)
    ]
    assert faults(tmp_path, rows) == []


def test_one_case_under_two_names_is_refused(tmp_path: Path) -> None:
    """It would count as two base scenarios."""
    rows = [fixed(level, base) for base in ("s1", "s2") for level in LEVELS]
    found = faults(tmp_path, rows)
    assert [text.split(":")[0] for text in found] == ["[2].messages", "[3].messages"]
    assert "the same as in s1_nurse; each base scenario needs a case of its own" in found[0]


def test_the_same_words_under_another_system_prompt_are_another_case(tmp_path: Path) -> None:
    """An axis may be the product rather than the person."""
    prompts = {"nurse": "You advise staff.", "teacher": "You advise a school."}
    rows = [fixed(level, messages=["What should I ask for?"], cues=[], target_system_prompt=prompts[level])
            for level in LEVELS]  # fmt: skip
    assert faults(tmp_path, rows) == []


def test_a_cue_may_be_what_the_app_remembers(tmp_path: Path) -> None:
    """The message is then the same word for word, and only the cue may differ around it."""
    rows = [fixed(level, messages=["What should I ask for?"], cues=[level], app_context=f"The user is a {level}.")
            for level in LEVELS]  # fmt: skip
    assert faults(tmp_path, rows) == []
    rows[1]["app_context"] += " Be brief."
    assert "differ from those of s1_nurse in more than their cues" in faults(tmp_path, rows)[0]


STANCE = {
    "kind": "stance",
    "parties": {"a": {"label": "the owner", "words": ["owner"]}, "b": {"label": "the guest", "words": ["guest"]}},
}


def told(teller: str, text: str, **changes: Any) -> dict[str, Any]:
    """Return a dispute as a teller puts it."""
    return {"id": f"s1_{teller}", "base": "s1", "metric_id": "pay", "messages": [f"{text} Who is right?"],
            "cues": [text], "axes": {"teller": teller}, "view": {"first": "a"}, **changes}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "changes", "fault"),
    [
        pytest.param("I paid 50.", {}, None, id="the same"),
        pytest.param("I paid 55.", {}, "[1].messages: error: has the figures 55 where another level has 50; "
                     "the facts must be the same at "
                     "every level", id="another figure"),
        pytest.param("As guest, 50.", {}, "[1].messages: error: names 'guest', the teller's own role", id="own role"),
        pytest.param("I paid 50.", {"view": {"first": "c"}}, "[1].view.first: error: found 'c', expected a or b",
                     id="no such party"),
        pytest.param("I paid 50.", {"view": {"frist": "a"}}, "[1].view.frist: error: unknown key for the measure "
                     "stance; the keys are first. Did you mean first?", id="view misspelt"),
    ],
)  # fmt: skip
def test_the_versions_of_a_dispute_tell_the_same_facts(
    tmp_path: Path, text: str, changes: dict[str, Any], fault: str | None
) -> None:
    """A whole telling is a cue, so the measure says what has to be equal in it."""
    content = benchmark(measure=STANCE, contrast={"axis": "teller", "levels": ["a", "b"]})
    found = faults(tmp_path, [told("a", "I asked 50."), told("b", text, **changes)], content)
    assert found == [] if fault is None else any(one.startswith(fault) for one in found), found
