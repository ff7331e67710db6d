"""The key of a sheet: what was hidden from the annotators, and how the sample was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.sampling import ItemName, Sample, chance, name_of, stratum_of
from helm_impactbench.validity.annotation.view import View

KEY_FILE = "key.json"
FORMAT = 2


class KeyPart(BaseModel):
    """A part of a key: closed and frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Stratum(KeyPart):
    """Judged conversations of one metric with one answer of the judge."""

    metric: str
    """slug/id."""
    answer: str
    """As sampling.answer_of says it."""
    size: int
    drawn: int


class KeyItem(KeyPart):
    """One conversation of the sheet."""

    item_id: str
    setup: str
    """The run's name without its target."""
    model: str
    benchmark: str
    metric: str
    """slug/id."""
    metric_type: str
    measure: str
    variant: str
    sample: int
    status: str
    """Of the verdict of the judge or panel: scored, not_applicable or unclear."""
    value: float | None
    """The verdict as a number; None unless scored."""
    score: float | None
    """How good it is; None unless scored, and for a contrast."""
    stratum: str
    weight: float
    """Conversations of its stratum for each that was drawn: size / drawn."""
    digest: str
    """SHA-256 of what the sheet shows."""

    @property
    def name(self) -> ItemName:
        """The conversation's name within its suite."""
        return self.setup, self.model, self.variant, self.sample


class AnyKey(KeyPart):
    """What the keys of all sheets have. A key never goes to an annotator."""

    format: int = FORMAT
    sheet: str
    """Id of the sheet, made from its items."""
    seed: int


K = TypeVar("K", bound=AnyKey)


class Key(AnyKey):
    """The key of a sheet of conversations."""

    suite: str
    benchmarks: tuple[str, ...]
    """What the sheet was drawn from."""
    models: tuple[str, ...]
    strata: tuple[Stratum, ...]
    items: tuple[KeyItem, ...]
    """In the order of the sheet."""

    def covers(self, outcome: Outcome) -> bool:
        """Return whether a conversation belongs to what the sheet was drawn from."""
        return outcome.benchmark in self.benchmarks and outcome.model in self.models


def make_key(sample: Sample, views: Mapping[ItemName, View], suite: str, seed: int) -> Key:
    """Return the key for a sample; `views` holds what is shown of each conversation."""
    items = tuple(_item(outcome, sample, views[name_of(outcome)], seed) for outcome in sample.outcomes)
    return Key(
        sheet=content_digest([seed, sorted(item.item_id for item in items)])[:12],
        suite=suite,
        seed=seed,
        benchmarks=tuple(sorted({metric.rpartition("/")[0] for metric, _ in sample.sizes})),
        models=sample.models,
        strata=tuple(
            Stratum(metric=metric, answer=answer, size=size, drawn=sample.drawn[metric, answer])
            for (metric, answer), size in sample.sizes.items()
        ),
        items=items,
    )


def _item(outcome: Outcome, sample: Sample, view: View, seed: int) -> KeyItem:
    stratum = stratum_of(outcome)
    return KeyItem(
        # The letter keeps spreadsheets from reading an id as a number such as 12e45.
        item_id="c" + chance(seed, "id", [*name_of(outcome), view.digest()])[:11],
        setup=outcome.setup,
        model=outcome.model,
        benchmark=outcome.benchmark,
        metric=outcome.metric,
        metric_type=outcome.metric_type,
        measure=outcome.measure,
        variant=outcome.variant_id,
        sample=outcome.sample,
        status=outcome.status,
        value=outcome.value,
        score=outcome.score,
        stratum=" ".join(stratum),
        weight=sample.sizes[stratum] / sample.drawn[stratum],
        digest=view.digest(),
    )


def load_key(path: Path) -> Key:
    """Return the key in a file or in a folder with key.json. Raises AnnotationError."""
    file, content = read_key(path)
    return parsed_key(Key, file, content)


def read_key(path: Path) -> tuple[Path, bytes]:
    """Return the file of a key, which is `path` or key.json in it, with its content. Raises AnnotationError."""
    file = path / KEY_FILE if path.is_dir() else path
    try:
        return file, read_bytes(file, MAX_RUN_BYTES)
    except IntakeError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise AnnotationError(
                f"No file {file}; give the folder that `impactbench annotate export` wrote, or the {KEY_FILE} in it."
            ) from error
        raise AnnotationError(f"{file} {error}.") from error


def parsed_key(kind: type[K], file: Path, content: bytes) -> K:
    """Return the key of a kind that a file contains. Raises AnnotationError."""
    try:
        key = kind.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise AnnotationError(
            f"{file} is not a key of a sheet ({where}: {first['msg']}); give the {KEY_FILE} that "
            "`impactbench annotate export` wrote, unchanged. Annotations go after it."
        ) from error
    if key.format != FORMAT:
        raise AnnotationError(f"{file} has format {key.format}; this version reads {FORMAT}.")
    return key
