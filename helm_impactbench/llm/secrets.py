"""Secrets that this process knows, and their removal from texts.

A provider may quote the key in an error, and an answer may contain it (an endpoint that echoes its request). Known
values are removed before anything is stored or shown. Answers are not searched for what looks like a key: they are
measured, and a model's long word is no key.
"""

from __future__ import annotations

import base64
import os
import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

REMOVED = "[removed]"
LEAST = 8
"""The fewest characters of a secret. It also needs a letter and a digit, or ordinary words would count."""

_NAME = re.compile(r"key|token|secret|passw|credential|authorization|cookie", re.IGNORECASE)
_NO_SECRET_NAME = re.compile(r"tokens$|tokenizer|_env$|key_?(?:file|path)$", re.IGNORECASE)
_KNOWN: set[str] = set()
_LOCK = threading.Lock()
_PATTERN: re.Pattern[str] | None = None


def remember(values: Iterable[object]) -> None:
    """Treat `values` as secrets from now on, except those too short or too plain to be one."""
    global _PATTERN
    found = {word for value in values if isinstance(value, str) for word in (value, *value.split()) if _plausible(word)}
    with _LOCK:
        if not found <= _KNOWN:
            _KNOWN.update(found)
            # The longest first: one secret may begin with another.
            _PATTERN = re.compile("|".join(map(re.escape, sorted(_KNOWN, key=len, reverse=True))))


def remember_named(data: object) -> None:
    """Treat as secrets all values under a name such as `api_key` anywhere in JSON-like data."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if is_secret_name(str(name)):
                remember(_leaves(value))
            else:
                remember_named(value)
    elif isinstance(data, list | tuple):
        for item in data:
            remember_named(item)


def remember_environment() -> None:
    """Treat as secrets the environment variables whose names say so."""
    remember_named(dict(os.environ))


def remember_url(url: str) -> None:
    """Treat as a secret the password in `https://user:password@host`, also in the form that a header has."""
    parts = urlsplit(url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    basic = base64.b64encode(f"{user}:{password}".encode()).decode() if user or password else ""
    remember([parts.username, parts.password, user, password, basic])


def without_user(url: str) -> str:
    """Return a URL without `user:password@`."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def is_secret_name(name: str) -> bool:
    """Return whether a name contains one of the words that secrets are usually called by."""
    return _NAME.search(name) is not None and _NO_SECRET_NAME.search(name) is None


def without_secrets(text: str) -> str:
    """Return `text` with every known secret as `[removed]`."""
    return _PATTERN.sub(REMOVED, text) if _PATTERN is not None else text


def data_without_secrets(data: Any) -> Any:
    """Return JSON-like data with every known secret in its texts, keys included, as `[removed]`."""
    if isinstance(data, str):
        return without_secrets(data)
    if isinstance(data, Mapping):
        return {data_without_secrets(key): data_without_secrets(value) for key, value in data.items()}
    return [data_without_secrets(item) for item in data] if isinstance(data, list | tuple) else data


def _plausible(word: str) -> bool:
    return (
        len(word) >= LEAST
        and not word.startswith(("/", "$", "http"))
        and any(map(str.isdigit, word))
        and any(map(str.isalpha, word))
    )


def _leaves(data: object) -> list[object]:
    if isinstance(data, Mapping):
        return [leaf for value in data.values() for leaf in _leaves(value)]
    return [leaf for item in data for leaf in _leaves(item)] if isinstance(data, list | tuple) else [data]
