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
from tests.support.plug_in import write_plug_in

OWN = """
from typing import Literal
from helm_impactbench.benchmark.measures.presence import Presence


class Warmth(Presence):
    kind: Literal["warmth"] = "warmth"
"""


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten, and what is installed is looked for anew."""
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    registry._load_extensions.cache_clear()


def test_the_shipped_measures() -> None:
    """Four, by name."""
    assert list(measures())[:4] == ["presence", "scale", "stance", "quantity"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(
            "presense",
            r"there is no measure 'presense'. Choose presence, .* the package that brings it. Did you mean presence\?",
            id="name",
        ),
        pytest.param({"kind": "scal"}, r"Did you mean scale\?", id="kind"),
        pytest.param({"severity": "standard"}, "expected the name of a measure, or a mapping with its kind", id="none"),
        pytest.param({"kind": 3}, "or a mapping with its kind", id="number"),
        pytest.param(["presence"], "or a mapping with its kind", id="list"),
        pytest.param(None, "found 'None', expected the name of a measure", id="nothing"),
        pytest.param("scale", "points: it is missing", id="settings missing"),
    ],
)
def test_a_wrong_measure_is_explained(given: Any, message: str) -> None:
    """What was got, what is allowed, what was meant."""
    with pytest.raises(ValueError, match=message):
        built(given)


def test_a_name_alone_or_a_mapping() -> None:
    """Both give the same measure."""
    assert built("presence") == built({"kind": "presence"}) == Presence()


def test_a_measure_of_another_package_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package names it in its entry points; nothing else has to be said."""
    (tmp_path / "own_warmth.py").write_text(OWN)
    write_plug_in(tmp_path, warmth="own_warmth:Warmth")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_warmth", raising=False)
    assert built("warmth").read("present", applies=False).value == 1
    assert list(measures())[-1] == "warmth"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nowhere_at_all:X", "The package own-measures brings 'x' in helm_impactbench.measures as nowhere_at_all:X, "
         "which cannot be imported: ModuleNotFoundError"),
        ("json:nothing", "cannot be imported: AttributeError"),
        ("json:dumps", "must name a subclass of helm_impactbench.Measure"),
        ("tests.benchmark.measures.test_registry:Taken", "is called 'presence', which Presence is already"),
    ],
    ids=["module", "name", "no measure", "taken"],
)  # fmt: skip
def test_a_package_that_brings_no_measure_is_named(
    place: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it names, what is wrong with that, and what to do."""
    write_plug_in(tmp_path, x=place)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingError, match=message):
        measures()
    assert built("presence") == Presence()  # a broken package disturbs no benchmark that does without it


class Taken(Presence):
    """Has the name of a shipped measure."""

    kind: Literal["presence"] = "presence"


def test_a_name_that_is_taken_is_refused() -> None:
    """A second `presence` would change every benchmark without a word."""
    with pytest.raises(SettingError, match="is called 'presence', which Presence is already"):
        register(Taken)
    assert register(Presence) is Presence
