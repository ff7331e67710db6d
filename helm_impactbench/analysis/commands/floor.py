"""The floor under scores: what scripts that say nothing of their own get, in one line."""

from __future__ import annotations

from collections.abc import Sequence

from helm_impactbench.analysis.rates import ModelScore, model_scores
from helm_impactbench.analysis.rows import weighed
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import by_words_alone
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables.cells import value_text

LEAST_CONVERSATIONS = 10
"""Reference bots with fewer are no floor of anything."""


def floor_note(reading: Reading, *, weigh: bool = False) -> str:
    """Return what the reference bots of a suite score on level metrics; empty with too few conversations."""
    bots = [outcome for outcome in (weighed(reading.bots) if weigh else reading.bots) if outcome.is_level]
    scores = [score for score in model_scores(bots) if len(score.total.scored) >= LEAST_CONVERSATIONS]
    if not scores:
        return ""
    conversations = sum(len(score.total.scored) for score in scores)
    silent = sum(score.total.not_engaged for score in scores)
    named = {score.model for score in scores}
    words = model_scores(by_words_alone(outcome for outcome in bots if outcome.model in named))
    else_ = f" They did not engage in {silent:,}; if that did not fail, they would score {_range(words)}."
    return (
        f"The floor: {counted(len(scores), 'script')} that say nothing of their own score {_range(scores)} "
        f"({counted(conversations, 'conversation')}).{else_ if silent else ''}"
    )


def _range(scores: Sequence[ModelScore]) -> str:
    means = sorted({value_text(score.mean, "rate") for score in scores})
    return means[0] if len(means) == 1 else f"{means[0]} to {means[-1]}"
