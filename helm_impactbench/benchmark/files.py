"""Find, check, load and write benchmarks: `<folder>/<slug>/benchmark.yaml` and `scenarios.json`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from helm_impactbench.benchmark import blocks, rules, static_cases
from helm_impactbench.benchmark.derived_factors import scenario_faults, table_faults, with_derived
from helm_impactbench.benchmark.evidence import ContentEvidence, evidence_findings
from helm_impactbench.benchmark.golden import GoldenTurn
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark, BenchmarkFile, Setting
from helm_impactbench.benchmark.parts import ID_HELP, is_id
from helm_impactbench.benchmark.scenario import Landmark, Provenance, Scenario
from helm_impactbench.benchmark.source import FileFault, Source, parse_source, read_source
from helm_impactbench.errors import BenchmarkError, did_you_mean
from helm_impactbench.files.field_faults import expected
from helm_impactbench.files.resources import PRIVATE_SCENARIOS, benchmark_folders
from helm_impactbench.files.safe_read import IntakeError, read_bytes
from helm_impactbench.files.safe_yaml import Place, dump_yaml

BENCHMARK_FILE = "benchmark.yaml"
SCENARIOS_FILE = "scenarios.json"
KEPT = 32
"""Benchmarks that are not parsed again for every model and entry: the shipped ones take 30 MB."""
UNREAD = f"not checked: {BENCHMARK_FILE} has to be read first"
PRIVATE = "private"
"""The split of scenarios that a user keeps outside every package."""


@dataclass(frozen=True)
class Checked:
    """What a check found: the benchmark when it can be loaded, and every fault of its files."""

    folder: Path
    benchmark: Benchmark | None
    faults: tuple[FileFault, ...]

    @property
    def errors(self) -> tuple[FileFault, ...]:
        """The faults that keep the benchmark from loading."""
        return tuple(fault for fault in self.faults if fault.severity == "error")


def benchmark_paths(folders: Iterable[Path] | None = None) -> dict[str, Path]:
    """Return slug -> folder of every benchmark there is, sorted by slug; earlier folders win."""
    found: dict[str, Path] = {}
    for folder in folders if folders is not None else benchmark_folders():
        for path in sorted(folder.glob(f"*/{BENCHMARK_FILE}")):
            found.setdefault(path.parent.name, path.parent)
    return dict(sorted(found.items()))


def find_benchmark(slug: str) -> Path:
    """Return the folder of a benchmark. Raises BenchmarkError, naming the nearest slugs, when there is none."""
    if not is_id(slug):
        near = did_you_mean(slug, filter(is_id, benchmark_paths()))
        raise BenchmarkError(f"Benchmark {_short(slug)} is not a benchmark name. A name is {ID_HELP}.{near}")
    for folder in benchmark_folders():
        if (folder / slug / BENCHMARK_FILE).is_file():
            return folder / slug
    near = did_you_mean(slug, filter(is_id, benchmark_paths())) or " impactbench list shows which there are."
    raise BenchmarkError(
        f"No benchmark {slug!r} in {' or '.join(str(folder) for folder in benchmark_folders())}.{near}"
    )


def benchmark_folder(name: str | Path) -> Path:
    """Return the folder of a benchmark: its slug, or a path. Raises BenchmarkError."""
    path = Path(name)
    if (path / BENCHMARK_FILE).is_file() or (len(path.parts) > 1 and path.is_dir()):
        return path.resolve()
    if path.name == BENCHMARK_FILE and path.is_file():
        return path.resolve().parent
    if len(path.parts) > 1:
        raise BenchmarkError(
            f"There is no folder {name}. Name a benchmark by its slug, or a folder with {BENCHMARK_FILE} in it."
        )
    return find_benchmark(str(name))


def load_benchmark(slug_or_folder: str | Path) -> Benchmark:
    """Return the benchmark of that slug (looked up) or in that folder. Raises BenchmarkError with all its faults."""
    folder = slug_or_folder if isinstance(slug_or_folder, Path) else find_benchmark(slug_or_folder)
    checked = check_benchmark(folder)
    if checked.benchmark is None:
        faults = "\n".join(f"  {fault}" for fault in checked.errors)
        raise BenchmarkError(f"Benchmark {folder.name!r} cannot be loaded:\n{faults}")
    return checked.benchmark


def load_split(slug: str, split: str) -> Benchmark:
    """Return the benchmark of that slug; for the split `private` with the user's own private scenarios instead.

    Metrics and setting are the installed benchmark's. Raises BenchmarkError.
    """
    return load_benchmark(slug) if split != PRIVATE else load_private(find_benchmark(slug))


def load_private(folder: Path) -> Benchmark:
    """Return the benchmark in `folder` with the scenarios of ./private/<slug>. Raises BenchmarkError."""
    content, scenarios = read_source(folder / BENCHMARK_FILE), private_source(folder.name)
    faults = [*content.faults, *scenarios.faults] or _faults(content, scenarios)
    errors = [fault for fault in faults if fault.severity == "error"]
    if errors:
        listed = "\n".join(f"  {fault}" for fault in errors)
        raise BenchmarkError(f"The private scenarios of {folder.name!r} cannot be loaded:\n{listed}")
    return _build(folder, content, scenarios)


def private_source(slug: str) -> Source:
    """Return the content of ./private/<slug>/scenarios.json. Raises BenchmarkError when there is none."""
    path = PRIVATE_SCENARIOS / slug / SCENARIOS_FILE
    if not path.is_file():
        raise BenchmarkError(
            f"{path} does not exist; write private scenarios: impactbench gen-scenarios {slug} --private --author ..."
        )
    return read_source(path)


def states_messages(folder: Path) -> bool:
    """Return whether scenarios of a benchmark may hold fixed user messages. Quick: their text is not parsed."""
    try:
        return b'"messages"' in read_bytes(folder / SCENARIOS_FILE, pipes=False)
    except IntakeError:
        return False


def load_draft(folder: Path) -> tuple[BenchmarkFile, list[dict[str, Any]]]:
    """Return benchmark.yaml, which may have no metrics yet, and the rows of scenarios.json, which may be missing.

    For authoring. Raises BenchmarkError with every other fault.
    """
    content = read_source(folder / BENCHMARK_FILE)
    has_rows = (folder / SCENARIOS_FILE).is_file()
    scenarios = read_source(folder / SCENARIOS_FILE) if has_rows else Source(folder / SCENARIOS_FILE, [])
    faults = [*content.faults, *scenarios.faults] or _faults(content, scenarios)
    errors = [fault for fault in faults if fault.severity == "error" and fault.message != rules.NO_METRICS]
    if errors:
        raise BenchmarkError(f"Benchmark {folder.name!r} has faults:\n" + "\n".join(f"  {fault}" for fault in errors))
    return BenchmarkFile.model_validate(content.data), [row.data for row in blocks.rows(scenarios.data)]


def check_benchmark(folder: Path) -> Checked:
    """Read both files of a benchmark and return every fault in them at once. What has not changed is parsed once."""
    try:
        content, scenarios = (read_bytes(folder / name, pipes=False) for name in (BENCHMARK_FILE, SCENARIOS_FILE))
    except IntakeError:
        return _checked(folder, read_source(folder / BENCHMARK_FILE), _scenario_source(folder))
    with _parsing:
        return _parsed(folder, content, scenarios)


def _scenario_source(folder: Path) -> Source:
    """Return the content of scenarios.json; that it is still to be written is a fault with what to do."""
    path = folder / SCENARIOS_FILE
    if path.exists():
        return read_source(path)
    cure = f"write it, or impactbench gen-scenarios {folder.name}"
    return Source(path, faults=[FileFault(path, "", f"there is no such file yet; {cure}")])


_parsing = threading.Lock()
"""Held while a benchmark is parsed: threads that ask together wait for the first of them."""


@lru_cache(maxsize=KEPT)
def _parsed(folder: Path, content: bytes, scenarios: bytes) -> Checked:
    sources = parse_source(folder / BENCHMARK_FILE, content), parse_source(folder / SCENARIOS_FILE, scenarios)
    return _checked(folder, *sources)


def _checked(folder: Path, content: Source, scenarios: Source) -> Checked:
    faults = [*content.faults, *scenarios.faults]
    if not is_id(folder.name):
        faults.append(FileFault(folder, "", f"the folder is called {folder.name!r}; a name must be {ID_HELP}"))
    faults += _faults(content, scenarios)
    if any(fault.severity == "error" for fault in faults):
        return Checked(folder, None, tuple(faults))
    return Checked(folder, _build(folder, content, scenarios), tuple(faults))


def write_benchmark(benchmark: Benchmark, folder: Path) -> None:
    """Write both files of a benchmark into `folder`; `load_benchmark(folder)` gives it back."""
    folder.mkdir(parents=True, exist_ok=True)
    content = benchmark.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"slug", "scenarios"})
    text = dump_yaml(content)
    (folder / BENCHMARK_FILE).write_text(text, encoding="utf-8")
    write_scenarios(benchmark.scenarios, folder)


def write_scenarios(scenarios: Iterable[Scenario], folder: Path) -> None:
    """Write scenarios.json, one key per line, so that a version control system shows what changed."""
    rows = [scenario.model_dump(mode="json", exclude_defaults=True) for scenario in scenarios]
    text = json.dumps(rows, indent=2, ensure_ascii=False)
    (folder / SCENARIOS_FILE).write_text(text + "\n", encoding="utf-8")


def _faults(content: Source, scenarios: Source) -> list[FileFault]:
    faults: list[FileFault] = []
    if not content.faults:
        faults += [content.fault(*found) for found in model_findings(BenchmarkFile, content.data, ())]
        faults += [content.fault(*found) for found in _benchmark_findings(content.data)]
    if content.faults and not scenarios.faults:
        faults.append(FileFault(scenarios.path, "", UNREAD, severity="warning"))
    elif not scenarios.faults:
        faults += [scenarios.fault(*found) for found in _scenario_file_findings(scenarios.data, content.data)]
    return list(dict.fromkeys(faults))  # what is wrong with a scenario is wrong with each of its variants


def _build(folder: Path, content: Source, scenarios: Source) -> Benchmark:
    written = TypeAdapter(list[Scenario]).validate_python([row.data for row in blocks.rows(scenarios.data)])
    derived = _setting(content.data).derived_factors
    found = [with_derived(scenario, derived) for scenario in written]
    return Benchmark.model_validate({**content.data, "slug": folder.name, "scenarios": found})


def _benchmark_findings(data: Any) -> Iterator[rules.Finding]:
    rows = _rows(data, "metrics")
    if isinstance(data, dict) and not data.get("metrics"):
        yield ("metrics",), rules.NO_METRICS, "error"
    yield from rules.duplicate_ids(rows, lambda i: ("metrics", i))
    metrics = _valid(Metric, rows)
    yield from rules.metric_findings(metrics)
    yield from rules.axis_findings(_setting(data), metrics)
    yield from rules.subarea_findings(_texts(data, "areas"), _texts(data, "subareas"))
    yield from rules.prompt_finding(("scenario", "target_system_prompt"), _setting(data).target_system_prompt)
    yield from rules.operator_findings(_setting(data))
    yield from rules.wording_findings(_setting(data))
    yield from rules.tool_findings(_setting(data))
    yield from table_faults(_setting(data).derived_factors)
    yield from _evidence_findings(data, [metric.id for metric in metrics.values()])


def _evidence_findings(data: Any, metrics: Sequence[str]) -> Iterator[rules.Finding]:
    try:
        evidence = ContentEvidence.model_validate(data.get("evidence", {}) if isinstance(data, dict) else {})
    except ValidationError:
        return
    yield from evidence_findings(evidence, metrics, data.get("version") if isinstance(data, dict) else None)


def _scenario_file_findings(data: Any, benchmark_data: Any) -> Iterator[rules.Finding]:
    if not isinstance(data, list):
        yield (), f"found {_kind(data)}, expected a list of scenarios", "error"
        return
    yield from blocks.findings(data)
    rows = blocks.rows(data)
    for (i, *step), message, severity in _row_findings([row.data for row in rows], benchmark_data):
        yield rows[int(i)].place_of(tuple(step)), message, severity


def _row_findings(data: list[Any], benchmark_data: Any) -> Iterator[rules.Finding]:
    """Yield what is wrong with rows; a place begins with the number of the row."""
    for i, row in enumerate(data):
        yield from model_findings(Scenario, row, (i,))
    yield from rules.duplicate_ids(data, lambda i: (i,))
    metric_ids = [row["id"] for row in _rows(benchmark_data, "metrics") if isinstance(row.get("id"), str)]
    metrics = {metric.id: metric for metric in _valid(Metric, _rows(benchmark_data, "metrics")).values()}
    scenarios = _valid(Scenario, data)
    yield from rules.scenario_findings(scenarios, metric_ids, metrics, _setting(benchmark_data))
    yield from scenario_faults(scenarios, _setting(benchmark_data).derived_factors)
    yield from static_cases.findings(scenarios, metrics)


def _rows(data: Any, key: str) -> list[dict[str, Any]]:
    rows = data.get(key) if isinstance(data, dict) else None
    return [row if isinstance(row, dict) else {} for row in rows] if isinstance(rows, list) else []


def _texts(data: Any, key: str) -> list[str]:
    values = data.get(key) if isinstance(data, dict) else None
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _setting(data: Any) -> Setting:
    try:
        return Setting.model_validate(data.get("scenario", {}) if isinstance(data, dict) else {})
    except ValidationError:
        return Setting()


def _valid(model: type[Any], rows: list[Any]) -> dict[int, Any]:
    """Return the rows that are valid on their own, by position."""
    valid = {}
    for i, row in enumerate(rows):
        try:
            valid[i] = model.model_validate(row)
        except ValidationError:
            continue
    return valid


def model_findings(model: type[BaseModel], data: Any, place: Place) -> Iterator[rules.Finding]:
    """Yield what keeps data from being a `model`; `place`: where the data are in their file."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors():
            yield (*place, *detail["loc"]), _explain(detail, model), "error"


def _explain(detail: Any, model: type[BaseModel]) -> str:
    """Return what was got and what is allowed, for one error of pydantic."""
    kind, got, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        return "is missing, but required"
    if kind == "extra_forbidden":
        allowed = _keys_around(detail["loc"], model)
        return f"unknown key; the keys are {', '.join(allowed)}.{did_you_mean(str(detail['loc'][-1]), allowed)}"
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    return f"found {'nothing' if got is None else _short(got)}, expected {expected(detail)}"


def _keys_around(loc: tuple[Any, ...], model: type[BaseModel]) -> list[str]:
    """Return the keys that are allowed in the place of the unknown key `loc`."""
    inner: dict[Any, type[BaseModel]] = {
        "metrics": Metric,
        "scenario": Setting,
        "landmarks": Landmark,
        "provenance": Provenance,
        "transcript": GoldenTurn,
    }
    for step in loc[:-1]:
        model = inner.get(step, model)
    return [field.alias or name for name, field in model.model_fields.items()]


def _short(value: Any, most: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= most else text[:most] + "..."


def _kind(data: Any) -> str:
    return {dict: "a mapping", str: "text", type(None): "nothing"}.get(type(data), type(data).__name__)
