"""Item analysis: each fault is found in the metric that has it, and in no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helm_impactbench.analysis.item_analysis import Anchors, item_analysis
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.results.outcome import JudgeVote, Outcome
from tests.analysis.builders import HEALTHY
from tests.support.outcomes import contrast_outcome, judged, simulated


def findings_of(data: list[Outcome], metric: str, anchors: Anchors | None = None) -> list[str]:
    """Return the findings on a metric, each up to its colon."""
    (found,) = [item for item in item_analysis(data, anchors) if item.metric == f"mini/{metric}"]
    return [text.split(":")[0] for text in found.findings]


def pilot() -> list[Outcome]:
    """Return a pilot with three models that differ."""
    return simulated(np.random.default_rng(2), HEALTHY, correlation=0.05, metrics=5, scenarios=8)


def changed(data: list[Outcome], metric: str, **changes: Any) -> list[Outcome]:
    """Return the data with the outcomes of one metric changed."""
    return [replace(o, **changes) if o.metric_id == metric else o for o in data]


def test_a_healthy_metric_has_no_findings() -> None:
    """Nothing to do for an author."""
    assert findings_of(pilot(), "m01", Anchors("good", "bad")) == []


@pytest.mark.parametrize("passed", [True, False])
def test_a_saturated_metric_is_named(passed: bool) -> None:
    """All models pass, or all fail: found in that metric, and in no other."""
    data = [judged(o, passed) if o.metric_id == "m02" else o for o in pilot()]
    assert "saturated" in findings_of(data, "m02")
    assert findings_of(data, "m03") == []


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"votes": (JudgeVote("j", 1.0, "answered", False),)}, "ungrounded"),
        ({"votes": (JudgeVote("j", 1.0, "answered", None), JudgeVote("k", 0.0, "answered", None))}, "judges disagree"),
        ({"status": "unclear", "value": None, "score": None}, "never scored"),
        ({"status": "not_applicable", "value": None, "score": None}, "often not applicable"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sick_metric_is_named(changes: dict[str, Any], finding: str) -> None:
    """Each fault is found in the metric that has it, and in no other."""
    data = changed(pilot(), "m02", **changes)
    assert finding in findings_of(data, "m02")
    assert findings_of(data, "m03") == []


def test_a_flipped_polarity_is_found_without_a_rank() -> None:
    """Law 1: the ranking of models is the same, but the anchors and the other metrics give the metric away."""
    flipped = [
        replace(o, metric_type="negative", score=1 - (o.score or 0.0)) if o.metric_id == "m04" else o for o in pilot()
    ]
    assert [score.model for score in model_scores(flipped)] == [score.model for score in model_scores(pilot())]
    assert findings_of(flipped, "m04", Anchors("good", "bad")) == ["inverted", "runs against the other metrics"]
    assert findings_of(flipped, "m04") == ["runs against the other metrics"]
    assert findings_of(flipped, "m01", Anchors("good", "bad")) == []


def test_parallel_metrics_are_not_said_to_run_against_each_other() -> None:
    """Twelve metrics that measure the same, four models that are close: flagged in 5% of pilots."""
    rng, flagged = np.random.default_rng(8), 0
    for _ in range(60):
        data = simulated(rng, {"a": 0.66, "b": 0.69, "c": 0.72, "d": 0.75}, correlation=0.3, metrics=12, scenarios=3)
        flagged += any("runs against" in text for item in item_analysis(data) for text in item.findings)
    assert flagged <= 0.05 * 60 + 3


def test_a_metric_on_which_models_are_alike_does_not_discriminate() -> None:
    """The spread of the models' rates is what counts."""
    data = [o for o in pilot() if o.metric_id != "m05"]
    data += [replace(o, model=model) for o in pilot() if o.metric_id == "m05" and o.model == "middle"
             for model in HEALTHY]  # fmt: skip
    assert "does not discriminate" in findings_of(data, "m05")


def sides(**levels: list[float | None]) -> list[Outcome]:
    """Return outcomes of one contrast metric: level -> its values on base scenarios 0, 1, ..."""
    return [
        contrast_outcome(value, level, f"base_{base}")
        for level, values in levels.items()
        for base, value in enumerate(values)
    ]


@pytest.mark.parametrize(
    ("data", "findings"),
    [
        pytest.param(sides(a=[1, 0, 1], b=[-1, 0, 0]), [], id="healthy"),
        pytest.param(sides(a=[0.5, 0.5, 0.5], b=[0.5, 0.5, 0.5]), ["never moves"], id="never moves"),
        pytest.param(sides(a=[1, 0, 0.5]), ["nothing to compare"], id="one level alone"),
        pytest.param(sides(a=[1, None, None], b=[-1, 0, None]), ["often unscored or unclear"], id="often unscored"),
        pytest.param(
            [replace(o, votes=(JudgeVote("j", -1.0, "answered", True), JudgeVote("k", 0.5, "answered", True)))
             for o in sides(a=[1, 0, 1], b=[-1, 0, 0])], ["judges disagree"], id="judges disagree",
        ),
    ],
)  # fmt: skip
def test_a_contrast_metric_is_examined_by_what_it_compares(data: list[Outcome], findings: list[str]) -> None:
    """Matched sets and values that move; never by a pass rate, a spread or anchors."""
    (item,) = item_analysis(data, Anchors("model-a", "other"))
    assert [text.split(":")[0] for text in item.findings] == findings
    assert np.isnan([item.mean, item.spread, item.item_rest, item.auroc]).all()
