"""What a screen says of people's answers: people first, then the judge, and what shared errors would change."""

from __future__ import annotations

import random

from helm_impactbench.tables import Result
from helm_impactbench.validity.annotation.consensus import RatedQuestion, consensus
from helm_impactbench.validity.annotation.evidence import gather
from helm_impactbench.validity.annotation.report import reported
from helm_impactbench.validity.commands.annotate import scored
from tests.judging.builders import MEASURES
from tests.validity.annotation.builders import annotation, key_for, many


def result(wrong: float, people: tuple[str, ...] = ("ann", "ben")) -> Result:
    """Return the result of a sheet of 84 items on three metrics that people answer, with this share of errors each."""
    outcomes = [*many(20, 20), *many(20, 20, own="m02"), *many(2, 2, own="m03")]
    key, sample = key_for(outcomes, 84)
    luck = random.Random(3)
    given = [
        annotation(person, item.item_id, "present" if (found.value == 1) != (luck.random() < wrong) else "absent")
        for item, found in zip(key.items, sample.outcomes, strict=True)
        for person in people
    ]
    clusters = {item.item_id: found.cluster for item, found in zip(key.items, sample.outcomes, strict=True)}
    asked = {
        item.item_id: RatedQuestion(MEASURES["presence"], "presence", clusters[item.item_id]) for item in key.items
    }
    said = {(one.person, one.item_id): one.reading.value for one in given if one.reading}
    labels = {item: tuple(said[person, item] for person in people) for item in asked}
    truth = consensus(given, asked)
    return scored(reported(key, truth, gather(outcomes, {}, key, truth.truth, labels), given, asked))


def shown(found: Result) -> list[str]:
    """Return the names of the tables on a screen."""
    return [table.name for table in found.tables if table.view == "default"]


def test_how_often_the_judge_agrees_with_people_comes_first() -> None:
    """In x of y, with an interval; ties are in neither."""
    found = result(0.1)
    assert found.first == ()
    assert shown(found)[0] == "agrees"
    (row,) = found["agrees"].rows
    halves = found["sheet"].rows[0]["halves"]
    assert row["items"] == 84 - halves
    assert row["hits"] / row["items"] == row["share"] > 0.9
    assert row["share_low"] < row["share"] < row["share_high"]


def test_people_who_answer_at_random_are_the_first_line_and_the_judge_is_not_shown() -> None:
    """Nothing can be said of it; files have the figures."""
    found = result(0.5)
    assert len(found.first) == 1
    assert found.first[0].startswith("These people do not agree beyond chance on presence (Krippendorff's alpha")
    assert found.first[0].endswith("nothing below says anything about the judge.")
    assert shown(found)[0] == "agreement"
    assert not {"agrees", "corrected", "shared", "presence_shown", "distances_shown"} & {*shown(found)}
    assert found["presence"].rows


def test_what_shared_errors_would_change_is_shown_with_two_people() -> None:
    """Three rows, the first without a correlation, and a note; with one person nothing is known of people's errors."""
    found = result(0.1)
    assert [row["correlation"] for row in found["shared"].rows] == [0.0, 0.1, 0.2]
    assert any("if people and judge err independently" in note for note in found.notes)
    alone = result(0.1, ("ann",))
    assert "shared" not in shown(alone)
    assert alone["shared"].rows == []


def test_metrics_with_few_items_are_folded() -> None:
    """Two with 40 items each have rows; one with four is in the files alone, and a note says so."""
    found = result(0.1)
    assert [row["name"] for row in found["presence_shown"].rows] == ["all metrics", "mini/m01", "mini/m02"]
    assert "mini/m03" in [row["name"] for row in found["presence"].rows]
    assert "Not shown: 1 metric with fewer than 10 items; --out has them." in found.notes


def test_where_judge_and_people_differ_is_listed_with_the_command_that_shows_it() -> None:
    """Ten of them on a screen, and in the file each item's conversation and command."""
    found = result(0.1, ("ann",))
    rows = found["items"].rows
    differing = [row for row in rows if row["judge_value"] != row["people_value"]]
    start = next(place for place, note in enumerate(found.notes) if note.startswith("Judge and people differ"))
    assert found.notes[start] == f"Judge and people differ on {len(differing)} conversations" + (
        ", the first 10 of which are:" if len(differing) > 10 else ":"
    )
    first = differing[0]
    judge, people = ("present" if first[key] == 1 else "absent" for key in ("judge_value", "people_value"))
    command = f"impactbench explain --suite s --model {first['model']} {first['case']}"
    assert first["command"] == command
    assert found.notes[start + 1] == f"judge {judge}, people {people}: {command}"
    assert not any(note.startswith("Judge and people differ") for note in result(0.0).notes)
    assert any('nobody answered, or only with "unclear"' in note for note in found.notes)
