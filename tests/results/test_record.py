"""The one format of a conversation in HELM's files, for every kind of measurement."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_impactbench.judging.verdict import Unscored
from helm_impactbench.results.publish import state_of
from helm_impactbench.results.record import ANNOTATOR, RECORD_KEY, Record, record_of
from tests.support import kinds

FOUND = kinds.records("bad")
SPEC: dict[str, Any] = {"adapter_spec": {"model": "m", "model_deployment": "m"}, "annotators": []}


def states(records: list[Record]) -> list[dict[str, Any]]:
    """Return what scenario_state.json holds of records, read back from text."""
    written = json.dumps(state_of(records, SPEC, "impactbench/"))
    read: list[dict[str, Any]] = json.loads(written)["request_states"]
    return read


def test_every_kind_comes_back() -> None:
    """Case, conversation and verdict of each measure, each metric type and each status."""
    written = states(FOUND)
    assert [record_of(state) for state in written] == FOUND


def test_another_version_is_refused() -> None:
    """A reader that guesses would count what it does not understand."""
    (state,) = states(FOUND[:1])
    state["annotations"][ANNOTATOR][RECORD_KEY]["version"] = 99
    with pytest.raises(ValueError, match="format 99; this version reads format 1"):
        record_of(state)


def test_without_an_annotator_nothing_is_judged() -> None:
    """A whole conversation is not judged yet; one that broke off keeps its reason."""
    whole, broken = FOUND[0], next(one for one in FOUND if not one.conversation.status.can_be_judged)
    found = [record_of({**state, "annotations": None}).verdict.unscored for state in states([whole, broken])]
    assert found == [Unscored.NOT_JUDGED, Unscored.TARGET_ERROR]
