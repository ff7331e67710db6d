"""The floor under scores: what scripts that say nothing of their own get, in one line."""

from __future__ import annotations

from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.analysis.rows import weighed
from helm_impactbench.errors import counted
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
    means = sorted({value_text(score.mean, "rate") for score in scores})
    conversations = sum(len(score.total.scored) for score in scores)
    return (
        f"The floor: {counted(len(scores), 'script')} that say nothing of their own score "
        f"{means[0] if len(means) == 1 else f'{means[0]} to {means[-1]}'} ({counted(conversations, 'conversation')})."
    )
