"""`impactbench fetch` as a process against loopback servers, with HELM's own addresses behind a mirror."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.datasets.discovery import sources
from helm_impactbench.helm.datasets.download import download
from helm_impactbench.helm.datasets.errors import FetchError
from helm_impactbench.helm.datasets.fetch import named as meant
from helm_impactbench.helm.datasets.sources import SUITES, HubData, WebFile
from helm_impactbench.helm.planned import entries_in
from tests.conftest import Run
from tests.support.commands import run_command
from tests.support.file_server import FileServer
from tests.support.suites import SUITES as WRITERS
from tests.support.suites import write_suites

HUB = {"air_bench_2024", "xstest", "simple_safety_tests", "anthropic_red_team"}
Fetch = Callable[..., Any]


@pytest.fixture(scope="session")
def asked() -> dict[str, list[WebFile | HubData]]:
    """What HELM asks for, per suite."""
    return {suite: sources(suite) for suite in SUITES}


@pytest.fixture
def files(tmp_path_factory: pytest.TempPathFactory, asked: dict[str, list[Any]]) -> Iterator[FileServer]:
    """A mirror and a hub that have the made-up data of all suites."""
    origin = tmp_path_factory.mktemp("origin")
    write_suites(origin)
    server = FileServer()
    for source in (source for suite in WRITERS for source in asked[suite]):
        if isinstance(source, HubData):
            folder = origin / source.repository
            server.repositories[source.repository] = {
                path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
            }
        else:
            place = origin / "benchmark_output/scenarios" / source.target
            server.files[source.url.removeprefix("https://")] = _tar(place) if place.is_dir() else place.read_bytes()
    yield server
    server.close()


@pytest.fixture
def fetch(workdir: Path, files: FileServer) -> Fetch:
    """Runs the command against the servers."""
    return lambda *words, **options: run_command(
        "impactbench", "fetch", *words, "--mirror", files.url, cwd=workdir, HF_ENDPOINT=files.url,
        HF_HOME=str(workdir / "home"), **options,
    )  # fmt: skip


def _tar(folder: Path) -> bytes:
    """Return the folder as the archive that MMLU comes in: one folder `data` in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(folder, "data")
    return buffer.getvalue()


def noted(workdir: Path) -> dict[str, dict[str, Any]]:
    """Return the manifest by path."""
    return {row["path"]: row for row in json.loads((workdir / "benchmark_output/fetched.json").read_text())}


def test_helm_is_asked_and_not_remembered(asked: dict[str, list[Any]]) -> None:
    """Each suite's sources are what HELM 0.5.16 downloads: so many files, those of the hub at a commit."""
    counts = {
        "bbq": 11, "gsm": 2, "natural_qa": 5, "quac": 2, "boolq": 3, "commonsense": 3, "imdb": 5, "bold": 5,
        "decodingtrust_machine_ethics": 2, "decodingtrust_adv_demonstration": 3,
    }  # fmt: skip
    assert {suite: len(found) for suite, found in asked.items()} == {suite: counts.get(suite, 1) for suite in SUITES}
    assert {suite for suite, found in asked.items() if isinstance(found[0], HubData)} == HUB
    assert all(len(found[0].revision) == 40 for suite, found in asked.items() if suite in HUB)
    assert asked["anthropic_red_team"][0].data_dir == "red-team-attempts"
    assert asked["mmlu"][0].unpack == "untar"
    assert asked["harm_bench"][0].pinned
    assert not asked["bbq"][0].pinned
    assert set(SUITES) >= set(WRITERS)


def test_each_entry_of_the_shipped_confs_can_be_fetched() -> None:
    """But for two whose data are programs of the hub's, and one that has no data."""
    confs = [shipped("run_entries", f"{name}.conf") for name in ("combined", "core", "attacks", "starter", "mmlu")]
    named = {entry.partition(":")[0].removeprefix("panel_") for conf in confs for entry in entries_in(str(conf))}
    assert {*meant(["combined"])} == {*WRITERS}
    assert {*meant(["core", "panel_xstest"])} <= {*SUITES}
    assert len(meant(["all"])) == len(SUITES)
    assert named - {*SUITES} == {"impactbench", "wmt_14", "math", "decodingtrust_privacy"}


