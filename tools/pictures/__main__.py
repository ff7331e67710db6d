"""`make pictures`: write docs/images/**.png anew, from runs in a fresh folder.

python -m tools.pictures [FOLDER]     into another folder
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools.pictures import drawing, suites
from tools.pictures.compare import IMAGES


def main(images: Path) -> None:
    """Run both suites and draw all pictures."""
    with tempfile.TemporaryDirectory() as made:
        demo, combined = (Path(made) / name for name in ("demo", "combined"))
        demo.mkdir()
        combined.mkdir()
        suites.make_demo(demo)
        drawing.draw_demo(demo, images)
        suites.make_combined(combined)
        suites.report_combined(combined)
        drawing.draw_combined(combined, images)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else IMAGES)
