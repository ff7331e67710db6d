"""The words of a label: those of the sheet, which are everybody's, and what each audience is told on page 2.

They are in audiences.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from pydantic import ValidationError, model_validator
from typing_extensions import Self

from helm_impactbench.benchmark.parts import Text
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.files.safe_read import IntakeError
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.outputs.label.sheet_words import SheetWords
from helm_impactbench.outputs.label.word_parts import RowTexts, WordPart

AUDIENCES_FILE = "audiences.yaml"

Part = Literal["grades", "tested", "doubts", "method", "metrics"]
"""The parts of a label that an audience can get, in any order; all but "metrics" are for everybody."""
Column = Literal["grade", "rate", "interval", "scored", "scenarios", "metrics", "unscored", "bounds", "split"]
EVERYBODYS: tuple[Column, ...] = ("grade", "rate", "interval", "scored")
"""Columns that no audience goes without: a grade is never shown without its interval and its n."""
ALWAYS: tuple[Part, ...] = ("grades", "tested", "doubts", "method")


class NoGradeWords(WordPart):
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
    not_installed: Text
    """In place of `no_metric` where benchmarks of the suite are not installed."""


class DoubtWords(WordPart):
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
    not_installed: Text


class SummaryWords(WordPart):
    """The sentence at the top, by how many rows have a grade."""

    several: Text
    alike: Text
    one: Text
    group: Text
    """Who is meant by {who}: one group."""
    everybody: Text
    worst_off: Text
    """The same where the rows are of different groups."""
    no_children: Text
    """After it, when none were played."""
    one_benchmark: Text
    """After it, when a single benchmark was run."""


class RoleWords(WordPart):
    """What the roles are called that a script may have played."""

    target: Text
    user: Text
    judge: Text


class FactWords(WordPart):
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


class Audience(WordPart):
    """What one audience is told on page 2, in which detail."""

    sheet: SheetWords
    """The words of the label itself, which are everybody's."""
    name: Text
    summary: SummaryWords
    dated: Text
    intro: Text
    rehearsal: Text
    rehearsal_text: Text
    """Beside `rehearsal`, where a script played a role."""
    roles: RoleWords
    more: Text
    """Opens page 2."""
    row: Text
    """Heading of the rows' names."""
    who: Text
    """Heading of the groups of people."""
    caption: Text
    everybody: Text
    """What all people together are called beside groups of them."""
    average: Text
    """In place of a grade of everybody where groups differ."""
    tried: Text
    """What a row rests on, so that it claims no more."""
    parts: list[Part]
    columns: dict[Column, Text]
    """Column -> heading, in order."""
    explains: RowTexts
    """What each row means, in a sentence."""
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
        _check_has("parts", self.parts, ALWAYS)
        _check_has("columns", list(self.columns), EVERYBODYS)
        _check_has("headings", list(self.headings), self.parts)
        return self


def _check_has(what: str, got: list[Part] | list[Column], needed: tuple[str, ...] | list[Part]) -> None:
    missing = [name for name in needed if name not in got]
    if missing:
        raise ValueError(f"{what}: {', '.join(missing)} missing")


class _AudiencesFile(WordPart):
    sheet: SheetWords
    common: dict[str, object]
    audiences: dict[str, dict[str, object]]

    @model_validator(mode="after")
    def _has_one_sheet(self) -> Self:
        if any("sheet" in own for own in (self.common, *self.audiences.values())):
            raise ValueError("sheet: got one for an audience; allowed: one for all, beside common")
        return self


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
        file = _AudiencesFile.model_validate(load_yaml(text))
        return MappingProxyType(
            {
                key: Audience.model_validate({**file.common, **own, "sheet": file.sheet})
                for key, own in file.audiences.items()
            }
        )
    except (IntakeError, ValidationError) as error:
        raise ImpactBenchError(f"{AUDIENCES_FILE} does not fit: {error}") from error


AUDIENCES: Mapping[str, Audience] = load_audiences()
"""Key ("parents", "educators", "policymakers", "developers") -> audience."""


def audience_of(key: str) -> Audience:
    """Return an audience by its key. Raises ImpactBenchError for another one."""
    if key not in AUDIENCES:
        allowed = list(AUDIENCES)
        raise ImpactBenchError(
            f"There is no audience {key!r}. Choose from {', '.join(allowed)}.{did_you_mean(key, allowed)}"
        )
    return AUDIENCES[key]
