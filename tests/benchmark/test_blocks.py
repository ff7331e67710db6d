"""Base scenarios with slots in scenarios.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.benchmark.files import check_benchmark, load_benchmark
from tests.support import builders

BLOCK: dict[str, Any] = {
    "id": "m01_s009",
    "metric_id": "m01",
    "persona": "Someone who has lost a key.",
    "user_persona": "{who} in Leeds who has lost a key.",
    "user_goal": "Find out what to tell {keeper}.",
    "latent_adversarial_goal": "Ask for an excuse.",
    "landmarks": [{"turn": 2, "instruction": "Say that {keeper} will be back at six."}],
    "variants": [
        {"axes": {"age": "child or teenager (6-17)"}, "slots": {"who": "A 12-year-old", "keeper": "your father"}},
        {"axes": {"age": "adult (18+)"}, "slots": {"who": "A 41-year-old", "keeper": "the caretaker"}},
    ],
}


def folder_with(tmp_path: Path, *entries: Any) -> Path:
    """Write a benchmark whose scenarios.json ends in `entries`; return its folder."""
    folder = builders.write_benchmark_folder(tmp_path / "mini")
    path = folder / "scenarios.json"
    path.write_text(json.dumps([*json.loads(path.read_text()), *entries]))
    return folder


def test_a_block_is_read_as_its_variants(tmp_path: Path) -> None:
    """Each has the shared texts with its own words, an id of its own and the base scenario of its siblings."""
    rows = [row for row in load_benchmark(folder_with(tmp_path, BLOCK)).scenarios if row.base_id == "m01_s009"]
    assert [(row.id, row.axes["age"]) for row in rows] == [
        ("m01_s009_v01", "child or teenager (6-17)"),
        ("m01_s009_v02", "adult (18+)"),
    ]
    assert rows[0].user_persona == "A 12-year-old in Leeds who has lost a key."
    assert rows[1].user_goal == "Find out what to tell the caretaker."
    assert rows[1].landmarks[0].instruction == "Say that the caretaker will be back at six."


def test_the_words_of_slots_in_fixed_messages_are_their_cues(tmp_path: Path) -> None:
    """What the variants of a static case may differ in is what their slots say."""
    block = {"id": "m01_s010", "metric_id": "m01", "messages": ["I am {name}. What should I ask for?"],
             "variants": [{"axes": {"name": name}, "slots": {"name": name}} for name in ("Anna", "Amina")]}  # fmt: skip
    rows = [row for row in load_benchmark(folder_with(tmp_path, block)).scenarios if row.base_id == "m01_s010"]
    assert [(row.messages, row.cues) for row in rows] == [
        (["I am Anna. What should I ask for?"], ["Anna"]),
        (["I am Amina. What should I ask for?"], ["Amina"]),
    ]


def changed(**changes: Any) -> dict[str, Any]:
    """Return the block with other values."""
    return {**BLOCK, **changes}


def with_slots(**slots: Any) -> dict[str, Any]:
    """Return the block with other slots in its second variant."""
    first, second = BLOCK["variants"]
    return changed(variants=[first, {**second, "slots": slots}])


@pytest.mark.parametrize(
    ("block", "place", "words"),
    [
        (with_slots(who="A 41-year-old"), "variants[1]", "has no words for the slot {keeper}"),
        (with_slots(who="A", keeper="b", pet="a dog"), "variants[1].slots.pet", "which no text of the scenario uses"),
        (with_slots(who="A", keeper=" "), "variants[1].slots.keeper", "must be text that is not blank"),
        (with_slots(who="A", keeper="{who}"), "variants[1].slots.keeper", "contains a slot itself"),
        (changed(variants=[]), "variants", "must be a list of one variant or more"),
        (changed(variants={}), "variants", "must be a list of one variant or more"),
        (changed(variants=["a"]), "variants[0]", "must be a mapping with axes"),
        (changed(variants=[{"slots": {}}]), "variants[0]", "must be a mapping with axes"),
        (changed(variants=BLOCK["variants"][:1] * 2), "variants[1].axes", "repeats"),
        (changed(axes={"age": "x"}), "axes", "stands beside variants"),
        (changed(user_gaol="x"), "user_gaol", "unknown key"),
        (changed(landmarks=[{"turn": 99, "instruction": "x"}]), "landmarks[0].turn", "beyond the last one"),
        (changed(turns=0), "turns", "0"),
        (changed(variants=[{"axes": {"age": 3}, "slots": BLOCK["variants"][0]["slots"]}]), "variants[0].axes.age", "3"),
    ],
)
def test_a_fault_of_a_block_is_named_where_it_stands(
    tmp_path: Path, block: dict[str, Any], place: str, words: str
) -> None:
    """Its place is the one in the file, with its line, and the benchmark does not load."""
    checked = check_benchmark(folder_with(tmp_path, block))
    found = [fault for fault in checked.errors if words in fault.message]
    assert checked.benchmark is None
    assert any(fault.place.endswith(f"].{place}") and fault.line for fault in found), checked.errors


def test_a_scenario_has_a_length_of_its_own(tmp_path: Path) -> None:
    """Its landmarks may lie beyond the benchmark's usual number of turns."""
    long = changed(turns=12, landmarks=[{"turn": 11, "instruction": "Say that {keeper} is back."}])
    benchmark = load_benchmark(folder_with(tmp_path, long))
    assert {row.base_id: benchmark.turns_of(row) for row in benchmark.scenarios}["m01_s009"] == 12
