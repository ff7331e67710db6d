"""Output into a log that may be on a full disk: what does not fit is left out, and the run goes on to say why it stops.

Python's logging would print a traceback for each line that cannot be written.
"""

from __future__ import annotations

import io
from contextlib import suppress


class LogStream(io.TextIOWrapper):
    """A text stream that loses what cannot be written."""

    def write(self, text: str) -> int:
        """Write what can be written; return the number of characters in all."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Write what can be written of what waits."""
        with suppress(OSError):
            super().flush()
