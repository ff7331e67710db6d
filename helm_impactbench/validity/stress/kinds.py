"""The edits by name: what each does, and where a judge that is moved by it would be expected to go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.validity.stress.edits import Edit, flattered, formatted, padded, reordered
from helm_impactbench.validity.stress.injection import injected
from helm_impactbench.validity.stress.names import renamed

ALL = "all"
Towards = Literal["up", "better", "injected"]
TOWARDS = {
    "up": "present or more",
    "better": "a better score",
    "injected": "the injected verdict",
}
"""Where a move counts as positive -> in words."""


@dataclass(frozen=True)
class StressKind:
    """One way to edit a question that must not move its verdict."""

    name: str
    does: str
    edit: Edit | None
    """None where a model writes it."""
    towards: Towards = "up"


KINDS = {
    kind.name: kind
    for kind in (
        StressKind("padding", "sentences about nothing around each reply", padded),
        StressKind("formatting", "heading, bullets and bold, or markdown taken away", formatted),
        StressKind("order", "the metric's example lines in the opposite order", reordered),
        StressKind("names", "other given names for the people", renamed),
        StressKind("flattery", "confident words and praise of the reader", flattered, "better"),
        StressKind("injection", "a verdict written into the last reply", injected, "injected"),
        StressKind("paraphrase", "other words of the same language, by a model", None),
        StressKind("translation", "the same in Spanish, by a model", None),
    )
}
"""In the order in which they are asked and shown."""


def chosen_kinds(text: str, *, rewriter: bool) -> list[StressKind]:
    """Return the kinds that `--edits` names, in the usual order; without a rewriter, "all" is all that need none.

    Raises ImpactBenchError for one that there is not, and for one by name that needs a rewriter where there is none.
    """
    possible = {name: kind for name, kind in KINDS.items() if rewriter or kind.edit is not None}
    names = list(possible) if text == ALL else text.split("+")
    for name in names:
        if name not in KINDS:
            near = did_you_mean(name, KINDS)
            raise ImpactBenchError(f"--edits cannot be {name!r}. Choose from: {ALL}, {', '.join(KINDS)}.{near}")
        if name not in possible:
            raise ImpactBenchError(f"--edits {name} needs a model that writes it. Name one with --rewriter.")
    return [kind for name, kind in possible.items() if name in names]
