"""Secrets that this process knows, and their removal from texts.

A provider may quote the key in an error, and an answer may contain it (an endpoint that echoes its request). Known
values are removed before anything is stored or shown, also where they are percent-encoded, in base64, base32 or hex,
reversed, escaped for JSON or HTML, or in one such form of another. Answers are not searched for what looks like a key:
they are measured, and a model's long word is no key.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from helm_impactbench.llm.secret_names import (
    is_harmless_name,
    is_key_of_a_header,
    is_secret_name,
    looks_like_a_secret,
)

REMOVED = "[removed]"
LEAST = 8
"""The fewest characters of a secret."""
LONG = 20
"""Letters from which on a value is no ordinary word, whatever they are."""

_ORDINARY = re.compile(r"[\W\d_]*|(?:[A-Z]+|[A-Z]?[a-z]+)(?:[-_./+'\s](?:[A-Z]+|[A-Z]?[a-z]+))*")
"""Numbers, words, and words that are joined (application/json): these may stand in any answer."""
_PARTS = re.compile(r"[\s;,]+")
_ENCODED = re.compile(r"[\w%+/-]{11,}", re.ASCII)
"""What may be a secret in another form: 8 bytes are 11 letters of base64."""
_HEX = re.compile(r"[0-9A-Fa-f]+")
_URL_SAFE = str.maketrans("-_%", "+/A")
_FILLED = 3
"""Bytes at the end of what is decoded that may come of filling up."""
_KNOWN: set[str] = set()
_FORMS: tuple[str, ...] = ()
"""Every form of every known secret, the longest first: one may begin with another."""
_LOCK = threading.Lock()
_THREAD = threading.local()


def remember(values: Iterable[object]) -> None:
    """Treat `values` and their parts (`Bearer <key>`, `name=<key>`) as secrets from now on, except ordinary words."""
    global _FORMS
    found = {part for value in values if isinstance(value, str) for part in _parts(value) if _is_no_word(part)}
    with _LOCK:
        new = found - _KNOWN
        if new:
            _KNOWN.update(new)
            forms = {*_FORMS, *(form for value in new for form in _forms(value))}
            _FORMS = tuple(sorted(forms, key=lambda form: (-len(form), form)))


def remember_named(data: object) -> None:
    """Treat as secrets all values under a name such as `api_key` anywhere in JSON-like data."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if is_secret_name(str(name)):
                remember(leaves(value))
            else:
                remember_named(value)
    elif isinstance(data, list | tuple):
        for item in data:
            remember_named(item)


def remember_environment() -> None:
    """Treat as secrets the environment variables whose names say so, and the passwords in the URLs of all others."""
    remember_named(dict(os.environ))
    for value in os.environ.values():
        if "://" in value and "@" in value:
            remember_user(value)


def remember_user(url: str) -> None:
    """Treat as a secret the password in `https://user:password@host`, or the user where there is no password."""
    try:
        parts = urlsplit(url)
        user, password = parts.username or "", parts.password or ""
    except ValueError:  # no URL after all
        return
    pair = f"{unquote(user)}:{unquote(password)}"
    basic = base64.b64encode(pair.encode()).decode() if user or password else ""
    remember([basic, *((password, unquote(password)) if password else (user, unquote(user)))])


def remember_url(url: str) -> None:
    """Treat as secrets what an address of one's own may hold of them: the password, and the values of its query."""
    remember_user(url)
    query = url.partition("?")[2].partition("#")[0]
    for name, value in parse_qsl(query):
        remember_values({name: value})
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        remember_values({unquote(name): value})


def remember_values(values: Mapping[str, Any]) -> None:
    """Treat as secrets those headers, or parameters of a query, whose name or form says so, and never words."""
    for name, value in values.items():
        if is_harmless_name(name):
            continue
        if is_secret_name(name) or is_key_of_a_header(str(value)):
            remember(leaves(value))
        else:
            remember(leaf for leaf in leaves(value) if isinstance(leaf, str) and looks_like_a_secret(leaf))


