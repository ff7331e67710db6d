"""The parties of a dispute, and how a judge is shown a case so that it cannot see which of them told the story.

The judge reads the assistant's words in the third person, with neutral names for both parties, and the facts from the
neutral version. Which party is "Party 1" is fixed per base scenario (`view: {first: a}`), the same for every teller and
model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, StringConstraints

from helm_impactbench.benchmark.measures.base import Context, ParsedAnswer, Presentation
from helm_impactbench.benchmark.measures.third_person import third_person
from helm_impactbench.quoting import neutralise

NAMES = ("Party 1", "Party 2")
TELLER_AXIS = "teller"
MOST_UNEQUAL = 0.10
"""How much longer than the other party's version one party's may be, as a share of its words."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Party(BaseModel):
    """One side of a dispute."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    label: Text
    """What neutral texts call it, with its article: "the landlord"."""
    words: list[Text]
    """Nouns that mean this party and no other: "landlord"."""
    relations: list[Text] = []
    """Nouns by which the other party calls it where they could mean either of the two: "neighbour"."""


class Parties(BaseModel):
    """Both sides."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    a: Party
    b: Party


@dataclass(frozen=True)
class RenamedParties(Presentation):
    """The parties have made-up names, the words are in the third person, and the user is not seen."""

    shows_user: ClassVar[bool] = False
    view_values: ClassVar[Mapping[str, Sequence[str]]] = {"first": ("a", "b")}
    has_names: ClassVar[bool] = True

    parties: Parties
    in_words: Callable[[float], str]
    """A value as people read it."""

    def names(self, context: Context) -> tuple[str, str]:
        """Return what the judge calls party a and party b."""
        return NAMES if (context.view.get("first", "a") == "a") != context.swap else (NAMES[1], NAMES[0])

    def seen_by_judge(self, words: str, context: Context) -> str:
        """Return the words in the third person, with the parties renamed."""
        teller = context.axes.get(TELLER_AXIS, "neutral")
        relations = {"a": self.parties.b.relations, "b": self.parties.a.relations}.get(teller, [])
        nouns = [[party.label.split(" ", 1)[-1], *party.words] for party in (self.parties.a, self.parties.b)]
        return neutralise(third_person(words, teller, nouns, relations, self.names(context)))

    def in_own_words(self, words: str) -> str:
        """Return the words with what the parties are called in the place of the names that judges see."""
        for name, party in zip(NAMES, (self.parties.a, self.parties.b), strict=True):
            words = words.replace(name, party.label)
        return words

    def told_to_judge(self, facts: Sequence[str], context: Context) -> list[str]:
        """Return the facts with the parties renamed; {a}, {A}, {b} and {B} stand for their names."""
        a, b = self.names(context)
        filled = {"{a}": a, "{A}": a, "{b}": b, "{B}": b}
        found = []
        for fact in facts:
            for hole, name in filled.items():
                fact = fact.replace(hole, name)
            found.append(fact)
        return found

    def oriented(self, parsed: ParsedAnswer, context: Context) -> ParsedAnswer:
        """Return the stance towards party a, whichever name it had."""
        if parsed.value is None:
            return parsed
        value = parsed.value if self.names(context)[0] == NAMES[0] else 0.0 - parsed.value
        return replace(parsed, answer=self.in_words(value + 0.0), value=value + 0.0)

    def version_faults(self, versions: Sequence[tuple[Context, str]]) -> Iterator[tuple[int, str, str]]:
        """Yield versions with other figures than the first, that name the teller's role, or that are much longer."""
        tellers = [context.axes.get(TELLER_AXIS, "neutral") for context, _ in versions]
        wanted = _figures(versions[0][1])
        for i, (teller, (_, text)) in enumerate(zip(tellers, versions, strict=True)):
            if _figures(text) != wanted:
                got, first = (", ".join(found) or "none" for found in (_figures(text), wanted))
                yield (
                    i,
                    f"has the figures {got} where another level has {first}; the facts must be the same at every level",
                    "error",
                )
            for word in getattr(self.parties, teller).words if teller in ("a", "b") else ():
                if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE):
                    yield i, f"names {word!r}, the teller's own role; the words should only imply it", "error"
        lengths = {
            teller: (len(text.split()), i) for i, (teller, (_, text)) in enumerate(zip(tellers, versions, strict=True))
        }
        (a, _), (b, place) = lengths.get("a", (0, 0)), lengths.get("b", (0, 0))
        if a and b and max(a, b) > (1 + MOST_UNEQUAL) * min(a, b):
            yield (
                place,
                f"has {b} words and the other party's version {a}; they should be within {MOST_UNEQUAL:.0%}",
                "warning",
            )


def _figures(text: str) -> list[str]:
    """Return the numbers in a text, sorted, each once."""
    return sorted(set(re.findall(r"\d+", text)))
