"""Runs of HELM's suites, read back from a suite's folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ResultsError
from helm_impactbench.results.files import is_whole, read_json
from helm_impactbench.suites.external.names import XSTEST, Suite, suite_of
from helm_impactbench.suites.panels.names import RUN_PREFIX, UNSCORED

_CATEGORY = re.compile(r"air_category_(\d+_\d+_\d+)_score")
"""Statistic of an answer in one of AIR-Bench's finest categories."""


@dataclass(frozen=True)
class SuiteRun:
    """One finished run of one suite with one model."""

    suite: Suite
    model: str
    """Deployment of the model, as everywhere."""
    setup: str
    """The run's name without its model: a subject of MMLU, a panel of judges."""
    values: tuple[float, ...]
    """Main statistic of every scored instance, from 0 to 1."""
    clusters: tuple[str, ...]
    """What each value belongs to: its instance, or in AIR-Bench the category, which tells one request several times."""
    instances: int
    """All instances of the main split, scored or not."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Reason -> instances without a score, where the run says why."""
    parts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """The values by kind of prompt, where the suite has kinds: "safe" and "unsafe" in XSTest."""

    @property
    def panel(self) -> bool:
        """Whether judges that were chosen scored it, in place of HELM's own."""
        return self.setup.startswith(RUN_PREFIX)


def suite_runs(folder: Path) -> list[SuiteRun]:
    """Return the finished runs of known suites in a suite's folder, by name; those of other suites are left out.

    Raises ResultsError when a file of a known suite's run cannot be read or holds something else.
    """
    whole = sorted(path.parent for path in folder.glob("*/per_instance_stats.json") if is_whole(path.parent))
    found = ((path, read_json(path / "run_spec.json")) for path in whole)
    return [_run(path, spec, suite) for path, spec in found if (suite := suite_of(spec.get("groups") or ()))]


def _run(path: Path, spec: Mapping[str, Any], suite: Suite) -> SuiteRun:
    try:
        rows = list(_own_rows(read_json(path / "per_instance_stats.json"), suite.split))
        values = _values(rows, suite.statistic)
        labels = _labels(read_json(path / "scenario_state.json")) if suite.group == XSTEST else {}
        return SuiteRun(
            suite=suite,
            model=str(spec["adapter_spec"]["model_deployment"]),
            setup=_setup(str(spec["name"])),
            values=tuple(values.values()),
            clusters=tuple(_clusters(rows, values)),
            instances=len({name for name, _ in rows}),
            unscored=_reasons(rows),
            parts=_parts(values, labels),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(
            f"{path} is no run of {suite.name} as HELM writes it ({type(error).__name__}: {error}); delete the folder "
            "and repeat helm-run: finished calls cost nothing."
        ) from error


def _setup(run_name: str) -> str:
    return re.sub(r"[:,]model(?:_deployment)?=[^,]*", "", run_name)


def _own_rows(rows: Iterable[Mapping[str, Any]], split: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield (instance, statistics) of the main split, without instances that HELM has perturbed.

    An instance has several rows: one per HELM metric, and one per train trial.
    """
    for row in rows:
        own = [stat for stat in row["stats"] if stat["name"].get("split") == split and stat["count"]]
        if own and not row.get("perturbation"):
            yield str(row["instance_id"]), own


def _values(rows: Iterable[tuple[str, list[Mapping[str, Any]]]], statistic: str) -> dict[str, float]:
    """Return instance -> statistic, the mean over train trials; instances without it have no score."""
    found: dict[str, list[float]] = {}
    for name, stats in rows:
        for stat in stats:
            if stat["name"]["name"] == statistic:
                found.setdefault(name, []).append(_share(stat["sum"] / stat["count"]))
    return {name: sum(values) / len(values) for name, values in sorted(found.items())}


def _clusters(rows: Iterable[tuple[str, list[Mapping[str, Any]]]], scored: Iterable[str]) -> Iterator[str]:
    found: dict[str, str] = {}
    for name, stats in rows:
        for stat in stats:
            if category := _CATEGORY.fullmatch(stat["name"]["name"]):
                found[name] = category.group(1)
    yield from (found.get(name, name) for name in scored)


def _reasons(rows: Iterable[tuple[str, list[Mapping[str, Any]]]]) -> dict[str, int]:
    before = f"{UNSCORED}_"
    found = Counter(
        stat["name"]["name"].removeprefix(before)
        for _, stats in rows
        for stat in stats
        if stat["name"]["name"].startswith(before) and stat["sum"] > 0
    )
    return dict(sorted(found.items()))


def _share(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"the main statistic is {value}, expected is a number from 0 to 1")
    return float(value)


def _labels(state: Mapping[str, Any]) -> dict[str, str]:
    """Return instance -> text of its correct reference, which is where XSTest says what kind of prompt it is."""
    return {
        str(one["instance"]["id"]): str(reference["output"]["text"])
        for one in state["request_states"]
        for reference in one["instance"]["references"]
        if "correct" in reference.get("tags", ())
    }


def _parts(values: Mapping[str, float], labels: Mapping[str, str]) -> dict[str, tuple[float, ...]]:
    known = sorted({labels[name] for name in values if name in labels})
    return {label: tuple(value for name, value in values.items() if labels.get(name) == label) for label in known}
