"""How long the commands that read a suite take on a full ImpactBench, and how much memory: `make bench-summaries`.

Makes the suite of bench/big_suite.py, runs each command as a process of its own, and prints wall time, CPU time (user
and system, of the process and all that it started) and peak memory. The wall times mean something on a machine that has
nothing else to do; CPU time says nearly the same on a busy one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from bench.big_suite import SUITE, arguments, make, model_name, size_of

BIN = Path(sys.executable).parent
MOST_MEGABYTES = 2000.0
FIRST_READING = "first reading"
"""How a name ends where nothing is kept of what runs came to: their conversations are read."""


@dataclass(frozen=True)
class Measured:
    """What one command took."""

    name: str
    wall_seconds: float
    cpu_seconds: float
    peak_megabytes: float
    """Of the largest of its processes."""
    exit_code: int

    def is_within(self, seconds: float) -> bool:
        """Whether it ended well and within the limits: of wall time, and MOST_MEGABYTES."""
        fast = self.wall_seconds <= seconds and self.peak_megabytes <= MOST_MEGABYTES
        return fast and self.exit_code in (0, 1 if self.name.startswith("gate") else 0)  # 1: a condition is not met


def commands(out: Path, schema: Path, judges: int) -> dict[str, list[str]]:
    """Return the commands by the name that the table gives them; what they write goes to `out`.

    judges: of every conversation; a single one agrees with nobody.
    """
    suite = ["--suite", SUITE]
    pair = [model_name(1), model_name(2)]
    exports = {f"export, {kind}": ["export", *suite, "--format", kind, "--out-dir", str(out / kind)]
               for kind in ("csv", "parquet", "impactbench", "inspect")}  # fmt: skip
    report = ["report", *suite, "--conversation-pages", "none", "--out-dir", str(out / "report-figures")]
    own = {
        f"rates, {FIRST_READING}": ["rates", *suite],
        f"summarize, {FIRST_READING}": ["summarize", *suite],
        "summarize": ["summarize", *suite],
        "summarize --show": ["summarize", "--show", *suite],
        "costs": ["costs", *suite],
        **{f"rates, by {level}": ["rates", *suite, "--by", level] for level in ("overall", "benchmark", "metric")},
        "rates, with a reference": ["rates", *suite, "--model", model_name(1), "--reference", SUITE],
        "compare": ["compare", *suite],
        "contrasts": ["contrasts", *suite],
        "contrasts, by metric": ["contrasts", *suite, "--by", "metric"],
        **({"agreement": ["agreement", *suite]} if judges > 1 else {}),
        "items": ["items", *suite],
        "gate": ["gate", *suite, "--min", "pass_rate=0.1"],
        "gate, with a baseline": ["gate", *suite, "--baseline", SUITE],
        "power": ["power", *suite, "--pair", *pair, "--difference", "0.05"],
        "robustness": ["robustness", *suite],
        "components": ["components", *suite],
        "label": ["label", *suite, "--out-dir", str(out / "label")],
        "annotate export": ["annotate", "export", *suite, "--out-dir", str(out / "annotations")],
        **exports,
        f"report, no pages of conversations, {FIRST_READING}": report,
        "report, no pages of conversations": report,
        "report, all pages": ["report", *suite, "--conversation-pages", "all", "--out-dir", str(out / "report")],
    }
    plain = ["helm-summarize", *suite, "--schema-path", str(schema)]
    return {"helm-summarize (HELM's own)": plain, **{name: ["impactbench", *given] for name, given in own.items()}}


def measure(name: str, command: list[str], folder: Path) -> Measured:
    """Run a command in `folder` and return what it took; its output goes to a file beside the suite."""
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_COLOR": "1"}
    began = time.monotonic()
    with (folder / "last-output.txt").open("w") as output:
        process = subprocess.Popen([BIN / command[0], *command[1:]], cwd=folder, env=environment,
                                   stdout=output, stderr=subprocess.STDOUT)  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    # Linux gives kilobytes, macOS bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Measured(
        name=name,
        wall_seconds=round(time.monotonic() - began, 1),
        cpu_seconds=round(used.ru_utime + used.ru_stime, 1),
        peak_megabytes=round(used.ru_maxrss / unit),
        exit_code=process.returncode,
    )


def table(found: list[Measured]) -> str:
    """Return the figures as a Markdown table."""
    lines = ["| command | wall s | CPU s | peak MB |", "|---|---|---|---|"]
    for one in found:
        failed = "" if one.exit_code == 0 else f" (exit code {one.exit_code})"
        lines.append(f"| {one.name}{failed} | {one.wall_seconds} | {one.cpu_seconds} | {one.peak_megabytes:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Make the suite, measure the commands, print the table; exit code 1 when one is beyond the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    arguments(parser)
    parser.add_argument("--seconds", type=float, default=300.0, help="Wall time that a command may take.")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="Commands whose name has one of these words.")
    parser.add_argument("--json", type=Path, help="Write the figures there; ROOT/summaries.json without it.")
    given = parser.parse_args()
    root = given.root.absolute()
    size = size_of(given)
    # Elsewhere: a process that was this large would pass its peak on to every command that it starts.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as maker:
        conversations = maker.submit(make, root, size).result()
    print(f"{conversations:,} conversations in {root / 'benchmark_output/runs' / SUITE}", flush=True)
    found = _measured(root, size.judges, given.only)
    print(table(found))
    figures = {"conversations": conversations, "cpus": os.cpu_count(), "commands": [asdict(one) for one in found]}
    (given.json or root / "summaries.json").write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(0 if all(one.is_within(given.seconds) for one in found) else 1)


def _measured(root: Path, judges: int, only: list[str] | None) -> list[Measured]:
    out = root / f"out-{os.getpid()}"
    schema = root / "schema.yaml"
    subprocess.run(
        [BIN / "impactbench", "summarize", "--schema-only", "--out", schema], cwd=root, check=True, capture_output=True
    )
    found = []
    for name, command in commands(out, schema, judges).items():
        if only is None or any(word in name for word in only):
            if name.endswith(FIRST_READING):
                for kept in (root / "benchmark_output/runs" / SUITE).glob("*/.impactbench-*"):
                    kept.unlink()
            found.append(measure(name, command, root))
            print(f"{name}: {found[-1].cpu_seconds} s CPU, {found[-1].wall_seconds} s", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main()
