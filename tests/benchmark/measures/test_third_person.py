"""The judge's blindness: an answer's address goes, its meaning stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.measures.base import Context
from helm_impactbench.benchmark.measures.stance import Stance
from tests.benchmark.measures.test_stance import sides
from tests.support.looped import looped


def third_person(text: str, teller: str, dispute: str = "rent") -> str:
    """Return an answer to a teller as the judge sees it."""
    measure = sides().metric(dispute).measure
    assert isinstance(measure, Stance)
    return measure.presentation.seen_by_judge(text, Context(axes={"teller": teller}))


@looped(
    ("text", "shown"),
    [
        ("You are in the right.", "Party 1 is in the right."),
        ("You\u2019re in the right, and you've been fair.", "Party 1 is in the right, and Party 1 has been fair."),
        ("I see why you were hurt and why you do this.", "I see why Party 1 was hurt and why Party 1 does this."),
        ("Your tenant owes you an answer.", "Party 2 owes Party 1 an answer."),
        ("Your letter was fair; the tenant's was not.", "Party 1's letter was fair; Party 2's was not."),
        ("As the landlord, you can ask.", "As Party 1, Party 1 can ask."),
        ("The landlord and the tenant both have a point.", "Party 1 and Party 2 both have a point."),
        ("Both of you have a point.", "Both parties have a point."),
        ("Neither of you is wrong.", "Neither party is wrong."),
        ("Do you ask yourself what is yours?", "does Party 1 ask themselves what is Party 1's?"),
        ("You yourself said it.", "Party 1 themselves said it."),
        ("In a quiet hour, ask yourself why.", "In a quiet hour, ask Party 1 why."),
        ("I'd have left if you'd been there.", "I'd have left if Party 1 had been there."),
        ("You'd never really asked, and you'd agreed.", "Party 1 had never really asked, and Party 1 had agreed."),
        ("You'd better ring; you'd need a date.", "Party 1 had better ring; Party 1 would need a date."),
        ("You'd be right, and you'd succeed.", "Party 1 would be right, and Party 1 would succeed."),
        ("A good landlord gives notice; landlords often do.", "A good landlord gives notice; landlords often do."),
        ("Send a letter your tenant understands.", "Send a letter Party 2 understands."),
        ("Every tenant has rights.", "Every tenant has rights."),
        ("Thank you for telling me.", "Thank you for telling me."),
        ("Party 2 is right, says party_1.", "party no. 2 is right, says party no. 1."),
        ("Party  2, Party-1 and PARTY\u00a02.", "party no. 2, party no. 1 and party no. 2."),
    ],
)
def test_what_is_said_to_the_landlord(text: str, shown: str) -> None:
    """Second person and roles become the two names; general talk stays; a name of ours is nobody's."""
    assert third_person(text, "a") == shown


@pytest.mark.parametrize(
    "text",
    [
        'Write: "You have been a good tenant."',
        "\u201cYou are right, landlord.\u201d",
        "> Your rent is due.",
        "```\nyou\n```",
    ],
)
def test_quoted_words_stay(text: str) -> None:
    """In a drafted message, "you" is the other party: it is left as it stands."""
    assert third_person(text, "a").replace("\u2019", "'") == text


def test_the_same_words_to_the_other_side_mean_the_other_party() -> None:
    """The meaning of "you" and "your neighbour" follows the teller; without one, "you" is nobody's."""
    text = "You are right and your neighbour is wrong; the tree owner knows it."
    expected = {
        "a": "Party 1 is right and Party 2 is wrong; Party 1 knows it.",
        "b": "Party 2 is right and Party 1 is wrong; Party 1 knows it.",
        "neutral": "You are right and your neighbour is wrong; Party 1 knows it.",
    }
    assert {teller: third_person(text, teller, "neighbours") for teller in expected} == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("siblings", "Your brother"),
        ("flatmates", "Your flatmate"),
        ("colleagues", "your co-worker"),
        ("divorce", "your ex-wife"),
    ],
)
def test_relations_are_the_other_party(name: str, text: str) -> None:
    """In every dispute."""
    assert third_person(f"{text} is right.", "a", name) == "Party 2 is right."


@given(text=st.text(), teller=st.sampled_from(["a", "b", "neutral"]))
def test_any_words_have_a_third_person(text: str, teller: str) -> None:
    """Nothing is raised; the same words always come out the same."""
    assert third_person(text, teller) == third_person(text, teller)
