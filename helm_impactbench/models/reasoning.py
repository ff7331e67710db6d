"""Reasoning that models write into their answers, and that the other side must not see."""

from __future__ import annotations

import re

_NAMES = r"(?:think|thinking|thought|reasoning|inner_monologue|seed:think)"
_THINK_BLOCK = re.compile(
    rf"<({_NAMES})\b[^>]*>(.*?)</\1\s*>|\[(THINK)\](.*?)\[/THINK\]|(\u25c1think\u25b7)(.*?)\u25c1/think\u25b7",
    re.I | re.S,
)
_THINK_OPEN = re.compile(rf"^\s*(?:<{_NAMES}\b[^>]*>|\[THINK\]|\u25c1think\u25b7)", re.I | re.M)
_THINK_CLOSE = re.compile(rf"(?:</{_NAMES}\s*>|\[/THINK\]|\u25c1/think\u25b7)", re.I)
_CODE = re.compile(r"`[^`\n]*`")


def split_reasoning(text: str) -> tuple[str, str]:
    """Return (answer, reasoning) of a model's text, with think blocks taken out of the answer.

    A block that begins a line and never closes is reasoning to its end (the reply was cut off); a closing tag without
    an opening one ends reasoning that began at the start (chat templates that open the block themselves). Tags in code
    marks are words about tags.
    """
    masked = _CODE.sub(lambda code: "\0" * len(code.group()), text)
    blocks = list(_THINK_BLOCK.finditer(masked))
    reasoning = [_inside(text, block) for block in blocks]
    answer, masked = _without(text, blocks), _without(masked, blocks)
    closes = list(_THINK_CLOSE.finditer(masked))
    if closes:
        reasoning.append(_THINK_OPEN.sub("", answer[: closes[-1].start()]).strip())
        answer, masked = answer[closes[-1].end() :], masked[closes[-1].end() :]
    opened = _THINK_OPEN.search(masked)
    if opened is not None:
        reasoning.append(answer[opened.end() :].strip())
        answer = answer[: opened.start()]
    return answer.strip(), "\n\n".join(part for part in reasoning if part)


def _inside(text: str, block: re.Match[str]) -> str:
    group = next(i for i in (2, 4, 6) if block.group(i) is not None)
    return text[block.start(group) : block.end(group)].strip()


def _without(text: str, blocks: list[re.Match[str]]) -> str:
    kept, position = "", 0
    for block in blocks:
        kept, position = kept + text[position : block.start()], block.end()
    return kept + text[position:]
