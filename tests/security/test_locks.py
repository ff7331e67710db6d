"""What is installed is locked: versions that setup.cfg allows, each with the hashes of its files."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.bill import pins

ROOT = Path(__file__).parents[2]
OVERRIDDEN = {"torch", "torchvision", "zstandard"}
ENTRY = re.compile(r"^\S.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


def required(*extras: str) -> list[Requirement]:
    """Return what setup.cfg requires."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    texts = [settings["options"]["install_requires"], *(settings["options.extras_require"][extra] for extra in extras)]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("lock", "extras"), [("run", ()), ("dev", ("dev",))])
def test_a_lock_holds_what_setup_requires(lock: str, extras: tuple[str, ...]) -> None:
    """Each requirement is there in versions that it allows: `make lock` was not forgotten."""
    locked: dict[str, list[str]] = {}
    for name, version in pins((ROOT / f"locks/{lock}.txt").read_text("utf-8")):
        locked.setdefault(canonicalize_name(name), []).append(version)
    for requirement in required(*extras):
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert versions, requirement
        assert all(requirement.specifier.contains(version, prereleases=True) for version in versions), requirement
    assert not locked.keys() & {"torch", "torchvision"}, "uv-overrides.txt was left out"


@pytest.mark.parametrize("lock", ["run", "dev", "dist", "uv"])
def test_every_package_has_its_hashes(lock: str) -> None:
    """And nothing says where it is to come from: that is the installer's own setting."""
    text = (ROOT / f"locks/{lock}.txt").read_text("utf-8")
    entries = ENTRY.findall(text)
    assert entries
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text
    assert "index-url" not in text


def test_dev_and_run_agree() -> None:
    """Tests run with the versions that users get."""
    run, dev = (set(pins((ROOT / f"locks/{lock}.txt").read_text("utf-8"))) for lock in ("run", "dev"))
    assert run <= dev


def test_releases_that_steal_credentials_are_not_allowed() -> None:
    """litellm 1.82.7 and 1.82.8, which mirrors may still have."""
    (litellm,) = [requirement for requirement in required() if requirement.name == "litellm"]
    assert [version for version in ("1.82.7", "1.82.8") if litellm.specifier.contains(version)] == []
    assert litellm.specifier.contains("1.82.6")


@pytest.mark.parametrize("name", ["Makefile", "Dockerfile", "action.yml"])
def test_everything_is_installed_from_the_locks(name: str) -> None:
    """No line installs a package by its name, but for the environments that locks/README.md names."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    lines = [
        line
        for line in text.splitlines()
        if re.search(r"(?:pip|PIP_INSTALL\)|uv) ?(?:pip )?install|PIP_INSTALL\) ", line)
    ]
    assert any("locks/" in line for line in lines)
    for line in lines:
        free = "inspect_ai" in line or "CONSTRAINTS" in line or line.startswith(("PIP_INSTALL", "#"))
        assert free or "--require-hashes" in line or "--no-deps --no-build-isolation" in line, line


def test_actions_of_others_are_named_by_their_commit() -> None:
    """A tag may be moved to another one."""
    files = [ROOT / "action.yml", *(ROOT / ".github/workflows").glob("*.yml")]
    used = [name for file in files for name in re.findall(r"uses: (\S+)", file.read_text("utf-8"))]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []
