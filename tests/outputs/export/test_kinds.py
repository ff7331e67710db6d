"""Every measure and every metric type in every format, a measure of somebody else's among them."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from helm_impactbench.errors import ExchangeError
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation
from helm_impactbench.llm.request import ModelRequest, Reply
from helm_impactbench.outputs.export.foreign import read_folder
from helm_impactbench.outputs.export.impactbench_files import WrittenRows, write_impactbench
from helm_impactbench.outputs.export.imports import Naming, planned
from helm_impactbench.outputs.export.inspect_files import write_inspect
from helm_impactbench.outputs.export.table_files import write_csv, write_parquet
from helm_impactbench.outputs.export.verdicts import Notes
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.record import Record
from helm_impactbench.results.repeats import selected_runs
from tests.support import kinds

TARGETS = ("bad", "good")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    """The runs of two targets on a benchmark with every kind of measurement."""
    suite = tmp_path_factory.mktemp("kinds")
    for target in TARGETS:
        kinds.write_run(suite, target)
    return selected_runs(suite)


@pytest.fixture(scope="module")
def exported(runs: list[RunFolder], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, WrittenRows]:
    """Their export in ImpactBench's own files, and what it says of itself."""
    folder = tmp_path_factory.mktemp("exported")
    return folder / kinds.SLUG, write_impactbench(folder, runs)


