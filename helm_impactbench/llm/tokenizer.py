"""How many tokens a text has, counted as litellm does for models without a tokenizer of their own, without its import.

The vocabulary is the copy in litellm's package, so that nothing is downloaded.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

_VOCABULARY = "cl100k_base"
_FOLDER_VARIABLE = "TIKTOKEN_CACHE_DIR"
_CHUNK = 1024
"""Characters that are encoded at once, as litellm does: the encoder is slow for very long words."""


@cache
def tokens(text: str) -> int:
    """Return the tokens of a text; names of special tokens in it count as the words that they are."""
    encoding = _encoding()
    return sum(
        len(encoding.encode(text[start : start + _CHUNK], disallowed_special=()))
        for start in range(0, len(text), _CHUNK)
    )


@cache
def _encoding() -> Encoding:
    import tiktoken

    before = os.environ.get(_FOLDER_VARIABLE)
    spec = find_spec("litellm")
    if spec and spec.origin:
        os.environ[_FOLDER_VARIABLE] = str(Path(spec.origin).with_name("litellm_core_utils") / "tokenizers")
    try:
        return tiktoken.get_encoding(_VOCABULARY)
    finally:
        os.environ.pop(_FOLDER_VARIABLE, None)
        os.environ.update({} if before is None else {_FOLDER_VARIABLE: before})
