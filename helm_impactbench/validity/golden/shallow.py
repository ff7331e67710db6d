"""Judges that never read a definition, as the floor that a real judge has to beat on golden sets. Pure.

One looks at the tone as its author marked it, others count marks and words, one compares the reply with the examples of
the metric, and one is naive Bayes on the words of the assistant. Those that learn are asked about metrics on which they
did not learn: within one metric, every word of its subject tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from helm_impactbench.benchmark.golden import GoldenSet
from helm_impactbench.validity.golden.figures import FEWEST_METRICS, PRESENCE, JudgeFigure, over_metrics
from helm_impactbench.validity.golden.surface import FEATURES, KnownItem, auroc, known_items, replies, words
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer

FOLDS = 10
WORD_MODEL = "words (naive Bayes)"
_TONES = {"warm": 1.0, "cool": 0.0, None: 0.5}

Guess = Callable[[Sequence[KnownItem], Sequence[KnownItem]], list[float]]
"""From items to learn from and items to judge to how likely each of the latter passes, from 0 to 1."""


def shallow_answers(sets: Sequence[GoldenSet]) -> dict[str, list[JudgedItem]]:
    """Return what each shallow judge says of the items on presence, as a judge's answers: `judge_figures` reads them.

    Empty for sets of fewer than FEWEST_METRICS metrics, of which nothing can be held out.
    """
    known = [one for one in known_items(sets) if one.metric.measure.kind == PRESENCE]
    if len({_metric(one) for one in known}) < FEWEST_METRICS:
        return {}
    guesses = {name: _held_out(known, guess) for name, guess in _learners().items()}
    guesses["overlap with examples"] = _overlap(known)
    return {name: [_answer(*pair) for pair in zip(known, likely, strict=True)] for name, likely in guesses.items()}


@dataclass(frozen=True)
class WordModel:
    """What naive Bayes on the words of the assistant finds on metrics that it has not seen."""

    accuracy: JudgeFigure
    auroc: float
    """nan with too few items."""


def word_model(sets: Sequence[GoldenSet]) -> WordModel | None:
    """Return how well words alone tell what passes; None for fewer than FEWEST_METRICS metrics."""
    known = known_items(sets)
    if len({_metric(one) for one in known}) < FEWEST_METRICS:
        return None
    likely = _held_out(known, _naive_bayes)
    right = [(_metric(one), float((guess > 0.5) == one.passed)) for one, guess in zip(known, likely, strict=True)]
    return WordModel(over_metrics(right), auroc(likely, [one.passed for one in known]))


def _learners() -> dict[str, Guess]:
    counts = {name: partial(_threshold, feature) for name, feature in _features().items()}
    return {**counts, WORD_MODEL: _naive_bayes}


def _features() -> dict[str, Callable[[KnownItem], float]]:
    def of(count: Callable[[str], float]) -> Callable[[KnownItem], float]:
        return lambda one: count(replies(one.item))

    return {"tone as marked": lambda one: _TONES[one.item.tone], **{name: of(each) for name, each in FEATURES.items()}}


def _held_out(known: Sequence[KnownItem], guess: Guess) -> list[float]:
    """Return a guess per item, from a model that learned on other metrics."""
    from sklearn.model_selection import GroupKFold

    groups = ["/".join(_metric(one)) for one in known]
    likely = [0.5] * len(known)
    for learned, asked in GroupKFold(min(FOLDS, len(set(groups)))).split(known, groups=groups):
        for place, value in zip(asked, guess([known[i] for i in learned], [known[i] for i in asked]), strict=True):
            likely[int(place)] = value
    return likely


def _threshold(
    feature: Callable[[KnownItem], float], learned: Sequence[KnownItem], asked: Sequence[KnownItem]
) -> list[float]:
    """Return guesses of the best cut through one feature, made for each type of metric by itself."""
    from sklearn.tree import DecisionTreeClassifier

    likely = [0.5] * len(asked)
    for kind in ("positive", "negative"):
        rows = [one for one in learned if one.metric.type == kind]
        places = [place for place, one in enumerate(asked) if one.metric.type == kind]
        if places and len({one.passed for one in rows}) == 2:
            tree = DecisionTreeClassifier(max_depth=1, class_weight="balanced", random_state=0)
            tree.fit([[feature(one)] for one in rows], [one.passed for one in rows])
            for place, row in zip(places, tree.predict_proba([[feature(asked[i])] for i in places]), strict=True):
                likely[place] = float(row[1])
    return likely


def _naive_bayes(learned: Sequence[KnownItem], asked: Sequence[KnownItem]) -> list[float]:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    if len({one.passed for one in learned}) < 2:
        return [0.5] * len(asked)
    model: Any = make_pipeline(CountVectorizer(analyzer=_tokens), MultinomialNB())
    model.fit([replies(one.item) for one in learned], [one.passed for one in learned])
    return [float(row[1]) for row in model.predict_proba([replies(one.item) for one in asked])]


def _tokens(text: str) -> list[str]:
    return [*words(text), *(mark for mark in text if mark in "!?")]


def _overlap(known: Sequence[KnownItem]) -> list[float]:
    """Return 1 or 0, as the reply is nearer to an example or to what does not count, turned by the metric's type."""
    return [_passing(one, present) for one, present in zip(known, _nearer_to_examples(known), strict=True)]


def _passing(one: KnownItem, present: bool) -> float:
    return float(present == (one.metric.type == "positive"))


def _nearer_to_examples(known: Sequence[KnownItem]) -> Iterator[bool]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    lines = {_metric(one): (one.metric.examples, [*one.metric.near_misses, *one.metric.exclusions]) for one in known}
    texts = [line for examples, others in lines.values() for line in (*examples, *others)]
    vectors = TfidfVectorizer(stop_words="english").fit([*texts, *(replies(one.item) for one in known)])
    for one in known:
        own = vectors.transform([replies(one.item)])
        near = [
            max((own @ vectors.transform(side).T).toarray().max(), 0.0) if side else 0.0 for side in lines[_metric(one)]
        ]
        yield near[0] > near[1]


def _metric(one: KnownItem) -> tuple[str, str]:
    return one.slug, one.metric.id


def _answer(one: KnownItem, likely: float) -> JudgedItem:
    present = (likely > 0.5) == (one.metric.type == "positive")
    word = "present" if present else "absent"
    return JudgedItem(
        benchmark=one.slug,
        metric=one.metric.id,
        type=one.metric.type,
        measure=PRESENCE,
        item=str(one.number),
        known=str(one.item.verdict),
        answers={PLAIN: (KnownAnswer(status="scored", answer=word, right=present == one.present),)},
    )
