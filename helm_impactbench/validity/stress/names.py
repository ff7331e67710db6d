"""Other names for the people in a transcript, where nothing can depend on them: a judge has to judge them alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from helm_impactbench.llm.tool_call import Action
from helm_impactbench.validity.stress.edits import LeftOut, Put, asked_about

_WOMEN = (
    "abena adwoa agnes aisha alice alicia amina ana anita anna astrid ayesha bea beatriz bess bianca camila carmen "
    "chiara chloe clara daniela deborah diana edda eleni elena ella emily emma esther eva fatima fatou freya "
    "gabriela greta hannah helen helena ingrid isabel jana jasmine joanna johanna judith julia karin katja "
    "lara laura leila lena leyla linda lucia magda maria marta martha mei mina miriam monika nadia naomi natalia "
    "ngozi nina noor olga paula petra pilar priya rachel rosa sana sandra sara sarah shreya silvia sofia sophie "
    "susan svetlana tamara teresa ursula vera yasmin yuki zainab zofia"
)
_MEN = (
    "abel adam adeel ahmed akira alberto ali anders andre andrei anton antonio arjun ben bilal carlos cem chinedu "
    "daniel david dennis diego dimitri eduardo emeka emil enrique erik ernesto felipe felix fernando florian george "
    "hamid hans hassan henrik hiroshi hugo ibrahim idris ivan jakub james jamal jan javier jens joao johan jonas "
    "jorge jose karim kenji kofi kwame lars leon leo luca luis luka malik marco marek martin mateo matteo michael "
    "miguel mohammed nikolai nils omar oscar osei pablo paolo pavel pedro peter rafa rafael rahul raj ravi roberto "
    "samir samuel sergei simon stefan sven tariq thabo thomas tomas viktor vikram wim xavier yusuf"
)
_POOLS = {pool: tuple(names.split()) for pool, names in (("women", _WOMEN), ("men", _MEN))}
_POOL_OF = {name: pool for pool, names in _POOLS.items() for name in names}
_WORD = re.compile(r"(?<![\w@#/-])[A-Za-z]{2,12}(?![\w@-])")
_SURNAME = re.compile(r"[ \t]+[A-Z][a-z]")
_TITLE = re.compile(r"\b(?:Dr|Miss|Mr|Mrs|Ms|St|Saint|San|Santa|King|Queen|Prince|Princess|Pope)\.?[ \t]$")
_ON_NAMES = re.compile(
    r"\b(?:family|first|full|given|maiden|own|person's|user's|whose) names?\b|\b(?:by|a|the) name\b|\bsurnames?\b|"
    r"\bgender|\b(?:cultur|ethnic|heritage|migra|nationalit|religi)|\b(?:faith|origin|country|countries)\b",
    re.I,
)
_AXES = re.compile(r"name|cultur|ethnic|origin|nation|religio|gender", re.I)
"""Axes whose levels names may show."""


def renamed(put: Put) -> Put | LeftOut:
    """Return the question with other given names, of the same gender, in all messages.

    Left out where a definition, fact or axis is about names or origin. A name with a surname behind it may be that of a
    public figure, so it stays, and so does one behind a title, and one that the metric or a fact has too.
    """
    if _ON_NAMES.search(asked_about(put)) or any(map(_AXES.search, put.case.scenario.axes)):
        return LeftOut("the definition is about names or origin")
    texts = [text for turn in put.conversation.turns for text in (turn.user, turn.whole)]
    metric = put.case.metric
    fixed = "\n".join([asked_about(put), *metric.examples, *metric.near_misses])
    kept = {found.group().lower() for found in _names(fixed)}
    said, doubtful = set[str](), set[str]()
    for text in texts:
        for found in _names(text):
            said.add(found.group().lower())
            if _SURNAME.match(text, found.end()) or _TITLE.search(text[max(0, found.start() - 10) : found.start()]):
                doubtful.add(found.group().lower())
    changed = sorted(said - kept - doubtful)
    if not changed:
        return LeftOut("no given name that can be exchanged")
    others = _others(changed, said | kept, int(put.key[:8], 16))

    def exchange(text: str) -> str:
        return _WORD.sub(lambda found: _like(found.group(), others.get(found.group().lower())), text)

    turns = tuple(
        turn.model_copy(
            update={
                "user": exchange(turn.user),
                "assistant": None if turn.assistant is None else exchange(turn.assistant),
                "actions": tuple(_exchanged(one, exchange) for one in turn.actions),
            }
        )
        for turn in put.conversation.turns
    )
    return replace(
        put,
        conversation=put.conversation.model_copy(update={"turns": turns}),
        form=", ".join(f"{name.title()} is {others[name].title()}" for name in changed),
    )


def _names(text: str) -> Iterator[re.Match[str]]:
    return (found for found in _WORD.finditer(text) if found.group().lower() in _POOL_OF)


def _others(names: list[str], taken: set[str], chance: int) -> dict[str, str]:
    """Return another name of the same gender for each, none twice."""
    found = dict[str, str]()
    for place, name in enumerate(names):
        pool = [one for one in _POOLS[_POOL_OF[name]] if one not in taken and one not in found.values()]
        found[name] = pool[(chance + 31 * place) % len(pool)]
    return found


def _like(name: str, other: str | None) -> str:
    """Return the other name, written as the first one is."""
    if other is None:
        return name
    return other if name.islower() else other.upper() if name.isupper() and len(name) > 1 else other.title()


def _exchanged(one: Action, exchange: Callable[[str], str]) -> Action:
    """Return what was done with other names in it."""
    texts = ("said", "arguments", "result")
    return one.model_copy(update={name: exchange(getattr(one, name)) for name in texts})
