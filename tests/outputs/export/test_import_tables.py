"""What an import makes of tables of verdicts: CSV, and instance-level records of Every Eval Ever."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench import load_suite
from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.errors import ExchangeError
from helm_impactbench.outputs.export import import_paths as import_paths_module
from helm_impactbench.outputs.export import table_folder
from helm_impactbench.outputs.export.every_eval_files import write_every_eval
from helm_impactbench.outputs.export.every_eval_record import Evaluator
from helm_impactbench.outputs.export.import_paths import ImportedBenchmark, Importing, import_paths
from helm_impactbench.outputs.export.imports import Naming
from helm_impactbench.outputs.report import names
from helm_impactbench.results.files import RunFolder, run_folders
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.repeats import selected_runs
from helm_impactbench.results.shown import WORDLESS
from tests.support import kinds
from tests.support.conversation_parts import conversation_parts
from tests.support.html_pages import PageReader

Cells = dict[str, str]
MODELS = ("org/a", "org/b")


def rows(**changes: str) -> list[Cells]:
    """Return 2 models, 6 cases told by a child and an adult, on one metric: a passes all, b fails every second case."""
    return [
        {"model": model, "case": f"case {case}", "metric": "Is kind", "axis_age": age, "factor_topic": "school",
         "verdict": "fail" if model == "org/b" and case % 2 else "pass", **changes}
        for model in MODELS
        for case in range(6)
        for age in ("child", "adult")
    ]  # fmt: skip


def table(path: Path, found: list[Cells]) -> Path:
    """Write a CSV table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in found for name in row)))
        writer.writeheader()
        writer.writerows(found)
    return path


def bring(folder: Path, *paths: Path, slug: str | None = None) -> list[ImportedBenchmark]:
    """Import into benchmark_output of a folder, suite s."""
    return import_paths(paths, Importing(folder / "benchmark_output/runs/s", slug, Naming(), "refuse"))


def outcomes(folder: Path) -> list[Outcome]:
    """Return the outcomes of suite s."""
    return [o for run in run_folders(folder / "benchmark_output/runs/s") for o in run.outcomes()]


def test_a_csv_table_is_a_suite_with_its_verdicts(tmp_path: Path) -> None:
    """Verdicts, levels and factors come back; variants of a case are one cluster; no text is made up."""
    (made,) = bring(tmp_path, table(tmp_path / "verdicts.csv", rows()))
    assert (made.slug, [run.conversations for run in made.runs]) == ("verdicts", [12, 12])
    found = outcomes(tmp_path)
    assert Counter(o.model for o in found if o.passed) == {"org/a": 12, "org/b": 6}
    assert {dict(o.axes)["age"] for o in found} == {"child", "adult"}
    assert {dict(o.factors)["topic"] for o in found} == {"school"}
    assert len({o.base_id for o in found}) == 6
    assert len({o.case for o in found}) == 12, "both models met the same cases"
    assert {(o.conversation_status, o.exchanges, o.metric_name) for o in found} == {("no_text", 0, "Is kind")}


def test_a_benchmark_keeps_its_name(tmp_path: Path) -> None:
    """Its slug has a hash, which no page shows in place of the name."""
    bring(tmp_path, table(tmp_path / "t.csv", rows(benchmark="Health advice")))
    (slug,) = {one.benchmark for one in outcomes(tmp_path)}
    assert slug.startswith("health-advice-")
    report = load_suite("s", tmp_path / "benchmark_output").report(tmp_path / "report")
    for page in (report, report.parent / "tables.html", report.parent / names.benchmark_address(slug)):
        text = PageReader(page).text
        assert "Health advice" in text
        assert slug not in text.replace(f"check-judge {slug}", "")


def test_commands_read_a_suite_of_a_table(tmp_path: Path) -> None:
    """rates, compare, contrasts and report work; a page says that the words are not there."""
    bring(tmp_path, table(tmp_path / "verdicts.csv", rows()))
    suite = load_suite("s", output_path=tmp_path / "benchmark_output")
    rates = {row["model"]: row["pass_rate"] for row in suite.rates()["rates"].rows}
    assert rates == {"org/a": 1.0, "org/b": 0.5}
    (pair,) = suite.compare()["pairs"].rows
    assert abs(pair["difference"]) == 0.5
    suite.report(tmp_path / "report")
    parts = conversation_parts(tmp_path / "report").values()
    assert all(WORDLESS in part for part in parts)
    assert not any("No message was exchanged." in part for part in parts)


def test_polarity_is_said_or_refused(tmp_path: Path) -> None:
    """present on a negative metric fails; without a type nobody knows what present means."""
    bring(tmp_path, table(tmp_path / "v.csv", rows(verdict="present", type="negative")))
    assert {(o.metric_type, o.value, o.score) for o in outcomes(tmp_path)} == {("negative", 1.0, 0.0)}
    with pytest.raises(ExchangeError, match=r"w.csv:2, column verdict: 'present' does not say whether that is good"):
        bring(tmp_path, table(tmp_path / "w.csv", rows(verdict="present")))


