"""Fetch what a suite needs to where HELM looks for it, and note what has arrived."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.errors import did_you_mean
from helm_impactbench.files.resources import shipped
from helm_impactbench.helm.datasets import hub, manifest
from helm_impactbench.helm.datasets.discovery import sources
from helm_impactbench.helm.datasets.download import download
from helm_impactbench.helm.datasets.errors import FetchError
from helm_impactbench.helm.datasets.manifest import ManifestEntry
from helm_impactbench.helm.datasets.sources import SUITES, HubData, Source, WebFile
from helm_impactbench.helm.planned import entries_in

ALL = "all"
CONFS = ("combined", "core", "attacks", "starter")
"""Shipped confs whose name stands for all of their suites."""


def named(suites: Iterable[str]) -> list[str]:
    """Return the suites that are meant: HELM's names, with `panel_` before them or not, a conf's, "all".

    Raises FetchError.
    """
    meant = [suite.removeprefix("panel_") for word in suites for suite in (_in_conf(word) if word in CONFS else [word])]
    unknown = [suite for suite in meant if suite not in (*SUITES, ALL)]
    if unknown:
        raise FetchError(
            f"There is no suite {unknown[0]!r}. Choose from {', '.join(SUITES)}; those of a conf: {', '.join(CONFS)}; "
            f"or {ALL}."
            f"{did_you_mean(unknown[0], SUITES)}"
        )
    return [suite for suite in SUITES if suite in meant or ALL in meant]


def _in_conf(name: str) -> list[str]:
    """Return the suites of a shipped conf that can be fetched."""
    entries = entries_in(str(shipped("run_entries", f"{name}.conf")))
    suites = [entry.partition(":")[0].removeprefix("panel_") for entry in entries]
    return [suite for suite in suites if suite in SUITES]


@dataclass(frozen=True)
class HelmFolders:
    """The two folders that HELM reads from, seen from the working directory."""

    root: Path
    output_path: Path
    mirror: str = ""
    """Base address of a mirror that has https://<host>/<path> as <mirror>/<host>/<path>."""

    def address(self, url: str) -> str:
        """Return where a file is fetched from."""
        return f"{self.mirror.rstrip('/')}/{url.partition('://')[2]}" if self.mirror else url

    @property
    def manifest(self) -> Path:
        """The list of fetched files."""
        return self.root / self.output_path / manifest.NAME

    def of(self, source: Source) -> Path:
        """Return where a source goes."""
        if isinstance(source, WebFile):
            return self.root / self.output_path / "scenarios" / source.target
        return self.root / source.repository

    def shown(self, path: Path) -> str:
        """Return a path as the manifest has it."""
        return path.relative_to(self.root).as_posix()


@dataclass(frozen=True)
class FetchResult:
    """What became of one source."""

    source: Source
    path: Path
    state: str
    """"fetched", "there" (since an earlier fetch), or "found" (put there by HELM or by hand)."""
    entries: tuple[ManifestEntry, ...]


def fetch_suite(suite: str, place: HelmFolders) -> Iterator[FetchResult]:
    """Fetch what a suite needs, one source after the other. Raises FetchError."""
    for source in sources(suite):
        yield fetch_source(source, place)


def fetch_source(source: Source, place: HelmFolders) -> FetchResult:
    """Fetch one source unless it is there, and note it. Raises FetchError, also when what is there has changed."""
    path = place.of(source)
    known = [entry for entry in manifest.read(place.manifest) if _is_at(entry, place.shown(path))]
    if known:
        _refuse_changed(place.root, known)
        return FetchResult(source, path, "there", tuple(known))
    state = "found" if path.exists() and not _is_unfinished(source, path) else "fetched"
    checked = "nothing"
    if state == "fetched":
        checked = _fetch(source, path, place)
    entries = tuple(_entries(source, path, place, checked))
    manifest.add(place.manifest, entries)
    shutil.rmtree(path / hub.NOTES, ignore_errors=True)
    return FetchResult(source, path, state, entries)


def check(place: HelmFolders, suites: Sequence[str]) -> tuple[list[ManifestEntry], dict[str, str]]:
    """Return the noted files of the suites and path -> what is wrong. Raises FetchError when a suite has none."""
    noted = manifest.read(place.manifest)
    missing = [suite for suite in suites if suite not in {entry.suite for entry in noted}]
    if missing:
        raise FetchError(
            f"{place.manifest} has no files of {', '.join(missing)}. Fetch them on a machine with internet "
            f"(impactbench fetch {' '.join(missing)}) and copy the files together with {manifest.NAME}."
        )
    entries = [entry for entry in noted if entry.suite in suites]
    return entries, manifest.problems(place.root, entries)


def _is_at(entry: ManifestEntry, path: str) -> bool:
    return entry.path == path or entry.path.startswith(f"{path}/")


def _refuse_changed(root: Path, entries: Sequence[ManifestEntry]) -> None:
    wrong = manifest.problems(root, entries)
    for path, problem in wrong.items():
        raise FetchError(f"{path} {problem}. Delete it and its line in {manifest.NAME}, and fetch again.")


def _is_unfinished(source: Source, path: Path) -> bool:
    """Return whether a folder of the hub's is one that was being fetched; it is completed then."""
    return isinstance(source, HubData) and (path / hub.NOTES).exists()


def _fetch(source: Source, path: Path, place: HelmFolders) -> str:
    """Fetch a source and return what its content was held against."""
    if isinstance(source, HubData):
        hub.fetch(source, path)
        return "hub"
    if source.unpack is None and not _is_unzipped(source):
        download(place.address(source.url), path)
    else:
        _download_packed(source, path, place.address(source.url))
    return "nothing"


def _is_unzipped(source: WebFile) -> bool:
    return source.url.endswith((".gz", ".zst")) and not source.target.endswith((".gz", ".zst"))


def _download_packed(source: WebFile, path: Path, address: str) -> None:
    """Download an archive beside its place and let HELM's own code unpack it, in one step at the end."""
    from helm.common.general import ensure_file_downloaded

    packed = path.with_name(f"{path.name}.fetched{Path(source.url).suffix}")
    if not packed.exists():  # else it is complete, and an earlier command was stopped while unpacking
        download(address, packed)
    shutil.rmtree(path.with_name(f"{path.name}.tmp2"), ignore_errors=True)  # of an interrupted unpacking
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            ensure_file_downloaded(
                packed.absolute().as_uri(), str(path), source.unpack is not None, unpack_type=source.unpack or None
            )
    except Exception as error:  # whatever the archive makes of it
        packed.unlink(missing_ok=True)
        raise FetchError(f"{address} cannot be unpacked ({error}); it was removed; repeat the command.") from error
    packed.unlink()


def _entries(source: Source, path: Path, place: HelmFolders, checked: str) -> Iterator[ManifestEntry]:
    is_hub = isinstance(source, HubData)
    for file in _files(path):
        yield ManifestEntry(
            path=place.shown(file),
            suite=source.suite,
            source=source.repository if isinstance(source, HubData) else source.url,
            revision=source.revision if isinstance(source, HubData) else source.pinned,
            checked=checked if is_hub else "nothing",
            sha256=manifest.sha256(file),
            size=file.stat().st_size,
        )


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file() and path / hub.NOTES not in file.parents)
