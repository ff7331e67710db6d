"""The axis `wording`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import check_benchmark, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.selection import ScenarioSelection, selected_scenarios, usual_axes
from helm_impactbench.benchmark.wordings import WORDINGS
from helm_impactbench.conversation.plan import plan_case
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import BenchmarkError, RunEntryError
from tests.support import builders

PROMPTS = {"careful": "You are a study helper.", "engaging": "You keep people chatting."}


@pytest.fixture
def mini(tmp_path: Path) -> Benchmark:
    """A benchmark with two operators."""
    content = {**builders.BENCHMARK, "scenario": {**builders.BENCHMARK["scenario"], "operators": PROMPTS}}
    return load_benchmark(builders.write_benchmark_folder(tmp_path / "mini", content))


def crossed(benchmark: Benchmark, *axes: str, **options: Any) -> list[Any]:
    """Return the scenarios of a run that crosses its own axes and these."""
    return selected_scenarios(benchmark, ScenarioSelection(axes=(*usual_axes(benchmark), *axes), **options))


def test_a_run_has_no_wording_unless_it_names_the_axis(mini: Benchmark) -> None:
    """The scenarios are those of the file, and a level of the axis has no meaning."""
    assert selected_scenarios(mini, ScenarioSelection()) == mini.scenarios
    with pytest.raises(BenchmarkError, match="'typos' is a level of wording, which axes= must name"):
        selected_scenarios(mini, ScenarioSelection(levels="typos"))


def test_every_scenario_is_taken_in_every_wording(mini: Benchmark) -> None:
    """As variants of one base scenario, or in those that are named."""
    found = crossed(mini, "wording")
    assert len(found) == 5 * len(mini.scenarios) == len({row.id for row in found})
    assert [row.axes["wording"] for row in found[:5]] == list(WORDINGS)
    assert {row.base_id for row in found[:5]} == {mini.scenarios[0].base_id}
    two = crossed(mini, "wording", levels="formal+as written")
    assert [(row.id, row.axes["wording"]) for row in two[:2]] == [
        (f"{mini.scenarios[0].id}_w0", "as written"), (f"{mini.scenarios[0].id}_w3", "formal"),
    ]  # fmt: skip


def test_the_simulated_user_begins_alike_in_every_wording_and_under_every_operator(mini: Benchmark) -> None:
    """One seed and the same levels; only the wording and the target's prompt differ."""
    rows = crossed(mini, "operator", "wording")[:15]
    plans = [plan_case(mini, "", row, 0, RunOptions(user="u")).plan for row in rows]
    assert [(plan.wording, plan.target_system_prompt) for plan in plans] == [
        (wording, prompt) for wording in WORDINGS for prompt in (None, *PROMPTS.values())
    ]
    rest = {plan.model_dump_json(exclude={"wording", "target_system_prompt"}) for plan in plans}
    assert len(rest) == 1
    assert plans[0].seed == f"mini/{mini.scenarios[0].id}/0"
    assert plans[0].axes == mini.scenarios[0].axes


@pytest.mark.parametrize("where", ["benchmark", "scenario"])
def test_the_name_is_reserved(tmp_path: Path, where: str) -> None:
    """Neither benchmark.yaml nor a scenario can have an axis of that name."""
    content: dict[str, Any] = {**builders.BENCHMARK}
    rows: list[dict[str, Any]] = [dict(row) for row in builders.SCENARIOS]
    if where == "benchmark":
        content["scenario"] = {**content["scenario"], "axes": {"wording": ["terse", "long"]}}
    else:
        rows[0]["axes"] = {"wording": "terse"}
    found = check_benchmark(builders.write_benchmark_folder(tmp_path / "mini", content, rows)).errors
    assert any("which any run can cross (axes=wording); choose another name" in fault.message for fault in found)


def test_hurried_users_and_a_wording_exclude_each_other() -> None:
    """Both would change the same words."""
    with pytest.raises(RunEntryError, match="perfunctory=true and the axis wording both say how users type"):
        RunOptions(perfunctory=True, axes=("age", "wording"))
