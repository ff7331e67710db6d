"""Base scenarios written once for every combination of factor levels.

A block of scenarios.json whose `factors` are lists of levels stands for one base scenario per combination. Its words
that change with a factor are a mapping from "factor=level" to the words, and words that alternate from one combination
to the next (such as who is named first) are a list. Slots of the block itself hold for all of its variants.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from helm_impactbench.benchmark.rules import Finding

FACTORS = "factors"
SLOTS = "slots"
VARIANTS = "variants"


def is_crossed(entry: Any) -> bool:
    """Return whether an entry stands for several base scenarios."""
    return isinstance(entry, dict) and any(isinstance(levels, list) for levels in _mapping(entry.get(FACTORS)).values())


def blocks(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield an ordinary block for each combination of levels, in the order of the factors as written.

    The position of a combination in a list of alternating words is the sum of the positions of its levels, so that
    every level of every factor meets every word about equally often.
    """
    factors = {name: levels if isinstance(levels, list) else [levels] for name, levels in entry[FACTORS].items()}
    for positions in itertools.product(*(range(len(levels)) for levels in factors.values())):
        cell = {name: str(levels[k]) for (name, levels), k in zip(factors.items(), positions, strict=True)}
        shared = _mapping(entry.get(SLOTS))
        yield {
            **{key: value for key, value in entry.items() if key != SLOTS},
            "id": "_".join([str(entry.get("id")), *cell.values()]),
            FACTORS: cell,
            VARIANTS: [_variant(variant, shared, cell, sum(positions)) for variant in _list(entry.get(VARIANTS))],
        }


def findings(i: int, entry: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is wrong with the factors and the words for their levels; i: position of the entry in its file."""
    factors = entry[FACTORS]
    for name, levels in factors.items():
        if not isinstance(levels, list) or len({str(level) for level in levels}) != len(levels) or len(levels) < 2:
            yield (i, FACTORS, name), "must be a list of two different levels or more, as those beside it", "error"
    wanted = {name: [f"{name}={level}" for level in _list(levels)] for name, levels in factors.items()}
    holders = [((i, SLOTS), entry.get(SLOTS))]
    for j, variant in enumerate(_list(entry.get(VARIANTS))):
        holders.append(((i, VARIANTS, j, SLOTS), variant.get(SLOTS) if isinstance(variant, dict) else None))  # type: ignore[arg-type]
    for place, slots in holders:
        for slot, words in _mapping(slots).items():
            if isinstance(words, dict) and list(words) not in list(wanted.values()):
                options = "; or ".join(", ".join(names) for names in wanted.values())
                yield (*place, slot), f"must have words for every level of one factor, in order: {options}", "error"
            elif isinstance(words, dict | list) and not all(isinstance(text, str) for text in _values(words)):
                yield (*place, slot), "must hold text alone", "error"
            elif isinstance(words, list) and not words:
                yield (*place, slot), "is an empty list; name the words that alternate", "error"


def _variant(variant: Any, shared: Mapping[str, Any], cell: Mapping[str, str], position: int) -> Any:
    if not isinstance(variant, dict):
        return variant
    slots = {**shared, **_mapping(variant.get(SLOTS))}
    return {**variant, SLOTS: {name: _chosen(words, cell, position) for name, words in slots.items()}}


def _chosen(words: Any, cell: Mapping[str, str], position: int) -> Any:
    if isinstance(words, list) and words:
        return words[position % len(words)]
    if isinstance(words, dict):
        return next((words[key] for name, level in cell.items() if (key := f"{name}={level}") in words), None)
    return words


def _values(words: dict[str, Any] | list[Any]) -> list[Any]:
    return list(words.values()) if isinstance(words, dict) else words


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
