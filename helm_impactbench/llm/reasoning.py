"""Reasoning that models write into their answers, and that the other side must not see."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

_NAMES = r"(?:think|thinking|thought|reasoning|inner_monologue|seed:think)"
_OPEN = rf"<(?P<name>{_NAMES})\b[^<>]{{0,200}}>|\[THINK\]|\u25c1think\u25b7"
_THINK_OPEN = re.compile(_OPEN, re.I)
_THINK_CLOSE = re.compile(rf"</(?P<name>{_NAMES})\s*>|\[/THINK\]|\u25c1/think\u25b7", re.I)
_LINE_OPENS = re.compile(rf"^[^\S\n]*(?:{_OPEN})", re.I | re.M)
_CODE = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True)
class _Block:
    """A closed think block: places of its beginning, its words and its end."""

    start: int
    words: slice
    end: int


def split_reasoning(text: str) -> tuple[str, str]:
    """Return (answer, reasoning) of a model's text, with think blocks taken out of the answer.

    A block that begins a line and never closes is reasoning to its end (the reply was cut off); a closing tag without
    an opening one ends reasoning that began at the start (chat templates that open the block themselves). Tags in code
    marks are words about tags. The time taken is proportional to the length of any text.
    """
    masked = _CODE.sub(lambda code: "\0" * len(code.group()), text)
    blocks = _blocks(masked)
    reasoning = [text[block.words].strip() for block in blocks]
    answer, masked = _without(text, blocks), _without(masked, blocks)
    closes = list(_THINK_CLOSE.finditer(masked))
    if closes:
        reasoning.append(_LINE_OPENS.sub("", answer[: closes[-1].start()]).strip())
        answer, masked = answer[closes[-1].end() :], masked[closes[-1].end() :]
    opened = _LINE_OPENS.search(masked)
    if opened is not None:
        reasoning.append(answer[opened.end() :].strip())
        answer = answer[: opened.start()]
    return answer.strip(), "\n\n".join(part for part in reasoning if part)


def _blocks(masked: str) -> list[_Block]:
    """Return the blocks in order: each from an opening tag to the first closing one of its kind."""
    closes: dict[str, list[re.Match[str]]] = {}
    for close in _THINK_CLOSE.finditer(masked):
        closes.setdefault(_kind(close), []).append(close)
    starts = {kind: [close.start() for close in found] for kind, found in closes.items()}
    blocks: list[_Block] = []
    for opened in _THINK_OPEN.finditer(masked):
        kind = _kind(opened)
        following = bisect_left(starts.get(kind, []), opened.end())
        if (blocks and opened.start() < blocks[-1].end) or following == len(starts.get(kind, [])):
            continue
        close = closes[kind][following]
        blocks.append(_Block(opened.start(), slice(opened.end(), close.start()), close.end()))
    return blocks


def _kind(tag: re.Match[str]) -> str:
    return (tag["name"] or tag.group()[0]).lower()


def _without(text: str, blocks: Sequence[_Block]) -> str:
    begins = [0, *(block.end for block in blocks)]
    ends = [*(block.start for block in blocks), len(text)]
    return "".join(text[begin:end] for begin, end in zip(begins, ends, strict=True))
