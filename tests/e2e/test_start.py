"""`impactbench start`: from a few answers to a study, its price and its run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helm_impactbench.cli import main
from tests.support.terminal import on_terminal


def start(*words: str) -> Result:
    """Run the command where nobody can be asked."""
    return CliRunner().invoke(main, ["start", *words])


def test_without_a_terminal_it_writes_the_file_and_says_the_price(workdir: Path) -> None:
    """And what to run; nothing runs unasked."""
    done = start("--have", "nothing", "--want", "equal")
    assert done.exit_code == 0, done.output
    assert Path("study.yaml").read_text().startswith("# study.yaml: are people treated alike")
    assert "Nothing was run" in done.output
    assert "impactbench run study.yaml" in done.output
    assert "impactbench contrasts --suite study" in done.output


def test_prompts_are_compared_once_they_are_written(workdir: Path) -> None:
    """Two placeholders are one prompt, so --yes runs nothing; with prompts of one's own it runs."""
    words = ["--have", "nothing", "--want", "prompt", "--models", "rehearsal/mixed", "--yes"]
    first = start(*words)
    assert first.exit_code == 0, first.output
    assert "put the system prompt there" in first.output
    assert "Nothing was run" in first.output
    assert "Next:\n  Write old.txt and new.txt.\n  impactbench run study.yaml\n" in first.output
    same = start("same.yaml", *words)
    assert same.exit_code == 2
    assert "The arms old and new have the same settings: edit new.txt." in same.output
    Path("new.txt").write_text("You are brief.\n")
    again = start("again.yaml", *words)
    assert again.exit_code == 0, again.output
    assert "put the system prompt there" not in again.output
    assert Path("benchmark_output/runs/again").is_dir()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param([], "Say it with --have: models, product, logs, nothing.", id="nothing said"),
        pytest.param(["--have", "models"], "Say it with --want: score, better", id="no question"),
        pytest.param(["--have", "models", "--want", "score"], "Give --models.", id="no model"),
        pytest.param(["--have", "models", "--want", "score", "--models", "a/b"], "Give --budget.", id="no budget"),
        pytest.param(["--have", "product", "--want", "prompt"], "--want release", id="a product's prompt"),
        pytest.param(["--have", "nothing", "--want", "better", "there.yaml"], "is kept", id="a file"),
        pytest.param(["--have", "nothing", "--want", "score", "notes"], "'notes' is not the name of a", id="notes"),
        pytest.param(["--have", "nothing", "--want", "score", "nodir/s.yaml"], "no folder nodir", id="no folder"),
        pytest.param(["--have", "nothing", "--want", "score", "a" * 300 + ".yaml"], "Name another", id="too long"),
    ],
)
def test_what_is_missing_is_named_with_its_cure(workdir: Path, words: list[str], said: str) -> None:
    """In one line, and nothing is written."""
    Path("there.yaml").write_text("models: []\n")
    done = start(*words)
    assert done.exit_code != 0
    assert said in done.output
    assert not Path("study.yaml").exists()
    assert Path("there.yaml").read_text() == "models: []\n"


def test_further_models_follow_the_first(workdir: Path) -> None:
    """As after the --models of run."""
    named = ["--models", "rehearsal/mixed", "rehearsal/fair", "two.yaml"]
    done = start("--have", "nothing", "--want", "better", *named)
    assert done.exit_code == 0, done.output
    assert "models: [rehearsal/mixed, rehearsal/fair]" in Path("two.yaml").read_text()


def test_answers_about_a_product_that_is_not_described_yet_are_kept(workdir: Path) -> None:
    """The file of the product is what is missing, and the answers need not be given again."""
    done = start("--have", "product", "--want", "release", "--models", "mine.yaml", "--budget", "5")
    assert done.exit_code != 0
    assert "impactbench target new mine.yaml writes it" in done.output
    assert "Your answers are kept in study.yaml. Then: impactbench run study.yaml" in done.output
    assert "mine.yaml" in Path("study.yaml").read_text()


def test_a_study_that_is_refused_stays_and_the_next_command_is_one_line(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key is missing: after the error stands where the answers are, and what to type once it is set."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ["--user", "rehearsal/user", "--judge", "rehearsal/judge", "--models", "litellm/openai/gpt-4o"]
    done = start("--have", "models", "--want", "score", *words, "--budget", "5", "--yes", "mine.yaml")
    assert done.exit_code == 2, done.output
    assert "OPENAI_API_KEY" in done.output
    assert done.output.endswith("Your answers are kept in mine.yaml. Then: impactbench run mine.yaml\n")
    assert Path("mine.yaml").is_file()


def test_the_plan_says_why_a_default_was_taken_and_whom_a_judge_may_favour(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is paid: with one key, all three roles are OpenAI's, which is said with the reason."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    done = start("--have", "models", "--want", "score", "--models", "litellm/openai/gpt-4o", "--budget", "5")
    assert done.exit_code == 0, done.output
    assert "\nuser: litellm/openai/gpt-5.4-mini " in Path("study.yaml").read_text()
    assert (
        "  user      litellm/openai/gpt-5.4-mini (the default with the keys that are set; with ANTHROPIC" in done.output
    )
    plan, _, after = done.output.partition("Nothing was run")
    assert "WARNING: The judge litellm/openai/gpt-5.4-mini is of the family of litellm/openai/gpt-4o" in plan
    assert "  impactbench run study.yaml\n" in after


def test_logs_become_cases_and_are_not_scored() -> None:
    """It says so, and with which commands."""
    done = start("--have", "logs")
    assert done.exit_code == 0
    assert "not scored" in done.output
    assert "impactbench cases read my-cases prompts.csv" in done.output


def test_on_a_terminal_it_asks_and_takes_no_for_an_answer(workdir: Path) -> None:
    """Two questions and the plan; then the person declines, and the file stays."""
    seen = on_terminal("impactbench", "start", cwd=workdir, columns=100, typed=b"4\n2\nn\n")
    said = "\n".join(seen.drawn)
    assert "What do you have?" in said
    assert "What do you want to know?" in said
    assert " conversations, " in said
    assert "Run it?" in said
    assert "impactbench run study.yaml" in said.split("Run it?")[-1]
    assert (workdir / "study.yaml").is_file()
    assert not (workdir / "benchmark_output/runs/study").exists()
