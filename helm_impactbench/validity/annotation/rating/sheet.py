"""A rating sheet as a folder: sheet.html for readers, consent.txt, README.txt, and key.json for whoever asks.

The page needs no network, keeps answers in the browser and exports them as CSV; it allows no script but its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from helm_impactbench.validity.annotation.folder import HTML_FILE, README_FILE, write_new
from helm_impactbench.validity.annotation.key import KEY_FILE, AnyKey, KeyPart, parsed_key, read_key
from helm_impactbench.validity.annotation.page import csp_hash, safe_json

TEMPLATE = "rating.html.jinja"
CONSENT_FILE = "consent.txt"
Kind = Literal["relevance", "openings"]


class RatedItem(KeyPart):
    """One text of a sheet."""

    item_id: str
    about: str
    """Id of a metric; or whose words an opening is: simulated or people."""
    source: str = ""
    """Where an opening is from: slug/variant."""


class RatingKey(AnyKey):
    """The key of a rating sheet."""

    rating: Kind
    benchmark: str = ""
    """Slug, of a sheet on relevance."""
    version: int | None = None
    """Of that benchmark's content."""
    items: tuple[RatedItem, ...]
    """In the order of the sheet."""


@dataclass(frozen=True)
class KindWords:
    """What the page of a kind says."""

    title: str
    intro: tuple[str, ...]
    question: str
    points: tuple[str, ...]
    """From 1 on."""
    note: str
    """What the field for words asks."""
    last: str
    """What is asked once, at the end; empty: nothing."""


WORDS: dict[Kind, KindWords] = {
    "relevance": KindWords(
        "How relevant is each behaviour?",
        ("Answer alone, and do not rate what you wrote. Some behaviours are about crises, illness or abuse.",),
        "How relevant is this behaviour to the construct?",
        ("not relevant", "somewhat relevant", "quite relevant", "highly relevant"),
        "What would you change? (optional)",
        "What is missing from this benchmark?",
    ),
    "openings": KindWords(
        "Could somebody of your age have written this?",
        (
            "Each text is how a chat with an AI assistant began. Some were written by people, some by programs.",
            "There are no wrong answers. You can stop whenever you like.",
        ),
        "Could somebody of your age have written this?",
        ("no way", "probably not", "maybe", "probably", "for sure"),
        "What gives it away, and how would you put it? (optional)",
        "",
    ),
}


@dataclass(frozen=True)
class RatingSheet:
    """A sheet that is ready to be written."""

    key: RatingKey
    about: tuple[str, ...]
    """What stands above all items: the construct that metrics are rated against."""
    texts: tuple[tuple[tuple[str, str], ...], ...]
    """Of each item (heading, text) pairs, in the order of the sheet."""
    consent: str


def write_rating_sheet(sheet: RatingSheet, folder: Path) -> None:
    """Write the four files. Raises AnnotationError when one is there already, or cannot be written."""
    readme = (
        f"Give readers {CONSENT_FILE} first (fill in what is left open, and read it aloud), then {HTML_FILE}, and "
        f"nothing else.\n{KEY_FILE} says which item is what: never give it to a reader.\n"
        "Then: impactbench annotate score <this folder> annotations-*.csv\n"
    )
    contents = {
        KEY_FILE: sheet.key.model_dump_json(indent=1) + "\n",
        HTML_FILE: rating_html(sheet),
        CONSENT_FILE: sheet.consent,
        README_FILE: readme,
    }
    write_new(folder, contents)


def rating_html(sheet: RatingSheet) -> str:
    """Return the page. Texts travel as JSON without <, > and &, and the page's script puts them in as text."""
    words = WORDS[sheet.key.rating]
    content = {
        "sheet": sheet.key.sheet,
        "about": sheet.about,
        "question": words.question,
        "points": words.points,
        "note": words.note,
        "last": words.last,
        "items": [
            {"id": item.item_id, "parts": parts} for item, parts in zip(sheet.key.items, sheet.texts, strict=True)
        ],
    }
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["sha256"] = csp_hash
    template = environment.from_string(files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8"))
    return template.render(title=words.title, intro=words.intro, data=Markup(safe_json(content)))  # noqa: S704 - escaped


def load_rating_key(path: Path) -> RatingKey | None:
    """Return the key in a file or folder, None if it is that of another kind of sheet. Raises AnnotationError."""
    file, content = read_key(path)
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed_key(RatingKey, file, content) if isinstance(data, dict) and "rating" in data else None


def points_of(kind: Kind) -> Sequence[str]:
    """Return the points of a kind of sheet, from 1 on."""
    return WORDS[kind].points
