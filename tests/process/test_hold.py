"""A helm-run that waits for a word before its first call."""

from __future__ import annotations

import os

import pytest

from helm_impactbench.process.hold import HOLD_VARIABLE, wait_for_release


@pytest.mark.parametrize("value", [None, "", "none", "987654"])
def test_a_helm_run_of_ones_own_waits_for_nobody(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    """Without the variable, and with one whose pipe is not there, it begins at once."""
    if value is not None:
        monkeypatch.setenv(HOLD_VARIABLE, value)
    wait_for_release()
    assert HOLD_VARIABLE not in os.environ


def test_it_begins_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte is the word; processes of its own do not wait again."""
    ours, theirs = os.pipe()
    monkeypatch.setenv(HOLD_VARIABLE, str(ours))
    os.write(theirs, b"1")
    wait_for_release()
    assert HOLD_VARIABLE not in os.environ
    os.close(theirs)


def test_it_ends_without_a_word_when_nobody_wants_it_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question was answered with no, or the process that asked is gone: nothing was called, nothing is wrong."""
    ours, theirs = os.pipe()
    monkeypatch.setenv(HOLD_VARIABLE, str(ours))
    os.close(theirs)
    with pytest.raises(SystemExit) as ended:
        wait_for_release()
    assert ended.value.code == 0
