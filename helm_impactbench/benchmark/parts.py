"""What all parts of a benchmark have: texts, ids, strict fields and a digest."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that is not blank."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
ID_HELP = (
    "1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter or digit; no dot at the end, no device of Windows (con, nul)"
)
_KEPT_BY_WINDOWS = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|.*\.", re.IGNORECASE)
"""Device names, also with an extension (`nul.txt`), and names that end in a dot, which Windows drops."""


def is_id(text: str) -> bool:
    """Return whether `text` may be an id or a slug."""
    return _ID.fullmatch(text) is not None and _KEPT_BY_WINDOWS.fullmatch(text) is None


def plain_id(text: str) -> str:
    """Return the id that a text may mean: lower case, words joined by hyphens; empty without plain letters."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9_.]+", "-", plain)[:64].strip("-_.")


def _check_id(text: str) -> str:
    if not is_id(text):
        raise ValueError(f"found {text[:80]!r}, expected {ID_HELP}")
    return text


Id = Annotated[str, AfterValidator(_check_id)]
"""Plain ASCII without path separators, because ids become file names, column names and cache keys."""


class Part(BaseModel):
    """Whatever is in a benchmark's files: strict, unchangeable, and without unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def digest(self) -> str:
        """Return the SHA-256 (hex) of the content; equal content gives an equal digest on every machine."""
        return content_digest(self.model_dump(mode="json"))


def content_digest(content: Any) -> str:
    """Return the SHA-256 (hex) of JSON-like `content`, independent of key order."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
