"""A first study.yaml: every pair of answers gives a file that is a study, and says what was answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.study.settings import complete_study, file_settings
from helm_impactbench.study.starting import (
    FAIRNESS,
    PROMPTS,
    WANT,
    Answers,
    Want,
    next_commands,
    run_command,
    study_text,
)

ODD = "acme/it's: a #1 chat, [v2]"


@pytest.mark.parametrize("want", [*WANT])
def test_the_file_is_a_study_of_what_was_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, want: Want) -> None:
    """Names that mean something to YAML included."""
    monkeypatch.chdir(tmp_path)
    answers = Answers("models", want, [ODD, "litellm/openai/gpt-4o"], "u/ser", ["j/one", "j/two"], 12.5)
    file = tmp_path / "mine.yaml"
    file.write_text(study_text(answers, "mine.yaml"))
    for prompt in PROMPTS.values():
        (tmp_path / prompt).write_text("Be kind.")
    settings, notes = file_settings(file)
    study = complete_study(settings, str(file))
    assert notes == []
    assert study.models == (ODD, "litellm/openai/gpt-4o")
    assert (study.user, study.judge, study.budget_usd) == ("u/ser", ("j/one", "j/two"), 12.5)
    assert study.suite == "mine"
    assert (study.benchmarks == FAIRNESS) == (want == "equal")
    assert (study.release == "v1") == (want == "release")
    assert ([*study.arms] == [*PROMPTS]) == (want == "prompt")
    assert WANT[want] in file.read_text()


def test_nothing_is_paid_without_a_budget_line() -> None:
    """Scripts need none, and the file does not speak of one."""
    assert "budget" not in study_text(Answers("nothing", "better", ["rehearsal/mixed"], "u", ["j"], None), "s.yaml")


@pytest.mark.parametrize("want", [*WANT])
def test_the_next_commands_name_the_suite_or_the_file(want: Want) -> None:
    """They can be copied as they are."""
    found = next_commands(Answers("models", want, ["a/b"], "u", ["j"], None), "mine.yaml", "mine")
    assert all(" mine" in line and line.startswith("impactbench ") for line in found)


@pytest.mark.parametrize("want", [want for want in WANT if want != "prompt"])
def test_a_product_is_run_under_a_release_whatever_is_asked(want: Want) -> None:
    """Without one, the stored answers of today would be taken for those of a later release."""
    answers = Answers("product", want, ["product.yaml"], "u", ["j"], 5)
    assert "\nrelease: v1 " in study_text(answers, "mine.yaml")
    assert run_command(answers, "mine.yaml") == "impactbench run mine.yaml --release v1"
    assert run_command(Answers("models", "score", ["a/b"], "u", ["j"], 5), "mine.yaml") == "impactbench run mine.yaml"
