"""Replies of the simulated user that go on after its message, as the assistant or as a raw chat. Pure.

Models that miss their stop write the next turns as well, with the role names of their language or the control tokens of
their chat template. A dialogue that the person quotes, and what stands in code marks, is the person's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helm_impactbench.conversation.labels import Label, labels_in

_TOKEN = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>|</s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>|<(?:eos|end_of_utterance)>",
    re.I,
)
_NAMES_A_ROLE = re.compile(
    r"<\|im_start\|>[ \t]*(?:assistant|user|system|model)|<[|｜](?:assistant|user|system|bot|model|human)[|｜]>"
    r"|<\|start_header_id\|>|<start_of_turn>[ \t]*(?:model|user)|\[/INST\]",
    re.I,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S)
_GLUED = re.compile(r"(?<=[^\s\w-])assistant\n\n(?=\S)|(?<=[a-z])assistant\n\n(?=[A-Z])")
"""The header of Llama 3's next turn with its control tokens left out."""
_HEADINGS = frozenset(("assistant", "response", "instruction", "human"))
_BARE_ROLES = frozenset(("assistant", "model"))
"""What is left of the header of a turn when its control tokens are left out."""
_INTRODUCES = (":", "：", "﹕")
_HIDDEN = re.compile(r"[^\n]")


def without_last_tokens(text: str) -> str:
    """Return `text` without the control tokens that end it: a server has left them in."""
    end = len(text.rstrip())
    for token in reversed(list(_TOKEN.finditer(text))):
        if token.end() != end or _closes_html(text, token):
            break
        end = token.start()
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]


def runs_on(text: str) -> str:
    """Return why a message cannot be one person's alone, "" when it can."""
    words = _CODE.sub(lambda code: _HIDDEN.sub("\0", code.group()), text)
    for token in _TOKEN.finditer(words):
        if _NAMES_A_ROLE.match(words, token.start()) or _at_an_edge(words, token):
            return f"it contains {token.group()}, a control token of a chat template"
    if _GLUED.search(words):
        return "it continues with the words of the assistant"
    labels = list(labels_in(words))
    first = next((place for place, label in enumerate(labels) if _is_role(label, words)), None)
    if first is None or _is_quoted(words, labels, first):
        return ""
    return f"it continues with the words of the assistant ({labels[first].name})"


def _at_an_edge(text: str, token: re.Match[str]) -> bool:
    """Return whether a token begins or ends a line, or stands beside another one: nobody asks about it there."""
    before, after = text[max(0, token.start() - 1) : token.start()], text[token.end() : token.end() + 1]
    return (before in ("", "\n") or after in ("", "\n", "<")) and not _closes_html(text, token)


def _closes_html(text: str, token: re.Match[str]) -> bool:
    return token.group().lower() == "</s>" and "<s>" in text


def _is_role(label: Label, text: str) -> bool:
    if label.form in ("key", "quoted") or ">" in label.prefix:
        return False
    if "###" in label.prefix and label.name.lower() in _HEADINGS:
        return True
    if label.kind != "assistant" and label.name not in _BARE_ROLES:
        return False
    if label.alone:
        return label.name in _BARE_ROLES and not label.prefix and label.start > 0 and label.end < len(text.rstrip())
    return label.kind == "assistant" and (label.colon if label.form != "bracketed" else "[" in label.prefix)


def _is_quoted(text: str, labels: Sequence[Label], place: int) -> bool:
    """Return whether the person quotes a dialogue: it has a line of their own, or is introduced with a colon."""
    begins = labels[place].start
    for above in reversed([label for label in labels[:place] if label.colon]):
        if above.kind == "me":
            return True
        if text.count("\n", above.end, begins) == 1:
            begins = above.start
    return text[:begins].rstrip().endswith(_INTRODUCES)
