"""The lines of docs/index.md that install a wheel, in an environment that has nothing: no compiler, and no torch."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.dist import build

ROOT = Path(__file__).parents[2]
PROGRAMS = ("bash", "sh", "env", "cat", "rm", "mkdir", "uname")
"""All that PATH has beside the new environment."""


def lines() -> list[str]:
    """Return the lines of the page."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/index.md").read_text("utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if ".whl" in block)
    return block.splitlines()


def test_the_locked_wheel_installs_without_a_compiler_and_runs(tmp_path: Path) -> None:
    """Every version and hash is that of the lock, and the first run works from there."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    (tmp_path / "dist").mkdir()
    build(ROOT, tmp_path / "dist", 1_700_000_000)
    (tmp_path / "locks").symlink_to(ROOT / "locks")
    kept = {
        name: value
        for name, value in os.environ.items()
        if re.match(r"HOME|UV_|PIP_|SSL_|.*_PROXY|LITELLM_", name, re.I)
    }
    environment = {**kept, "PATH": f"{tmp_path / 'env/bin'}:{programs}", "VIRTUAL_ENV": str(tmp_path / "env")}

    def shell(*commands: str) -> str:
        words = ["bash", "-ec", "\n".join(commands)]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    shell(*lines())
    assert not list((tmp_path / "env").rglob("site-packages/torch/__init__.py"))
    assert not shutil.which("cc", path=environment["PATH"])
    said = shell(
        "impactbench run --models rehearsal/mixed --user rehearsal/user --judge rehearsal/judge --benchmarks prosocial "
        "--part 0.05 --references 0 --no-report --no-anchor-set --yes"
    )
    assert "mixed" in said
