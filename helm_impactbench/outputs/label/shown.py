"""A whole label in the words of one audience: what pages, pictures and Markdown show of it."""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.facts import Fact, shown_facts, shown_scripted
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled
from helm_impactbench.outputs.label.summary import shown_summary
from helm_impactbench.outputs.label.words import (
    DRAWN,
    ShownRow,
    shown_bands,
    shown_date,
    shown_findings,
    shown_method,
    shown_rows,
    shown_unequal,
)


@dataclass(frozen=True)
class ShownLabel:
    """Every text and figure of a label, but for the figures of single metrics."""

    audience: Audience
    model: str
    title: str
    scripted: str | None
    """Which roles a script played; None for none."""
    summary: str
    unequal: tuple[str, ...]
    """Notices that people fare differently."""
    dated: str | None
    rows: tuple[ShownRow, ...]
    bands: str
    drawn: str
    """What could have been another one."""
    findings: tuple[str, ...]
    facts: tuple[Fact, ...]
    method: tuple[str, ...]


def shown_label(label: Label, audience: Audience) -> ShownLabel:
    """Return the label in the audience's words."""
    rows = shown_rows(label, audience)
    return ShownLabel(
        audience=audience,
        model=label.model,
        title=filled(audience.title, model=label.model),
        scripted=shown_scripted(label, audience),
        summary=shown_summary(label, audience, rows),
        unequal=tuple(shown_unequal(label, audience)),
        dated=shown_date(label, audience),
        rows=tuple(rows),
        bands=shown_bands(),
        drawn=DRAWN[label.population],
        findings=tuple(shown_findings(label, audience)),
        facts=tuple(shown_facts(label, audience)),
        method=tuple(shown_method(audience, label.population)),
    )
