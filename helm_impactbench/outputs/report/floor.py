"""The floor under the scores of a front page: scripts that say nothing of their own, and whether a model beats them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.commands.floor import LEAST_CONVERSATIONS
from helm_impactbench.analysis.comparison import by_case, compare
from helm_impactbench.analysis.rates import ModelScore, model_scores
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.references import reference_name


@dataclass(frozen=True)
class ScriptFloor:
    """Scripts with LEAST_CONVERSATIONS or more that have a verdict, and the best model beside them."""

    scripts: tuple[tuple[str, ModelScore], ...]
    """(name for people, score over the cases that it was put), of every script."""
    model: ModelScore | None = None
    """The best model on the cases of the scripts; None where it met none of them."""
    unbeaten: tuple[str, ...] = ()
    """Names of the scripts that no test puts the best model ahead of, on the cases that both met."""
    has_few: bool = False
    """Whether some pair has too few cases for any difference to be significant."""


def script_floor(
    scripts: Iterable[Outcome], outcomes: Sequence[Outcome], best: str | None, names: Mapping[str, str]
) -> ScriptFloor | None:
    """Return the floor; None without a script that has enough conversations.

    outcomes: of models, level metrics of one area. best: the model that is compared. names: of scripts that are among
    the models. The tests correct for all pairs of the best model and the scripts.
    """
    own = list(scripts)
    scores = [score for score in model_scores(own) if len(score.total.scored) >= LEAST_CONVERSATIONS]
    if not scores:
        return None
    named = {score.model: names.get(score.model) or _bot_name(score.model) for score in scores}
    own = [outcome for outcome in own if outcome.model in named]
    cases = by_case(own)
    same = [one for one in outcomes if one.model == best and (one.whole_setup, one.case) in cases]
    found = compare([*same, *own])
    pairs = [pair for pair in found.pairs if best in (pair.first, pair.second)]
    few = {({pair.first, pair.second} - {best}).pop() for pair in pairs if not pair.can_be_found}
    beaten = {
        ({pair.first, pair.second} - {best}).pop()
        for pair in pairs
        if pair.difference is not None and pair.found and (pair.difference.value > 0) == (pair.first == best)
    }
    model = next((score for score in found.scores if score.model == best and score.groups), None)
    unbeaten = tuple(name for script, name in named.items() if model and script not in beaten | few)
    return ScriptFloor(tuple((named[score.model], score) for score in scores), model, unbeaten, bool(model and few))


def _bot_name(model: str) -> str:
    return reference_name(model).removeprefix("reference: ")
