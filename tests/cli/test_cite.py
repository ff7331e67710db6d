"""`impactbench cite`: the records of a suite as a Methods paragraph, and what they leave open."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helm_impactbench.analysis.commands.cite import REFERENCES, YOURS
from helm_impactbench.analysis.commands.cite import cite as cite_command
from helm_impactbench.api import load_suite
from helm_impactbench.cli import main
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.validity.records.looks import record_look
from tests.cli.builders import write_suites
from tests.support import kinds
from tests.support import outcomes as made_up

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of each kind."""
    folder = tmp_path_factory.mktemp("cite")
    write_suites(folder)
    return folder


def cite(*arguments: str, suite: str = "mixed") -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, ["cite", "--suite", suite, *arguments], env={"COLUMNS": "200"})


def test_every_figure_of_the_paragraph_is_that_of_the_suite(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models, conversations, base scenarios, and what has no verdict."""
    monkeypatch.chdir(made)
    said = " ".join(cite().output.split())
    outcomes = load_suite("mixed").reading.outcomes
    for model in {outcome.model for outcome in outcomes}:
        assert model in said
    bases = {outcome.cluster for outcome in outcomes}
    assert f"in {len(outcomes):,} conversations from {len(bases):,} base scenarios" in said
    missing = sum(outcome.is_missing for outcome in outcomes)
    assert missing
    assert f"No verdict was reached in {missing:,} conversations" in said


def test_conversations_in_which_the_question_did_not_arise_are_among_all(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not further ones; "another" follows those without a verdict, of which a metric may have none."""
    monkeypatch.chdir(made)
    beside = sum(outcome.status == "not_applicable" for outcome in load_suite("mixed").reading.outcomes)
    assert f"In another {beside} of the conversations, the question did not arise." in " ".join(cite().output.split())
    helps = " ".join(cite("--metric", "helps").output.split())
    assert "No verdict was reached" not in helps
    assert f"In {beside} of the conversations, the question did not arise." in helps


def test_a_selection_changes_what_is_described(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other models are not of the paper; the table says what was left out."""
    monkeypatch.chdir(made)
    said = " ".join(cite("--model", "org/bad", "--metric", "harms").output.split())
    assert "on org/bad with" in said
    assert "metrics: harms" in said


def test_files_hold_the_sentences_and_the_references(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what only its authors can say is theirs."""
    monkeypatch.chdir(made)
    assert cite("--out", "m.json").exit_code == 0
    held = json.loads(Path("m.json").read_text())
    assert {row["key"] for row in held["references"]} == set(REFERENCES)
    assert any(row["answer"].startswith(YOURS) for row in held["checklist"])
    assert [row["sentence"] for row in held["methods"]] == [
        row["sentence"] for row in load_suite("mixed").cite()["methods"].records()
    ]


def test_bibtex_can_be_copied_from_csv(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No apostrophe stands before its @, as before a text that could be a formula."""
    monkeypatch.chdir(made)
    assert cite("--out", "m.csv").exit_code == 0
    with Path("m.references.csv").open(newline="", encoding="utf-8") as file:
        entries = {row["key"]: row["bibtex"] for row in csv.DictReader(file)}
    assert entries.keys() == REFERENCES.keys()
    assert all(entry.startswith("@") for entry in entries.values())


def test_scripts_are_called_scripts_first(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No paragraph about models is left of a rehearsal, and one of models does not speak of scripts."""
    monkeypatch.chdir(made)
    said = str(load_suite("mixed").cite()["methods"].records())
    assert "Rehearsal" not in said
    assert "impactbench check-judge" not in said
    assert "Judge not checked." in said
    monkeypatch.setattr("helm_impactbench.analysis.commands.cite.SCRIPTED", "org/")
    first = str(load_suite("mixed").cite()["methods"].records()[0]["sentence"])
    assert first.startswith("[Rehearsal: org/bad")
    assert "no figure says anything about a model" in first


def test_references_are_those_of_citation_cff() -> None:
    """Titles and year, in one place for a repository and in another for an installed package."""
    cff = load_yaml((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    own, helm = (re.sub(r"[{}\\]", "", text) for text in REFERENCES.values())
    assert f"title = {cff['title']}" in " ".join(own.split())
    assert f"title = {cff['references'][0]['title']}" in " ".join(helm.split())
    assert f"year = {cff['references'][0]['year']}" in " ".join(helm.split())


def test_each_judge_is_said_to_have_judged_its_own_conversations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where runs have different judges, none judged each conversation; all that were not checked are named."""
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "benchmark_output/runs/two"
    good, bad = kinds.records("good", 3, judges=("j/one",)), kinds.records("bad", 3, judges=("j/two", "j/three"))
    kinds.write_run(runs, "good", good)
    kinds.write_run(runs, "bad", bad)
    said = " ".join(str(row["sentence"]) for row in load_suite("two").cite()["methods"].records())
    assert (
        f"Each conversation was judged by one defined question: j/one judged {len(good)} conversations (org/good); "
        f"j/two + j/three judged {len(bad)} conversations (org/bad)." in said
    )
    assert "Judge not checked. j/one and j/two + j/three were not asked about" in said


def test_looks_at_a_suite_that_grows_are_told(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that hold at any look stand in the place of those for one, and are cited."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    suite = load_suite("mixed")
    text = " ".join(str(row["sentence"]) for row in suite.cite()["methods"].records())
    assert "sign-flip tests" in text
    assert "looked at before" not in text
    first = tuple(one for one in suite.reading.outcomes if one.benchmark == "kinds" and one.base_id.endswith("_s001"))
    record_look(replace(suite.reading, outcomes=first))
    cited = suite.cite()
    text = " ".join(str(row["sentence"]) for row in cited["methods"].records())
    assert (
        f"results were looked at before, with {len({one.cluster for one in first})} base scenarios of a model." in text
    )
    assert "intervals that hold at any look" in text
    assert "sign-flip tests" not in text
    assert "waudbysmith2024estimating" in [row["key"] for row in cited["references"].rows]


def test_runs_that_could_stop_early_are_told(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By which rule, and how many did."""
    monkeypatch.chdir(made)
    suite = load_suite("mixed")
    draw = Draw(place=1, of=6, size=1, most=1, conversations=6, bar=0.8)
    drawn = [
        replace(found, draw=draw.model_copy(update={"place": place}))
        for model in ("a", "b")
        for place, found in enumerate(
            [
                made_up.outcome(model=model, base_id=f"s{n}", variant_id=f"s{n}")
                for n in range(3 if model == "a" else 6)
            ],
            1,
        )
    ]
    found = cite_command(replace(suite.reading, outcomes=tuple(drawn)), suite._own_runs(), "")
    text = " ".join(str(row["sentence"]) for row in found["methods"].records())
    assert "a run could stop once it was certain on which side of 0.8 its pass rate lies" in text
    assert "1 of 2 runs stopped early, with 3 conversations not held." in text
