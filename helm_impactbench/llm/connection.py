"""What an endpoint's address, headers and parameters are to the cache, and to the removal of secrets.

A cache key tells apart what may change the answer, and holds no secret. What is called a secret (`X-Api-Key`, `?sig=`)
says who asks: it is left out, and a new key finds the old answers. Any other header or query value may choose a model
or a version, and may be a secret all the same: a digest stands for it. It takes long to compute, so that nobody finds a
short value by trying all of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from helm_impactbench.errors import MissingKeyError
from helm_impactbench.llm.env_file import take_missing
from helm_impactbench.llm.secret_names import is_key_of_a_header, is_secret_name
from helm_impactbench.llm.secrets import REMOVED, remember_named, remember_url, remember_values, without_secrets

_OWN_VALUES = frozenset({"headers", "extra_headers", "default_headers", "query", "extra_query", "default_query"})
"""Parameters of litellm that hold headers or a query."""
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)")
_SALT = b"helm_impactbench: cache key"


def expanded(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return headers with the values of the variables that they name. Raises MissingKeyError for one that is not set,
    or the provider would get the name.
    """
    values = {name: str(value) for name, value in headers.items()}
    named = [variable for value in values.values() for variable in _VARIABLE.findall(value)]
    take_missing(named)
    missing = [variable for variable in named if variable not in os.environ]
    if missing:
        names = ", ".join(f"${variable}" for variable in missing)
        raise MissingKeyError(
            f"its headers name {names}, and there is no such variable. Set it in the environment; put a value "
            "that has a $ of its own into a variable too."
        )
    return {name: os.path.expandvars(value) for name, value in values.items()}


def remember_connection(api_base: str | None, headers: Mapping[str, str], extra: Mapping[str, Any]) -> None:
    """Treat as secrets what a user may have written as one: passwords of addresses, what is called a secret or looks
    like one in their queries and in headers, and parameters that are called secrets.
    """
    remember_url(api_base or "")
    remember_values(headers)
    remember_named(extra)
    _remember_inside(extra)


def key_parts(api_base: str | None, headers: Mapping[str, str], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return what distinguishes answers of this endpoint from those of the model elsewhere, without secrets."""
    parts: dict[str, Any] = {}
    if api_base:
        parts["api_base"] = _address(api_base)
    own = _digests(headers)
    if any(value != REMOVED for value in own.values()):
        parts["headers"] = own
    if extra:
        parts["extra"] = _parameters(extra)
    return parts


def _remember_inside(data: object) -> None:
    if isinstance(data, Mapping):
        for name, value in data.items():
            if name in _OWN_VALUES and isinstance(value, Mapping):
                remember_values(value)
            else:
                _remember_inside(value)
    elif isinstance(data, list | tuple):
        for item in data:
            _remember_inside(item)
    elif isinstance(data, str) and _is_address(data):
        remember_url(data)


def _parameters(data: Any, name: str = "") -> Any:
    if is_secret_name(name):
        return REMOVED
    if isinstance(data, Mapping):
        if name in _OWN_VALUES:
            return _digests(data)
        return {key: _parameters(value, str(key)) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_parameters(item) for item in data]
    if isinstance(data, str):
        return _address(data) if _is_address(data) else without_secrets(data)
    return data


def _address(url: str) -> str:
    """Return a URL without `user:password@`, and with digests in its query."""
    parts = urlsplit(url)
    query = "&".join(f"{name}={value}" for name, value in _digests(dict(parse_qsl(parts.query))).items())
    return without_secrets(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query)))


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _digests(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: REMOVED if is_secret_name(name) or is_key_of_a_header(str(value)) else _digest(name, str(value))
        for name, value in sorted(values.items())
    }


@lru_cache(maxsize=256)
def _digest(name: str, value: str) -> str:
    return hashlib.scrypt(value.encode(), salt=_SALT + name.encode(), n=2**14, r=8, p=1, dklen=8).hex()
