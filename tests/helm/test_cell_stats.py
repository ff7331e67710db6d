"""The statistics that HELM's summarizer looks for: found by name, they are those that it finds among all."""

from __future__ import annotations

import logging

import pytest
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.statistic import Stat
from helm.benchmark.presentation.schema import MetricNameMatcher
from helm.benchmark.presentation.summarize import Run, get_unique_stat_by_matcher
from helm.benchmark.run_spec import RunSpec
from helm.common.hierarchical_logger import hlog

from helm_impactbench.helm.cell_stats import CellStats, helm_is_silent


def _stat(name: str, value: float, sub_split: str | None = None) -> Stat:
    return Stat(MetricName(name, split="test", sub_split=sub_split)).add(value)


RUN = Run(
    "runs/s/one",
    RunSpec.__new__(RunSpec),
    [_stat("rate", 1.0), _stat("rate", 0.0, "child"), _stat("exact_match", 0.5), _stat("other", 0.2)],
)


@pytest.mark.parametrize(
    ("matcher", "left"),
    [
        (MetricNameMatcher("rate", "test", sub_split="child"), 1),
        (MetricNameMatcher("rate", "test"), 2),
        (MetricNameMatcher("rate", "valid"), 0),
        (MetricNameMatcher("missing", "test"), 0),
        (MetricNameMatcher("quasi_exact_match", "test"), 4),
    ],
)
def test_helm_finds_the_same_among_fewer(matcher: MetricNameMatcher, left: int) -> None:
    """In place of quasi_exact_match HELM takes exact_match, so that such a run stays whole."""
    narrowed = CellStats().narrowed(RUN, matcher)
    assert len(narrowed.stats) == left
    found, whole = (get_unique_stat_by_matcher(run.stats, matcher) for run in (narrowed, RUN))
    assert str(found) == str(whole)


def test_helm_speaks_again_afterwards(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("helm"), "propagate", True)
    caplog.set_level(logging.INFO, "helm")
    with helm_is_silent():
        hlog("dropped")
    with pytest.raises(ZeroDivisionError), helm_is_silent():
        1 / 0  # noqa: B018 - raises
    hlog("said")
    assert [record.message.strip() for record in caplog.records] == ["said"]
