"""Which values count as secrets, and what is left of a text without them."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from helm_impactbench.llm import secrets
from helm_impactbench.llm.secret_names import is_secret_name, looks_like_a_secret
from tests.support.looped import looped

DIALOGUES = Path(str(resources.files("helm_impactbench"))) / "rehearsal/dialogues"


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(secrets, "_KNOWN", set())
    monkeypatch.setattr(secrets, "_FORMS", ())
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


def test_ordinary_words_are_no_secrets_wherever_they_stand() -> None:
    """Words, joined words, numbers and paths of this machine may stand in any answer, and a short value too."""
    words = ("production", "rate-limited", "application/json", "hello world", "12345678", "Supportive", "/usr/bin/env")
    secrets.remember([*words, "https://host/path1", "$MY_KEY1234", "pass-1"])
    said = " | ".join((*words, "https://host/path1", "pass-1"))
    assert secrets.without_secrets(said) == said


@looped(
    "secret", ["correct horse battery staple", "hunTerhuNter", "p@ss/w=rd", "/x9+Ab/8Zq1==", "k1234567", "schlüssel-№1"]
)
@looped("filler", ["", "a", "ab"])
def test_every_form_of_a_secret_is_found(secret: str, filler: str) -> None:
    """Plain, percent-encoded, in base64 wherever it begins, escaped for JSON and for HTML."""
    secrets.remember([secret])
    encoded = base64.b64encode(f"{filler}{secret}".encode()).decode()
    plain = (secret, quote(secret, safe=""), quote(secret), quote_plus(secret))
    escaped = (json.dumps(secret), json.dumps(secret, ensure_ascii=False), html.escape(secret))
    for text in (*plain, *escaped, encoded, encoded.replace("+", "-").replace("/", "_")):
        found = secrets.without_secrets(f"x {text} y")
        assert "[removed]" in found
        assert len(found.replace("[removed]", "")) <= 8 + len(filler)


def _codings() -> dict[str, Callable[[str], str]]:
    return {
        "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
        "base64": lambda text: base64.b64encode(text.encode()).decode(),
        "hex": lambda text: text.encode().hex(),
        "reversed": lambda text: text[::-1],
    }


@pytest.mark.parametrize("secret", ["sk-PLANTED-zq81Xw72Lm", "p@ss/w=rd", "k1234567"])
@pytest.mark.parametrize("inner", _codings())
@pytest.mark.parametrize("outer", _codings())
@pytest.mark.parametrize("filler", ["", "ab: "])
def test_a_form_of_a_form_is_found(secret: str, inner: str, outer: str, filler: str) -> None:
    """Hex of base64, base64 of base64, base64 backwards ...: the run of letters goes, the words beside it stay."""
    secrets.remember([secret])
    coded = _codings()[outer](_codings()[inner](f"{filler}{secret}"))
    left = secrets.without_secrets(f"It said {coded} to me.")
    assert left.startswith("It said ")
    assert left.endswith(" to me.")
    assert "[removed]" in left
    assert len(left) <= len("It said [removed] to me.") + len(coded) - len(secret)


@pytest.mark.parametrize("filler", ["", "a", "ab", "abc", "abcd"])
def test_hex_and_base32_are_found_wherever_it_begins(filler: str) -> None:
    """In both cases of letters."""
    secrets.remember(["k1234567-xyz"])
    whole = f"{filler}k1234567-xyz".encode()
    for text in (
        whole.hex(),
        whole.hex().upper(),
        base64.b32encode(whole).decode(),
        base64.b32encode(whole).decode().lower(),
    ):
        assert "[removed]" in secrets.without_secrets(text)


def test_what_models_say_keeps_all_its_words() -> None:
    """Every line of the shipped dialogues, with headers that hold phrases of them, and names of any answer."""
    lines = [
        words for path in sorted(DIALOGUES.glob("*.json")) for words in _texts(json.loads(path.read_text("utf-8")))
    ]
    assert len(lines) > 100
    long = [line for line in lines if len(line) > 20]
    for name in ("X-Title", "HTTP-Referer", "User-Agent", "X-Purpose"):
        secrets.remember_values({name: long[len(name)]})
    secrets.remember_values({
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "api-version": "2024-02-15-preview",
        "X-Model": "gpt-4o-mini", "X-Deployment": "claude-3-5-sonnet-20241022",
        "X-Lab": "Qwen2.5-72B-Instruct-GPTQ-Int4",
        "HTTP-Referer": "https://a1b2c3d4e5f6.example.org/7f8e9d0c1b2a",
    })  # fmt: skip
    secrets.remember(["sk-PLANTED-zq81Xw72Lm"])  # so that something is looked for
    said = [*lines, "Mozilla/5.0", "2024-02-15-preview", "gpt-4o-mini", "claude-3-5-sonnet-20241022", "7f8e9d0c1b2a"]
    assert [line for line in said if secrets.without_secrets(line) != line] == []


def _texts(data: object) -> Iterator[str]:
    return (leaf for leaf in secrets.leaves(data) if isinstance(leaf, str))


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        *(("sk-abc123def456", True), ("AKIAIOSFODNN7EXAMPLE", True), ("f3a9c21b77d0", True), ("aG9sZDEyMw", True)),
        *(("550e8400-e29b-41d4-a716-446655440000", True), ("headerPLANTED7g8h", True), ("q" * 30, True)),
        *(("what matters most to you", False), ("application/json", False), ("2024-02-15-preview", False)),
        *(
            ("gpt-4o-mini", False),
            ("meta-llama/Llama-3.3-70B-Instruct", False),
            ("us-east-1", False),
            ("v1beta2", False),
        ),
        *(("SocialScienceLab", False), ("straightforwardness", False), ("20241022", False), ("", False)),
    ],
)
def test_form_tells_keys_from_names(value: str, secret: bool) -> None:
    """Words, versions, models and dates are none."""
    assert looks_like_a_secret(value) is secret


def test_what_is_removed_is_counted() -> None:
    """For the line at the end of a run that says where answers are not as they were written."""
    secrets.remember(["s3cret-value"])
    before = secrets.removed_here()
    secrets.data_without_secrets({"a": ["s3cret-value twice: s3cret-value", "plain"], "b": b"s3cret-value".hex()})
    assert secrets.removed_here() - before == 3


@looped(
    ("name", "secret"),
    [
        *(("OPENAI_API_KEY", True), ("HF_TOKEN", True), ("aws_secret", True), ("Authorization", True)),
        *(("DB_PWD", True), ("GH_PAT", True), ("PROXY_AUTH", True), ("SSHPASS", True), ("PGPASSWORD", True)),
        *(("AWS_SECRET_ACCESS_KEY", True), ("openaiApiKey", True), ("X-APIKey", True), ("authToken", True)),
        *(("KEYBOARD_LAYOUTS", False), ("MONKEY", False), ("TOKENIZERS_PARALLELISM", False), ("COMPASS", False)),
        *(("max_tokens", False), ("api_key_env", False), ("HOME", False), ("PWD", False), ("SSH_AUTH_SOCK", False)),
        *(("AUTHOR", False), ("PATH", False), ("BYPASS", False), ("OPENAI_BASE_URL", False), ("", False)),
    ],
)
def test_names_that_say_so(name: str, secret: bool) -> None:
    """By their words, and not by those that only look like them."""
    assert is_secret_name(name) is secret


def test_an_address_has_a_password_and_a_query() -> None:
    """Both are known afterwards, the password in the form of a header too; the user is not, beside a password."""
    secrets.remember_url("https://ann-marie1:pass%2Bword1@host:8000/v1?sig=a1%2Fb2c3d4&x=1")
    said = "ann-marie1 pass%2Bword1 pass+word1 YW5uLW1hcmllMTpwYXNzK3dvcmQx a1/b2c3d4 a1%2Fb2c3d4"
    assert secrets.without_secrets(said) == "ann-marie1" + 5 * " [removed]"
    secrets.remember_url("https://t0ken-alone@host")
    assert secrets.without_secrets("t0ken-alone") == "[removed]"
    secrets.remember_url("https://[broken")


def test_the_environment_tells_secrets_by_name_and_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is called a secret, and the password in a proxy's address."""
    monkeypatch.setenv("DB_PWD", "pwd-1a2b")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:pr0xy-pass@proxy:3128")
    monkeypatch.setenv("KEYBOARD_LAYOUTS", "de-latin1-us")
    secrets.remember_environment()
    assert secrets.without_secrets("pwd-1a2b pr0xy-pass de-latin1-us") == "[removed] [removed] de-latin1-us"


def test_what_stands_under_a_secret_name_is_one() -> None:
    """Anywhere in an endpoint's parameters, and only there."""
    secrets.remember_named({"extra_body": {"auth_token": ["t0ken-in-list"], "model": "gpt-4o-mini"}})
    assert secrets.without_secrets("t0ken-in-list gpt-4o-mini") == "[removed] gpt-4o-mini"
