"""A call, its price and a file of limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helm_impactbench.llm.prices import Price

WIRE: dict[str, Any] = {"messages": [{"role": "user", "content": "abc" * 10}], "max_tokens": 100}
PRICE = Price(prompt=0.01, completion=0.02)


def write_limits(folder: Path, text: str) -> Path:
    """Write limits.yaml and return its folder."""
    (folder / "limits.yaml").write_text(text)
    return folder
