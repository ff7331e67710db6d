"""The chart of whom answers side with: bars whose parts are the shares of the table."""

from __future__ import annotations

import re

import pytest

from helm_impactbench.outputs.report.contrasts import by_model
from helm_impactbench.outputs.report.mix_chart import MixRow, mix_chart
from tests.support.outcomes import TELLERS, contrast_outcome

SIDES = {"high": "sides with the landlord", "middle": "sides with neither", "low": "sides with <b>"}


def test_parts_of_a_bar_are_the_shares_of_the_answers() -> None:
    """Of 10 cases told by a: 6 for a, 1 for neither, 3 for b; counted by hand, and drawn as wide."""
    values = [1.0] * 6 + [0.0] + [-1.0] * 3
    (found,) = by_model(
        contrast_outcome(value, level, f"case_{case}", contrast=TELLERS, axes=(("teller", level),))
        for case, value in enumerate(values)
        for level in "ab"
    ).values()
    shares = {side: share.value for side, share in found.mix["a"].items()}
    assert shares == pytest.approx({"high": 0.6, "middle": 0.1, "low": 0.3})
    assert found.mix["a"]["high"].n == 10
    assert found.mix["a"]["high"].interval.low < 0.6 < found.mix["a"]["high"].interval.high
    chart = mix_chart([MixRow("m", "m.html", {"a": shares})], SIDES, "Sides")
    for svg in (chart.wide, chart.narrow):
        widths = [float(width) for width in re.findall(r'width="([\d.]+)" height="20"', svg)]
        assert [width / sum(widths) for width in widths] == pytest.approx([0.6, 0.1, 0.3], abs=0.01)
        assert re.findall(r'data-side="(\w+)">(\d+%)', svg)[0] == ("high", "60%")
        assert "<b>" not in svg


def test_a_side_without_answers_has_no_part() -> None:
    """All answers on one side are one bar."""
    svg = mix_chart([MixRow("m", "m", {"a": {"high": 1.0, "middle": 0.0, "low": 0.0}})], SIDES, "Sides").wide
    assert svg.count('height="20"') == 1
    assert "0%</text>" not in svg.replace("100%</text>", "")
