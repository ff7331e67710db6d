"""Numbers in the environment are within sane bounds, or refused by name."""

from __future__ import annotations

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.process.settings import count_from, seconds_from


@pytest.mark.parametrize("text", ["1e10", "1e999", "inf", "nan", "-1", "0", "5 min", "9" * 5000, "0x10"])
def test_seconds_out_of_bounds_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """One message with the variable, what it is, and what is allowed; a long value is cut."""
    monkeypatch.setenv("X_SECONDS", text)
    with pytest.raises(SettingError) as error:
        seconds_from("X_SECONDS", 300)
    assert (
        str(error.value)
        == f"X_SECONDS is {text[:40]!r}, but it must be a number of seconds from 0.1 to 86400. Unset, it is 300."
    )


@pytest.mark.parametrize("text", ["0", "-3", "2.5", "many", "1e10", "nan", "inf"])
def test_counts_out_of_bounds_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """They are whole and have a most."""
    monkeypatch.setenv("X_COUNT", text)
    with pytest.raises(
        SettingError, match=f"X_COUNT is '{text}', but it must be a whole number from 1 to 9. Unset, it is 3"
    ):
        count_from("X_COUNT", 3, most=9)


def test_blank_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set to nothing has the default; numbers may be written as people do."""
    for text, seconds, count in ((" ", 300.0, 3), (" 7 ", 7.0, 7), ("5e0", 5.0, 5)):
        monkeypatch.setenv("X", text)
        assert (seconds_from("X", 300), count_from("X", 3, most=9)) == (seconds, count)
