"""One file over HTTP: continued where it broke off, complete or not there at all."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from helm_impactbench.helm.datasets.errors import FetchError
from helm_impactbench.llm.retries import policy_from_environment

TIMEOUT = 60.0
"""Seconds without a byte."""
_CHUNK = 1 << 20


class _TransferError(Exception):
    """A transfer that can be continued."""


def download(url: str, target: Path) -> None:
    """Put the file at `url` to `target`. Raises FetchError; what has arrived is kept for the next time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    policy = policy_from_environment()
    retrying = Retrying(
        retry=retry_if_exception_type(_TransferError),
        stop=stop_after_attempt(policy.attempts),
        wait=wait_exponential_jitter(initial=min(1.0, policy.max_wait), max=policy.max_wait),
        reraise=True,
    )
    part = target.with_name(f"{target.name}.part")
    try:
        retrying(_transfer, url, part)
    except _TransferError as error:
        raise FetchError(
            f"{url} was interrupted ({error}). The part that arrived is kept; repeat the command."
        ) from error
    part.replace(target)
    _tag_file(part).unlink(missing_ok=True)


def _transfer(url: str, part: Path) -> None:
    tag = _tag_of(part, url)
    start = part.stat().st_size if tag and part.exists() else 0
    headers = {"Range": f"bytes={start}-", "If-Range": tag} if start else {}
    request = urllib.request.Request(url, headers={"User-Agent": "helm-impactbench", **headers})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310  # HELM's own addresses
            _save(answer, part, url, start if answer.status == http.client.PARTIAL_CONTENT else 0)
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink(missing_ok=True)
        elif error.code < 500 and error.code not in (408, 429):
            raise FetchError(
                f"{url} returned {error.code} {error.reason}. HELM's own download would fail too: try later, or put "
                "the file in place by hand; `impactbench fetch --dry-run` says where."
            ) from error
        raise _TransferError(f"{error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise _TransferError(str(error)) from error


def _save(answer: Any, part: Path, url: str, start: int) -> None:
    length = answer.headers.get("Content-Length")
    tag = answer.headers.get("ETag") or ""
    _tag_file(part).write_text(json.dumps({"url": url, "etag": "" if tag.startswith("W/") else tag}))
    with part.open("ab" if start else "wb") as file:
        while chunk := answer.read(_CHUNK):
            file.write(chunk)
        arrived = file.tell() - start
    if length is not None and arrived != int(length):
        raise _TransferError(f"{arrived} of {length} bytes arrived")


def _tag_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _tag_of(part: Path, url: str) -> str:
    """Return the entity tag of the file that the part is of: only the same file may be continued."""
    try:
        noted = json.loads(_tag_file(part).read_text())
    except (OSError, ValueError):
        return ""
    return str(noted["etag"]) if noted.get("url") == url else ""
