"""docs/cli.md says what the commands say."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.cli import main
from tests.cli.test_options import commands
from tests.docs.pages import ROOT
from tools import cli_reference


def test_the_page_is_up_to_date() -> None:
    """`make reference` would not change it."""
    assert cli_reference.run(["--check"]) == 0, "run make reference"


def test_every_command_is_on_it_with_its_options_and_an_example() -> None:
    """Groups and their commands, each under its own heading."""
    text = cli_reference.reference()
    for path, command in commands(main):
        section = text.partition(f" impactbench {path}\n")[2].partition("\n###")[0]
        assert "```sh\n" in section, path
        assert all(name in section for option in command.params for name in option.opts if name.startswith("--")), path


def test_an_old_page_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 and what to do; writing it mends it."""
    monkeypatch.setattr(cli_reference, "PAGE", tmp_path / "cli.md")
    assert cli_reference.run(["--check"]) == 1
    assert capsys.readouterr().err == "cli.md is out of date: make reference\n"
    assert cli_reference.run([]) == 0
    assert cli_reference.run(["--check"]) == 0
    assert (tmp_path / "cli.md").read_bytes() == (ROOT / "docs" / "cli.md").read_bytes()
