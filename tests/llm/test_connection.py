"""What an endpoint's address, headers and parameters leave in a cache key."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from helm_impactbench.errors import MissingKeyError
from helm_impactbench.llm import secrets
from helm_impactbench.llm.connection import expanded, key_parts, remember_connection


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(secrets, "_KNOWN", set())
    monkeypatch.setattr(secrets, "_FORMS", ())
    return iter(())


BASE = "https://ann:hunter2hunter2@host:8000/v1?sig=s1gs1gs1g&api-version=2024-06-01-preview"
HEADERS = {"X-Api-Key": "k3yk3yk3y", "X-Route": "r0ute-to-a", "X-Lab": "f3a9c21b77d0", "X-Model": "gpt-4o-mini"}
EXTRA = {
    "reasoning_effort": "low",
    "extra_headers": {"X-Team": "aG9sZDEyMw", "Authorization": "Bearer b3arerb3arer"},
    "extra_body": {"auth_token": ["t0kent0ken"], "top_k": 5, "callback": "http://u:c4llbackpw@host/?token=q1q1q1q1q1"},
}
VALUES = (
    *("hunter2hunter2", "s1gs1gs1g", "k3yk3yk3y", "b3arerb3arer", "t0kent0ken", "c4llbackpw", "q1q1q1q1q1"),
    *("aG9sZDEyMw", "f3a9c21b77d0"),
)
NAMES = ("2024-06-01-preview", "r0ute-to-a", "gpt-4o-mini")
"""Values that may choose a version, a route or a model, and stand in answers."""


def test_no_value_that_may_be_secret_is_in_a_key_and_all_are_known() -> None:
    """Passwords, and query values, headers and parameters whose name or form says so; names and versions are in no key
    either, and in every answer.
    """
    remember_connection(BASE, HEADERS, EXTRA)
    text = json.dumps(key_parts(BASE, HEADERS, EXTRA))
    assert [value for value in (*VALUES, *NAMES) if value in text] == []
    assert secrets.without_secrets(" ".join(VALUES)) == " ".join(["[removed]"] * len(VALUES))
    assert secrets.without_secrets(" ".join(NAMES)) == " ".join(NAMES)
    assert key_parts(BASE, HEADERS, EXTRA)["extra"]["reasoning_effort"] == "low"


def test_another_secret_finds_the_same_answers() -> None:
    """A key that was renewed changes no key of the cache."""
    other = BASE.replace("hunter2hunter2", "other1other1").replace("s1gs1gs1g", "n3wn3wn3w")
    headers = {**HEADERS, "X-Api-Key": "n3wk3yn3w"}
    assert key_parts(other, headers, EXTRA) == key_parts(BASE, HEADERS, EXTRA)
    assert key_parts(None, {"X-Lab": "Bearer a1"}, {}) == key_parts(None, {"X-Lab": "Bearer b2"}, {})


def test_what_may_change_the_answer_tells_endpoints_apart() -> None:
    """Another version, route or parameter is another question; so is another address."""
    own = key_parts(BASE, HEADERS, EXTRA)
    assert key_parts(BASE.replace("06-01", "07-01"), HEADERS, EXTRA) != own
    assert key_parts(BASE, {**HEADERS, "X-Route": "r0ute-to-b"}, EXTRA) != own
    assert key_parts(BASE, HEADERS, {**EXTRA, "extra_headers": {"X-Team": "another"}}) != own
    assert key_parts(BASE, HEADERS, {**EXTRA, "reasoning_effort": "high"}) != own
    assert key_parts(BASE.replace("host", "other"), HEADERS, EXTRA) != own


def test_a_plain_endpoint_has_its_address_and_nothing_else() -> None:
    """Keys of endpoints without headers and parameters are as short as can be."""
    assert key_parts("http://host/v1", {}, {}) == {"api_base": "http://host/v1"}
    assert key_parts(None, {"Authorization": "Bearer k3yk3yk3y"}, {}) == {}


def test_headers_have_the_values_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is not set is an error: its name would go to the provider in its place."""
    monkeypatch.setenv("LAB_TEAM", "psychology")
    assert expanded({"X-A": "$LAB_TEAM", "X-B": "a ${LAB_TEAM} b", "X-C": "$5", "X-D": 6}) == {
        "X-A": "psychology", "X-B": "a psychology b", "X-C": "$5", "X-D": "6"}  # fmt: skip
    with pytest.raises(MissingKeyError, match=r"headers name \$LAB_TEAMS, and there is no such variable"):
        expanded({"X-A": "$LAB_TEAM", "X-B": "$LAB_TEAMS"})
