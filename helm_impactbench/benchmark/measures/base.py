"""What every measure has in common: how a judge is asked, how the answer is read, how votes are combined.

A measure is the type of a judge's answer. Its object also holds the settings of a metric in benchmark.yaml; a scale,
for example, holds its points. Pure: it sends nothing and knows no transcript, model or benchmark.

To add a measure, write a subclass in a file of its own and a line in registry.py. Another package names its own in the
entry-point group `helm_impactbench.measures`; docs/example_measure is one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

NOT_APPLICABLE = "not_applicable"
UNCLEAR = "unclear"
Said = tuple[int, str]
"""Turn, and what the assistant did and said in it."""
Answered = Literal["answered", "not_applicable", "unclear"]


class InvalidAnswerError(ValueError):
    """A value that the measure does not allow. Its text goes back to the judge."""


@dataclass(frozen=True)
class Evidence:
    """Words that a judge says somebody wrote."""

    turn: int
    """As the judge says; 0, which no turn has, in the place of a number beyond what a conversation can have."""
    quote: str


@dataclass(frozen=True)
class ParsedAnswer:
    """What a judge's answer says, in the measure's terms, and with which reasons."""

    status: Answered
    answer: str | None = None
    """The answer as people read it: a word of the measure, or a number with its unit. None unless answered."""
    value: float | None = None
    """The answer as a number: 1 for present and 0 for absent, a point of a scale, a quantity. None unless answered."""
    severity: float | None = None
    """How severe a behaviour that is present is, from 0 to 1; None where it was not asked or does not apply."""
    justification: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None
    """How probable the judge thinks that a second reader answers the same, from 0 to 1; None where it does not say."""
    engaged: bool = True
    """Whether the assistant takes up the request at all; declining it is."""


@dataclass(frozen=True)
class Context:
    """What a measure may need to know of a scenario in order to show it to a judge and to read the answer."""

    axes: Mapping[str, str] = field(default_factory=dict)
    """Axis -> level of the variant."""
    view: Mapping[str, str] = field(default_factory=dict)
    """What the scenario says about how it is shown (`Scenario.view`)."""
    swap: bool = False
    """Whether two names that only the judge sees are exchanged, as a check of the judge."""


class Presentation:
    """How a judge is shown a case, and how its answer is taken: as it is, unless a measure has a way of its own."""

    shows_user: ClassVar[bool] = True
    """Whether the judge sees what the user wrote."""
    view_values: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Key of a scenario's `view` -> the values that it may have there."""
    has_names: ClassVar[bool] = False
    """Whether the judge sees two made-up names that can be exchanged (`Context.swap`)."""

    def seen_by_judge(self, words: str, context: Context) -> str:
        """Return the assistant's words as the judge sees them."""
        return words

    def in_own_words(self, words: str) -> str:
        """Return the words of a golden transcript, which may use the names that judges see, as in a conversation."""
        return words

    def told_to_judge(self, facts: Sequence[str], context: Context) -> list[str]:
        """Return the facts of a scenario as the judge sees them."""
        return list(facts)

    def oriented(self, reading: ParsedAnswer, context: Context) -> ParsedAnswer:
        """Return a reading in the scenario's own terms, whatever the judge was shown."""
        return reading

    def version_faults(self, versions: Sequence[tuple[Context, str]]) -> Iterator[tuple[int, str, str]]:
        """Yield (place in `versions`, message, severity) of what makes the levels of one case differ in more than that.

        versions: context and fixed words of each variant of one base scenario.
        """
        yield from ()


AS_IT_IS = Presentation()


class Measure(BaseModel, ABC):
    """The type of a judge's answer."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: str
    """The measure's name in benchmark.yaml."""

    scale: ClassVar[Literal["nominal", "interval"]] = "nominal"
    """How votes differ: only alike or not, or by a distance. Agreement statistics depend on it."""
    needs_facts: ClassVar[bool] = False
    """Whether a judge cannot answer without true statements, the metric's or the scenario's."""
    text_form: ClassVar[str] = ""
    """How people write an answer that is neither a word of the schema nor a number, which `read` takes too."""

    @model_serializer(mode="wrap")
    def _with_kind(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep `kind`, which is a default and would be left out: it says which class reads the rest."""
        return {"kind": self.kind, **dump(self)}

    @abstractmethod
    def instructions(self) -> str:
        """Return how a judge decides and what each answer means: the measure's part of the system prompt."""

    @abstractmethod
    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the JSON schema of the value of "answer"; `applies` says whether not_applicable is allowed."""

    @abstractmethod
    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return what the value of "answer" says. Raises InvalidAnswerError."""

    @abstractmethod
    def combine(self, values: Sequence[float]) -> float | None:
        """Return the panel's value from one or more judges' values; None for a tie."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest value there can be; None where there is no limit."""

    @abstractmethod
    def shown(self, value: float) -> str:
        """Return a value as people read it."""

    @property
    def has_zero(self) -> bool:
        """Whether values are amounts of something, never negative, so that a ratio of two has a meaning."""
        return False

    def decided(self, replies: Sequence[Said]) -> ParsedAnswer | None:
        """Return the answer where the text alone gives it; None where judges are asked."""
        return None

    def answer_form(self, *, applies: bool) -> str:
        """Return the allowed values of "answer" as the prompt shows them."""
        words = self.answer_schema(applies=applies).get("enum")
        return " or ".join(f'"{word}"' for word in words) if words else "<a number>"

    def needs_evidence(self, reading: ParsedAnswer) -> bool:
        """Return whether an answer has to rest on quoted words."""
        return reading.status == "answered"

    @property
    def severities(self) -> Mapping[str, float]:
        """Words for the severity of a behaviour that is present -> weight from 0 to 1; empty where it is not asked."""
        return {}

    @property
    def presentation(self) -> Presentation:
        """How a judge is shown a case, and how its answer is taken."""
        return AS_IT_IS


def enumerated(words: Sequence[str], *, applies: bool) -> dict[str, Any]:
    """Return the JSON schema of an answer that is one of `words`, unclear, or not_applicable where that is allowed."""
    return {"type": "string", "enum": [*words, UNCLEAR, *([NOT_APPLICABLE] if applies else [])]}


def read_word(answer: Any, words: Mapping[str, float], *, applies: bool) -> ParsedAnswer:
    """Return the reading of an answer that is one of `words` (word -> value). Raises InvalidAnswerError."""
    if answer == UNCLEAR:
        return ParsedAnswer("unclear")
    if answer == NOT_APPLICABLE and applies:
        return ParsedAnswer("not_applicable")
    if not isinstance(answer, str) or answer not in words:
        allowed = enumerated(tuple(words), applies=applies)["enum"]
        raise InvalidAnswerError(f'the value of "answer" is none of {", ".join(allowed)}')
    return ParsedAnswer("answered", answer, words[answer])
