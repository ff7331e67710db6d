"""The options of a run entry `panel_<suite>:...`. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from helm_impactbench.errors import RunEntryError, did_you_mean
from helm_impactbench.helm.run_entry import parse_judges

HELM_JUDGE_OPTIONS = ("annotator_model", "annotator_model_deployment")
"""HELM's own way to choose AIR-Bench's judge, in whose place judge= stands."""


@dataclass(frozen=True)
class PanelOptions:
    """`panel_<suite>:judge=...` and what HELM's own run spec of the suite takes besides."""

    judge: tuple[str, ...]
    """Model deployments of the panel; `a+b+c` in the entry."""
    helm: Mapping[str, Any] = field(default_factory=dict)
    """HELM's further options of the suite, handed on as they are."""

    def text(self) -> str:
        """Return the options as they stand in a run's name."""
        return ",".join([f"judge={'+'.join(self.judge)}", *(f"{name}={value}" for name, value in self.helm.items())])


def parse_options(name: str, options: Mapping[str, Any], helm_options: Collection[str]) -> PanelOptions:
    """Return the options of the run spec `name`, checked against HELM's own for the suite. Raises RunEntryError."""
    here = f"Run entry {name}"
    own = [option for option in helm_options if option not in HELM_JUDGE_OPTIONS]
    allowed = ["judge", *own, "model"]
    for option in options:
        if option in HELM_JUDGE_OPTIONS and option in helm_options:
            raise RunEntryError(
                f"{here}: {option}= is HELM's way to choose one judge; here it is judge={options[option]}"
            )
        if option not in allowed:
            near = did_you_mean(option, allowed)
            raise RunEntryError(f"{here}: unknown option {option!r}; allowed: {', '.join(allowed)}.{near}")
    if "judge" not in options:
        raise RunEntryError(
            f"{here}: judge= is missing; for example {name}:judge=litellm/openai/gpt-4o,model=..., or a panel "
            "judge=a+b+c"
        )
    return PanelOptions(parse_judges(options["judge"], here), {o: options[o] for o in own if o in options})
