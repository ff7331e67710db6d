"""What a suite has booked for its calls beside what a provider has billed, model by model. Pure but for the export's
file.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ExchangeError
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.llm.amounts import amount

_MOST = 1e12
_COLUMNS = {
    "model": ("model", "modelname", "modelid", "modelversion", "modelpermaslug", "snapshotid", "lineitem"),
    "usd": (
        "cost",
        "costusd",
        "costtotal",
        "totalcost",
        "amountvalue",
        "amountusd",
        "amount",
        "spend",
        "usd",
        "charge",
    ),
    "prompt_tokens": ("prompttokens", "inputtokens", "tokensprompt", "usageinputtokens", "ncontexttokenstotal"),
    "completion_tokens": (
        "completiontokens",
        "outputtokens",
        "tokenscompletion",
        "usageoutputtokens",
        "ngeneratedtokenstotal",
    ),
    "calls": ("nummodelrequests", "requests", "nrequests", "calls", "numrequests", "requestcount"),
}
"""What OpenAI, Anthropic, OpenRouter, LiteLLM's proxy and others call them, without signs between the letters."""
_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


@dataclass(frozen=True)
class Billed:
    """A line of a provider's export; None where it does not say."""

    model: str
    usd: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
    calls: float | None


@dataclass(frozen=True)
class Booked:
    """A line of a suite's spend log that has a cost."""

    deployment: str
    usd: float
    unknown: bool = False
    """Whether the cost is the most that it may have been."""


@dataclass(frozen=True)
class ReconciledRow:
    """A model in both accounts, or in one of them."""

    model: str
    """Its name without provider and date, by which the two are matched."""
    deployments: tuple[str, ...]
    """Of the suite."""
    booked_usd: float
    booked_in_full_usd: float
    """The part of it for calls whose cost nobody knew."""
    booked_calls: int
    billed_usd: float | None
    """None where the export has no amounts of money for this model, or does not know it."""
    billed_calls: float | None
    billed_prompt_tokens: float | None
    billed_completion_tokens: float | None

    @property
    def difference_usd(self) -> float | None:
        """What was billed and not booked; negative where more was booked."""
        return None if self.billed_usd is None else self.billed_usd - self.booked_usd


def reconciliation(booked: Iterable[Booked], billed: Iterable[Billed]) -> list[ReconciledRow]:
    """Return a row for each model, those with the largest differences first."""
    ours: dict[str, list[Booked]] = {}
    theirs: dict[str, list[Billed]] = {}
    for entry in booked:
        ours.setdefault(model_key(entry.deployment), []).append(entry)
    for line in billed:
        theirs.setdefault(model_key(line.model), []).append(line)
    rows = [_row(model, ours.get(model, []), theirs.get(model, [])) for model in sorted({*ours, *theirs})]
    return sorted(rows, key=lambda row: -abs(row.difference_usd or 0.0))


def model_key(name: str) -> str:
    """Return what names a model in both accounts: `gpt-4o` for litellm/openai/gpt-4o and gpt-4o-2024-08-06, input."""
    bare = name.split(",")[0].strip().lower().rpartition("/")[2].partition(":")[0]
    return _DATE.sub("", bare)


def _row(model: str, booked: list[Booked], billed: list[Billed]) -> ReconciledRow:
    return ReconciledRow(
        model=model,
        deployments=tuple(sorted({entry.deployment for entry in booked})),
        booked_usd=sum(entry.usd for entry in booked),
        booked_in_full_usd=sum(entry.usd for entry in booked if entry.unknown),
        booked_calls=len(booked),
        billed_usd=_sum(line.usd for line in billed),
        billed_calls=_sum(line.calls for line in billed),
        billed_prompt_tokens=_sum(line.prompt_tokens for line in billed),
        billed_completion_tokens=_sum(line.completion_tokens for line in billed),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def booked_of(lines: Iterable[Mapping[str, Any]]) -> Iterator[Booked]:
    """Yield what the lines of a spend log have booked."""
    for line in lines:
        usd = amount(line.get("cost_usd"), _MOST)
        if usd is not None:
            yield Booked(str(line.get("deployment")), usd, line.get("unknown") is True)


def read_export(path: Path) -> list[Billed]:
    """Return the lines of a provider's usage export, CSV or JSON lines. Raises ExchangeError."""
    try:
        rows = list(_rows(decoded(read_bytes(path))))
    except (IntakeError, OSError, ValueError, csv.Error) as error:
        raise ExchangeError(f"{path} is neither CSV with a line of names nor JSON lines: {error}") from error
    lines = [billed for row in rows if (billed := _billed(row)) is not None]
    if not lines:
        names = ", ".join(list(rows[0])[:20]) if rows else "nothing"
        raise ExchangeError(
            f"{path} has no line with a model and a cost or tokens; its columns are {names}. Export the usage or the "
            "costs by model, with columns such as model, cost, input_tokens and output_tokens."
        )
    return lines


def _rows(text: str) -> Iterator[dict[str, Any]]:
    if text.lstrip().startswith("{"):
        for line in text.splitlines():
            if line.strip():
                yield _flat(json.loads(line))
    else:
        yield from (_flat(row) for row in csv.DictReader(io.StringIO(text)))


def _flat(row: Mapping[Any, Any], before: str = "") -> dict[str, Any]:
    """Return a row with names without signs; `{"amount": {"value": 1}}` is amountvalue."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        key = before + re.sub(r"[^a-z0-9]", "", str(name).lower())
        flat |= _flat(value, key) if isinstance(value, Mapping) else {key: value}
    return flat


def _billed(row: Mapping[str, Any]) -> Billed | None:
    found = {
        field: next((row[name] for name in names if row.get(name) not in (None, "")), None)
        for field, names in _COLUMNS.items()
    }
    numbers = {field: amount(_plain(found[field]), _MOST) for field in _COLUMNS if field != "model"}
    if found["model"] is None or all(value is None for value in numbers.values()):
        return None
    return Billed(str(found["model"]), **numbers)


def _plain(value: object) -> object:
    return value.strip().lstrip("$").replace(",", "") if isinstance(value, str) else value
