"""`impactbench explain`: one conversation on one screen, found by any of its names."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helm_impactbench.analysis.commands.explain import explain_command
from helm_impactbench.cli import main
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.evidence import CheckedQuote
from helm_impactbench.judging.panel import decide
from helm_impactbench.judging.verdict import Vote
from helm_impactbench.outputs.report.names import conversation_address
from helm_impactbench.results.record import Record
from tests.cli.builders import write_suites
from tests.support import kinds

HARMS = "kinds/harms_s001_v01"
HOSTILE = "Here it is \x1b[31m[bold]red[/bold] ![x](http://x) <b>.\n# Not a heading\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of each kind."""
    folder = tmp_path_factory.mktemp("explain")
    write_suites(folder)
    return folder


@pytest.fixture
def suites(made: Path, workdir: Path) -> Path:
    """A copy of it, to work in."""
    shutil.copytree(made, workdir, dirs_exist_ok=True)
    return workdir


def explain(*arguments: str, suite: str = "mixed", columns: int = 100) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(
        main, ["explain", "--suite", suite, *arguments], catch_exceptions=False, env={"COLUMNS": str(columns)}
    )


def words(done: Result) -> str:
    """Return what was printed in one line, however it was broken."""
    return " ".join(done.output.split())


def test_without_a_case_it_lists_what_failed(suites: Path) -> None:
    """A line per cause, failures first, with one of their short addresses; --out has all; the next command is there."""
    done = explain("--model", "org/bad", "--benchmark", "kinds", "--out", "failed.json")
    rows = json.loads(Path("failed.json").read_text())
    assert {row["verdict"] for row in rows} == {"failed", "unclear", "unscored"}
    assert not {row["case"].split("_")[0] for row in rows} & {"kinds/pays", "kinds/sides"}
    assert rows[0]["verdict"] == "failed"
    assert "judges: no verdict, because they find the words unclear" in [row["look_at"] for row in rows]
    assert "Of a contrast, no conversation fails by itself" in done.output
    assert f"Next: impactbench explain --suite mixed --model org/bad {rows[0]['case']}" in done.output
    only = explain("--metric", "kinds/harms", "--model", "org/good")
    assert "of 12 failed; " in words(only)


def test_of_two_suites_it_lists_what_turned_from_pass_to_fail(suites: Path) -> None:
    """The gate names the command, which lists base scenarios; its last line shows one of their conversations."""
    runs = suites / "benchmark_output/runs"
    for target in ("good", "bad"):
        kinds.write_run(runs / f"only-{target}", target, kinds.records(target, 6))
    sides = ["--suite", "only-good", "--suite", "only-bad", "--baseline-model", "org/good"]
    gate = CliRunner().invoke(main, ["gate", *sides], catch_exceptions=False)
    assert f"Next: impactbench explain {' '.join(sides)} (lists " in words(gate)
    done = CliRunner().invoke(main, ["explain", *sides, "--out", "turned.csv"], catch_exceptions=False)
    assert "turned from pass to fail" in done.output
    command = next(line for line in done.output.splitlines() if line.startswith("Next: impactbench "))
    shown = CliRunner().invoke(main, command.removeprefix("Next: impactbench ").split(), catch_exceptions=False)
    assert shown.exit_code == 0
    assert Path("turned.csv").read_text().startswith("metric,model,scenario,to_fail,to_pass,conversations,example")


@pytest.mark.parametrize(
    "case",
    [
        HARMS,
        f"Conversation {HARMS}",
        "harms_s001_v01",
        conversation_address("kinds", "org/bad", "harms_s001_v01"),
        f"file:///tmp/report/{conversation_address('kinds', 'org/bad', 'harms_s001_v01')}#e1",
    ],
)
def test_a_conversation_is_found_by_each_of_its_names(suites: Path, case: str) -> None:
    """As helm-server, the commands and the report call it; a page names its model as well."""
    done = explain(case, *([] if ".html" in case else ["--model", "org/bad"]))
    assert done.exit_code == 0
    for expected in (
        f"Conversation {HARMS}, suite mixed, 1 exchange",
        "FAILED. The judges' answer: present",
        "the verdict rests on the assistant's turn 1",
        "fixed message What about case 1 of harms, level adult?",
        ">>I harm.<<[1][3] >>I harm more.<<[2][4]",
        "j/one present",
        "Quotes: [1] [2]",
        "passed: org/good",
    ):
        assert expected in words(done)
    assert "What the simulated user was told" not in done.output  # nobody is simulated


def test_who_is_not_found_is_told_what_there_is(suites: Path) -> None:
    """The nearest names; the models that met it, with their verdicts; benchmarks that share an id."""
    near = explain("kinds/harms_s001_v1")
    assert (near.exit_code, "Did you mean kinds/harms_s001_v01" in near.output) == (2, True)
    several = explain(HARMS)
    assert (several.exit_code, "Traceback" in several.output) == (2, False)
    assert "add --model with one of them: org/bad (failed), org/good (passed)." in several.output
    assert "no model 'org/bat'" in explain(HARMS, "--model", "org/bat").output
    assert "name it, or give two" in explain("--suite", "contrasts", "--suite", "levels").output
    assert "so nothing is compared" in explain("--suite", "contrasts").output


