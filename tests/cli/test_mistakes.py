"""A mistyped command, option, suite, benchmark, metric or model: one line with the nearest names, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from tests.cli.builders import write_suites
from tests.cli.test_options import commands
from tests.conftest import Run

NEEDED = {
    "cases add": ("kept",),
    "rejudge": ("--judge", "rehearsal/judge", "--to-suite", "t"),
    "export": ("--format", "csv", "--out-dir", "out"),
    "audit simulator": ("--reviewer", "rehearsal/judge"),
    "audit swap": ("--suite", "panels"),
    "drift": ("--suite", "panels"),
    "stress": ("--judge", "rehearsal/judge", "--edits", "padding"),
    "gate": ("--min", "pass_rate=0.5"),
    "power": ("--pair", "org/good", "org/bad", "--difference", "0.2"),
}
"""Command -> what it has to be told beside a suite."""
NO_SUITE_READ = {"run", "import", "annotate score"}
"""--suite names a new suite, or is named by the sheet."""
MISTYPED = {
    "--suite": ("mixd", "mixed"),
    "--benchmark": ("kindz", "kinds"),
    "--model": ("org/god", "org/good"),
    "--metric": ("kinds/helpz", "kinds/helps"),
}
"""Option -> a mistyped value, and what was meant."""
CASES = [
    (path, option)
    for path, command in commands()
    for option in MISTYPED
    if path not in NO_SUITE_READ
    and any("--suite" in parameter.opts for parameter in command.params)
    and any(option in parameter.opts for parameter in command.params)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suites."""
    folder = tmp_path_factory.mktemp("mistyped")
    write_suites(folder)
    return folder


@pytest.mark.parametrize(("path", "option"), CASES, ids=[f"{path} {option}" for path, option in CASES])
def test_the_nearest_name_is_told(made: Path, monkeypatch: pytest.MonkeyPatch, path: str, option: str) -> None:
    """In every command that reads a suite, in one line."""
    monkeypatch.chdir(made)
    typed, meant = MISTYPED[option]
    suite = () if option == "--suite" else ("--suite", "mixed")
    done = CliRunner().invoke(main, [*path.split(), *suite, option, typed, *NEEDED.get(path, ())])
    assert done.exit_code == 2, done.output
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert f"Did you mean {meant}" in line
    assert done.stderr.splitlines()[-1] == line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("annotate", "exprt"), "No such command exprt. Did you mean export? Help: impactbench annotate --help"),
        (("--versoin",), "No such option --versoin. Did you mean --version? Help: impactbench --help"),
        (("label", "--suite", "s", "--audience", "parnts"), "Did you mean parents? Help: impactbench label --help"),
        (("audit", "simulator", "--suite", "a", "--suite", "b"), "--suite is given 2 times, and takes one value here."),
        (("gen-metrics", "prosocail", "--author", "rehearsal/author"), "Did you mean prosocial?"),
        (("list", "--path", "run_entries/quik.conf"), "Did you mean run_entries/quick.conf"),
    ],
)
def test_a_mistyped_word_is_told_in_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    """By the real command: one line on stderr, nothing on stdout, no traceback."""
    done = run("impactbench", *words, ok=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("Error: ")
    assert (done.stderr.count("\n"), done.stdout) == (1, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gate", "--suite", ""), "--suite is empty. Help: "),
        (("gate", "--suite", "mixed", "--min", "pass_rate=0.1", "--baseline", ""), "--baseline is empty."),
        (("run", "--models", "rehearsal/mixed", "--user", ""), "--user is empty."),
        (("run", "--models", "rehearsal/mixed", "--judge="), "--judge is empty."),
        (("gate", "--suite", "mixed", "--baseline", "mixed"), "--baseline is the suite itself."),
        (("rates", "--suite", "mixed", "--reference", "mixed"), "--reference is the suite itself."),
        (("gate", "--suite", "mixed", "--min", "pass_rate=0.1", "--reference", "mixed"), "is the suite itself."),
        (("compare", "--suite", "mixed", "--suite", "mixed"), "Suite mixed is given twice. Name each suite once."),
        (("rates", "--suite", "mixed/"), "cannot be 'mixed/': it is the name of one folder. Give --suite mixed."),
        (("rates", "--suite", "benchmark_output/runs/mixed"), "it is the name of one folder. Give --suite mixed."),
        (("rates", "--suite", "a" * 300), "Give a name without slashes, of at most 255 bytes."),
        (("rates", "--suite", ".."), "The suite cannot be '..'"),
        (("run", "--models", "rehearsal/mixed", "--local-path", __file__), "is a file, not a folder."),
        (("gate", "--suite", "mixed", "--max-drop", "0.05"), "--max-drop needs a baseline. Add --baseline SUITE."),
        (("rates", "--suite", "mixed", "--model", "god"), "Did you mean org/good?"),
        (("rates", "--suite", "mixed", "--by"), "rates --help"),
        (("run", "study.json"), "'study.json' is not a study file, which ends in .yaml."),
        (("run", "--models", "rehearsal/mixed", "--suite", "a" * 300), "of at most 255 bytes."),
    ],
)
def test_a_suite_is_one_that_was_meant(
    made: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    """An empty name, a path and the same suite again are told in one line."""
    monkeypatch.chdir(made)
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_shipped_benchmark_that_is_hidden_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From then on, every command in this folder reads the new one."""
    monkeypatch.chdir(tmp_path)
    assert "hides the shipped benchmark prosocial" in CliRunner().invoke(main, ["new", "prosocial"]).stdout
    assert "hides" not in CliRunner().invoke(main, ["new", "money-talk"]).stdout


def test_anchors_are_two_models(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One model cannot be good and bad."""
    monkeypatch.chdir(made)
    done = CliRunner().invoke(main, ["items", "--suite", "mixed", "--anchors", "org/good", "org/good"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--anchors needs two different models, a good and a bad one; both are 'org/good'." in done.stderr


def test_a_word_of_a_choice_is_helped_with(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option that takes one of some words names the nearest."""
    monkeypatch.chdir(made)
    for path, command in commands():
        for option in command.params:
            if isinstance(option.type, click.Choice):
                word = str(option.type.choices[0])
                done = CliRunner().invoke(main, [*path.split(), option.opts[0], f"{word}x"])
                assert done.exit_code == 2
                assert f"Did you mean {word}" in done.stderr, done.stderr
