"""What a product.yaml may say; a refusal names the field and what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.targets.description import checked_product, read_product
from helm_impactbench.targets.event_stream import events_in

WHOLE: dict[str, Any] = {
    "name": "acme/companion", "url": "https://staging.acme.test/chat", "send": {"message": "{message}"},
    "reply": "$.answer",
}  # fmt: skip

FAULTS = {
    "unknown": ({"replies": "$.a"}, "there is no field replies.*Did you mean release or reply"),
    "name": ({"name": "companion"}, "name has to be maker/product"),
    "address": ({"url": "staging.acme.test"}, "url has to be an address that begins with http:// or https://"),
    "both": ({"callable": "acme.bot:reply"}, "give one of url and callable"),
    "neither": ({"url": None}, "give one of url and callable"),
    "function": ({"url": None, "callable": "acme.bot"}, "callable has to be module:function"),
    "no message": ({"send": {"text": "hello"}}, r"send has to hold \{message\}"),
    "both places": ({"send": ["{message}", "{messages}"]}, "and not both"),
    "place": ({"send": {"message": "{message}", "s": "{sesion}"}}, r"names \{sesion\}.*Did you mean session"),
    "path": ({"reply": "answer"}, r"a JSONPath begins with \$, for example \$.answer"),
    "broken path": ({"reply": "$.answer["}, "this is not a JSONPath"),
    "no reply": ({"reply": None}, r"reply is missing: .* reply: \$.answer"),
    "get": ({"method": "GET"}, "GET, which has no body"),
    "price": ({"price": {"per_call": -1}}, "price"),
    "step": ({"open": {"send": "{message}"}}, "open.send belongs to no turn"),
    "release": ({"release": "a b"}, "release: up to 100 letters"),
}


@pytest.mark.parametrize(("change", "says"), FAULTS.values(), ids=FAULTS)
def test_a_fault_names_the_field_and_what_to_write(change: dict[str, Any], says: str) -> None:
    """One line, with the file."""
    data = {name: value for name, value in {**WHOLE, **change}.items() if value is not None}
    with pytest.raises(SettingError, match=f"^product.yaml: .*{says}"):
        checked_product(data, "product.yaml")


KEYS = [
    {"headers": {"Authorization": "Bearer sk-proj-a8F3kd92mZqL71"}},
    {"headers": {"X-Api-Key": "plainword"}},
    {"headers": {"X-Team": "a8F3kd92mZqL71xx"}},
    {"url": "https://me:a8F3kd92mZqL71@acme.test/chat"},
    {"url": "https://acme.test/chat?api_key=a8F3kd92mZqL71"},
    {"send": {"message": "{message}", "token": "a8F3kd92mZqL71"}},
]


@pytest.mark.parametrize("change", KEYS, ids=str)
def test_a_key_in_the_file_is_refused_and_not_shown(change: dict[str, Any]) -> None:
    """A variable stands in its place."""
    with pytest.raises(SettingError, match=r"\$") as refused:
        checked_product({**WHOLE, **change}, "product.yaml")
    assert "a8F3kd92" not in str(refused.value)
    assert "plainword" not in str(refused.value)


def test_names_of_variables_are_no_keys() -> None:
    """In headers, in the address, and in the body."""
    checked_product(
        {**WHOLE, "headers": {"Authorization": "Bearer $ACME_KEY", "X-Team": "red"},
         "url": "https://acme.test/chat?key=$ACME_KEY", "send": {"message": "{message}", "token": "$ACME_KEY"}},
        "product.yaml",
    )  # fmt: skip


def test_a_file_is_read_with_its_date_as_a_release(tmp_path: Path) -> None:
    """YAML makes no date of it."""
    path = tmp_path / "product.yaml"
    path.write_text("name: a/b\nrelease: 2026-11-20\nurl: http://x.test\nsend: '{message}'\nreply: $.a\n")
    assert read_product(path).release == "2026-11-20"


def test_the_digest_tells_what_may_bring_other_answers() -> None:
    """A price does not."""
    plain = checked_product(WHOLE, "")
    assert plain.digest == checked_product({**WHOLE, "price": "free"}, "").digest
    assert plain.digest != checked_product({**WHOLE, "send": {"message": "{message}", "n": 1}}, "").digest


def test_events_of_a_stream() -> None:
    """All line endings, data over several lines, comments, and a mark of the end."""
    text = ': hi\r\n\r\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: plain\n\ndata: [DONE]\n\ndata: "last"'
    assert events_in(text) == [{"a": 1}, "plain", "last"]
