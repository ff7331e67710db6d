"""What all words of a label have in common: which names in braces a text may have, and that none is missing."""

from __future__ import annotations

from string import Formatter
from typing import Annotated, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator
from typing_extensions import Self

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.benchmark.parts import Text

MINIMUMS = {"fewest_scored", "fewest_scenarios", "fewest_metrics", "most_unscored", "most_bands", "evidence"}
"""What a grade needs, as grades.py has it."""
HOLES = {
    "heading": {"model", "audience"},
    "title": {"audience"},
    "fare": {"first", "second", "first_rate", "second_rate"},
    "fare_worse": {"first", "second"},
    "rows_apart": {"count"},
    "ends": {"best_row", "worst_row"},
    "tenths": {"tenths"},
    "undrawn": {"model", "reason", "models"},
    "chats": {"conversations", "children", "dated"},
    "judged": {"right", "known"},
    "floor": {"share"},
    "badge": {"graded", "letters"},
    "marks_pair": {"first", "second"},
    "apart": {"rows"},
    "apart_row": {"row", "first", "second", "first_rate", "second_rate", "first_scored", "second_scored"},
    "unequal": {"axis", "first", "second", "first_rate", "second_rate"},
    "rehearsal_text": {"roles"},
    "several": {"who", "graded", "best", "best_row", "worst", "worst_row"},
    "alike": {"who", "graded"},
    "one": {"who", "best", "best_row"},
    "group": {"level"},
    "one_benchmark": {"benchmark"},
    "pairs_apart": {"pairs"},
    "not_alike": {"models"},
    "not_compared": {"models"},
    "dated": {"date"},
    "tried": {"behaviours", "benchmarks", "example"},
    "counted": {"conversations", "scored", "scenarios"},
    "people": {"axis"},
    "method": {"drawn", *MINIMUMS},
    "too_few": {"lacking", *MINIMUMS},
    "few_scored": {"scored", "fewest_scored"},
    "few_scenarios": {"scenarios", "fewest_scenarios"},
    "few_metrics": {"metrics", "fewest_metrics"},
    "unscored": {"share", "rows", *MINIMUMS},
    "too_wide": {"interval", "most_bands"},
    "sides": {"share", "interval"},
    "gap": {"axis", "first", "second", "gap", "interval", "among"},
    "among": {"differences"},
    "no_difference": {"axis", "interval", "between"},
    "by_chance": {"axis", "cases", "gap", "between"},
    "few_cases": {"axis", "cases", "between"},
    "left_out": {"metrics"},
    "no_mean": {"axis", "metrics"},
    "no_gap": {"axis"},
    "not_measured": {"rows", "count"},
    "widest": {"rows", "low", "high"},
    "narrow": {"rows"},
    "undone": {"rows"},
    "split": {"rows", "share"},
    "relative": {"judges"},
    "unplaced": {"count"},
    "not_installed": {"count", "benchmarks"},
}
"""Text -> the names allowed in braces in it; none in any other text."""


class WordPart(BaseModel):
    """A group of texts, each with known names in braces."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="after")
    def _has_known_holes(self) -> Self:
        for name in type(self).model_fields:
            text = getattr(self, name)
            for one in text if isinstance(text, list) else [text]:
                if isinstance(one, str):
                    _check_holes(name, one)
        return self


def _each_row(rows: dict[LabelRow, str]) -> dict[LabelRow, str]:
    missing = [row for row in get_args(LabelRow) if row not in rows]
    if missing:
        raise ValueError(f"words are missing for {', '.join(missing)}")
    return rows


RowTexts = Annotated[dict[LabelRow, Text], AfterValidator(_each_row)]


def _check_holes(name: str, text: str) -> None:
    try:
        used = {hole for _, hole, _, _ in Formatter().parse(text) if hole is not None}
    except ValueError as error:
        raise ValueError(f"{name}: {error} in {text!r}; write {{{{ and }}}} for plain braces") from error
    allowed = HOLES.get(name, set())
    if used - allowed:
        raise ValueError(f"{name}: got {sorted(used - allowed)} in braces; allowed: {sorted(allowed) or 'none'}")
