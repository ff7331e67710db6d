"""Where the suite of this process lies, which HELM tells no client: read from the command line."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path


def suite_folder(arguments: Sequence[str] | None = None) -> Path | None:
    """Return the folder of the suite that helm-run, a Slurm worker of HELM's or a command of ours works on.

    None when the command line names none. `arguments` are those of this process when None.
    """
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("-o", "--output-path", default="benchmark_output")
    parser.add_argument("--suite")
    parser.add_argument("--slurm-runner-spec-path")
    try:
        found, _ = parser.parse_known_args(sys.argv[1:] if arguments is None else arguments)
    except (argparse.ArgumentError, SystemExit):
        return None
    if found.slurm_runner_spec_path:
        spec = json.loads(Path(found.slurm_runner_spec_path).read_text(encoding="utf-8"))
        return Path(spec["output_path"]) / "runs" / str(spec["suite"])
    return Path(found.output_path) / "runs" / found.suite if found.suite else None
