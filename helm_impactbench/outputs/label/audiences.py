"""The audiences of a label: which words, order and detail each gets. The words are in audiences.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator
from typing_extensions import Self

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.benchmark.parts import Text
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.safe_read import IntakeError
from helm_impactbench.files.safe_yaml import load_yaml

AUDIENCES_FILE = "audiences.yaml"

Part = Literal["grades", "tested", "doubts", "method", "metrics"]
"""The parts of a label that an audience can get, in any order; all but "metrics" are for everybody."""
Column = Literal["grade", "rate", "interval", "scored", "scenarios", "metrics", "unscored", "bounds", "split"]
EVERYBODYS: tuple[Column, ...] = ("grade", "rate", "interval", "scored")
"""Columns that no audience goes without: a grade is never shown without its interval and its n."""
ALWAYS: tuple[Part, ...] = ("grades", "tested", "doubts", "method")

MINIMUMS = {"fewest_scored", "fewest_scenarios", "fewest_metrics", "most_unscored", "most_bands", "evidence"}
"""What a grade needs, as grades.py has it."""
HOLES = {
    "title": {"model"},
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
    "dated": {"date"},
    "tried": {"behaviours", "benchmarks", "example"},
    "counted": {"conversations", "scored", "scenarios"},
    "people": {"axis"},
    "method": {"drawn", *MINIMUMS},
    "too_few": {"lacking"},
    "few_scored": {"scored", "fewest_scored"},
    "few_scenarios": {"scenarios", "fewest_scenarios"},
    "few_metrics": {"metrics", "fewest_metrics"},
    "unscored": {"share", "rows", "most_unscored"},
    "too_wide": {"interval", "most_bands"},
    "sides": {"share", "interval"},
    "gap": {"axis", "first", "second", "gap", "interval", "among"},
    "among": {"differences"},
    "no_difference": {"axis", "interval"},
    "by_chance": {"axis", "cases", "gap"},
    "few_cases": {"axis", "cases"},
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
}
"""Text -> the names allowed in braces in it; none in any other text."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="after")
    def _has_known_holes(self) -> Self:
        for name in type(self).model_fields:
            text = getattr(self, name)
            for one in text if isinstance(text, list) else [text]:
                if isinstance(one, str):
                    _check_holes(name, one)
        return self


def _each_row(rows: dict[LabelRow, RowWords]) -> dict[LabelRow, RowWords]:
    missing = [row for row in get_args(LabelRow) if row not in rows]
    if missing:
        raise ValueError(f"words are missing for {', '.join(missing)}")
    return rows


class RowWords(_Part):
    """What an audience calls a row."""

    name: Text
    text: Text
    """What it means, in a sentence."""


class NoGradeWords(_Part):
    """Why a row has no grade."""

    no_metric: Text
    no_people: Text
    compared: Text
    too_few: Text
    few_scored: Text
    """Of `too_few`: what is lacking, as far as it is."""
    few_scenarios: Text
    few_metrics: Text
    unscored: Text
    too_wide: Text
    judge: Text


class DoubtWords(_Part):
    """Where the label is least informative; {rows}, {share}, {low}, {high}, {count} and {judges} are filled in."""

    not_measured: Text
    widest: Text
    narrow: Text
    unscored: Text
    undone: Text
    split: Text
    one_judge: Text
    relative: Text
    unplaced: Text


class SummaryWords(_Part):
    """The sentence at the top, by how many rows have a grade."""

    several: Text
    alike: Text
    one: Text
    nothing: Text
    compared: Text
    """In place of `nothing` when all that was run compares answers."""
    group: Text
    """Who is meant by {who}: one group."""
    everybody: Text
    worst_off: Text
    """The same where the rows are of different groups."""
    no_children: Text
    """After it, for an audience that looks for children, when none were played."""
    one_benchmark: Text
    """After it, when a single benchmark was run."""


class RoleWords(_Part):
    """What the roles are called that a script may have played."""

    target: Text
    user: Text
    judge: Text


class SideBySideWords(_Part):
    """Several models' labels next to each other."""

    title: Text
    model: Text
    """Heading of the models' names."""
    scripted: Text
    by_script: Text
    """Behind the name of a model that is a script, or was judged by one."""
    intro: Text
    pairs_apart: Text
    """Which models differ by more than chance."""
    none_apart: Text
    not_alike: Text


class FactWords(_Part):
    """The list of who was tested."""

    conversations: Text
    counted: Text
    people: Text
    anybody: Text
    """In place of `people` when no scenario has a demographic, with `unstated`."""
    unstated: Text
    benchmarks: Text
    users: Text
    judges: Text
    checked: Text
    unknown: Text


