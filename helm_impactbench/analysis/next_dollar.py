"""What more of each thing would do to the standard error of a model's mean, and what it would cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.components import FINEST, Component, Components

_JUDGING = ("judge x conversation", "judge repeat")
_CONVERSATION = ("sample", *_JUDGING)
_METRIC = ("metric", "scenario", "variant", "simulated user x metric", "judge x metric", *_CONVERSATION)
DOUBLED: Mapping[str, tuple[str, ...]] = {
    "metrics": _METRIC,
    "base scenarios per metric": ("scenario", "variant", *_CONVERSATION),
    "variants": ("variant", *_CONVERSATION),
    "samples": _CONVERSATION,
    "simulated users": ("simulated user", "simulated user x metric", *_CONVERSATION),
    "judges": ("judge", "judge x metric", *_JUDGING),
}
"""What can be doubled -> the components of which there are then twice as many levels."""
THESE = ("scenario", "variant", *_CONVERSATION)
"""Components that are uncertainty about these very benchmarks, metrics, simulated users and judges."""
FACETS = {"simulated users": "simulated user", "judges": "judge", "metrics": "metric"}
"""What can be doubled only where there is more than one of it -> its factor."""


@dataclass(frozen=True)
class Option:
    """One thing doubled."""

    what: str
    """Empty for the suite as it is."""
    these: float
    """Standard error of a model's mean for these metrics, simulated users and judges with other base scenarios; nan
    where the suite cannot tell, or finds no variance."""
    like_these: float
    """The same for benchmarks, metrics, simulated users and judges like these."""
    conversations: float
    """More of one model."""
    usd: float | None
    """More for one model; None where a price is not known."""
    lacks_these: bool = False
    """Whether a component of `these` is unknown, so that it is at least so large."""
    lacks_like_these: bool = False
    """The same for `like_these`."""

    @property
    def is_told(self) -> bool:
        """Whether the suite can tell what it would do."""
        return not math.isnan(self.these)


def options(found: Components, usd_each: float | None, judge_usd_each: float | None) -> list[Option]:
    """Return the suite as it is, then each thing doubled.

    usd_each: US dollars of a conversation with all that judges it. judge_usd_each: of all that judges it alone.
    """
    known = {name for component in found.found for name in component.names}
    unknown = {name for name, why in found.unknown.items() if not why.endswith(FINEST)}
    lacks = bool(unknown & set(THESE)), bool(unknown)
    result = [Option("", *_errors(found.found, ()), 0.0, 0.0, *lacks)]
    for what, halved in DOUBLED.items():
        if what in FACETS and FACETS[what] not in known:
            continue
        price = judge_usd_each if what == "judges" else usd_each
        more = 0.0 if what == "judges" else found.conversations
        dollars = None if price is None else price * found.conversations
        result.append(Option(what, *_errors(found.found, halved), more, dollars, *lacks))
    return result


def _errors(components: Sequence[Component], halved: Sequence[str]) -> tuple[float, float]:
    these = sum(_part(one, halved) for one in components if set(one.names) & set(THESE))
    return _root(these), _root(sum(_part(one, halved) for one in components))


def _root(variance: float) -> float:
    """Return the standard error; nan where every component is estimated at 0, which is no certainty."""
    return math.sqrt(variance) if variance > 0 else math.nan


def _part(component: Component, halved: Sequence[str]) -> float:
    """Return a component's part of the variance of the mean; nan where it is not known how much of it is halved."""
    own = [name in halved for name in component.names]
    share = 0.5 if all(own) else 1.0 if not any(own) else math.nan
    return component.variance * component.weight * share


def best(found: Sequence[Option]) -> list[Option]:
    """Return what the next dollar buys most with, for these metrics: several that do the same at the same price.

    Empty where nothing has an effect.
    Variance that is taken away, per dollar; per conversation where prices are not known, and judges are then left out.
    """
    now, *others = found
    if not now.is_told:
        return []
    priced = all(option.usd for option in others)
    gains = {
        option.what: (now.these**2 - option.these**2) / (option.usd if priced and option.usd else option.conversations)
        for option in others
        if option.is_told and option.what != "metrics" and (priced or option.conversations)
    }
    if not gains or max(gains.values()) <= 0:
        return []
    most = max(gains.values())
    chosen = [option for option in others if math.isclose(gains.get(option.what, 0.0), most)]
    return [option for option in chosen if math.isclose(option.these, chosen[0].these)]
