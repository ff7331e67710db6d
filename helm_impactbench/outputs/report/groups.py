"""Which models could each be the best, and which are behind, by the tests of the ranking and nothing else. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from helm_impactbench.analysis.comparison import Comparison
from helm_impactbench.outputs.report.marks import short


@dataclass(frozen=True)
class ModelGroup:
    """Models of a chart that stand together, in the order of the ranking."""

    heading: str
    """What tests say of them; empty where there is nothing to say."""
    models: tuple[str, ...]
    leading: bool = True
    """Whether no test puts another model ahead of them."""


def model_groups(
    comparison: Comparison,
    apart: Collection[str],
    shown: Mapping[str, str] | None = None,
    references: Collection[str] = (),
) -> list[ModelGroup]:
    """Return the groups, each with at least one model.

    apart: models with which people fare differently, of whom no average is compared. references: scripts that are no
    rows of a chart. shown: model -> name for people.
    """
    scored = [score.model for score in comparison.scores if score.groups and score.model not in references]
    ranked = [model for model in comparison.models if model in scored and model not in apart]
    pairs = [pair for pair in comparison.told_apart() if {*pair} <= {*ranked}]
    behind = [model for model in ranked if any(worse == model for _, worse in pairs)]
    first = [model for model in ranked if model not in behind]
    named = short((shown or {}).get(first[0], first[0])) if first else ""
    rest = [model for model in scored if model not in ranked and model not in apart]
    found = [
        ModelGroup(_of_first(comparison, first, behind, pairs, alone=len(ranked) == len(scored)), tuple(first)),
        ModelGroup(_of_behind(comparison, named, first, behind, pairs), tuple(behind), leading=False),
        ModelGroup(
            "Differ by who asks: no single result", tuple(model for model in scored if model in apart), leading=False
        ),
        ModelGroup(f"On fewer {_lacked(comparison, rest)} than others: not ranked", tuple(rest), leading=False),
    ]
    return [group for group in found if group.models]


def lacked_wholly_and_in_part(comparison: Comparison, models: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the benchmarks that any of some models lacks, and what any has in part: "slug (met 6 of 60 cases)"."""
    lacks = {one for score in comparison.scores if score.model in models for one in comparison.lacks(score)}
    part = {f"{slug} ({words})" for model in models for slug, words in comparison.lacking.get(model, {}).items()}
    return sorted(lacks - part), sorted(lacks & part)


def _lacked(comparison: Comparison, models: Collection[str]) -> str:
    whole, part = lacked_wholly_and_in_part(comparison, models)
    return " or ".join(words for words, own in (("topics", whole), ("cases", part)) if own)


def _of_first(
    comparison: Comparison, first: list[str], behind: list[str], pairs: Collection[tuple[str, str]], *, alone: bool
) -> str:
    """Return what tests say of the models behind none; alone: whether no model of the chart is unranked."""
    if len(first) == 1:
        if not behind:
            return ""
        if not {(first[0], other) for other in behind} <= {*pairs}:
            return "Could be the best"
        return "Ahead of all others" if alone else "Ahead of the other ranked models"
    own = [pair for pair in comparison.pairs if {pair.first, pair.second} <= {*first}]
    if not behind and not any(pair.can_be_found for pair in own):
        return "Too few cases to compare these" if any(pair.difference for pair in own) else "Not compared"
    return "Could each be the best" if behind else "No difference is significant"


def _of_behind(
    comparison: Comparison, named: str, first: list[str], behind: list[str], pairs: Collection[tuple[str, str]]
) -> str:
    if not first:
        return ""
    if not {(first[0], other) for other in behind} <= {*pairs}:
        return "Behind at least one other"
    unsure = [pair for pair in comparison.pairs if pair.tips is not None and first[0] in (pair.first, pair.second)]
    if any({pair.first, pair.second} & {*behind} for pair in unsure):
        return f"Behind {named}; missing verdicts could undo it for some"
    return f"Clearly behind {named}"
