"""How a phase of authoring ended, in lines for people."""

from __future__ import annotations

from pathlib import Path

from helm_impactbench.authoring.author_client import PhaseResult
from helm_impactbench.errors import counted
from helm_impactbench.llm.usage import Usage

_MOST_REFUSED = 5
"""Refused drafts that are shown, the newest; the others are in rejected.json."""


def phase_lines(phase: PhaseResult, what: str, folder: Path) -> list[str]:
    """Return what a phase has made and used; what: a noun for one of it, such as metric."""
    usage = phase.usage
    tokens = f"{usage.prompt_tokens:,} tokens in, {usage.completion_tokens:,} out"
    if usage.uncounted_calls:
        tokens += f", {counted(usage.uncounted_calls, 'call')} without token counts"
    lines = [
        f"{counted(phase.made, what)} written to {folder}; {counted(len(phase.rejected), 'draft')} refused "
        "(rejected.json)",
        f"{counted(usage.calls, 'call')}, {tokens}, {cost_text(usage)} (generation.json)",
    ]
    if phase.diversity is not None:
        lines.append(
            f"Similarity (TF-IDF cosine): mean {phase.diversity.mean_similarity:.3f}, "
            f"maximum {phase.diversity.max_similarity:.3f}"
        )
    return lines


def shortfall(phase: PhaseResult, what: str, remedy: str = "") -> list[str]:
    """Return what is missing after a phase and why; empty where nothing is. remedy: what writes it, if not a repeat."""
    if not phase.missing:
        return []
    refused = [f"  {rejected.what}: {rejected.problem}" for rejected in phase.rejected[-_MOST_REFUSED:]]
    missing = f"{counted(phase.missing, what)} missing"
    if phase.gave_up:
        missing += f": given up, because {phase.gave_up}. Another --author may do better"
    return [*refused, f"{missing}; {remedy or 'run the same command again to continue'}"]


def cost_text(usage: Usage) -> str:
    """Return what calls cost, saying what is unknown."""
    if usage.unpriced_calls == usage.calls and usage.calls:
        return "cost unknown"
    unknown = f" and {counted(usage.unpriced_calls, 'call')} of unknown price" if usage.unpriced_calls else ""
    return f"US$ {usage.cost_usd:.4f}{unknown}"
