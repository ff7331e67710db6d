"""Who plays the user and judges where nobody is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from helm_impactbench.conversation.usual_roles import (
    JUDGE_VARIABLE,
    ORIGINAL_JUDGE,
    ORIGINAL_USER,
    USER_VARIABLE,
    default_reason,
    read_roles,
    usual_judge,
    usual_user,
)
from helm_impactbench.errors import SettingError
from helm_impactbench.llm import env_file
from helm_impactbench.llm.credentials import key_variables
from tests.conftest import Run


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(USER_VARIABLE, raising=False)
    monkeypatch.delenv(JUDGE_VARIABLE, raising=False)
    for provider in ("anthropic", "openai", "gemini"):
        for name in key_variables(provider):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["helm-run", "--suite", "x", "--local-path", "keys"])
    (tmp_path / "keys").mkdir()


def test_the_environment_then_the_file_then_the_originals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A role that the file does not name keeps the next one's."""
    assert (usual_user(), usual_judge()) == (ORIGINAL_USER, ORIGINAL_JUDGE)
    Path("keys/roles.yaml").write_text("judge: a/b+c/d\n")
    assert (usual_user(), usual_judge()) == (ORIGINAL_USER, "a/b+c/d")
    monkeypatch.setenv(JUDGE_VARIABLE, "e/f")
    assert usual_judge() == "e/f"


@pytest.mark.parametrize(
    ("variables", "user", "judge"),
    [
        (["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"], ORIGINAL_USER, ORIGINAL_JUDGE),
        (["OPENAI_API_KEY"], "litellm/openai/gpt-5.4-mini", ORIGINAL_JUDGE),
        (["ANTHROPIC_API_KEY"], ORIGINAL_USER, "litellm/anthropic/claude-sonnet-4-6"),
        (["GOOGLE_API_KEY"], "litellm/gemini/gemini-2.5-flash", "litellm/gemini/gemini-2.5-flash"),
        (["MISTRAL_API_KEY"], ORIGINAL_USER, ORIGINAL_JUDGE),
    ],
)
def test_the_keys_that_are_there_decide(
    monkeypatch: pytest.MonkeyPatch, variables: list[str], user: str, judge: str
) -> None:
    """The original's wherever its key is; else a model that can be called, and the plan says why it is another."""
    for variable in variables:
        monkeypatch.setenv(variable, "sk-test")
    assert (usual_user(), usual_judge()) == (user, judge)
    assert bool(default_reason("user", user)) == (user != ORIGINAL_USER)
    assert default_reason("user", "litellm/openai/gpt-4o") == ""
    if user != ORIGINAL_USER:
        assert f"with ANTHROPIC_API_KEY it is {ORIGINAL_USER}" in default_reason("user", user)
    monkeypatch.setenv(USER_VARIABLE, user)
    assert default_reason("user", user) == ""


def test_a_key_in_a_file_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does when the model is called: .env of the working directory, or credentials.conf."""
    Path("keys/credentials.conf").write_text('openaiApiKey: "sk-test"\n')
    assert usual_user() == "litellm/openai/gpt-5.4-mini"
    monkeypatch.setattr("os.environ", {**os.environ})
    Path(".env").write_text("ANTHROPIC_API_KEY=sk-test\n")
    monkeypatch.setenv("IMPACTBENCH_ENV_FILE", str(Path(".env").absolute()))
    monkeypatch.setattr(env_file, "_FOUND", {})
    assert usual_user() == ORIGINAL_USER


def test_the_working_directory_names_nobody() -> None:
    """A folder that somebody downloaded must not choose who is paid; nor does another local path."""
    for folder in (Path(), Path("prod_env")):
        folder.mkdir(exist_ok=True)
        (folder / "roles.yaml").write_text("user: x/y\njudge: x/y\n")
    assert (usual_user(), usual_judge()) == (ORIGINAL_USER, ORIGINAL_JUDGE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a/b\n", "must be a mapping"),
        ("juge: a/b\n", "no role 'juge'.*judge"),
        ("judge: [a/b, c/d]\n", "judge must be the name of a deployment"),
        ("user: !!python/name:os.system\n", "roles.yaml: it "),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, words: str) -> None:
    """Before anything is paid, with the file's name."""
    Path("keys/roles.yaml").write_text(text)
    with pytest.raises(SettingError, match=words):
        read_roles(Path("keys"))


def test_a_plan_names_who_is_in_the_file(run: Run, workdir: Path) -> None:
    """Through the command: both stand in the plan as if they had been named."""
    (workdir / "mine").mkdir()
    (workdir / "mine/roles.yaml").write_text("user: rehearsal/user\njudge: rehearsal/judge\n")
    done = run(
        "impactbench",
        "estimate",
        "impactbench:benchmark=prosocial,pilot=1,model=rehearsal/mixed",
        "--local-path",
        "mine",
    )
    assert "rehearsal/judge" in done.stdout
    assert "rehearsal/user" in done.stdout
    assert "litellm" not in done.stdout
