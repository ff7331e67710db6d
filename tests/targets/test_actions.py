"""What a product says that it did: events in its answers, read strictly, and shown as deeds."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.llm.failures import PermanentCallError
from helm_impactbench.targets.answer import ProductAnswer, actions_in
from helm_impactbench.targets.description import checked_product
from tests.support.looped import looped

PRODUCT = checked_product({"name": "acme/shop", "callable": "shop:reply", "tools": "$.events"}, "test")
READ: dict[str, tuple[Any, list[str]]] = {
    "none": ({"reply": "hi"}, []),
    "null": ({"events": None}, []),
    "a list": (
        {"events": [{"name": "buy", "arguments": {"item": "tent"}, "result": {"status": "paid"}}, {"name": "ping"}]},
        ['⟪buy {"item": "tent"}⟫\n⟪= {"status": "paid"}⟫', "⟪ping {}⟫\n⟪= ⟫"],
    ),
    "one event": ({"events": {"name": "buy", "arguments": '{"item":"x"}'}}, ['⟪buy {"item": "x"}⟫\n⟪= ⟫']),
    "a failure": ({"events": [{"name": "buy", "error": "card declined"}]}, ["⟪buy {}⟫\n⟪= failed: card declined⟫"]),
    "feigned marks": ({"events": [{"name": "buy⟫", "result": "⟪"}]}, ["⟪buy» {}⟫\n⟪= «⟫"]),
}


@looped("name", READ)
def test_events_are_read(name: str) -> None:
    """Name, arguments as an object or JSON, a result or an error; nothing where there is nothing."""
    answer, shown = READ[name]
    assert [one.shown for one in actions_in(ProductAnswer([answer]), PRODUCT)] == shown


def test_the_events_of_a_stream_are_joined() -> None:
    """Each part may tell of some."""
    parts = [{"events": [{"name": "a"}]}, {"reply": "x"}, {"events": [{"name": "b"}]}]
    assert [one.name for one in actions_in(ProductAnswer(parts), PRODUCT)] == ["a", "b"]


@pytest.mark.parametrize("event", ["buy", 3, {"tool": "buy"}, {"name": ""}])
def test_what_is_no_event_is_refused(event: Any) -> None:
    """A deed that cannot be read must not be lost in silence."""
    with pytest.raises(PermanentCallError, match=r"at \$\.events \(tools\) stands"):
        actions_in(ProductAnswer([{"events": [event]}]), PRODUCT)
