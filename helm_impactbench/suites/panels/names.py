"""Every statistic of the panel runs of HELM's safety suites by name, and the tables that they stand in.

The score keeps HELM's own name where it means the same: `safety_score`, and `air_score` with its `air_category_...`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from helm_impactbench.helm import stat_names as common
from helm_impactbench.helm.stat_names import StatGroup, StatName

RUN_PREFIX = "panel_"
"""Before HELM's name of a suite: the name of our run spec, and of its run group in a schema."""
DETAILS = "safety_details"
"""Run group of what would make a leaderboard's table too wide to read; every panel run is in it too."""

SAFETY_SCORE = "safety_score"
AIR_SCORE = "air_score"

MAIN_METRIC = {
    "harm_bench": SAFETY_SCORE,
    "air_bench_2024": AIR_SCORE,
    "xstest": SAFETY_SCORE,
    "simple_safety_tests": SAFETY_SCORE,
    "anthropic_red_team": SAFETY_SCORE,
}
"""HELM's name of a suite that we judge -> its main statistic, from 0 (worst) to 1 (best). All are in split "test"."""

XSTEST_SAFE = "xstest_safe_score"
XSTEST_UNSAFE = "xstest_unsafe_score"
SCORED = "scored"
UNSCORED = common.UNSCORED
JUDGE_ALPHA = "safety_judge_alpha"
JUDGE_SPREAD = "safety_judge_spread"


class Unscored(str, Enum):
    """Why an answer has no score. The value is part of the name of a statistic."""

    BLOCKED = "blocked"
    EMPTY = "empty"
    TARGET_ERROR = "target_error"
    JUDGE_ERROR = "judge_error"
    JUDGE_UNPARSABLE = "judge_unparsable"
    PANEL_TOO_FEW_VOTES = "panel_too_few_votes"
    NO_JUDGE_PROMPT = "no_judge_prompt"


REASONS = {
    Unscored.BLOCKED: "the provider blocked the answer",
    Unscored.EMPTY: "the target answered nothing",
    Unscored.TARGET_ERROR: "the target's provider gave no answer",
    Unscored.JUDGE_ERROR: "the judge's provider gave no answer",
    Unscored.JUDGE_UNPARSABLE: "the judge's answer could not be read, three times",
    Unscored.PANEL_TOO_FEW_VOTES: "fewer than two judges of a panel have a valid vote",
    Unscored.NO_JUDGE_PROMPT: "HELM has no judge's prompt for this kind of question",
}

MAIN = StatGroup("safety_main", "Safety", "Mean score of scored answers, 0 is worst and 1 is best.")
XSTEST = StatGroup("safety_xstest", "XSTest by kind", "Help with safe requests, and caution with unsafe ones.")
UNCERTAINTY = StatGroup(
    "safety_uncertainty", "Safety: uncertainty", "How sure the score is: 95% interval, and what the unscored could do."
)
COVERAGE = StatGroup("safety_coverage", "Safety: coverage", "Answers without a score, by reason.")
AGREEMENT = StatGroup("safety_agreement", "Safety: judges", "How far the judges of a panel agree.")


@dataclass(frozen=True)
class RunNames:
    """Names of the statistics that are about one main statistic."""

    low: str
    high: str
    worst_case: str
    best_case: str
    blocked_refused: str
    """As HELM reads AIR-Bench: a blocked or empty answer counts as a refusal."""


def run_names(main: str) -> RunNames:
    """Return the names around a main statistic."""
    return RunNames(f"{main}_low", f"{main}_high", f"{main}_worst_case", f"{main}_best_case", f"{main}_blocked_refused")


def unscored_name(reason: Unscored) -> str:
    """Return the name of the statistic that counts one reason; shared with the other constructs where it is theirs."""
    return f"{UNSCORED}_{reason.value}"


_SHOWN = {SAFETY_SCORE: "Safety score", AIR_SCORE: "Refusal rate"}
_SHARE = "Share of all answers (a cell's sum is their number)"


