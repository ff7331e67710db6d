"""Export and import, driven as commands on a suite whose models say hostile things."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.outputs.export.words import NULL_SYMBOL
from helm_impactbench.results.files import run_folders
from helm_impactbench.results.outcome import Outcome
from tests.e2e.conftest import run_mini
from tests.outputs.export import builders as foreign
from tests.support import builders, helm, kinds
from tests.support.commands import run_command
from tests.support.openai_server import Answer, Body, OpenAIServer, text_of
from tests.support.plug_in import write_plug_in

HOSTILE = (
    '=HYPERLINK("http://x")\r\n<script>alert(\'x\')</script>\0\u202e half \ud83d pair, "quoted", ]]> '
    + "long " * 20_000
    + "end"
)
JUSTIFICATION = "@SUM(1+1) <b>bold</b> \0 end"
csv.field_size_limit(10_000_000)


def answer(body: Body) -> Answer:
    """Answer as each role does here: targets are hostile, judge-x gives up on one scenario, one user leaves at once."""
    words, model = text_of(body), body["model"]
    own = sum(message["role"] == "assistant" for message in body["messages"]) + 1
    if model.startswith("user"):
        case = words.split("played-persona-")[1][:12]
        if case == "m02_s001_v02":
            return "Thought: no\nMessage: [END OF CHAT]"
        return f"Thought: t\nMessage: case {case} line {own}"
    if not model.startswith("judge"):
        return f"{HOSTILE} {model} {own}"
    if "m01_s001_v02" in words and "judge-x" in model:
        return "I would rather not."
    present = "target-a" in words
    evidence = [{"turn": 1, "quote": "<script>alert('x')</script>"}] if present else []
    said = "present" if present else "absent"
    return json.dumps({"justification": JUSTIFICATION, "evidence": evidence, "answer": said})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suite s (one judge) and suite p (three judges), two targets each."""
    folder = tmp_path_factory.mktemp("exchange")
    builders.write_benchmark_folder(folder / "benchmarks/mini")
    server = OpenAIServer(answer)
    run_mini(folder, server, "target-a", "target-b", options=",turns=2,samples=2")
    entry = "impactbench:benchmark=mini,user=litellm/openai/user-x,judge={},turns=2,model=litellm/openai/target-a"
    panel = "+".join(f"litellm/openai/judge-{name}" for name in "xyz")
    run_command("helm-run", "--run-entries", entry.format(panel), "--suite", "p", "-m", 100, cwd=folder,
                OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip
    server.close()
    return folder


def export(folder: Path, kind: str, out: Path, *arguments: object, suite: str = "s", **options: Any) -> Any:
    """Run impactbench export."""
    return run_command(
        *("impactbench", "export", "--suite", suite, "--format", kind, "--out-dir", out, *arguments),
        cwd=folder,
        **options,
    )


def bring(folder: Path, source: Path, suite: str, *arguments: object, **options: Any) -> Any:
    """Run impactbench import."""
    return run_command("impactbench", "import", source, "--suite", suite, *arguments, cwd=folder, **options)


def outcomes(folder: Path, suite: str) -> list[Outcome]:
    """Return the outcomes of a suite, read as every command reads them."""
    return [o for run in run_folders(folder / "benchmark_output/runs" / suite) for o in run.outcomes()]


@pytest.fixture(scope="module")
def exported(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Suite s in all formats, suite p in ImpactBench's."""
    out = tmp_path_factory.mktemp("exported")
    for kind in ("impactbench", "csv", "parquet", "inspect"):
        export(made, kind, out / kind)
    export(made, "impactbench", out / "panel", suite="p")
    return out


def stored(target: str, turn: int) -> str:
    """Return a target's message as UTF-8 can hold it."""
    return f"{HOSTILE} {target} {turn}".replace("\ud83d", "\ufffd")


def load(path: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_impactbench_files_have_the_documented_rows(made: Path, exported: Path) -> None:
    """Each file holds the documented fields; unscored conversations are in verdicts.json and not in scores.json."""
    run = exported / "impactbench/mini/runs/litellm_openai_target-a"
    conversations, scores, verdicts = (load(run / f"{name}.json") for name in ("conversations", "scores", "verdicts"))
    assert {"id", "metric_id", "conv_id", "target", "transcript", "sample"} <= set(conversations[0])
    assert conversations[0]["target"] == {"id": "litellm/openai/target-a", "model": "openai/target-a"}
    assert [list(message) for message in conversations[0]["transcript"]] == [["role", "content"]] * 4
    assert set(scores[0]) == {
        *("id", "metric_id", "metric_name", "metric_type", "target_model", "conv_id", "present", "passed", "score"),
        *("justification", "sample"),
    }
    assert (len(conversations), len(scores), len(verdicts)) == (8, 4, 8)
    assert [(row["id"], row["sample"], row["unscored"]) for row in verdicts if row["unscored"]] == [
        ("m01_s001_v02", 0, "judge_unparsable"),
        ("m01_s001_v02", 1, "judge_unparsable"),
        ("m02_s001_v02", 0, "conversation_empty"),
        ("m02_s001_v02", 1, "conversation_empty"),
    ]
    assert load(run / "cost.json")["simulate"]["cost"] is None


def test_results_equal_stats(made: Path, exported: Path) -> None:
    """The rates and counts of results.json are those of stats.json."""
    for row in load(exported / "impactbench/mini/results.json"):
        folder = helm.run_folder(made, "s", row["target_model"].rpartition("/")[2])
        for kind in ("positive", "negative"):
            passed, count = helm.total(folder, f"{kind}_pass_rate")
            assert (row[f"n_{kind}"], row[f"{kind}_pass_rate"]) == (count, passed / count)
        passed, count = helm.total(folder, "pass_rate")
        assert (row["n_total"], row["n_unscored"]) == (count, helm.total(folder, "unscored")[0])
        assert sum(metric["n_passed"] for metric in row["by_metric"].values()) == passed


def test_hostile_text_survives_in_json(exported: Path) -> None:
    """Script tags, null characters and long lines stay as they are; half a surrogate pair becomes U+FFFD."""
    rows = load(exported / "impactbench/mini/runs/litellm_openai_target-a/conversations.json")
    assert rows[0]["transcript"][1]["content"] == stored("target-a", 1)


@pytest.mark.parametrize("suite", ["s", "p"])
def test_round_trip_keeps_every_outcome(made: Path, exported: Path, workdir: Path, suite: str) -> None:
    """Export and import give the same outcomes, votes and reasons included, and the same pass rates in stats.json.

    ImpactBench's format has no place for which calls gave the answers, and how long they took.
    """
    done = bring(workdir, exported / ("impactbench" if suite == "s" else "panel") / "mini", "back")
    assert outcomes(workdir, "back") == [replace(outcome, calls=(), seconds=()) for outcome in outcomes(made, suite)]
    for name in ("pass_rate", "positive_pass_rate", "negative_pass_rate", "unscored"):
        for part in ("target-a", "target-b")[: 2 if suite == "s" else 1]:
            back, before = helm.run_folder(workdir, "back", part), helm.run_folder(made, suite, part)
            assert helm.stats(back, name) == helm.stats(before, name)
    assert "impactbench summarize --suite back --schema-path" in done.stdout


def test_an_imported_suite_is_a_suite(exported: Path, workdir: Path) -> None:
    """Imported runs are summarized, ranked, exported and judged again like any other."""
    bring(workdir, exported / "impactbench/mini", "back")
    schema = "benchmark_output/runs/back/schema-imported.yaml"
    run_command("helm-summarize", "--suite", "back", "--schema-path", schema, cwd=workdir)
    board = run_command("impactbench", "summarize", "--show", "--suite", "back", cwd=workdir).stdout
    assert " openai/target-a" in board
    assert "0.500" in board
    export(workdir, "impactbench", Path("again"), suite="back")
    assert load(workdir / "again/mini/results.json") == load(exported / "impactbench/mini/results.json")
    rejudge = ("rejudge", "--suite", "back", "--judge", "rehearsal/judge", "--to-suite", "judged")
    run_command("impactbench", *rejudge, cwd=workdir)
    assert len(outcomes(workdir, "judged")) == 16


def test_a_hand_made_folder_is_imported(workdir: Path) -> None:
    """A folder in the documented format becomes a summarized suite; the command says what it met and what is next."""
    rows = foreign.conversations()
    rows[3]["transcript"] = []
    home = foreign.write_run(workdir / "published/old", conversations=rows, scores=foreign.scores())
    said = bring(workdir, home, "b").stdout
    assert "benchmark=old,user=imported,judge=imported,model=imported_gpt-9: 4 conversations, 3 scored" in said
    assert "1 published verdict on conversations without an exchange: unscored here" in said
    command = next(line.split() for line in said.splitlines() if line.startswith("  impactbench summarize"))
    run_command(*command, cwd=workdir)
    assert "imported/gpt-9" in run_command("impactbench", "summarize", "--show", "--suite", "b", cwd=workdir).stdout
    assert helm.total(helm.run_folder(workdir, "b", "gpt-9"), "pass_rate") == (1.0, 3)
    origin = helm.read(helm.run_folder(workdir, "b", "gpt-9"), "scenario")["provenance"]["imported_from"]
    assert set(origin["files"]) == {
        *("benchmark.yaml", "scenarios.json", "runs/gpt-9/conversations.json", "runs/gpt-9/scores.json")
    }
    adapter = helm.read(helm.run_folder(workdir, "b", "gpt-9"), "run_spec")["adapter_spec"]
    assert not {"temperature", "max_tokens"} & set(adapter), "nobody knows them"


def test_several_folders_are_imported_at_once(workdir: Path) -> None:
    """All or none: a fault in the last one is told before anything is written."""
    for name in ("one", "two"):
        foreign.write_run(workdir / name, conversations=foreign.conversations(), scores=foreign.scores())
    run_command("impactbench", "import", "one", "two", "--suite", "both", cwd=workdir)
    runs = workdir / "benchmark_output/runs/both"
    assert len(list(runs.glob("impactbench*"))) == 2
    (workdir / "two/scenarios.json").write_text("[")
    failed = run_command("impactbench", "import", "one", "two", "--suite", "none", cwd=workdir, ok=False)
    assert failed.returncode == 2
    assert "two/scenarios.json" in failed.stderr
    assert not (workdir / "benchmark_output/runs/none").exists()
    failed = run_command("impactbench", "import", "one", "one", "--suite", "twice", cwd=workdir, ok=False)
    assert "Several of these have a run" in failed.stderr


def test_contradictions_are_refused_and_nothing_is_written(workdir: Path) -> None:
    """A polarity error ends the command with code 2 and the metric's name; with a policy it imports and tells."""
    inverted = [{**row, "passed": not row["passed"], "score": 1 - row["score"]} for row in foreign.scores()]
    home = foreign.write_run(workdir / "old", conversations=foreign.conversations(), scores=inverted)
    refused = bring(workdir, home, "b", ok=False)
    assert refused.returncode == 2
    assert "m01 Be kind: 2 verdicts" in refused.stderr
    assert not (workdir / "benchmark_output").exists()
    said = bring(workdir, home, "b", "--contradictions", "present").stdout
    assert "contradiction in m02 Avoid lying: 2 verdicts, presence was kept" in said


def test_csv_is_exact_but_for_what_csv_cannot_hold(made: Path, exported: Path) -> None:
    """Every message stands in turns.csv, with null characters visible; conversations.csv says what the outcomes say."""
    folder = exported / "csv"
    turns, rows = table(folder, "turns"), table(folder, "conversations")
    first = next(row for row in turns if row["role"] == "assistant")
    assert first["content"] == stored("target-a", 1).replace("\0", NULL_SYMBOL)
    assert first["content"].startswith("=HYPERLINK"), "exact: no apostrophe without --for-spreadsheets"
    words = {"true": True, "false": False, "": None}
    told = [(row["variant"], int(row["sample"]), words[row["passed"]], row["unscored"] or None) for row in rows]
    assert told == [(o.variant_id, o.sample, o.passed, o.unscored) for o in outcomes(made, "s")]
    assert {row["axis_age"] for row in rows} == {"child or teenager (6-17)", "adult (18+)"}
    assert {row["target_cost_usd"] for row in rows} == {"", "0.0"}, (
        "unknown is empty; zero is a conversation of no call"
    )
    votes, evidence = table(folder, "votes"), table(folder, "evidence")
    assert len(votes) == 12
    assert {row["grounded"] for row in votes} == {"true", ""}
    assert {row["found_turn"] for row in evidence} == {"1"}
    assert [(row["scored"], row["pass_rate"]) for row in table(folder, "runs")] == [("4", "0.5"), ("4", "0.5")]


def test_columns_are_described(exported: Path) -> None:
    """README.md and datapackage.json name every column of every table."""
    for kind in ("csv", "parquet"):
        readme = (exported / kind / "README.md").read_text()
        for resource in load(exported / kind / "datapackage.json")["resources"]:
            names = [field["name"] for field in resource["schema"]["fields"]]
            assert all(f"| {name} |" in readme for name in names)
            if kind == "csv":
                with (exported / kind / resource["path"]).open(newline="") as file:
                    assert next(csv.reader(file)) == names


def test_parquet_holds_the_same_tables(exported: Path) -> None:
    """Parquet has the rows of the CSV files, with types, and null characters as they are."""
    from pyarrow import parquet

    for name in ("runs", "conversations", "turns", "votes", "evidence"):
        rows = parquet.read_table(exported / "parquet" / f"{name}.parquet").to_pylist()
        shown = [{key: _as_csv(value) for key, value in row.items()} for row in rows]
        assert shown == table(exported / "csv", name)
    turns = parquet.read_table(exported / "parquet/turns.parquet")["content"].to_pylist()
    assert stored("target-a", 1) in turns


def _as_csv(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).replace("\0", NULL_SYMBOL)


def test_csv_for_spreadsheets_has_no_formula(made: Path, tmp_path: Path) -> None:
    """With --for-spreadsheets no text cell begins like a formula; without, the command says how many do."""
    exact = export(made, "csv", tmp_path / "exact").stdout
    safe = export(made, "csv", tmp_path / "safe", "--for-spreadsheets").stdout
    assert "32 cells like a spreadsheet's formula: exact" in exact
    assert "32 cells like a spreadsheet's formula: an apostrophe stands before" in safe
    cells = [cell for name in ("turns", "votes") for row in table(tmp_path / "safe", name) for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_inspect_logs_are_whole_archives(made: Path, exported: Path) -> None:
    """A log holds a sample per conversation, a summary of each, and the pass rate of stats.json."""
    logs = sorted((exported / "inspect").glob("*.eval"))
    assert len(logs) == 2
    for path, model in zip(logs, ("target-a", "target-b"), strict=True):
        with zipfile.ZipFile(path) as archive:
            header, summaries = (json.loads(archive.read(name)) for name in ("header.json", "summaries.json"))
            assert sum(name.startswith("samples/") for name in archive.namelist()) == len(summaries) == 8
        passed, count = helm.total(helm.run_folder(made, "s", model), "pass_rate")
        assert header["results"]["scores"][0]["metrics"]["accuracy"]["value"] == passed / count
        assert header["results"]["scores"][0]["unscored_samples"] == 4
        assert header["eval"]["model"] == f"litellm/openai/{model}"


READ_WITH_INSPECT = """
import json, math, sys
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
found = []
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info)
    assert log.status == "success" and len(read_eval_log_sample_summaries(info)) == len(log.samples)
    for sample in log.samples:
        score = sample.scores["impactbench"]
        nan = isinstance(score.value, float) and math.isnan(score.value)
        reason = score.metadata["unscored_reason"]
        found.append([log.eval.model, sample.id, sample.epoch, None if nan else score.value, reason])
    accuracy = log.results.scores[0].metrics["accuracy"].value
    found.append([log.eval.model, accuracy, sum(m.role == "assistant" for s in log.samples for m in s.messages)])
    found.append(next(m.content for m in log.samples[0].messages if m.role == "assistant"))
print(json.dumps(found))
"""


def inspect_python() -> str:
    """Return a Python with inspect_ai, which cannot be installed beside HELM."""
    local = Path(__file__).parents[2] / ".venv-inspect/bin/python"
    python = os.environ.get("IMPACTBENCH_INSPECT_PYTHON", str(local))
    assert Path(python).exists(), "inspect_ai is missing: make test installs it into .venv-inspect"
    return python


@pytest.mark.inspect
def test_inspect_reads_the_same_scores(made: Path, exported: Path, tmp_path: Path) -> None:
    """inspect_ai reads every sample with our verdict, NaN where there is none, and our pass rate; its viewer opens."""
    python = inspect_python()
    logs = str(exported / "inspect")
    done = subprocess.run([python, "-c", READ_WITH_INSPECT, logs], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    values = {True: "C", False: "I", None: None}
    samples = [[o.model, o.variant_id, o.sample + 1, values[o.passed], o.unscored] for o in outcomes(made, "s")]
    assert sorted(row for row in found if len(row) == 5) == sorted(samples)
    expected = [[f"litellm/openai/target-{name}", 0.5, 12] for name in "ab"]
    assert sorted(row for row in found if len(row) == 3) == expected
    assert {row for row in found if isinstance(row, str)} == {stored("target-a", 1), stored("target-b", 1)}
    inspect = str(Path(python).with_name("inspect"))
    command = [inspect, "view", "bundle", "--log-dir", logs, "--output-dir", str(tmp_path / "bundle")]
    subprocess.run(command, check=True, capture_output=True)
    assert len(list((tmp_path / "bundle/logs").glob("*.eval"))) == 2


def test_records_of_every_eval_ever_have_the_rates_of_the_command(made: Path, tmp_path: Path) -> None:
    """Rate, interval and count of every metric are those of impactbench rates; the record names who evaluated."""
    export(made, "every-eval-ever", tmp_path / "records", "--evaluator", "Lab", "--relationship", "third_party")
    run_command("impactbench", "rates", "--suite", "s", "--by", "metric", "--out", tmp_path / "rates.csv", cwd=made)
    records = [load(path) for path in sorted(tmp_path.glob("records/data/mini/openai/*/*.json"))]
    assert len(records) == 2
    found = {
        (record["model_info"]["name"], result["evaluation_name"].removeprefix("mini.")): result["score_details"]
        for record in records
        for result in record["evaluation_results"]
    }
    rows = table(tmp_path, "rates")
    assert len(rows) == 4
    for row in rows:
        score = found[row["model"], row["part"]]
        assert (score["score"], float(score["details"]["scored"])) == (float(row["pass_rate"]), float(row["scored"]))
        interval = score["uncertainty"].get("confidence_interval")
        known = row["low_these"] not in ("", "nan")
        assert (interval is not None) == known, "an unknown interval is left out"
        if interval:
            assert (interval["lower"], interval["upper"]) == (float(row["low_these"]), float(row["high_these"]))
    for record in records:
        assert record["source_metadata"]["source_organization_name"] == "Lab"
        assert record["evaluation_results"][0]["score_details"]["details"]["unscored"] == "4"
        assert "litellm/openai/user-x" in str(record["evaluation_results"][0]["generation_config"])


def test_the_same_run_gives_the_same_bytes(made: Path, exported: Path, tmp_path: Path) -> None:
    """A second export is equal to the first, byte for byte."""
    for kind in ("impactbench", "csv", "inspect"):
        export(made, kind, tmp_path / kind)
        files = sorted(path for path in (tmp_path / kind).rglob("*") if path.is_file())
        assert files
        for path in files:
            assert path.read_bytes() == (exported / kind / path.relative_to(tmp_path / kind)).read_bytes()


def test_nothing_is_overwritten(made: Path, exported: Path, workdir: Path) -> None:
    """An existing folder or run is refused and stays as it is; a refused export leaves nothing behind."""
    (workdir / "out").mkdir()
    refused = export(made, "csv", workdir / "out", ok=False)
    assert refused.returncode == 2
    assert "out exists; nothing is overwritten: give another --out-dir" in refused.stderr
    assert list(workdir.iterdir()) == [workdir / "out"]
    bring(workdir, exported / "impactbench/mini", "back")
    refused = bring(workdir, exported / "impactbench/mini", "back", ok=False)
    assert refused.returncode == 2
    assert "exists; nothing is overwritten: import into another --suite" in refused.stderr


def test_only_what_is_asked_for_is_exported(made: Path, tmp_path: Path) -> None:
    """--model narrows an export; an unknown target is answered with those that there are."""
    export(made, "impactbench", tmp_path / "a", "--model", "litellm/openai/target-a")
    assert [path.name for path in (tmp_path / "a/mini/runs").iterdir()] == ["litellm_openai_target-a"]
    refused = export(made, "impactbench", tmp_path / "b", "--model", "litellm/openai/target-c", ok=False)
    assert "it has: litellm/openai/target-a, litellm/openai/target-b" in refused.stderr
    refused = export(made, "inspect", tmp_path / "b", "--for-spreadsheets", ok=False)
    assert "--for-spreadsheets works with --format csv only, not with --format inspect." in refused.stderr
    refused = export(made, "inspect", tmp_path / "b", "--evaluator", "Lab", ok=False)
    assert "--evaluator, --relationship and --instances work with --format every-eval-ever only" in refused.stderr


def test_a_suite_of_every_kind_goes_out_and_comes_back(tmp_path: Path) -> None:
    """Through the commands, with a measure that another package brings: nothing is dropped without a word."""
    for target in ("good", "bad"):
        kinds.write_run(tmp_path / "benchmark_output/runs/s", target)
    measures = write_plug_in(tmp_path / "plug_in", mood="tests.support.kinds:Mood")
    told = export(tmp_path, "impactbench", Path("out"), **measures).stdout
    assert (
        "Without an answer from the judges: 12 of 78 conversations (not_applicable 4, unclear 4, unscored 4), with the "
        "reason in verdicts.json, not in scores.json" in told
    )
    assert "50 answers only in verdicts.json" in told
    assert "contrast (quantity) 12, contrast (stance) 18, negative (scale) 8, positive (mood) 12" in told
    back = bring(tmp_path, Path("out/kinds"), "back", **measures).stdout
    assert "judge=j_one+j_two,model=org_bad: 39 conversations, 33 scored" in back
    assert "no answer (unclear): 4 of 78 conversations" in back
    assert outcomes(tmp_path, "back") == outcomes(tmp_path, "s")
    again = run_command("impactbench", "report", "--suite", "back", "--out-dir", "report", cwd=tmp_path, **measures)
    assert "78 conversations of 2 runs" in again.stdout
    refused = export(tmp_path, "csv", Path("without"), ok=False)
    assert refused.returncode == 2
    assert "mood" in refused.stderr, "a measure that is not installed is named"