def test_the_data_of_a_core_suite_arrive(fetch: Fetch, files: FileServer, workdir: Path, asked: Any) -> None:
    """Each file at the place where HELM's scenario reads it; another data set of the same run spec, too."""
    made_up = {source.url: f"made up {number}".encode() for number, source in enumerate(asked["quac"])}
    files.files |= {url.removeprefix("https://"): content for url, content in made_up.items()}
    fetch("quac")
    for source in asked["quac"]:
        assert (workdir / "benchmark_output/scenarios" / source.target).read_bytes() == made_up[source.url]
    assert [source.target for source in asked["quac"]] == ["quac/data/train.json", "quac/data/val.json"]
    assert {source.target.partition("/")[0] for source in asked["commonsense"]} == {"hellaswag", "openbookqa"}


def test_everything_arrives_where_helm_looks_and_is_noted(fetch: Fetch, workdir: Path, tmp_path: Path) -> None:
    """All suites arrive byte for byte; the manifest has each file's SHA-256, address and commit; --check agrees."""
    (tmp_path / "expected").mkdir()
    write_suites(tmp_path / "expected")
    done = fetch(*WRITERS)
    expected = {p.relative_to(tmp_path / "expected").as_posix(): p.read_bytes()
                for p in (tmp_path / "expected").rglob("*") if p.is_file()}  # fmt: skip
    assert {path: (workdir / path).read_bytes() for path in expected} == expected
    assert {path: row["sha256"] for path, row in noted(workdir).items()} == {
        path: hashlib.sha256(content).hexdigest() for path, content in expected.items()
    }
    red_team = noted(workdir)["Anthropic/hh-rlhf/red-team-attempts/red_team_attempts.jsonl.gz"]
    assert red_team["checked"] == "hub"
    assert red_team["revision"].startswith("09be8c5b")
    assert noted(workdir)["benchmark_output/scenarios/gsm/gsm_data_test"]["checked"] == "nothing"
    assert "gsm: fetched: benchmark_output/scenarios/gsm/gsm_data_test" in done.stdout
    left = [path for path in workdir.rglob("*") if ".part" in path.name or path.name in (".cache", "data.fetched.tar")]
    assert left == []
    assert f"{len(expected)} of {len(expected)} files" in fetch(*WRITERS, "--check").stdout


def test_a_second_fetch_asks_for_nothing(fetch: Fetch, files: FileServer) -> None:
    """What is there and unchanged is not fetched again."""
    fetch("gsm", "xstest")
    files.requests.clear()
    assert "gsm: there:" in fetch("gsm", "panel_xstest").stdout
    assert files.requests == []


def test_a_broken_transfer_continues(files: FileServer, tmp_path: Path) -> None:
    """After a cut connection the rest alone is asked for, and the file is whole."""
    files.files["host/data"] = bytes(range(250))
    files.break_off["host/data"] = 100
    download(f"{files.url}/host/data", tmp_path / "data")
    assert files.requests == [("GET", "host/data", None), ("GET", "host/data", "bytes=100-")]
    assert (tmp_path / "data").read_bytes() == bytes(range(250))


