"""Which names are names of secrets: by their words, so that MONKEY and KEYBOARD_LAYOUTS are none; and which values look
like one whatever their name."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORDS = frozenset(
    (
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "key",
        "keys",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "pat",
        "pwd",
        "secret",
        "secrets",
        "sig",
        "signature",
        "sshpass",
        "token",
    )
)
_ENDS = ("accesskey", "apikey", "authtoken", "passphrase", "passwd", "password", "secret", "secretkey")
"""Of words that are written together: PGPASSWORD."""
_OF_SOMETHING_ELSE = frozenset({"dir", "env", "file", "name", "path", "sock", "type", "uri", "url"})
"""Last words of names that say where a secret is, or of what kind."""


def is_secret_name(name: str) -> bool:
    """Return whether a variable, header or parameter of this name holds a secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[-1] in _OF_SOMETHING_ELSE or words == ["pwd"]:  # PWD is the working directory
        return False
    return any(word in _SECRET_WORDS or word.endswith(_ENDS) for word in words)


_HARMLESS = frozenset(
    (
        "accept",
        "accept-encoding",
        "accept-language",
        "anthropic-beta",
        "anthropic-version",
        "api-version",
        "cache-control",
        "connection",
        "content-type",
        "host",
        "http-referer",
        "openai-beta",
        "origin",
        "referer",
        "user-agent",
        "x-app",
        "x-app-name",
        "x-model",
        "x-region",
        "x-title",
    )
)
"""Headers and parameters of a query that are known to hold no secret, in small letters."""


def is_harmless_name(name: str) -> bool:
    """Return whether a header or a parameter of a query is known to hold no secret."""
    return name.lower().replace("_", "-") in _HARMLESS


_SCHEME = re.compile(r"(?:Bearer|Basic|Token) ", re.IGNORECASE)
_PREFIX = re.compile(
    r"(?:(?:sk|pk|rk|xai|gsk|hf|ghp|gho|glpat|xox[a-z])[-_]|AKIA|ASIA|AIza|eyJ)(?=\D*\d)[-_A-Za-z0-9]{8,}"
)
"""How keys of well-known providers begin."""
_PREFIX_OF_A_PIECE = re.compile(rf"(?<![A-Za-z0-9]){_PREFIX.pattern}")
_PIECE = re.compile(r"[^\W_]+")
_PLAIN_PIECE = re.compile(r"[A-Z]{0,3}[a-z]*\d*|[A-Z]+\d*|(?:[A-Z]?[a-z]+)(?:[A-Z][a-z]+)*\d*|\d+[A-Za-z]*")
"""What names and versions are made of: word, Word, WORD, camelCase, each with a number before or after it."""
_LEAST_PIECE = 8
_LONGEST_WORD = 24
"""No word of a language that a header is written in has more letters, or nearly none."""


def is_key_of_a_header(value: str) -> bool:
    """Return whether a value is written as a header with a key is: `Bearer ...`."""
    return bool(_SCHEME.match(value))


def begins_as_a_key(value: str) -> bool:
    """Return whether a value begins as the keys of well-known providers do."""
    return bool(_PREFIX.match(value))


def holds_a_key(value: str) -> bool:
    """Return whether something in a text is written as the keys of well-known providers are."""
    return bool(_PREFIX_OF_A_PIECE.search(value))


def looks_like_a_secret(value: str) -> bool:
    """Return whether a value without spaces is made as keys are, and not of words, numbers and dates as names are."""
    if " " in value:
        return False
    return begins_as_a_key(value) or any(map(_is_random, _PIECE.findall(value)))


def _is_random(piece: str) -> bool:
    if len(piece) < _LEAST_PIECE or piece.isdigit():
        return False
    return len(piece) > _LONGEST_WORD or not _PLAIN_PIECE.fullmatch(piece)
