"""HELM's result files made piece by piece.

HELM turns a whole run into dictionaries, these into a list of a few characters each, and the list into one text, all in
memory at once: of 10,000 conversations more than everything else that a run needs. Here one instance at a time becomes
a dictionary, and the text stays in pieces that are written as they are. The file is HELM's, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.common.general import asdict_without_nones

from helm_impactbench.files.atomic_write import Pieces

PIECE = 20_000
"""Parts of the encoder's, a handful of characters each, that make a piece."""


class _OneByOne(list[Any]):
    """Instances that become dictionaries when they are iterated over, as json does."""

    def __iter__(self) -> Iterator[Any]:
        return map(asdict_without_nones, super().__iter__())


def as_dictionary(value: Any) -> dict[str, Any]:
    """Stand in for HELM's asdict_without_nones, where its runner calls it. For json.dumps alone."""
    if not isinstance(value, ScenarioState):
        return asdict_without_nones(value)
    frame = asdict_without_nones(replace(value, request_states=[]))
    return {**frame, "request_states": _OneByOne(value.request_states)}


def dumps(value: Any, **settings: Any) -> Pieces:
    """Stand in for json.dumps, where HELM's runner calls it. Raises what json.dumps raises."""
    pieces, parts = Pieces(), list[str]()
    for part in json.JSONEncoder(**settings).iterencode(value):
        parts.append(part)
        if len(parts) == PIECE:
            pieces.append("".join(parts))
            parts.clear()
    pieces.append("".join(parts))
    return pieces
