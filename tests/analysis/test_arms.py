"""`contrasts --by arm`: a planted effect is found, a null effect is not, and arms are corrected for their number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from helm_impactbench.analysis.commands.arms import arm_contrasts
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.files import RunFolder, targets_apart
from helm_impactbench.results.outcome import Outcome, arm_in, whole_setup
from helm_impactbench.suites.reading import Reading
from tests.support.outcomes import outcome

SCENARIOS, VARIANTS = 60, 4


def suite(seed: int, rates: Mapping[str, float], scenarios: int = SCENARIOS) -> Reading:
    """Return a scripted suite: one model in arms with these pass rates, on the same cases that differ in difficulty."""
    rng = np.random.default_rng(seed)
    outcomes: list[Outcome] = []
    for base in range(scenarios):
        difficulty = rng.normal(0, 0.15)
        for variant in range(VARIANTS):
            outcomes += [
                outcome(
                    bool(rng.random() < np.clip(rate + difficulty, 0, 1)), model=f"acme/chat#{arm}",
                    base_id=f"s{base}", variant_id=f"s{base}_v{variant}",
                )
                for arm, rate in rates.items()
            ]  # fmt: skip
    return Reading(Path("s"), tuple(outcomes))


def found(reading: Reading) -> list[bool]:
    """Return which pairs of arms are significant."""
    return [bool(row["found"]) for row in arm_contrasts(reading)["arms"].rows]


def test_a_planted_effect_of_20_points_is_found_with_an_interval_that_holds_it() -> None:
    """In nearly all of 40 scripted suites, and the interval holds it in nearly all."""
    rows = [arm_contrasts(suite(seed, {"new": 0.7, "old": 0.5}))["arms"].rows[0] for seed in range(40)]
    sign = [1 if str(row["first"]).endswith("#new") else -1 for row in rows]
    effects = [s * row["difference"] for s, row in zip(sign, rows, strict=True)]
    held = [
        min(s * row["low_these"], s * row["high_these"]) <= 0.2 <= max(s * row["low_these"], s * row["high_these"])
        for s, row in zip(sign, rows, strict=True)
    ]
    assert np.mean(effects) == pytest.approx(0.2, abs=0.03)
    assert sum(bool(row["found"]) for row in rows) >= 38
    assert sum(held) >= 35


def test_a_null_arm_is_found_in_at_most_16_of_200_scripted_suites() -> None:
    """5% are 10; more than 16 would be a wrong test."""
    assert sum(any(found(suite(seed, {"new": 0.6, "old": 0.6}, 30))) for seed in range(200)) <= 16


def test_three_null_arms_are_corrected() -> None:
    """Of three pairs any false finding counts, and still at most 16 of 200 suites have one."""
    arms = {"a": 0.6, "b": 0.6, "c": 0.6}
    assert sum(any(found(suite(seed, arms, 30))) for seed in range(200)) <= 16


def test_cases_that_one_arm_alone_met_are_left_out() -> None:
    """What is paired is what both met; without any shared case nothing is compared."""
    whole = suite(1, {"new": 0.9, "old": 0.5}, 20)
    part = [one for one in whole.outcomes if one.model.endswith("#old") or one.base_id < "s15"]
    (row,) = arm_contrasts(Reading(Path("s"), tuple(part)))["arms"].rows
    assert row["pairs"] == sum(one.model.endswith("#new") for one in part)
    apart = [one for one in whole.outcomes if one.model.endswith("#old") == (one.base_id < "s15")]
    result = arm_contrasts(Reading(Path("s"), tuple(apart)))
    assert "Not compared, as no case has a verdict on both sides" in " ".join(result.notes)


def test_operators_are_arms() -> None:
    """Each case under both prompts is one case; beside named arms an operator is part of the arm's name."""
    outcomes = [
        outcome(level == "shop", model=model, base_id=f"s{base}", variant_id=f"s{base}_v1_o{number}",
                axes=(("age", "adult"), ("operator", level)))
        for model in ("a/b#x", "c/d")
        for base in range(20)
        for number, level in enumerate(("none", "shop"))
    ]  # fmt: skip
    result = arm_contrasts(Reading(Path("s"), tuple(outcomes)))
    rows = {row["model"]: row for row in result["arms"].rows}
    assert {*rows} == {"a/b", "c/d"}
    assert {rows["a/b"]["first"], rows["a/b"]["second"]} == {"a/b#x, none", "a/b#x, shop"}
    assert {rows["c/d"]["first"], rows["c/d"]["second"]} == {"c/d#none", "c/d#shop"}
    assert all(row["pairs"] == 20 and abs(row["difference"]) == 1 and row["found"] for row in rows.values())


def test_models_are_not_compared_with_each_other_here() -> None:
    """Only arms of the same model."""
    outcomes = [outcome(True, model=model) for model in ("a/b#x", "a/b#y", "c/d")]
    rows = arm_contrasts(Reading(Path("s"), tuple(outcomes)))["arms"].rows
    assert [(row["first"], row["second"], row["model"]) for row in rows] == [("a/b#x", "a/b#y", "a/b")]
    with pytest.raises(ImpactBenchError, match="No model of this suite has two arms"):
        arm_contrasts(Reading(Path("s"), (outcomes[2],)))


def test_an_arm_changes_no_case() -> None:
    """Neither its name nor its prompt nor its limit keeps cases apart."""
    plain = "impactbench:benchmark=mini,user=u,judge=j"
    assert arm_in(plain) == ()
    assert arm_in(f"{plain},arm=new,system_prompt=p-12345678") == ("new", "p-12345678")
    assert whole_setup(f"{plain},arm=new,system_prompt=p-12345678,release=v1") == whole_setup(plain)


@pytest.mark.parametrize(
    ("arms", "called"),
    [
        (("arm=old", "arm=new,system_prompt=p-12345678"), ("#old", "#new")),
        (("", "system_prompt=p-12345678"), ("", "#p-12345678")),
        (("arm=new,system_prompt=p-12345678", "arm=new,system_prompt=p-87654321", "arm=old"),
         ("#new+p-12345678", "#new+p-87654321", "#old")),
        (("system_prompt=p-12345678", "system_prompt=p-12345678,target_tokens=9"), ("#p-12345678", "#p-12345678+9")),
        (("arm=new", "arm=new"), ("", "")),
    ],
)  # fmt: skip
def test_no_two_set_ups_of_a_target_have_one_name(
    tmp_path: Path, arms: tuple[str, ...], called: tuple[str, ...]
) -> None:
    """A prompt that was changed under the arm's old name is another arm, and nothing of the old one stands for it."""
    runs = []
    for number, arm in enumerate(arms):
        setup = ",".join(filter(None, ("impactbench:benchmark=mini,user=u,judge=j", arm)))
        folder = tmp_path / str(number)
        folder.mkdir()
        spec = {
            "name": f"{setup},model=acme_chat",
            "scenario_spec": {"class_name": "helm_impactbench.helm.scenario.ImpactBenchScenario", "args": {}},
            "adapter_spec": {"model_deployment": "acme/chat", "model": "acme/chat"}, "groups": [],
        }  # fmt: skip
        (folder / "run_spec.json").write_text(json.dumps(spec))
        runs.append(RunFolder(folder))
    assert tuple(run.model.removeprefix("acme/chat") for run in targets_apart(runs)) == called
