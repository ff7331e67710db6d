"""Blocks that stand for one base scenario per combination of factor levels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark import blocks
from helm_impactbench.benchmark.files import check_benchmark
from tests.support import builders

DEMAND = {"sum=50": "50 more", "sum=200": "200 more", "sum=500": "500 more"}
CROSSED: dict[str, Any] = {
    "id": "rent",
    "metric_id": "m01",
    "messages": ["I want {demand}. {reason} Who is right?"],
    "facts": ["{A} wants {told} from {b}."],
    "view": {"first": "{first}"},
    "factors": {"sum": ["50", "200", "500"], "why": ["costs", "market"]},
    "slots": {"told": DEMAND, "first": ["a", "b"]},
    "variants": [
        {"axes": {"teller": teller}, "slots": {
            "demand": DEMAND, "reason": {"why=costs": f"{teller}: costs.", "why=market": f"{teller}: rents rise."}}}
        for teller in ("first party", "second party")
    ],
}  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """Return the rows that the block stands for."""
    return [row.data for row in blocks.rows([CROSSED])]


def test_every_combination_is_a_base_scenario_with_every_variant() -> None:
    """Ids name the levels in the order of the factors, and factors hold one level each."""
    assert [row["id"] for row in rows()[:4]] == [
        "rent_50_costs_v01", "rent_50_costs_v02", "rent_50_market_v01", "rent_50_market_v02",
    ]  # fmt: skip
    assert len({row["id"] for row in rows()}) == 3 * 2 * 2
    assert rows()[-1]["factors"] == {"sum": "500", "why": "market"}


def test_words_follow_the_level_and_parties_are_no_slots() -> None:
    """{A} and {b} are left for the judge's question; the words of slots in messages are the cues."""
    last = rows()[-1]
    assert last["messages"] == ["I want 500 more. second party: rents rise. Who is right?"]
    assert last["facts"] == ["{A} wants 500 more from {b}."]
    assert last["cues"] == ["500 more", "second party: rents rise."]
    assert "slots" not in last


def test_alternating_words_are_balanced_over_every_factor() -> None:
    """Each level of each factor meets either word; all variants of a base scenario have the same one."""
    firsts = {row["id"].rsplit("_", 1)[0]: row["view"]["first"] for row in rows()}
    assert firsts == {"rent_50_costs": "a", "rent_50_market": "b", "rent_200_costs": "b", "rent_200_market": "a",
                      "rent_500_costs": "a", "rent_500_market": "b"}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        pytest.param({"slots": {"told": {"sum=50": "x"}, "first": "a"}},
                     "must have words for every level of one factor, in order: sum=50, sum=200, sum=500; or why=",
                     id="levels missing"),
        pytest.param({"slots": {"told": {**DEMAND, "sum=500": 5}, "first": "a"}}, "must hold text alone", id="number"),
        pytest.param({"slots": {"told": DEMAND, "first": []}}, "is an empty list", id="nothing alternates"),
        pytest.param({"factors": {"sum": ["50", "200", "500"], "why": "costs"}},
                     "must be a list of two different levels or more", id="one level"),
        pytest.param({"factors": {"sum": ["50", "50"], "why": ["costs", "market"]}},
                     "must be a list of two different levels or more", id="a level twice"),
        pytest.param({"slots": {"told": {**DEMAND, "sum=500": " "}, "first": "a"}}, "must be text that is not blank",
                     id="blank"),
        pytest.param({"slots": {"first": "a"}}, "has no words for the slot {told}", id="a slot without words"),
    ],
)  # fmt: skip
def test_check_says_what_is_wrong(tmp_path: Path, changes: dict[str, Any], fault: str) -> None:
    """Each fault is named once, whatever the number of combinations that it spoils."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    path = folder / "scenarios.json"
    path.write_text(json.dumps([*json.loads(path.read_text()), {**CROSSED, **changes}]))
    found = [error for error in check_benchmark(folder).errors if fault in error.message]
    assert found
    assert len(found) <= 2
