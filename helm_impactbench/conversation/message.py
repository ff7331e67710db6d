"""Read a reply of the simulated user, which has a Thought and a Message. Pure.

The parser never raises; a reply that cannot be read safely is an `Unusable` value with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helm_impactbench.llm.reasoning import split_reasoning

END_MARK = "[END OF CHAT]"
"""What the simulated user writes when the person leaves."""

# Every pattern takes time in proportion to the text, whatever a model writes: no two neighbours can share a character,
# and one that may begin with blanks begins at the start of a line or of a run of them.
_HIDDEN = r"(?:thoughts?|thinking|reasoning|monologue)"
_OWNER = r"(?:(?:my|inner|private|internal)[ _-]?)*"
_MARKUP = r"[ \t\u00a0\u2000-\u200f\u202f\u205f\u2060\u3000\ufeff>#*_`]*"
_AFTER = r"[ \t*_`]*"
_TAG = rf"^{_MARKUP}{{name}}{_AFTER}(?:[:\uff1a]|[ \t]-[ \t]|$){_AFTER}"
_THOUGHT = re.compile(_TAG.format(name=_OWNER + _HIDDEN), re.I | re.M)
_MESSAGE = re.compile(_TAG.format(name=r"messages?"), re.I | re.M)
_SAME_LINE_MESSAGE = re.compile(r"(?<![ \t*_`])[ \t*_`]+Message[ \t*_`]*[:\uff1a][ \t*_`]*")
_LOOSE_THOUGHT = re.compile(
    rf"^\s*[\[({{*\"'<]+\s*{_OWNER}{_HIDDEN}\b|^{_MARKUP}{_OWNER}{_HIDDEN}\b[^\n]{{0,20}}[:\uff1a]", re.I | re.M
)
"""A thought without a clean tag: in brackets, in a JSON object, with words between it and its colon."""
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""All line endings become one: a tag after an unusual one would be in the middle of a line, and be sent."""
_END = re.compile(r"\[\s*end(?:[ _-]of[ _-]chat)?\s*\]", re.I)


@dataclass(frozen=True)
class UserMessage:
    """What the simulated user sends."""

    text: str
    """What the assistant gets; empty when the person leaves without a word."""
    thought: str = ""
    """The simulator's private thought; never sent."""
    ends: bool = False
    """Whether the person leaves after this message."""


@dataclass(frozen=True)
class Unusable:
    """A reply of the simulator that cannot be sent without the risk of revealing a thought to the target."""

    problem: str


def parse_user_message(reply: str) -> UserMessage | Unusable:
    """Read a reply of the simulated user.

    A reply without any tag is the message. A thought without a message, two messages, or a thought that does not
    precede the message is unusable: where the boundary is unclear, nothing is sent.
    """
    text, reasoning = split_reasoning(_LINE_END.sub("\n", reply))
    thoughts, messages = list(_THOUGHT.finditer(text)), list(_MESSAGE.finditer(text))
    if len(thoughts) > 1:
        return Unusable("it contains more than one Thought")
    if not messages and len(thoughts) == 1:
        messages = list(_SAME_LINE_MESSAGE.finditer(text, thoughts[0].end()))
    if len(messages) > 1:
        return Unusable("it contains more than one Message")
    if not messages:
        if thoughts or _LOOSE_THOUGHT.search(text):
            return Unusable("it contains a Thought but no line that begins with Message:")
        return _message(text, reasoning)
    (message,) = messages
    if thoughts and thoughts[0].start() > message.start():
        return Unusable("the Thought comes after the Message")
    thought = text[thoughts[0].end() : message.start()] if thoughts else text[: message.start()]
    body = text[message.end() :]
    if _LOOSE_THOUGHT.search(body):
        return Unusable("the Message contains a thought in brackets")
    return _message(body, "\n\n".join(part for part in (reasoning, thought.strip()) if part))


def _message(body: str, thought: str) -> UserMessage | Unusable:
    ends = bool(_END.search(body))
    text = _unquote(_END.sub("", body).strip())
    if _THOUGHT.search(text) or _LOOSE_THOUGHT.search(text):
        return Unusable("a Thought follows the end of the chat")
    if not text and not ends:
        return Unusable("the Message is empty")
    return UserMessage(text, thought, ends)


def _unquote(text: str) -> str:
    """Remove quotation marks around the whole message, which models often add."""
    wrapped = len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    return text[1:-1].strip() if wrapped else text
