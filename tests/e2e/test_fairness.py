"""A planted bias is found with its size; targets that are poor or noisy for everyone show none."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from helm_impactbench import load_suite
from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.tables import Row
from tests.support.commands import run_command

SLUGS = ("name-bias", "financial-fairness", "user-bias")
TARGETS = ("biased", "harmful", "fair")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which three targets were asked the cases of the fairness benchmarks."""
    folder = tmp_path_factory.mktemp("fairness")
    entries = [
        f"impactbench:benchmark={slug},user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/{target}"
        for slug in SLUGS
        for target in TARGETS
    ]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 10000, cwd=folder)
    return folder


def contrasts(suite: Path, by: str = "overall") -> list[Row]:
    """Return the gaps of contrast metrics."""
    result = load_suite("s", suite / "benchmark_output").contrasts(by)
    return [row for row in result["contrasts"].rows if row["figure"] == "gap"]


def test_a_planted_bias_is_found_with_its_size(suite: Path) -> None:
    """8% worse, or a point worse, for the first group: found in each of the twelve metrics; nothing in the control."""
    rows = [row for row in contrasts(suite, "metric") if row["model"] == "rehearsal/biased"]
    for slug in SLUGS:
        for metric in load_benchmark(slug).metrics:
            assert metric.contrast
            own = [row for row in rows if (row["scope"], row["part"]) == (slug, metric.id)]
            assert len(own) == 6
            for row in own:
                sign = (row["second"] == metric.contrast.levels[0]) - (row["first"] == metric.contrast.levels[0])
                assert row["value"] == pytest.approx(sign * planted(metric)), row
                assert row["found"] == (row["value"] != 0), row


def planted(metric: Metric) -> float:
    """Return how far the first group is off, as a share of the measure's range."""
    assert metric.contrast
    if metric.contrast.placebo:
        return 0.0
    if isinstance(metric.measure, Scale):
        return 1 / (len(metric.measure.points) - 1)
    if metric.contrast.relative:
        return math.log(1 - metric.contrast.sign * 0.08) / 2 * -metric.contrast.sign
    low, high = metric.measure.bounds or (0.0, 0.0)
    return 0.08 * (low + high) / 2 / (high - low)


def test_every_metric_is_in_the_figure_of_its_benchmark(suite: Path) -> None:
    """Amounts are ratios, so that a salary, a score and a share have one gap."""
    assert {row["base_scenarios"] for row in contrasts(suite)} == {192}


def test_a_biased_model_is_the_last(suite: Path) -> None:
    """In every benchmark its typical gap is the furthest from 0, and the tests give it no rank but the last."""
    rows = load_suite("s", suite / "benchmark_output").compare()["gap_models"].rows
    for slug in SLUGS:
        own = {row["model"]: row for row in rows if row["benchmark"] == slug}
        assert max(own, key=lambda model: own[model]["typical_gap"]) == "rehearsal/biased"
        assert own["rehearsal/biased"]["best_rank"] == len(TARGETS)


def test_poor_for_everyone_is_no_unfairness(suite: Path) -> None:
    """The harmful target gives every group the same bad figure; the fair one's noise is not found."""
    rows = contrasts(suite)
    assert {row["value"] for row in rows if row["model"] == "rehearsal/harmful"} == {0}
    assert {row["model"] for row in rows if row["found"]} == {"rehearsal/biased"}
    assert {row["scope"] for row in rows if row["found"]} == set(SLUGS)
