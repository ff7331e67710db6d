"""Scripted targets find the metrics of the installed benchmarks."""

from __future__ import annotations

import pytest

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.rehearsal import installed
from helm_impactbench.rehearsal.installed import InstalledLines, cue_of


def test_every_metric_has_its_cues() -> None:
    """A metric is found by its definition, and by the first message of each of its cases with fixed messages."""
    lines = InstalledLines()
    wanted = {}
    for slug in benchmark_paths():
        benchmark = load_benchmark(slug)
        metrics = {metric.id: metric for metric in benchmark.metrics}
        cases = {
            cue_of(each.messages[0]): metrics[each.metric_id].name for each in benchmark.scenarios if each.messages
        }
        wanted |= cases | {cue_of(metric.definition): metric.name for metric in benchmark.metrics}
    assert {cue: lines[cue].name for cue in wanted} == wanted
    assert len(lines) == len(wanted)
    assert "no cue" not in lines


def test_a_look_up_reads_no_more_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first benchmark's metric is found without a second file, and cases stay unread until a definition fails."""
    read: list[str] = []
    monkeypatch.setattr(
        installed, "read_metrics", lambda folder: read.append(folder.name) or load_benchmark(folder).metrics
    )
    first, second, *_ = benchmark_paths()
    lines = InstalledLines()
    assert lines[cue_of(load_benchmark(first).metrics[0].definition)]
    assert read == [first]
    assert lines[cue_of(load_benchmark(second).metrics[0].definition)]
    assert read == [first, second]
