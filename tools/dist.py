"""`make dist`: the source distribution and the wheel in dist/, checked by twine and the same bytes each time, with a
bill of materials and a statement of provenance.

The wheel is built from the unpacked source distribution, so that what is missing there is missed here. All times are
SOURCE_DATE_EPOCH, by default that of the last commit. Run in an environment of locks/dist.txt:

    python -m tools.dist [FOLDER]
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.bill import LOCK, bill, provenance

ROOT = Path(__file__).parents[1]
EPOCH = "SOURCE_DATE_EPOCH"
HOOK = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"


def tracked_files(root: Path) -> list[Path]:
    """Return the files that belong to the project, as git knows them, relative to its root."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    return sorted(Path(name) for name in listed.split("\0") if name and (root / name).is_file())


def last_commit(root: Path) -> str:
    """Return the time of the last commit in seconds since 1970."""
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def copy_project(root: Path, target: Path) -> None:
    """Copy the project's files with the modes that git has, whatever umask and build folders there are."""
    for name in tracked_files(root):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, target / name)
        (target / name).chmod(0o755 if os.access(root / name, os.X_OK) else 0o644)


def build(root: Path, target: Path, epoch: int) -> tuple[Path, Path]:
    """Build into an empty folder; return the source distribution and the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        copy_project(root, Path(folder) / "copy")
        _call("build_sdist", Path(folder) / "copy", target, epoch)
        (source,) = target.glob("*.tar.gz")
        source.write_bytes(repacked(source.read_bytes(), epoch))
        with tarfile.open(source) as packed:
            packed.extractall(folder, filter="data")
        _call("build_wheel", Path(folder) / source.name.removesuffix(".tar.gz"), target, epoch)
    (wheel,) = target.glob("*.whl")
    return source, wheel


def repacked(archive: bytes, epoch: int) -> bytes:
    """Return a .tar.gz with the same files in order of their names, of one time, without owners."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(archive)) as old, tarfile.open(
        fileobj=packed, mode="w", format=tarfile.PAX_FORMAT
    ) as new:  # fmt: skip
        for member in sorted(old.getmembers(), key=lambda each: each.name):
            content = old.extractfile(member) if member.isfile() else None
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.size, plain.mtime, plain.mode = member.type, member.size, epoch, _mode(member)
            new.addfile(plain, content)
    return gzip.compress(packed.getvalue(), mtime=epoch)


def _mode(member: tarfile.TarInfo) -> int:
    return 0o755 if member.isdir() or member.mode & 0o100 else 0o644


def _call(hook: str, source: Path, target: Path, epoch: int) -> None:
    """Call a hook of setuptools as pip would; its output is shown only if it fails."""
    command = [sys.executable, "-c", HOOK, hook, str(target)]
    environment = {**os.environ, EPOCH: str(epoch)}
    done = subprocess.run(
        command, cwd=source, env=environment, umask=0o022, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{hook} failed:\n{done.stdout[-5000:]}")


def main() -> None:
    """Build twice, compare, check and keep."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    epoch = int(os.environ.get(EPOCH) or last_commit(ROOT))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        built, again = build(ROOT, Path(one), epoch), build(ROOT, Path(other), epoch)
        for first, second in zip(built, again, strict=True):
            if first.read_bytes() != second.read_bytes():
                sys.exit(f"{first.name}: two builds of the same files differ.")
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, built)], check=True)
        target.mkdir(parents=True, exist_ok=True)
        beside = target / built[1].stem
        beside.with_name(f"{beside.name}.cdx.json").write_text(bill(built[1], (ROOT / LOCK).read_text("utf-8"), epoch))
        beside.with_name(f"{beside.name}.provenance.json").write_text(provenance(ROOT, built, epoch))
        for path in built:
            shutil.copyfile(path, target / path.name)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            print(f"{target / path.name}  {path.stat().st_size / 1e6:.1f} MB  sha256 {digest}")


if __name__ == "__main__":
    main()
