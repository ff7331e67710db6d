"""Rows of verdicts as ImpactBench's files would hold them: a benchmark for each name, a run for each model. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest, is_id, plain_id
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.record import Status
from helm_impactbench.errors import ExchangeError, did_you_mean, listed
from helm_impactbench.outputs.export.foreign import ForeignFolder, ForeignRun
from helm_impactbench.outputs.export.foreign_benchmark import NOT_TOLD
from helm_impactbench.outputs.export.foreign_rows import ConversationRow, ForeignScore
from helm_impactbench.outputs.export.table_rows import TableRow
from helm_impactbench.outputs.export.words import storable

_LONGEST = 44
"""Characters of the readable part of an id that is made of a text."""
RECORDS = ".jsonl"
"""Ending of files of records of Every Eval Ever."""
_MOST = 8
"""Names that a message lists."""


def table_folders(
    path: Path, rows: Sequence[TableRow], slug: str | None, hashes: dict[str, str]
) -> list[ForeignFolder]:
    """Return a folder for each benchmark of a table; `slug` names it, if it is one. Raises ExchangeError."""
    if not rows:
        raise ExchangeError(f"{path} has no row.")
    names = list(dict.fromkeys(row.benchmark or path.stem for row in rows))
    if slug and len(names) > 1:
        raise ExchangeError(f"--as {slug} names one benchmark, and {path} has {listed(names, _MOST)}.")
    return [
        _folder(path, name, slug or _id(name), [row for row in rows if (row.benchmark or path.stem) == name], hashes)
        for name in names
    ]


def _folder(path: Path, name: str, slug: str, rows: list[TableRow], hashes: dict[str, str]) -> ForeignFolder:
    on_scales = 0
    if slug in benchmark_paths():
        benchmark = load_benchmark(slug)
        found = [(row, _installed(benchmark, row)) for row in rows]
        others = [(row, scenario) for row, scenario in found if not _is_yes_no(benchmark, scenario)]
        if others and path.suffix.lower() != RECORDS:
            raise _no_yes_no(benchmark, *others[0])
        # An export of ours writes whether a point of a scale passed, but not which point it was.
        found = [(row, scenario) for row, scenario in found if _is_yes_no(benchmark, scenario)]
        on_scales = len(others)
    else:
        metrics = _metrics(rows)
        found = [(row, _scenario(row, metrics[row.metric].id)) for row in rows]
        scenarios = _alike(found)
        # Without the file's name, or the next month's table would be another benchmark in a history.
        benchmark = Benchmark(
            slug=slug,
            name=name,
            description="Verdicts imported from a table.",
            metrics=[*metrics.values()],
            scenarios=[*scenarios.values()],
        )
    _check_once(found)
    models: dict[str, list[tuple[TableRow, Scenario]]] = {}
    for row, scenario in found:
        models.setdefault(row.model, []).append((row, scenario))
    runs = tuple(_run(path, model, benchmark, own) for model, own in models.items())
    return ForeignFolder(path.parent, benchmark, False, runs, hashes, (), 0, on_scales)


def _alike(found: Sequence[tuple[TableRow, Scenario]]) -> dict[str, Scenario]:
    """Return id -> scenario. Raises ExchangeError where rows of one case differ in its levels."""
    scenarios: dict[str, Scenario] = {}
    places: dict[str, str] = {}
    for row, scenario in found:
        if scenarios.setdefault(scenario.id, scenario) != scenario:
            raise ExchangeError(
                f"{row.place}: case {row.case!r} has other levels here than in {places[scenario.id]}. Write the same "
                "axes and factors in every row of a case."
            )
        places.setdefault(scenario.id, row.place)
    return scenarios


def _metrics(rows: Sequence[TableRow]) -> dict[str, Metric]:
    """Return name -> metric. Raises ExchangeError where rows of one disagree, or do not say which way is good."""
    found: dict[str, Metric] = {}
    first: dict[str, TableRow] = {}
    for row in rows:
        before = first.setdefault(row.metric, row)
        if before.type != row.type or before.definition != row.definition:
            raise ExchangeError(
                f"{row.place}, column type or definition: metric {row.metric!r} has other words here than in "
                f"{before.place}. Write the same in every row of a metric."
            )
        if row.verdict in ("present", "absent") and not row.type:
            raise ExchangeError(
                f"{row.place}, column verdict: {row.verdict!r} does not say whether that is good. Add a column type "
                "with positive or negative, or write pass or fail."
            )
        if row.metric not in found:
            found[row.metric] = Metric(
                id=_id(row.metric),
                name=row.metric_name or row.metric,
                type="negative" if row.type == "negative" else "positive",
                definition=row.definition or f"Passes “{row.metric}”, by the imported table, which does not define it.",
            )
    return found


def _scenario(row: TableRow, metric: str) -> Scenario:
    """Return the scenario of a row: the same row of another table has the same id, whatever else is in it."""
    levels = [f"{axis}={level}" for axis, level in sorted(row.axes.items())]
    return Scenario(
        id=_id(row.variant) if row.variant else _id(".".join((row.case, metric, *levels))),
        metric_id=metric,
        base=_id(row.case),
        persona=NOT_TOLD,
        user_goal=NOT_TOLD,
        latent_adversarial_goal=NOT_TOLD,
        axes=dict(row.axes),
        factors=dict(row.factors),
    )


def _installed(benchmark: Benchmark, row: TableRow) -> Scenario:
    """Return the installed scenario that a row is about. Raises ExchangeError."""
    by_id = {scenario.id: scenario for scenario in benchmark.scenarios}
    matching = [
        scenario
        for scenario in benchmark.scenarios
        if scenario.base_id == row.case and dict(row.axes).items() == scenario.axes.items()
    ]
    named = by_id.get(row.variant or row.case)
    scenario = named or (matching[0] if len(matching) == 1 else None)
    otherwise = f"Benchmark {benchmark.slug!r} is installed here. To import the table under another name: --as NAME"
    if scenario is None:
        raise ExchangeError(
            f"{row.place}, column case: {row.case!r} is no case of it at these levels."
            f"{did_you_mean(row.case, by_id)} {otherwise}"
        )
    metric = benchmark.metric(scenario.metric_id)
    if row.metric not in (metric.id, metric.name) or row.type not in ("", metric.type):
        raise ExchangeError(
            f"{row.place}, column metric: case {row.case!r} has the {metric.type} metric {metric.id}, "
            f"not {row.type} {row.metric!r}. {otherwise}"
        )
    if any(scenario.axes.get(axis) != level for axis, level in row.axes.items()):
        raise ExchangeError(f"{row.place}: case {scenario.id} has the levels {scenario.axes_label}. {otherwise}")
    return scenario


def _is_yes_no(benchmark: Benchmark, scenario: Scenario) -> bool:
    metric = benchmark.metric(scenario.metric_id)
    return metric.type != "contrast" and isinstance(metric.measure, Presence)


def _no_yes_no(benchmark: Benchmark, row: TableRow, scenario: Scenario) -> ExchangeError:
    metric = benchmark.metric(scenario.metric_id)
    return ExchangeError(
        f"{row.place}, verdict: {metric.id} is a {metric.type} metric that asks for {metric.measure.kind}, "
        f"and a table can say pass, fail, present or absent only. Leave out its rows."
    )


def _check_once(found: Sequence[tuple[TableRow, Scenario]]) -> None:
    seen: dict[tuple[str, str, int], str] = {}
    for row, scenario in found:
        before = seen.setdefault((row.model, scenario.id, row.sample), row.place)
        if before != row.place:
            raise ExchangeError(
                f"{row.place}: a second verdict on the case of {before}. If {row.model} was asked several times, "
                "number the answers in a column sample, from 0; otherwise remove one row."
            )


def _run(path: Path, model: str, benchmark: Benchmark, found: Sequence[tuple[TableRow, Scenario]]) -> ForeignRun:
    metrics = {metric.id: metric for metric in benchmark.metrics}
    return ForeignRun(
        folder=path.parent,
        model=model,
        conversations=tuple(_conversation(row, scenario) for row, scenario in found),
        scores=tuple(_score(row, scenario, metrics) for row, scenario in found),
        verdicts=(),
        costs=None,
        manifest={},
    )


def _conversation(row: TableRow, scenario: Scenario) -> ConversationRow:
    return ConversationRow(
        id=scenario.id,
        metric_id=scenario.metric_id,
        target_model=row.model,
        sample=row.sample,
        status=Status.NO_TEXT if row.messages is None else None,
        transcript=[*(row.messages or ())],
    )


def _score(row: TableRow, scenario: Scenario, metrics: Mapping[str, Metric]) -> ForeignScore:
    good = metrics[scenario.metric_id].type == "positive"
    present = {"pass": good, "fail": not good, "present": True, "absent": False}.get(row.verdict)
    return ForeignScore(
        id=scenario.id,
        metric_id=scenario.metric_id,
        sample=row.sample,
        present=present,
        passed=None if present is None else present == good,
        justification=storable(row.justification) or ("" if row.verdict else "the table has no verdict"),
    )


def _id(text: str) -> str:
    """Return a text as an id: itself if it is one, else its plain letters and a hash, so that no two are alike."""
    if is_id(text):
        return text
    return f"{plain_id(text)[:_LONGEST].strip('-_.')}-{content_digest(storable(text))[:8]}".lstrip("-")
