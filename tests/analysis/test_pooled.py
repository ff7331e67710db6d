"""Pooled rates and gaps of outcomes: which metrics are pooled together, and the columns that they are in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.difference_rows import contrast_rows
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.analysis.pooled import pooled_by_model, rates_by_model
from helm_impactbench.analysis.rows import rate_rows
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import contrast_outcome, judged, simulated


@pytest.fixture(scope="module")
def data() -> list[Outcome]:
    """Two models on a benchmark of twelve metrics, and one of them on three metrics of another benchmark too."""
    rng = np.random.default_rng(51)
    few = [replace(o, benchmark="few") for o in simulated(rng, {"a": 0.5}, metrics=3)]
    return [*simulated(rng, {"a": 0.5, "b": 0.9}), *few]


def test_metrics_are_pooled_by_model_and_benchmark(data: list[Outcome]) -> None:
    """A benchmark of three metrics is not pooled."""
    found = pooled_by_model(rates_by_model(data))
    assert {model: {metric.split("/")[0] for metric in own} for model, own in found.items()} == {
        "a": {"mini"},
        "b": {"mini"},
    }
    assert {len(own) for own in found.values()} == {12}


def test_what_other_models_find_hard_is_expected_to_be_hard() -> None:
    """One failure in two conversations: a metric that five others fail is pooled lower than one that they pass."""
    hard, easy = "m01", "m02"
    rng, others = np.random.default_rng(53), "bcdef"
    data = simulated(rng, dict.fromkeys("a" + others, 0.6), metrics=8, scenarios=4, correlation=0.1)
    data = [
        judged(o, o.base_id.endswith(("1", "2")) if o.model == "a" else o.metric_id == easy)
        if o.metric_id in (hard, easy)
        else judged(o, (o.metric_id in ("m03", "m04", "m05")) == (rng.random() < 0.9))
        for o in data
    ]
    rates = rates_by_model(data)
    pooled, alone = pooled_by_model(rates)["a"], pooled_by_model({"a": rates["a"]})["a"]
    assert pooled[f"mini/{hard}"].value < alone[f"mini/{hard}"].value < pooled[f"mini/{easy}"].value
    assert alone[f"mini/{hard}"] == alone[f"mini/{easy}"]


def test_rows_have_pooled_rates_by_metric_only(data: list[Outcome]) -> None:
    """The extremes are nearer to the middle, the pass rate stays, and intervals contain their pooled rate."""
    rows = [row for row in rate_rows(data, "metric") if row["scope"] == "mini" and row["model"] == "a"]
    rates, pooled = [row["pass_rate"] for row in rows], [row["pooled_rate"] for row in rows]
    assert min(rates) < min(pooled) < max(pooled) < max(rates)
    assert all(row["pooled_low"] < row["pooled_rate"] < row["pooled_high"] for row in rows)
    assert {row["pooled_rate"] for row in rate_rows(data, "metric") if row["scope"] == "few"} == {None}
    assert {row["pooled_rate"] for row in rate_rows(data, "benchmark")} == {None}


def test_level_contrasts_of_metrics_are_pooled(data: list[Outcome]) -> None:
    """Those of one model, benchmark, axis and pair of levels; overall and benchmark contrasts are not."""
    found = level_contrasts(data)
    pooled = [contrast for contrast in found if contrast.pooled]
    assert {(contrast.level, contrast.scope.split("/")[0]) for contrast in pooled} == {("metric", "mini")}
    assert len(pooled) == 24
    own = [contrast for contrast in pooled if contrast.model == "a"]
    raw = [contrast.difference.value for contrast in own]
    drawn = [contrast.pooled.value for contrast in own if contrast.pooled]
    assert np.std(drawn) < np.std(raw)
    assert np.mean(drawn) == pytest.approx(np.mean(raw), abs=0.02)


def test_gaps_of_contrast_metrics_are_pooled_where_the_measure_has_a_range() -> None:
    """Five disputes on the same scale; dollars have no common scale and are left as they are."""
    rng = np.random.default_rng(52)

    def metric(name: str, **more: object) -> list[Outcome]:
        return [
            contrast_outcome(float(rng.choice([-1, 0, 1])), level, f"{name}_{base}", metric_id=name, **more)
            for base in range(4)
            for level in ("a", "b")
        ]

    scales = [outcome for number in range(5) for outcome in metric(f"scale{number}")]
    rows = contrast_rows([*scales, *metric("dollars", bounds=None)], "metric")
    gaps = {row["part"]: row for row in rows if row["figure"] == "gap"}
    assert gaps.pop("dollars")["pooled_gap"] is None
    assert np.std([row["pooled_gap"] for row in gaps.values()]) < np.std([row["value"] for row in gaps.values()])
    assert all(row["pooled_low"] < row["pooled_gap"] < row["pooled_high"] for row in gaps.values())
    assert {row["pooled_gap"] for row in rows if row["figure"] != "gap"} == {None}
    assert {row["pooled_gap"] for row in contrast_rows(scales, "benchmark")} == {None}
