"""What people say: how far they agree, and the one answer per item that a judge is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from helm_impactbench.stats.agreement import Kappa, Rating, cohen_kappa, krippendorff_alpha
from helm_impactbench.validity.annotation.labels import Label


@dataclass(frozen=True)
class Person:
    """One labeller's counts over the whole sheet."""

    name: str
    present: int
    absent: int
    unsure: int
    unlabelled: int
    """Items without a label, those that are not in the person's file included."""


@dataclass(frozen=True)
class Consensus:
    """The people's answer to every item, and how it came about."""

    truth: dict[str, bool]
    """Item id -> present, by majority of those who rated it; in the order of the sheet."""
    ties: tuple[str, ...]
    """Items on which the ratings balance; they are left out."""
    unrated: tuple[str, ...]
    """Items that nobody rated present or absent."""
    people: tuple[Person, ...]
    pairs: tuple[tuple[str, str, Kappa], ...]
    """Cohen's kappa of every two people over the items that both have rated."""
    alpha: float | None
    """Krippendorff's alpha over all people; None with fewer than two, or when it is undefined."""


def consensus(labels: Sequence[Label], item_ids: Sequence[str]) -> Consensus:
    """Return what people say of the items of a sheet. "unsure" is no rating."""
    words: dict[str, dict[str, Label]] = {}
    for label in labels:
        words.setdefault(label.person, {})[label.item_id] = label
    ratings = {
        name: [own[item].rating if item in own else None for item in item_ids] for name, own in sorted(words.items())
    }
    items = list(zip(*ratings.values(), strict=True))
    answers = {item: _majority(item_ratings) for item, item_ratings in zip(item_ids, items, strict=True)}
    return Consensus(
        truth={item: answer for item, answer in answers.items() if isinstance(answer, bool)},
        ties=tuple(item for item, answer in answers.items() if answer == "tie"),
        unrated=tuple(item for item, answer in answers.items() if answer is None),
        people=tuple(_person(name, own, len(item_ids)) for name, own in sorted(words.items())),
        pairs=tuple((a, b, cohen_kappa(ratings[a], ratings[b])) for a, b in combinations(ratings, 2)),
        alpha=krippendorff_alpha(items) if len(ratings) > 1 else None,
    )


def _majority(ratings: Sequence[Rating]) -> bool | str | None:
    votes = Counter(rating for rating in ratings if rating is not None)
    if not votes:
        return None
    return "tie" if votes[True] == votes[False] else votes[True] > votes[False]


def _person(name: str, own: dict[str, Label], items: int) -> Person:
    counts = Counter(label.word for label in own.values())
    labelled = counts["present"] + counts["absent"] + counts["unsure"]
    return Person(name, counts["present"], counts["absent"], counts["unsure"], items - labelled)
