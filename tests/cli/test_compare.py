"""What `compare` concludes: no more than the missing verdicts leave standing."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.commands.compare import compare
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.tables.cells import cell_text
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
        ([True] * 96, "equal", "1 shown to be equal within 0.1 "),
        ([True] * 50 + [None] * 46, "equal, unless", "1 shown to be equal within 0.1 "),
    ],
    ids=["whole", "missing"],
)
def test_equality_that_missing_verdicts_could_undo_is_marked(
    second: list[bool | None], cell: str, sentence: str
) -> None:
    """All that a model lacks may have failed: what it takes is said, and the files hold how far it could go."""
    data = [*conversations("org/a", [True] * 96), *conversations("org/b", second)]
    result = compare(reading_of(data), equal_within=0.1)
    pairs = result["pairs"]
    (within,) = [column for column in pairs.columns if column.title == "Within 0.1"]
    assert cell_text(within, pairs.rows[0]).startswith(cell)
    assert sentence in result.notes[0]
    marked = cell != "equal"
    assert ("Missing verdicts could undo 1 of these" in result.notes[0]) == marked
    (pair,) = pairs.rows
    assert -0.1 < pair["low_90"] <= pair["high_90"] < 0.1
    assert (pair["if_missing_low_90"] > -0.1 and pair["if_missing_high_90"] < 0.1) != marked


def test_a_pair_that_no_test_could_find_to_differ_says_so() -> None:
    """In the words of the report's pages: three base scenarios are too few for any difference."""
    data = [*conversations("org/a", [True] * 3), *conversations("org/b", [False] * 3)]
    result = compare(reading_of(data))
    assert result["ranking"].rows[1]["significant"] == "too few cases"
    assert "Too few base scenarios to test 1 of them." in result.notes[0]
