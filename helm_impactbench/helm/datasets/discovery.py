"""Ask HELM's own scenarios what they would download, by running them with a download that only takes notes.

So addresses, places, revisions and names are those of the installed crfm-helm, whatever its version.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from helm_impactbench.helm.datasets.errors import FetchError
from helm_impactbench.helm.datasets.sources import SUITES, HubData, Source, WebFile

_AIR_BENCH = "air_bench_2024"
_EMPTY = {".json": '{"data": []}'}
"""Ending -> what a file without rows contains, so that a scenario which reads each file at once asks for the next."""
_AIR_ANNOTATOR = "helm.benchmark.annotation.air_bench_annotator"


def sources(suite: str) -> list[Source]:
    """Return what a suite needs, in HELM's order. Raises FetchError when HELM asks for nothing any more."""
    from helm.benchmark.run_spec import get_run_spec_function
    from helm.benchmark.scenarios.scenario import create_scenario

    function = get_run_spec_function(suite)
    if function is None:
        raise FetchError(f"The installed crfm-helm has no suite {suite}; install crfm-helm 0.5.16 or later.")
    found: list[Source] = []
    for options in SUITES[suite]:
        with redirect_stdout(StringIO()):  # some of HELM's functions and scenarios print what they do
            found += _asked_for(suite, create_scenario(function(**options).scenario_spec))
    if not found:
        raise FetchError(f"HELM's scenario of {suite} asked for no data; this version of crfm-helm is not supported.")
    return list(dict.fromkeys(found))


def _asked_for(suite: str, scenario: Any) -> list[Source]:
    with tempfile.TemporaryDirectory() as folder, _notes(suite, Path(folder), type(scenario).__module__) as found:
        with suppress(Exception):  # there is nothing to read where nothing was downloaded: it asked by then
            scenario.get_instances(str(Path(folder, scenario.name)))
        if suite == _AIR_BENCH:
            _ask_annotator(folder)
    return found


def _ask_annotator(folder: str) -> None:
    annotator = importlib.import_module(_AIR_ANNOTATOR)
    with suppress(Exception):
        annotator.AIRBench2024Annotator(None, folder)


class _Nothing(dict[str, list[Any]]):
    """A data set without rows, in any split."""

    def __missing__(self, split: str) -> list[Any]:
        return []


@contextmanager
def _notes(suite: str, folder: Path, module_name: str) -> Iterator[list[Source]]:
    found: list[Source] = []

    def download(source_url: str, target_path: str, unpack: bool = False, **options: Any) -> None:
        target = Path(target_path).relative_to(folder).as_posix()
        kind = options.get("unpack_type") or "" if unpack else None
        found.append(WebFile(suite, source_url, target, kind))
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        Path(target_path).mkdir() if unpack else Path(target_path).write_text(_EMPTY.get(Path(target).suffix, ""))

    def load(path: str, *names: str, revision: str = "main", data_dir: str = "", **options: Any) -> _Nothing:
        found.append(HubData(suite, path, revision, data_dir))
        return _Nothing()

    from helm_impactbench.helm.patches import downloads_recorded

    module, library = sys.modules[module_name], importlib.import_module("datasets")
    instead = {"ensure_file_downloaded": download, "load_dataset": load}
    with downloads_recorded(module, instead), downloads_recorded(library, instead):
        yield found
