"""`make audit`: ask pip-audit for known weaknesses of what is installed, and say so where it cannot reach its data.

One package is asked for first: without an answer for it, the rest is not asked for.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(".venv-audit")
PROBE_SECONDS = 60


def main() -> int:
    """Return the exit code: 1 for findings under --strict, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="the interpreter whose packages are looked at")
    parser.add_argument("--strict", action="store_true", help="a finding is a failure")
    options = parser.parse_args()
    tool = _tool()
    if tool is None:
        print("pip-audit: cannot be installed here, skipped")
        return 0
    installed = _installed(options.python)
    probe = next((line for line in installed if line.lower().startswith("pyyaml==")), installed[0])
    reached = _audit(tool, [probe], PROBE_SECONDS)
    # Without its data it ends well all the same, and calls the package skipped.
    if reached is None or reached.returncode not in (0, 1) or "could not be audited" in reached.stdout + reached.stderr:
        print("pip-audit: no data reachable, skipped")
        return 0
    found = _audit(tool, installed, 600)
    if found is None:
        print("pip-audit: no answer within 10 minutes, skipped")
        return 0
    print(found.stdout, found.stderr, sep="\n")
    if found.returncode:
        print("pip-audit: findings, see above" + ("" if options.strict else " (STRICT=1 makes them a failure)"))
    return found.returncode if options.strict else 0


def _tool() -> Path | None:
    tool = HOME / "bin/pip-audit"
    if not tool.is_file():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        pip = [HOME / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "pip-audit>=2.7,<3"], check=False)
    return tool if tool.is_file() else None


def _installed(python: str) -> list[str]:
    """Return name==version of every installed package but our own."""
    done = subprocess.run([python, "-m", "pip", "list", "--format=freeze", "--exclude-editable"], check=True,
                          capture_output=True, text=True)  # fmt: skip
    # A local version (torch 2.13.0+cpu) is unknown to every list of weaknesses.
    return sorted(line.split("+")[0] for line in done.stdout.splitlines() if "==" in line)


def _audit(tool: Path, packages: list[str], seconds: int) -> subprocess.CompletedProcess[str] | None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text("\n".join(packages) + "\n")
        command = [tool.absolute(), "--requirement", wanted, "--no-deps", "--disable-pip", "--progress-spinner=off"]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None


if __name__ == "__main__":
    sys.exit(main())
