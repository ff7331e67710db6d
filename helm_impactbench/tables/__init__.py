"""Tables: what a command answers, before anybody prints, writes or draws it. A column is declared once."""

from helm_impactbench.tables.column import Column, Kind, Row, View, columns_of
from helm_impactbench.tables.result import Result, Table, Verdict

__all__ = ["Column", "Kind", "Result", "Row", "Table", "Verdict", "View", "columns_of"]
