"""Read a reply of the simulated user, which has a Thought and a Message. Pure.

The parser never raises; a reply that cannot be read safely is an `Unusable` value with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.characters import is_blank
from helm_impactbench.conversation.labels import BLANKS, SpeakerLabel, first_label, inline_messages, labels_in, shifted
from helm_impactbench.conversation.run_on import runs_on, without_last_tokens
from helm_impactbench.llm.reasoning import split_reasoning

END_MARK = "[END OF CHAT]"
"""What the simulated user writes when the person leaves."""

# Every pattern takes time in proportion to the text, whatever a model writes: no two neighbours can share a character,
# and one that may begin with blanks begins at the start of a line or of a run of them.
_HIDDEN = r"(?:thoughts?|thinking|reasoning|monologue)"
_OWNER = r"(?:(?:my|inner|private|internal)[ _-]?)*"
_MARKUP = rf"[{BLANKS}>#*_`]*"
_TAG = rf"^{_MARKUP}(?=\w){{name}}[{BLANKS}*_`]*(?:[:\uff1a]|[ \t]-[ \t]|$)[*_`]*[ \t]*"
_THOUGHT = re.compile(_TAG.format(name=_OWNER + _HIDDEN), re.I | re.M)
_MESSAGE = re.compile(_TAG.format(name=r"messages?"), re.I | re.M)
_SAME_LINE_MESSAGE = re.compile(r"(?<![ \t*_`])[ \t*_`]+Message[ \t*_`]*[:\uff1a][*_`]*[ \t]*")
_LOOSE_THOUGHT = re.compile(
    rf"^[{BLANKS}>#*_`\[({{<\"']*(?<=[\[({{*\"'<])[ \t]*(?=\w){_OWNER}{_HIDDEN}\b"
    rf"|^{_MARKUP}(?=\w){_OWNER}{_HIDDEN}\b[^\n]{{0,20}}[:\uff1a]",
    re.I | re.M,
)
"""A thought without a clean tag: in brackets, in a JSON object, with words between it and its colon."""
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""All line endings become one: a tag after an unusual one would be in the middle of a line, and be sent."""
_END = re.compile(r"\[\s*end(?:[ _-]of[ _-]chat)?\s*\]", re.I)


_Span = tuple[int, int]


@dataclass(frozen=True)
class UserMessage:
    """What the simulated user sends."""

    text: str
    """What the assistant gets; empty when the person leaves without a word."""
    thought: str = ""
    """The simulator's private thought; never sent."""
    ends: bool = False
    """Whether the person leaves after this message."""
    draft: str = ""
    """What stood there before it was paraphrased."""


@dataclass(frozen=True)
class Unusable:
    """A reply of the simulator that cannot be sent without the risk of revealing a thought to the target."""

    problem: str


def parse_user_message(reply: str) -> UserMessage | Unusable:
    """Read a reply of the simulated user.

    A reply without any tag is the message. A thought without a message, two messages, or a thought that does not
    precede the message is unusable: where the boundary is unclear, nothing is sent. The tags may be those of another
    language. So is a message that goes on as the assistant, or holds nothing that can be seen.
    """
    text, reasoning = split_reasoning(_LINE_END.sub("\n", reply))
    labels = labels_in(text)
    thoughts, messages = _spans(_THOUGHT, text), _spans(_MESSAGE, text)
    if not thoughts and not messages:
        thoughts, messages = _translated(text, labels)
    if len(thoughts) > 1:
        return Unusable("it contains more than one Thought")
    if not messages and len(thoughts) == 1:
        messages = _spans(_SAME_LINE_MESSAGE, text, thoughts[0][1])
    if len(messages) > 1:
        return Unusable("it contains more than one Message")
    if not messages:
        if thoughts or _holds_thought(text, labels):
            return Unusable("it contains a Thought but no line that begins with Message:")
        return _message(text, labels, reasoning)
    (message,) = messages
    if thoughts and thoughts[0][0] > message[0]:
        return Unusable("the Thought comes after the Message")
    thought = text[thoughts[0][1] : message[0]] if thoughts else text[: message[0]]
    body = text[message[1] :]
    inside = shifted(labels, message[1])
    if _holds_thought(body, inside):
        return Unusable("the Message contains a thought in brackets")
    return _message(body, inside, "\n\n".join(part for part in (reasoning, thought.strip()) if part))


def _spans(pattern: re.Pattern[str], text: str, start: int = 0) -> list[_Span]:
    return [found.span() for found in pattern.finditer(text, start)]


def _translated(text: str, labels: Sequence[SpeakerLabel]) -> tuple[list[_Span], list[_Span]]:
    """Return where labels of thoughts and messages in other languages stand.

    Those of messages count only in a reply that begins with a label: a person may quote one later on.
    """
    named = [label for label in labels if label.colon and label.form in ("bare", "starred")]
    thoughts = [(label.start, label.end) for label in named if label.kind == "thought"]
    first = first_label(text)
    if first is None or not first.colon or not (thoughts or _line_from(text, first.end)):
        return thoughts, []
    messages = [(label.start, label.end) for label in named if label.kind == "message"]
    if not messages and len(thoughts) == 1:
        messages = [found.span() for found in inline_messages(text, thoughts[0][1])]
    return thoughts, messages


def _line_from(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)].strip()


def _holds_thought(text: str, labels: Sequence[SpeakerLabel]) -> bool:
    return bool(_LOOSE_THOUGHT.search(text)) or any(
        label.is_aside_on_thoughts or (label.kind == "thought" and label.colon and label.form == "bare")
        for label in labels
    )


def _message(body: str, labels: Sequence[SpeakerLabel], thought: str) -> UserMessage | Unusable:
    """Return the message that `body` is; it has been searched for thoughts, and `labels` are its labels."""
    ends = bool(_END.search(body))
    if ends:
        body = _END.sub("", body)
        labels = labels_in(body)
        if _THOUGHT.search(body) or _holds_thought(body, labels):
            return Unusable("a Thought follows the end of the chat")
    text = _unquote(without_last_tokens(body).strip())
    if is_blank(text):
        return UserMessage("", thought, ends) if ends else Unusable("the Message is empty")
    problem = runs_on(text, shifted(labels, body.find(text)))
    return Unusable(problem) if problem else UserMessage(text, thought, ends)


def _unquote(text: str) -> str:
    """Remove quotation marks around the whole message, which models often add."""
    wrapped = len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    return text[1:-1].strip() if wrapped else text
