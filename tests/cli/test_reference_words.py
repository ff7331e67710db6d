"""What the gate and `rates` say of cases that a reference lacks, of metrics that a run lacks, and of early stops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helm_impactbench.cli import main
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.results.record import Record
from tests.support.kinds import records, write_run

BASES = 6
LEVEL = ("helps", "harms")


def asked(target: str, *metrics: str, sample: int = 0) -> list[Record]:
    """Return a target's conversations on these metrics."""
    return [
        replace(record, case=record.case.model_copy(update={"sample": sample}))
        for record in records(target, BASES) if record.case.metric.id in metrics
    ]  # fmt: skip


@pytest.fixture
def runs(workdir: Path) -> Path:
    """A reference of two models, and the folder of all suites."""
    folder = workdir / "benchmark_output/runs"
    for target in ("good", "bad"):
        (folder / "old").mkdir(parents=True, exist_ok=True)
        write_run(folder / "old", target, asked(target, *LEVEL))
    return folder


def write(runs: Path, target: str, found: list[Record]) -> None:
    """Write a run of a model into the suite new."""
    (runs / "new").mkdir(exist_ok=True)
    write_run(runs / "new", target, found)


def run(command: str) -> Result:
    """Run a command on the suite new."""
    return CliRunner().invoke(main, [*command.split(), "--suite", "new", "--reference", "old"], catch_exceptions=False)


def test_the_gate_says_which_conversations_the_reference_lacks(runs: Path) -> None:
    """Twelve match and pass; as many are of a sample that the reference does not have, and not of no consequence."""
    write(runs, "new-good", [*asked("good", "helps"), *asked("bad", "helps", sample=1)])
    done = run("gate --min pass_rate=0.1")
    assert done.exit_code == 1
    assert "12 conversations not used: the reference has no other model on their cases. They may" in done.output
    assert "1 cannot be decided because the reference lacks the cases of 12 conversations" in done.output
    assert "12 conversations not used" in run("rates").output


def test_models_of_a_suite_are_told_apart(runs: Path) -> None:
    """One model met both metrics, the other one of them: both commands say what its rate is without."""
    write(runs, "a-good", asked("good", *LEVEL))
    write(runs, "b-good", asked("good", "helps"))
    line = "org/b-good: without kinds: metric harms of the reference, which its runs have not drawn."
    gate, rates = run("gate --max negative_pass_rate=0.99 --min pass_rate=0.01"), run("rates")
    assert line in gate.output
    assert line in rates.output
    assert "org/a-good: without" not in gate.output + rates.output
    assert gate.output.count("org/b-good") == 3  # two conditions, and the line
    assert "1 because there is no case to take a value from" in gate.output


def test_runs_that_may_stop_early(runs: Path) -> None:
    """No estimate, with the reason."""
    found = asked("good", "helps")
    sizes = {"of": BASES, "size": 2, "most": 2, "conversations": 2 * BASES, "bar": 0.5}
    drawn = [
        replace(one, case=one.case.model_copy(update={"draw": Draw(place=1 + place // 2, **sizes)}))
        for place, one in enumerate(found)
    ]
    write(runs, "new-good", drawn)
    rates, gate = run("rates --wide").output, run("gate --min pass_rate=0.01").output
    assert "leans away from the bar" in rates
    assert "With reference: on all cases of old" in rates
    assert "1 of 1 rate cannot be estimated: a run that may stop early chooses its own cases." in rates
    assert "1 cannot be decided because a run that may stop early has no valid interval with a reference" in gate
