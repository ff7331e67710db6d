"""The settings of a study from a file, a mapping or options of the same names, as one checked study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helm_impactbench.conversation.usual_roles import usual_judge, usual_user
from helm_impactbench.errors import RunEntryError, SettingError
from helm_impactbench.study.entries import QUICK_PART
from helm_impactbench.study.impactbench_config import is_impactbench_config, study_settings
from helm_impactbench.study.model import ALL, DEFAULT_SUITE, QUICK, Study
from helm_impactbench.study.reader import check_names, checked_study, read_settings

RUN_OPTIONS = ("part", "samples", "until_decided", "until_width")
"""Options of `impactbench run` that are options of run entries."""
RENAMED = {"num_threads": "threads", "budget": "budget_usd"}
"""Option -> the setting of a study that it is."""
COMMAND_LINE = "impactbench run"
"""Where settings come from that no file has."""
LISTS = ("models", "benchmarks")
"""Settings that are lists; one name stands for a list of it."""


def file_settings(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the settings in a study.yaml or an ImpactBench config, and what of it has no place here.

    The suite has the file's name unless it says otherwise. Raises SettingError.
    """
    settings, notes = read_settings(path), list[str]()
    if is_impactbench_config(settings):
        settings, notes = study_settings(settings)
        settings["suite"] = DEFAULT_SUITE
    check_names(settings, str(path))
    return {"suite": path.stem, **settings}, notes


def is_study_file(name: str) -> bool:
    """Return whether a word on the command line names a study file."""
    return name.lower().endswith((".yaml", ".yml"))


def with_options(settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with options of `impactbench run` put over them; an option that is None or empty says nothing."""
    given = {name: value for name, value in given.items() if value is not None and value is not False and value != ()}
    lists = {name: _listed(given.pop(name, ())) for name in LISTS}
    lists["benchmarks"] += _listed(given.pop("area", ()))
    quick, everything = bool(given.pop("quick", False)), bool(given.pop("all", False))
    if lists["benchmarks"]:  # all of these, or a part of these
        given |= {"part": QUICK_PART} if quick and "part" not in given else {}
    else:
        lists["benchmarks"] = [QUICK] * quick + [ALL] * everything
    prices = {**_priced(given.pop("price", ())), **dict.fromkeys(_listed(given.pop("free", ())), (0.0, 0.0))}
    options = {name: given.pop(name) for name in RUN_OPTIONS if name in given}
    merged = {**settings, **{name: names for name, names in lists.items() if names}}
    merged |= {RENAMED.get(name, name): value for name, value in given.items()}
    if prices and isinstance(merged.get("prices", {}), Mapping):
        merged["prices"] = {**merged.get("prices", {}), **prices}
    if options and isinstance(merged.get("options", {}), Mapping):  # anything else is refused by whoever checks
        merged["options"] = {**merged.get("options", {}), **options}
    return merged


def complete_study(settings: Mapping[str, Any], where: str) -> Study:
    """Return the study that settings say, with the usual user and judge where they name none.

    Raises RunEntryError where no model is named, SettingError for a faulty setting.

    where: what the settings come from, as errors name it.
    """
    check_names(settings, where)
    if not settings.get("models"):
        if where == COMMAND_LINE:
            raise RunEntryError(
                "--models is missing; for example --models litellm/openai/gpt-4o, or --models rehearsal/mixed for a "
                "scripted model that costs nothing"
            )
        raise RunEntryError(
            f"{where}: models is {'empty' if 'models' in settings else 'missing'}. Name what to test, for example "
            "litellm/openai/gpt-4o, or rehearsal/mixed, a scripted model that costs nothing"
        )
    usual = {"user": usual_user, "judge": usual_judge}
    roles = {role: name() for role, name in usual.items() if settings.get(role) is None}  # an empty one is refused
    return checked_study({**settings, **roles}, where)


def _priced(words: Any) -> dict[str, tuple[float, float]]:
    """Return the prices in words of the form MODEL=IN,OUT. Raises SettingError."""
    prices = {}
    for word in _listed(words):
        name, _, pair = str(word).rpartition("=")
        try:
            prompt, answer = map(float, pair.split(",") if name else ())
        except ValueError:
            raise SettingError(
                f"--price cannot be {word!r}; it must be MODEL=IN,OUT in US dollars per million tokens of prompt and "
                "answer, for example --price litellm/openai/gpt-4o=2.50,10"
            ) from None
        prices[name] = prompt, answer
    return prices


def _listed(names: Any) -> list[Any]:
    return [names] if isinstance(names, str) else list(names)
