"""Slips in the form of a run entry, which HELM would misread in silence."""

from __future__ import annotations

import pytest

from helm_impactbench.errors import RunEntryError
from helm_impactbench.helm.entry_form import check_form


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("benchmark=a, user=b", "a space in ' user=b'. Write no spaces after commas"),
        (" benchmark=a", "a space in"),
        ("benchmark =a", "nor around ="),
        ("user=a,user=b", "user= is given twice"),
        ("benchmark=a,", "has no ="),
    ],
)
def test_a_slip_is_refused(options: str, words: str) -> None:
    """With the part in which it is."""
    with pytest.raises(RunEntryError, match=words):
        check_form(f"impactbench:{options}")


def test_a_sound_entry_passes() -> None:
    """A value may have spaces and signs within."""
    check_form("impactbench:benchmark=a,levels=very low+high,user=b=c")
    check_form("impactbench")
