"""Scripted targets find the metrics of the installed benchmarks."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from helm_impactbench.benchmark import files
from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.rehearsal import installed
from helm_impactbench.rehearsal.installed import InstalledLines, cue_of


def cases(slug: str) -> dict[str, str]:
    """Return cue -> name of the metric, for all people and first messages of a benchmark."""
    benchmark = load_benchmark(slug)
    names = {metric.id: metric.name for metric in benchmark.metrics}
    people = {
        cue_of(each.played_persona, each.user_goal or "", each.latent_adversarial_goal or ""): names[each.metric_id]
        for each in benchmark.scenarios
        if each.has_simulated_user
    }
    return people | {cue_of(each.messages[0]): names[each.metric_id] for each in benchmark.scenarios if each.messages}


def test_every_metric_has_its_cues() -> None:
    """A metric is found by whom the simulated user plays, and by the first message of a case with fixed messages."""
    lines = InstalledLines()
    for slug in benchmark_paths():
        wanted = cases(slug)
        assert {cue: lines[cue].name for cue in wanted} == wanted, slug
    assert "no cue" not in lines


def test_a_look_up_reads_no_more_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first benchmark's metric is found without a second one, and those with fixed messages come last."""
    read: list[str] = []
    monkeypatch.setattr(
        installed, "check_benchmark", lambda folder: read.append(folder.name) or files.check_benchmark(folder)
    )
    first, second, *_ = benchmark_paths()
    lines = InstalledLines()
    assert lines[next(iter(cases(first)))]
    assert read == [first]
    assert lines[next(iter(cases(second)))]
    assert read == [first, second]
    assert lines[next(iter(cases("moral-sycophancy")))]
    assert read.index("moral-sycophancy") > read.index("spillunder")
    assert "spillunder" > "moral-sycophancy"


def test_threads_that_ask_together_have_it_read_once() -> None:
    """A run's threads all begin at the same moment; each would otherwise read every benchmark for itself."""
    together, read = threading.Barrier(4), []

    @installed.once
    def cases_of(name: str) -> list[str]:
        read.append(name)
        time.sleep(0.1)
        return [name]

    def asked(name: str) -> list[str]:
        together.wait()
        return cases_of(name)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(asked, ["a", "a", "b", "a"]))
    assert found == [["a"], ["a"], ["b"], ["a"]]
    assert sorted(read) == ["a", "b"]
