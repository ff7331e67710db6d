"""A one-node cluster for the tests of this folder, and helm-run on it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.slurm.one_node import NoSlurmError, install, one_node

INSTALL_VARIABLE = "IMPACTBENCH_INSTALL_SLURM"
"""Set by `make test-slurm`. A plain pytest installs nothing on a developer's machine."""


@pytest.fixture(scope="session")
def slurm() -> Iterator[dict[str, str]]:
    """The environment variables of a running cluster. Skips where there is no Slurm, and fails there in CI."""
    try:
        if os.environ.get(INSTALL_VARIABLE):
            install()
        with one_node() as environment:
            yield environment
    except NoSlurmError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(f"NOT TESTED ON SLURM. {error}")
