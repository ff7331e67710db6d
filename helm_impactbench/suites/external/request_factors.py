"""What kind of request a prompt of HarmBench is, by what HELM keeps of the data: two factors."""

from __future__ import annotations

CATEGORY, FUNCTION = "category", "function"
"""HarmBench's semantic and functional category of a behaviour."""
_CONTEXT_MARK = "\n\n---\n\n"
"""HELM's scenario puts this between a context and the behaviour of a contextual request."""


def request_factors(category: str, prompt: str) -> dict[str, str]:
    """Return the factors of a request: its semantic category, and whether it is standard, contextual or copyright."""
    contextual = "contextual" if _CONTEXT_MARK in prompt else "standard"
    return {CATEGORY: category, FUNCTION: "copyright" if category == "copyright" else contextual}
