"""The benchmark in an ImpactBench folder, ours or another's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark, Setting
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.errors import ExchangeError
from helm_impactbench.files.safe_read import first_repeated
from helm_impactbench.outputs.export.foreign_rows import MetricRow, ScenarioRow, explained, validated

NOT_TOLD = "(not in the imported files)"


def benchmark_in(home: Path, slug: str, content: Any, scenarios: Any, ignored: set[str], *, is_own: bool) -> Benchmark:
    """Return the benchmark in `home`; keys that have no place here go into `ignored`.

    Content rules of ours are not applied: published results are what they are. Raises ExchangeError.
    """
    if is_own:
        return _own_benchmark(home, slug, content, scenarios)
    if not isinstance(content, dict) or not isinstance(content.get("metrics"), list):
        raise ExchangeError(
            f"{home / 'benchmark.yaml'}: there is no list of metrics, and verdicts have no meaning without one."
        )
    metrics = [_metric(row) for row in validated(MetricRow, content["metrics"], home / "benchmark.yaml", "metric")]
    setting = content.get("scenario") if isinstance(content.get("scenario"), dict) else {}
    rows = validated(ScenarioRow, scenarios, home / "scenarios.json", "scenario")
    _check_unique([metric.id for metric in metrics], home / "benchmark.yaml", "metric")
    _check_unique([row.id for row in rows], home / "scenarios.json", "scenario")
    landmarks_of = [_landmarks(raw.get("landmarks")) for raw in scenarios]
    found = [_scenario(row, landmarks, home) for row, landmarks in zip(rows, landmarks_of, strict=True)]
    ignored |= _unknown("metrics", content["metrics"], (*MetricRow.model_fields,))
    ignored |= _unknown("scenarios", scenarios, (*ScenarioRow.model_fields, "landmarks"))
    try:
        return Benchmark(
            slug=slug,
            name=_text(content.get("name")) or slug,
            description=_text(content.get("description")) or slug,
            # There user_context is the target's system prompt, whatever its name says.
            scenario=Setting(target_system_prompt=_text((setting or {}).get("user_context"))),
            metrics=metrics,
            scenarios=found,
        )
    except ValidationError as error:
        raise ExchangeError(f"{home} cannot be imported as {slug!r}: {explained(error.errors()[0])}.") from error


def _own_benchmark(home: Path, slug: str, content: Any, scenarios: Any) -> Benchmark:
    try:
        return Benchmark.model_validate({**content, "slug": slug, "scenarios": _own_scenarios(scenarios)})
    except (ValidationError, TypeError) as error:
        detail = explained(error.errors()[0]) if isinstance(error, ValidationError) else str(error)
        raise ExchangeError(f"{home} says that this package wrote it, but it cannot be read: {detail}.") from error


def _own_scenarios(rows: Any) -> list[Scenario]:
    return [Scenario.model_validate(row) for row in rows]


def _check_unique(ids: list[str], path: Path, what: str) -> None:
    twice = first_repeated(ids)
    if twice is not None:
        raise ExchangeError(
            f"{path}: {what} {twice!r} occurs twice. Every id must occur once, or verdicts could be of either."
        )


def _metric(row: MetricRow) -> Metric:
    examples = [example for example in row.examples or [] if example.strip()]
    return Metric(id=row.id, name=row.name, type=row.type, definition=row.definition, examples=examples)


def _landmarks(given: Any) -> list[dict[str, Any]]:
    """Return the landmarks that can be read; they explain a conversation, and no verdict rests on them."""
    rows = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
    return [
        {"turn": row["turn"], "instruction": row["instruction"]}
        for row in rows
        if type(row.get("turn")) is int and row["turn"] >= 1 and _text(row.get("instruction"))
    ]


def _scenario(row: ScenarioRow, landmarks: list[dict[str, Any]], home: Path) -> Scenario:
    values = {
        "id": row.id,
        "metric_id": row.metric_id,
        "persona": _text(row.persona) or (None if _text(row.user_persona) else NOT_TOLD),
        "user_persona": _text(row.user_persona),
        "user_goal": _text(row.user_goal) or NOT_TOLD,
        "latent_adversarial_goal": _text(row.latent_adversarial_goal) or NOT_TOLD,
        "landmarks": landmarks,
        "axes": row.axes or {},
        "target_system_prompt": _text(row.target_system_prompt),
    }
    try:
        return Scenario.model_validate(values)
    except ValidationError as error:
        raise ExchangeError(f"{home / 'scenarios.json'}: scenario {row.id}, {explained(error.errors()[0])}") from error


def _text(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _unknown(where: str, rows: Sequence[Any], known: Sequence[str]) -> set[str]:
    return {f"{where}.{key}" for row in rows if isinstance(row, dict) for key in row if key not in known}
