"""Tables: what a command answers, before anybody prints, writes or draws it. A column is declared once."""

from helm_impactbench.tables.column import Column, Kind, Row, View, columns_of
from helm_impactbench.tables.result import Conclusion, Result
from helm_impactbench.tables.table import Table

__all__ = ["Column", "Conclusion", "Kind", "Result", "Row", "Table", "View", "columns_of"]
