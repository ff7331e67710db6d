"""Release profiles: conditions of a part of the conversations, with reasons and a line for whoever signs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from helm_impactbench.analysis.commands.gate import Conditions, _worst, gate, not_decided
from helm_impactbench.analysis.gate_profile import Profile, read_profile
from helm_impactbench.errors import ImpactBenchError, SettingError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, MISSING, PASSED, row

CHILD = {"axes": (("age", "child"),), "axes_label": "child"}


def profile(tmp_path: Path, conditions: str, head: str = "name: Autumn\nsigns: Head of safety\n") -> Profile:
    """Return the profile with these conditions, one in a line, read from a file."""
    lines = "".join(f"  - {line}\n" for line in conditions.strip().splitlines())
    path = tmp_path / "release.yaml"
    path.write_text(f"{head}conditions:\n{lines}")
    return read_profile(path)


def harms(severities: list[float | None], passes: int, **changes: object) -> list[Outcome]:
    """Return conversations on a behaviour to avoid: one of each severity in which it is present, and passes."""
    found = row([FAILED] * len(severities) + [PASSED] * passes, metric_type="negative", **changes)
    return [replace(each, severity=severity) for each, severity in zip(found, severities, strict=False)] + found[
        len(severities) :
    ]


def decisions(outcomes: list[Outcome], own: Profile) -> list[str]:
    """Return the decision of each condition."""
    return [line["decision"] for line in gate(reading_of(outcomes), Conditions(profile=own))["profile"].rows]


def test_a_verdict_names_the_profile_its_reasons_and_who_signs(tmp_path: Path) -> None:
    """Each condition stands with its reason; the command line's are added, the signature is last."""
    own = profile(tmp_path, "{min: pass_rate=0.8, why: It has to help}\n{max: unscored=0.1, why: Few are lost}")
    result = gate(reading_of(row([PASSED] * 100)), Conditions(lowest=("pass_rate=0.5",), profile=own))
    assert result.verdict is not None
    assert result.verdict.sentence == "Autumn: PASS: 3 of 3 conditions met."
    assert [(line["condition"], line["why"]) for line in result["profile"].rows] == [
        ("pass_rate >= 0.8", "It has to help"),
        ("unscored <= 0.1", "Few are lost"),
        ("pass_rate >= 0.5", "given on the command line"),
    ]
    words = str(result)
    assert "Release profile: Autumn" in words
    assert words.rstrip().splitlines()[-1].startswith("Signature of Head of safety: ___")
    refused = not_decided(result).verdict
    assert refused is not None
    assert (refused.exit_code, refused.signature) == (1, result.verdict.signature)


def test_a_condition_is_about_a_part(tmp_path: Path) -> None:
    """A model that fails children fails their condition alone; a level may be written by its beginning."""
    data = [*row([PASSED] * 60), *row([FAILED] * 60, benchmark="other", **CHILD)]
    own = profile(
        tmp_path,
        "{min: pass_rate=0.6, benchmark: mini, why: a}\n{min: pass_rate=0.6, where: {age: chi}, why: b}\n"
        "{min: pass_rate=0.6, metric: mini/m01, why: c}\n{min: pass_rate=0.1, where: {age: [adult, child]}, why: d}",
    )
    result = gate(reading_of(data), Conditions(profile=own))
    assert [line["decision"] for line in result["profile"].rows] == ["pass", "fail", "pass", "pass"]
    assert result["conditions"].rows[1]["condition"] == "pass_rate >= 0.6 (age=chi)"
    assert [line["cases"] for line in result["conditions"].rows] == [60, 60, 60, 120]


def test_a_model_without_the_part_does_not_pass(tmp_path: Path) -> None:
    """A model that no child spoke to has not shown how it treats children."""
    data = [*row([PASSED] * 60, **CHILD), *row([PASSED] * 60, model="untested")]
    result = gate(
        reading_of(data), Conditions(profile=profile(tmp_path, "{min: pass_rate=0.6, where: {age: child}, why: a}"))
    )
    assert {line["model"]: line["decision"] for line in result["conditions"].rows} == {
        "model-a": "pass",
        "untested": "undecided",
    }
    assert result.verdict is not None
    assert result.verdict.exit_code == 1


def test_severe_failures_alone(tmp_path: Path) -> None:
    """Milder ones do not count; missing verdicts, and failures without a severity, do."""
    own = profile(tmp_path, "{min: pass_rate=0.85, severe: true, why: a}\n{min: pass_rate=0.85, why: b}")
    assert decisions(harms([1 / 3, 2 / 3] * 20, 60), own) == ["pass", "fail"]
    assert decisions(harms([1.0, 5 / 6] * 20, 60), own) == ["fail", "fail"]
    assert decisions(harms([None] * 40, 60), own) == ["fail", "fail"]
    assert decisions([*harms([1 / 3], 59), *row([MISSING] * 40, metric_type="negative")], own) == ["fail", "fail"]
    notes = gate(reading_of(harms([None] * 4, 60)), Conditions(profile=own)).notes
    assert any("4 failures without a severity count as severe." in note for note in notes)
    assert decisions(row([PASSED] * 60), own) == ["undecided", "pass"], "positive metrics have no severity"