class Audience(_Part):
    """One audience's wording, order and detail."""

    name: Text
    title: Text
    summary: SummaryWords
    side_by_side: SideBySideWords
    dated: Text
    intro: Text
    rehearsal: Text
    rehearsal_text: Text
    """Beside `rehearsal`, where a script played a role."""
    roles: RoleWords
    row: Text
    """Heading of the rows' names."""
    who: Text
    """Heading of the groups of people."""
    caption: Text
    avoids: Text | None = None
    """Stands over the name of a row that says what a model should avoid; None for nothing."""
    promotes: Text | None = None
    """The same for what it should promote."""
    children_first: bool = False
    """Whether the children's result leads each row, where some were played."""
    everybody: Text
    """What all people together are called beside groups of them."""
    no_row: Text
    """On a badge when no row has a grade."""
    badge_unit: Text
    """What was counted, behind its number."""
    read_label: Text
    """On a badge: what leads to the label."""
    average: Text
    """In place of a grade of everybody where groups differ."""
    tried: Text
    """What a row rests on, so that it claims no more."""
    parts: list[Part]
    order: list[LabelRow]
    """Rows in the order of interest; within a label those that avoid and those that promote may be mixed."""
    columns: dict[Column, Text]
    """Column -> heading, in order."""
    rows: Annotated[dict[LabelRow, RowWords], AfterValidator(_each_row)]
    unequal: Text
    """The notice that people of different kinds fare differently."""
    apart: Text
    """The same where it is seen in single rows only."""
    apart_row: Text
    """One of {rows} in it: the rates of the two groups, whether or not these have a grade there."""
    sides: Text
    """Beside a row that contrast metrics feed: how often both sides are told that they are right."""
    gap: Text
    """The same where nobody is sided with: how far answers differ between two levels."""
    of_range: Text
    """What a gap is a share of, where it has no unit."""
    among: Text
    """What a gap was chosen from, where there are several."""
    no_difference: Text
    """In place of a gap of 0."""
    by_chance: Text
    """In place of a gap that is not significant."""
    few_cases: Text
    """In place of a gap that so few cases cannot show."""
    left_out: Text
    """What a gap cannot count."""
    no_mean: Text
    """In place of a gap where every metric has units of its own."""
    no_gap: Text
    """The same where no case has answers at two levels."""
    not_measured: Text
    no_grade: NoGradeWords
    headings: dict[Part, Text]
    tested: Text
    """A sentence before the list of who was tested."""
    facts: FactWords
    doubts: DoubtWords
    no_doubt: Text
    method: list[Text]
    """Paragraphs on how grades are made."""

    @model_validator(mode="after")
    def _is_whole(self) -> Audience:
        if sorted(self.order) != sorted(get_args(LabelRow)):
            raise ValueError(f"order: got {self.order}; allowed: each of {', '.join(get_args(LabelRow))} once")
        _check_has("parts", self.parts, ALWAYS)
        _check_has("columns", list(self.columns), EVERYBODYS)
        _check_has("headings", list(self.headings), self.parts)
        return self


def _check_holes(name: str, text: str) -> None:
    try:
        used = {hole for _, hole, _, _ in Formatter().parse(text) if hole is not None}
    except ValueError as error:
        raise ValueError(f"{name}: {error} in {text!r}; write {{{{ and }}}} for plain braces") from error
    allowed = HOLES.get(name, set())
    if used - allowed:
        raise ValueError(f"{name}: got {sorted(used - allowed)} in braces; allowed: {sorted(allowed) or 'none'}")


def _check_has(what: str, got: list[Part] | list[Column], needed: tuple[str, ...] | list[Part]) -> None:
    missing = [name for name in needed if name not in got]
    if missing:
        raise ValueError(f"{what}: {', '.join(missing)} missing")


class _File(_Part):
    common: dict[str, object]
    audiences: dict[str, dict[str, object]]


@lru_cache(maxsize=1)
def load_audiences() -> Mapping[str, Audience]:
    """Return the audiences by key, in the file's order. Raises ImpactBenchError when the file does not fit."""
    text = files(__package__).joinpath(AUDIENCES_FILE).read_text(encoding="utf-8")
    return parse_audiences(text)


def parse_audiences(text: str) -> Mapping[str, Audience]:
    """Return the audiences in a YAML text; what an audience does not say itself it has from `common`.

    Raises ImpactBenchError when something is missing, unknown or of the wrong kind.
    """
    try:
        file = _File.model_validate(load_yaml(text))
        return MappingProxyType(
            {key: Audience.model_validate({**file.common, **own}) for key, own in file.audiences.items()}
        )
    except (IntakeError, ValidationError) as error:
        raise ImpactBenchError(f"{AUDIENCES_FILE} does not fit: {error}") from error


AUDIENCES: Mapping[str, Audience] = load_audiences()
"""Key ("parents", "educators", "policymakers", "developers") -> audience."""
