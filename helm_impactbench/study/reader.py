"""Read a study.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from helm_impactbench.errors import SettingError, did_you_mean
from helm_impactbench.files.safe_read import decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.study.model import Study


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings in a study.yaml, not yet checked. Raises IntakeError, SettingError."""
    if not path.is_file():
        raise SettingError(f"No file {path}; docs/running.md shows a study.yaml")
    data = load_yaml(decoded(read_bytes(path)))
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise SettingError(
            f"{path} must contain settings, for example models: [litellm/...], not a {type(data).__name__}."
        )
    return data


def checked_study(settings: dict[str, Any], where: str) -> Study:
    """Return the study that settings say. Raises SettingError that names the first fault and what is allowed."""
    allowed = [*Study.model_fields]
    for name in settings:
        if name not in allowed:
            near = did_you_mean(name, allowed)
            raise SettingError(f"{where}: there is no setting {name!r}. Settings are {', '.join(allowed)}.{near}")
    try:
        return Study.model_validate(settings)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        got = repr(fault["input"])[:80]
        raise SettingError(f"{where}: {place} cannot be {got}: {fault['msg'][0].lower()}{fault['msg'][1:]}.") from error
