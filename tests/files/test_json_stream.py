"""JSON in pieces is the text that json.dumps makes."""

from __future__ import annotations

import json

import pytest

from helm_impactbench.files.json_stream import PIECE, dumps


@pytest.mark.parametrize("size", [0, 1, PIECE])
def test_the_pieces_make_the_text(size: int) -> None:
    """Small values are one piece, large ones several."""
    value = {"list": list(range(size)), "text": "Grüße \U0001f600", "nothing": None}
    pieces = dumps(value, indent=2)
    assert "".join(pieces) == json.dumps(value, indent=2)
    assert pieces.length == len(json.dumps(value, indent=2))
    assert (len(pieces) > 1) == (size == PIECE)


def test_what_json_cannot_say_is_refused() -> None:
    """As json.dumps does."""
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        dumps({"a": {1}}, indent=2)
