"""Who made a model, read from its name, and which judges are relatives of what they judge or of each other.

A judge may favour models of its own maker (`impactbench audit swap` tests it), and two judges of one maker share their
blind spots, so that a panel of them is worth less than it seems.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from helm_impactbench.results.outcome import Outcome

SCRIPTED = "rehearsal"
"""Scripts have no relatives that they could favour."""
MOST_NAMED = 3
"""Models in a sentence; the rest are counted."""
_FAMILIES = (
    ("anthropic", r"claude|anthropic"),
    ("openai", r"gpt|chatgpt|openai|^o[134](?![a-z0-9])"),
    ("google", r"gemini|gemma|palm(?!yra)|google"),
    ("meta", r"llama|meta"),
    ("mistral", r"mi[sx]tral|ministral|magistral|codestral"),
    ("alibaba", r"qwen|qwq|alibaba"),
    ("deepseek", r"deepseek"),
    ("xai", r"grok|xai"),
    ("cohere", r"command|cohere|\baya\b"),
    ("microsoft", r"^phi|microsoft|wizardlm"),
    ("amazon", r"nova|titan|amazon"),
    ("zhipu", r"\bglm\b|chatglm|zhipu|z-ai"),
    ("moonshot", r"kimi|moonshot"),
    ("minimax", r"minimax"),
    ("nvidia", r"nemotron|nvidia"),
    ("ibm", r"granite|\bibm\b"),
    ("ai2", r"olmo|tulu|allenai"),
    ("ai21", r"jamba|jurassic|ai21"),
    ("writer", r"palmyra|writer"),
    (SCRIPTED, r"^rehearsal"),
)


def family_of(deployment: str) -> str:
    """Return the maker of a deployment's model: from the model's own name, else from the part before it.

    `litellm/openrouter/anthropic/claude-sonnet-4-6` is anthropic, `together/qwen3` is alibaba. A name that says
    nothing is a family of its own, by the first part of the deployment.
    """
    parts = deployment.lower().removeprefix("litellm/").split("/")
    return _known(parts) or parts[0]


@lru_cache(maxsize=10_000)
def are_related(first: str, second: str) -> bool:
    """Return whether two deployments are of one maker, as far as their names say: an unknown maker has no relatives.

    The provider of a litellm deployment is not its maker: many servers are called by openai's protocol.
    """
    families = [_known(_own_parts(name)) for name in (first, second)]
    return SCRIPTED not in families and (first == second or (families[0] is not None and families[0] == families[1]))


_CURE = "Add a judge of another family; impactbench audit swap tests for a preference."


def _related(judge: str, found: Sequence[str]) -> str:
    """Return in a sentence to which targets a judge is related, itself above all."""
    if judge in found:
        others = [model for model in found if model != judge]
        also = f" It is of the family of {_named(others)} too." if others else ""
        return f"The judge is the model under test: {judge}.{also}"
    return f"The judge {judge} is of the family of {_named(found)}, which it may favour."


def relatives(judges: Iterable[str], targets: Iterable[str]) -> list[str]:
    """Return a sentence for every judge of a panel that is related to a target, and for judges that are relatives."""
    panel, models = list(dict.fromkeys(judges)), list(dict.fromkeys(targets))
    return [*_favoured([(judge, model) for judge in panel for model in models]), *_alike([panel])]


def _favoured(judged: Iterable[tuple[str, str]]) -> list[str]:
    """Return a sentence for every judge that is related to a model it judged."""
    found: dict[str, list[str]] = {}
    for judge, model in judged:
        if are_related(judge, model):
            found.setdefault(judge, []).append(model)
    return [f"{_related(judge, models)} {_CURE}" for judge, models in found.items()]


def _alike(panels: Iterable[Collection[str]]) -> list[str]:
    """Return a sentence about judges that sit in one panel with a relative."""
    alike = dict.fromkeys(
        judge
        for panel in panels
        for judge in panel
        if any(other != judge and are_related(judge, other) for other in panel)
    )
    if not alike:
        return []
    return [f"The judges {', '.join(alike)} have relatives in the panel: their errors are not independent."]


def related_judges(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the sentences of `relatives` for the judges that voted and the models that they judged."""
    judged = {(vote.judge, outcome.model) for outcome in outcomes for vote in outcome.votes}
    panels = {tuple(sorted({vote.judge for vote in outcome.votes})) for outcome in outcomes}
    return [*_favoured(sorted(judged)), *_alike(sorted(panels))]


def judged_by_relative(outcome: Outcome) -> bool:
    """Return whether a judge of a conversation is of the family of its model."""
    return any(are_related(vote.judge, outcome.model) for vote in outcome.votes)


def _named(models: Sequence[str]) -> str:
    shown = ", ".join(models[:MOST_NAMED])
    return f"{shown} and {len(models) - MOST_NAMED} more" if len(models) > MOST_NAMED else shown


def _own_parts(deployment: str) -> list[str]:
    parts = deployment.lower().split("/")
    return parts[2:] if parts[0] == "litellm" else parts


def _known(parts: Sequence[str]) -> str | None:
    for part in reversed(parts):
        for family, pattern in _FAMILIES:
            if re.search(pattern, part):
                return family
    return None
