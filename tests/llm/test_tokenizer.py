"""Tokens are counted as litellm counts them, without litellm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helm_impactbench.llm.tokenizer import tokens
from tests.llm.test_prices import SCRIPTS

TEXTS = {
    **{name: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for name, text in SCRIPTS.items()},
    "nothing": "",
    "a special token's name": "What does <|endoftext|> mean, and <|im_start|>?",
    "several chunks of English": SCRIPTS["English"] * 200,
    "several chunks of letters": SCRIPTS["letters"] * 300,
    "the edge of a chunk": "a" * 1023 + " word" * 3,
    "a prompt": (Path(__file__).parents[2] / "prompts/judge_presence.txt").read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_equals_litellms_counter(name: str) -> None:
    """Every script, special tokens, and texts longer than what is encoded at once."""
    import litellm

    assert tokens(TEXTS[name]) == litellm.token_counter(model="", text=TEXTS[name])


def test_counts_offline_without_litellm() -> None:
    """The vocabulary comes from litellm's package, whatever folder is set for others; that setting stays."""
    code = (
        "import os, socket, sys\n"
        "socket.socket.connect = None\n"
        "from helm_impactbench.llm.tokenizer import tokens\n"
        "print(tokens('Take heart.'), 'litellm' in sys.modules, os.environ['TIKTOKEN_CACHE_DIR'])"
    )
    environment = {**os.environ, "TIKTOKEN_CACHE_DIR": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "3 False /nowhere\n"
