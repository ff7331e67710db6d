"""Pages of the server: the report's own templates, with a few links more at their head, and the server's templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helm_impactbench.outputs.report.names import root_of
from helm_impactbench.outputs.report.pages import environment
from helm_impactbench.tables import Result
from helm_impactbench.tables.cells import cell_text

HERE = Path(__file__).parent


def shown(template: str, address: str, **values: Any) -> str:
    """Return the page at `address`, from a template of the report or of this folder."""
    page = environment(HERE).get_template(f"{template}.html.jinja")
    return page.render(root=root_of(address), **values)


def shown_tables(result: Result) -> list[tuple[str, list[str], list[list[str]], tuple[str, ...]]]:
    """Return what a wide screen shows of each table: heading, titles of columns, cells, and sentences under it."""
    return [
        (
            table.title or table.name.replace("_", " ").capitalize(),
            [column.title for column in columns],
            [[cell_text(column, row) for column in columns] for row in table.rows],
            table.notes,
        )
        for table in result.tables
        if (columns := [column for column in table.columns if column.is_shown(table.rows, wide=True)])
    ]