@pytest.mark.parametrize("at_once", [True, False], ids=["one import", "two imports"])
def test_opposite_directions_of_one_metric_are_refused(tmp_path: Path, at_once: bool) -> None:
    """In one command and in two; both files are named, and nothing of the second is imported."""
    first = table(tmp_path / "may.csv", [row for row in rows(type="positive") if row["model"] == "org/a"])
    second = table(tmp_path / "june.csv", [row for row in rows(type="negative") if row["model"] == "org/b"])
    if not at_once:
        bring(tmp_path, first, slug="mine")
    with pytest.raises(
        ExchangeError, match=r"may\.csv says that metric mine/.* is positive, .*june\.csv .* is negative"
    ):
        bring(tmp_path, *([first] if at_once else []), second, slug="mine")
    suite = tmp_path / "benchmark_output/runs/s"
    assert (suite.exists(), len(run_folders(suite)) if suite.exists() else 0) == (not at_once, int(not at_once))
    bring(tmp_path, second, slug="other")
    assert {path.name for path in suite.iterdir() if path.name.startswith(".")} == set()


def test_imports_at_the_same_time_have_a_staging_folder_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second import into the suite, begun while the first one stages its runs, disturbs nothing of it."""
    first = table(tmp_path / "may.csv", rows())
    second = table(tmp_path / "june.csv", rows())
    staged = import_paths_module.stage_import

    def then(*arguments: Any) -> Path:
        made = staged(*arguments)
        monkeypatch.setattr(import_paths_module, "stage_import", staged)
        bring(tmp_path, second, slug="june")
        return made

    monkeypatch.setattr(import_paths_module, "stage_import", then)
    bring(tmp_path, first, slug="may")
    assert Counter(o.benchmark for o in outcomes(tmp_path)) == {"may": 24, "june": 24}


def test_a_row_without_a_verdict_is_unscored(tmp_path: Path) -> None:
    """An empty cell is counted as missing, and never as a fail."""
    found = rows()
    found[0]["verdict"] = ""
    bring(tmp_path, table(tmp_path / "v.csv", found))
    assert [o.unscored for o in outcomes(tmp_path) if not o.is_scored] == ["judge_unparsable"]


def test_a_transcript_in_the_table_is_kept(tmp_path: Path) -> None:
    """The messages of a cell become the conversation's turns."""
    said = [{"role": "user", "content": "Hello,\nyou"}, {"role": "assistant", "content": "Hi"}]
    bring(tmp_path, table(tmp_path / "v.csv", [{**rows()[0], "transcript": json.dumps(said)}]))
    (run,) = run_folders(tmp_path / "benchmark_output/runs/s")
    (record,) = run.records()
    assert [(turn.user, turn.assistant) for turn in record.conversation.turns] == [("Hello,\nyou", "Hi")]
    assert record.conversation.status == "complete"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verdict": "yes"}, r"v.csv:2, column verdict: found 'yes'. Write pass, fail, present, absent, or leave"),
        ({"model": " "}, r"v.csv:2, column model: empty or missing. Every row needs model, case, metric"),
        ({"modle": "x"}, r"v.csv:2, column 'modle': unknown.*Did you mean model\?"),
        ({"sample": "-1"}, r"v.csv:2, column sample: found '-1'. Write 0 for the first answer"),
        ({"type": "good"}, r"v.csv:2, column type: found 'good'. Write positive, negative"),
        ({"transcript": "Hello"}, r"v.csv:2, column transcript: is not valid JSON.*Write \[\{"),
        (
            {"transcript": '[{"role": "assistant", "content": ""}]'},
            "v.csv:2, column transcript: user and assistant must",
        ),
        ({"verdict": ""}, r"v.csv: no row has a verdict. The column is called verdict"),
    ],
    ids=["verdict", "empty", "column", "sample", "type", "json", "turns", "none"],
)
def test_a_fault_is_told_with_row_column_and_cure(tmp_path: Path, changes: Cells, message: str) -> None:
    """Nothing is imported, and one message says where and what to do."""
    with pytest.raises(ExchangeError, match=message):
        bring(tmp_path, table(tmp_path / "v.csv", [{**rows()[0], **changes}]))
    assert not (tmp_path / "benchmark_output").exists()


def test_two_verdicts_on_one_case_are_refused(tmp_path: Path) -> None:
    """Without numbers of samples nobody knows whether a row is a second answer or a mistake."""
    with pytest.raises(ExchangeError, match=r"v.csv:3: a second verdict on the case of .*v.csv:2.*column sample"):
        bring(tmp_path, table(tmp_path / "v.csv", [rows()[0], rows()[0]]))
    bring(tmp_path, table(tmp_path / "w.csv", [rows()[0], {**rows()[0], "sample": "1"}]))
    assert [o.sample for o in outcomes(tmp_path)] == [0, 1]


