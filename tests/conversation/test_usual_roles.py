"""Who plays the user and judges where nobody is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from helm_impactbench.conversation.usual_roles import (
    JUDGE_VARIABLE,
    ORIGINAL_JUDGE,
    ORIGINAL_USER,
    USER_VARIABLE,
    read_roles,
    usual_judge,
    usual_user,
)
from helm_impactbench.errors import SettingError
from tests.conftest import Run


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(USER_VARIABLE, raising=False)
    monkeypatch.delenv(JUDGE_VARIABLE, raising=False)
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
