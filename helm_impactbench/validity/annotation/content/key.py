"""The key of a sheet of content: which case each item is, and which verdict its sample reply was written for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.validity.annotation.content.drawing import Case, Intended
from helm_impactbench.validity.annotation.content.view import ContentView
from helm_impactbench.validity.annotation.key import AnyKey, KeyPart, parsed_key, read_key
from helm_impactbench.validity.annotation.sampling import chance


class ContentItem(KeyPart):
    """One case of the sheet."""

    item_id: str
    benchmark: str
    metric: str
    """slug/id."""
    variant: str
    reply: str
    """The sample reply; empty: none."""
    intended: Intended | None
    """None without a sample reply."""
    digest: str
    """SHA-256 of what the sheet shows."""


class ContentKey(AnyKey):
    """The key of one sheet of content."""

    content: dict[str, str]
    """Benchmark -> SHA-256 of its content when the sheet was drawn."""
    items: tuple[ContentItem, ...]
    """In the order of the sheet."""


def make_content_key(cases: Sequence[tuple[Case, ContentView]], seed: int) -> ContentKey:
    """Return the key for cases and what is shown of them."""
    items = tuple(_item(case, view, seed) for case, view in cases)
    benchmarks = {case.benchmark.slug: case.benchmark for case, _ in cases}
    return ContentKey(
        sheet=content_digest([seed, sorted(item.item_id for item in items)])[:12],
        seed=seed,
        content={slug: benchmarks[slug].digest() for slug in sorted(benchmarks)},
        items=items,
    )


def load_content_key(path: Path) -> ContentKey | None:
    """Return the key in a file or folder, None if it is that of a sheet of conversations. Raises AnnotationError."""
    file, content = read_key(path)
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed_key(ContentKey, file, content) if isinstance(data, dict) and "content" in data else None


def _item(case: Case, view: ContentView, seed: int) -> ContentItem:
    return ContentItem(
        # The letter keeps spreadsheets from reading an id as a number such as 12e45.
        item_id="c" + chance(seed, "id", [case.benchmark.slug, case.scenario.id, view.digest()])[:11],
        benchmark=case.benchmark.slug,
        metric=f"{case.benchmark.slug}/{case.metric.id}",
        variant=case.scenario.id,
        reply=view.reply,
        intended=case.reply.intended if case.reply else None,
        digest=view.digest(),
    )
