"""What this process is: a helm-run, a Slurm job of one, a command of ours, or another program. Read once, here.

HELM passes none of this to its plug-ins and clients, so it is read where HELM reads it: the command line, in any
form that argparse accepts, and in a Slurm job the file that its command line names.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

OUR_RUNNERS = "helm_impactbench."
"""How the class paths of our runners begin."""
_VALUE: Mapping[str, Any] = {}
_FLAG: Mapping[str, Any] = {"action": "store_true"}
_OPTIONS: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("--server-url",): _VALUE,
    ("--api-key-path",): _VALUE,
    ("-c", "--conf-paths"): {"nargs": "+", "default": ()},
    ("--models-to-run",): {"nargs": "+", "default": ()},
    ("--groups-to-run",): {"nargs": "+"},
    ("--exit-on-error",): _FLAG,
    ("--skip-completed-runs",): _FLAG,
    ("--priority",): _VALUE,
    ("--run-specs",): {"nargs": "*", "default": ()},
    ("-r", "--run-entries"): {"nargs": "*", "default": ()},
    ("--enable-huggingface-models",): {"nargs": "+"},
    ("--enable-local-huggingface-models",): {"nargs": "+"},
    ("--runner-class-name",): _VALUE,
    ("--log-config",): _VALUE,
    ("--plugins",): {"nargs": "+", "default": ()},
    ("-o", "--output-path"): {"default": "benchmark_output"},
    ("-n", "--num-threads"): _VALUE,
    ("--skip-instances",): _FLAG,
    ("--cache-instances",): _FLAG,
    ("--cache-instances-only",): _FLAG,
    ("-d", "--dry-run"): _FLAG,
    ("-m", "--max-eval-instances"): _VALUE,
    ("-t", "--num-train-trials"): _VALUE,
    ("--suite",): {"default": "default"},
    ("--local-path",): {"default": "prod_env"},
    ("--mongo-uri",): _VALUE,
    ("--disable-cache",): _FLAG,
}
"""The options of helm-run (crfm-helm 0.5.16): all of them, because any may be shortened to what none other begins with.
tests/helm/test_helm_run.py compares them with HELM's own parser."""


class Program(Enum):
    """What a process was started as."""

    HELM_RUN = "helm-run"
    SLURM_JOB = "a Slurm job of helm-run"
    IMPACTBENCH = "impactbench"
    OTHER = "another command"


@dataclass(frozen=True)
class HelmRun:
    """One helm-run, as far as a process knows of it."""

    program: Program = Program.OTHER
    suite: str | None = None
    """None in another command that names none."""
    output_path: Path = Path("benchmark_output")
    local_path: Path = Path("prod_env")
    """Where keys, deployments, limits and the cache are."""
    runner: str | None = None
    """Class path of the runner; None for HELM's own."""
    dry_run: bool = False
    models_to_run: tuple[str, ...] = ()
    run_entries: tuple[str, ...] = ()
    """Those of the command line; more may be in the files of `conf_paths`."""
    conf_paths: tuple[Path, ...] = field(default=())
    plugins: tuple[str, ...] = ()

    @property
    def suite_folder(self) -> Path | None:
        """Where the results of the suite go."""
        return self.output_path / "runs" / self.suite if self.suite else None

    @property
    def takes_requests(self) -> bool:
        """Whether it can be paused and given another budget (process.control_file): with a runner of ours."""
        return self.program is Program.HELM_RUN and (self.runner or "").startswith(OUR_RUNNERS)

    @property
    def calls_models_here(self) -> bool:
        """Whether this process makes the calls itself; runners that are not named here have processes of their own."""
        if self.program is Program.HELM_RUN:
            return self.runner is None or self.runner.startswith(OUR_RUNNERS)
        return self.program is not Program.OTHER


def this_run() -> HelmRun:
    """Return what this process is."""
    return helm_run_of(tuple(sys.argv))


@lru_cache(maxsize=16)
def helm_run_of(arguments: tuple[str, ...]) -> HelmRun:
    """Return what a process with these arguments, the program first, is. What cannot be read has HELM's defaults."""
    program = _program(arguments[0] if arguments else "")
    with suppress(
        _UnreadableError, OSError, ValueError, LookupError, TypeError, AttributeError
    ):  # HELM says what is wrong
        if program is Program.HELM_RUN:
            return _from_helm_run(arguments[1:])
        if program is Program.SLURM_JOB:
            return _from_slurm_job(arguments[1:])
        return _from_other(program, arguments[1:])
    return HelmRun(program)


def _program(path: str) -> Program:
    place = Path(path)
    if place.stem == "helm-run" or place.parts[-3:] == ("helm", "benchmark", "run.py"):
        return Program.HELM_RUN
    return {"slurm_runner": Program.SLURM_JOB, "impactbench": Program.IMPACTBENCH}.get(place.stem, Program.OTHER)


class _UnreadableError(Exception):
    """A command line that HELM would refuse."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UnreadableError(message)


def run_parser() -> argparse.ArgumentParser:
    """Return a parser that understands what helm-run's own does, and requires nothing."""
    parser = _Parser(add_help=False)
    for flags, settings in _OPTIONS.items():
        parser.add_argument(*flags, **settings)
    return parser


def _from_helm_run(arguments: Sequence[str]) -> HelmRun:
    found, _ = run_parser().parse_known_args(arguments)
    return HelmRun(
        program=Program.HELM_RUN,
        suite=found.suite,
        output_path=Path(found.output_path),
        local_path=Path(found.local_path),
        runner=found.runner_class_name,
        dry_run=found.dry_run,
        models_to_run=tuple(found.models_to_run),
        run_entries=(*found.run_entries, *found.run_specs),
        conf_paths=tuple(map(Path, found.conf_paths)),
        plugins=tuple(found.plugins),
    )


def _from_slurm_job(arguments: Sequence[str]) -> HelmRun:
    """Read the specification that HELM's SlurmRunner writes for its jobs."""
    parser = _Parser(add_help=False)
    parser.add_argument("--slurm-runner-spec-path", required=True)
    found, _ = parser.parse_known_args(arguments)
    spec = json.loads(Path(found.slurm_runner_spec_path).read_text(encoding="utf-8"))
    execution = spec.get("execution_spec") or {}
    return HelmRun(
        program=Program.SLURM_JOB,
        suite=str(spec["suite"]),
        output_path=Path(spec["output_path"]),
        local_path=Path(execution.get("local_path") or HelmRun.local_path),
        dry_run=bool(execution.get("dry_run")),
    )


def _from_other(program: Program, arguments: Sequence[str]) -> HelmRun:
    """Read the options that our own commands share with helm-run; these may not be shortened."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    for flags in (("-o", "--output-path"), ("--suite",), ("--local-path",)):
        parser.add_argument(*flags)
    found, _ = parser.parse_known_args(arguments)
    return HelmRun(
        program=program,
        suite=found.suite,
        output_path=Path(found.output_path or HelmRun.output_path),
        local_path=Path(found.local_path or HelmRun.local_path),
    )
