"""Which names are names of secrets: by their words, so that MONKEY and KEYBOARD_LAYOUTS are none."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORDS = frozenset((
    "apikey", "auth", "authorization", "bearer", "cookie", "credential", "credentials", "jwt", "key", "keys", "pass",
    "passphrase", "passwd", "password", "pat", "pwd", "secret", "secrets", "sig", "signature", "sshpass", "token",
))  # fmt: skip
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
