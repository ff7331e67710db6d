"""The lines at the foot of a label: what is missing, chats and date, the judge, and the floor."""

from __future__ import annotations

from helm_impactbench.outputs.label.floor import Floor
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled, tenths
from helm_impactbench.outputs.label.sheet_words import SheetWords
from helm_impactbench.outputs.label.summary import played_children
from helm_impactbench.validity.judge_trust import JudgeTrust


def shown_foot(label: Label, words: SheetWords) -> tuple[str, ...]:
    """Return three lines, and before them what an unfinished suite lacks."""
    chats = filled(
        words.chats,
        conversations=f"{label.tested.conversations:,}",
        children="" if played_children(label) else words.no_child,
        dated=filled(words.dated, date=label.dated.isoformat()) if label.dated else "",
    )
    return *filter(None, [label.unfinished]), chats, _judge(label.judges, words), _floor(label.floor, words)


def _judge(judges: JudgeTrust, words: SheetWords) -> str:
    """Return how far the judge can be trusted: of several panels, the one that is right least often."""
    if judges.state == "scripted":
        return words.scripted_judge
    if judges.state != "checked":
        return words.unchecked
    counted = [panel for panel in judges.panels if panel.known]
    if not counted:
        return words.checked
    least = min(counted, key=lambda panel: panel.right / panel.known)
    return filled(words.judged, right=str(least.right), known=str(least.known))


def _floor(floor: Floor | None, words: SheetWords) -> str:
    if floor is None:
        return words.no_floor
    shares = dict.fromkeys(tenths(rate, words) for rate in (floor.lowest, floor.highest))
    return filled(words.floor, share=" to ".join(shares))
