"""What `impactbench run` says of a mistake: before the first call, in one line that names the cure."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helm_impactbench.cli import main
from helm_impactbench.cli.run_result import _next
from helm_impactbench.errors import ResultsError
from helm_impactbench.files.atomic_write import write_json
from helm_impactbench.process.progress_file import PROGRESS_FILE, Snapshot
from helm_impactbench.results.files import suite_folder
from helm_impactbench.suites.registry import read_suite
from tests.support import builders
from tests.support.commands import run_command
from tests.support.outcomes import outcome

ROLES = ("--models", "rehearsal/mixed", "--user", "rehearsal/user", "--judge", "rehearsal/judge", "--yes")


@pytest.fixture
def mini(workdir: Path) -> Path:
    """The mini benchmark as a user's own, in ./benchmarks/mini."""
    return builders.write_benchmark_folder(workdir / "benchmarks/mini")


def run(*words: str) -> Result:
    """Run `impactbench run` in this process."""
    done = CliRunner().invoke(main, ["run", *words])
    assert done.exit_code != 0
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_a_folder_that_cannot_be_written_is_named(mini: Path, workdir: Path) -> None:
    """A file in its place, or a folder of the system's."""
    (workdir / "afile").write_text("")
    said = run(*ROLES, "--benchmarks", "mini", "-o", "afile").output
    assert "afile is a file, not a folder. Choose another folder with --output-path." in said
    said = run(*ROLES, "--benchmarks", "mini", "-o", "/proc/nowhere").output
    assert "Results cannot be written to /proc/nowhere/runs/impact (" in said
    assert "Give --output-path a folder that can be written." in said


@pytest.mark.parametrize("suite", ["..", "/tmp/a"])
def test_a_suite_is_the_name_of_one_folder(mini: Path, workdir: Path, suite: str) -> None:
    """No command could read any other."""
    assert f"the suite cannot be {suite!r}" in run(*ROLES, "--benchmarks", "mini", "--suite", suite).output
    assert not (workdir / "benchmark_output").exists()


def test_a_model_that_is_not_there_is_told_before_the_plan(mini: Path, workdir: Path) -> None:
    """By the option that was typed, with the nearest name; nothing is left behind."""
    words = ("impactbench", "run", *ROLES, "--benchmarks", "mini", "--models")
    done = run_command(*words, "rehearsal/mixd", cwd=workdir, ok=False)
    assert "The target is 'rehearsal/mixd', which is not a model deployment. Did you mean rehearsal/mixed" \
        in done.stderr  # fmt: skip
    assert "conversations" not in done.stdout
    assert not (workdir / "benchmark_output/runs/impact").exists()
    done = run_command(*words, "gpt-4o-mini/", cwd=workdir, ok=False)
    assert done.returncode == 2


def interrupted(workdir: Path, **changes: object) -> Path:
    """Write a suite of which only the state of its run is there, and is old."""
    folder = workdir / "benchmark_output/runs/my suite"
    folder.mkdir(parents=True)
    state = Snapshot(runs=2, cases=12, expected=135, scored=11, in_flight=11, seconds=60)
    write_json(folder / PROGRESS_FILE, {**asdict(state), **changes})
    return folder


def test_a_suite_that_was_interrupted_says_how_to_go_on(workdir: Path) -> None:
    """Where it has no finished run, and to whoever watches it."""
    folder = interrupted(workdir, ended=True)
    with pytest.raises(ResultsError, match=r"was interrupted or stopped when 12 of 135 conversations are done\. Repeat "
                                           "its command: it continues"):  # fmt: skip
        read_suite(folder)
    watched = CliRunner().invoke(main, ["watch", "--suite", "my suite"]).output
    assert "12 of 135 conversations (9%), 0 of 2 runs finished\n11 scored\n" in watched
    assert "left" not in watched
    assert "in flight" not in watched
    assert "my suite lacks 2 of 2 runs. To go on, repeat the command that planned them;" in watched


def test_a_suite_under_way_says_how_to_watch_it(workdir: Path) -> None:
    """Its name is quoted where a shell would take it apart."""
    with pytest.raises(ResultsError, match=r"yet: 12 of 135 conv.* impactbench watch --suite 'my suite' shows"):
        read_suite(interrupted(workdir))


def test_a_suite_that_is_not_there_names_the_command_that_makes_it(workdir: Path) -> None:
    """With the name as a shell takes it."""
    with pytest.raises(ResultsError, match="impactbench run --suite 'demo ' makes one"):
        suite_folder(workdir, "demo ")


def test_one_model_is_not_compared() -> None:
    """What comes next depends on what there is."""
    assert _next([outcome()]) == "rates --by metric"
    assert _next([outcome(), outcome(model="model-b")]) == "rates"
