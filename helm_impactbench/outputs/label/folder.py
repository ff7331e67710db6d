"""Write labels and cards as files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from helm_impactbench.benchmark.model import Benchmark, content_digest
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.label.render import card_markdown, card_page, label_page

if TYPE_CHECKING:
    from helm_impactbench.outputs.label.label import Label

DATA_FILE = "labels.json"
CARDS = "cards"
CARD_HREF = CARDS + "/{slug}.html"


def write_labels(
    labels: Sequence[Label], audiences: Sequence[str], benchmarks: Iterable[Benchmark], folder: Path
) -> list[Path]:
    """Write a page per label, the cards that they link to, and DATA_FILE; return the pages and DATA_FILE.

    Raises ImpactBenchError when a file cannot be written.
    """
    from helm_impactbench.outputs.label.export import label_data, rules

    for benchmark in benchmarks:
        _write(folder / CARDS / f"{benchmark.slug}.html", card_page(benchmark))
    data = {**rules(), "labels": [label_data(label) for label in labels]}
    names = file_names([label.model for label in labels])
    pages = [
        _write(folder / f"{name}.html", label_page(label, audiences, CARD_HREF))
        for label, name in zip(labels, names, strict=True)
    ]
    return [*pages, _write(folder / DATA_FILE, json.dumps(data, indent=1, allow_nan=False) + "\n")]


def write_cards(benchmarks: Iterable[Benchmark], folder: Path) -> Iterator[Path]:
    """Write the card of each benchmark as HTML and Markdown, and yield the paths. Raises ImpactBenchError."""
    for benchmark in benchmarks:
        yield _write(folder / f"{benchmark.slug}.html", card_page(benchmark))
        yield _write(folder / f"{benchmark.slug}.md", card_markdown(benchmark))


def file_names(models: Sequence[str]) -> list[str]:
    """Return a file name without its ending for every deployment: different ones, also where upper case is lower."""
    plain = [re.sub(r"[^A-Za-z0-9._-]+", "_", model).strip("._") or "model" for model in models]
    folded = [name.lower() for name in plain]
    return [
        name if folded.count(name.lower()) == 1 and len(name) <= 100 else f"{name[:100]}-{content_digest(model)[:8]}"
        for model, name in zip(models, plain, strict=True)
    ]


def _write(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ImpactBenchError(f"--out-dir: {path} cannot be written: {error.strerror or error}") from error
    return path
