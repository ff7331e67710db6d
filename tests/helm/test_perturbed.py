"""HELM's perturbations as levels of the axis `wording`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.run_expander import PERTURBATION_SPECS_DICT

from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.perturbed import worded
from tests.support import builders


@pytest.fixture
def arguments(workdir: Path) -> dict[str, Any]:
    """The arguments of a HELM scenario on the mini benchmark."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    return {"benchmark": "mini", "user": "u", "content": "00000000", "turns": 2}


def perturbed(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of every run that `data_augmentation=name` makes."""
    return [worded("e", specs, arguments) for specs in PERTURBATION_SPECS_DICT[name].values()]


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("typo_easy", "as written+typos"),
        ("misspelling_hard", "as written+typos"),
        ("lower", "as written+casual"),
        ("contract", "as written+casual+formal"),
    ],
)
def test_what_helm_does_to_a_prompt_has_a_level(arguments: dict[str, Any], name: str, levels: str) -> None:
    """Beside the messages as written, and the axes that a run crosses anyway; all else is left alone."""
    (found,) = perturbed(name, arguments)
    assert found == {**arguments, "axes": ["age", "wording"], "levels": levels}


def test_axes_and_levels_of_the_entry_are_kept(arguments: dict[str, Any]) -> None:
    """Those of other axes still choose, and nothing is named twice."""
    (found,) = perturbed("lower", {**arguments, "axes": ["wording"], "levels": "adult"})
    assert (found["axes"], found["levels"]) == (["wording"], "adult+as written+casual")


@pytest.mark.parametrize("name", [*sorted(PERTURBATION_SPECS_DICT)])
def test_every_other_perturbation_is_refused_by_name(arguments: dict[str, Any], name: str) -> None:
    """With what conversations take instead; a sweep begins with a probability of 0, which changes nothing."""
    if name.startswith(("typo_", "misspelling_m", "misspelling_h")) or name in ("lower", "contract"):
        assert perturbed(name, arguments)
        return
    with pytest.raises(RunEntryError, match=r"\(\w+Perturbation.*\)\. Conversations take typo_.*axes=wording"):
        perturbed(name, arguments)


def test_hurried_users_are_refused(arguments: dict[str, Any]) -> None:
    """As in a run entry that names the axis itself."""
    with pytest.raises(RunEntryError, match="perfunctory=true"):
        perturbed("typo_easy", {**arguments, "perfunctory": True})
