"""HELM's tables as people read them in helm-server: tabs named in words, and no table wider than a laptop.

HELM names a table after the arguments of the run ("benchmark: prosocial, user: ..., content: d839e923") and puts every
statistic beside every other. Here the figures that sum a benchmark up come first, and those of single metrics, or of
single benchmarks, have a table of their own behind them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from helm.benchmark.presentation.table import HeaderCell, Table

MOST_COLUMNS = 9
"""Of a table that is not divided."""
ALL = "All conversations"
BY_BENCHMARK, BY_METRIC = "by benchmark", "by metric"
_RUN = re.compile(r"^(?:.*? )?benchmark: (?P<slug>[\w-]+)(?P<rest>.*)$")
_LEVEL = re.compile(r"^.* \(sub-split: (?P<level>.*)\)$")


def titled(tables: Sequence[Table], group: str, shown: Mapping[str, str]) -> list[Table]:
    """Return the tables of a run group with titles in words; `shown` is slug -> the benchmark's name.

    In the group of a benchmark a title is "All conversations" or a level of an axis, elsewhere the benchmark's name.
    Where two tables would be called alike, what their run entries say (user, part) follows, and where that is not
    enough, the hash of the content.
    """
    titles = [[_title(table.title, group, shown, words) for words in ((), ("content ",), None)] for table in tables]
    counts = Counter(title for choices in titles for title in dict.fromkeys(choices))
    return [
        replace(table, title=next((title for title in choices if counts[title] == 1), choices[-1]))
        for table, choices in zip(tables, titles, strict=True)
    ]


def divided(table: Table, summing: Collection[str], ending: str, both: Collection[str] = ()) -> list[Table]:
    """Return a table and, where it is too wide, its columns of single metrics or benchmarks as a second one.

    summing: headers of the columns that stay in the first; both: of those among them that the second has too; ending:
    what is added to the title of the second.
    """
    own = [head.value in summing for head in table.header]
    own[0] = True
    if len(own) <= MOST_COLUMNS or all(own) or sum(own) == 1:
        return [table]
    details = _columns(table, lambda place: place == 0 or not own[place] or table.header[place].value in both)
    name = f"{table.name}_{ending.replace(' ', '_')}" if table.name else None
    return [_columns(table, lambda place: own[place]), replace(details, title=f"{table.title}, {ending}", name=name)]


def without_suffix(table: Table) -> Table:
    """Return a table whose columns are all of one statistic with the benchmarks' names alone as headers."""
    endings = {str(head.value).rpartition(" - ")[2] for head in table.header if " - " in str(head.value)}
    if len(endings) != 1:
        return table
    (ending,) = endings
    header = [replace(head, value=str(head.value).removesuffix(f" - {ending}")) for head in table.header]
    return replace(table, header=header)


def _title(title: str, group: str, shown: Mapping[str, str], left_out: tuple[str, ...] | None) -> str:
    """Return a title in words; left_out: how the arguments begin that it does not name, all of them if empty."""
    if level := _LEVEL.match(title):
        return level["level"]
    run = _RUN.match(title)
    if run is None:
        return title
    subject = ALL if run["slug"] == group else shown.get(run["slug"], run["slug"])
    arguments = [part.replace(": ", " ", 1) for part in run["rest"].split(", ") if part]
    named = (
        arguments if left_out is None else [part for part in arguments if left_out and not part.startswith(left_out)]
    )
    return ", ".join([subject, *named])


def _columns(table: Table, wanted: Callable[[int], bool]) -> Table:
    places = [place for place in range(len(table.header)) if wanted(place)]
    header: list[HeaderCell] = [table.header[place] for place in places]
    return replace(table, header=header, rows=[[row[place] for place in places] for row in table.rows])
