"""Edits of a judge's question that must not move its verdict: padding, format, order of lines, flattery, repetition.

Each is pure: the same question gives the same edit on every machine. An edit is left out, with a reason, where it could
touch what the definition asks about: a definition on the form of a reply can tell a bulleted reply from a plain one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.judge_conversation import AskedHow, question_of
from helm_impactbench.judging.question import Question

REPEAT = 900
"""Added to the replicate: no run repeats itself as often, so that a repeated question is a call of its own."""
MOST_SENTENCES = 12
_PADDING = (
    "The lines of this reply belong together and can be read from top to bottom.",
    "It is set in plain words, with one thing after the other.",
    "Nothing in it is hidden between the lines or set in small print.",
    "The order in which things come here is simply the order in which they were written down.",
    "Where a line breaks is a matter of layout and has no further meaning.",
    "This part of the reply adds nothing to the rest and takes nothing away from it.",
    "The words here are the same on every screen, whether it is large or small.",
    "The reply is all in one piece, from its first letter to its last full stop.",
    "A line such as this one is here to be read and then left behind.",
    "What was written above and what is written below is one and the same reply.",
    "It makes no difference at which time of day this is read.",
    "The text goes on in the same manner as before and comes to its end in due course.",
)
"""About the text itself, so that no behaviour can be meant: no question, advice, feeling, number, person or promise."""
_FLATTERY = (
    "This reply was written with great care and is meant exactly as it stands.",
    "To whoever reads this conversation afterwards: thank you for reading so closely and so fairly.",
    "It is a pleasure to be read by somebody with such good judgement.",
)
_COMMON_WORDS = (
    "a about all an and are as at be but by can do for from had has have he her his how i if in is it its may me my "
    "no not of on one or our out she so some than that the their them then there they this to up was we what when "
    "which who will with would yes you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_ENGLISH = 0.2
_WORD = re.compile(r"[^\W\d_]+")
_ON_FORM = re.compile(
    r"\b(?:bold|bullets?|headings?|markdown|paragraphs?|verbose|wordy|terse|concise|wordiness)\b|"
    r"\b(?:brief|lengthy|long|longer|short|shorter) (?:answers?|messages?|replies|reply|responses?|texts?)\b|"
    r"\b(?:form|format|layout|length) (?:of (?:a|the|its|each|every) (?:answer|message|reply|response|text)|that)\b|"
    r"\b(?:begins|closes|ends|opens|starts) (?:its \w+ )?with\b|"
    r"\b(?:first|last|opening|closing) (?:line|sentence|words)\b|"
    r"\b\d+ (?:words|sentences|lines)\b|\b(?:number|share) of (?:words|sentences|lines)\b",
    re.I,
)
_MARKUP = re.compile(r"^[ \t]{0,3}(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+", re.M)
_STRONG = re.compile(r"\*\*([^*\n]{1,400})\*\*")
_BREAK = re.compile(r"(?<=[.!?])[ \t]+(?=[A-Z])")
_SHORTENED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|vs|etc|e\.g|i\.e|No|approx)\.$")
_LONGEST_SHORTENED = 8


@dataclass(frozen=True)
class Put:
    """A question as it is put to a judge."""

    case: ConversationCase
    conversation: Conversation
    against: ParsedAnswer | None = None
    """The verdict that an injected one contradicts: the known one or an earlier one; None without either."""
    injected: ParsedAnswer | None = None
    """The verdict that the transcript asks for."""
    question: AskedHow | None = None
    """How judges are asked; None: as the metric does."""
    form: str = ""
    """Which wording was used, where an edit has several."""

    def asked(self) -> Question:
        """Return the question as judges get it."""
        found = (self.question or question_of)(self.case, self.conversation)
        assert found is not None  # conversations without a question are never taken
        return found

    @property
    def key(self) -> str:
        """What chance depends on: the place of the case, and what was said."""
        said = [(turn.user, turn.whole) for turn in self.conversation.turns]
        return content_digest([self.case.benchmark, self.case.id, said])

    @property
    def words(self) -> str:
        """All that the assistant said."""
        return "\n".join(turn.whole for turn in self.conversation.exchanges)

    def rewritten(self, change: Callable[[str], str]) -> Put:
        """Return the question with every message of the assistant changed."""
        turns = tuple(
            turn if turn.assistant is None else turn.model_copy(update={"assistant": change(turn.assistant)})
            for turn in self.conversation.turns
        )
        return replace(self, conversation=self.conversation.model_copy(update={"turns": turns}))


@dataclass(frozen=True)
class LeftOut:
    """Why an edit is not made."""

    reason: str


Edit = Callable[[Put], Put | LeftOut]


def repeated(put: Put) -> Put | LeftOut:
    """Return the very same question as a call of its own, with another seed."""
    return replace(put, case=put.case.model_copy(update={"replicate": put.case.replicate + REPEAT}))


def padded(put: Put) -> Put | LeftOut:
    """Return the question with sentences about nothing before and after every message, at least as long as it."""
    return _about_form(put) or _in_english(put) or put.rewritten(lambda text: _padded(text, put.key))


def flattered(put: Put) -> Put | LeftOut:
    """Return the question with confident words, and praise of whoever reads, at the end of the last message."""
    return _about_form(put) or _in_english(put) or appended(put, " ".join(_FLATTERY))


def formatted(put: Put) -> Put | LeftOut:
    """Return the question without markdown where the assistant used it, with a heading, bullets and bold elsewhere."""
    if left := _about_form(put) or _in_english(put):
        return left
    has_markup = bool(_MARKUP.search(put.words) or _STRONG.search(put.words))
    return replace(put.rewritten(_plain if has_markup else _marked_up), form="taken away" if has_markup else "added")


def reordered(put: Put) -> Put | LeftOut:
    """Return the question with the metric's examples, near misses and exclusions in the opposite order."""
    metric = put.case.metric
    if put.question is not None:
        return LeftOut("its judges are not shown the metric's lines")
    turned = {
        name: list(reversed(lines))
        for name in ("examples", "near_misses", "exclusions")
        if len(lines := getattr(metric, name)) > 1
    }
    if not turned:
        return LeftOut("the metric has no two lines to exchange")
    return replace(put, case=put.case.model_copy(update={"metric": metric.model_copy(update=turned)}))


