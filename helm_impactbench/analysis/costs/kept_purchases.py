"""The purchases of a run, kept in its folder.

{"usages": [<field of a usage>, ...], "scopes": [[role, model, benchmark, target], ...],
 "rows": [[place of the scope, key, failed, whether the opening is inside, *usage], ...]}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from helm_impactbench.analysis.costs.recorded import FIELDS, Purchase, SuiteCosts
from helm_impactbench.analysis.costs.summary import anchor_purchases, run_purchases
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.files import OUTCOME_SOURCES, RunFolder, run_folders
from helm_impactbench.results.kept import KeptRun
from helm_impactbench.results.record import Record

FILE = ".impactbench-purchases.jsonl"


def suite_costs(
    folder: Path, anchors: Iterable[tuple[str, str, str, Usage]] = (), releases: Sequence[str] = ()
) -> SuiteCosts:
    """Return the costs of all finished runs of ours in a suite's folder, and of what judges read of its anchor set.

    anchors: judge, benchmark, what was asked and usage. releases: of these only, where any are given.
    Raises ResultsError when there is no run.
    """
    bought = (purchase for run in run_folders(folder, releases) for purchase in kept_purchases(run, run.records))
    return SuiteCosts(chain(bought, anchor_purchases(anchors)))


def kept_purchases(run: RunFolder, records: Callable[[], Iterable[Record]]) -> list[Purchase]:
    """Return the purchases of a run that are kept in its folder, or else those of its `records`, and keep them.

    Raises ResultsError.
    """
    return _kept().of(run.path, OUTCOME_SOURCES, lambda: list(run_purchases(run, records())))


def keep_purchases(run: RunFolder, records: Callable[[], Iterable[Record]]) -> None:
    """Keep the purchases of a run for other commands, unless they are kept already. Raises ResultsError."""
    _kept().keep(run.path, OUTCOME_SOURCES, lambda: list(run_purchases(run, records())))


def _kept() -> KeptRun[list[Purchase]]:
    return KeptRun(FILE, _encoded, _decoded)


def _encoded(purchases: Sequence[Purchase]) -> dict[str, Any]:
    scopes: dict[tuple[str, ...], int] = {}
    rows = [
        [
            scopes.setdefault((one.role, one.model, one.benchmark, one.target), len(scopes)),
            one.key.hex(),
            one.failed,
            one.opening_is_inside,
            *one.amounts,
        ]
        for one in purchases
    ]
    return {"usages": FIELDS, "scopes": list(scopes), "rows": rows}


def _decoded(data: Mapping[str, Any]) -> list[Purchase]:
    if tuple(data["usages"]) != FIELDS:
        raise ValueError("usages have other fields")
    return [_purchase(data["scopes"][place], *row) for place, *row in data["rows"]]


def _purchase(scope: Sequence[str], key: str, failed: int, inside: bool, *amounts: float) -> Purchase:
    role, model, benchmark, target = scope
    if len(amounts) != len(FIELDS):
        raise ValueError("a purchase has fewer or more amounts")
    return Purchase(role, model, benchmark, target, amounts, bytes.fromhex(key), failed, inside)
