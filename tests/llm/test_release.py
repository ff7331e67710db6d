"""Names of releases, and what of a call they are part of."""

from __future__ import annotations

import pytest

from helm_impactbench.llm.release import read_release, seed_alone, seed_and_release, stored_call, written_release


@pytest.mark.parametrize("name", ["v2", "2026-06-01", "1.10", "12e4567", "inf", "nan", "0012", "a" * 100])
def test_a_name_goes_through_a_run_entry_unchanged(name: str) -> None:
    """Also one that helm-run would read as a number."""
    written = written_release(name)
    with pytest.raises(ValueError, match="could not convert"):
        float(written)
    assert read_release(written) == name


@pytest.mark.parametrize(
    "value", ["", " ", "a,b", "a=b", "a/b", "a b", "-a", "@", "@@a", "a" * 101, 1.1, 2, True, None]
)
def test_what_is_no_name_is_refused(value: object) -> None:
    """With what is allowed."""
    with pytest.raises(ValueError, match="up to 100 letters"):
        read_release(value)


@pytest.mark.parametrize("seed", ["", "prosocial/s01/0", "a\nb"])
def test_a_release_is_told_apart_and_never_sent(seed: str) -> None:
    """Without one, the seed is as it was."""
    assert seed_and_release(seed, "") == seed
    assert seed_and_release(seed, "v1") != seed_and_release(seed, "v2")
    assert seed_alone(seed_and_release(seed, "v1")) == (seed or None)


def test_a_stored_answer_keeps_the_name_of_its_call() -> None:
    """Another time, duration or text is another call; without a time nobody knows."""
    assert stored_call(5, 0.25, "yes") == stored_call(5, 0.25, "yes")
    assert len({stored_call(5, 0.25, "yes"), stored_call(6, 0.25, "yes"), stored_call(5, 0.5, "yes"),
                stored_call(5, 0.25, "no")}) == 4  # fmt: skip
    assert stored_call(0, 0.25, "yes") == ""
