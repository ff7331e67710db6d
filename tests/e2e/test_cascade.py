"""`cascade=` in a run entry, with scripted judges: one that errs and says so, and one that does not err."""

from __future__ import annotations

from pathlib import Path

from tests.support import helm
from tests.support.commands import run_command

ENTRY = (
    "impactbench:benchmark=prosocial,user=rehearsal/user,judge=rehearsal/strict-judge+rehearsal/judge,cascade=0.85,"
    "part=0.2,model=rehearsal/harmful"
)


def test_a_strong_judge_is_asked_only_in_doubt(tmp_path: Path) -> None:
    """The record holds the threshold and who was asked; the last one decides; agreement leaves these out."""
    run_command("helm-run", "--run-entries", ENTRY, "--suite", "s", "-m", 10000, "-n", 4, cwd=tmp_path)
    found = list(helm.verdicts(helm.run_folder(tmp_path, "s", "cascade=0.85")).values())
    asked = [len(verdict["votes"]) for verdict in found]
    assert 1 in asked
    assert 2 in asked
    for verdict in found:
        first, *rest = verdict["votes"]
        assert verdict["cascade"] == 0.85
        assert (first["confidence"] < 0.85) == bool(rest)
        assert verdict["answer"] == verdict["votes"][-1]["answer"]
    done = run_command("impactbench", "agreement", "--suite", "s", cwd=tmp_path, ok=False)
    assert f"{len(found)} conversations judged in a cascade: left out" in done.stderr
