"""A matplotlib figure as an inline SVG: text kept as text, colours taken from the page's style sheet.

matplotlib styles its elements by style attributes and a style element, which the pages' Content-Security-Policy
forbids. They are rewritten as presentation attributes, and stand-in colours as classes that follow light and dark.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT, BLUE, ORANGE, SOFT = "#010101", "#020202", "#030303", "#040404", "#050505"
"""Stand-ins for text, grid, the two colours of the data, and small print."""
_CLASSES = {INK: "ink", FAINT: "faint", BLUE: "blue", ORANGE: "orange", SOFT: "soft"}
_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": FAINT,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "axes.labelsize": 9,
    "grid.color": FAINT,
    "font.size": 10,
    "font.family": "DejaVu Sans",
}


@contextmanager
def drawing(name: str) -> Iterator[None]:
    """Draw with our settings, whatever the user's own are; `name` keeps the ids of two plots on a page apart."""
    import matplotlib as mpl

    settings: Any = {**_SETTINGS, "svg.hashsalt": name}
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        yield


def markup(figure: Figure, style: str) -> Markup:
    """Return the figure as an SVG element of class `style`, without styles of its own and silent to screen readers.

    A sentence and a table beside it say the same, with the same links.
    """
    text = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name in a script that the measuring font lacks
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    for prefix, space in (("", _SVG), ("xlink", _LINK)):
        ElementTree.register_namespace(prefix, space)
    root = ElementTree.fromstring(text.getvalue())  # noqa: S314 - just written by matplotlib
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("style", "metadata"):
                parent.remove(child)
        _restyle(parent)
    root.set("aria-hidden", "true")
    root.set("class", style)
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704 - serialised, so escaped


def _restyle(element: ElementTree.Element) -> None:
    """Turn the style attribute of an element into presentation attributes."""
    classes = set()
    for declaration in re.split(r";\s*", element.attrib.pop("style", "")):
        name, _, value = declaration.partition(":")
        if name in ("fill", "stroke") and value.strip() in _CLASSES:
            classes.add(f"{name}-{_CLASSES[value.strip()]}")
        elif name == "font":
            element.set("font-size", value.split("px")[0].split()[-1])
        elif name and not name.startswith("-"):
            element.set(name, value.strip())
    if classes:
        element.set("class", " ".join(sorted(classes)))
    link = f"{{{_LINK}}}href"
    if element.tag.endswith("}g"):
        element.attrib.pop("id", None)  # nothing refers to it, and two plots of a page would have the same
    if element.tag.endswith("}a"):
        element.set("tabindex", "-1")
        element.set("href", element.attrib.pop(link))
