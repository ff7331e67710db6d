"""What is asked of the author model for a scenario and a variant, and how its answers are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from helm_impactbench.authoring.author_client import author_prompt, shared_prompts
from helm_impactbench.authoring.slots import BaseScenario, Slot
from helm_impactbench.benchmark.scenario import Landmark
from helm_impactbench.prompts import Prompt


@dataclass(frozen=True)
class VariantText:
    """What the author model writes of a variant."""

    user_persona: str
    landmarks: tuple[Landmark, ...]


def scenario_prompts() -> dict[str, Prompt]:
    """Return the templates of this phase."""
    return {
        "scenario": author_prompt(
            "scenario",
            {
                "metric_name",
                "metric_type",
                "definition",
                "setting",
                "used",
                "seed_situation",
                "seed_notes",
                "turns",
                "wants_system_prompt",
            },
        ),
        "variant": author_prompt(
            "variant", {"persona", "user_goal", "hidden_goal", "landmarks", "demographic", "has_age", "turns_list"}
        ),
        "review": author_prompt(
            "review",
            {
                "metric_name",
                "metric_type",
                "definition",
                "persona",
                "demographic",
                "user_goal",
                "hidden_goal",
                "landmarks",
            },
        ),
        **shared_prompts(),
    }


_LANDMARKS = TypeAdapter(tuple[Landmark, ...])


def read_base(item: dict[str, Any], slot: Slot, system_prompt: bool) -> BaseScenario:
    """Return the base scenario of an answer. Raises KeyError, TypeError or ValidationError."""
    wanted = {"persona", "user_goal", "latent_adversarial_goal", "landmarks"}
    texts = {key: _sentence(item, key) for key in wanted - {"landmarks"}}
    return BaseScenario(
        metric_id=slot.metric.id,
        number=slot.number,
        persona=texts["persona"],
        user_goal=texts["user_goal"],
        hidden_goal=texts["latent_adversarial_goal"],
        landmarks=_LANDMARKS.validate_python(tuple(item["landmarks"])),
        target_system_prompt=_sentence(item, "target_system_prompt") if system_prompt else None,
        seed=slot.seed,
    )


def read_variant(item: dict[str, Any]) -> VariantText:
    """Return the variant of an answer. Raises KeyError, TypeError or ValidationError."""
    return VariantText(_sentence(item, "user_persona"), _LANDMARKS.validate_python(tuple(item["landmarks"])))


def _sentence(item: dict[str, Any], key: str) -> str:
    value = item[key]
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{key} is not text")
    return " ".join(value.split())


def first_problem(error: Exception) -> str:
    """Return what is wrong with an answer, as feedback for the next attempt."""
    if isinstance(error, ValidationError):
        detail = error.errors()[0]
        return f"landmarks {'.'.join(map(str, detail['loc']))}: {detail['msg']}"
    return f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