def load(path: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def test_no_conversation_is_dropped_without_a_word(exported: tuple[Path, WrittenRows]) -> None:
    """What scores.json cannot say stands in verdicts.json, and is counted by kind."""
    home, written = exported
    assert written.conversations == 78
    assert written.without_verdict == {"not_applicable": 4, "unclear": 4, "unscored": 4}
    assert written.not_in_scores == {
        "contrast (stance)": 18, "contrast (quantity)": 12, "positive (mood)": 12, "negative (scale)": 8,
    }  # fmt: skip
    for target in TARGETS:
        run = home / f"runs/org_{target}"
        scores, verdicts = load(run / "scores.json"), load(run / "verdicts.json")
        assert {row["metric_id"] for row in scores} == {"helps", "harms"}
        assert len(scores) == 8
        assert len(verdicts) == len(load(run / "conversations.json")) == 39


def test_round_trip_of_every_kind(runs: list[RunFolder], exported: tuple[Path, WrittenRows]) -> None:
    """Export and import give the same outcomes and verdicts, but for what the calls of judges took."""
    notes = Notes()
    back = planned(read_folder(exported[0]), Naming(), "refuse", notes)
    assert [one.name for one in back] == [run.name for run in runs]
    for one, run in zip(back, runs, strict=True):
        found = [outcome_of(record, model=one.model, setup=run.setup) for record in one.records]
        assert found == run.outcomes()
        for record, before in zip(one.records, run.records(), strict=True):
            assert (record.verdict.shown, record.verdict.detail) == (before.verdict.shown, before.verdict.detail)
            assert [vote.evidence for vote in record.verdict.votes] == [v.evidence for v in before.verdict.votes]
            assert record.verdict.usage.unpriced_calls == 2 * bool(before.verdict.votes)
    assert notes.unscored == {"not_applicable": 4, "unclear": 4, "target_error": 4}


def test_results_hold_what_scores_hold_and_contrasts_beside_it(exported: tuple[Path, WrittenRows]) -> None:
    """Pass rates are of presence on positive and negative metrics; the gap of the stance is told as such."""
    good, bad = load(exported[0] / "results.json")
    assert (good["target_model"], good["positive_pass_rate"], good["negative_pass_rate"]) == ("org/good", 1.0, 1.0)
    assert (bad["positive_pass_rate"], bad["n_total"], bad["n_unscored"], bad["n_not_in_scores"]) == (0.0, 8, 6, 25)
    assert bad["contrasts"]["both_sides_rate"]["value"] == 1.0
    assert good["contrasts"]["both_sides_rate"]["value"] == 0.0


def changed(home: Path, place: int, **changes: Any) -> None:
    """Change a row of verdicts.json of the bad target."""
    path = home / "runs/org_bad/verdicts.json"
    rows = load(path)
    rows[place] |= changes
    path.write_text(json.dumps(rows), encoding="utf-8")


@pytest.fixture
def tampered(runs: list[RunFolder], tmp_path: Path) -> Path:
    """An export that a test may change."""
    write_impactbench(tmp_path, runs)
    return tmp_path / kinds.SLUG


def test_a_verdict_that_its_votes_do_not_bear_out_is_a_contradiction(tampered: Path) -> None:
    """Of a contrast too; with the policy "present" the votes decide, with "unscored" nobody does."""
    rows = load(tampered / "runs/org_bad/verdicts.json")
    place = next(i for i, row in enumerate(rows) if row["id"] == "sides_s001_v01")
    changed(tampered, place, value=-1.0, answer="sides with the tenant (-1)")
    with pytest.raises(ExchangeError, match=r"sides_s001_v01.*its votes come to sides with the landlord"):
        planned(read_folder(tampered), Naming(), "refuse", Notes())
    for policy, expected in (("present", 1.0), ("unscored", None)):
        bad = planned(read_folder(tampered), Naming(), policy, Notes())[0]  # type: ignore[arg-type]
        assert bad.records[place].verdict.value == expected


def test_a_judge_of_another_name_has_one_vote(exported: tuple[Path, WrittenRows]) -> None:
    """Where the person names the judge, verdicts of every kind stay and nobody's votes are told."""
    bad = planned(read_folder(exported[0]), Naming(judge="a/b"), "refuse", Notes())[0]
    assert {vote.judge for record in bad.records for vote in record.verdict.votes} == {"a/b"}
    assert [record.verdict.value for record in bad.records] == [record.verdict.value for record in kinds.records("bad")]


def test_runs_of_another_area_are_not_imported(tampered: Path) -> None:
    """They would be averaged with human impact."""
    path = tampered / "runs/org_good/manifest.json"
    path.write_text(json.dumps({**load(path), "area": "safety"}))
    with pytest.raises(ExchangeError, match="has runs of a safety suite"):
        planned(read_folder(tampered), Naming(), "refuse", Notes())


def test_tables_hold_every_kind(runs: list[RunFolder], tmp_path: Path) -> None:
    """One master table: measure, status, answer, value, score, severity, axes and factors of every conversation."""
    write_csv(tmp_path, runs)
    with (tmp_path / "conversations.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["model"], row["variant"]): row for row in csv.DictReader(file)}
    assert len(rows) == 78
    told = ("measure", "status", "answer", "value", "score", "passed", "severity", "axis_teller", "factor_size")
    of_bad = {name: [rows["org/bad", f"{name}_v01"][column] for column in told]
              for name in ("sides_s001", "harms_s002", "blames_s001", "sounds_s001", "helps_s003")}  # fmt: skip
    assert of_bad == {
        "sides_s001": ["stance", "scored", "sides with the landlord (+1)", "1.0", "", "", "", "a", "large"],
        "harms_s002": ["presence", "scored", "present", "1.0", "0.0", "false", "0.6666666666666666", "", "small"],
        "blames_s001": ["scale", "scored", "much", "2.0", "0.0", "false", "", "", "large"],
        "sounds_s001": ["mood", "scored", "sad", "0.0", "0.0", "false", "", "", "large"],
        "helps_s003": ["presence", "not_applicable", "", "", "", "", "", "", "large"],
    }
    with (tmp_path / "turns.csv").open(encoding="utf-8", newline="") as file:
        seen = [row["seen_by_judges"] for row in csv.DictReader(file) if row["conversation"] == "sides_s001_v01"]
    assert "Party 1 is Party 1, and Party 1's side is in the right." in seen


@pytest.mark.parametrize("turn", [2**70, -(2**70), 10**400], ids=["large", "negative", "huge"])
def test_no_export_fails_at_a_turn_that_a_judge_makes_up(tmp_path: Path, turn: int) -> None:
    """It is no place in a conversation, so the quote is not grounded; everything else is there."""
    found = kinds.records("bad")[0]
    case, conversation = found.case, found.conversation

    def call(request: ModelRequest) -> Reply:
        evidence = [{"turn": turn, "quote": "I look away."}]
        return Reply(json.dumps({"justification": "So.", "evidence": evidence, "answer": "present"}))

    record = Record(case, conversation, judge_conversation(case, conversation, Panel(("j/one",)), call))
    ((quote,),) = [vote.evidence for vote in record.verdict.votes]
    assert (quote.turn, record.verdict.votes[0].grounded) == (0, False)
    run = kinds.write_run(tmp_path / "suite", "bad", [record])
    for name in ("parquet", "csv", "inspect"):
        (tmp_path / name).mkdir()
    write_parquet(tmp_path / "parquet", [run])
    write_csv(tmp_path / "csv", [run])
    write_inspect(tmp_path / "inspect", [run])
    write_impactbench(tmp_path / "own", [run])
    assert parquet.read_table(tmp_path / "parquet/evidence.parquet")["turn"].to_pylist() == [0]


def test_inspect_logs_hold_every_kind(runs: list[RunFolder], tmp_path: Path) -> None:
    """C and I where a conversation passes or fails, a number where it does neither, NaN without an answer."""
    write_inspect(tmp_path, runs)
    (bad,) = tmp_path.glob("*bad*.eval")
    with zipfile.ZipFile(bad) as archive:
        header = json.loads(archive.read("header.json"))
        scores = {
            name: json.loads(archive.read(f"samples/{name}_epoch_1.json"))
            for name in ("sides_s001_v01", "harms_s001_v01", "helps_s003_v01", "pays_s001_v02")
        }
    values = {name: sample["scores"]["impactbench"]["value"] for name, sample in scores.items()}
    assert (values["sides_s001_v01"], values["harms_s001_v01"], values["pays_s001_v02"]) == (1.0, "I", 40000.0)
    assert values["helps_s003_v01"] != values["helps_s003_v01"], "NaN"
    assert scores["sides_s001_v01"]["target"] == "no difference between the levels of teller"
    metrics = header["results"]["scores"][0]["metrics"]
    assert metrics["both_sides_rate"]["value"] == 1.0
    assert header["results"]["scores"][0]["unscored_samples"] == 6
