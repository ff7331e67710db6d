"""Where keys are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.errors import ModelError
from helm_impactbench.llm.credentials import Credentials


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """openaiApiKey is found as OPENAI_API_KEY, in the file, and per deployment; never in repr."""
    monkeypatch.delenv("HELM_CREDENTIALS", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "credentials.conf").write_text(
        'openaiApiKey: "from-file"\nmistralaiApiKey: ""\ndeployments: {"x/y": "of-deployment"}\n'
    )
    credentials = Credentials(tmp_path)
    assert credentials.key_for("openai", "openai/gpt") == "from-file"
    assert credentials.key_for("x", "x/y") == "of-deployment"
    assert credentials.key_for("mistralai", "m") is None
    assert credentials.key_for("nobody", "n") is None
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    assert credentials["openaiApiKey"] == "from-environment"
    assert "openaiApiKey" in credentials
    assert "from" not in repr(credentials)


def test_no_credentials_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file is an empty one."""
    monkeypatch.delenv("HELM_CREDENTIALS", raising=False)
    assert Credentials(tmp_path).get("somethingElse") is None


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    """In no words of the parser's."""
    (tmp_path / "credentials.conf").write_text('openaiApiKey: "a"\nother = [')
    with pytest.raises(ModelError, match=r"credentials.conf is not valid HOCON \(line \d\)\. Write lines"):
        Credentials(tmp_path)
