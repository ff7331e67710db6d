"""Litellm's list, read from its file: the same as litellm says of it, and without its import."""

from __future__ import annotations

import subprocess
import sys

import litellm
import pytest

from helm_impactbench.llm import price_list
from helm_impactbench.llm.price_list import PROVIDERS, listed, providers_of
from helm_impactbench.llm.prices import INPUT_PRICE, OUTPUT_PRICE, known_price

MODELS = (
    "openai/gpt-4o", "openai/gpt-4o-mini", "openai/own-model", "openai/ft:gpt-4o-2024-08-06:lab::x",
    "anthropic/claude-sonnet-4-6", "gemini/gemini-2.5-flash", "mistral/mistral-large-latest", "azure/gpt-4o", "gpt-4o",
    "mistral/none-such", "xai/grok-3", "deepseek/deepseek-chat", "nobody/nothing", "together_ai/none-such",
)  # fmt: skip


def test_it_is_what_litellm_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices of models that it has, of those that it has under another name, and of none."""
    said = [known_price(model) for model in MODELS]
    monkeypatch.setattr(price_list, "_installed", price_list._read)
    assert [known_price(model) for model in MODELS] == said
    assert said[0] is not None
    assert said[2] is None
    info = listed("openai/gpt-4o") or {}
    assert (info[INPUT_PRICE], info[OUTPUT_PRICE]) == (said[0].prompt, said[0].completion)
    assert providers_of("gpt-4o") == ["openai"]
    assert providers_of("claude-sonnet-4-6") == ["anthropic"]
    assert providers_of("none-such") == []


def test_a_model_that_nobody_knows_is_asked_for_quietly() -> None:
    """Litellm prints a coloured advertisement of its list of providers, unless it is told not to."""
    code = "from helm_impactbench.llm.price_list import listed; print(listed('acme/chat-x'), listed('callable:a:b'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None", "None"]


def test_its_providers_are_litellms_and_take_that_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that litellm misses for a model of theirs."""
    for provider in PROVIDERS:
        monkeypatch.delenv(f"{provider.upper()}_API_KEY", raising=False)
        assert provider in [getattr(name, "value", name) for name in litellm.provider_list]
        assert f"{provider.upper()}_API_KEY" in litellm.validate_environment(f"{provider}/model")["missing_keys"]


def test_litellm_is_not_imported_for_it() -> None:
    """Its import takes two seconds of every mistake in a name."""
    code = (
        "import sys; from helm_impactbench.llm.price_list import *; print(listed('openai/gpt-4o')['mode'], "
        "listed('openai/none-such'), providers_of('gpt-4o'), 'litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["chat", "None", "['openai']", "False"]
