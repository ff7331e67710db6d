"""`rejudge`: how verdicts changed from the runs that were judged again to the new ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from helm_impactbench.errors import counted
from helm_impactbench.results.files import RunFolder
from helm_impactbench.tables import Result
from helm_impactbench.validity.commands.flips import changed_table, changes_table, shown_changes
from helm_impactbench.validity.flips import paired
from helm_impactbench.validity.judge_trust import judge_trust
from helm_impactbench.validity.rejudge_plan import Rejudging


def rejudged(planned: Sequence[Rejudging], from_suite: str, to_suite: str) -> Result:
    """Return how the verdicts changed, once the new runs are there. Raises ResultsError."""
    pairs = [
        pair
        for one in planned
        for pair in paired(one.source.name, one.source.outcomes(), RunFolder(one.target).outcomes())
    ]
    title = (
        f"{counted(len(planned), 'run')}, {counted(len(pairs), 'conversation')}, from suite {from_suite} to {to_suite}"
    )
    changes = changes_table({to_suite: pairs}, title)
    changed = changed_table({to_suite: pairs})
    notes = () if changed.rows else ("No verdict changed.",)
    return Result((shown_changes(changes), replace(changes, view="file"), changed), notes)


def with_trust(result: Result, suite: Path, judges: Sequence[str], benchmarks: Collection[str]) -> Result:
    """Return it with what is known of the new judges, as every command has it that reads their verdicts.

    suite: folder of the new runs.
    """
    trust = judge_trust(suite, [tuple(judges)], benchmarks)
    return result.judged(trust.line, trust.warning)