def without_secrets(text: str) -> str:
    """Return `text` with every known secret as `[removed]`."""
    for form in _FORMS:
        if form in text:
            _count(text.count(form))
            text = text.replace(form, REMOVED)
    return _ENCODED.sub(_unless_it_hides_one, text) if _FORMS else text


def removed_here() -> int:
    """Return how often this thread has removed a secret from a text so far."""
    return getattr(_THREAD, "removed", 0)


def _count(times: int) -> None:
    _THREAD.removed = removed_here() + times


def _unless_it_hides_one(run: re.Match[str]) -> str:
    """Return a run of letters, or `[removed]` where one form of a secret stands in it in another form."""
    if not any(form in decoded for decoded in _decoded(run[0]) for form in _FORMS):
        return run[0]
    _count(1)
    return REMOVED


def _decoded(run: str) -> Iterator[str]:
    """Yield what a run of letters may stand for; what is not made of plain letters has no form of a secret in it."""
    backwards = run[::-1]
    yield backwards
    if "%" in run:
        yield unquote(unquote(run))
        return
    if _HEX.fullmatch(run):
        for start in range(2):
            digits = run[start:]
            yield from _plain(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for letters in (run, backwards):
        letters = letters.translate(_URL_SAFE)
        for start in range(4):
            part = letters[start:]
            yield from _plain(binascii.a2b_base64(part + "A" * (-len(part) % 4)))


def _plain(decoded: bytes) -> Iterator[str]:
    if decoded[:-_FILLED].isascii():
        yield decoded.decode("ascii", "ignore")


def data_without_secrets(data: Any) -> Any:
    """Return JSON-like data with every known secret in its texts, keys included, as `[removed]`."""
    if isinstance(data, str):
        return without_secrets(data)
    if isinstance(data, Mapping):
        return {data_without_secrets(key): data_without_secrets(value) for key, value in data.items()}
    return [data_without_secrets(item) for item in data] if isinstance(data, list | tuple) else data


def leaves(data: object) -> list[object]:
    """Return the values of JSON-like data at any depth."""
    if isinstance(data, Mapping):
        return [leaf for value in data.values() for leaf in leaves(value)]
    return [leaf for item in data for leaf in leaves(item)] if isinstance(data, list | tuple) else [data]


def _parts(value: str) -> Iterator[str]:
    yield value
    for part in _PARTS.split(value):
        yield part
        yield part.partition("=")[2]


def _is_no_word(value: str) -> bool:
    if len(value) < LEAST or value.startswith("$") or "://" in value or _is_path(value):
        return False
    return len(value) >= LONG or not _ORDINARY.fullmatch(value)


def _is_path(value: str) -> bool:
    """Return whether a value is a path; a key in base64 may begin with a slash too."""
    return value.startswith("/") and value.count("/") > 1 and not set(value) & set("+=")


def _forms(value: str) -> Iterator[str]:
    """Yield how a value may be written."""
    data = value.encode(errors="replace")
    yield from (value, value[::-1], html.escape(value), json.dumps(value)[1:-1], data.hex(), data.hex().upper())
    percent = "".join(f"%{byte:02X}" for byte in data)
    yield from (percent, percent.lower())
    for encoded in (quote(value, "", errors="replace"), quote(value, errors="replace"), quote_plus(value, "")):
        yield from (encoded, re.sub(r"%..", lambda found: found[0].lower(), encoded))
    for before in range(3):  # where it may begin in the groups of three bytes that base64 encodes
        text = base64.b64encode(b"\0" * before + data).decode()
        text = text[(0, 2, 3)[before] : 8 * (before + len(data)) // 6]
        yield from (text, text.translate(str.maketrans("+/", "-_")))
    for before in range(5):  # and of five, that base32 encodes
        text = base64.b32encode(b"\0" * before + data).decode()
        text = text[-(-8 * before // 5) : 8 * (before + len(data)) // 5]
        yield from (text, text.lower())
