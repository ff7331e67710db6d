"""Rating sheets: what readers see, what they do not, and what their points come to."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.verdict import Unscored, unscored
from helm_impactbench.results.record import Record
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.rating.drawing import openings_sheet, relevance_sheet
from helm_impactbench.validity.annotation.rating.scoring import score_ratings
from helm_impactbench.validity.annotation.rating.sheet import RatingSheet, load_rating_key, write_rating_sheet
from helm_impactbench.validity.commands.annotate_rating import rating_scored
from tests.support import kinds

SLUG = "mental-health-safety"
EXPERTS = Path(__file__).parents[3] / "docs/decisions/experts.md"


def answers(folder: Path, name: str, points: dict[str, int]) -> Path:
    """Write one person's answers as the page exports them."""
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "answer", "note", "annotator"])
        rows.writerows([item, value or "", "", name] for item, value in points.items())
        rows.writerow(["last", "", "nothing is said of the night", name])
    return path


def written(sheet: RatingSheet, folder: Path) -> str:
    """Write a sheet and return what is on its page."""
    write_rating_sheet(sheet, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["README.txt", "consent.txt", "key.json", "sheet.html"]
    with pytest.raises(AnnotationError, match="already contains"):
        write_rating_sheet(sheet, folder)
    return (folder / "sheet.html").read_text()


def test_experts_see_metrics_without_names_and_types(tmp_path: Path) -> None:
    """In mixed order; the construct above; no name, which says what is wanted."""
    benchmark = load_benchmark(SLUG)
    sheet = relevance_sheet(benchmark, seed=1)
    page = written(sheet, tmp_path / "sheet")
    found = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    shown = json.dumps([found["about"], found["items"]], ensure_ascii=False)
    assert len(found["items"]) == len(benchmark.metrics)
    assert all(metric.definition in shown.replace('\\"', '"') for metric in benchmark.metrics)
    assert not any(f'"{metric.name}"' in shown or f'"{metric.id}"' in shown for metric in benchmark.metrics)
    assert [item.about for item in sheet.key.items] != [metric.id for metric in benchmark.metrics]
    assert len(found["points"]) == 4


def test_experts_points_come_to_indices_and_to_what_benchmark_yaml_takes(tmp_path: Path) -> None:
    """Two experts call all but one metric relevant; one leaves another one out."""
    sheet = relevance_sheet(load_benchmark(SLUG), seed=1)
    written(sheet, tmp_path / "sheet")
    first, second, *others = sheet.key.items
    points = {item.item_id: 4 for item in others}
    paths = [
        answers(tmp_path, "ann", {first.item_id: 4, second.item_id: 4, **points}),
        answers(tmp_path, "bo", {first.item_id: 2, second.item_id: 0, **points}),
    ]
    key = load_rating_key(tmp_path / "sheet")
    assert key is not None
    report = score_ratings(key, paths)
    index = {one.item.about: one.validity.index for one in report.texts}
    assert (index[first.about], index[second.about], index[others[0].about]) == (0.5, 1.0, 1.0)
    assert report.complete[first.about] == [4, 2]
    assert second.about not in report.complete
    result = rating_scored(report)
    assert f"{first.about}: [4, 2]" in result.notes[1]
    assert report.scale.average == pytest.approx(1 - 0.5 / len(sheet.key.items))


def test_a_wrong_point_is_refused(tmp_path: Path) -> None:
    """With its line, and what is allowed."""
    sheet = relevance_sheet(load_benchmark(SLUG), seed=1)
    path = answers(tmp_path, "ann", {sheet.key.items[0].item_id: 5})
    with pytest.raises(AnnotationError, match="number from 1 to 4"):
        score_ratings(sheet.key, [path])


def record(persona: str, opening: str, note: str | None = None) -> Record:
    """Return a conversation of a person with this description and first message."""
    base = kinds.records("bad", 1)[0]
    metric = base.case.metric.model_copy(update={"content_note": note})
    plan = base.case.plan.model_copy(update={"persona": persona})
    case = base.case.model_copy(update={"plan": plan, "metric": metric})
    said = Conversation(status=Status.COMPLETE, turns=(Turn(number=1, user=opening, assistant="Yes."),))
    return Record(case, said, unscored(Unscored.NOT_JUDGED))


def test_young_people_read_openings_of_their_age_without_hard_topics(tmp_path: Path) -> None:
    """Neither older people nor metrics with a content note; half is from people; what is below 3 is named."""
    records = [
        record("A 15-year-old girl in Leeds", "hey can u help w my essay"),
        record("A 44-year-old man in Leeds", "Good evening. My boiler is loud."),
        record("A 16-year-old boy in Hull", "i feel so low", note="It is about despair."),
    ]
    sheet = openings_sheet(records, ["whats a volcano even", "do my homework lol"], 4, 1, frozenset())
    page = written(sheet, tmp_path / "sheet")
    assert "help w my essay" in page
    assert "volcano" in page
    assert "boiler" not in page
    assert "so low" not in page
    assert "simulated" not in re.findall(r'id="data">(.*?)</script>', page)[0]
    points = {item.item_id: 2 if item.about == "simulated" else 5 for item in sheet.key.items}
    report = score_ratings(sheet.key, [answers(tmp_path, "kim", points), answers(tmp_path, "lee", points)])
    assert (report.realism("simulated")[0], report.realism("people")[0]) == (2.0, 5.0)
    assert [row["mean"] for row in rating_scored(report)["weak"].rows] == [2.0]


def test_openings_of_both_kinds_are_needed() -> None:
    """Without people's own, nobody can tell what is unreal."""
    with pytest.raises(AnnotationError, match="no opening of people"):
        openings_sheet([record("A 15-year-old girl", "hey")], [], 4, 1, frozenset())
    with pytest.raises(AnnotationError, match="no opening of simulated people"):
        openings_sheet([], ["hey"], 4, 1, frozenset())


@pytest.mark.parametrize(
    ("kind", "heads"),
    [("relevance", ["For experts and clinicians"]), ("openings", ["For young people", "For parents"])],
)
def test_the_consent_of_a_sheet_is_that_of_the_page(kind: str, heads: list[str]) -> None:
    """Word for word."""
    folder = Path(load_rating_key.__code__.co_filename).parent
    text = " ".join((folder / f"consent_{kind}.txt").read_text().split())
    page = EXPERTS.read_text()
    for head in heads:
        quoted = page.split(f"**{head}**")[1].split("**For")[0].split("## ")[0]
        words = " ".join(line.removeprefix(">") for line in quoted.splitlines() if line.startswith(">")).split()
        assert " ".join(words) in text
