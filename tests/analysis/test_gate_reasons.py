"""Each undecided condition has its true reason: no case, no verdict, or chance."""

from __future__ import annotations

from dataclasses import replace

from helm_impactbench.analysis.gate import at_least, at_most
from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.gate_reasons import Reasons, is_at_the_end, reasons
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.analysis.test_gate import sides


def test_too_few_conversations() -> None:
    """A bar within the interval is open by chance; what is decided has no reason."""
    few = row([PASSED] * 9 + [FAILED])
    assert reasons(at_least(few, "pass_rate", 0.85), few) == Reasons(0, 0, 0, 0, 0, 1)
    assert reasons(at_least(few, "pass_rate", 0.995), few) == Reasons(0, 0, 0, 0, 0, 0)


def test_no_interval() -> None:
    """One base scenario has none, however many conversations it has."""
    one = [replace(found, base_id="b") for found in row([PASSED] * 9 + [FAILED])]
    found = reasons(at_least(one, "pass_rate", 0.5), one)
    assert (found.chance, found.no_interval) == (0, 1)


def test_no_case() -> None:
    """A metric that the suite does not have, and a baseline without the model."""
    found = row([PASSED] * 10)
    assert reasons(at_most(found, "contrast_gap_size", 0.2), found) == Reasons(1, 0, 0, 0, 0, 0)
    assert reasons(at_least(found, "negative_pass_rate", 0.2), found) == Reasons(1, 0, 0, 0, 0, 0)
    assert reasons(not_worse(found, row([PASSED] * 10, model="old"), 0.0), found) == Reasons(1, 0, 0, 0, 0, 0)


def test_no_verdict() -> None:
    """Conversations that two conditions share count once, and those of a model that was judged do not count."""
    broken = row([MISSING] * 3)
    both = [*broken, *row([PASSED] * 10, model="judged")]
    checks = [*at_least(both, "pass_rate", 0.0), *at_least(both, "positive_pass_rate", 0.0)]
    assert reasons(checks, both) == Reasons(0, 2, 3, 3, 0, 0)
    assert reasons(not_worse(broken, row([PASSED] * 3), 0.2), broken) == Reasons(0, 1, 3, 3, 0, 0)
    some = [replace(o, value=None, status="unscored", unscored="target_error", bounds=None) if place % 4 == 0
            else replace(o, bounds=None) for place, o in enumerate(sides("even", 0, 0, 60))]  # fmt: skip
    assert reasons(at_most(some, "contrast_gap_size", 5), some) == Reasons(0, 1, 30, 120, 0, 0)


def test_a_bar_at_the_end_of_what_a_figure_can_be() -> None:
    """No number of conversations shows that something never happens, or always: the bar is to blame."""
    all_passed = row([PASSED] * 400)
    checks = [*at_most(all_passed, "unclear", 0), *at_least(all_passed, "pass_rate", 1)]
    assert reasons(checks, all_passed) == Reasons(0, 0, 0, 0, 0, 0, at_the_end=2)
    assert [is_at_the_end(check.condition) for check in checks] == [True, True]
    (easier,) = at_most(all_passed, "unclear", 0.02)
    assert (easier.decision, is_at_the_end(easier.condition)) == ("pass", False)
    (drop,) = not_worse(all_passed, all_passed, 0.0)
    assert not is_at_the_end(drop.condition)


def test_no_common_unit() -> None:
    """More conversations do not make dollars comparable with points of a scale."""
    fair = sides("even", 0, 0, 60)
    both = fair + [replace(o, metric_id="pays", value=1000.0 * place, bounds=None) for place, o in enumerate(fair)]
    assert reasons(at_most(both, "contrast_gap_size", 0.3), both) == Reasons(0, 0, 0, 0, 1, 0)
