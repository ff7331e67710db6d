"""A figure as an SVG file that can be embedded anywhere: text is text, nothing is loaded, nothing runs."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
FAMILY = "'DejaVu Sans', Verdana, Geneva, sans-serif"
"""The font that was measured with, and those that a reader may have, none of which is wider."""


def svg_of(figure: Figure, title: str, description: str) -> str:
    """Return the figure as SVG; title and description are what a screen reader says of it."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(text.getvalue())  # noqa: S314 - just written by matplotlib
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("defs", "metadata"):
                parent.remove(child)
        _restyle(parent)
    for size, place in (("width", 2), ("height", 3)):
        root.set(size, root.attrib["viewBox"].split()[place])
    root.set("role", "img")
    root.set("aria-label", title)
    for name, words in (("desc", description), ("title", title)):
        root.insert(0, ElementTree.Element(f"{{{_SVG}}}{name}"))
        root[0].text = words
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _restyle(element: ElementTree.Element) -> None:
    """Turn the style attribute, which a page's policy may forbid, into others; leave out ids, which may occur twice."""
    for declaration in re.split(r";\s*", element.attrib.pop("style", "")):
        name, _, value = declaration.partition(":")
        if name == "font":  # matplotlib 3.10 writes weight, size and family in one
            size = re.search(r"([\d.]+)px", value)
            element.set("font-size", size[1] if size else "10")
            if re.search(r"\b(?:bold|700)\b", value):
                element.set("font-weight", "700")
        elif name:
            element.set(name.strip(), value.strip().removesuffix("px"))
    element.attrib.pop("id", None)
    if element.tag.endswith("}text"):
        element.set("font-family", FAMILY)
        element.attrib.pop("transform", None)
    if element.tag.endswith("}a"):
        element.set("href", element.attrib.pop(f"{{{_LINK}}}href"))
        element.attrib.pop("target", None)
