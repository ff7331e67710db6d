"""Every command that reads a suite says first that a run of it was interrupted; no full disk is a traceback."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.api import load_suite
from helm_impactbench.cli import main
from helm_impactbench.helm import summarize as helm_summarize_module
from helm_impactbench.process.progress_file import Snapshot, write_snapshot
from tests.cli.builders import write_suites

STATE = Snapshot(runs=40, runs_done=10, cases=31, expected=120, missing=89, ended=True)
LACKS = "Not finished: mixed lacks 89 planned conversations, in "
COMMANDS = (
    *("rates", "compare", "contrasts", "cite", "label", "costs", "explain", "items"),
    *("gate --min pass_rate=0", "export --format csv --out-dir e", "report --conversation-pages none --out-dir r"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suites, one of which was interrupted."""
    folder = tmp_path_factory.mktemp("unfinished")
    write_suites(folder)
    write_snapshot(folder / "benchmark_output/runs/mixed", STATE)
    return folder


def output_of(command: str, suite: str = "mixed") -> str:
    """Return what a command says, in one line."""
    words = command.split()
    result = CliRunner().invoke(main, [words[0], "--suite", suite, *words[1:]], env={"COLUMNS": "300"})
    return " ".join(result.output.split())


def test_every_command_says_what_is_missing(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And none does without a state, as after an import."""
    monkeypatch.chdir(made)
    for command in COMMANDS:
        assert LACKS in output_of(command), command
    assert LACKS in (made / "r/index.html").read_text()
    assert "Not finished" not in output_of("rates", "contrasts")


def test_files_say_it_in_each_row(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do of a judge that failed its check; of a whole suite they have no such column."""
    monkeypatch.chdir(made)
    for result in (
        load_suite("mixed").rates(),
        load_suite("mixed").costs(),
        load_suite("contrasts").robustness("mixed"),
    ):
        tables = [table for table in result.file_tables() if len(table.columns) > 1]
        assert {row["suite_check"] for table in tables for row in table.records()} == {"unfinished"}
        assert all([column.key for column in table.columns].count("suite_check") == 1 for table in tables)
    assert "suite_check" not in load_suite("contrasts").contrasts().frame()


def test_no_gate_passes_an_unfinished_suite(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither as the suite that is checked nor as the baseline: nothing is decided, with exit code 1."""
    monkeypatch.chdir(made)
    result = load_suite("mixed").gate(minimum="pass_rate=0")
    assert {row["decision"] for row in result["conditions"].rows} == {"undecided"}
    assert result.verdict
    assert result.verdict.exit_code == 1
    assert result.verdict.sentence.startswith("UNDECIDED: mixed is not finished, and what is missing may change any")


def test_a_methods_paragraph_that_is_copied_says_it(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the text itself, which goes without what stands above it."""
    monkeypatch.chdir(made)
    assert any(LACKS in str(row) for row in load_suite("mixed").cite().tables[0].rows)


def test_a_full_disk_is_no_traceback_of_summarize(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HELM writes its tables itself; the command says what is full and what to do."""

    def full(arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(made)
    monkeypatch.setattr(helm_summarize_module, "helm_summarize", full)
    said = output_of("summarize")
    assert (
        "cannot write to benchmark_output: No space left on device. Free space there. Then repeat the command" in said
    )
