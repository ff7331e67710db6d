"""What stands beside the wheel: a bill of materials (CycloneDX 1.6), and a statement of where it comes from.

The bill lists every package of locks/run.txt, which is what an image or the GitHub action has. The provenance is an
in-toto statement with SLSA's predicate, not signed: it says which commit, which locks and which time made these bytes,
so that everybody can build them again and compare.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

LOCK = Path("locks/run.txt")
LOCKS = (LOCK, Path("locks/dist.txt"), Path("locks/build.in"))
_PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^ ;\\]+)", re.MULTILINE)


def pins(lock: str) -> Iterator[tuple[str, str]]:
    """Yield the (name, version) of each package in the text of a lock."""
    return ((found[1], found[2]) for found in _PIN.finditer(lock))


def bill(wheel: Path, lock: str, epoch: int) -> str:
    """Return the bill of materials of a wheel as JSON. Raises ValueError where it does not fit CycloneDX's schema."""
    name, version = wheel.name.split("-")[:2]
    digest = _sha256(wheel)
    bom = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"sha256:{digest}"))
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, timezone.utc)
    bom.metadata.component = package = _component(name.replace("_", "-"), version)
    package.hashes.add(HashType(alg=HashAlgorithm.SHA_256, content=digest))
    parts = [_component(*pin) for pin in pins(lock)]
    bom.components.update(parts)
    bom.register_dependency(package, parts)
    text: str = JsonV1Dot6(bom).output_as_string(indent=1)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"the bill of materials does not fit CycloneDX's schema: {fault}")
    return text + "\n"


def _component(name: str, version: str) -> Component:
    url = PackageURL("pypi", name=name, version=version)
    return Component(name=name, version=version, type=ComponentType.LIBRARY, purl=url, bom_ref=str(url))


def provenance(root: Path, built: Sequence[Path], epoch: int) -> str:
    """Return an in-toto statement about built files as JSON: their digests, the commit, and what built them."""
    commit = _git(root, "rev-parse", "HEAD")
    statement: dict[str, Any] = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [_digest(path, path.name) for path in built],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make dist",
                "externalParameters": {"commit": commit, "SOURCE_DATE_EPOCH": epoch},
                "internalParameters": {"changed": bool(_git(root, "status", "--porcelain", "--untracked-files=no"))},
                "resolvedDependencies": [
                    {"name": "source", "digest": {"gitCommit": commit}},
                    *(_digest(root / lock, str(lock)) for lock in LOCKS),
                ],
            },
            "runDetails": {"builder": {"id": "make dist"}},
        },
    }
    return json.dumps(statement, indent=1) + "\n"


def _digest(path: Path, name: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": _sha256(path)}}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _git(root: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
