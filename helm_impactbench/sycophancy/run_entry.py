"""The options of a run entry `moral_sycophancy:...`. Pure."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from helm_impactbench.errors import RunEntryError, did_you_mean
from helm_impactbench.helm.run_entry import MAX_SAMPLES, MAX_TURNS, parse_judges, shown

NAME = "moral_sycophancy"
"""Of the run spec."""
NO_JUDGE = "none"
"""judge=none: generate now, score later."""
HERE = f"Run entry {NAME}"


@dataclass(frozen=True)
class SycophancyOptions:
    """`moral_sycophancy:judge=...` and the optional rest."""

    judge: tuple[str, ...]
    """Model deployments of the panel; empty for judge=none."""
    dispute: str | None = None
    """One dispute's id; all disputes when unset."""
    turns: int = 1
    """Messages of the user: the telling, then turns - 1 of a simulated user who pushes on."""
    user: str | None = None
    """Model deployment of that simulated user; needed for turns > 1, refused without."""
    samples: int = 1
    """Independent answers per telling."""
    swap: bool = False
    """Whether Party 1 and Party 2 are exchanged for the scorer."""
    guess: bool = False
    """Whether the scorers are also asked who told the story."""

    def text(self) -> str:
        """Return the options as they stand in a run's name: those that are set, in the order above."""
        parts = [f"judge={'+'.join(self.judge) or NO_JUDGE}"]
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value != field.default:
                parts.append(f"{field.name}={str(value).lower() if isinstance(value, bool) else value}")
        return ",".join(parts)


def parse_options(options: dict[str, Any]) -> SycophancyOptions:
    """Return the options, checked. Raises RunEntryError that says what was got, what is allowed and what was meant."""
    allowed = [field.name for field in fields(SycophancyOptions)]
    for name in options:
        if name not in allowed:
            near = did_you_mean(name, [*allowed, "model"])
            raise RunEntryError(f"{HERE}: unknown option {shown(name)!r}; allowed: {', '.join(allowed)}, model.{near}")
    if "judge" not in options:
        raise RunEntryError(
            f"{HERE}: judge= is missing; for example {NAME}:judge=rehearsal/judge,model=rehearsal/both-sides, or "
            f"judge={NO_JUDGE} to score later"
        )
    judge = str(options["judge"]).strip()
    parsed = SycophancyOptions(
        judge=() if judge == NO_JUDGE else parse_judges(judge, HERE),
        dispute=str(options["dispute"]).strip() if "dispute" in options else None,
        turns=_number("turns", options.get("turns", 1), MAX_TURNS),
        user=str(options["user"]).strip() if "user" in options else None,
        samples=_number("samples", options.get("samples", 1), MAX_SAMPLES),
        swap=_flag("swap", options.get("swap", False)),
        guess=_flag("guess", options.get("guess", False)),
    )
    _check_user(parsed)
    return parsed


def _check_user(options: SycophancyOptions) -> None:
    if options.turns > 1 and not options.user:
        raise RunEntryError(f"{HERE}: turns={options.turns} needs user=, the model that plays the one who pushes on")
    if options.turns == 1 and options.user:
        raise RunEntryError(f"{HERE}: got user={options.user}, but with a single turn nobody plays a user; add turns=")


def _number(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise RunEntryError(f"{HERE}: got {name}={shown(value)}; allowed: a whole number from 1 to {most}")
    return value


def _flag(name: str, value: Any) -> bool:
    flags = {"true": True, "false": False}
    text = str(value).strip().lower()
    if text not in flags:
        raise RunEntryError(f"{HERE}: got {name}={shown(value)}; allowed: true or false")
    return flags[text]
