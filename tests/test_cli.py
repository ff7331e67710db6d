"""The command `impactbench`, as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helm_impactbench.cli import SECTIONS, main
from tests.conftest import Run
from tests.support import builders
from tests.support.commands import command_environment


def test_help_teaches(run: Run) -> None:
    """The first help text shows impactbench run and the three HELM commands, and each command explains itself."""
    shown = run("impactbench", "--help").stdout
    for expected in (
        "impactbench run",
        "helm-run",
        "helm-summarize",
        "helm-server",
        "list",
        "check",
        "explain",
        "batch",
    ):
        assert expected in shown


def test_the_help_waits_for_no_library() -> None:
    """What takes long to import is imported by the command that needs it; `python -m helm_impactbench` is the same."""
    heavy = {"helm", "jinja2", "litellm", "numpy", "pandas", "pydantic", "rich", "scipy", "yaml"}
    code = f"import sys, helm_impactbench.cli; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    done = subprocess.run(
        [sys.executable, "-m", "helm_impactbench", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("impactbench, version")


@pytest.mark.parametrize("target", ["rehearsal/mixed", "litellm/openai/gpt-4o"])
def test_a_plan_needs_no_litellm(target: str, tmp_path: Path) -> None:
    """Its import takes longer than the rest of a small plan: tokens and list prices are read from its files."""
    names = ["--models", target, "--user", target, "--judge", target, "--benchmarks", "emotional-dependence"]
    code = (
        "import sys\n"
        "from helm_impactbench.cli import main\n"
        "try:\n"
        f"    main(['run', *{names!r}, '--quick', '--dry-run'])\n"
        "except SystemExit as ended:\n"
        "    print(ended.code, 'litellm' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=command_environment(), capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.stdout.endswith("Nothing was run: this was a dry run.\n0 False\n"), done.stderr


def test_every_command_is_in_the_help_once_with_a_whole_sentence(run: Run) -> None:
    """The sections of the first help text have every command, and none of their sentences is cut."""
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(main.commands)
    listed = run("impactbench", "--help").stdout.partition("\nPlan and run:\n")[2]
    assert "gate" in listed
    assert "..." not in listed


BROKEN = {
    "tag": b"name: !!int x",
    "digits": b"name: " + b"9" * 6000,
    "date": b"2024-02-30: 1",
    "binary": b"name: !!binary x",
    "merge": b"<<: {name: x}",
}


def _write_broken(folder: Path) -> list[str]:
    """Write benchmarks that cannot be read, a pipe and a folder in a file's place among them; return their slugs."""
    for slug, content in BROKEN.items():
        (builders.write_benchmark_folder(folder / slug) / "benchmark.yaml").write_bytes(content)
    for slug, make in {"pipe": os.mkfifo, "folder": os.mkdir}.items():
        path = builders.write_benchmark_folder(folder / slug) / "benchmark.yaml"
        path.unlink()
        make(path)
    return [*BROKEN, "pipe", "folder"]


def test_list_shows_own_and_shipped_benchmarks(run: Run, workdir: Path) -> None:
    """Counts of metrics by type, base scenarios and variants; broken benchmarks are named and cost no other one."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    broken = _write_broken(workdir / "benchmarks")
    rows = {line.split()[0]: line.split() for line in run("impactbench", "list").stdout.splitlines() if line.strip()}
    assert rows["mini"] == ["mini", "1+", "1-", "2", "4", "Mini", "benchmark"]
    assert all(rows[slug][1:] == ["-", "-", "-", "faulty:", "impactbench", "check", slug] for slug in broken)
    assert rows["emotional-dependence"][:5] == ["emotional-dependence", "6+", "6-", "72", "135"]


def test_check_reports_every_fault_and_fails(run: Run, workdir: Path) -> None:
    """By slug and by folder; exit code 1; the clean ones are said to be ok."""
    folder = builders.write_benchmark_folder(workdir / "benchmarks/mini", builders.benchmark_with(type="neutral", x=1))
    for name in ("mini", str(folder)):
        done = run("impactbench", "check", name, ok=False)
        assert done.returncode == 1
        assert "metrics[0].type: error: found 'neutral'" in done.stdout
        assert "metrics[0].x: error: unknown key" in done.stdout
        assert (
            "mini: 2 errors, 0 warnings; wording, variants and the golden set are checked when there is no error"
            in done.stdout
        )
    everything = run("impactbench", "check", ok=False)
    assert everything.returncode == 1
    assert "emotional-dependence: ok" in everything.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "emotional-dependance"), "Did you mean emotional-dependence?"),
        (("check", "no/where"), "There is no folder no/where"),
        (("list", "--path", "schema.yml"), "Nothing is shipped as 'schema.yml'; available: schema.yaml"),
        (("list", "--path", "../../etc/passwd"), "Nothing is shipped as"),
        (("summarize", "--show", "--suite", "none"), "impactbench run --suite none makes one"),
    ],
)
def test_a_mistake_is_explained(run: Run, arguments: tuple[str, ...], message: str) -> None:
    """One readable message, exit code not 0, no traceback."""
    done = run("impactbench", *arguments, ok=False)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_schema_holds_a_users_own_benchmark(run: Run, workdir: Path) -> None:
    """`impactbench summarize --schema-only` is what a user with benchmarks of their own gives to helm-summarize."""
    builders.write_benchmark_folder(workdir / "benchmarks/mini")
    broken = _write_broken(workdir / "benchmarks")
    done = run("impactbench", "summarize", "--schema-only")
    assert "pass_rate_mini_m01" in done.stdout
    assert all(f"Left out {slug}, which has faults: impactbench check {slug}" in done.stderr for slug in broken)
