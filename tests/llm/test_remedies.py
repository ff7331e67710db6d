"""What a user is told to do when no call can succeed."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.llm.remedies import key_place, remedy


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("key", "Set HERE to a key that is valid for this model."),
        ("budget", "Raise the budget."),
        ("credit", "Add credit to the account, or set HERE to the key of another one."),
        ("model", "Correct the name, or set HERE to the key of an account that has this model."),
        ("address", "Set the address of this model (api_base) to the one that answers, if you trust it."),
        ("full", "Free space there."),
        ("access", "Give write access there."),
        ("storage", "Is the folder still there, and does it take files?"),
        ("files", "Let the process open more files (ulimit -n 4096), or lower --num-threads."),
        ("", "The same command"),
    ],
)
def test_a_remedy_says_what_to_do_and_that_nothing_is_lost(about: str, words: str) -> None:
    """For everything that a fatal failure can be about."""
    said = remedy(about, lambda: "HERE")
    assert said.startswith(words)
    assert said.endswith("what is finished is kept.")


def test_the_place_of_a_key_is_where_it_is_looked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of the deployment's own, one that is set, the file that has it, or every place that could."""
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "HELM_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "credentials.conf"
    variables = "GOOGLE_API_KEY or GEMINI_API_KEY or GOOGLE_AI_API_KEY"
    nowhere = f"{variables} in the environment or in .env (or googleApiKey in {file})"
    assert key_place("google/m", "google", None, tmp_path) == nowhere
    file.write_text('googleApiKey: "sk-from-file-1"\n')
    assert key_place("google/m", "google", None, tmp_path) == f"googleApiKey in {file}"
    monkeypatch.setenv("GEMINI_API_KEY", "sk-secret-1")
    said = key_place("google/m", "google", None, tmp_path)
    assert said == f"GEMINI_API_KEY in the environment or in .env (or googleApiKey in {file})"
    assert key_place("mine/m", "mine", "MY_KEY", tmp_path) == "MY_KEY (api_key_env of mine/m)"
