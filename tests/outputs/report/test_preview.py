"""The picture that a link shows: every model, no average over people who differ, and how far to trust it."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

from matplotlib.text import Text

from helm_impactbench.outputs.report.benchmark_page import benchmark_charts, gaps_here, models_on_topic
from helm_impactbench.outputs.report.preview import preview
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.statement import as_text
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.judge_trust import NO_JUDGES, JudgeTrust, PanelTrust
from tests.outputs.report.test_findings import conversations, people


def words_of(outcomes: Iterable[Outcome], *, scripted: bool = False) -> list[str]:
    """Return the texts of the picture of a suite."""
    return [one.get_text() for one in preview(results_of(outcomes, scripted=scripted)).findobj(Text)]


def results_of(outcomes: Iterable[Outcome], *, scripted: bool = False) -> Results:
    """Return what pages show of a suite that is not on disk."""
    own = list(outcomes)
    results = Results.__new__(Results)
    models = {one.model: one.model for one in own}
    site = SimpleNamespace(judges=NO_JUDGES, models=models, suite="s", scripted=scripted, unfinished="",
                           benchmarks={one.benchmark: SimpleNamespace(name=one.benchmark) for one in own})  # fmt: skip
    for name, value in {"site": site, "parts": [SimpleNamespace(outcomes=own, metrics={})]}.items():
        object.__setattr__(results, name, value)
    return results


def test_all_models_are_drawn_with_short_names_and_the_judge_is_told() -> None:
    """Fourteen of them, whether they lead or lose."""
    words = words_of(
        each for place in range(14) for each in conversations(f"m-{place:02d}", 50 - place, of=60)
    )  # fmt: skip
    assert {f"m-{place:02d}" for place in range(14)} <= {*words}
    assert "No judge was asked" in words


def test_of_more_models_than_have_room_it_says_how_many() -> None:
    """The first twenty of forty."""
    words = words_of(each for place in range(40) for each in conversations(f"m-{place:02d}", place, of=40))
    assert "No judge was asked · first 20 of 40 models" in words
    assert len([one for one in words if one.startswith("m-")]) == 20


def test_a_failed_judge_is_told_in_large_letters() -> None:
    """And no finding, no model and no figure."""
    results = results_of(conversations("m-1", 50, of=60))
    trust = JudgeTrust((PanelTrust("org/j", "failed", "org/j is not distinguishable from a coin."),))
    results.site.judges = trust  # type: ignore[misc] # a stand-in that can be written to
    texts = preview(results).findobj(Text)
    words = {one.get_text(): one.get_fontsize() for one in texts if one.get_text()}
    assert {"The judge failed its check.", "Nothing is ranked."} == {one for one, size in words.items() if size > 40}
    assert any("org/j is not distinguishable from a coin." in one for one in words)
    assert not any("m-1" in one for one in words)


def test_a_model_that_treats_people_differently_has_two_figures_and_no_average() -> None:
    """As on the front page."""
    words = words_of([*people("apart", 60, 0), *people("even", 40, 38)], scripted=True)
    assert "0% | 100%" in words
    assert "50%" not in words
    assert "65%" in words
    assert any("(scripted)" in one for one in words)


def test_a_benchmarks_page_has_no_average_of_it_either() -> None:
    """Its row has the rates with both groups on this topic; the others have their mean."""
    outcomes = [*people("apart", 60, 0), *people("even", 40, 38)]
    results, slug = results_of(outcomes), outcomes[0].benchmark
    chart = models_on_topic(results, slug, gaps_here(results, slug))
    assert chart is not None
    rows = {str(row["model"]): row for row in chart.rows}
    assert (rows["apart"]["mean"], rows["apart"]["worse_rate"], rows["apart"]["better_rate"]) == ("", 0.0, 1.0)
    assert rows["even"]["mean"] != ""
    said = benchmark_charts(results_of(outcomes), outcomes[0].benchmark)["models_said"]
    words = as_text(said.headline, lambda model: model)
    assert words.startswith("apart is not ranked: 0% with child and 100% with adult. ")
    several = [*outcomes, *people("also", 60, 0)]
    said = benchmark_charts(results_of(several), outcomes[0].benchmark)["models_said"]
    words = as_text(said.headline, lambda model: model)
    assert words.startswith("2 models treat people differently and are not ranked. ")
