"""Outcomes and views with few words."""

from __future__ import annotations

from typing import Any

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.annotation.key import Key, make_key
from helm_impactbench.validity.annotation.sampling import Sample, draw_sample, name_of
from helm_impactbench.validity.annotation.view import Exchange, View


def outcome(number: int = 1, *, metric: str = "m01", present: bool | None = True, model: str = "t/a",
            kind: str = "positive", benchmark: str = "mini") -> Outcome:  # fmt: skip
    """Return one conversation's outcome; `number` is its base scenario's."""
    passed = None if present is None else present == (kind == "positive")
    fields: dict[str, Any] = dict.fromkeys(Outcome.__dataclass_fields__)
    fields |= {
        "benchmark": benchmark, "model": model, "setup": f"impactbench:benchmark={benchmark}", "metric_id": metric,
        "metric_name": "Name", "metric_type": kind, "base_id": f"{metric}_s{number:03d}",
        "variant_id": f"{metric}_s{number:03d}_v01", "sample": 0, "axes": (), "exchanges": 1,
        "status": "complete", "present": present, "passed": passed,
        "unscored": "judge_error" if present is None else None, "votes": (),
    }  # fmt: skip
    return Outcome(**fields)


def many(present: int, absent: int, **fields: Any) -> list[Outcome]:
    """Return outcomes of different scenarios, `present` of them judged present."""
    return [outcome(number, present=number <= present, **fields) for number in range(1, present + absent + 1)]


def view(words: str = "hello") -> View:
    """Return what is shown of a short conversation."""
    return View("The assistant greets.", ("Good day!",), ("Goodbye.",), (Exchange(1, "hi", words),))


def key_for(outcomes: list[Outcome], places: int = 100, seed: int = 0) -> tuple[Key, Sample]:
    """Return the key of a sheet drawn from outcomes."""
    sample = draw_sample(outcomes, places, seed)
    return make_key(sample, {name_of(o): view(o.variant_id) for o in sample.outcomes}, "s", seed), sample
