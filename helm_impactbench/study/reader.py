"""Read a study.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from helm_impactbench.conversation import run_options
from helm_impactbench.conversation.option import Effect
from helm_impactbench.errors import RunEntryError, SettingError, did_you_mean, listed
from helm_impactbench.files.field_faults import field_fault, kind_of
from helm_impactbench.files.folder_name import FOLDER_NAME_HELP, is_folder_name
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.llm.secret_names import holds_a_key, is_secret_name, looks_like_a_secret
from helm_impactbench.llm.secrets import leaves
from helm_impactbench.study.model import ALL, QUICK, Option, Study

SETTINGS = frozenset({"benchmark", "user", "judge"})
"""Options of a run entry that a study says once for all arms."""
_MOST_SHOWN = 80
"""Characters of a value that cannot be used."""
_ONE_OF = ("str", "int", "float", "bool")
"""Where pydantic tried each kind of an option's value."""
_ONE_VALUE = "it must be one text or number, or true or false"


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings in a study.yaml, not yet checked. Raises SettingError."""
    if not path.is_file():
        raise SettingError(f"No file {path}; docs/running.md shows a study.yaml")
    try:
        data = load_yaml(decoded(read_bytes(path)))
    except IntakeError as error:
        raise SettingError(f"{path}{f', line {error.line}' if error.line else ''}: it {error}.") from error
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise SettingError(f"{path} {kind_of(data)}. It must contain settings, for example models: [litellm/...].")
    return data


def check_names(settings: Iterable[str], where: str) -> None:
    """Raise SettingError for a setting that there is not, naming the nearest."""
    allowed = Study.settings()
    for name in settings:
        if name not in allowed:
            near = _placed(name) or did_you_mean(name, allowed)
            raise SettingError(f"{where}: there is no setting {_shown(name)}. Settings are {', '.join(allowed)}.{near}")


def _placed(name: str) -> str:
    """Return where a name belongs that run entries or the command line have, with a space before; else nothing."""
    if name in (QUICK, ALL):
        return f" Write benchmarks: {name}"
    if name in run_options.RunOptions.table() and name not in SETTINGS:
        return f" Write it under options, for example options: {{{name}: ...}}"
    return ""


def _refuse_keys(settings: dict[str, Any], where: str) -> None:
    """Raise SettingError for a setting that holds a key, without showing it."""
    for name, value in settings.items():
        names = list(_names(value))
        if any(holds_a_key(str(text)) for text in (*leaves(value), *names)) or any(map(is_secret_name, names)):
            raise SettingError(
                f"{where}: {name} holds what looks like a key. Keys stand in no study: put it into the environment, a "
                ".env file or prod_env/credentials.conf (docs/running.md#keys)."
            )


def _names(value: Any) -> Iterator[str]:
    """Yield the names in a setting, at any depth."""
    for name in value if isinstance(value, dict) else ():
        yield str(name)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names(part)


def _shown(value: Any) -> str:
    """Return a value that cannot be used, for a message: of what has parts, which may hold a key, its kind alone."""
    if isinstance(value, dict):
        return f"a mapping ({', '.join(map(str, value))})"[:_MOST_SHOWN]
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a text that looks like a key" if looks_like_a_secret(str(value)) else repr(value)[:_MOST_SHOWN]


def _said(fault: ErrorDetails) -> str:
    """Return what is wrong with a setting, in plain words where pydantic's are of Python."""
    setting, *inner = fault["loc"]
    if setting == "models" and len(inner) == 1:
        return "it must be the name of a model, in quotes if it looks like a number"
    if setting == "prices" and len(inner) == 1:
        return "it must be [IN, OUT], US dollars per million tokens of prompt and answer"
    return "it is empty" if fault["input"] is None else field_fault(fault)


def checked_study(settings: dict[str, Any], where: str) -> Study:
    """Return the study that settings say. Raises SettingError that names the first fault and what is allowed."""
    check_names(settings, where)
    _refuse_keys(settings, where)
    try:
        study = Study.model_validate(settings)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"] if part not in _ONE_OF)
        if fault["type"] == "missing":
            raise SettingError(f"{where}: {place} is missing.") from error
        said = _ONE_VALUE if fault["loc"][-1] in _ONE_OF else _said(fault)
        raise SettingError(f"{where}: {place} cannot be {_shown(fault['input'])}: {said}.") from error
    if not is_folder_name(study.suite):
        raise SettingError(
            f"{where}: the suite cannot be {study.suite[:_MOST_SHOWN]!r}: it is the name of one folder. "
            f"{FOLDER_NAME_HELP}."
        )
    ending = set(run_options.RunOptions.with_effect(Effect.END)).intersection(study.options)
    if study.until_better and (len(study.targets) * len(study.arms) < 2 or ending):
        raise SettingError(
            f"{where}: until_better compares models on the same cases, so it needs two models or arms"
            f"{f', and goes without {listed(sorted(ending))}' if ending else ''}."
        )
    for place, options in (("options", study.options), *((f"arms.{name}", arm) for name, arm in study.arms.items())):
        _check_options(options, f"{where}: {place}")
    return study


def check_arms_differ(study: Study) -> None:
    """Raise SettingError for two arms that would ask the same, as with two prompts that are still to be written."""
    seen: list[tuple[str, dict[str, Any]]] = []
    for name, arm in study.arms.items():
        read = run_options.RunOptions.read({**study.options, **arm}, f"arms.{name}")
        prompt = read.get("system_prompt")
        asked = {**read, "system_prompt": prompt and prompt.text}  # whatever its file is called
        if first := next((other for other, settings in seen if settings == asked), None):
            cure = f"edit {prompt.path}" if prompt else "change one"
            raise SettingError(f"The arms {first} and {name} have the same settings: {cure}.")
        seen.append((name, asked))


def _check_options(options: Mapping[str, Option], where: str) -> None:
    """Raise SettingError for an option that no run entry has, that is a setting of a study, or that cannot be so."""
    for name in SETTINGS.intersection(options):
        raise SettingError(
            f"{where}: {name} is no option of an arm; it is a setting of the whole study, beside options:"
        )
    try:
        run_options.RunOptions.read(options, where)
    except RunEntryError as error:
        raise SettingError(str(error)) from error
