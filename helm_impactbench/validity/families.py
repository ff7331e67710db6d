"""Whose model is it? Judges may favour their own relatives, so relatives have to be known."""

from __future__ import annotations

import re

_FAMILIES = (
    ("anthropic", r"claude|anthropic"),
    ("openai", r"gpt|chatgpt|openai|^o[134](?![a-z0-9])"),
    ("google", r"gemini|gemma|palm|google"),
    ("meta", r"llama|meta"),
    ("mistral", r"mi[sx]tral|ministral|magistral|codestral"),
    ("alibaba", r"qwen|qwq|alibaba"),
    ("deepseek", r"deepseek"),
    ("xai", r"grok|xai"),
    ("cohere", r"command|cohere|aya"),
    ("microsoft", r"^phi|microsoft|wizardlm"),
    ("amazon", r"nova|titan|amazon"),
    ("rehearsal", r"^rehearsal"),
)


def family_of(deployment: str) -> str:
    """Return the maker of a deployment's model: from the model's own name, else from the part before it.

    `litellm/openrouter/anthropic/claude-sonnet-4-6` is anthropic, `together/qwen3` is alibaba. A name that tells
    nothing is a family of its own, by the first part of the deployment.
    """
    parts = deployment.lower().removeprefix("litellm/").split("/")
    for part in reversed(parts):
        for family, pattern in _FAMILIES:
            if re.search(pattern, part):
                return family
    return parts[0]