def test_another_suite_says_what_its_judge_found_in_the_same_conversation(suites: Path) -> None:
    """A doubt where it differs; a suite with other words of the same case is not called the same."""
    own = [record for record in kinds.records("bad") if record.case.metric.id == "harms"]
    absent = decide(own[0].case.metric, (Vote(judge="k/three", answer="absent", value=0.0),))
    runs = suites / "benchmark_output/runs"
    kinds.write_run(runs / "again", "bad", [Record(one.case, one.conversation, absent) for one in own])
    other = Conversation(status=Status.COMPLETE, turns=(Turn(number=1, user="Else?", assistant="Else."),))
    kinds.write_run(runs / "other", "bad", [Record(one.case, other, absent) for one in own])
    done = explain("--suite", "again", "--suite", "other", HARMS, "--model", "org/bad", "--out", "case.json")
    assert "Look first at the judges: in suite again the same conversation is passed" in words(done)
    assert "in suite other the same" not in done.output
    written = json.loads(Path("case.json").read_text())
    assert [(rerun["suite"], rerun["same_conversation"], rerun["how"]) for rerun in written["reruns"]] == [
        ("again", True, "judge=k_three"), ("other", False, "judge=k_three"),
    ]  # fmt: skip
    assert written["other_models"] == [{"model": "org/good", "verdict": "passed", "answer": "absent"}]
    assert written["transcript"]["turns"][0]["assistant"] == "I harm. I harm more."


def test_words_of_models_are_inert_and_cut_around_the_evidence(suites: Path) -> None:
    """No escape reaches a terminal, no mark of Markdown works, and the quoted words are always there."""
    record = next(one for one in kinds.records("bad") if one.case.metric.id == "harms")
    said = f"{HOSTILE}{'long ' * 400}the very words {'tail ' * 400}"
    talk = Conversation(status=Status.COMPLETE, turns=(Turn(number=1, user=HOSTILE, assistant=said),))
    quote = CheckedQuote(turn=1, quote="the very words", found_turn=1)
    vote = Vote(judge="j/one", answer="present", value=1.0, evidence=(quote,), grounded=True, justification=HOSTILE)
    kinds.write_run(
        suites / "benchmark_output/runs/hostile",
        "bad",
        [Record(record.case, talk, decide(record.case.metric, (vote,)))],
    )
    done = explain(HARMS, "--out", "case.md", suite="hostile", columns=60)
    assert "\x1b" not in done.output
    assert "␛[31m[bold]red[/bold]" in words(done)
    assert ">>the very words<<[1]" in words(done)
    assert max(map(len, done.output.splitlines())) <= 60
    assert len(done.output.splitlines()) < 60
    page = Path("case.md").read_text()
    assert r"\!\[x\](http://x) \<b\>" in page
    assert "\n# Not" not in page
    assert page.count("long ") == 400


@pytest.mark.parametrize(
    ("suite", "case", "expected"),
    [
        ("mixed", "kinds/blames_s001_v01", "FAILED"),
        ("mixed", "kinds/blames_s003_v01", "blames"),
        ("mixed", "kinds/sides_s001_v01", "compared with the same case at other levels"),
        ("mixed", "kinds/pays_s001_v02", "40,000"),
        ("panels", "panel_harm_bench/id1", "they disagree 1 to 1 (0: j/one; 0.5: j/two)"),
        ("unjudged", "kinds/harms_s001_v01", "No verdict, because no judge has been asked yet"),
    ],
)
def test_every_measure_is_explained(suites: Path, suite: str, case: str, expected: str) -> None:
    """Scales, quantities, stances, HELM's safety suites, and what is not judged."""
    done = explain(case, "--model", "org/bad", suite=suite)
    assert done.exit_code == 0, done.output
    assert expected in words(done)


def test_a_command_to_copy_runs_nothing_else() -> None:
    """An imported table may have any text as a model's name."""
    found = explain_command("s", ("v 1",), "org/m; touch x", "mini/m01_s001")
    assert shlex.split(found)[2:] == ["--suite", "s", "--release", "v 1", "--model", "org/m; touch x", "mini/m01_s001"]


@pytest.mark.parametrize("ending", ["csv", "json", "md"])
def test_a_file_says_that_nothing_failed(suites: Path, ending: str) -> None:
    """An empty table with its columns, which CI can read, and no file of an earlier day."""
    runs = suites / "benchmark_output/runs"
    for name in ("old", "new"):
        kinds.write_run(runs / name, "good", kinds.records("good", 6))
    sides = ["--suite", "old", "--suite", "new"]
    done = CliRunner().invoke(main, ["explain", *sides, "--out", f"none.{ending}"], catch_exceptions=False)
    assert f"Wrote none.{ending}" in done.output
    assert "example" in Path(f"none.{ending}").read_text() or ending == "json"
