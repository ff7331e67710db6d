"""What runs the targets of an ImpactBench folder become here: names, roles, verdicts, and what keeps them out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.files import find_benchmark, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.errors import BenchmarkError, ExchangeError, RunEntryError, counted, did_you_mean
from helm_impactbench.helm.run_name import check_run_name
from helm_impactbench.outputs.export.foreign import ForeignFolder, ForeignRun
from helm_impactbench.outputs.export.imported_records import IMPORTED, Roles, records_of
from helm_impactbench.outputs.export.verdicts import Notes, Policy
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.files import folder_name, setup_of
from helm_impactbench.results.outcome import outcome_of
from helm_impactbench.results.record import Record

MOST_SHOWN = 3
"""Rows that a message shows of each metric."""


@dataclass(frozen=True)
class Naming:
    """What the person who imports says of the roles."""

    user: str | None = None
    judge: str | None = None
    targets: Mapping[str, str] = field(default_factory=dict)
    """Name in the files -> name here."""


@dataclass(frozen=True)
class Import:
    """One run that is ready to be written."""

    name: str
    run: ForeignRun
    model: str
    """The target's deployment here."""
    helm_model: str
    """The name of its row in HELM's tables."""
    records: tuple[Record, ...]
    roles: Roles
    options: dict[str, Any]
    """Options of the run entry, from an export of our own."""


def planned(folder: ForeignFolder, naming: Naming, policy: Policy, notes: Notes) -> list[Import]:
    """Return the runs of a folder, checked. Raises ExchangeError.

    Under the policy "refuse" one verdict that contradicts presence and type is enough to refuse the folder.
    """
    _check_targets(folder, naming)
    _check_area(folder)
    found = [_planned(folder, run, naming, policy, notes) for run in folder.runs]
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ExchangeError(f"{folder.folder} has several runs that would be named {twice[0]}; import each separately.")
    if notes.contradictions and policy == "refuse":
        raise ExchangeError(_refusal(folder, notes))
    return found


def check_slug(benchmark: Benchmark) -> None:
    """Raise ExchangeError when an installed benchmark of that name has other metrics under the same ids.

    Its figures and the imported ones would be in one column as if they were about the same behaviours.
    """
    try:
        installed = load_benchmark(find_benchmark(benchmark.slug))
    except BenchmarkError:
        return
    own = {metric.id: metric.aim_digest() for metric in installed.metrics}
    other = [m.id for m in benchmark.metrics if own.get(m.id, m.aim_digest()) != m.aim_digest()]
    if other:
        raise ExchangeError(
            f"Benchmark {benchmark.slug!r} is installed here with other definitions or types of {', '.join(other[:5])}"
            f"{' and more' if len(other) > 5 else ''}; one name for both would mix their figures. Name the imported "
            f"one otherwise: --as {benchmark.slug}-published"
        )


def check_free(suite: Path, imports: Sequence[Import]) -> None:
    """Raise ExchangeError when a run of that name is in the suite."""
    there = next((one.name for one in imports if (suite / folder_name(one.name)).exists()), None)
    if there:
        raise ExchangeError(
            f"{suite / folder_name(there)} exists; nothing is overwritten: import into another --suite."
        )


