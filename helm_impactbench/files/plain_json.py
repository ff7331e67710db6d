"""Records as plain data for JSON: dataclasses and models as mappings, no number where there is none."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_jsonable_python


def plain_json(value: Any) -> Any:
    """Return dataclasses, pydantic models, mappings and sequences as JSON has them; NaN and infinities are None."""
    return to_jsonable_python(value, inf_nan_mode="null")
