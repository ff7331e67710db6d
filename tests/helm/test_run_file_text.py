"""HELM's result files one instance at a time: the same bytes, in a part of the memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.scenarios.scenario import Input, Instance, Output, Reference
from helm.common.general import asdict_without_nones
from helm.common.request import GeneratedOutput, Request, RequestResult

from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.json_stream import Pieces, dumps
from helm_impactbench.helm.run_files import as_dictionary


def state(conversations: int) -> ScenarioState:
    """Return a run's state with text of several scripts, an annotation, and fields that are unset."""
    states = [
        RequestState(
            instance=Instance(
                Input(text=f"input {number}"), [Reference(Output("r"), ["correct"])], id=f"id{number}", extra_data=None
            ),
            reference_index=None,
            request_mode=None,
            train_trial_index=0,
            output_mapping=None,
            request=Request(model="m", prompt="Grüße, 世界 \U0001f600 \u2028 \x01", temperature=0.1),
            result=RequestResult(
                success=True,
                cached=False,
                embedding=[],
                completions=[
                    GeneratedOutput("said " * 100, -0.5, [], {"reason": "complete", "turns": [{"user": None}]})
                ],
                request_time=1e-7,
            ),
            num_train_instances=0,
            prompt_truncated=False,
            annotations={"impactbench": {"judges": [{"present": True, "score": 0.30000000000000004}]}},
        )
        for number in range(conversations)
    ]
    return ScenarioState(AdapterSpec(method="m"), states)


def helms(value: ScenarioState) -> str:
    """Return the text as HELM makes it."""
    return json.dumps(asdict_without_nones(value), indent=2)


@pytest.mark.parametrize("conversations", [0, 1, 500])
def test_the_text_is_helms(conversations: int, tmp_path: Path) -> None:
    """In one piece and in many, and in the file."""
    pieces, text = dumps(as_dictionary(state(conversations)), indent=2), helms(state(conversations))
    assert "".join(pieces) == text
    assert pieces.length == len(text)
    assert (len(pieces) > 1) == (conversations == 500)
    write_whole(tmp_path / "file", pieces)
    assert (tmp_path / "file").read_text(encoding="utf-8") == text


def test_a_list_and_a_plain_dataclass_are_helms() -> None:
    """What HELM's runner writes besides."""
    instances = [each.instance for each in state(3).request_states]
    expected = json.dumps([asdict_without_nones(instance) for instance in instances], indent=2)
    assert "".join(dumps([as_dictionary(instance) for instance in instances], indent=2)) == expected


def _peak(make: Callable[[ScenarioState], str | Pieces], value: Any) -> int:
    tracemalloc.start()
    made = make(value)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made
    return peak


def test_memory_is_little_more_than_the_text() -> None:
    """HELM's way takes several times as much."""
    value = state(2000)
    ours, length = _peak(lambda it: dumps(as_dictionary(it), indent=2), value), len(helms(value))
    assert ours < 1.5 * length + 3_000_000
    assert _peak(helms, value) > 2 * ours
