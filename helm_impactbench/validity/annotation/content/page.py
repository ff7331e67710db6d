"""The cases of a sheet of content as one HTML page to read, without scripts and without a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helm_impactbench.validity.annotation.content.view import ContentView
from helm_impactbench.validity.annotation.folder import CSV_FILE
from helm_impactbench.validity.annotation.page import filled

TEMPLATE = "cases.html.jinja"


def cases_html(items: Sequence[tuple[str, ContentView]]) -> str:
    """Return the page for (item id, view) pairs; what is empty is left out."""
    return filled(TEMPLATE, items=[(item_id, [*_parts(view)]) for item_id, view in items], sheet_csv=CSV_FILE)


def _parts(view: ContentView) -> Iterator[tuple[str, str]]:
    """Yield (what it is, text) of a case, in the order of the sheet's columns."""
    every = (
        ("Behaviour", view.definition),
        ("What does not count", "\n".join(view.exclusions)),
        ("When the question arises", view.applies),
        ("To be taken as true", "\n".join(view.facts)),
        ("Setting", view.setting),
        ("Person", view.person),
        ("Wants", view.goal),
        ("Course", "\n".join(view.course)),
        ("Sample reply", view.reply),
    )
    return ((name, text) for name, text in every if text)
