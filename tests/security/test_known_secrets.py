"""Which values count as secrets, and what is left of a text without them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helm_impactbench.llm import secrets


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(secrets, "_KNOWN", set())
    monkeypatch.setattr(secrets, "_PATTERN", None)
    return iter(())


def test_known_values_go_and_nothing_else() -> None:
    """A secret inside another goes whole; words, short values and paths are not secrets."""
    secrets.remember(["abcd1234", "abcd1234-and-more", "production", "x1", "/home/me/key1", None, "Bearer tok3nword"])
    said = "abcd1234-and-more abcd1234 production x1 /home/me/key1 Bearer tok3nword"
    assert secrets.without_secrets(said) == "[removed] [removed] production x1 /home/me/key1 [removed]"


def test_data_keep_their_shape() -> None:
    """Keys, values and lists; numbers and truth stay."""
    secrets.remember(["s3cret-value"])
    data = {"a s3cret-value": ["x s3cret-value", {"n": 1, "b": True, "none": None}]}
    expected = {"a [removed]": ["x [removed]", {"n": 1, "b": True, "none": None}]}
    assert secrets.data_without_secrets(data) == expected


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        *(("OPENAI_API_KEY", True), ("HF_TOKEN", True), ("aws_secret", True), ("Authorization", True)),
        *(("max_tokens", False), ("api_key_env", False), ("TOKENIZERS_PARALLELISM", False), ("HOME", False)),
    ],
)
def test_names_that_say_so(name: str, secret: bool) -> None:
    """By the usual words, and not by those that only look like them."""
    assert secrets.is_secret_name(name) is secret


def test_a_url_keeps_its_place_and_loses_its_user() -> None:
    """The password is known afterwards, in the form of a header too."""
    secrets.remember_url("https://ann:pass%2Bword1@host:8000/v1?x=1")
    assert secrets.without_user("https://ann:pass%2Bword1@host:8000/v1?x=1") == "https://host:8000/v1?x=1"
    assert secrets.without_user("http://host/v1") == "http://host/v1"
    said = "pass%2Bword1 pass+word1 YW5uOnBhc3Mrd29yZDE="
    assert secrets.without_secrets(said) == "[removed] [removed] [removed]"


def test_what_stands_under_a_secret_name_is_one() -> None:
    """Anywhere in an endpoint's parameters, and only there."""
    secrets.remember_named({"extra_body": {"auth_token": ["t0ken-in-list"], "model": "gpt-4o-mini"}})
    assert secrets.without_secrets("t0ken-in-list gpt-4o-mini") == "[removed] gpt-4o-mini"
