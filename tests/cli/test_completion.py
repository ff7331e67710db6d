"""Shell completion by click's protocol, asked of the real command, quickly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.builders import write_suites
from tests.conftest import Run

CPU_SECONDS = 0.45
"""What Tab may take; about half of it is Python's own start and click."""
HEAVY = {"helm", "jinja2", "litellm", "numpy", "pandas", "pydantic", "rich", "scipy", "yaml"}


@pytest.fixture
def suites(workdir: Path) -> Path:
    """A working directory with suites, a benchmark of one's own and a deployment of one's own."""
    write_suites(workdir)
    (workdir / "benchmarks/mine").mkdir(parents=True)
    (workdir / "benchmarks/mine/benchmark.yaml").write_text("metrics:\n  - id: m01\n  - id: m02\n")
    (workdir / "prod_env").mkdir(exist_ok=True)
    (workdir / "prod_env/model_deployments.yaml").write_text("model_deployments:\n  - name: lab/model-x\n")
    return workdir


def offered(run: Run, line: str) -> list[str]:
    """Return what bash is offered at the end of a line."""
    words = line.split(" ")
    done = run("impactbench", _IMPACTBENCH_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert done.stderr == ""
    return [text.partition(",")[2] for text in done.stdout.splitlines() if text]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("impactbench com", ["combined", "compare", "components"]),
        ("impactbench annotate ", ["export", "score"]),
        ("impactbench rates --su", ["--suite"]),
        ("impactbench rates --suite m", ["mixed"]),
        ("impactbench rates --suite ", ["contrasts", "levels", "mixed", "panels", "quantities", "unjudged"]),
        ("impactbench rates --suite mixed --model org/", ["org/bad", "org/good"]),
        ("impactbench rates --suite mixed --benchmark pro", ["prosocial"]),
        ("impactbench gate --suite mixed --metric mine/", ["mine/m01", "mine/m02"]),
        ("impactbench run --models rehearsal/mi", ["rehearsal/minors-only", "rehearsal/mixed"]),
        ("impactbench run --judge rehearsal/judge+la", ["rehearsal/judge+lab/model-x"]),
        ("impactbench run --user litellm/openai/gpt-4o-2024-0", ["litellm/openai/gpt-4o-2024-05-13",
                                                                 "litellm/openai/gpt-4o-2024-08-06"]),
        ("impactbench run --benchmarks min", ["mine", "minors"]),
        ("impactbench gen-metrics ", ["mine"]),
        ("impactbench list --path run_entries/qu", ["run_entries/quick.conf"]),
        ("impactbench label --audience p", ["parents", "policymakers"]),
        ("impactbench rates --suite nothere --model org/", []),
    ],
)  # fmt: skip
def test_names_are_offered(run: Run, suites: Path, line: str, names: list[str]) -> None:
    """Commands, options, suites, targets, benchmarks, metrics, models and files."""
    assert offered(run, line) == names


def test_a_damaged_run_keeps_tab_quiet(run: Run, suites: Path) -> None:
    """A shell would show an error in the middle of the line that is being written."""
    for spec in suites.glob("benchmark_output/runs/mixed/*/run_spec.json"):
        spec.write_text("[")
    assert offered(run, "impactbench rates --suite mixed --model ") == []


@pytest.mark.parametrize(("shell", "line"), [("zsh", "rates --suite m"), ("fish", "rates --suite m")])
def test_zsh_and_fish_are_offered_the_same(run: Run, suites: Path, shell: str, line: str) -> None:
    """Each in its own protocol; the script that a shell sources is printed for each."""
    script = run("impactbench", _IMPACTBENCH_COMPLETE=f"{shell}_source").stdout
    assert "_IMPACTBENCH_COMPLETE" in script
    words = {"zsh": (f"impactbench {line}", "3"), "fish": (f"impactbench {line}", "m")}[shell]
    done = run("impactbench", _IMPACTBENCH_COMPLETE=f"{shell}_complete", COMP_WORDS=words[0], COMP_CWORD=words[1])
    assert "mixed" in done.stdout


def test_bash_completes_with_the_documented_line(suites: Path) -> None:
    """`eval "$(_IMPACTBENCH_COMPLETE=bash_source impactbench)"` registers the completion of the command."""
    code = 'eval "$(_IMPACTBENCH_COMPLETE=bash_source impactbench)" && complete -p impactbench'
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, env=_path())
    assert "_impactbench_completion" in done.stdout


@pytest.mark.parametrize(
    "line",
    ["--help", "rates --suite ", "rates --suite mixed --model ", "run --user litellm/o", "gate --metric prosocial/"],
)
def test_tab_and_help_wait_for_no_library(suites: Path, line: str) -> None:
    """A fresh process takes 0.2 s of CPU on a quiet core, up to 0.3 on a busy one, and imports nothing heavy."""
    code = f"""
import atexit, json, os, resource, sys
def tell():
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([used.ru_utime + used.ru_stime, sorted({HEAVY!r} & set(sys.modules))]), file=sys.stderr)
atexit.register(tell)
line = {line!r}
if line == "--help":
    sys.argv = ["impactbench", "--help"]
else:
    sys.argv = ["impactbench"]
    os.environ |= {{"_IMPACTBENCH_COMPLETE": "bash_complete", "COMP_WORDS": "impactbench " + line,
                   "COMP_CWORD": str(len(line.split(" ")))}}
from helm_impactbench.cli import main
main(prog_name="impactbench")
"""
    taken = []
    for _ in range(3):  # the least of three: the first one may compile
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        seconds, heavy = json.loads(done.stderr)
        assert heavy == []
        assert done.stdout
        taken.append(seconds)
    assert min(taken) <= CPU_SECONDS


def _path() -> dict[str, str]:
    import os

    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
