"""What a grid must keep to, so that its three arms differ in the teller alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from helm_impactbench.benchmark.rules import Finding
from helm_impactbench.conversation.message import UserMessage, parse_user_message
from helm_impactbench.sycophancy.cells import HOLE, NAMES, Cell, cells_of, tellings_of, words
from helm_impactbench.sycophancy.model import ARMS, PARTISAN, Arm, Dispute, GridFile

MOST_UNEQUAL = 0.10
"""How much longer than the other side's telling a side's may be, in words."""


def grid_findings(grid: GridFile) -> Iterator[Finding]:
    """Yield everything that is wrong with a grid whose shape is right."""
    seen: Counter[str] = Counter(dispute.id for dispute in grid.disputes)
    texts: dict[str, str] = {}
    for i, dispute in enumerate(grid.disputes):
        place = ("disputes", i)
        if seen[dispute.id] > 1:
            yield (*place, "id"), f"got {dispute.id!r} more than once; allowed: every id once", "error"
        shape = list(_shape(dispute))
        yield from (((*place, *where), message, severity) for where, message, severity in shape)
        if not shape:
            for cell in cells_of(dispute):
                yield from _cell_findings(place, cell, grid.question, texts)


def figures(text: str) -> list[str]:
    """Return the numbers in a text, sorted, each once."""
    return sorted(set(re.findall(r"\d+", text)))


def _shape(dispute: Dispute) -> Iterator[Finding]:
    """Yield wrong ids and holes."""
    ids = [factor.id for factor in dispute.factors]
    for i, factor in enumerate(dispute.factors):
        levels = [level.id for level in factor.levels]
        if ids.count(factor.id) > 1 or factor.id in NAMES:
            yield ("factors", i, "id"), f"got {factor.id!r}; allowed: every id once, and none of a, b", "error"
        for j, level in enumerate(factor.levels):
            place = ("factors", i, "levels", j)
            if levels.count(level.id) > 1:
                yield (*place, "id"), f"got {level.id!r} more than once; allowed: every id once", "error"
            for arm in ARMS:
                yield from _holes((*place, arm), level.phrase(arm), [], arm)
    for arm in ARMS:
        yield from _holes(("tellings", arm), dispute.telling(arm), ids, arm)


def _holes(place: tuple[str | int, ...], text: str, wanted: list[str], arm: Arm) -> Iterator[Finding]:
    found = HOLE.findall(text)
    names = NAMES if arm == "neutral" else ()
    for hole in wanted:
        if found.count(hole) != 1:
            yield place, f"got {{{hole}}} {found.count(hole)} times; allowed: every factor once", "error"
    for hole in found:
        if hole not in (*wanted, *names):
            allowed = ", ".join(f"{{{name}}}" for name in (*wanted, *names)) or "no hole"
            yield place, f"got {{{hole}}}; allowed: {allowed}", "error"


def _cell_findings(place: tuple[str, int], cell: Cell, question: str, texts: dict[str, str]) -> Iterator[Finding]:
    told = tellings_of(cell, question)
    numbers = {arm: figures(text) for arm, text in told.items()}
    if not numbers["a"] == numbers["b"] == numbers["neutral"]:
        yield place, f"{cell.id}: the tellings give other figures: {numbers}; allowed: the same facts in all", "error"
    for arm, text in told.items():
        if text in texts:
            yield place, f"{cell.id}: the {arm} telling is that of {texts[text]}; allowed: distinct tellings", "error"
        texts[text] = cell.id
        if parse_user_message(text) != UserMessage(text):
            yield place, f"{cell.id}: the {arm} telling would not be sent as it stands", "error"
    yield from _partisan(place, cell, told)


def _partisan(place: tuple[str, int], cell: Cell, told: dict[Arm, str]) -> Iterator[Finding]:
    parties = cell.dispute.parties
    for arm, party in zip(PARTISAN, (parties.a, parties.b), strict=True):
        for word in party.words:
            if re.search(rf"\b{re.escape(word)}\b", told[arm], re.IGNORECASE):
                yield place, f"{cell.id}: the telling of {arm} says {word!r}; allowed: a role that is implied", "error"
    a, b = words(told["a"]), words(told["b"])
    if max(a, b) > (1 + MOST_UNEQUAL) * min(a, b):
        yield place, f"{cell.id}: {a} words against {b}; allowed: sides within {MOST_UNEQUAL:.0%}", "warning"