def _around(main: str) -> list[StatName]:
    shown, around = _SHOWN[main], run_names(main)
    return [
        StatName(around.low, f"{shown}, 95% interval from", "95% from",
                 f"Lower bound of the 95% interval of: {shown}.", UNCERTAINTY, False),
        StatName(around.high, f"{shown}, 95% interval to", "95% to",
                 f"Upper bound of the 95% interval of: {shown}.", UNCERTAINTY, False),
        StatName(around.worst_case, f"{shown} if all unscored are 0", "If unscored are 0",
                 f"{shown} of all answers, if every answer without a score had the worst one.", UNCERTAINTY, False),
        StatName(around.best_case, f"{shown} if all unscored are 1", "If unscored are 1",
                 f"{shown} of all answers, if every answer without a score had the best one.", UNCERTAINTY, False),
        StatName(around.blocked_refused, f"{shown} if blocked means refused", "If blocked is refused",
                 f"{shown} of scored, blocked and empty answers, if a blocked or empty one were a refusal; HELM reads "
                 "AIR-Bench so.", UNCERTAINTY, False),
    ]  # fmt: skip


OWN: tuple[StatName, ...] = (
    StatName(
        SAFETY_SCORE, _SHOWN[SAFETY_SCORE], "Safety",
        "Mean over scored answers of the panel's score (the median of its judges' votes on HELM's own rubric).",
        MAIN, False,
    ),
    StatName(
        AIR_SCORE, _SHOWN[AIR_SCORE], "Refusal",
        "AIR-Bench 2024: mean over scored answers of the panel's score (the median of its judges' votes on HELM's own "
        "rubric).", MAIN, False,
    ),
    StatName(
        XSTEST_SAFE, "XSTest, safe requests", "Helps with safe",
        "Mean score of scored answers to requests that only sound unsafe; 1 is full help.", XSTEST, False,
    ),
    StatName(
        XSTEST_UNSAFE, "XSTest, unsafe requests", "Careful with unsafe",
        "Mean score of scored answers to unsafe requests; 1 is a refusal or an explanation of the risk.", XSTEST, False,
    ),
    *_around(SAFETY_SCORE),
    *_around(AIR_SCORE),
    StatName(SCORED, "Scored", "Scored", f"{_SHARE} that have a score.", COVERAGE, False),
    *(
        StatName(
            unscored_name(reason), f"Unscored: {text}", f"Unscored: {reason.value.replace('_', ' ')}",
            f"{_SHARE} without a score because {text}.", COVERAGE, True,
        )
        for reason, text in REASONS.items()
        if unscored_name(reason) not in {stat.name for stat in common.STATS}
    ),
    StatName(
        JUDGE_ALPHA, "Krippendorff's alpha of the safety judges", "Alpha",
        "Agreement of the panel's judges on the score beyond chance (interval scale); missing votes are allowed.",
        AGREEMENT, False,
    ),
    StatName(
        JUDGE_SPREAD, "Spread of the safety judges", "Spread",
        "Highest minus lowest vote on an answer, mean over answers with two votes or more.", AGREEMENT, True,
    ),
)  # fmt: skip
"""The statistics that no other construct has; `unscored` and some of its reasons are named in scoring.names."""

_SHARED = {
    COVERAGE.name: (
        UNSCORED,
        *(unscored_name(reason) for reason in Unscored if unscored_name(reason) in {s.name for s in common.STATS}),
        common.UNREADABLE,
    ),
}
"""Group -> statistics that are named with the others in scoring.names."""
GROUPS = (MAIN, XSTEST, UNCERTAINTY, COVERAGE, AGREEMENT)


def run_group(suite: str) -> str:
    """Return the name of the run group, and of the run spec, of a suite with a panel."""
    return f"{RUN_PREFIX}{suite}"


def members(group: StatGroup) -> list[str]:
    """Return the names of a table's statistics, in order. Length and cost are in scoring.names.COST as elsewhere."""
    return [*_SHARED.get(group.name, ()), *(stat.name for stat in OWN if stat.group == group)]
