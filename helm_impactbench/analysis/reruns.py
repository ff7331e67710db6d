"""What else is known of a case: its other samples, replicates and set-ups, other judges' verdicts, other models'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.results.outcome import Outcome

_REPLICATE = re.compile(r",replicate=(\d+)")


@dataclass(frozen=True)
class Rerun:
    """One more conversation of the same model on the same variant."""

    suite: str
    outcome: Outcome
    how: str
    """In which way it is another one: sample 2, replicate 2, judge=..., the suite alone."""


def reruns(outcome: Outcome, suite: str, outcomes: Mapping[str, Iterable[Outcome]]) -> list[Rerun]:
    """Return the other conversations of the model on the variant of `outcome`.

    suite: the one that it is of. outcomes: suite -> its outcomes.
    """
    return [
        Rerun(name, other, _how(outcome, other))
        for name, found in outcomes.items()
        for other in found
        if (other.benchmark, other.model, other.variant_id) == (outcome.benchmark, outcome.model, outcome.variant_id)
        and (name, other.setup, other.sample) != (suite, outcome.setup, outcome.sample)
    ]


def other_models(outcome: Outcome, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return what other models of the suite came to on the very same case, in the same set-up."""
    return [
        other
        for other in outcomes
        if other.case == outcome.case and other.whole_setup == outcome.whole_setup and other.model != outcome.model
    ]


def _how(outcome: Outcome, other: Outcome) -> str:
    """Return what tells two conversations on one variant apart: the sample, the replicate, options of the set-up."""
    parts = []
    if other.sample != outcome.sample:
        parts.append(f"sample {other.sample + 1}")
    if _replicate(other.setup) != _replicate(outcome.setup):
        parts.append(f"replicate {_replicate(other.setup)}")
    mine, theirs = (_options(one.setup) for one in (outcome, other))
    parts += [option for option in theirs if option not in mine]
    parts += [f"without {option}" for option in _lost(mine, theirs)]
    return ", ".join(parts)


def _lost(mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the options of the one that the other has under no value."""
    names = {option.partition("=")[0] for option in theirs}
    return [option for option in mine if option.partition("=")[0] not in names]


def _replicate(setup: str) -> int:
    found = _REPLICATE.search(setup)
    return int(found[1]) if found else 1


def _options(setup: str) -> list[str]:
    return [part for part in _REPLICATE.sub("", setup).partition(":")[2].split(",") if part]
