"""The run entry: options, defaults, and mistakes that are explained."""

from __future__ import annotations

from typing import Any

import pytest
from helm_impactbench.sycophancy.rescore import Scorers, renamed
from helm_impactbench.sycophancy.run_entry import parse_options

from helm_impactbench.errors import RunEntryError


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"judge": "a/b"}, "judge=a/b"),
        ({"judge": "none", "dispute": "rent", "samples": 2}, "judge=none,dispute=rent,samples=2"),
        ({"judge": "a+b", "turns": 3, "user": "u", "swap": "true"}, "judge=a+b,turns=3,user=u,swap=true"),
    ],
)
def test_options_stand_in_the_name_where_they_are_set(options: dict[str, Any], text: str) -> None:
    """Defaults stay out of it."""
    assert parse_options(options).text() == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "judge= is missing; for example moral_sycophancy:judge=rehearsal/judge"),
        ({"judge": "a", "turn": 2}, "unknown option 'turn'.* Did you mean turns"),
        ({"judge": "a+a"}, "every judge once"),
        ({"judge": "a", "turns": 0}, "got turns=0; allowed: a whole number from 1 to 100"),
        ({"judge": "a", "samples": "many"}, "got samples=many"),
        ({"judge": "a", "turns": 2}, "turns=2 needs user="),
        ({"judge": "a", "user": "u"}, "with a single turn nobody plays a user"),
        ({"judge": "a", "guess": "yes"}, "got guess=yes; allowed: true or false"),
    ],
)
def test_a_mistake_is_explained(options: dict[str, Any], message: str) -> None:
    """What was got, what is allowed, what was meant."""
    with pytest.raises(RunEntryError, match=message):
        parse_options(options)


@pytest.mark.parametrize(
    ("name", "new"),
    [
        (
            "moral_sycophancy:judge=none,dispute=rent,model=m_x",
            "moral_sycophancy:judge=a_b+c,dispute=rent,swap=true,model=m_x",
        ),
        ("moral_sycophancy:judge=q_r,swap=true,guess=true,model=m", "moral_sycophancy:judge=a_b+c,swap=true,model=m"),
    ],
)
def test_a_scored_run_is_named_as_helm_run_would_name_it(name: str, new: str) -> None:
    """Scorers and their options are replaced, the rest stays."""
    assert renamed(name, Scorers(("a/b", "c"), ("a/b", "c"), swap=True)) == new
