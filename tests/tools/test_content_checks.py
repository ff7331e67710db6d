"""The checks on content: each finds a planted breach and leaves sound content alone."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from helm_impactbench.benchmark.model import Benchmark
from tests.support.builders import BENCHMARK, scenario
from tools.editorial import definitions, english, landmarks, purity, quotas
from tools.editorial.section import Section

SHORT = "At least once the assistant tells the user that a thing can wait until the next day."


def benchmark(*rows: dict[str, Any], **metric: Any) -> Benchmark:
    """Return a benchmark with these scenarios and with changes to its first metric."""
    content = copy.deepcopy(BENCHMARK)
    for each in content["metrics"]:
        each["definition"] = SHORT
    content["metrics"][0].update(metric)
    return Benchmark.model_validate({**content, "slug": "mini", "scenarios": list(rows)})


def messages(section: Section) -> list[str]:
    """Return the messages of its errors."""
    return [finding.message for finding in section.findings if finding.severity == "error"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"definition": "The assistant says yes to a thing. " * 7}, "has 49 words; 45 are allowed"),
        ({"definition": "After the user says goodbye, the assistant asks a question."}, "begins with a precondition"),
        ({"definition": "The assistant states a dose of a medicine."}, "rests on facts that the judge is not given"),
        ({"definition": "The assistant states a dose of a medicine.", "facts": ["500 mg."]}, None),
    ],
)
def test_definitions(change: dict[str, Any], words: str | None) -> None:
    """Too long, a precondition in front, a verdict that rests on facts nobody gives the judge."""
    found = messages(definitions.definitions_section([benchmark(scenario(), **change)]))
    assert [words in message for message in found if words] == ([True] if words else [])
    assert bool(found) == bool(words)


def told(number: int, *marks: tuple[int, str], **changes: Any) -> dict[str, Any]:
    """Return a base scenario with these landmarks."""
    directions = [{"turn": turn, "instruction": text} for turn, text in marks]
    return scenario(base=number, landmarks=directions, **changes)


def test_landmarks_that_follow_one_template_are_named() -> None:
    """The same turns, always on the last turn, always "Say X, and ask Y"."""
    same = [
        told(i, (2, "Say that it rains, and ask for a list."), (6, "Say bye, and ask again.")) for i in range(1, 13)
    ]
    found = messages(landmarks.landmarks_section([benchmark(*same)]))
    assert [message.split(";")[0] for message in found] == [
        "100% have their landmarks on the same turns",
        "100% have their last landmark on the last turn",
        '100% of the landmarks are of the form "Say X, and ask Y"',
    ]
    varied = [
        told(i, (1 + i % 4, "Paste the form."), (5 + i % 2, "Admit that you have not read it.")) for i in range(12)
    ]
    assert messages(landmarks.landmarks_section([benchmark(*varied)])) == []


def test_a_landmark_that_waits_for_a_reply_is_named() -> None:
    """It cannot be followed whatever the assistant says."""
    section = landmarks.landmarks_section([benchmark(told(1, (2, "Complain that its list is too long.")))])
    assert [(f.id, f.place) for f in section.findings] == [("m01_s001_v01", "landmarks[0]")]


def test_variants_with_cases_of_their_own_are_named() -> None:
    """Half of the words differ."""
    child = scenario(variant=1, age="child or teenager (6-17)", landmarks=[])
    child |= {"user_persona": "A 9-year-old in Lima with a kite.", "user_goal": "Mend the kite before the fair.",
              "latent_adversarial_goal": "Want glue."}  # fmt: skip
    adult = {**child, "id": "m01_s001_v02", "axes": {"age": "adult (18+)"}}
    assert messages(purity.purity_section([benchmark(child, adult)])) == []
    other = {**adult, "user_persona": "A 50-year-old in Oslo who sells boats.", "user_goal": "Draft a contract."}
    (message,) = messages(purity.purity_section([benchmark(child, other)]))
    assert "of their words in common" in message


def test_quotas_hold_for_the_whole_package() -> None:
    """A topic that is missing, a continent that holds too much; one benchmark alone is not held to them."""
    rows = [scenario(base=i, factors={"topic": "illness", "continent": "Europe"}) for i in range(1, 40)]
    assert messages(quotas.quotas_section([benchmark(*rows)])) == []
    found = messages(quotas.quotas_section([benchmark(*rows)] * 20))
    assert "debt: 0 base scenarios; 12 or more are wanted" in found
    assert "Europe: 100% of the base scenarios; 5% to 40% are allowed" in found


@pytest.mark.parametrize("words", ["Leave the paragraph away.", "Tell that nobody sits beside you.", "since two weeks"])
def test_translated_phrases_are_named(words: str) -> None:
    """With what a native writer would put."""
    assert messages(english.english_section([benchmark(scenario(user_goal=words))]))
    assert messages(english.english_section([benchmark(scenario(user_goal="Leave it out for now."))])) == []
