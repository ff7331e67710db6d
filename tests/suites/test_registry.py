"""One function reads a folder of runs, whatever suites they are of; what cannot take part is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.errors import ResultsError
from helm_impactbench.suites.registry import SUITES, left_out, read_suite, suite_named, suite_runs, title_of
from tests.suites.external.builders import row, stat, write_run


def write_gsm(folder: Path, model: str = "a/one") -> Path:
    """Write a run of HELM's own."""
    rows = [row("id1", stat("final_number_exact_match", 1))]
    return write_run(folder, f"gsm:model={model.replace('/', '_')}", rows, groups=["gsm"], model=model)


def test_every_suite_has_a_name_and_a_title() -> None:
    """Names are unique; a judged suite replaces HELM's own, and any other name is a benchmark's."""
    assert {suite_named(suite.name) for suite in SUITES} == set(SUITES)
    assert (title_of("panel_xstest").replaces, title_of("mmlu").name) == ("xstest", "MMLU")
    assert (title_of("my-own").name, title_of("my-own").replaces) == ("my-own", None)


def test_benchmarks_and_models_are_chosen_by_name(tmp_path: Path) -> None:
    """Only what was asked for is read; a name that is not there is an error that says what is."""
    write_gsm(tmp_path)
    write_gsm(tmp_path, "b/two")
    assert [one.model for one in read_suite(tmp_path)] == ["a/one", "b/two"]
    assert [one.model for one in read_suite(tmp_path, ["gsm"], ["b/two"])] == ["b/two"]
    with pytest.raises(ResultsError, match=r"has no benchmark 'gms'; it has: gsm\. Did you mean gsm"):
        read_suite(tmp_path, ["gms"])
    with pytest.raises(ResultsError, match="has no model 'c'"):
        read_suite(tmp_path, models=["c"])


def test_foreign_and_unfinished_runs_are_left_alone_and_said(tmp_path: Path) -> None:
    """Suites that nobody knows, runs without all files, and folders that are not runs: none is read, runs are named."""
    write_run(tmp_path, "my_suite:model=a_one", [{"what": "ever"}], groups=["my_suite"])
    (write_gsm(tmp_path) / "stats.json").unlink()
    (tmp_path / "eval_cache").mkdir()
    assert suite_runs(tmp_path) == []
    assert left_out(tmp_path) == [
        "2 runs left out: not finished, or of a suite that is not known here (gsm, my_suite)."
    ]
    with pytest.raises(ResultsError, match="has no finished run that can be read"):
        read_suite(tmp_path)
    assert suite_runs(tmp_path / "nowhere") == []


def test_runs_without_conversations_are_said_where_these_are_read(tmp_path: Path) -> None:
    """HELM's own runs take part wherever scores are read, and where conversations are read a line says why not."""
    write_gsm(tmp_path)
    assert left_out(tmp_path) == []
    (line,) = left_out(tmp_path, conversations=True)
    assert line == "1 run left out: HELM's own runs have scores, but no conversations and no judges of ours."
