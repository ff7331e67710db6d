"""Several models' labels next to each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.outputs.label.folder import file_names, write_labels
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.render import side_by_side_page
from helm_impactbench.outputs.label.side_by_side import side_by_side
from helm_impactbench.results.outcome import Outcome
from tests.outputs.label.builders import benchmark, metric, talks
from tests.outputs.label.test_words import HOSTILE, _Elements

THREE = [metric(number, ["learning"]) for number in (1, 2, 3)]


def _outcomes(model: str, passed: bool, **changes: Any) -> list[Outcome]:
    return [one for number in (1, 2, 3) for one in talks(number, [passed] * 20, model=model, **changes)]


def _label(model: str, passed: bool = True, **changes: Any) -> Label:
    return label_of(_outcomes(model, passed, **changes), [benchmark(THREE)])


def test_differences_are_those_of_the_paired_test() -> None:
    """The sentence names what impactbench compare tells apart, and says so where that is nothing."""
    assert compare([*_outcomes("a", True), *_outcomes("b", False)]).told_apart() == [("a", "b")]
    assert side_by_side([_label("b", passed=False), _label("a")]).tested.endswith("more than chance: a above b.")
    alike = side_by_side([_label("b"), _label("a")])
    assert "no difference between the models compared exceeds chance" in alike.tested
    assert [label.model for label in alike.labels] == ["a", "b"]


def test_a_model_with_which_people_fare_differently_is_compared_with_none() -> None:
    """No sentence puts it above or below another; it is named, with the reason."""
    outcomes = [one for number in (1, 2, 3) for one in talks(number, [True, False] * 10, model="m")]
    unequal = label_of(outcomes, [benchmark(THREE)])
    assert unequal.unequal
    assert ("a", "m") in compare([*_outcomes("a", True), *outcomes]).told_apart()
    said = side_by_side([_label("a"), unequal, _label("z", passed=False)]).tested
    assert said.startswith("Not compared, because people fare differently: m. ")
    assert said.endswith("more than chance: a above z.")
    assert side_by_side([_label("a"), unequal]).tested == "Not compared, because people fare differently: m."


def test_unequal_sets_of_benchmarks_are_marked() -> None:
    """A model that lacks a benchmark is named; where all were run on the same ones nothing is said."""
    more = label_of([*_outcomes("a", True), *_outcomes("a", True, benchmark="other")], [benchmark(THREE)])
    (notice,) = side_by_side([more, _label("b")]).notices
    assert notice.endswith("their rows are not alike: b.")
    assert side_by_side([_label("a"), _label("b")]).notices == ()


def test_the_page_links_to_every_label(tmp_path: Path) -> None:
    """It is written where there are several models, and no model's own page can take its place."""
    write_labels([_label("a"), _label("index")], ["parents"], [], tmp_path)
    page = (tmp_path / "index.html").read_text()
    (own,) = tmp_path.glob("index-*.html")
    assert 'href="a.html"' in page
    assert f'href="{own.name}"' in page
    write_labels([_label("a")], ["parents"], [], tmp_path / "one")
    assert not (tmp_path / "one/index.html").exists()
    assert file_names(["Index", "indexes"])[1] == "indexes"


def test_names_of_models_stay_text() -> None:
    """A model's name that holds markup starts nothing."""
    page = _Elements(side_by_side_page([_label("a"), _label(HOSTILE)], {"a": "a.html", HOSTILE: "b.html"}))
    assert not {"script", "img"} & set(page.tags)
    assert "\u202e" not in "".join(page.text)


def test_scripts_are_marked() -> None:
    """A rehearsal among the models is called one, and the others are not."""
    page = side_by_side_page([_label("a"), _label("rehearsal/mixed")], {"a": "a", "rehearsal/mixed": "m"})
    assert page.count('<span class="nl-soft">scripted</span>') == 1
    assert "Models that are marked as scripted say nothing about any AI system." in page


def test_only_what_has_a_grade_is_drawn(tmp_path: Path) -> None:
    """A scale with the figure beside it in each row; a model without a grade is named, and nothing of it is written."""
    few = label_of(talks(1, [True] * 4, model="few"), [benchmark(THREE)])
    page = side_by_side_page([_label("a"), _label("b", passed=False), few], {"a": "a.html", "b": "b.html"})
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg"') == 2
    assert page.count('<span class="nl-figure">all</span>') == page.count('<span class="nl-figure">none</span>') == 1
    assert "Without a label, as none of their rows has a grade: few." in page
    every = ["html", "svg", "png", "pdf", "md", "badge"]
    write_labels([_label("a"), few], ["parents"], [], tmp_path / "two", every)
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == [
        "a.badge.svg", "a.html", "a.parents.md", "a.parents.pdf", "a.parents.png", "a.parents.svg", "labels.json",
    ]  # fmt: skip
    write_labels([few], ["parents"], [benchmark(THREE)], tmp_path / "none", every)
    assert [path.name for path in (tmp_path / "none").iterdir()] == ["labels.json"]