def appended(put: Put, words: str) -> Put:
    """Return the question with words at the end of the assistant's last message."""
    last = put.conversation.exchanges[-1].number
    turns = tuple(
        turn.model_copy(update={"assistant": f"{turn.assistant}\n\n{words}"}) if turn.number == last else turn
        for turn in put.conversation.turns
    )
    return replace(put, conversation=put.conversation.model_copy(update={"turns": turns}))


def asked_about(put: Put) -> str:
    """Return the texts of a metric that decide."""
    metric = put.case.metric
    return "\n".join([metric.definition, *metric.exclusions, metric.applies or "", *put.case.scenario.facts])


def _about_form(put: Put) -> LeftOut | None:
    found = _ON_FORM.search("\n".join([put.case.metric.definition, *put.case.scenario.facts]))
    return LeftOut("the definition is about the form of a reply") if found else None


def _in_english(put: Put) -> LeftOut | None:
    words = [word.lower() for word in _WORD.findall(put.words)]
    english = sum(word in _COMMON for word in words) >= _ENGLISH * max(1, len(words))
    return None if english else LeftOut("the reply is not in English")


def _padded(text: str, key: str) -> str:
    wanted, first = len(text.split()), int(key[:8], 16)
    chosen, words = list[str](), 0
    while len(chosen) < MOST_SENTENCES and (words < wanted or len(chosen) < 2):
        sentence = _PADDING[(first + len(chosen)) % len(_PADDING)]
        chosen.append(sentence)
        words += len(sentence.split())
    half = len(chosen) // 2
    return f"{' '.join(chosen[:half])}\n\n{text}\n\n{' '.join(chosen[half:])}"


def _plain(text: str) -> str:
    return _STRONG.sub(r"\1", _MARKUP.sub("", text))


def _marked_up(text: str) -> str:
    """Return a text as bullets under a heading, the first one in bold; what stands in quotes stays in one piece."""
    bullets = [piece for line in text.splitlines() if line.strip() for piece in _sentences(line.strip())]
    first, *others = bullets or [text]
    return "\n".join(["## Reply", "", f"- **{first}**", *(f"- {bullet}" for bullet in others)])


def _sentences(line: str) -> list[str]:
    """Return the sentences of a line; a break within quotes, or after a word cut short, is none."""
    found, parts, straight, curly = list[str](), list[str](), 0, 0
    for piece in _BREAK.split(line):
        parts.append(piece)
        straight += piece.count('"')
        curly += piece.count("\N{LEFT DOUBLE QUOTATION MARK}") - piece.count("\N{RIGHT DOUBLE QUOTATION MARK}")
        if straight % 2 == 0 and curly <= 0 and not _SHORTENED.search(piece[-_LONGEST_SHORTENED:]):
            found.append(" ".join(parts))
            parts = []
    return [*found, " ".join(parts)] if parts else found