def test_a_table_of_an_installed_benchmark_has_its_metrics(tmp_path: Path) -> None:
    """A known case takes type and definition from the benchmark; another case, metric or measure is refused."""
    row = {"model": "org/a", "benchmark": "minors", "case": "m01_s001_v01", "verdict": "present"}
    scenario = load_benchmark("minors").scenarios[0]
    metric = load_benchmark("minors").metric(scenario.metric_id)
    row |= {"case": scenario.id, "metric": metric.id}
    bring(tmp_path, table(tmp_path / "v.csv", [row]))
    (found,) = outcomes(tmp_path)
    assert (found.benchmark, found.metric_id, found.metric_type) == ("minors", metric.id, metric.type)
    for changes, message in (({"case": "nowhere"}, "is no case of it"), ({"metric": "other"}, "has the .* metric")):
        with pytest.raises(ExchangeError, match=rf"w.csv:2, .*{message}.*--as NAME"):
            bring(tmp_path, table(tmp_path / "w.csv", [{**row, **changes}]))
    contrast = load_benchmark("moral-sycophancy").scenarios[0]
    row |= {"benchmark": "moral-sycophancy", "case": contrast.id, "metric": contrast.metric_id}
    with pytest.raises(ExchangeError, match="contrast metric that asks for stance, and a table can say pass"):
        bring(tmp_path, table(tmp_path / "x.csv", [row]))


def test_every_eval_records_of_ours_come_back(tmp_path: Path) -> None:
    """Model, case, levels, type, definition, verdict, words and sample of what passed or failed are the same."""
    for target in ("bad", "good"):
        kinds.write_run(tmp_path / "made", target)
    made = selected_runs(tmp_path / "made")
    write_every_eval(tmp_path / "out", made, Evaluator(), instances=True)
    paths = sorted((tmp_path / "out").rglob("*_samples.jsonl"))
    assert paths
    bring(tmp_path, *paths)
    before, after = by_case(made), by_case(run_folders(tmp_path / "benchmark_output/runs/s"))
    assert after == before


def test_records_on_scales_are_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record says whether a point of a scale passed and not which point it was; what asks for yes or no comes in."""
    monkeypatch.setattr(table_folder, "benchmark_paths", lambda: {kinds.SLUG: tmp_path})
    monkeypatch.setattr(table_folder, "load_benchmark", lambda slug: kinds.benchmark())
    kinds.write_run(tmp_path / "made", "bad")
    write_every_eval(tmp_path / "out", selected_runs(tmp_path / "made"), Evaluator(), instances=True)
    (path,) = (tmp_path / "out").rglob("*_samples.jsonl")
    (found,) = bring(tmp_path, path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert found.on_scales > 0
    assert sum(run.conversations for run in found.runs) == len(lines) - found.on_scales > 0
    there = {outcome.variant_id for outcome in outcomes(tmp_path)}
    scales = [line for line in lines if json.loads(line)["metadata"]["variant"] not in there]
    assert len(scales) == found.on_scales
    path.write_text("\n".join(scales), encoding="utf-8")
    with pytest.raises(ExchangeError, match="All records are on metrics that ask for more than yes or no"):
        import_paths([path], Importing(tmp_path / "benchmark_output/runs/other", None, Naming(), "refuse"))


def by_case(runs: list[RunFolder]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Return what has to come back of each conversation that passed or failed."""
    found = {}
    for run in runs:
        for record, o in zip(run.records(), run.outcomes(), strict=True):
            if o.passed is not None:
                turns = tuple((turn.user, turn.assistant) for turn in record.conversation.turns if turn.assistant)
                metric = record.case.metric
                found[o.model, o.variant_id, o.sample] = (
                    *(o.benchmark, o.base_id, o.axes, o.passed, metric.id, metric.name, metric.type, metric.definition),
                    *(record.case.scenario.factors, turns),
                )
    return found


def instance(**changes: Any) -> dict[str, Any]:
    """Return a record of somebody else's."""
    return {
        "schema_version": "0.2.1", "evaluation_id": "gsm8k/x/1", "model_id": "org/a", "evaluation_name": "GSM8K",
        "sample_id": "gsm8k/1", "interaction_type": "single_turn", "input": {"raw": "2+2?", "reference": ["4"]},
        "output": {"raw": ["4"]}, "answer_attribution": [], "evaluation": {"score": 1.0, "is_correct": True}, **changes,
    }  # fmt: skip


def test_every_eval_records_of_others(tmp_path: Path) -> None:
    """A single turn is a conversation, its correctness a pass; a record with an error has no verdict."""
    found = [instance(), instance(sample_id="gsm8k/2", error="timeout", evaluation={"score": 0, "is_correct": False})]
    path = tmp_path / "x_samples.jsonl"
    path.write_text("\n".join(map(json.dumps, found)))
    (made,) = bring(tmp_path, path)
    assert made.slug == "GSM8K"
    assert [(o.metric_name, o.passed, o.unscored) for o in outcomes(tmp_path)] == [
        ("is_correct", True, None), ("is_correct", None, "judge_unparsable"),
    ]  # fmt: skip
    path.write_text(json.dumps(instance(evaluation={"score": 1.0})))
    with pytest.raises(
        ExchangeError, match=r"x_samples.jsonl:1 is no instance-level record .*evaluation.is_correct: m"
    ):
        bring(tmp_path, path)
