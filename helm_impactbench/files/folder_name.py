"""Names of folders: one part of a path, which every system can make. Pure."""

from __future__ import annotations

import os

_MOST_BYTES = 255
FOLDER_NAME_HELP = f"Give a name without slashes, of at most {_MOST_BYTES} bytes"


def is_folder_name(name: str) -> bool:
    """Return whether a folder inside another one can be called so."""
    fits = 0 < len(os.fsencode(name)) <= _MOST_BYTES
    return fits and bool(name.strip()) and name not in (".", "..") and not {"/", "\\", "\0"}.intersection(name)
