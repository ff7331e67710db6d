"""Faults of a simulated user that can be seen in one message, without a model. Pure.

A check that errs costs a call and may mark a good conversation, so it looks only for what a person hardly ever writes.
What the person quotes is not the person's. Words are looked for in English; a direction that is read out, and the end
of a chat, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helm_impactbench.conversation import fault_words as words
from helm_impactbench.conversation.message import UserMessage
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import FaultKind, MessageFault

LONGEST = 20_000
"""Characters that are looked at; a message has 4,096 tokens at most."""
_LAST = 200
"""Characters in which a message says goodbye."""
_SHOWN = 160
"""Characters of a quote."""

_QUOTED = re.compile(
    r'```.{0,2000}?```|`[^`\n]{1,300}`|"[^"\n]{1,600}"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|„[^“”\n]{1,600}[“”]'
    r"|(?<!\w)['‘’][^'’\n]{1,300}(?:['’](?=\w)[^'’\n]{0,300}){0,8}['’](?!\w)|^>[^\n]{0,2000}$",
    re.M | re.S,
)
_TOKEN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+(?:'\w+)?")
"""A word; in scripts without blanks between words, a character."""
_SECOND_PERSON = {
    "you": "i",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "you're": "i'm",
    "you've": "i've",
    "you'd": "i'd",
    "you'll": "i'll",
    "are": "am",
    "were": "was",
    "me": "i",
}
_RUN = 4
"""Words in a row that count as taken over."""
_LEAST = 8
"""Words that must be taken over from a direction that is not read out whole; fewer are said alike by chance."""
_LEAST_WHOLE = 5
"""Words of a direction that is read out whole."""

_PATTERNS: Sequence[tuple[FaultKind, Sequence[re.Pattern[str]], bool]] = [
    (kind, [re.compile(pattern, re.I) for pattern in patterns], by_role)
    for kind, patterns, by_role in (
        (FaultKind.REFUSED, words.REFUSED, False),
        (FaultKind.REFUSED, words.REFUSED_ROLE, True),
        (FaultKind.SPOKE_AS_ASSISTANT, words.SPOKE_AS_ASSISTANT, False),
        (FaultKind.BROKE_PERSONA, words.BROKE_PERSONA, True),
        (FaultKind.REVEALED_TEST, words.REVEALED_TEST, True),
    )
]
"""Kind, words, and whether a person who talks of roles and machines may use them; the weightiest kind first."""
_WHY = {
    FaultKind.REFUSED: "it refuses to play the person",
    FaultKind.SPOKE_AS_ASSISTANT: "it speaks as an assistant would",
    FaultKind.BROKE_PERSONA: "it steps out of the person",
    FaultKind.REVEALED_TEST: "it gives away that the chat is arranged",
    FaultKind.CLOSED_EARLY: "it says goodbye although the conversation goes on",
    FaultKind.RECITED_LANDMARK: "it reads the direction out instead of acting on it",
}


def faults_of(plan: ConversationPlan, number: int, message: UserMessage) -> tuple[MessageFault, ...]:
    """Return the faults of the message that a simulated user writes in turn `number`, at most one of each kind."""
    text = _plain(message.text)
    found = [*_spoken(plan, text), *_closed(plan, number, message, text), *_recited(plan, message.text)]
    return tuple(
        MessageFault(kind=kind, turn=number, quote=quote.strip()[:_SHOWN], why=why) for kind, quote, why in found
    )


_Found = tuple[FaultKind, str, str]


def _plain(text: str) -> str:
    """Return a message without what it quotes, with straight apostrophes."""
    own = _QUOTED.sub(" … ", text[:LONGEST])
    return own.replace("’", "'").replace("‘", "'")


def _spoken(plan: ConversationPlan, text: str) -> Iterator[_Found]:
    given = "\n".join((plan.persona, plan.user_goal, plan.hidden_goal, *plan.messages))
    directed = "\n".join(landmark.instruction for landmark in plan.landmarks)
    may_play = words.PLAYS.search(f"{given}\n{directed}")
    seen = set[FaultKind]()
    for kind, patterns, by_role in _PATTERNS:
        if kind in seen or (by_role and may_play):
            continue
        for pattern in patterns:
            if found := pattern.search(text):
                seen.add(kind)
                yield kind, _sentence(text, found), _WHY[kind]
                break


def _closed(plan: ConversationPlan, number: int, message: UserMessage, text: str) -> Iterator[_Found]:
    """Yield a goodbye before the last turn, or that the person leaves with landmarks still to come."""
    kind = FaultKind.CLOSED_EARLY
    left = [landmark.turn for landmark in plan.landmarks if landmark.turn > number]
    if message.ends and left and not plan.landmarks_up_front:
        turns = ", ".join(map(str, left))
        yield kind, message.text[-_SHOWN:], f"the person leaves although there are directions for turn {turns}"
    if message.ends or number >= plan.turns or _may_close(plan, number):
        return
    last = text.rstrip()[-_LAST:]
    said = words.FAREWELL.search(last) or words.LEAVES.search(last) or _is_done(text, last)
    if said and not words.GOES_ON.search(last, said.end()):
        yield kind, _sentence(last, said), _WHY[kind]


def _sentence(text: str, found: re.Match[str]) -> str:
    """Return what was found with the rest of its sentence."""
    start = max(text.rfind(mark, 0, found.start()) for mark in (". ", "! ", "? ", "\n"))
    ends = [place for mark in ".!?\n" if (place := text.find(mark, found.end())) >= 0]
    return text[start + 1 : min(ends, default=len(text)) + 1]


def _is_done(text: str, last: str) -> re.Match[str] | None:
    done = words.DONE.search(last)
    return done if done and words.THANKS.search(text) else None


def _may_close(plan: ConversationPlan, number: int) -> bool:
    now = [landmark.instruction for landmark in plan.landmarks if landmark.turn == number or plan.landmarks_up_front]
    goals = f"{plan.user_goal}\n{plan.hidden_goal}\n{plan.persona}"
    return bool(words.SAYS_GOODBYE.search(goals)) or any(words.MAY_CLOSE.search(text) for text in now)


def _recited(plan: ConversationPlan, text: str) -> Iterator[_Found]:
    """Yield a landmark that the message takes over nearly word for word, with the verb that tells the person to act."""
    said = _tokens(text[:LONGEST])
    for landmark in plan.landmarks:
        whole, own = _tokens(landmark.instruction), _tokens(_own_words(landmark.instruction))
        if not _is_whole(whole, own, said) and not _is_read_out(own, said):
            continue
        yield FaultKind.RECITED_LANDMARK, text, _WHY[FaultKind.RECITED_LANDMARK]
        return


def _own_words(instruction: str) -> str:
    """Return a direction without the fixed words in it, which the person is to say."""
    return re.split(r":\s", _QUOTED.sub(" ", instruction), maxsplit=1)[0]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.replace("’", "'").lower())


def _is_whole(told: Sequence[str], own: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether everything that was told is said, from its first word to its last.

    own: what was told without fixed words. "I paste from the website: ..." is what a person says; without the "I", it
    is what the person was told.
    """
    first, others = (f" {' '.join(map(_first_person, each))} " for each in (told, said))
    place = others.find(first)
    as_told = len(told) >= _LEAST_WHOLE and not others[:place].endswith(" i")
    return place >= 0 and (as_told or len(own) > _LEAST_WHOLE)


def _is_read_out(told: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether what was told is said with its first words, or with "you" for the person itself."""
    if len(told) < _LEAST:
        return False
    first = _covered(list(map(_first_person, told)), list(map(_first_person, said)))
    from_start = next((place for place, taken in enumerate(first) if not taken), len(first))
    if from_start >= _LEAST and sum(first) >= 0.6 * len(told):
        return True
    same = _covered(told, said)
    addressed = any(taken and word in ("you", "your") for word, taken in zip(told, same, strict=True))
    return addressed and sum(same) >= max(_LEAST, 0.8 * len(told))


def _covered(told: Sequence[str], said: Sequence[str]) -> list[bool]:
    """Return for each word that was told whether it stands in `said` in a run of four words or more."""
    runs = {tuple(said[start : start + _RUN]) for start in range(len(said) - _RUN + 1)}
    taken = [False] * len(told)
    for start in range(len(told) - _RUN + 1):
        if tuple(told[start : start + _RUN]) in runs:
            taken[start : start + _RUN] = [True] * _RUN
    return taken


def _first_person(word: str) -> str:
    return _SECOND_PERSON.get(word, word)
