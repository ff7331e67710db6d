"""What `fetch` would fetch, from where, to where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypedDict

from helm_impactbench.helm.datasets.discovery import sources
from helm_impactbench.helm.datasets.fetch import HelmFolders
from helm_impactbench.helm.datasets.sources import Source, WebFile
from helm_impactbench.tables import Column, Result, Table


class SourceRow(TypedDict):
    """One file, or one data set of the hub."""

    suite: Annotated[str, Column("Suite", "text", "HELM's suite.", "default")]
    source: Annotated[str, Column("From", "text", "Address, or repository of the hub.", "default")]
    pinned: Annotated[str, Column("Pinned to", "text", "Commit; nothing where there is none.", "default")]
    place: Annotated[str, Column("Goes to", "text", "Path.", "default")]


def plan(place: HelmFolders, suites: Iterable[str]) -> Result:
    """Return what would be fetched; nothing is asked for."""
    rows = [_row(suite, source, place) for suite in suites for source in sources(suite)]
    return Result((Table.of("sources", SourceRow, rows),))


def _row(suite: str, source: Source, place: HelmFolders) -> SourceRow:
    return {
        "suite": suite,
        "source": source.url if isinstance(source, WebFile) else f"hub: {source.repository}",
        "pinned": (source.pinned[:12] or "nothing") if isinstance(source, WebFile) else source.revision[:12],
        "place": str(place.of(source)),
    }
