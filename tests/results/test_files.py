"""Runs of a suite's folder, read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.files import STATE_FILE, is_whole, run_folders, selected_runs, setup_of, suite_folder
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
    with pytest.raises(ResultsError, match=r"scenario_state.json (does|is) not .* repeat helm-run"):
        run.outcomes()


@pytest.mark.parametrize(("content", "message"), [("{", "cannot be read"), (None, "is missing")])
def test_broken_and_missing_files_say_what_to_do(tmp_path: Path, content: str | None, message: str) -> None:
    """A half-written file is no traceback."""
    run = kinds.write_run(tmp_path, "bad")
    path = run.path / STATE_FILE
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(ResultsError, match=message):
        run.outcomes()