def _check_targets(folder: ForeignFolder, naming: Naming) -> None:
    known = [run.model for run in folder.runs]
    for name in naming.targets:
        if name not in known:
            raise ExchangeError(
                f"--rename {name}=...: {folder.folder} has no such target; it has: {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )


def _check_area(folder: ForeignFolder) -> None:
    other = next((area for run in folder.runs if (area := run.manifest.get("area", "impact")) != "impact"), None)
    if other is not None:
        raise ExchangeError(
            f"{folder.folder} has runs of a {other} suite, and an import makes runs of a benchmark of human impact: "
            f"figures of the two would be averaged. Copy the run folders of HELM themselves."
        )


def _planned(folder: ForeignFolder, run: ForeignRun, naming: Naming, policy: Policy, notes: Notes) -> Import:
    roles = _roles(run, naming)
    model = _model_name(naming.targets.get(run.model, run.model))
    name = _name(folder, run, naming, roles, model)
    check_run_name(name)
    options = _options(run)
    records = tuple(records_of(folder, run, replace(roles, swap=options.get("swap") is True), policy, notes))
    check_outcomes([outcome_of(record, model=model, setup=setup_of(name)) for record in records], name)
    helm_model = model if run.model in naming.targets else _helm_model(run) or model
    return Import(name, run, model, helm_model, records, roles, options)


def _roles(run: ForeignRun, naming: Naming) -> Roles:
    """Return the roles as the person, or else our own export, names them."""
    told = run.manifest.get("judges")
    judges = [str(judge) for judge in told] if isinstance(told, list) else []
    played = naming.user or run.manifest.get("user", IMPORTED)
    user = _part(str(played)) if played else ""
    if naming.judge or not run.verdicts:
        return Roles(user, (_part(naming.judge or (judges[0] if judges else IMPORTED)),))
    return Roles(user, tuple(map(_part, judges)), has_votes=True)


def _name(folder: ForeignFolder, run: ForeignRun, naming: Naming, roles: Roles, model: str) -> str:
    """Return the run's name: of a run of ours that nobody renamed, the one it had, so that it meets its like."""
    slug, had = folder.benchmark.slug, str(run.manifest.get("run", ""))
    renamed = naming.user or naming.judge or run.model in naming.targets
    if not renamed and re.fullmatch(rf"impactbench:benchmark={re.escape(slug)},[\w.:,=+@-]+", had, flags=re.ASCII):
        return had
    user = f",user={roles.user}" if roles.user else ""
    name = f"impactbench:benchmark={slug}{user},judge={'+'.join(roles.judges) or 'none'},model={model}"
    return name.replace("/", "_")


def _options(run: ForeignRun) -> dict[str, Any]:
    """Return the options of the run entry from our own export; anything else is ignored."""
    spec = run.manifest.get("run_spec")
    made = spec.get("scenario_spec") if isinstance(spec, dict) else None
    args = made.get("args") if isinstance(made, dict) else None
    if not isinstance(args, dict):
        return {}
    return {name: args[name] for name in RunOptions.scenario_names() if name in args and _is_option(name, args[name])}


def _is_option(name: str, value: Any) -> bool:
    """Return whether an option may have a value."""
    try:
        RunOptions.read({name: value})
    except RunEntryError:
        return False
    return value is not None


def _helm_model(run: ForeignRun) -> str | None:
    """Return the model of the target's deployment, from our own export."""
    target = run.conversations[0].target if run.manifest and run.conversations else None
    return _part(target.model) if target and target.model and "/" in target.model else None


def _model_name(name: str) -> str:
    """Return a target's name with the two parts that HELM wants of one: who made it, and which it is."""
    part = _part(name)
    return part if "/" in part else f"{IMPORTED}/{part}"


def _part(name: str) -> str:
    """Return a name that can be part of a run's name: letters of every script stay, and different names differ."""
    composed = unicodedata.normalize("NFC", name)
    part = "".join(character if _stays(character) else "-" for character in composed).strip("/.")
    if all(character.isascii() or _stays(character) for character in composed):
        return part or IMPORTED
    return f"{part}-{sha256(composed.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"  # of emoji, say


def _stays(character: str) -> bool:
    """Return whether a character of a name has a place in a run's name: letters, digits and their marks do."""
    return character in "_./:@-" or unicodedata.category(character)[0] in "LMN"


def _refusal(folder: ForeignFolder, notes: Notes) -> str:
    lines = [
        f"  {metric}: {counted(len(rows), 'verdict')}, for example {'; '.join(rows[:MOST_SHOWN])}"
        for metric, rows in sorted(notes.contradictions.items())
    ]
    return (
        f"{folder.folder}: verdicts that contradict presence and type, in "
        f"{counted(len(lines), 'metric')}:\n"
        + "\n".join(lines)
        + "\nNothing is imported. --contradictions present keeps what the judge found (present) and derives the "
        "verdict from the type in benchmark.yaml; --contradictions unscored leaves these conversations without a "
        "verdict."
    )
