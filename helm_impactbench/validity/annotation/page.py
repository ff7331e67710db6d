"""A sheet as one HTML page that needs no network, and in which nothing a model wrote can run."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from helm_impactbench.validity.annotation.view import View

TEMPLATE = "sheet.html.jinja"
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def sheet_html(sheet: str, items: Sequence[tuple[str, View]], served: Mapping[str, Any] | None = None) -> str:
    """Return the page for a sheet's id and its (item id, view) pairs.

    served: `person`, and `given` with what each item has been answered (item id -> answer, note, quotes), where a
    server keeps the answers: each is sent to the address `answer` beside the page. Without it the browser keeps them.

    What models wrote travels as JSON without <, > and &, and the page's script puts it in as text. The page's
    Content-Security-Policy names the hashes of its own script and style; it allows no other, and no connection but
    that to the server which keeps the answers.
    """
    return filled(TEMPLATE, sheet=sheet, count=len(items), data=page_data(sheet, items, served), served=bool(served))


def filled(name: str, **values: Any) -> str:
    """Return a template of this folder with its holes filled; what goes in is text and not HTML."""
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["sha256"] = csp_hash
    template = environment.from_string(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return template.render(**values)


def page_data(sheet: str, items: Sequence[tuple[str, View]], served: Mapping[str, Any] | None = None) -> Markup:
    """Return a sheet as JSON that is safe inside a script element, whatever it contains."""
    content = {
        "sheet": sheet,
        "items": [{"id": item_id, **view.as_json()} for item_id, view in items],
        "served": served,
    }
    return Markup(safe_json(content))  # noqa: S704 - escaped there


def safe_json(content: Any) -> str:
    """Return JSON that is safe inside a script element, whatever it contains."""
    return "".join(_ESCAPES.get(character, character) for character in json.dumps(content))


def csp_hash(text: str) -> str:
    """Return what a policy calls an inline script or style by."""
    return b64encode(hashlib.sha256(str(text).encode("utf-8")).digest()).decode("ascii")
