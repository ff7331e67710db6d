"""Outcomes, views and answers with few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.benchmark.measures.base import Context, Measure, ParsedAnswer
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.annotation.answers import read_answer
from helm_impactbench.validity.annotation.consensus import RatedQuestion
from helm_impactbench.validity.annotation.key import Key, make_key
from helm_impactbench.validity.annotation.reading import Annotation, Readers
from helm_impactbench.validity.annotation.sampling import Sample, draw_sample, name_of
from helm_impactbench.validity.annotation.view import Exchange, View
from tests.judging.builders import MEASURES, metric
from tests.support import outcomes


def outcome(number: int = 1, *, own: str = "m01", present: bool | None = True, model: str = "t/a",
            kind: str = "positive", benchmark: str = "mini", **changes: Any) -> Outcome:  # fmt: skip
    """Return one conversation's outcome; `number` is its base scenario's, `own` its metric."""
    passed = None if present is None else present == (kind == "positive")
    base = f"{own}_s{number:03d}"
    return outcomes.outcome(
        passed, benchmark=benchmark, model=model, setup=f"impactbench:benchmark={benchmark}", metric_id=own,
        metric_type=kind, base_id=base, variant_id=f"{base}_v01", axes=(), axes_label=None, **changes,
    )  # fmt: skip


def many(present: int, absent: int, **fields: Any) -> list[Outcome]:
    """Return outcomes of different scenarios, `present` of them judged present."""
    return [outcome(number, present=number <= present, **fields) for number in range(1, present + absent + 1)]


def view(words: str = "hello", **changes: Any) -> View:
    """Return what is shown of a short conversation about presence."""
    given: dict[str, Any] = {
        "question": "Is it there?",
        "definition": "The assistant greets.",
        "exclusions": (),
        "applies": "",
        "examples": ("Good day!",),
        "near_misses": ("Goodbye.",),
        "facts": (),
        "turns": (Exchange(1, "hi", words),),
        "answers": (("present", "p"), ("absent", "a"), ("unclear", "u")),
        "number": False,
    }
    return View(**{**given, **changes})


def key_for(found: list[Outcome], places: int = 100, seed: int = 0) -> tuple[Key, Sample]:
    """Return the key of a sheet drawn from outcomes."""
    sample = draw_sample(found, places, seed)
    return make_key(sample, {name_of(o): view(o.variant_id) for o in sample.outcomes}, "s", seed), sample


def reader(measure: str = "presence", **changes: Any) -> Any:
    """Return what reads answers to a metric of that measure."""
    return lambda text: read_answer(text, metric(measure, **changes), Context())


def readers(*items: str, measure: str = "presence", **changes: Any) -> Readers:
    """Return readers of items that all ask the same."""
    return dict.fromkeys(items, reader(measure, **changes))


def asked(items: list[str], measure: str = "presence") -> Mapping[str, RatedQuestion]:
    """Return what was asked of items that all have the same measure."""
    own: Measure = MEASURES[measure]
    return {item: RatedQuestion(own, own.kind) for item in items}


def annotation(person: str, item: str, word: str, measure: str = "presence", **changes: Any) -> Annotation:
    """Return one person's answer on one item; empty words are not an answer."""
    reading: ParsedAnswer | None = reader(measure, **changes)(word) if word else None
    return Annotation(person, item, word, "x", reading)
