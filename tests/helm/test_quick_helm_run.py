"""The helm-run that `impactbench run` starts is helm-run; tests/e2e/test_run.py compares their results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from helm_impactbench.process.child import HELM_RUN
from tests.support.commands import BIN, command_environment

PLUGIN = """
import importlib.util, sys
from helm.benchmark import model_metadata_registry
print(sys.argv[0].rpartition("/")[2], importlib.util.find_spec("run_specs"), model_metadata_registry.yaml.__class__)
raise SystemExit(3)
"""
SPEAKING = """
import os, sys
from helm.common.hierarchical_logger import hlog, setup_default_logging
setup_default_logging()
for _ in range(3):
    hlog("a line")
print("impactbench: full", file=sys.stderr, flush=True)
os._exit(3)
"""


def ended(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder from which Python imports."""
    environment = command_environment(PYTHONPATH=str(folder))
    return subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_it_takes_helm_runs_options(tmp_path: Path) -> None:
    """Its help is helm-run's, word for word: the same parser, under the same name."""
    ours, helms = (
        ended(*command, "--help", folder=tmp_path) for command in ((sys.executable, HELM_RUN), (BIN / "helm-run",))
    )
    assert (ours.stdout, ours.returncode) == (helms.stdout, helms.returncode) == (helms.stdout, 0)
    assert "usage: helm-run" in helms.stdout


def test_it_differs_in_the_parser_of_helms_lists_alone(tmp_path: Path) -> None:
    """A plug-in finds the name of helm-run, no module of helm_impactbench/helm at the top, and the quicker parser."""
    (tmp_path / "looks.py").write_text(PLUGIN)
    done = ended(sys.executable, HELM_RUN, "-m", 1, "--plugins", "looks", folder=tmp_path)
    assert done.returncode == 3, done.stderr[-2000:]
    assert "helm-run None <class 'types.SimpleNamespace'>" in done.stdout.splitlines()


def test_a_log_on_a_full_disk_is_no_page_of_tracebacks(tmp_path: Path) -> None:
    """Neither of logging nor of HELM's own flush after each line; what the run says itself is all that comes."""
    (tmp_path / "speaks.py").write_text(SPEAKING)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, str(HELM_RUN), "-m", "1", "--plugins", "speaks"], cwd=tmp_path, stdout=full,
            env=command_environment(PYTHONPATH=str(tmp_path)), stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "impactbench: full\n")