def test_an_interrupted_command_continues_only_the_same_file(
    files: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a file that has changed since is thrown away, and nothing incomplete stands in a file's place."""
    monkeypatch.setenv("IMPACTBENCH_ATTEMPTS", "1")
    files.files["host/data"] = b"old" * 50
    files.break_off["host/data"] = 100
    with pytest.raises(FetchError, match="repeat the command"):
        download(f"{files.url}/host/data", tmp_path / "data")
    assert not (tmp_path / "data").exists()
    files.files["host/data"] = b"new"
    download(f"{files.url}/host/data", tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_what_is_not_what_the_hub_lists_is_refused(fetch: Fetch, files: FileServer, workdir: Path) -> None:
    """A file with another hash than the hub's is removed and named; the other suites are fetched all the same."""
    files.spoilt["test.csv"] = b"id,harm_area,category,prompt\n"
    done = fetch("simple_safety_tests", "gsm", ok=False)
    assert done.returncode == 2
    assert "test.csv has a SHA-256 other than the hub's" in done.stderr
    assert not (workdir / "Bertievidgen/SimpleSafetyTests/test.csv").exists()
    assert {row["suite"] for row in noted(workdir).values()} == {"gsm"}
    files.spoilt.clear()
    assert (
        "simple_safety_tests: fetched: Bertievidgen/SimpleSafetyTests (2 files" in fetch("simple_safety_tests").stdout
    )
    assert noted(workdir)["Bertievidgen/SimpleSafetyTests/test.csv"]["checked"] == "hub"


def test_a_gated_data_set_says_what_to_do(fetch: Fetch, files: FileServer) -> None:
    """Where the hub wants consent, the message has the page and the variable."""
    files.gated.add("walledai/XSTest")
    done = fetch("xstest", ok=False)
    assert done.returncode == 2
    assert "https://huggingface.co/datasets/walledai/XSTest" in done.stderr
    assert "HF_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file_says_where_to_put_it(fetch: Fetch, files: FileServer) -> None:
    """An address that is gone is one message, at once."""
    gone = next(path for path in files.files if path.endswith("data.tar"))
    del files.files[gone]
    done = fetch("mmlu", ok=False)
    assert done.returncode == 2
    assert "data.tar returned 404" in done.stderr
    assert "--dry-run" in done.stderr
    assert len([path for _, path, _ in files.requests if path == gone]) == 1


def test_check_finds_what_has_changed(fetch: Fetch, workdir: Path) -> None:
    """--check names each file and its fault and ends with 1; a further fetch refuses to build on it."""
    fetch("bbq")
    folder = Path("benchmark_output/scenarios/bbq/data")
    (workdir / folder / "SES").unlink()
    longer, changed = workdir / folder / "Age", workdir / folder / "Religion"
    longer.write_bytes(longer.read_bytes() + b"x")
    changed.write_bytes(b"y" + changed.read_bytes()[1:])
    done = fetch("bbq", "--check", ok=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{folder}/Age has {longer.stat().st_size:,} bytes instead of {longer.stat().st_size - 1:,}",
        f"{folder}/Religion has a SHA-256 other than when it was fetched",
        f"{folder}/SES is missing",
    ]
    assert "8 of 11 files" in done.stdout
    again = fetch("bbq", ok=False)
    assert again.returncode == 2
    assert f"{folder}/Age has" in again.stderr


def test_check_on_another_machine(fetch: Fetch, files: FileServer, run: Run) -> None:
    """The files are proved with the manifest alone, without a network; a suite that it has not is named."""
    fetch("gsm")
    files.close()
    assert "2 of 2 files" in run("impactbench", "fetch", "gsm", "--check", HF_HUB_OFFLINE="1").stdout
    missing = run("impactbench", "fetch", "bbq", "--check", ok=False)
    assert missing.returncode == 2
    assert "has no files of bbq" in missing.stderr


def test_a_file_that_helm_put_there_is_taken_and_said(fetch: Fetch, files: FileServer, workdir: Path) -> None:
    """What lies there without a note is noted on trust, and not overwritten."""
    found = workdir / "benchmark_output/scenarios/gsm/gsm_data_test"
    found.parent.mkdir(parents=True)
    found.write_text('{"question": "1 and 1?", "answer": "#### 2"}\n')
    assert "gsm: found: benchmark_output/scenarios/gsm/gsm_data_test" in fetch("gsm").stdout
    assert "1 and 1?" in found.read_text()


def test_a_wrong_name_has_a_suggestion(run: Run) -> None:
    """Names are HELM's."""
    done = run("impactbench", "fetch", "harmbench", ok=False)
    assert done.returncode == 2
    assert "Did you mean harm_bench or air_bench_2024?" in done.stderr


def test_the_plan_makes_no_request(fetch: Fetch, files: FileServer) -> None:
    """--dry-run says address, commit and place of everything without asking for it."""
    shown = fetch("harm_bench", "xstest", "--dry-run", COLUMNS="1000").stdout
    assert "8e1604d1171f" in shown
    assert "scenarios/harm_bench/data/harmbench_behaviors_text_all.csv" in shown
    assert "hub: walledai/XSTest" in shown
    assert files.requests == []


@pytest.mark.parametrize(
    ("path", "wanted"),
    [("part/a.gz", True), ("README.md", True), ("other/a.gz", False), ("part/.hidden", False), ("part/../../a", False),
     ("/part/a", False)],
)  # fmt: skip
def test_which_files_of_a_data_set(path: str, wanted: bool) -> None:
    """The used folder and the card are fetched; nothing that is hidden or leads out of the folder."""
    assert HubData("s", "owner/name", "0" * 40, "part").wants(path) is wanted
