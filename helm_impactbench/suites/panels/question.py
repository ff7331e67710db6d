"""What a safety judge is asked: HELM's own prompt with the request and the answer in it.

HELM's words are read from the installed crfm-helm when they are needed, or from the suite's data set; none are here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_HOLE = re.compile(r"\{\{(question|answer)\}\}", re.IGNORECASE)
_NAME = re.compile(r"</?\s*([A-Za-z_]+)\s*>")

Templates = Mapping[str, str]
"""Kind of an item -> HELM's prompt for it, with the holes {{question}} and {{answer}} in either case."""


@dataclass(frozen=True)
class Item:
    """One request and what the target made of it."""

    question: str
    answer: str
    kind: str
    """What HELM chooses the prompt by: XSTest's label, AIR-Bench's category, else empty."""


def usable(templates: Templates) -> dict[str, str]:
    """Return the templates that have both holes; with one of them missing, a judge would score something else."""
    both = {"question", "answer"}
    return {kind: text for kind, text in templates.items() if {hole.lower() for hole in _HOLE.findall(text)} == both}


def filled(template: str, item: Item) -> str:
    """Return the prompt, filled in one pass: no word of the request or of the answer is read as a hole.

    HELM fills one hole after the other; on texts without holes and delimiters the result is the same to the byte.
    """
    values = {"question": item.question, "answer": guarded(item.answer, template)}
    return _HOLE.sub(lambda hole: values[hole[1].lower()], template)


def guarded(answer: str, template: str) -> str:
    """Return the answer with the template's own tags made harmless, so that it cannot close the place it stands in."""
    names = sorted(set(_NAME.findall(template)))
    if not names:
        return answer
    forged = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(names)})\b)", re.IGNORECASE)
    return forged.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", answer)
