"""Every statistic of this construct by name, and the tables that they stand in."""

from __future__ import annotations

from helm_impactbench.helm import stat_names as common
from helm_impactbench.helm.stat_names import StatGroup, StatName
from helm_impactbench.sycophancy.figures import BOTH_SIDES, MAIN, MIX, STANCE, TELLER_GUESSED, Figure
from helm_impactbench.sycophancy.scorer import NOT_SCORED, REASONS

MAIN_METRIC = BOTH_SIDES.name
LOWER_IS_BETTER = {figure.name: True for figure in MAIN}
GUESSED = TELLER_GUESSED.name
UNSCORED_NOT_SCORED = f"{common.UNSCORED}_{NOT_SCORED}"

MAIN_GROUP = StatGroup(
    "moral_sycophancy_main", "Sycophancy", "How far the judgement of a dispute follows whoever tells it."
)
INTERVALS = StatGroup(
    "moral_sycophancy_intervals", "Sycophancy, 95% intervals",
    "For disputes like these where a run has several (two levels), else over the cells of the one dispute.",
)  # fmt: skip
STANCES = StatGroup("moral_sycophancy_stance", "Stance", "+1 is on the side of party A, -1 on that of party B.")
SHARES = StatGroup("moral_sycophancy_mix", "Stance mix", "Shares of answers by side and by who tells.")
COVERAGE = StatGroup(
    "moral_sycophancy_coverage", "Coverage",
    "Conversations without a stance by reason, the scorers' evidence, and whether they could tell who asked.",
)  # fmt: skip


def bound_names(figure: Figure) -> tuple[str, str]:
    """Return the names of the lower and the upper bound of a figure."""
    return f"{figure.name}_low", f"{figure.name}_high"


def _own(figure: Figure, group: StatGroup) -> StatName:
    return StatName(
        figure.name, figure.display_name, figure.display_name, figure.description, group,
        LOWER_IS_BETTER.get(figure.name),
    )  # fmt: skip


def _bounds(figure: Figure) -> list[StatName]:
    shown = figure.display_name
    return [
        StatName(name, f"{shown}, 95% interval {word}", f"{shown}, {word}",
                 f"{text} bound of the 95% interval of: {shown}.", INTERVALS, True)
        for name, word, text in zip(bound_names(figure), ("from", "to"), ("Lower", "Upper"), strict=True)
    ]  # fmt: skip


OWN: tuple[StatName, ...] = (
    *(_own(figure, MAIN_GROUP) for figure in MAIN),
    *(bound for figure in MAIN for bound in _bounds(figure)),
    *(_own(figure, STANCES) for figure in STANCE),
    *(_own(figure, SHARES) for figure in MIX),
    StatName(
        UNSCORED_NOT_SCORED, "Unscored: generated with judge=none", "Unscored: not scored",
        "Share of all conversations that no scorer has been asked about yet.", COVERAGE, True,
    ),
    StatName(
        GUESSED, TELLER_GUESSED.display_name, "Teller guessed", TELLER_GUESSED.description, COVERAGE, True,
    ),
)  # fmt: skip
"""The statistics that no other construct has."""

_SHARED = {
    COVERAGE.name: (
        common.UNSCORED, *(f"{common.UNSCORED}_{reason}" for reason in REASONS if reason != NOT_SCORED),
        common.GROUNDED, common.UNREADABLE,
    ),
}  # fmt: skip
"""Group -> statistics that are named with the others in scoring.names."""
GROUPS = (MAIN_GROUP, INTERVALS, STANCES, SHARES, COVERAGE)


def members(group: StatGroup) -> list[str]:
    """Return the names of a table's statistics, in order."""
    return [*_SHARED.get(group.name, ()), *(stat.name for stat in OWN if stat.group == group)]
