"""Base scenarios written once, with slots for what differs between their variants.

An entry of scenarios.json that has `variants` is a base scenario: its texts hold `{slot}` where variants differ, and
each variant names its levels and its words for the slots. Its variants are alike in everything else because there is
nothing else to write. Entries without `variants` are single rows, as in ImpactBench's own files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.benchmark import crossing
from helm_impactbench.benchmark.rules import Finding
from helm_impactbench.files.safe_yaml import Place

VARIANTS = "variants"
OF_A_VARIANT = ("axes", "slots")
TEXTS = (
    "persona",
    "user_persona",
    "user_goal",
    "latent_adversarial_goal",
    "landmarks",
    "messages",
    "facts",
    "view",
    "target_system_prompt",
    "app_context",
    "tools",
)
"""Where slots are filled."""
_SLOT = re.compile(r"\{([a-z][a-z0-9_]+)\}")
"""Two letters or more: {a} and {B} are the parties of a dispute, which the judge's question names."""


@dataclass(frozen=True)
class BlockRow:
    """A row of scenarios.json, read from a block or as it stands."""

    data: Any
    place: Place
    """Of the entry that it comes from."""
    variant: Place = ()
    """Of the variant within the entry; empty for an entry that is a row."""

    def place_of(self, step: Place) -> Place:
        """Return where the file has the part of this row at `step`."""
        inner = self.variant if step and step[0] in OF_A_VARIANT else ()
        return (*self.place, *inner, *step)


def rows(data: list[Any]) -> list[BlockRow]:
    """Return the rows of all entries, in order. Blocks that `findings` complains of give what can be read of them."""
    return [row for i, entry in enumerate(data) for block in _blocks(entry) for row in _rows(i, block)]


def findings(data: list[Any]) -> Iterator[Finding]:
    """Yield what is wrong with blocks as blocks; what is wrong with their texts, the rows show."""
    for i, entry in enumerate(data):
        if not isinstance(entry, dict) or VARIANTS not in entry:
            continue
        wrong = list(crossing.findings(i, entry)) if crossing.is_crossed(entry) else []
        yield from wrong or _same_once(_block_findings(i, block) for block in _blocks(entry))


def _blocks(entry: Any) -> list[Any]:
    """Return what an entry stands for: itself, or a block for each combination of its factors."""
    return list(crossing.blocks(entry)) if crossing.is_crossed(entry) else [entry]


def _same_once(findings: Iterable[Iterable[Finding]]) -> Iterator[Finding]:
    """Yield what is wrong with several blocks of one entry, each fault once."""
    return iter(dict.fromkeys(finding for block in findings for finding in block))


def slot_names(entry: Mapping[str, Any], texts: Sequence[str] = TEXTS) -> set[str]:
    """Return the names of the slots in some texts of a block."""
    return {name for text in _texts([entry.get(key) for key in texts]) for name in _SLOT.findall(text)}


def _rows(i: int, entry: Any) -> Iterator[BlockRow]:
    if not isinstance(entry, dict) or not isinstance(entry.get(VARIANTS), list):
        yield BlockRow(entry, (i,))
        return
    shared = {key: value for key, value in entry.items() if key != VARIANTS}
    for j, variant in enumerate(entry[VARIANTS]):
        given = variant if isinstance(variant, dict) else {}
        slots = {name: text for name, text in _mapping(given.get("slots")).items() if isinstance(text, str)}
        row = {key: _filled(value, slots) if key in TEXTS else value for key, value in shared.items()}
        row |= {"id": f"{entry.get('id')}_v{j + 1:02d}", "axes": given.get("axes", {})}
        messages = list(_texts(row.get("messages")))
        if messages and "cues" not in row:
            seen = slot_names(shared, ("messages", "app_context"))
            row["cues"] = [text for name, text in slots.items() if name in seen]
        yield BlockRow(row, (i,), (VARIANTS, j))


def _block_findings(i: int, entry: Mapping[str, Any]) -> Iterator[Finding]:
    variants = entry[VARIANTS]
    if not isinstance(variants, list) or not variants:
        yield (i, VARIANTS), "must be a list of one variant or more, each with axes and slots", "error"
        return
    if "axes" in entry:
        yield (i, "axes"), "stands beside variants; give each variant its own axes", "error"
    wanted, seen = slot_names(entry), list[Any]()
    for j, variant in enumerate(variants):
        place: Place = (i, VARIANTS, j)
        if not isinstance(variant, dict) or not set(variant) <= set(OF_A_VARIANT) or not variant.get("axes"):
            yield place, "must be a mapping with axes, and with slots where the texts have any; nothing else", "error"
            continue
        if variant["axes"] in seen:
            yield (*place, "axes"), f"repeats {variant['axes']}; give every variant levels of its own", "error"
        seen.append(variant["axes"])
        yield from _slot_findings(place, _mapping(variant.get("slots")), wanted)


def _slot_findings(place: Place, slots: Mapping[str, Any], wanted: set[str]) -> Iterator[Finding]:
    for name in sorted(wanted - set(slots)):
        yield place, f"has no words for the slot {{{name}}}, which the scenario's texts use", "error"
    for name in sorted(set(slots) - wanted):
        yield (*place, "slots", name), f"fills {{{name}}}, which no text of the scenario uses", "error"
    for name, text in slots.items():
        if not isinstance(text, str) or not text.strip():
            yield (*place, "slots", name), "must be text that is not blank", "error"
        elif _SLOT.search(text):
            yield (*place, "slots", name), "contains a slot itself; write its words out", "error"


def _filled(value: Any, slots: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _SLOT.sub(lambda found: slots.get(found[1], found[0]), value)
    if isinstance(value, list):
        return [_filled(inner, slots) for inner in value]
    if isinstance(value, dict):
        return {key: _filled(inner, slots) for key, inner in value.items()}
    return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
