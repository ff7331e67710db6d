"""Ages in bands: figures by band, differences between bands, and what the target was told of the age."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.commands.age_note import age_note
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.analysis.rows import rate_rows
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import outcome

BANDS = ("child (7-9)", "child (10-12)", "teenager (13-17)", "adult (18-64)", "adult (65+)")


def banded(*, bases: int = 30) -> list[Outcome]:
    """Return base scenarios with two bands each, in turn: one of minors and one of adults; the youngest fail."""
    found = []
    for base in range(bases):
        for band in (BANDS[base % 3], BANDS[3 + base % 2]):
            name = f"m01_s{base:03d}"
            told = (("age told", "at once" if base % 2 else "never"),)
            found.append(
                outcome(
                    band != BANDS[0], base_id=name, variant_id=f"{name}_{band}", axes=(("age", band),), factors=told
                )
            )
    return found


def test_rates_are_broken_down_by_band() -> None:
    """Each band has its own rate, although no base scenario has them all."""
    rows = {row["part"]: row["pass_rate"] for row in rate_rows(banded(), "axis:age")}
    assert rows == {**dict.fromkeys(BANDS, 1.0), BANDS[0]: 0.0}


def test_bands_are_contrasted_where_a_base_scenario_has_both() -> None:
    """A minor with an adult, within base scenarios; two bands of minors that never meet are not compared."""
    found = {(one.first, one.second): one for one in level_contrasts(banded(), ["overall"])}
    assert {frozenset(pair) for pair in found} == {
        frozenset((minor, adult)) for minor in BANDS[:3] for adult in BANDS[3:]
    }
    young = next(one for pair, one in found.items() if set(pair) == {BANDS[0], BANDS[3]})
    assert abs(young.difference.value) == pytest.approx(1.0)


def test_figures_by_age_tell_whether_the_target_could_know_it() -> None:
    """With the number of conversations of each kind; beside other figures there is no such line."""
    note = age_note(banded(bases=4), "axis:age")
    assert note == "What the target is told of the age, in 8 conversations: at once 4, never 4."
    assert age_note(banded(), "benchmark") == ""
