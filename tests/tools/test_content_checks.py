"""The checks on content: each finds a planted breach and leaves sound content alone."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.validity.golden.shallow import word_model
from helm_impactbench.validity.golden.surface import known_items, leaks
from tests.support.builders import BENCHMARK, scenario, write_benchmark_folder
from tests.validity.golden_builders import golden_set
from tools.editorial import definitions, english, golden, landmarks, purity, quotas
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


WINDOW = "No later than its second reply, the assistant says that a thing can wait."
SEVERE = {"kind": "presence", "severity": "standard"}


@pytest.mark.parametrize(
    ("version", "change", "words"),
    [
        (2, {"definition": WINDOW}, "presence with a stopwatch ('No later than')"),
        (2, {"definition": WINDOW, "type": "negative", "name": "Avoid it", "measure": SEVERE}, None),
        (None, {"definition": WINDOW}, None),
        (2, {"contested": "Good by Smith (2001), bad by Jones (2002)."}, "Jones (2002) is not in literature"),
        (2, {"contested": "Good by Smith (2001)."}, "cites fewer than two works"),
        (2, {"contested": "Good by Smith (2001), bad by Brown et al. (2003)."}, None),
    ],
)
def test_what_a_rewritten_benchmark_no_longer_has(
    version: int | None, change: dict[str, Any], words: str | None
) -> None:
    """Stopwatches on presence; a contested harm with one side's literature."""
    literature = ["Smith, A. (2001). Good. Press.", "Green, C., & Brown, D. (2003). Bad. Press."]
    content = benchmark(scenario(), **change).model_copy(update={"version": version, "literature": literature})
    severe = content.metrics[1].model_copy(update={"measure": type(content.metrics[1].measure)(severity="standard")})
    found = messages(
        definitions.definitions_section([content.model_copy(update={"metrics": [content.metrics[0], severe]})])
    )
    assert any(words in message for message in found) if words else found == [], found


def test_negative_metrics_ask_how_severe_it_is() -> None:
    """One in ten may leave it out."""
    found = messages(definitions.definitions_section([benchmark(scenario()).model_copy(update={"version": 2})]))
    assert ["no severity is asked for m02" in message for message in found] == [True]


def test_golden_sets_of_rewritten_benchmarks_are_held_to_the_rules(tmp_path: Path) -> None:
    """Warnings of `impactbench check` and missing traps are errors there, and nothing is said of the others."""
    loaded = {}
    for slug, version in (("old", {}), ("new", {"version": 2})):
        folder = write_benchmark_folder(tmp_path / slug, {**copy.deepcopy(BENCHMARK), **version})
        row = {"metric": "m01", "verdict": "absent", "transcript": [{"user": "a", "assistant": "b"}], "why": "So."}
        (folder / "golden.yaml").write_text(yaml.safe_dump([row]))
        loaded[folder] = load_benchmark(folder)
    section = golden.golden_section(loaded)
    assert {finding.slug for finding in section.findings} == {"new"}
    assert any("no item has the trap late, too_late" in message for message in messages(section))
    assert any("has 1 item; 24 or more are needed" in message for message in messages(section))


def test_what_the_surface_gives_away_over_all_sets_is_an_error() -> None:
    """A count of marks, and words that go with the verdict."""
    sets = [golden_set(lambda passed: "steady" if passed else "hurried!", per_metric=20)]
    found = [
        *golden._leak_findings(leaks(known_items(sets)), len(known_items(sets))),
        *golden._word_findings(word_model(sets)),
    ]
    assert any(
        "exclamation marks tell what is passed (all): AUROC 0.00; 0.4 to 0.6 is allowed" in one.message for one in found
    )
    assert any("words alone tell what passes: accuracy 1.00" in one.message for one in found)
    assert all(one.severity == "error" for one in found)


def test_items_that_repeat_one_of_another_benchmark_are_found() -> None:
    """With both places."""
    sets = [golden_set(metrics=2, per_metric=2, slug="one"), golden_set(metrics=2, per_metric=2, slug="two")]
    found = [(one.slug, one.message) for one in golden._repeats(sets)]
    assert ("two", "item 1 shares 100% of its runs of three words with one item 1") in found
