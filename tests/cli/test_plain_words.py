"""What a mistake ends in has no words of the libraries that read options and files, and says what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from tests.cli.builders import write_suites

JARGON = ("Input should be", "Invalid value for", "is not in the range", "integer range", "NoneType", "ctx", "[key]")
OPTIONS = (
    ("power --assume rate=0.7 --among 0", "--among: 0 must be at least 1 and at most 1,000."),
    ("view --suite panels --port abc", "--port: 'abc' is not a whole number."),
    ("run --samples 1.5", "--samples: '1.5' is not a whole number."),
    ("check-judge --judge rehearsal/judge -n 0", "0 must be at least 1."),
    ("compare --suite panels --equal-within 5", "--equal-within: 5 is more than 1. 5% is 0.05."),
    ("power --suite panels --gap age=child", "--gap needs 4 values: MODEL AXIS FIRST SECOND."),
    ("power --suite panels --pair org/good --difference 0.1",
     "--pair needs 2 values: FIRST SECOND. --difference is another option."),
    ("rates --suite", "--suite needs a value: SUITE."),
    ("rates --wide=yes --suite panels", "--wide takes no value."),
)  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with suites."""
    folder = tmp_path_factory.mktemp("words")
    write_suites(folder)
    return folder


def told(words: str) -> str:
    """Return the one line of error that a command ends in, with exit code 2."""
    done = CliRunner().invoke(main, [word.replace("~", " ") for word in words.split()], prog_name="impactbench")
    assert done.exit_code == 2, done.output
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert not [word for word in JARGON if word in line], line
    return line


@pytest.mark.parametrize(("words", "cure"), OPTIONS, ids=[words for words, _ in OPTIONS])
def test_an_option_is_refused_in_plain_words(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: str, cure: str
) -> None:
    """With its range, or with what it is to be given."""
    monkeypatch.chdir(place)
    assert cure in told(words)
