"""How many conversations would decide what the gate leaves open, held against gates on that many."""

from __future__ import annotations

import math

from helm_impactbench.analysis.commands.gate import Conditions, gate
from helm_impactbench.analysis.gate import GateCheck, at_least, at_most
from helm_impactbench.analysis.gate_baseline import not_worse
from helm_impactbench.analysis.gate_size import MOST, Needed, needed, needed_sentence
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, PASSED, row


def mixed(total: int, failed: float) -> list[Outcome]:
    """Return outcomes of which this share fails."""
    bad = round(total * failed)
    return row([FAILED] * bad + [PASSED] * (total - bad))


def test_about_as_many_decide_it() -> None:
    """With the number that is said, and the same share of passes, the gate decides; with half of it, it does not."""
    few = mixed(40, 0.1)
    (open_check,) = at_least(few, "pass_rate", 0.8)
    (found,) = needed([open_check], few)
    assert (open_check.decision, found.held) == ("undecided", 40)
    assert at_least(mixed(round(found.conversations * 1.1), 0.1), "pass_rate", 0.8)[0].decision == "pass"
    assert at_least(mixed(found.conversations // 2, 0.1), "pass_rate", 0.8)[0].decision == "undecided"


def test_a_baseline_and_a_maximum() -> None:
    """Identical answers against a small margin, and a figure above its bar, which more conversations would fail."""
    same = mixed(14, 0.0)
    (drop,) = not_worse(same, same, 0.05)
    (found,) = needed([drop], same)
    enough = mixed(round(found.conversations * 1.1), 0.0)
    assert (drop.decision, not_worse(enough, enough, 0.05)[0].decision) == ("undecided", "pass")
    above = mixed(40, 0.5)
    (check,) = at_most(above, "pass_rate", 0.4)
    (found,) = needed([check], above)
    assert at_most(mixed(round(found.conversations * 1.1), 0.5), "pass_rate", 0.4)[0].decision == "fail"


def test_what_no_number_decides() -> None:
    """A figure at its bar, or a bar at the end of its range; what is decided, or has no interval, needs nothing."""
    at_bar = mixed(40, 0.2)
    (found,) = needed(at_least(at_bar, "pass_rate", 0.8), at_bar)
    assert found.conversations == MOST
    assert needed_sentence([found], 1.0).endswith(
        "cannot be decided with these conversations, because the value lies on the bar."
    )
    assert needed(at_least(mixed(40, 0.0), "pass_rate", 1), at_bar) == []
    assert needed(at_least(mixed(40, 0.0), "pass_rate", 0.5), at_bar) == []
    assert needed(at_least(mixed(1, 0.0), "pass_rate", 0.5), mixed(1, 0.0)) == []


def test_the_sentence_has_the_price_where_it_is_known() -> None:
    """Of the condition that needs most; without a price nothing is said of money."""
    checks = [GateCheck("m", f"pass_rate >= {bar}", "impact", 0.9, Interval(0.7, 1), "undecided", 20, bar=bar)
              for bar in (0.75, 0.85)]  # fmt: skip
    every = [Needed(checks[0], 20, 36), Needed(checks[1], 20, 320)]
    assert needed_sentence(every, 0.05) == (
        "m, pass_rate >= 0.85: about 320 conversations instead of 20 would decide it, for about $16.00 in all, if the "
        "figure stays as it is. The other open conditions need no more."
    )
    assert "$" not in needed_sentence(every, None)
    assert needed_sentence([], 0.05) == ""
    assert math.isclose(every[0].check.bar, 0.75)


def test_the_gate_says_it() -> None:
    """As a note under its table."""
    notes = gate(reading_of(mixed(40, 0.1)), Conditions(("pass_rate=0.8",))).notes
    assert any("instead of 40 would decide it, if the figure stays as it is." in note for note in notes)
