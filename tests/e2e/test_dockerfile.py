"""The Dockerfile copies all that an installation is made of, and nothing else gets into the build."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tools.dist import EPOCH, HOOK, tracked_files

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
CONTENT = ("benchmarks", "prompts", "run_entries", "schema.yaml")


def copied() -> list[str]:
    """Return what the first stage copies into /source."""
    words = [line.split()[1:] for line in re.findall(r"^COPY (?!--).*", DOCKERFILE, re.MULTILINE)]
    assert all(target.startswith("/source/") for *_, target in words)
    return [name for *names, _ in words for name in names]


def wheel_of(source: Path, target: Path) -> set[str]:
    """Build a wheel and return the names of its files."""
    subprocess.run(
        [sys.executable, "-c", HOOK, "build_wheel", target], cwd=source, env={EPOCH: "1700000000"}, check=True,
        capture_output=True,
    )  # fmt: skip
    (wheel,) = target.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_image_gets_the_whole_package(tmp_path: Path) -> None:
    """A wheel of the copied files has every module, prompt, benchmark, run entry and licence, and the schema."""
    tracked, names = tracked_files(ROOT), copied()
    for name in tracked:
        if name.parts[0] in names:
            (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / "source" / name)
    inside = wheel_of(tmp_path / "source", tmp_path)
    modules = {str(name) for name in tracked if name.parts[0] == "helm_impactbench"}
    content = {f"helm_impactbench/data/{name}" for name in tracked if name.parts[0] in CONTENT and name.suffix != ".md"}
    assert modules | content <= inside
    assert {"LICENSE", "LICENSE-CC-BY-4.0"} <= {Path(name).name for name in inside}


def test_nothing_else_is_sent_to_docker() -> None:
    """.dockerignore lets in what is copied, and neither keys nor results nor environments."""
    first, *rest = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] != "#"]
    assert first == "*"
    assert sorted(line[1:] for line in rest if line.startswith("!")) == sorted(copied())
    assert all((ROOT / name).exists() for name in copied())
