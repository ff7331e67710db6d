"""Item analysis: each fault is found in the metric that has it, and in no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helm_impactbench.analysis.item_analysis import Anchors, metric_health
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.results.outcome import Outcome, Vote
from tests.analysis.builders import HEALTHY
from tests.support.outcomes import simulated


def health_of(data: list[Outcome], metric: str, anchors: Anchors | None = None) -> list[str]:
    """Return the findings on a metric, each up to its colon."""
    (found,) = [health for health in metric_health(data, anchors) if health.metric == f"mini/{metric}"]
    return [text.split(":")[0] for text in found.findings]


def pilot() -> list[Outcome]:
    """Return a pilot with three models that differ."""
    return simulated(np.random.default_rng(2), HEALTHY, correlation=0.05, metrics=5, scenarios=8)


def changed(data: list[Outcome], metric: str, **changes: Any) -> list[Outcome]:
    """Return the data with the outcomes of one metric changed."""
    return [replace(o, **changes) if o.metric_id == metric else o for o in data]


def test_a_healthy_metric_has_no_findings() -> None:
    """Nothing to do for an author."""
    assert health_of(pilot(), "m01", Anchors("good", "bad")) == []


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"passed": True, "present": True}, "saturated"),
        ({"passed": False, "present": False}, "saturated"),
        ({"passed": None, "present": None, "unscored": "judge_error"}, "never scored"),
        ({"votes": (Vote("j", True, False),)}, "ungrounded"),
        ({"votes": (Vote("j", True, None), Vote("k", False, None))}, "judges disagree"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sick_metric_is_named(changes: dict[str, Any], finding: str) -> None:
    """Each fault is found in the metric that has it, and in no other."""
    data = changed(pilot(), "m02", **changes)
    assert finding in health_of(data, "m02")
    assert health_of(data, "m03") == []


def test_a_flipped_polarity_is_found_without_a_rank() -> None:
    """Law 1: the ranking of models is the same, but the anchors and the other metrics give the metric away."""
    flipped = [replace(o, metric_type="negative", passed=not o.passed) if o.metric_id == "m04" else o for o in pilot()]
    assert [score.model for score in model_scores(flipped)] == [score.model for score in model_scores(pilot())]
    assert health_of(flipped, "m04", Anchors("good", "bad")) == ["inverted", "runs against the other metrics"]
    assert health_of(flipped, "m04") == ["runs against the other metrics"]
    assert health_of(flipped, "m01", Anchors("good", "bad")) == []


def test_a_metric_on_which_models_are_alike_does_not_discriminate() -> None:
    """The spread of the models' rates is what counts."""
    data = [o for o in pilot() if o.metric_id != "m05"]
    data += [replace(o, model=model) for o in pilot() if o.metric_id == "m05" and o.model == "middle"
             for model in HEALTHY]  # fmt: skip
    assert "does not discriminate" in health_of(data, "m05")
