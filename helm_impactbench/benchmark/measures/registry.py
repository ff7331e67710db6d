"""All measures: the shipped ones, and those of other installed packages (files.extensions)."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import ValidationError

from helm_impactbench.benchmark.measures.base import Measure
from helm_impactbench.benchmark.measures.confidence import Confidence
from helm_impactbench.benchmark.measures.pattern import Pattern
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Scale
from helm_impactbench.benchmark.measures.stance import Stance
from helm_impactbench.errors import SettingError, did_you_mean
from helm_impactbench.files.extensions import extensions
from helm_impactbench.files.field_faults import field_fault

GROUP = "measures"
_MEASURES: dict[str, type[Measure]] = {}


def register(measure: type[Measure]) -> type[Measure]:
    """Make a measure known by the default of its field `kind`. Usable as a decorator.

    Raises SettingError when another measure has that name.
    """
    kind = measure.model_fields["kind"].default
    known = _MEASURES.get(kind)
    if known is not None and known.__qualname__ != measure.__qualname__:
        raise SettingError(
            f"The measure {measure.__qualname__} is called {kind!r}, which {known.__qualname__} is already"
        )
    _MEASURES[kind] = measure
    return measure


for _shipped in (Presence, Scale, Stance, Quantity, Pattern, Confidence):
    register(_shipped)


def measures() -> dict[str, type[Measure]]:
    """Return kind -> class of every measure, those of other packages included. Raises SettingError."""
    _load_extensions()
    return dict(_MEASURES)


def built(given: Any) -> Measure:
    """Return the measure that a benchmark names: `presence`, or a mapping with its `kind` and its settings.

    Raises ValueError that says what was got and what is allowed.
    """
    if isinstance(given, Measure):
        return given
    settings = {"kind": given} if isinstance(given, str) else given
    if not isinstance(settings, dict) or not isinstance(settings.get("kind"), str):
        raise ValueError(f"found {str(given)[:60]!r}, expected the name of a measure, or a mapping with its kind")
    kind = settings["kind"]
    known = _MEASURES if kind in _MEASURES else measures()
    if kind not in known:
        raise ValueError(
            f"there is no measure {kind!r}. Choose {', '.join(known)}, or install the package that brings it."
            f"{did_you_mean(kind, known)}"
        )
    try:
        return known[kind].model_validate(settings)
    except ValidationError as error:
        raise ValueError("; ".join(_explained(detail) for detail in error.errors())) from error


def _explained(detail: Any) -> str:
    place = ".".join(map(str, detail["loc"]))
    return f"{place}: {field_fault(detail)}" if place else field_fault(detail)


@cache
def _load_extensions() -> None:
    for name, measure in extensions(GROUP):
        if not (isinstance(measure, type) and issubclass(measure, Measure)):
            raise SettingError(
                f"An installed package brings {name!r} as a measure, which is {measure!r}; it must name a subclass of "
                "helm_impactbench.Measure. Repair or uninstall the package."
            )
        register(measure)
