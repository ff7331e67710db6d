"""The GitHub action: its files have the form that GitHub asks for, and its steps, run as GitHub runs them, work."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import Page
from tests.support.canonical import Canonical
from tests.support.commands import BIN, command_environment, run_command

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, GATE = ACTION["runs"]["steps"]
GITHUBS_BASH = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")


def do(step: Mapping[str, Any], folder: Path, path: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Execute a step with its environment, in which expressions are replaced as GitHub replaces them."""
    values = {f"inputs.{name}": inputs.pop(name, given.get("default", "")) for name, given in ACTION["inputs"].items()}
    assert not inputs
    values["github.action_path"] = str(ROOT)
    own = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: str(values[found[1]]), text)
        for name, text in step["env"].items()
    }
    assert "${{" not in step["run"]  # a value of an input is never part of the script
    script = folder / "step.sh"
    script.write_text(step["run"])
    files = {name: str(folder / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    environment = command_environment(**own, **files) | {"PATH": path}
    return subprocess.run(
        [*GITHUBS_BASH, str(script)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("inputs", "code", "result", "said"),
    [
        ({"max": "unscored=0.1\npass_rate=0.5\n"}, 0, "passed", "2 of 2 conditions met"),
        (
            {"min": "pass_rate=0.5", "options": "--where\nage=teen"},
            1,
            "failed",
            "0 of 1 condition met",
        ),
        ({"min": "pass_rate=0.5; touch broken"}, 2, "error", "It must be a number"),
        ({"min": "pass_rate=0.5", "release": "c0ffee1"}, 2, "error", "impactbench run --release c0ffee1 asks one"),
    ],
    ids=["passes", "fails", "wrong use", "another commit"],
)
def test_the_gate_ends_as_the_command(
    canonical: Canonical, tmp_path: Path, inputs: dict[str, str], code: int, result: str, said: str
) -> None:
    """Its exit code is the job's; the table is in the log and in the job's summary, the result in its output."""
    canonical.put(tmp_path, ["prosocial"], ["harmful"])
    done = do(GATE, tmp_path, f"{BIN}:/usr/bin:/bin", suite="s", **{"release": "", **inputs})
    assert done.returncode == code, done.stdout + done.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"result={result}\n"
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert summary.startswith(f"### ImpactBench gate: {result}\n\n~~~~text\n")
    stop, *printed, go_on = done.stdout.strip().splitlines()
    assert re.fullmatch(r"::stop-commands::[0-9a-f]{32}", stop)
    assert go_on == f"::{stop.rpartition('::')[2]}::"
    assert "\n".join(printed) in summary
    assert said in done.stdout
    assert not (tmp_path / "broken").exists()


HOSTILE = "::error::all is well\n~~~~\n# Passed\n~~~~~~\n::add-mask::x"


def test_what_the_gate_prints_is_no_command_and_ends_no_block(tmp_path: Path) -> None:
    """Names of models and suites come from others: GitHub reads no command in them, and no heading in the summary."""
    (tmp_path / "impactbench").write_text(f"#!/bin/sh\nprintf '%s\\n' '{HOSTILE}'\n")
    (tmp_path / "impactbench").chmod(0o755)
    done = do(GATE, tmp_path, f"{tmp_path}:/usr/bin:/bin", suite="s")
    stop, *printed, go_on = done.stdout.splitlines()
    assert "\n".join(printed) == HOSTILE
    word = stop.removeprefix("::stop-commands::")
    assert (len(word), go_on) == (32, f"::{word}::")
    assert do(GATE, tmp_path, f"{tmp_path}:/usr/bin:/bin", suite="s").stdout.splitlines()[0] != stop
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text().split("### ImpactBench gate: passed\n\n")[1]
    fence = summary.split("text\n")[0]
    assert set(fence) == {"~"}
    assert fence not in HOSTILE
    assert summary == f"{fence}text\n{HOSTILE}\n{fence}\n"


def test_it_installs_where_impactbench_is_missing(tmp_path: Path) -> None:
    """Packages with their hashes, and the action's own files; where the command is there nothing happens."""
    (tmp_path / "python").write_text('#!/bin/sh\necho "python $*" >>called\n')
    (tmp_path / "python").chmod(0o755)
    assert do(INSTALL, tmp_path, f"{tmp_path}:/usr/bin:/bin").returncode == 0
    assert (tmp_path / "called").read_text().splitlines() == [
        f"python -m pip install --quiet --require-hashes --requirement {ROOT}/locks/uv.txt",
        f"python -m uv pip install --quiet --system --no-deps --require-hashes --requirement {ROOT}/locks/run.txt",
        f"python -m uv pip install --quiet --system --no-deps --no-build-isolation {ROOT}",
    ]
    (tmp_path / "called").unlink()
    assert do(INSTALL, tmp_path, f"{tmp_path}:{BIN}:/usr/bin:/bin").returncode == 0
    assert not (tmp_path / "called").exists()


def test_the_commit_is_the_release_and_no_answer_is_carried_over() -> None:
    """The action takes the commit by itself, the workflow that is shown names it for the run, and restores no cache."""
    assert ACTION["inputs"]["release"]["default"] == "${{ github.sha }}"
    (shown,) = [block for block in Page(ROOT / "docs/gate-reference.md").blocks if block.startswith("```yaml")]
    steps = yaml.safe_load("\n".join(shown.splitlines()[1:-1]))["jobs"]["gate"]["steps"]
    (run,) = [step["run"] for step in steps if step.get("name") == "Run"]
    assert '--release "$GITHUB_SHA"' in run
    assert "cache" not in shown


def test_files_for_github_have_its_form(tmp_path: Path) -> None:
    """The action, our own workflow, and the workflow that docs/gate-reference.md shows, against GitHub's schemas."""
    (shown,) = [block for block in Page(ROOT / "docs/gate-reference.md").blocks if block.startswith("```yaml")]
    (tmp_path / "shown.yml").write_text("\n".join(shown.splitlines()[1:-1]))
    check = ("check-jsonschema", "--builtin-schema")
    run_command(*check, "vendor.github-actions", ROOT / "action.yml", cwd=tmp_path)
    run_command(*check, "vendor.github-workflows", ROOT / ".github/workflows/ci.yml", "shown.yml", cwd=tmp_path)
    (gate,) = [step for step in yaml.safe_load((tmp_path / "shown.yml").read_text())["jobs"]["gate"]["steps"]
               if "suite" in step.get("with", {})]  # fmt: skip
    assert set(gate["with"]) <= set(ACTION["inputs"])
