"""What `pip install` gives: the wheel alone, in an empty directory, away from the checkout."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from helm_impactbench.benchmark.files import benchmark_paths
from tests.support.commands import run_command
from tools.bill import LOCK, bill, pins, provenance
from tools.dist import build

ROOT = Path(__file__).parents[2]
EPOCH = 1_700_000_000


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is built from it, as `make dist` builds them."""
    return build(ROOT, tmp_path_factory.mktemp("dist"), EPOCH)


@pytest.fixture(scope="module")
def installed(distributions: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the freshly built wheel is installed, with the source distribution beside it.

    The dependencies stay those of the test run.
    """
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--target", target, distributions[1]], check=True)
    shutil.copy(distributions[0], target)
    return target


def test_its_bill_of_materials_is_valid_and_names_what_is_locked(distributions: tuple[Path, Path]) -> None:
    """CycloneDX's own schema, the same bytes each time, and every package of the lock; the provenance has digests."""
    lock = (ROOT / LOCK).read_text("utf-8")
    text = bill(distributions[1], lock, EPOCH)
    assert text == bill(distributions[1], lock, EPOCH)
    named = {(part["name"], part["version"]) for part in json.loads(text)["components"]}
    assert named == set(pins(lock))
    assert ("crfm-helm", "0.5.16") in named
    statement = json.loads(provenance(ROOT, distributions, EPOCH))
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in distributions}
    assert {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]} == digests


def test_the_wheel_runs_in_an_empty_directory(installed: Path, tmp_path: Path) -> None:
    """helm-run, helm-summarize with the shipped schema and the command work from the wheel's own content."""
    path = {"PYTHONPATH": str(installed)}
    roles = "user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    entry = f"impactbench:benchmark=emotional-dependence,part=0.1,{roles}"
    run_command("helm-run", "--run-entries", entry, "--suite", "s", "-m", 10000, cwd=tmp_path, **path)
    schema = run_command("impactbench", "list", "--path", "schema.yaml", cwd=tmp_path, **path).stdout.strip()
    assert Path(schema).is_relative_to(installed)
    run_command("helm-summarize", "--suite", "s", "--schema-path", schema, cwd=tmp_path, **path)
    shown = run_command("impactbench", "summarize", "--show", "--suite", "s", cwd=tmp_path, **path).stdout
    assert "Rehearsal mixed (scripted)" in shown
    listed = run_command("impactbench", "list", cwd=tmp_path, **path).stdout
    for slug in benchmark_paths([ROOT / "benchmarks"]):
        assert slug in listed
    assert (Path(schema).parent / "run_entries/rehearsal.conf").is_file()
    run_command("impactbench", "new", "mine", "--description", "About money.", cwd=tmp_path, **path)
    run_command(
        "impactbench", "gen-metrics", "mine", "--author", "rehearsal/author", "--count", 2, cwd=tmp_path, **path
    )
    run_command(
        "impactbench", "gen-scenarios", "mine", "--author", "rehearsal/author", "--per-metric", 1, cwd=tmp_path, **path
    )
    assert run_command("impactbench", "check", "mine", cwd=tmp_path, **path).stdout.startswith("mine: ok\n")


def test_the_same_files_give_the_same_bytes(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    """Built later, under another umask and in another time zone."""
    mask, zone = os.umask(0o077), os.environ.get("TZ")
    os.environ["TZ"] = "Asia/Tokyo"
    try:
        again = build(ROOT, tmp_path, EPOCH)
    finally:
        os.umask(mask)
        os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in distributions]


def test_golden_sets_are_in_the_wheel(installed: Path) -> None:
    """As they are in the checkout, none left out; and benchmark.yaml with them."""
    for name in ("golden.yaml", "benchmark.yaml"):
        here = {path.parent.name: path.read_bytes() for path in (ROOT / "benchmarks").glob(f"*/{name}")}
        data = installed / "helm_impactbench/data/benchmarks"
        assert {path.parent.name: path.read_bytes() for path in data.glob(f"*/{name}")} == here


def test_both_licences_are_in_the_wheel_and_in_the_source_distribution(installed: Path) -> None:
    """That of the code and that of the content, word for word, and the metadata names both."""
    (archive,) = installed.glob("*.tar.gz")
    (info,) = installed.glob("helm_impactbench-*.dist-info")
    for name in ("LICENSE", "LICENSE-CC-BY-4.0"):
        text = (ROOT / name).read_bytes()
        assert [path.read_bytes() for path in info.rglob(name)] == [text]
        with tarfile.open(archive) as packed:
            (member,) = [
                one for one in packed.getmembers() if one.name.count("/") == 1 and one.name.endswith(f"/{name}")
            ]
            content = packed.extractfile(member)
            assert content is not None
            assert content.read() == text
    assert "License: Apache-2.0 AND CC-BY-4.0\n" in (info / "METADATA").read_text(encoding="utf-8")
    assert b"Attribution 4.0 International" in (ROOT / "LICENSE-CC-BY-4.0").read_bytes()
