"""Replies of the simulated user that go on after its message, as the assistant or as a raw chat. Pure.

Models that miss their stop write the next turns as well, with the role names of their language or the control tokens of
their chat template. A dialogue that the person quotes, and what stands in code marks, is the person's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helm_impactbench.conversation.labels import ALONE, SpeakerLabel, has_own_line, label_at

_TOKEN = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>|</s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>|<(?:eos|end_of_utterance)>",
    re.I,
)
_NAMES_A_ROLE = re.compile(
    r"<\|im_start\|>[ \t]*(?:assistant|user|system|model)|<[|｜](?:assistant|user|system|bot|model|human)[|｜]>"
    r"|<\|start_header_id\|>|<start_of_turn>[ \t]*(?:model|user)|\[/INST\]",
    re.I,
)
_HTML = ("</s>", "</S>")
"""A control token, or the end of what is crossed out."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S)
_GLUED = re.compile(r"(?<=[^\s\w-])assistant\n\n(?=\S)|(?<=[a-z])assistant\n\n(?=[A-Z])")
"""The header of Llama 3's next turn with its control tokens left out."""
_HEADINGS = frozenset(("assistant", "response", "instruction", "human"))
_INTRODUCES = (":", "：", "﹕")


def without_last_tokens(text: str) -> str:
    """Return `text` without the control tokens that end it: a server has left them in."""
    end, html = len(text.rstrip()), "<s>" in text
    for token in reversed(list(_TOKEN.finditer(text))):
        if token.end() != end or (html and token.group() in _HTML):
            break
        end = token.start()
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]


def runs_on(text: str, labels: Sequence[SpeakerLabel]) -> str:
    """Return why a message cannot be one person's alone, "" when it can. `labels` are those of the text."""
    words, html = _CODE.sub(_hidden, text), "<s>" in text
    for token in _TOKEN.finditer(words):
        if html and token.group() in _HTML:
            continue
        if _NAMES_A_ROLE.match(words, token.start()) or _at_an_edge(words, token):
            return f"it contains {token.group()}, a control token of a chat template"
    if _GLUED.search(words):
        return "it continues with the words of the assistant"
    end = len(words.rstrip())
    hidden = "\0" in words
    spoken = [label for label in labels if not hidden or "\0" not in words[label.start : label.end]]
    role = next((label for label in spoken if _is_role(label, end)), None)
    if role is None:
        return ""
    quoted = has_own_line(words, role.start) or _is_quoted(words, role)
    return "" if quoted else f"it continues with the words of the assistant ({role.name})"


def _hidden(code: re.Match[str]) -> str:
    return "\n".join("\0" * len(line) for line in code.group().split("\n"))


def _at_an_edge(text: str, token: re.Match[str]) -> bool:
    """Return whether a token begins or ends a line, or stands beside another one: nobody asks about it there."""
    before, after = text[max(0, token.start() - 1) : token.start()], text[token.end() : token.end() + 1]
    return before in ("", "\n") or after in ("", "\n", "<")


def _is_role(label: SpeakerLabel, end: int) -> bool:
    if label.form in ("key", "quoted") or ">" in label.prefix:
        return False
    if "###" in label.prefix and label.name.lower() in _HEADINGS:
        return True
    if label.alone:
        return label.name in ALONE and not label.prefix and label.start > 0 and label.end < end
    return label.kind == "assistant" and (label.colon if label.form != "bracketed" else "[" in label.prefix)


def _is_quoted(text: str, role: SpeakerLabel) -> bool:
    """Return whether the person quotes a dialogue: its lines, of which this is one, are introduced with a colon."""
    begins = role.start
    while begins > 0:
        line = text.rfind("\n", 0, begins - 1) + 1
        above = label_at(text, line)
        if above is None or not above.colon:
            break
        begins = line
    return text[:begins].rstrip().endswith(_INTRODUCES)
