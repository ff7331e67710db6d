"""What `compare` concludes: no more than the missing verdicts leave standing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from helm_impactbench.cli import main
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import outcome


def conversations(model: str, verdicts: list[bool | None]) -> list[Outcome]:
    """Return a conversation per verdict, each on a base scenario of its own."""
    return [
        outcome(verdict, model=model, base_id=f"s{place}", variant_id=f"s{place}_v1")
        for place, verdict in enumerate(verdicts)
    ]


@pytest.mark.parametrize(
    ("second", "cell", "sentence"),
    [
        ([True] * 96, "equal ", "1 shown to be equal within 0.1 "),
        ([True] * 50 + [None] * 46, "equal*", "0 shown to be equal within 0.1 "),
    ],
    ids=["whole", "missing"],
)
def test_equality_that_missing_verdicts_could_undo_is_marked(
    workdir: Path, monkeypatch: pytest.MonkeyPatch, second: list[bool | None], cell: str, sentence: str
) -> None:
    """All that a model lacks may have failed: it is not counted as shown, and the files hold how far it could go."""
    data = [*conversations("org/a", [True] * 96), *conversations("org/b", second)]
    monkeypatch.setattr("helm_impactbench.cli.suite.suite_outcomes", lambda *_: data)
    monkeypatch.setattr("helm_impactbench.cli.compare.suite_references", lambda *_: [])
    command = ["compare", "--suite", "s", "--equal-within", "0.1", "--out", "pairs.json"]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert cell in done.output
    said = " ".join(done.output.split())
    assert sentence in said
    marked = cell == "equal*"
    assert ("* 1 more on the verdicts there are" in said) == marked
    (pair,) = json.loads(Path("pairs.json").read_text())["pairs"]
    assert -0.1 < pair["low_90"] <= pair["high_90"] < 0.1
    assert (pair["if_missing_low_90"] > -0.1 and pair["if_missing_high_90"] < 0.1) != marked


def test_a_pair_that_no_test_could_tell_apart_says_so(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the words of the report's pages: three base scenarios are too few for any difference."""
    data = [*conversations("org/a", [True] * 3), *conversations("org/b", [False] * 3)]
    monkeypatch.setattr("helm_impactbench.cli.suite.suite_outcomes", lambda *_: data)
    monkeypatch.setattr("helm_impactbench.cli.compare.suite_references", lambda *_: [])
    done = CliRunner().invoke(main, ["compare", "--suite", "s"], catch_exceptions=False, env={"COLUMNS": ""})
    assert re.search(r"org/a +org/b .* cannot be told +3", done.output), done.output
