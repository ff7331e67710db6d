"""From the labels of several people to one answer, and how far they agree."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from helm_impactbench.validity.annotation.labels import Label
from helm_impactbench.validity.annotation.people import Person, consensus

IDS = [f"c{number}" for number in range(6)]
WORDS = {"p": "present", "a": "absent", "u": "unsure", "-": ""}


def labels(**people: str) -> list[Label]:
    """Return labels from one letter per item and person; a dot is an item that is not in the file."""
    return [Label(name, item, WORDS[letter], "x") for name, letters in people.items()
            for item, letter in zip(IDS, letters, strict=True) if letter != "."]  # fmt: skip


def test_the_majority_decides_and_ties_are_left_out() -> None:
    """Unsure, empty and missing are no votes."""
    found = consensus(labels(ann="ppaau-", ben="paapu.", cy="pppu-a"), IDS)
    assert found.truth == {"c0": True, "c1": True, "c2": False, "c5": False}
    assert found.ties == ("c3",)
    assert found.unrated == ("c4",)
    assert found.people == (Person("ann", 2, 2, 1, 1), Person("ben", 2, 2, 1, 1), Person("cy", 3, 1, 1, 1))


def test_kappa_and_alpha_are_those_of_other_packages() -> None:
    """Cohen's kappa as scikit-learn, Krippendorff's alpha as the package of that name, over what both have rated."""
    found = consensus(labels(ann="ppaapa", ben="paapp-"), IDS)
    ((first, second, kappa),) = found.pairs
    assert (first, second, kappa.items) == ("ann", "ben", 5)
    assert kappa.value == pytest.approx(cohen_kappa_score([1, 1, 0, 0, 1], [1, 0, 0, 1, 1]), abs=1e-9)
    ratings = np.array([[1, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, np.nan]])
    alpha = krippendorff.alpha(ratings, level_of_measurement="nominal")
    assert found.alpha == pytest.approx(alpha, abs=1e-9)


def test_one_person_alone_has_nobody_to_agree_with() -> None:
    """No pair and no alpha; the answers stand."""
    found = consensus(labels(ann="ppaau-"), IDS)
    assert (found.pairs, found.alpha) == ((), None)
    assert len(found.truth) == 4
