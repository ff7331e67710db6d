"""How long a provider asks to wait before the next attempt: in a header, or in words."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SPAN = r"(?:\d+(?:\.\d+)?(?:ms|[hms])\s*){1,4}"
_IN_WORDS = re.compile(rf"(?:try again|retry|retryDelay)\W{{0,4}}(?:in|after)?\W{{0,3}}({_SPAN})", re.IGNORECASE)
_UNREADABLE = (KeyError, TypeError, ValueError, OverflowError, OSError, AttributeError, IndexError)
"""What a header without a usable number or date leads to in Python's own readers; it then counts as not given."""
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[hms])", re.IGNORECASE)


def retry_after_seconds(failure: object, words: str) -> float:
    """Return the seconds that a failed call asks to wait, 0.0 when it does not say.

    Retry-After in seconds or as a date (RFC 9110, 10.2.3), else retry-after-ms, else words: "try again in 1m20s".
    """
    headers = _headers(failure)
    with suppress(*_UNREADABLE):
        return _delay(headers["retry-after"], headers.get("date"))
    with suppress(*_UNREADABLE):
        return _seconds(float(headers["retry-after-ms"]) / 1000)
    found = _IN_WORDS.search(words[:20_000])
    parts = _PART.findall(found.group(1)) if found else []
    with suppress(ValueError):
        return _seconds(sum(float(number) * _UNITS[unit.lower()] for number, unit in parts))
    return 0.0


def _headers(failure: object) -> Mapping[str, Any]:
    for holder in (failure, getattr(failure, "response", None)):
        headers = getattr(holder, "headers", None) or getattr(holder, "litellm_response_headers", None)
        if headers:
            return {str(name).lower(): value for name, value in headers.items()}
    return {}


def _delay(value: str, now: str | None) -> float:
    """Return the seconds of a Retry-After; a date is compared with the provider's own clock where the answer shows
    it."""
    try:
        return _seconds(float(value))
    except ValueError:
        began = parsedate_to_datetime(now).timestamp() if now else time.time()
        return _seconds(parsedate_to_datetime(value).timestamp() - began)


def _seconds(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"no number of seconds: {value}")
    return max(0.0, value)
