"""Why conditions of the gate are undecided: no data, cases that a reference lacks, missing verdicts, or chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.contrast_metrics import UPLIFT
from helm_impactbench.analysis.gate import CONTRASTS, RATES, GateCheck
from helm_impactbench.analysis.reference import unmatched
from helm_impactbench.results.outcome import Outcome


@dataclass(frozen=True)
class Reasons:
    """How many undecided conditions there are for each reason."""

    no_case: int
    """Nothing that a figure could be taken from: no such metric, or none of its questions arose."""
    no_verdict: int
    """No interval, and conversations that could have a verdict have none."""
    missing: int
    """Those conversations, each once."""
    asked: int
    """All conversations of the conditions that lack verdicts, each once."""
    no_unit: int
    """The widest gap of metrics without a common unit: the interval has no upper end."""
    chance: int
    """The bar lies within the interval, or there are too few values for one."""
    at_the_end: int = 0
    """The bar is the end of what the figure can be, and every interval reaches beyond it."""
    early: int = 0
    """Runs may stop early, and the figure has no interval that holds for those."""
    no_match: int = 0
    """The reference lacks cases of the model, of which it therefore says nothing."""
    unmatched: int = 0
    """Conversations on those cases, each once."""
    of_people: int = 0
    """The pass rate is an average over people who fare differently."""
    of_baseline: int = 0
    """Answers of the release under test are the baseline's own stored ones."""
    of_judges: int = 0
    """Other judges judged the baseline."""
    no_interval: int = 0
    """A value without an interval, although no verdict is missing: too few base scenarios, or too few benchmarks where
    the interval generalises to others."""


def reasons(
    checks: Sequence[GateCheck], outcomes: Sequence[Outcome], reference: Sequence[Outcome] | None = None
) -> Reasons:
    """Return why checks are undecided; `outcomes`, and a reference, are those that they were taken from."""
    because = Counter(check.open_because for check in checks)
    checks = [check for check in checks if not check.open_because]
    early = [check for check in checks if check.may_stop_early]
    torn = [check for check in checks if check not in early and check.estimate and check.estimate.unmatched]
    lost = {id(o) for check in torn for o in unmatched(taken_from(check, outcomes), reference or ())}
    checks = [check for check in checks if check not in early and check not in torn]
    unknown = [check for check in checks if check.decision == "undecided" and not check.interval.is_known]
    parts = [(check, taken_from(check, outcomes)) for check in unknown]
    lacking = [own for _, own in parts if any(outcome.is_missing for outcome in own)]
    asked = {id(outcome): outcome for own in lacking for outcome in own}
    no_case = sum(not check.cases and not any(o.is_missing for o in own) for check, own in parts)
    no_unit = sum(check.decision == "undecided" and math.isinf(check.interval.high) for check in checks)
    undecided = sum(check.decision == "undecided" for check in checks)
    at_the_end = sum(
        check.decision == "undecided" and math.isfinite(check.interval.high) and is_at_the_end(check.condition)
        for check in checks
    )
    missing = sum(outcome.is_missing for outcome in asked.values())
    no_interval = sum(
        bool(check.cases) and math.isnan(check.interval.high) and not any(o.is_missing for o in own)
        for check, own in parts
    )
    chance = undecided - no_case - len(lacking) - no_unit - at_the_end - no_interval
    return Reasons(
        no_case,
        len(lacking),
        missing,
        len(asked),
        no_unit,
        chance,
        at_the_end,
        len(early),
        len(torn),
        len(lost),
        because["people differ"],
        because["baseline's answers"],
        because["other judges"],
        no_interval,
    )


def is_at_the_end(condition: str) -> bool:
    """Whether a condition asks for the very end of what its figure can be, such as `unclear <= 0`: it is never met."""
    quantity, sign, *bar = condition.split()
    least = UPLIFT.low if quantity == UPLIFT.name else 0.0
    return sign in (">=", "<=") and float(bar[0]) == (1.0 if sign == ">=" else least)


def taken_from(check: GateCheck, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the conversations that a check's figure is, or would be, taken from."""
    return [outcome for outcome in (outcomes if check.among is None else check.among) if _is_of(outcome, check)]


def _is_of(outcome: Outcome, check: GateCheck) -> bool:
    """Whether a check's figure is, or would be, taken from this conversation among others."""
    quantity = check.condition.split()[0]
    if outcome.model != check.model:
        return False
    if quantity in CONTRASTS:
        return bool(outcome.contrast) and outcome.benchmark == check.scope
    if outcome.area != check.scope:
        return False
    kind = quantity.removesuffix("pass_rate").rstrip("_") if quantity in RATES else ""
    return outcome.is_level and kind in ("", outcome.metric_type)
