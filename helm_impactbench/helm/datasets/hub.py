"""A data set of the hub as a folder of its name, each file checked against what the hub says of it.

`datasets` takes a local folder named as the hub names a data set, when it lies in the working directory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.helm.datasets.errors import FetchError
from helm_impactbench.helm.datasets.manifest import sha256
from helm_impactbench.helm.datasets.sources import HubData

NOTES = ".cache"
"""Folder of the hub's library in a data set: there until the data set is complete and noted."""


@dataclass(frozen=True)
class HubFile:
    """A file as the hub lists it."""

    path: str
    sha256: str | None
    """Of a large file; the hub knows small ones by their git hash."""
    git_sha1: str


def fetch(data: HubData, folder: Path) -> list[HubFile]:
    """Put the needed files of a data set into `folder` and return them. Raises FetchError."""
    from huggingface_hub import hf_hub_download

    wanted = [file for file in _listed(data) if data.wants(file.path)]
    if not wanted:
        raise FetchError(f"The data set {data.repository} at {data.revision} has no files that HELM reads.")
    for file in wanted:
        try:
            hf_hub_download(data.repository, file.path, repo_type="dataset", revision=data.revision, local_dir=folder)
        except Exception as error:  # the hub's library raises many kinds
            raise _refused(data, error) from error
        problem = _problem(folder / file.path, file)
        if problem:
            (folder / file.path).unlink(missing_ok=True)
            raise FetchError(f"{folder / file.path} {problem}; it was removed; repeat the command.")
    return wanted


def _listed(data: HubData) -> Iterator[HubFile]:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    try:
        tree = list(
            HfApi().list_repo_tree(data.repository, recursive=True, revision=data.revision, repo_type="dataset")
        )
    except Exception as error:
        raise _refused(data, error) from error
    for entry in tree:
        if isinstance(entry, RepoFile):
            yield HubFile(entry.path, entry.lfs.sha256 if entry.lfs else None, entry.blob_id)


def _problem(path: Path, file: HubFile) -> str | None:
    if file.sha256:
        return None if sha256(path) == file.sha256 else "has a SHA-256 other than the hub's"
    content = path.read_bytes()
    found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return None if found == file.git_sha1 else "has a git hash other than the hub's"


def _refused(data: HubData, error: Exception) -> FetchError:
    page = f"https://huggingface.co/datasets/{data.repository}"
    return FetchError(
        f"The hub does not provide {data.repository} ({type(error).__name__}: {_first_line(error)}). Check the "
        "internet connection, and that HF_HUB_OFFLINE is unset. If the data set requires consent, give it at "
        f"{page} and set HF_TOKEN to your token. Then repeat the command; the part that arrived is kept."
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
