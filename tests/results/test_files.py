"""Runs of a suite's folder, read back."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.files import (
    SPEC_FILE,
    STATE_FILE,
    RunFolder,
    folder_name,
    is_whole,
    run_folders,
    setup_of,
    suite_folder,
)
from helm_impactbench.results.repeats import selected_runs
from helm_impactbench.results.shapes import STATS, read_json, read_shaped
from tests.support import kinds


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of two runs in an output folder."""
    folder = tmp_path_factory.mktemp("out") / "runs/s"
    for target in ("bad", "good"):
        kinds.write_run(folder, target)
    return folder


@pytest.mark.parametrize(
    ("name", "setup"),
    [
        ("impactbench:benchmark=b,user=u_u,judge=j,model=m_m", "impactbench:benchmark=b,user=u_u,judge=j"),
        ("impactbench:benchmark=b,model_deployment=m_m,temperature=0.2", "impactbench:benchmark=b,temperature=0.2"),
        ("gsm:model=m_m", "gsm"),
    ],
)
def test_the_set_up_is_the_name_without_the_target(name: str, setup: str) -> None:
    """Equal for runs that differ in nothing but the model."""
    assert setup_of(name) == setup


def test_what_a_run_folder_tells(suite: Path) -> None:
    """Who took part, of which benchmark, and every conversation checked."""
    bad, good = run_folders(suite)
    assert (bad.model, bad.benchmark, bad.judges, bad.user) == ("org/bad", "kinds", ["j/one", "j/two"], "")
    assert bad.setup == good.setup
    assert bad.provenance["prompts_digest"] == "p"
    assert (len(bad.outcomes()), is_whole(bad.path)) == (39, True)


def test_a_choice_is_checked(suite: Path) -> None:
    """A name that the suite does not have is told with the nearest one."""
    assert [run.model for run in selected_runs(suite, models=["org/good"])] == ["org/good"]
    with pytest.raises(ResultsError, match=r"has no model 'org/god'; it has: .* Did you mean org/good"):
        selected_runs(suite, models=["org/god"])
    with pytest.raises(ResultsError, match="has no benchmark 'kind'"):
        selected_runs(suite, benchmarks=["kind"])


def test_a_suite_that_is_not_there_is_told_with_those_that_are(suite: Path) -> None:
    """And one without a run."""
    with pytest.raises(ResultsError, match=r"No suite 't' .*; there are: s"):
        suite_folder(suite.parents[1], "t")
    (suite.parent / "empty").mkdir()
    with pytest.raises(ResultsError, match="Suite empty has no finished run"):
        run_folders(suite.parent / "empty")


@pytest.mark.parametrize("content", ['{"request_states": [{}]}', '{"request_states": 7}', "{}"])
def test_files_of_something_else_are_refused_by_name(tmp_path: Path, content: str) -> None:
    """With the cure."""
    run = kinds.write_run(tmp_path, "bad")
    (run.path / STATE_FILE).write_text(content)
    with pytest.raises(ResultsError, match=r"scenario_state.json (has no|is not) .* repeat helm-run"):
        run.outcomes()


@pytest.mark.parametrize(("content", "message"), [("{", "cannot be read"), (None, "is missing")])
def test_broken_and_missing_files_say_what_to_do(tmp_path: Path, content: str | None, message: str) -> None:
    """A half-written file is no traceback."""
    run = kinds.write_run(tmp_path, "bad")
    path = run.path / STATE_FILE
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(ResultsError, match=message):
        run.outcomes()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        pytest.param(
            "groups", ["../../out"], "the benchmark '../../out' has no usable name. A name is 1 to 64", id="benchmark"
        ),
        pytest.param("name", "..", "name: '..' is not a name that a folder can have", id="name"),
        pytest.param("name", "a\0b", "is not a name that a folder can have", id="null character"),
        pytest.param("name", "a\ud800", "name: Input should be a valid string, unable to parse", id="no Unicode text"),
    ],
)
def test_names_of_a_run_cannot_lead_out_of_a_folder(tmp_path: Path, key: str, value: object, message: str) -> None:
    """They become names of folders in exports and reports."""
    run = kinds.write_run(tmp_path, "bad")
    (run.path / SPEC_FILE).write_text(json.dumps({**run.spec, key: value}))
    with pytest.raises(ResultsError, match=re.escape(message)):
        str([RunFolder(run.path).name, RunFolder(run.path).benchmark])
    assert folder_name("../x") == ".._x"


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "1e400", "-1e400", "9" * 30, "9" * 6000])
def test_a_number_that_is_none_is_null(tmp_path: Path, literal: str) -> None:
    """HELM writes such beside what we read; where we read it, null is no number."""
    path = tmp_path / "x.json"
    path.write_text(f'{{"a": {literal}, "b": 0.5, "c": -3}}')
    assert read_json(path) == {"a": None, "b": 0.5, "c": -3}
    path.write_text(f'[{{"name": {{"name": "x"}}, "count": {literal}}}]')
    with pytest.raises(ResultsError, match=r"x\.json is not as HELM writes it \(0\.count: .*delete the run's folder"):
        read_shaped(path, STATS)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """Nobody may ever write to it: it is refused, and not waited for."""
    run = kinds.write_run(tmp_path, "bad")
    (run.path / STATE_FILE).unlink()
    os.mkfifo(run.path / STATE_FILE)
    with pytest.raises(ResultsError, match="is a pipe"):
        run.outcomes()
