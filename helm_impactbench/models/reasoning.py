"""Reasoning that models write into their answers, and that the other side must not see."""

from __future__ import annotations

import re

_THINK_BLOCK = re.compile(r"<(think|thinking|thought|reasoning)\b[^>]*>(.*?)</\1\s*>", re.I | re.S)
_THINK_OPEN = re.compile(r"<(?:think|thinking|thought|reasoning)\b[^>]*>", re.I)
_THINK_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)\s*>", re.I)


def split_reasoning(text: str) -> tuple[str, str]:
    """Return (answer, reasoning) of a model's text, with think blocks taken out of the answer.

    A block that never closes is reasoning to its end (the reply was cut off); a closing tag without an opening one
    ends reasoning that began at the start (chat templates that open the block themselves).
    """
    reasoning = [block.group(2).strip() for block in _THINK_BLOCK.finditer(text)]
    answer = _THINK_BLOCK.sub("", text)
    closes = list(_THINK_CLOSE.finditer(answer))
    if closes:
        close = closes[-1]
        reasoning.append(_THINK_OPEN.sub("", answer[: close.start()]).strip())
        answer = answer[close.end() :]
    opened = _THINK_OPEN.search(answer)
    if opened is not None:
        reasoning.append(answer[opened.end() :].strip())
        answer = answer[: opened.start()]
    return answer.strip(), "\n\n".join(part for part in reasoning if part)
