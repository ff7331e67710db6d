"""Keys that stand in a product's description are refused, and never shown (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from helm_impactbench.llm.secret_names import is_key_of_a_header, is_secret_name, looks_like_a_secret
from helm_impactbench.targets.template import places_in

_VARIABLE = re.compile(r"\$\{?[A-Za-z_]\w*\}?")
_SCHEME = re.compile(r"^(?:Bearer|Basic|Token|ApiKey)\s*", re.IGNORECASE)
_LEAST = 8
"""The fewest characters of a key in a body."""


def scheme_of(value: str) -> str:
    """Return the word with which a header's key begins, with the blank after it: `Bearer `; empty without one."""
    scheme = _SCHEME.match(value)
    return scheme[0] if scheme else ""


def holds_a_key(name: str, value: str) -> bool:
    """Return whether a header, or a parameter of a query, holds what may be a key beside names of variables."""
    rest = _SCHEME.sub("", _VARIABLE.sub("", value).strip())
    secret = is_secret_name(name) or is_key_of_a_header(value)
    return bool(rest) and (secret or any(map(looks_like_a_secret, rest.split())))


def refuse_literal_key(where: str, name: str, value: str) -> None:
    """Raise ValueError for a header that holds a key, or that cannot be sent."""
    if re.search(r"[\r\n\0]", value):
        raise ValueError(f"{where} has more than one line")
    if holds_a_key(name, value):
        variable = re.sub(r"\W+", "_", name).upper()
        raise ValueError(
            f"{where} holds what may be a key. A key does not belong into a file: put it into a variable of the "
            f"environment or of .env, and name that, for example {name}: {scheme_of(value)}${variable}"
        )


def refuse_key_in_url(where: str, url: str) -> None:
    """Raise ValueError for an address with a password or a key."""
    parts = urlsplit(url)
    if parts.password and not _VARIABLE.fullmatch(parts.password):
        raise ValueError(f"{where} holds a password; write $NAME in its place, and set that variable")
    for name, value in parse_qsl(parts.query):
        refuse_literal_key(f"{where}, {name}", name, value)


def refuse_keys_in_body(where: str, body: Any, name: str = "") -> None:
    """Raise ValueError for a body that holds a key."""
    if isinstance(body, Mapping):
        for key, value in body.items():
            refuse_keys_in_body(f"{where}.{key}", value, key)
    elif isinstance(body, list):
        for value in body:
            refuse_keys_in_body(where, value, name)
    elif isinstance(body, str) and is_literal_key(name, body):
        raise ValueError(f"{where} holds what may be a key; write $NAME in its place, and set that variable")


def is_literal_key(name: str, value: str) -> bool:
    """Return whether a text in a body may be a key."""
    if places_in(value) or _VARIABLE.fullmatch(value):
        return False
    return (is_secret_name(name) and len(value) >= _LEAST) or any(map(looks_like_a_secret, value.split()))
