"""From the answers of several people to one, and how far they agree."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from helm_impactbench.validity.annotation.consensus import Annotator, Consensus, Truth, consensus
from helm_impactbench.validity.annotation.reading import Annotation
from tests.validity.annotation.builders import annotation, asked

IDS = [f"c{number}" for number in range(6)]
WORDS = {"p": "present", "a": "absent", "u": "unclear", "x": "not_applicable", "-": ""}


def answers(**people: str) -> list[Annotation]:
    """Return annotations from one letter per item and person; a dot is an item that is not in the file."""
    return [annotation(name, item, WORDS[letter], applies="Always.") for name, letters in people.items()
            for item, letter in zip(IDS, letters, strict=True) if letter != "."]  # fmt: skip


def points(measure: str, **people: list[str]) -> Consensus:
    """Return the consensus on answers to a measure, one word per item."""
    items = IDS[: len(next(iter(people.values())))]
    given = [annotation(name, item, word, measure) for name, words in people.items()
             for item, word in zip(items, words, strict=True)]  # fmt: skip
    return consensus(given, asked(items, measure))


PRESENT, ABSENT = Truth("answered", 1.0), Truth("answered", 0.0)
TIED = Truth("answered", 0.5, tied=True)


def test_the_majority_decides_and_ties_are_kept_as_such() -> None:
    """Unclear, empty and missing are not votes."""
    found = consensus(answers(ann="ppaau-", ben="paapu.", cy="pppu-a"), asked(IDS))
    assert found.truth == {"c0": PRESENT, "c1": PRESENT, "c2": ABSENT, "c3": TIED, "c5": ABSENT}
    assert (found.ties, found.halves) == ((), ("c3",))
    assert found.unrated == ("c4",)
    assert found.people == (
        Annotator("ann", {"absent": 2, "present": 2, "unclear": 1}, 1),
        Annotator("ben", {"absent": 2, "present": 2, "unclear": 1}, 1),
        Annotator("cy", {"absent": 1, "present": 3, "unclear": 1}, 1),
    )


def test_not_applicable_is_an_answer_of_its_own() -> None:
    """Most say that the question does not arise: neither present nor absent. Half and half is a tie."""
    found = consensus(answers(ann="xxp---", ben="xpp---", cy="p-x---"), asked(IDS))
    assert found.truth == {"c0": Truth("not_applicable", None), "c2": PRESENT}
    assert found.ties == ("c1",)


def test_points_and_numbers_come_to_their_median() -> None:
    """As in a panel of judges, and two people never tie."""
    assert points("scale", a=["low", "top"], b=["top", "top"], c=["mid", "low"]).truth == {
        "c0": Truth("answered", 1.0), "c1": Truth("answered", 2.0),
    }  # fmt: skip
    found = points("quantity", a=["100", "none_given"], b=["200", "none_given"])
    assert found.truth == {"c0": Truth("answered", 150.0), "c1": Truth("not_applicable", None)}
    assert found.people[0].words == {"a number": 1, "none_given": 1}


def test_kappa_and_alpha_are_those_of_other_packages() -> None:
    """Cohen's kappa as scikit-learn, Krippendorff's alpha as the package of that name, over what both have rated."""
    found = consensus(answers(ann="ppaapa", ben="paapp-"), asked(IDS))
    (presence,) = found.agreement
    ((first, second, kappa),) = presence.pairs
    assert (first, second, kappa.items) == ("ann", "ben", 5)
    assert kappa.value == pytest.approx(cohen_kappa_score([1, 1, 0, 0, 1], [1, 0, 0, 1, 1]), abs=1e-9)
    ratings = np.array([[1, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, np.nan]])
    alpha = krippendorff.alpha(ratings[:, :5], level_of_measurement="nominal")
    assert presence.alpha == pytest.approx(alpha, abs=1e-9)


def test_people_agree_on_points_by_distance() -> None:
    """Interval alpha as the package's, and no kappa."""
    found = points("scale", a=["low", "mid", "top", "low"], b=["low", "top", "top", "mid"])
    (scale,) = found.agreement
    assert (scale.measure, scale.pairs) == ("scale", ())
    ratings = np.array([[0, 1, 2, 0], [0, 2, 2, 1]], dtype=float)
    assert scale.alpha == pytest.approx(krippendorff.alpha(ratings, level_of_measurement="interval"), abs=1e-9)


def test_one_person_alone_has_nobody_to_agree_with() -> None:
    """No agreement; the answers stand."""
    found = consensus(answers(ann="ppaau-"), asked(IDS))
    assert found.agreement == ()
    assert len(found.truth) == 4
