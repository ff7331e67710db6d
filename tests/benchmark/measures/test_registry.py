"""The registry: what a benchmark may name, and measures from outside the package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import pytest

from helm_impactbench.benchmark.measures import registry
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.registry import built, measures, register
from helm_impactbench.errors import SettingError

OWN = """
from typing import Literal
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.registry import register


@register
class Warmth(Presence):
    kind: Literal["warmth"] = "warmth"
"""


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten."""
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))


def test_the_shipped_measures() -> None:
    """Four, by name."""
    assert list(measures())[:4] == ["presence", "scale", "stance", "quantity"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(
            "presense",
            r"there is no measure 'presense'. Choose presence, .* IMPACTBENCH_MEASURES names. Did you mean presence\?",
            id="name",
        ),
        pytest.param({"kind": "scal"}, r"Did you mean scale\?", id="kind"),
        pytest.param({"severity": "standard"}, "expected the name of a measure, or a mapping with its kind", id="none"),
        pytest.param({"kind": 3}, "or a mapping with its kind", id="number"),
        pytest.param(["presence"], "or a mapping with its kind", id="list"),
        pytest.param(None, "found 'None', expected the name of a measure", id="nothing"),
        pytest.param("scale", "points: Field required", id="settings missing"),
    ],
)
def test_a_wrong_measure_is_explained(given: Any, message: str) -> None:
    """What was got, what is allowed, what was meant."""
    with pytest.raises(ValueError, match=message):
        built(given)


def test_a_name_alone_or_a_mapping() -> None:
    """Both give the same measure."""
    assert built("presence") == built({"kind": "presence"}) == Presence()


def test_a_module_of_ones_own_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """IMPACTBENCH_MEASURES names modules, with commas between them."""
    (tmp_path / "own_warmth.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_warmth", raising=False)
    monkeypatch.setenv("IMPACTBENCH_MEASURES", " own_warmth ,")
    assert built("warmth").read("present", applies=False).value == 1
    assert list(measures())[-1] == "warmth"


def test_a_module_that_is_not_there_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named with the variable that names it."""
    monkeypatch.setenv("IMPACTBENCH_MEASURES", "nowhere_at_all")
    with pytest.raises(SettingError, match="IMPACTBENCH_MEASURES names 'nowhere_at_all', which cannot be imported"):
        measures()


def test_a_name_that_is_taken_is_refused() -> None:
    """A second `presence` would change every benchmark without a word."""

    class Other(Presence):
        kind: Literal["presence"] = "presence"

    with pytest.raises(SettingError, match="is called 'presence', which Presence is already"):
        register(Other)
    assert register(Presence) is Presence
