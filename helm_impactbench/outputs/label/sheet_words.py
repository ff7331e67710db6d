"""The words of the label itself, which are the same for every audience."""

from __future__ import annotations

from typing import get_args

from pydantic import model_validator
from typing_extensions import Self

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.benchmark.parts import Text
from helm_impactbench.outputs.label.word_parts import RowTexts, WordPart


class SideBySideWords(WordPart):
    """Several models' labels next to each other."""

    title: Text
    caption: Text
    model: Text
    """Heading of the models' names."""
    scripted: Text
    by_script: Text
    """Behind the name of a model that is a script, or was judged by one."""
    intro: Text
    pairs_apart: Text
    """Which models differ by more than chance."""
    none_apart: Text
    not_compared: Text
    """Models with which people fare differently."""
    not_alike: Text
    undrawn: Text


class SentenceWords(WordPart):
    """The one sentence of the sheet, by what is known: the first that holds."""

    fare: Text
    """A test over all benchmarks finds a gap between two groups."""
    fare_worse: Text
    """The same where both rates are as many in ten."""
    rows_apart: Text
    """Groups differ in single rows."""
    ends: Text
    """The best row differs from the worst."""
    alike: Text
    one: Text


class GreyWords(WordPart):
    """What stands for each reason not to grade a row: a few words on the sheet, or a clause in a sentence."""

    no_metric: Text
    no_people: Text
    compared: Text
    too_few: Text
    unscored: Text
    too_wide: Text
    judge: Text
    not_installed: Text


class SheetWords(WordPart):
    """What is drawn, the same for every audience but for the audience's own name."""

    heading: Text
    """The whole label's name, where it is not drawn."""
    title: Text
    """The line over the model's name."""
    script: Text
    """Stamped on the label of a model that is a script."""
    by_script: Text
    """The same where a script played another role."""
    sentence: SentenceWords
    went_well: Text
    all: Text
    nearly_all: Text
    tenths: Text
    nearly_none: Text
    none: Text
    order: list[LabelRow]
    names: RowTexts
    grey: GreyWords
    reasons: GreyWords
    undrawn: Text
    """In place of a label without a grade."""
    chats: Text
    no_child: Text
    dated: Text
    judged: Text
    checked: Text
    """In place of `judged` where no count of right verdicts is known."""
    unchecked: Text
    scripted_judge: Text
    floor: Text
    no_floor: Text
    badge: Text
    marks_pair: Text
    marks_all: Text
    side_by_side: SideBySideWords

    @model_validator(mode="after")
    def _has_every_row_once(self) -> Self:
        if sorted(self.order) != sorted(get_args(LabelRow)):
            raise ValueError(f"order: got {self.order}; allowed: each of {', '.join(get_args(LabelRow))} once")
        return self
