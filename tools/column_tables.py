"""Write the columns of results into docs/data.md: `make reference`; `make check` says when they are old.

A command's table is one line of TABLES: its columns are those of its row's type.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from helm_impactbench.analysis.agreement_rows import JudgePairRow, PanelRow, SampleRow
from helm_impactbench.analysis.calibration import BinRow, CalibrationRow
from helm_impactbench.analysis.commands.cite import CitedBenchmarkRow, ReportedRow
from helm_impactbench.analysis.commands.combined import AgainstRow, ScoreRow
from helm_impactbench.analysis.commands.components import ComponentRow, OptionRow
from helm_impactbench.analysis.commands.contamination import AdvantageRow
from helm_impactbench.analysis.commands.costs import CostRow
from helm_impactbench.analysis.commands.gate import ConditionRow, ProfileRow
from helm_impactbench.analysis.commands.items import ItemRow
from helm_impactbench.analysis.commands.power import PowerRow, RareFailureRow
from helm_impactbench.analysis.commands.robustness import AnalysisRow, StandingRow
from helm_impactbench.analysis.difference_rows import (
    ContrastRow,
    GapModelRow,
    GapPairRow,
    LevelContrastRow,
    ModelRow,
    PairRow,
)
from helm_impactbench.analysis.latency import LatencyRow
from helm_impactbench.analysis.rows import RateRow, ReferenceColumns
from helm_impactbench.outputs.label.result import GradeRow
from helm_impactbench.tables import columns_of

PAGE = Path(__file__).parent.parent / "docs" / "data.md"
BEGIN = "<!-- Columns of results, by `make reference`: change the Column of the row's field, not these tables. -->\n"
END = "<!-- End of the columns. -->\n"


class Shown(NamedTuple):
    """A table of a command."""

    command: str
    table: str
    """Its name in `Result.frame`, with what has to be asked for in brackets."""
    row: type


TABLES = (
    Shown("rates", "rates", RateRow),
    Shown("rates", "rates (further columns with `reference`)", ReferenceColumns),
    Shown("rates", "means", RateRow),
    Shown("rates", "calibration", CalibrationRow),
    Shown("rates", "calibration_bins", BinRow),
    Shown("compare", "models", ModelRow),
    Shown("compare", "pairs", PairRow),
    Shown("compare", "gap_models", GapModelRow),
    Shown("compare", "gap_pairs", GapPairRow),
    Shown("contrasts", "contrasts", ContrastRow),
    Shown("contrasts", "level_contrasts", LevelContrastRow),
    Shown("gate", "conditions", ConditionRow),
    Shown("gate", "profile", ProfileRow),
    Shown("agreement", "panel", PanelRow),
    Shown("agreement", "pairs", JudgePairRow),
    Shown("agreement", "samples", SampleRow),
    Shown("items", "items", ItemRow),
    Shown("power", "plans", PowerRow),
    Shown("power", "failures (with `rate_below`)", RareFailureRow),
    Shown("robustness", "analyses", AnalysisRow),
    Shown("robustness", "places", StandingRow),
    Shown("components", "components", ComponentRow),
    Shown("components", "options", OptionRow),
    Shown("contamination", "contamination", AdvantageRow),
    Shown("combined", "scores", ScoreRow),
    Shown("combined", "against_capability", AgainstRow),
    Shown("costs", "by_role", CostRow),
    Shown("costs", "latency", LatencyRow),
    Shown("cite", "checklist", ReportedRow),
    Shown("cite", "benchmarks", CitedBenchmarkRow),
    Shown("label", "grades", GradeRow),
)


def column_tables(tables: tuple[Shown, ...] = TABLES) -> str:
    """Return the tables: one for each row's type, under the command and the names of all its tables."""
    return "\n".join(_sections(tables)) + "\n"


def _sections(tables: tuple[Shown, ...]) -> Iterator[str]:
    rows = dict.fromkeys((shown.command, shown.row) for shown in tables)
    for command, row in rows:
        names = [shown.table for shown in tables if (shown.command, shown.row) == (command, row)]
        yield f"#### `{command}`: {' and '.join(names)}\n"
        yield "| column | on screens | meaning |\n|---|---|---|"
        for column in columns_of(row):
            if column.in_files:
                about = column.about.replace("|", "\\|").removesuffix(".")
                yield f"| `{column.key}` | {column.title} | {about} |"
        yield ""


def page() -> str:
    """Return the page with the tables as they have to be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{column_tables()}{END}{after}"


def _main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != text:
            print(f"{PAGE.name} is out of date: make reference", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
