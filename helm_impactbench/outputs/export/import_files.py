"""Write an import as a run of a suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.helm.deployments import CONVERSATION_PREFIX
from helm_impactbench.helm.figures import helm_figures
from helm_impactbench.helm.imported import imported_run_spec, imported_scenario
from helm_impactbench.outputs.export.foreign import ForeignFolder, ForeignRun
from helm_impactbench.outputs.export.imported_records import IMPORTED
from helm_impactbench.outputs.export.imports import Import
from helm_impactbench.results.files import folder_name
from helm_impactbench.results.publish import stage, state_of


def stage_import(suite: Path, folder: ForeignFolder, one: Import, within: str) -> Path:
    """Write a run's files where nothing that reads the suite looks, and return where, for `publish.place`."""
    spec = imported_run_spec(
        one.name,
        folder.benchmark,
        user=one.roles.user,
        judges=one.roles.judges,
        options=one.options,
        deployment=one.model,
        model=one.helm_model,
        generation=_generation(one.run),
    )
    scenario = imported_scenario(spec, folder.benchmark.description, [IMPORTED], _provenance(folder, one))
    state = state_of(one.records, spec, CONVERSATION_PREFIX)
    return stage(suite / folder_name(one.name), spec, scenario, state, helm_figures, within)


def _generation(run: ForeignRun) -> dict[str, float]:
    """Return the target's temperature and token limit where our own export has them; others do not."""
    spec = run.manifest.get("run_spec")
    adapter = spec.get("adapter_spec") if isinstance(spec, dict) else None
    found = adapter if isinstance(adapter, dict) else {}
    return {name: found[name] for name in ("temperature", "max_tokens") if isinstance(found.get(name), int | float)}


def _provenance(folder: ForeignFolder, one: Import) -> dict[str, Any]:
    place = one.run.folder.relative_to(folder.folder).as_posix()
    return {
        "benchmark_digest": folder.benchmark.digest(),
        "benchmark_name": folder.benchmark.name,  # an import is often of a benchmark that is not installed
        "helm_impactbench": __version__,
        "imported_from": {
            "format": IMPORTED if not folder.is_own else "helm_impactbench export",
            "target": one.run.model,
            "files": _own_files(folder.hashes, place),
            "costs": one.run.costs,
            "provenance": one.run.manifest.get("provenance"),
        },
    }


def _own_files(hashes: Mapping[str, str], place: str) -> dict[str, str]:
    """Return the hashes of the benchmark's files and of the run's own: not those of other targets."""
    return {name: digest for name, digest in hashes.items() if name.count("/") == 0 or name.startswith(f"{place}/")}
