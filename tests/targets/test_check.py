"""`impactbench target check` finds what is wrong with a product, and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from helm_impactbench.targets.check import MESSAGES, check_target
from helm_impactbench.targets.description import checked_product
from tests.support.product_server import KEY, ProductServer


def cats(said: list[str], body: dict[str, Any]) -> str:
    """Name the cat that the session was told of."""
    names = [message.split("called ")[1].split(".")[0] for message in said if "is called Zo" in message]
    if said[-1].endswith("?"):
        return f"Your cat is called {names[-1]}." if names else "You have not told me."
    return "I will keep that in mind."


@pytest.fixture
def product(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProductServer]:
    """A product that remembers cats."""
    monkeypatch.setenv("ACME_KEY", KEY)
    running = ProductServer(say=cats)
    yield running
    running.close()


def checked(server: ProductServer, patience: float = 20.0, **more: Any) -> dict[str, dict[str, Any]]:
    """Return the rows of a check by what was looked at, and the exit code."""
    data = {
        "name": "acme/companion", "url": f"{server.url}/chat", "headers": {"Authorization": "Bearer $ACME_KEY"},
        "send": {"message": "{message}", "session": "{session}"}, "reply": "$.answer",
    }  # fmt: skip
    result = check_target(checked_product({**data, **more}, "product.yaml"), patience)
    assert result.verdict
    rows: dict[str, dict[str, Any]] = {str(row["what"]): dict(row) for row in result["checks"].rows}
    broken = [row for row in rows.values() if row["holds"] == "no"]
    assert result.verdict.exit_code == bool(broken)
    assert all(row["cure"] for row in broken)
    return {name: row for name, row in rows.items() if row["holds"] == "no"}


def test_a_sound_product_passes(product: ProductServer) -> None:
    """With no more messages than are announced, each session apart."""
    assert checked(product) == {}
    assert len(product.turns) == MESSAGES
    assert len({session for session, _ in product.turns}) == 8


def test_without_a_price_it_says_that_no_budget_can_be_kept(product: ProductServer) -> None:
    """It can be tested nevertheless; with a price there is nothing to do."""
    data = {"name": "acme/companion", "url": f"{product.url}/chat", "headers": {"Authorization": "Bearer $ACME_KEY"},
            "send": {"message": "{message}", "session": "{session}"}, "reply": "$.answer"}  # fmt: skip
    for more, holds, cure in (({}, "look", "Without a price no budget can be kept"), ({"price": "free"}, "yes", "")):
        result = check_target(checked_product({**data, **more}, "product.yaml"))
        (row,) = [row for row in result["checks"].rows if row["what"] == "its price"]
        assert (row["holds"], str(row["cure"]).startswith(cure)) == (holds, True)
        assert result.verdict
        assert result.verdict.exit_code == 0


DEFECTS = {
    "no memory": ("it remembers the turn before", "You have not told me", r"Send the session's id \({session}\)"),
    "shared memory": ("another session does not know it", "Your cat is called", "Conversations share a memory"),
    "error body": ("it answers", "an empty reply", "sends an error with status 200, write error:"),
    "html": ("it answers", "a web page (HTML)", "Correct url"),
    "slow": ("it answers", "no reply within 0.3 s", "faster installation"),
    "empty": ("it answers", "an empty reply", "where the text stands"),
    "wrong path": ("it answers", "HTTP 404", "Correct url"),
    "key": ("it answers", "HTTP 401", "Set the variables that headers name"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_planted_defect_is_found_with_its_cure(product: ProductServer, defect: str) -> None:
    """Eight defects; the key is in no row."""
    what, seen, cure = DEFECTS[defect]
    product.defect, product.seconds = defect, 30.0 if defect == "slow" else 0.0
    more = {"url": f"{product.url}/nowhere"} if defect == "wrong path" else {}
    found = checked(product, 0.3 if defect == "slow" else 20.0, **more)
    assert seen in found[what]["seen"]
    assert cure.replace("\\", "") in found[what]["cure"]
    assert KEY not in str(found)


def test_a_wrong_path_to_the_reply_is_found_too(product: ProductServer) -> None:
    """With what the answer has instead."""
    row = checked(product, reply="$.text")["it answers"]
    assert "it has answer, session and usage" in row["seen"]
    assert row["cure"] == "Correct reply: the path to the text in the answer."


def test_a_cure_names_the_file_and_a_long_message_stands_below_the_table(
    product: ProductServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file may have any name, and a cell of 200 characters makes a table that nobody can read."""
    data = {"name": "acme/companion", "url": f"{product.url}/nowhere", "send": {"message": "{message}"},
            "reply": "$.answer", "headers": {"Authorization": f"$ACME_{'LONG_' * 20}KEY"}}  # fmt: skip
    described = checked_product(data, "shop.yaml")
    unset = check_target(described, file="shop.yaml")
    (row,) = unset["checks"].rows
    assert row["cure"].startswith("Correct shop.yaml")
    assert max(map(len, str(unset).splitlines()[:3])) < 200
    assert str(row["seen"]) in str(unset).splitlines()[-2]
    monkeypatch.setenv(f"ACME_{'LONG_' * 20}KEY", KEY)
    product.close()
    (row,) = check_target(described, file="shop.yaml")["checks"].rows
    assert row["cure"] == "Start the product, or correct url in shop.yaml: nothing answers there."
