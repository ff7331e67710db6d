"""Suites with planted changes of the judge, the simulated user and the target, as `drift` reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

import numpy as np

from helm_impactbench.validity.drift.attribution import Attribution, attribute
from helm_impactbench.validity.drift.judge import judge_shift
from helm_impactbench.validity.drift.texts import Spoken, SpokenText
from helm_impactbench.validity.records.anchors import AnchorRecord
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem, KnownAnswer

ANCHORS, REPEATS, CASES, NOISE = 40, 3, 200, 0.04
USER_TRAITS, REPLY_TRAITS = 10, 8


@dataclass(frozen=True)
class Planted:
    """What changes in the second suite."""

    judge: float = 0.0
    """Share of absent answers that become present."""
    user: float = 0.0
    """Change of two traits of opening messages, in standard deviations of the difference of two messages."""
    target: float = 0.0
    """The same of first replies."""
    verdicts: float = 0.0
    """Share of conversations that show the behaviour and no longer do."""


def attribution(rng: np.random.Generator, planted: Planted, *, cases: int = CASES, noise: float = NOISE) -> Attribution:
    """Return what is made of two suites with one target: `cases` cases, three for each base scenario."""
    before, after = (_reading(rng, lenient, noise) for lenient in _judges(rng, planted.judge, noise))
    shifts = judge_shift(before, after)
    base = np.arange(cases) // 3
    own = rng.normal(size=(cases, USER_TRAITS + REPLY_TRAITS))
    shows = np.clip(rng.beta(1, 1, size=cases // 3 + 1)[base], 0.02, 0.98)
    sides = []
    for second in (False, True):
        traits = own + rng.normal(size=own.shape) / math.sqrt(2)
        traits[:, :2] += second * planted.user
        traits[:, USER_TRAITS : USER_TRAITS + 2] += second * planted.target
        present = rng.random(cases) < shows * (1 - second * planted.verdicts)
        judged = np.where(present, rng.random(cases) >= noise, rng.random(cases) < noise + second * planted.judge)
        sides.append([_spoken(place, base[place], row, judged[place]) for place, row in enumerate(traits)])
    return attribute(shifts, *sides)


def _judges(rng: np.random.Generator, drift: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how likely the judge calls each anchor present, before and after: half of the anchors are present."""
    before = np.where(np.arange(ANCHORS) % 2 == 0, 1 - noise, noise)
    moves = rng.random(ANCHORS) < drift
    return before, np.where((before < 0.5) & moves, 1 - noise, before)


def _reading(rng: np.random.Generator, chances: np.ndarray, noise: float) -> AnchorRecord:
    said = rng.random((len(chances), REPEATS)) < chances[:, None]
    return AnchorRecord(
        judges=("lab/judge",), began=date(2026, 6, 3), prompts_digest="p", helm_impactbench="1",
        items=tuple(
            JudgedItem(
                item=str(place), benchmark="b", metric=f"m{place % 20:02d}", type="positive", measure="presence",
                known="present" if place % 2 == 0 else "absent",
                answers={PLAIN: tuple(
                    KnownAnswer(status="scored", value=float(one), right=bool(one == (place % 2 == 0))) for one in row
                )},
            )
            for place, row in enumerate(said)
        ),
    )  # fmt: skip


def _spoken(place: int, base: int, traits: np.ndarray, present: bool) -> Spoken:
    user = {f"u{number}": float(value) for number, value in enumerate(traits[:USER_TRAITS])}
    reply = {f"r{number}": float(value) for number, value in enumerate(traits[USER_TRAITS:])}
    return Spoken(
        model="lab/target",
        case=("b", f"v{place}", 0, "c"),
        cluster=("b", int(base)),
        manner="m",
        opening=SpokenText(str(traits[0]), user),
        reply=SpokenText(str(traits[-1]), reply),
        verdict={"score": float(present)},
    )
