"""Write labels and cards as files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.label.render import (
    card_markdown,
    card_page,
    label_markdown,
    label_page,
    side_by_side_page,
)

if TYPE_CHECKING:
    from helm_impactbench.outputs.label.label import Label

DATA_FILE = "labels.json"
FORMATS = ("html", "svg", "png", "pdf", "md", "badge")
INDEX = "index.html"
CARDS = "cards"
CARD_HREF = CARDS + "/{slug}.html"


def write_labels(
    labels: Sequence[Label],
    audiences: Sequence[str],
    benchmarks: Iterable[Benchmark],
    folder: Path,
    formats: Sequence[str] = ("html",),
) -> list[Path]:
    """Write each label that has a grade in these formats (of FORMATS), and DATA_FILE with all; return the paths.

    An html page holds all the audiences, and comes with the cards that it links to and, of several models, a page with
    all of them. Of another format there is a file for each audience, and a badge is in the words of the first. Raises
    ImpactBenchError when a file cannot be written.
    """
    from helm_impactbench.outputs.label.export import label_data, rules

    drawn = [label for label in labels if label.has_grades]
    if "html" in formats:
        for benchmark in benchmarks if drawn else ():
            write(folder / CARDS / f"{benchmark.slug}.html", card_page(benchmark))
    names = file_names([label.model for label in drawn])
    written = [
        path
        for label, name in zip(drawn, names, strict=True)
        for kind in formats
        for path in _write_label(label, name, audiences, folder, kind, page="html" in formats)
    ]
    if "html" in formats and len(drawn) > 1:
        addresses = {label.model: f"{quote(name)}.html" for label, name in zip(drawn, names, strict=True)}
        written.append(write(folder / INDEX, side_by_side_page(labels, addresses)))
    data = {**rules(), "labels": [label_data(label) for label in labels]}
    return [*written, write(folder / DATA_FILE, json.dumps(data, indent=1, allow_nan=False) + "\n")]


def _write_label(
    label: Label, name: str, audiences: Sequence[str], folder: Path, kind: str, *, page: bool
) -> Iterator[Path]:
    from helm_impactbench.outputs.label import images

    if kind == "html":
        yield write(folder / f"{name}.html", label_page(label, audiences, CARD_HREF))
    elif kind == "badge":
        yield write(folder / f"{name}.badge.svg", images.badge(label, audiences[0], f"{name}.html" if page else None))
    else:
        for audience in audiences:
            content = label_markdown(label, audience) if kind == "md" else images.DRAWN[kind](label, audience)
            yield write(folder / f"{name}.{audience}.{kind}", content)


def write_cards(benchmarks: Iterable[Benchmark], folder: Path) -> Iterator[Path]:
    """Write the card of each benchmark as HTML and Markdown, and yield the paths. Raises ImpactBenchError."""
    for benchmark in benchmarks:
        yield write(folder / f"{benchmark.slug}.html", card_page(benchmark))
        yield write(folder / f"{benchmark.slug}.md", card_markdown(benchmark))


def file_names(models: Sequence[str]) -> list[str]:
    """Return a file name without its ending for every deployment: different ones, also where upper case is lower."""
    plain = [re.sub(r"[^A-Za-z0-9._-]+", "_", model).strip("._") or "model" for model in models]
    folded = [name.lower() for name in plain]
    return [
        name
        if folded.count(name.lower()) == 1 and len(name) <= 100 and f"{name.lower()}.html" != INDEX
        else f"{name[:100]}-{content_digest(model)[:8]}"
        for model, name in zip(models, plain, strict=True)
    ]


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, its folder too, and return its path. Raises ImpactBenchError when it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as error:
        raise ImpactBenchError(f"--out-dir: {path} cannot be written: {error.strerror or error}") from error
    return path
