"""Models whose runs ended by their own result are not compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.outputs.report.findings import finding
from helm_impactbench.outputs.report.statement import as_text
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import outcome


def model(name: str, passed: bool, width: float | None = None, bar: float | None = None) -> list[Outcome]:
    """Return 40 conversations of a model, of whole runs or of runs that may stop early."""
    found = [outcome(passed, model=name, base_id=f"m01_s{i:03d}", variant_id=f"m01_s{i:03d}_v01") for i in range(40)]
    if width is None and bar is None:
        return found
    return [
        replace(one, draw=Draw(place=place, of=40, size=1, most=1, conversations=40, width=width, bar=bar))
        for place, one in enumerate(found, start=1)
    ]


@pytest.mark.parametrize(
    ("first", "second", "compared"),
    [
        ({}, {}, True),
        ({"width": 0.3}, {"width": 0.3}, True),
        ({"width": 0.3}, {}, False),
        ({"bar": 0.5}, {"bar": 0.5}, False),
        ({"bar": 0.5}, {}, False),
        ({"bar": 0.5, "width": 0.3}, {"width": 0.3}, False),
    ],
)
def test_only_runs_that_end_alike_are_compared(
    first: dict[str, float], second: dict[str, float], compared: bool
) -> None:
    """What ends a run at a bar is its result: differences to it are found too often."""
    found = compare([*model("a", True, **first), *model("b", False, **second)])
    (pair,) = found.pairs
    assert (pair.difference is not None, pair.stopped, pair.found) == (compared, not compared, compared)
    assert found.ranks == ({"a": (1, 1), "b": (2, 2)} if compared else {"a": (1, 2), "b": (1, 2)})
    said = as_text(finding(found).headline, str)
    assert ("Nothing compares the two models: their runs stopped" in said) != compared
