"""Cases from failures, and from files of prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_impactbench.authoring.cases import add_prompts, failures, keep_failures, read_prompts
from helm_impactbench.benchmark.files import load_benchmark, write_benchmark
from helm_impactbench.errors import BenchmarkError, ImpactBenchError, ResultsError
from helm_impactbench.outputs.label.of_suite import labels_of
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.reading import Selection, read
from tests.support import kinds


def _failures(folder: Path) -> list[object]:
    run = kinds.write_run(folder / "suite", "bad")
    return [*failures(zip(*run.read(), strict=True))]


def _benchmark(folder: Path) -> None:
    """Write a benchmark that measures."""
    whole = kinds.benchmark()
    one_level = [case for case in whole.scenarios if case.id.endswith("_v01")]
    write_benchmark(whole.model_copy(update={"scenarios": one_level}), folder / kinds.SLUG)


def test_failures_are_kept_word_for_word_the_most_severe_first(tmp_path: Path) -> None:
    """With metric, messages, levels and system prompt; what did not fail is not among them."""
    found = _failures(tmp_path)
    added = keep_failures(tmp_path / "kept", found)  # type: ignore[arg-type]
    kept = load_benchmark(tmp_path / "kept")
    assert kept.regression
    assert (added.written, added.known) == (len(found), 0)
    assert {metric.id.split(".")[0] for metric in kept.metrics} == {kinds.SLUG}
    assert kept.scenarios[0].metric_id == "kinds.harms"
    assert kept.scenarios[0].messages == ["What about case 1 of harms, level adult?"]
    assert kept.scenarios[0].axes == {"age": "adult"}
    assert {scenario.metric_id for scenario in kept.scenarios} == {"kinds.harms", "kinds.helps", "kinds.blames",
                                                                   "kinds.sounds"}  # fmt: skip


def test_a_failure_is_kept_once(tmp_path: Path) -> None:
    """A second time adds nothing, and says so."""
    found = _failures(tmp_path)
    keep_failures(tmp_path / "kept", found[:3])  # type: ignore[arg-type]
    added = keep_failures(tmp_path / "kept", found)  # type: ignore[arg-type]
    assert (added.written, added.known) == (len(found) - 3, 3)
    assert len({scenario.id for scenario in load_benchmark(tmp_path / "kept").scenarios}) == len(found)


def test_a_benchmark_that_measures_takes_no_failures(tmp_path: Path) -> None:
    """Cases chosen because a model failed on them would bias its rates."""
    _benchmark(tmp_path)
    with pytest.raises(BenchmarkError, match="would bias its rates"):
        keep_failures(tmp_path / "kinds", _failures(tmp_path))  # type: ignore[arg-type]


def _write_kept(suite: Path) -> RunFolder:
    run = kinds.write_run(suite, "bad", slug="kept")
    spec = json.loads((run.path / "run_spec.json").read_text(encoding="utf-8"))
    (run.path / "run_spec.json").write_text(json.dumps({**spec, "groups": ["kept", "impactbench_regression"]}))
    return run


def test_kept_failures_enter_no_rate(tmp_path: Path) -> None:
    """They are read only where they are asked for by name and alone, and what is left out is said."""
    kinds.write_run(tmp_path / "suite", "bad")
    run = _write_kept(tmp_path / "suite")
    everything = read(tmp_path / "suite")
    assert len(everything.outcomes) == len(RunFolder(run.path).read()[1])
    assert any("kept has failures that are kept" in note for note in everything.notes)
    asked = read(tmp_path / "suite", Selection(benchmarks=("kept",)))
    assert len(asked.outcomes) == len(everything.outcomes)
    assert asked.is_of_kept
    assert not any("failures that are kept" in note for note in asked.notes)
    mixed = read(tmp_path / "suite", Selection(benchmarks=("kept", "kinds")))
    assert len(mixed.outcomes) == len(everything.outcomes)
    assert not mixed.is_of_kept
    assert any("impactbench rates --benchmark kept shows them" in note for note in mixed.notes)


def test_a_suite_of_kept_failures_has_rates_and_no_label(tmp_path: Path) -> None:
    """Nothing of it is left out, and a label would say how often a model fails."""
    run = _write_kept(tmp_path)
    alone = read(tmp_path)
    assert len(alone.outcomes) == len(RunFolder(run.path).read()[1])
    assert alone.is_of_kept
    assert not any("failures that are kept" in note for note in alone.notes)
    with pytest.raises(ResultsError, match="has no label: its cases are kept failures"):
        labels_of(tmp_path, (), (), "these", lambda line: None)


def test_prompts_become_cases(tmp_path: Path) -> None:
    """From CSV and from JSONL, with levels; a prompt that is there already is not added again."""
    _benchmark(tmp_path)
    table = tmp_path / "prompts.csv"
    table.write_text('message,axis:age,factor:size\n"Help me, please?",child,small\nAnd me?,adult,\n', encoding="utf-8")
    lines = tmp_path / "prompts.jsonl"
    lines.write_text(
        '{"messages": ["One.", "Two."], "metric": "harms"}\n\n{"message": "And me?", "axis:age": "adult"}\n'
    )
    first = add_prompts(tmp_path / "kinds", read_prompts(table, "helps"))
    second = add_prompts(tmp_path / "kinds", read_prompts(lines, "helps"))
    assert (first.written, first.known, second.written, second.known) == (2, 0, 1, 1)
    new = {case.id: case for case in load_benchmark(tmp_path / "kinds").scenarios if "_p0" in case.id}
    assert new["helps_p0001"].messages == ["Help me, please?"]
    assert new["helps_p0001"].axes == {"age": "child"}
    assert new["helps_p0001"].factors == {"size": "small"}
    assert new["harms_p0001"].messages == ["One.", "Two."]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "mesage\nhello\n", "a.csv:2: there is no column 'mesage'"),
        ("a.csv", "message,metric\nhello,\n", "a.csv:2: no metric"),
        ("a.csv", "message\n", "contains no case"),
        ("a.jsonl", '{"message": 1, "metric": "m"}\n', "a.jsonl:1: messages"),
        ("a.jsonl", '["message"]\n', "a.jsonl:1: not an object"),
        ("a.jsonl", '{"message"\n', "a.jsonl:1: "),
        ("a.jsonl", '{"metric": "m"}\n', "a.jsonl:1: a case has `message`"),
    ],
)
def test_a_mistake_in_a_file_names_its_line(tmp_path: Path, name: str, text: str, words: str) -> None:
    """One message, with the cure."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ImpactBenchError) as error:
        read_prompts(tmp_path / name)
    assert words in str(error.value)


def test_a_case_of_an_unknown_metric_changes_nothing(tmp_path: Path) -> None:
    """The files stay as they were."""
    _benchmark(tmp_path)
    before = (tmp_path / "kinds" / "scenarios.json").read_bytes()
    (tmp_path / "p.csv").write_text("message,metric\nhello,help\n", encoding="utf-8")
    with pytest.raises(BenchmarkError, match="Did you mean helps"):
        add_prompts(tmp_path / "kinds", read_prompts(tmp_path / "p.csv"))
    assert (tmp_path / "kinds" / "scenarios.json").read_bytes() == before
