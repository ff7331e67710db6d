"""Tables of verdicts before and after: what `rejudge` and `audit swap` have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helm_impactbench.tables import Column, Row, Table
from helm_impactbench.tables.column import any_of, varies
from helm_impactbench.validity.commands.columns import figure_columns, text_columns
from helm_impactbench.validity.flips import CHANGES, Changes, Grouped, VerdictPair, by_benchmark, by_measure, by_model

_WORDS = {
    "present_to_present": "Present both times",
    "present_to_absent": "Present, then absent",
    "absent_to_present": "Absent, then present",
    "absent_to_absent": "Absent both times",
    "lower": "Lower",
    "same": "The same",
    "higher": "Higher",
    "newly_scored": "Newly scored",
    "no_longer_scored": "No longer scored",
    "never_scored": "Never scored",
}
_SHOWN = ("present_to_absent", "absent_to_present", "lower", "higher", "no_longer_scored", "newly_scored")
"""Changes on every screen; what stayed the same is on a wide one."""
CHANGE_COLUMNS = (
    Column("Suite", "text", "The second suite.", "default", varies("suite"), "suite"),
    Column("Benchmark", "text", "Slug, a model, or all.", "default", key="name"),
    Column("Measure", "text", "Its kind.", "default", varies("measure"), key="measure"),
    Column("Over", "text", "What its rows are about: all, benchmark or model.", key="over"),
    *figure_columns("changed", "Changed", "Share of conversations scored both times whose value is another one."),
    *(
        Column(title, "count", "Conversations.", "default" if name in _SHOWN else "wide", any_of(name), name)
        for name, title in _WORDS.items()
    ),
    Column("Scored both times", "count", "Conversations.", "wide", key="scored_in_both"),
    Column("Mean shift", "difference", "Of the value, as a share of the range.", "wide", key="mean_shift"),
    Column("Statuses", "text", "Of conversations whose status is another one.", "wide", any_of("statuses"), "statuses"),
)
CHANGED_COLUMNS = text_columns(
    ("suite", "Suite", "The second suite.", "file"),
    ("run", "Run", "Name of the run before.", "file"),
    ("variant", "Variant", "Id.", "file"),
    ("sample", "Sample", "Number.", "file"),
    ("change", "Change", "Kind of change.", "file"),
    ("before", "Before", "Answer, or why there is none.", "file"),
    ("after", "After", "Answer, or why there is none.", "file"),
)


def changes_table(pairs: Mapping[str, Sequence[VerdictPair]], title: str) -> Table:
    """Return how verdicts changed, by the second suite: over all, by benchmark and by model."""
    rows = [row for suite, both in pairs.items() for row in _rows(suite, both)]
    return Table("changes", CHANGE_COLUMNS, rows, title)


def shown_changes(table: Table) -> Table:
    """Return the part of a table of changes that a screen shows: all, and the benchmarks of several that changed."""
    whole = [row for row in table.rows if row["over"] == "all"]
    rows = [row for row in table.rows if row["over"] == "benchmark"]
    if len({row["name"] for row in rows}) == 1:
        return Table("changes_shown", table.columns, rows, table.title, in_files=False)
    changed = [row for row in rows if row["changed"] or row["statuses"]]
    return Table("changes_shown", table.columns, [*whole, *changed], table.title, in_files=False)


def changed_table(pairs: Mapping[str, Sequence[VerdictPair]]) -> Table:
    """Return every verdict that changed."""
    rows: list[Row] = [
        {
            "suite": suite,
            "run": pair.run,
            "variant": pair.before.variant_id,
            "sample": pair.before.sample,
            "change": pair.change,
            "before": pair.before.answer or pair.before.why_missing,
            "after": pair.after.answer or pair.after.why_missing,
        }
        for suite, both in pairs.items()
        for pair in both
        if (pair.before.value, pair.before.status) != (pair.after.value, pair.after.status)
    ]
    return Table("changed", CHANGED_COLUMNS, rows, view="file")


def _rows(suite: str, pairs: Sequence[VerdictPair]) -> Iterator[dict[str, Any]]:
    groups: dict[str, Grouped] = {"all": by_measure(pairs), "benchmark": by_benchmark(pairs), "model": by_model(pairs)}
    for over, grouped in groups.items():
        for (name, measure), changes in grouped.items():
            yield {"suite": suite, "over": over, "name": name, "measure": measure, **_row(changes)}


def _row(changes: Changes) -> dict[str, Any]:
    known = changes.interval.is_known
    return {
        **{name: changes.counts[name] for name in CHANGES},
        "statuses": changes.statuses,
        "scored_in_both": changes.scored_in_both,
        "changed": changes.share_changed,
        "changed_low": changes.interval.low if known else None,
        "changed_high": changes.interval.high if known else None,
        "changed_items": changes.scored_in_both,
        "mean_shift": changes.mean_shift,
    }
