"""Two suites differ: did the judge change, the simulated user, the target, or several of them? Pure.

    judge            its answers to the same anchors (drift_judge)
    simulated user   its opening messages on the same cases, which no target can change
    target           its first replies, on the same opening messages or while the user did not change, and verdicts
                     while the judge did not change either

Three questions, so each is tested at a third of 5%: where nothing changed, the risk that anything is named is 5% at
most, and where one part did, the risk that another is named beside it is 3.3%. (Holm's rule would allow 5% there too.)
What cannot be told is said with its reason, and is never called unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from helm_impactbench.errors import counted
from helm_impactbench.stats.simultaneous import ALPHA
from helm_impactbench.validity.drift.judge import FEWEST_ANCHORS, JudgeShift
from helm_impactbench.validity.drift.styles import Dimension, TextShift, text_shift
from helm_impactbench.validity.drift.texts import (
    VERDICT,
    Shared,
    Spoken,
    meets_the_same_words,
    opening_pairs,
    reply_pairs,
    shared,
)

Part = Literal["judge", "simulated user", "target"]
PARTS: tuple[Part, ...] = ("judge", "simulated user", "target")
QUESTIONS = len(PARTS)
FEWEST_SCENARIOS = 12
"""Base scenarios with the same opening message in both suites, from which these alone are compared."""
SURE = 0.95
"""With this probability, a change of the judge as large as that of the verdicts would have been found."""


@dataclass(frozen=True)
class Attribution:
    """What changed between two suites."""

    judge: JudgeShift
    user: TextShift
    target: TextShift
    """All targets that both suites have; a dimension's group is the target."""
    moved: tuple[Part, ...]
    """What changed by more than chance."""
    untold: dict[Part, str]
    """What cannot be told -> why."""
    dimensions: dict[Part, tuple[Dimension, ...]] = field(default_factory=dict)
    """What of the texts moved."""
    doubtful_verdicts: tuple[Dimension, ...] = ()
    """Verdicts that moved, by the target or by a judge whose change its anchors are too few to show."""
    fixed: bool = False
    """Whether all first messages are fixed, so that no simulated user could show in them."""

    @property
    def tested(self) -> tuple[Part, ...]:
        """The parts of which a change could have been found."""
        return tuple(
            part for part in PARTS if part not in self.untold and not (self.fixed and part == "simulated user")
        )

    @property
    def nothing_new(self) -> bool:
        """Whether both suites hold the same words: nothing was measured anew, so no change could show."""
        return self.user.identical == 1.0 and self.target.identical == 1.0

    @property
    def moved_targets(self) -> tuple[str, ...]:
        """Deployments of the targets that changed."""
        return tuple(sorted({one.group for one in self.dimensions.get("target", ())}))

    @property
    def is_the_target_alone(self) -> bool:
        """Whether a difference between the suites is the model's: nothing else changed, as far as can be told."""
        return self.moved in ((), ("target",)) and not {"judge", "simulated user"} & self.untold.keys()


def attribute(judge: JudgeShift, before: Sequence[Spoken], after: Sequence[Spoken]) -> Attribution:
    """Return what changed between two suites."""
    user = text_shift(opening_pairs(before, after))
    untold: dict[Part, str] = {}
    if not judge.can_be_told:
        untold["judge"] = (
            f"the suites share {counted(judge.anchors, 'anchor')} that their judges read, and {FEWEST_ANCHORS} are "
            "needed"
        )
    conversations = shared(before, after)
    simulated = any(one.opening is not None for one, _ in conversations)
    fixed = not simulated and any(one.reply is not None for one, _ in conversations)  # answers to no user of ours
    if not fixed and not user.can_be_told:
        untold["simulated user"] = (
            f"the suites share opening messages in {counted(user.scenarios, 'base scenario')}, too few"
            if user.pairs
            else "the suites share no opening messages"
        )
    steady_user = fixed or (user.can_be_told and user.p_value > ALPHA)
    steady_judge = judge.can_be_told and judge.p_value > ALPHA
    kept, same_words = _comparable(conversations, steady_user)
    target = text_shift(list(reply_pairs(kept, verdicts=steady_judge and (steady_user or same_words))))
    if not conversations:
        untold["target"] = "no target met the same case in both suites"
    elif not kept:
        untold["target"] = "its replies answer other opening messages"
    elif not target.can_be_told:
        untold["target"] = (
            f"the suites share first replies in {counted(target.scenarios, 'base scenario')}, too few"
            if target.pairs
            else "the suites share no first replies"
        )
    return replace(_attributed(judge, user, target, untold), fixed=fixed)


def _comparable(conversations: Shared, steady_user: bool) -> tuple[Shared, bool]:
    """Return the conversations whose first replies can be compared, and whether they answer the very same words."""
    same = [pair for pair in conversations if meets_the_same_words(*pair)]
    if len({one.cluster for one, _ in same}) >= FEWEST_SCENARIOS or (same and len(same) == len(conversations)):
        return same, True
    return (conversations, False) if steady_user else ([], False)


def _attributed(judge: JudgeShift, user: TextShift, target: TextShift, untold: dict[Part, str]) -> Attribution:
    found: dict[Part, tuple[Dimension, ...]] = {}
    if "judge" not in untold and judge.p_value * QUESTIONS <= ALPHA:
        found["judge"] = ()
    if "simulated user" not in untold and (moved := user.moved(QUESTIONS)):
        found["simulated user"] = moved
    replies = () if "target" in untold else target.moved(QUESTIONS)
    doubtful = tuple(one for one in replies if _is_doubtful(one, replies, judge))
    if moved := tuple(one for one in replies if one not in doubtful):
        found["target"] = moved
    return Attribution(judge, user, target, tuple(found), untold, found, doubtful)


def _is_doubtful(one: Dimension, found: Sequence[Dimension], judge: JudgeShift) -> bool:
    """Return whether verdicts moved alone, and by no more than a change of the judge that could have been missed."""
    if not one.name.startswith(VERDICT):
        return False
    if any(other.group == one.group and not other.name.startswith(VERDICT) for other in found):
        return False
    return abs(one.after - one.before) <= judge.smallest(SURE)
