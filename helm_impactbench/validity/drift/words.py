"""What changed between two suites, in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from helm_impactbench.errors import counted, listed
from helm_impactbench.validity.drift.attribution import PARTS, Attribution, Part
from helm_impactbench.validity.drift.judge import JudgeShift, Moved
from helm_impactbench.validity.drift.reply_style import NAMES
from helm_impactbench.validity.drift.styles import Dimension, TextShift
from helm_impactbench.validity.drift.suites import Drift
from helm_impactbench.validity.drift.texts import VERDICT
from helm_impactbench.validity.simulator.user_style import TRAITS

SHOWN = 3
"""Dimensions of a text that a sentence names."""
_TRAIT_WORDS = {trait.name: f"log of {trait.words}" if trait.log else trait.words for trait in TRAITS}
Shown = Callable[[str], str]
"""From a deployment to how it is shown."""


def sentences(drift: Drift, shown: Shown = str) -> Iterator[str]:
    """Yield what is known, a line for each part, and the conclusion."""
    found = drift.attribution
    if drift.facts:
        yield f"On record: {'; '.join(drift.facts)}."
    yield f"Judge: {_judge(found)}"
    yield f"Simulated user: {_texts('simulated user', found.user, found, 'opening message', shown)}"
    yield f"Targets: {_texts('target', found.target, found, 'first reply', shown)}"
    yield conclusion(drift, shown)


def conclusion(drift: Drift, shown: Shown = str) -> str:
    """Return whom a difference between the suites is due to, in one or two sentences."""
    found = drift.attribution
    if not found.tested:
        return "Nothing could be tested: the suites share too little to tell what changed."
    if found.nothing_new:
        words = (
            "All words are the same in both suites (judged again, from the cache, or of scripts), so no change of "
            "simulated user or target could show."
        )
        return f"{words} {_moved_words(found, shown)}" if found.moved else words
    unknown = [part for part in PARTS if part in found.untold]
    parts = [_moved_words(found, shown)]
    if found.doubtful_verdicts:
        parts.append(
            "Verdicts changed while the words did not: by the target, or by a change of the judge that so few anchors "
            "do not show."
        )
    if unknown:
        parts.append(f"Whether the {' and the '.join(unknown)} changed could not be tested.")
    return " ".join(parts)


def warning(drift: Drift) -> str:
    """Return what has to stand beside a comparison of the two suites; empty where nothing speaks against it."""
    found = drift.attribution
    blamed = [part for part in found.moved if part != "target"]
    if blamed:
        return f"The {' and the '.join(blamed)} changed: a difference is not the model's alone"
    if found.doubtful_verdicts:
        return "Verdicts changed while the words did not: the judge may have changed"
    unknown = [part for part in PARTS if part in found.untold and part != "target"]
    return f"Whether the {' and the '.join(unknown)} changed could not be tested" if unknown else ""


def _moved_words(found: Attribution, shown: Shown) -> str:
    if not found.moved:
        return (
            "No change was found."
            if found.untold
            else ("No change of judge, simulated user or target was found; a small one may still be there.")
        )
    named = [_named(part, found, shown) for part in found.moved]
    one = len(found.moved_targets) <= 1
    verb, whose = ("What changed is", "the model's") if one else ("What changed are", "the models'")
    if found.is_the_target_alone:
        return f"{verb} {listed(named)}: a difference between the suites is {whose}."
    verb = verb if len(named) == 1 else "Several changed:"
    return f"{verb} {listed(named)}. A difference between the suites is not {whose} alone."


def _named(part: Part, found: Attribution, shown: Shown) -> str:
    if part != "target":
        return f"the {part}"
    names = [*map(shown, found.moved_targets)]
    return f"the {'target' if len(names) == 1 else 'targets'} {listed(names)}"


def _judge(found: Attribution) -> str:
    if "judge" in found.untold:
        return f"not tested: {found.untold['judge']}."
    shift = found.judge
    noise = "" if math.isnan(shift.within) else f", and by {shift.within:.1%} within one"
    told = (
        f"Its answers to {counted(shift.anchors, 'anchor')} differ by {shift.between:.1%} between the suites{noise} "
        f"(p {shift.p_value:.4f}). {_direction(shift)}"
    )
    if "judge" in found.moved:
        return f"changed. {told}"
    return f"no change was found. {told} One of less than {shift.smallest(0.8):.0%} of its answers would go unnoticed."


def _direction(shift: JudgeShift) -> str:
    parts = [
        f"{name} {one.before:.2f} before, {one.after:.2f} now{_interval(one)}"
        for name, one in (("Right on the known verdicts:", shift.accuracy), ("says present:", shift.present))
        if one.anchors
    ]
    return f"{'; '.join(parts)}." if parts else ""


def _interval(one: Moved) -> str:
    return f" (difference {one.after - one.before:+.2f}, 95% interval {one.interval})" if one.interval.is_known else ""


def _texts(part: Part, shift: TextShift, found: Attribution, noun: str, shown: Shown) -> str:
    if part in found.untold:
        return f"not tested: {found.untold[part]}."
    if not shift.pairs:
        return "none: the first messages are fixed."
    nouns = "first replies" if noun == "first reply" else f"{noun}s"
    basis = (
        f"{counted(shift.pairs, noun, nouns)} on {counted(shift.scenarios, 'base scenario')}, "
        f"{shift.identical:.0%} letter by letter the same"
    )
    moved = found.dimensions.get(part, ())
    if not moved:
        return f"no change was found in {basis}."
    told = "; ".join(_dimension(one, shown) for one in moved[:SHOWN])
    more = f"; and {len(moved) - SHOWN} more" if len(moved) > SHOWN else ""
    return f"changed, by {basis}: {told}{more}."


def _dimension(one: Dimension, shown: Shown) -> str:
    whose = f"{shown(one.group)}, " if one.group else ""
    name = one.name.removeprefix(VERDICT)
    words = (
        f"verdicts ({name})"
        if one.name.startswith(VERDICT)
        else (NAMES.get(name, name) if one.group else _TRAIT_WORDS.get(name, name))
    )
    return f"{whose}{words} {one.before:.2f} before, {one.after:.2f} now"
