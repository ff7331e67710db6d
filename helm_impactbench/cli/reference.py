"""What `--reference SUITE` adds to a command: rates on all cases of a suite of other models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.anchors import say_other_judge
from helm_impactbench.cli.suite import shown_model, suite_outcomes
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome


def reference_outcomes(context: click.Context, suite: str) -> list[Outcome]:
    """Return the outcomes of the reference suite, of the benchmarks that the command was limited to."""
    runs = Path(context.params["output_path"]) / "runs"
    found = suite_outcomes(suite, context.params["output_path"], context.params["benchmarks"])
    say_other_judge(runs / context.params["suite"], runs / suite)
    return found


def left_out_lines(found: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return a line for each model whose rates are not on all cases; `found`: (model, what is left out), repeatedly."""
    names: dict[str, set[str]] = {}
    for model, parts in found:
        names.setdefault(model, set()).update(filter(None, parts))
    return [
        f"{shown_model(model)}: without {', '.join(sorted(own))} of the reference, which its runs have not drawn."
        for model, own in sorted(names.items()) if own
    ]  # fmt: skip


def unmatched_words(conversations: int) -> str:
    """Return the sentence on conversations whose cases the reference lacks."""
    return f"{counted(conversations, 'conversation')} not used: the reference has no other model on their cases."
