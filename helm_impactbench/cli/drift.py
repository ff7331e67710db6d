"""What `impactbench audit swap` says of two suites: is it the model or the instrument?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import shown_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.validity.drift.suites import Drift


def print_drift(first: Path, second: Path, runs: tuple[Sequence[RunFolder], Sequence[RunFolder]]) -> dict[str, Any]:
    """Print what changed between two suites, and return it as plain data. Raises ResultsError."""
    from helm_impactbench.validity.drift.suites import drift_between, suite_of
    from helm_impactbench.validity.drift.words import sentences

    found = drift_between(suite_of(first, runs[0]), suite_of(second, runs[1]))
    click.echo("\nWho changed? Judge, simulated user and targets, each by what the others cannot touch")
    for sentence in sentences(found, shown_model):
        click.echo(sentence)
    return drift_data(found)


def drift_data(found: Drift) -> dict[str, Any]:
    """Return what changed as plain data."""
    whole = found.attribution
    judge = whole.judge
    texts = {"simulated_user": whole.user, "target": whole.target}
    return {
        "on_record": list(found.facts),
        "changed": list(whole.moved),
        "changed_targets": list(whole.moved_targets),
        "cannot_be_told": dict(whole.untold),
        "judge": {
            "anchors": judge.anchors, "between": _number(judge.between), "within": _number(judge.within),
            "p_value": judge.p_value, "accuracy": [_number(judge.accuracy.before), _number(judge.accuracy.after)],
            "present": [_number(judge.present.before), _number(judge.present.after)],
        },
        **{
            name: {
                "texts": shift.pairs, "base_scenarios": shift.scenarios, "identical": _number(shift.identical),
                "p_value": shift.p_value,
                "dimensions": [
                    {"model": one.group, "name": one.name, "before": one.before, "after": one.after,
                     "adjusted_p_value": one.test.adjusted}
                    for one in shift.dimensions
                ],
            }
            for name, shift in texts.items()
        },
    }  # fmt: skip


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
