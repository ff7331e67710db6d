"""How scripted targets use tools: their lines hold calls as a transcript shows them. Pure and deterministic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from helm_impactbench.llm.request import Message
from helm_impactbench.llm.tool_call import CLOSE, OPEN, ToolCall, calls_in, spoken, without_results, words_after


def next_step(line: str, messages: Sequence[Message], *, has_tools: bool) -> tuple[str, ToolCall | None]:
    """Return (words, call): the next call in a line, one after the other, and at last what is said after them.

    messages: what was said and done before. A script without tools says the words alone.
    """
    calls = calls_in(line)
    if not calls or not has_tools:
        return (spoken(line) if calls else line), None
    made = sum(message.role == "tool" for message in takewhile(lambda one: one.role != "user", reversed(messages)))
    return calls[made] if made < len(calls) else (words_after(line), None)


def same_words(line: str, heard: str) -> bool:
    """Return whether somebody who sees no tools has heard the words of a line."""
    return _folded(spoken(line)) in _folded(heard)


def shown_of(line: str, seen: str) -> str | None:
    """Return words that show that a line was said and done in what a judge has seen; None where it was not.

    Between a call and the words after it stands what came back.
    """
    if OPEN not in line:
        return line if line in seen else None
    apart = without_results(line).replace(OPEN, f"\n{OPEN}").replace(CLOSE, f"{CLOSE}\n")
    parts = [part.strip() for part in apart.splitlines() if part.strip()]
    return max(parts, key=len) if all(part in seen for part in parts) else None


def _folded(text: str) -> str:
    return " ".join(text.split())