def test_a_loss_against_the_baseline_of_a_part(tmp_path: Path) -> None:
    """max-drop is decided on its part, takes the place of the plain comparison, and needs a baseline."""
    own = profile(tmp_path, "{max-drop: 0.2, where: {age: child}, why: a}")
    before = reading_of([*row([PASSED] * 60, benchmark="other", **CHILD), *row([PASSED] * 60)])
    now = reading_of([*row([PASSED] * 60, benchmark="other", **CHILD), *row([FAILED] * 60)])
    assert [line["decision"] for line in gate(now, Conditions(profile=own), baseline=before)["profile"].rows] == [
        "pass"
    ]
    both = gate(now, Conditions(profile=own, max_drop=0.1), baseline=before)
    assert [line["decision"] for line in both["profile"].rows] == ["pass", "fail"]
    plain = profile(tmp_path, "{min: pass_rate=0.1, why: a}")
    assert gate(now, Conditions(profile=plain), baseline=before)["profile"].rows[-1]["decision"] == "fail"
    with pytest.raises(ImpactBenchError, match="needs what to compare with: --baseline SUITE"):
        gate(now, Conditions(profile=own))


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ("{mni: pass_rate=0.8, why: a}", "condition 1: there is no field 'mni'. Fields are min, max, max-drop, bench"),
        ("{mni: pass_rate=0.8, why: a}", "Did you mean min?"),
        ("{min: pass_rate=0.8}", "condition 1: why is missing."),
        ("{why: a}", "condition 1 has none of min, max and max-drop. It needs exactly one"),
        ("{min: pass_rate=0.8, max: unscored=0.1, why: a}", "condition 1 has 2 of min, max and max-drop."),
        ("{max: unscored=0.1, severe: true, why: a}", "condition 1 is about severe failures, which unscored does not"),
        ("{max-drop: 2, why: a}", "condition 1: conditions.max-drop cannot be '2': it must be at most 1"),
        ("{min: 3, why: a}", "condition 1: conditions.min cannot be '3': it must be a text, in quotes"),
    ],
)
def test_a_faulty_profile_is_refused_in_one_message(tmp_path: Path, conditions: str, words: str) -> None:
    """The message names the file, the condition, what is allowed and the nearest name."""
    with pytest.raises(SettingError) as caught:
        profile(tmp_path, f"\n{conditions}")
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("{min: passrate=0.8, why: a}", "condition 1: The condition 'passrate=0.8' cannot be checked."),
        ("{min: pass_rate=0.8, benchmark: minni, why: a}", "condition 1: This suite has no benchmark 'minni'. It has "),
        ("{min: pass_rate=0.8, metric: mini/m02, why: a}", "Did you mean mini/m01?"),
        ("{min: pass_rate=0.8, where: {age: chil}, why: a}", "condition 1: --where 'age=chil' names no level"),
    ],
)
def test_what_a_suite_lacks_is_told_with_its_condition(tmp_path: Path, condition: str, words: str) -> None:
    """A name that the suite does not have is a mistake, not a condition that is left out."""
    own = profile(tmp_path, condition)
    with pytest.raises(ImpactBenchError) as caught:
        gate(reading_of(row([PASSED] * 4)), Conditions(profile=own))
    assert words in str(caught.value)


def test_a_file_that_is_no_profile(tmp_path: Path) -> None:
    """No file, no mapping, a heading that there is not, and nobody who signs."""
    with pytest.raises(SettingError, match="No file"):
        read_profile(tmp_path / "none.yaml")
    (tmp_path / "list.yaml").write_text("- a\n")
    with pytest.raises(SettingError, match=r"is a list\. It must contain name, signs and conditions"):
        read_profile(tmp_path / "list.yaml")
    with pytest.raises(SettingError, match=r"there is no field 'signer'\. .* Did you mean signs\?"):
        profile(tmp_path, "{min: pass_rate=0.8, why: a}", "name: A\nsigns: B\nsigner: C\n")
    with pytest.raises(SettingError, match="signs is missing"):
        profile(tmp_path, "{min: pass_rate=0.8, why: a}", "name: A\n")


def test_a_condition_that_was_never_asked_does_not_pass() -> None:
    """No check of it is no proof that it holds."""
    assert _worst([]) == "undecided"
