"""Draw docs/images/rooms.svg: the rooms of the package, lowest first, and who imports whom.

    python -m tools.rooms            write the picture
    python -m tools.rooms --check    exit code 1 where the picture is not that of the imports

An arrow that follows from two others is left out. A room stands on the floor above everything that it imports.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "helm_impactbench"
PICTURE = ROOT / "docs/images/rooms.svg"
LEFT_OUT = {"__init__", "__main__", "_version", "plugin"}
"""What is no room: the doors of the package."""
WIDTH, HEIGHT, ACROSS, UP, EDGE = 118, 34, 150, 82, 24
"""Of a room, of the grid that rooms stand on, and of the picture's margin, in pixels."""
Imports = Mapping[str, frozenset[str]]


def imports() -> Imports:
    """Return room -> the rooms that it imports."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if room not in LEFT_OUT:
            found.setdefault(room, set()).update(_imported(path))
    return {room: frozenset(others & found.keys() - {room}) for room, others in found.items()}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "helm_impactbench" and rest:
                yield rest.split(".")[0]


def floors(arrows: Imports) -> dict[str, int]:
    """Return room -> its floor: 0 for one that imports none, else one above the highest that it imports."""
    known: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in known:
            known[room] = 1 + max((floor(other) for other in arrows[room]), default=-1)
        return known[room]

    for room in arrows:
        floor(room)
    return known


def reduced(arrows: Imports) -> list[tuple[str, str]]:
    """Return the arrows that do not follow from others, sorted."""

    def reach(rooms: Iterable[str]) -> set[str]:
        return {further for room in rooms for further in {*arrows[room], *reach(arrows[room])}}

    return sorted((room, other) for room in arrows for other in arrows[room] - reach(arrows[room]))


def picture(arrows: Imports) -> str:
    """Return the drawing as SVG: bright rooms on a plain ground, readable in light and dark."""
    storey = floors(arrows)
    top = max(storey.values())
    rows = {level: sorted(room for room in storey if storey[room] == level) for level in range(top + 1)}
    widest = max(map(len, rows.values()))
    places = {
        room: (EDGE + (place + (widest - len(row)) / 2) * ACROSS, EDGE + (top - level) * UP)
        for level, row in rows.items()
        for place, room in enumerate(row)
    }
    size = (2 * EDGE + (widest - 1) * ACROSS + WIDTH, 2 * EDGE + top * UP + HEIGHT)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:g} {size[1]:g}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">',
        "<title>The rooms of helm_impactbench; each imports only rooms below it</title>",
        f'<rect width="{size[0]:g}" height="{size[1]:g}" fill="#ffffff"/>',
    ]
    lines += [_arrow(places[room], places[other]) for room, other in reduced(arrows)]
    lines += [_room(room, *places[room]) for room in sorted(places)]
    return "\n".join([*lines, "</svg>", ""])


def _arrow(upper: tuple[float, float], lower: tuple[float, float]) -> str:
    x1, y1, x2, y2 = upper[0] + WIDTH / 2, upper[1] + HEIGHT, lower[0] + WIDTH / 2, lower[1]
    bend = (y2 - y1) / 2
    return (
        f'<path d="M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}" '
        'fill="none" stroke="#8aa4a4" stroke-width="1.2"/>'
    )


def _room(name: str, x: float, y: float) -> str:
    return (
        f'<g><rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#e3f1f0" stroke="#00695c"/>'
        f'<text x="{x + WIDTH / 2:g}" y="{y + 22:g}" text-anchor="middle" fill="#10302d">{escape(name)}</text></g>'
    )


def run(arguments: list[str]) -> int:
    """Write the picture, or check it. Returns the exit code."""
    text = picture(imports())
    if "--check" in arguments:
        return int(not PICTURE.is_file() or PICTURE.read_text(encoding="utf-8") != text)
    PICTURE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
