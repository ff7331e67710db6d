"""Whether two pictures show the same: anti-aliasing may differ, a figure or a word may not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

IMAGES = Path(__file__).parents[2] / "docs/images"
GRAIN = 4
"""Pixels along the side of a square whose mean grey is compared: less than a digit, more than an edge."""
STEP = 16
"""Levels of grey, of 256, by which a square may differ."""
SQUARES = 1
"""How many squares may differ by more."""
SIZE = 0.02
"""Share by which width and height may differ."""


def differences(drawn: Path, kept: Path = IMAGES) -> dict[str, str]:
    """Return picture -> how it differs, for those in a folder that differ from the ones of the same name."""
    names = sorted(path.relative_to(drawn).as_posix() for path in drawn.rglob("*.png"))
    found = {name: difference(drawn / name, kept / name) for name in names}
    return {name: words for name, words in found.items() if words}


def difference(drawn: Path, kept: Path) -> str:
    """Return how a picture differs from the one that is kept, in words; empty where it does not."""
    one, other = Image.open(drawn).convert("L"), Image.open(kept).convert("L")
    if any(abs(a - b) > SIZE * b for a, b in zip(one.size, other.size, strict=True)):
        return f"{one.size[0]} x {one.size[1]} pixels instead of {other.size[0]} x {other.size[1]}"
    squares = (other.size[0] // GRAIN, other.size[1] // GRAIN)
    greys = [np.asarray(image.resize(squares, Image.Resampling.BOX), dtype=float) for image in (one, other)]
    rows, columns = np.nonzero(abs(greys[0] - greys[1]) > STEP)
    if len(rows) <= SQUARES:
        return ""
    edges = [int(place) * GRAIN for place in (columns.min(), rows.min(), columns.max(), rows.max())]
    return f"{len(rows)} squares differ, within the pixels {edges}"
