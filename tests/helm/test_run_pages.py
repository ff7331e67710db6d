"""Pages of runs for helm-server: what we write from a run's JSON is what HELM writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helm.benchmark.presentation import run_display
from helm.benchmark.presentation.schema import MetricGroup, MetricNameMatcher, RunGroup, Schema
from helm.benchmark.run_spec import RunSpec
from helm.common.codec import from_json

from helm_impactbench.helm.prepared_runs import Preparation, WantedRun
from helm_impactbench.helm.run_pages import PAGES
from helm_impactbench.results.files import PER_INSTANCE_FILE, STATE_FILE, run_folders
from tests.support import kinds

SHOWN = frozenset({"pass_rate", "unscored"})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with letters that are not ASCII, and statistics of its first conversation."""
    folder = tmp_path / "runs/s"
    kinds.write_run(folder, "bad")
    path = run_folders(folder)[0].path
    state = json.loads((path / STATE_FILE).read_text())
    first = state["request_states"][0]
    first["result"]["completions"][0]["text"] = "caf\u00e9 \U0001f600"
    first["result"]["completions"][0]["thinking"] = {"text": "hm"}
    (path / STATE_FILE).write_text(json.dumps(state))
    stats = [
        {"name": {"name": name, "split": "test"}, "count": 1, "sum": 1.0, "mean": 1} for name in ("pass_rate", "hidden")
    ]
    one = {"instance_id": first["instance"]["id"], "train_trial_index": 0, "stats": stats}
    (path / PER_INSTANCE_FILE).write_text(json.dumps([one]))
    return path


def _left_to_helm(run: Path, *, has_pages: bool = False) -> list[Path]:
    preparation = Preparation([run])
    try:
        preparation.write_pages([WantedRun(run, SHOWN, has_pages=has_pages)])
        return preparation.without_pages()
    finally:
        preparation.close()


def _helms(path: Path) -> dict[str, str]:
    spec = from_json((path / "run_spec.json").read_text(), RunSpec)
    matchers = [MetricNameMatcher(name=name, split="test") for name in sorted(SHOWN)]
    schema = Schema(
        metric_groups=[MetricGroup(name="own", metrics=matchers)],
        run_groups=[RunGroup(name=group, metric_groups=["own"]) for group in spec.groups],
    )
    run_display.write_run_display_json(str(path), spec, schema, False)
    return _written(path)


def _written(path: Path) -> dict[str, str]:
    found = {name: (path / name).read_text() for name in PAGES}
    for name in PAGES:
        (path / name).unlink()
    return found


def test_pages_have_the_bytes_of_helms(run: Path) -> None:
    """Every field in its order, statistics that are shown and no others, letters escaped."""
    wanted = _helms(run)
    assert _left_to_helm(run) == []
    assert _written(run) == wanted
    assert '"pass_rate": 1.0' in wanted["display_predictions.json"]


@pytest.mark.parametrize("damage", ["{", '{"request_states": [{}]}', '{"request_states": [{"instance": 1}]}'])
def test_a_run_that_is_not_as_ours_are_is_left_to_helm(run: Path, damage: str) -> None:
    """HELM says what is wrong with it."""
    (run / STATE_FILE).write_text(damage)
    assert _left_to_helm(run) == [run]
    assert not any((run / name).exists() for name in PAGES)


def test_an_output_that_helm_maps_is_left_to_helm(run: Path) -> None:
    """Ours have none."""
    state = json.loads((run / STATE_FILE).read_text())
    state["request_states"][0]["output_mapping"] = {"A": "yes"}
    (run / STATE_FILE).write_text(json.dumps(state))
    assert _left_to_helm(run) == [run]


def test_pages_that_are_there_stay(run: Path) -> None:
    """Where they are to be skipped."""
    assert _left_to_helm(run, has_pages=True) == []
    assert not any((run / name).exists() for name in PAGES)
