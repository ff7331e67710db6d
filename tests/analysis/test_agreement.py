"""Agreement within a panel: where answers are alike or not, and where they differ by a distance."""

from __future__ import annotations

from dataclasses import replace

from helm_impactbench.analysis.agreement import by_measure, panel_agreement
from helm_impactbench.results.outcome import JudgeVote, Outcome
from tests.analysis.builders import FAILED, PASSED, row
from tests.support.outcomes import contrast_outcome


def voted(found: Outcome, *values: float | str | None) -> Outcome:
    """Return an outcome with these votes: values, statuses without one, or no vote."""
    votes = [
        JudgeVote(f"j{i}", None, value, None) if isinstance(value, str)
        else JudgeVote(f"j{i}", value, "no_vote" if value is None else "answered", None)
        for i, value in enumerate(values)
    ]  # fmt: skip
    return replace(found, votes=tuple(votes))


def test_panel_agreement_counts_only_what_two_have_voted_on() -> None:
    """A single judge is not a panel; a judge without a vote is left out of that conversation."""
    assert panel_agreement(row([PASSED, FAILED])) is None
    votes = [(1, 1), (0, 0), (1, 0), (1, None)]
    data = [voted(o, *cast) for o, cast in zip(row([PASSED] * 4), votes, strict=True)]
    panel = panel_agreement(data)
    assert panel is not None
    assert (panel.judges, panel.measure, panel.conversations, panel.split) == (("j0", "j1"), "presence", 3, 1 / 3)
    assert panel.distance is None
    assert panel.kappas[0][2].items == 3


def test_panel_agreement_on_points_is_by_distance() -> None:
    """Interval alpha and the mean distance of two judges; neither split votes nor kappas."""
    bases = range(4)
    data = [voted(contrast_outcome(0.0, "a", f"b{base}"), base / 2 - 1, base / 2 - 0.5) for base in bases]
    panel = panel_agreement(data)
    assert panel is not None
    assert (panel.measure, panel.scale, panel.split, panel.kappas, panel.distance) == (
        "stance", "interval", None, (), 0.5,
    )  # fmt: skip
    assert panel.alpha is not None
    assert 0 < panel.alpha < 1


def test_judges_who_differ_about_whether_there_is_an_answer_are_counted() -> None:
    """Not applicable beside present is not a split of answers, and no agreement either; a missing vote is neither."""
    data = [
        voted(o, *cast)
        for o, cast in zip(row([PASSED] * 4), [(1, "not_applicable"), (1, 1), ("unclear",) * 2, (1, None)], strict=True)
    ]
    panel = panel_agreement(data)
    assert panel is not None
    assert (panel.undecided, panel.split, panel.conversations) == (1 / 3, 0.0, 1)


def test_values_of_different_measures_are_never_put_together() -> None:
    """Presence and stance have no common alpha; each has its own, and quantities without ends one per metric."""
    presence = [voted(o, 1, 0) for o in row([PASSED, FAILED])]
    stance = [voted(contrast_outcome(0.5, "a", f"b{base}"), 0.5, 0) for base in (1, 2)]
    dollars = [
        voted(contrast_outcome(5e4, "a", metric_id=metric, measure="quantity", bounds=None), 5e4, 6e4)
        for metric in ("salary", "loan")
    ]
    mixed = [*presence, *stance, *dollars]
    whole = panel_agreement(mixed)
    assert whole is not None
    assert (whole.measure, whole.alpha, whole.split, whole.distance) == ("several", None, None, None)
    groups = by_measure(mixed)
    assert {name: len(found) for name, found in groups.items()} == {
        "presence": 2, "stance": 2, "quantity (sides/salary)": 1, "quantity (sides/loan)": 1,
    }  # fmt: skip
