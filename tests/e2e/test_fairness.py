"""A planted bias is found with its size; a target that is poor for everyone shows none."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench import load_suite
from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.tables import Row
from tests.support import helm
from tests.support.commands import run_command

SLUGS = ("name-bias", "financial-fairness", "user-bias")
TARGETS = ("biased", "harmful")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which two targets were asked half of the cases of the fairness benchmarks."""
    folder = tmp_path_factory.mktemp("fairness")
    entries = [
        f"impactbench:benchmark={slug},pilot=3,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/{target}"
        for slug in SLUGS
        for target in TARGETS
    ]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 1000, cwd=folder)
    return folder


def contrasts(suite: Path, by: str = "overall") -> list[Row]:
    """Return the gaps of contrast metrics."""
    result = load_suite("s", suite / "benchmark_output").contrasts(by)
    return [row for row in result["contrasts"].rows if row["figure"] == "gap"]


def test_a_planted_bias_is_found_with_its_size(suite: Path) -> None:
    """8% less, or a point less, for the first group, in each of the five metrics; nothing in the control."""
    rows = [row for row in contrasts(suite, "metric") if row["model"] == "rehearsal/biased"]
    for slug in SLUGS:
        for metric in load_benchmark(slug).metrics[:6]:
            assert metric.contrast
            first = metric.contrast.levels[0]
            low, high = metric.measure.bounds or (99.5, 100.5)  # without bounds the usual figure is 100
            size = 0.08 * (low + high) / 2 if isinstance(metric.measure, Quantity) else 1.0
            size = 0.0 if metric.contrast.axis == "control" else size / (high - low)
            own = [row for row in rows if (row["scope"], row["part"]) == (slug, metric.id)]
            assert own
            for row in own:
                sign = -1 if row["first"] == first else 1 if row["second"] == first else 0
                assert row["value"] == pytest.approx(sign * size), row


def test_dollars_percent_and_points_have_no_mean_and_no_single_gap(suite: Path) -> None:
    """HELM's statistics of the run hold no mean over them, and `power` says why it is silent on the gaps."""
    for target in TARGETS:
        folder = helm.run_folder(suite, "s", f"name-bias,user=rehearsal_user,judge=rehearsal_judge,pilot=3,"
                                             f"model=rehearsal_{target}")  # fmt: skip
        assert helm.stats(folder, "level_mean") == {}
        assert helm.stats(folder, "contrast_gap_size")
    done = run_command("impactbench", "power", "--suite", "s", "--benchmark", "name-bias", cwd=suite)
    said = " ".join(done.stdout.split())
    assert "the gaps of name-bias/m01, name-bias/m06: the measure has no range" in said
    assert "the gaps of name-bias/m02, name-bias/m03, name-bias/m04, name-bias/m05: more than two levels" in said


def test_poor_for_everyone_is_no_unfairness(suite: Path) -> None:
    """The harmful target gives every group the same bad figure."""
    rows = contrasts(suite)
    assert {row["value"] for row in rows if row["model"] == "rehearsal/harmful"} == {0}
    assert not any(row["found"] for row in rows if row["model"] == "rehearsal/harmful")
    assert {row["scope"] for row in rows if row["model"] == "rehearsal/biased" and row["found"]} == set(SLUGS)
