"""What a helm-run is: read from the command line in every form of argparse's, and from a Slurm job's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_impactbench.process.helm_run import HelmRun, Program, helm_run_of

HELM_RUN = "/somewhere/bin/helm-run"
SLURM_JOB = "/somewhere/helm/benchmark/slurm_runner.py"


@pytest.mark.parametrize(
    "arguments",
    [
        "--suite s -o out --local-path env -d -r a b --models-to-run m n -c x.conf",
        "--suite=s --output-path=out --local-path=env --dry-run -r a b --models-to-run m n --conf-paths x.conf",
        "--su s --out out --local env --dry --run-e a b --models m n --conf x.conf -m 10 -n4",
        "-oout --su=s --loc=env -d -r a b -cx.conf --mod m n --plugins p.py",
        "-r a --run-specs b --suite s -o out --local env -d --mod m n -c x.conf --log-config log.yaml",
    ],
)
def test_every_form_that_helm_accepts_reads_the_same(arguments: str) -> None:
    """Long, short, shortened, with and without an equals sign."""
    run = helm_run_of((HELM_RUN, *arguments.split()))
    assert run.suite_folder == Path("out/runs/s")
    assert (run.local_path, run.dry_run, run.runner) == (Path("env"), True, None)
    assert run.run_entries == ("a", "b")
    assert (run.models_to_run, run.conf_paths) == (("m", "n"), (Path("x.conf"),))
    assert run.calls_models_here


def test_a_helm_run_without_options_has_helms_defaults() -> None:
    """A suite is called default, as HELM calls it; python -m helm.benchmark.run is the same program."""
    for program in (HELM_RUN, "/usr/lib/helm/benchmark/run.py"):
        run = helm_run_of((program, "-m", "1"))
        assert run == HelmRun(Program.HELM_RUN, suite="default")
        assert run.suite_folder == Path("benchmark_output/runs/default")


def test_a_slurm_job_is_read_from_its_specification(tmp_path: Path) -> None:
    """Its own command line names two files and nothing else."""
    spec = tmp_path / "spec.json"
    execution = {"local_path": "env", "dry_run": True, "parallelism": 4}
    spec.write_text(json.dumps({"output_path": "out", "suite": "s", "execution_spec": execution}))
    run = helm_run_of((SLURM_JOB, "--slurm-runner-spec-path", str(spec), "--run-spec-path", "x"))
    assert (run.program, run.suite_folder) == (Program.SLURM_JOB, Path("out/runs/s"))
    assert (run.local_path, run.dry_run) == (Path("env"), True)
    assert run.calls_models_here


@pytest.mark.parametrize("text", [None, "{", "[]", "{}", '{"suite": "s"}'])
def test_a_specification_that_cannot_be_read_is_left_to_helm(tmp_path: Path, text: str | None) -> None:
    """HELM says what is wrong with it."""
    spec = tmp_path / "spec.json"
    if text is not None:
        spec.write_text(text)
    assert helm_run_of((SLURM_JOB, "--slurm-runner-spec-path", str(spec))) == HelmRun(Program.SLURM_JOB)


@pytest.mark.parametrize(
    ("arguments", "suite", "local"),
    [
        (["rejudge", "--suite", "s"], "benchmark_output/runs/s", "prod_env"),
        (["rejudge", "-o", "out", "--suite=s", "--local-path", "env"], "out/runs/s", "env"),
        (["gen-metrics", "name"], None, "prod_env"),
        (["rates", "--suite"], None, "prod_env"),
    ],
)
def test_commands_of_ours_share_three_options(arguments: list[str], suite: str | None, local: str) -> None:
    """They name the suite, its folder and the local path as helm-run does."""
    run = helm_run_of(("/somewhere/bin/impactbench", *arguments))
    assert run.suite_folder == (Path(suite) if suite else None)
    assert run.local_path == Path(local)
    assert run.calls_models_here


@pytest.mark.parametrize(
    ("runner", "here"),
    [
        ("helm_impactbench.ParallelRunner", True),
        ("helm.benchmark.slurm_runner.SlurmRunner", False),
        ("helm.benchmark.multi_gpu_runner.MultiGPURunner", False),
    ],
)
def test_who_makes_the_calls(runner: str, here: bool) -> None:
    """Runners with processes of their own keep their own way to end."""
    assert helm_run_of((HELM_RUN, "--runner", runner)).calls_models_here is here
