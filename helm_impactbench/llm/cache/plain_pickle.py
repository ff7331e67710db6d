"""Answers as HELM's cache keeps them: pickled dictionaries, read back without any class or function.

Answers are plain data. A cache file from elsewhere therefore cannot run code here.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from typing import Any, NoReturn


def dumped(answer: Mapping[str, Any]) -> bytes:
    """Return an answer in bytes that HELM's own cache can read as well."""
    return pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL)


def loaded(data: bytes) -> dict[str, Any]:
    """Return the answer that `data` holds. Raises ValueError when it is not a dictionary of plain data."""
    try:
        value = _PlainUnpickler(io.BytesIO(data)).load()
    except Exception as error:  # a damaged pickle raises whatever its bytes happen to ask for
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"a {type(value).__name__} in place of an answer")
    return value


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")
