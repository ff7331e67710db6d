"""ImpactBench's own config.yaml as a study: what maps is taken, and one line says of every other setting why it is not.

targets: [{id, model, source, apikey, base_url, extra_headers}]     user_model, evaluator_model: one such
generation: {scenarios_per_metric, turns, num_samples}              run: {force, dry_run, verbose, concurrency}
demographics: {axis: [level, ...]}                                  perfunctory, landmarks: true or false
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from helm_impactbench.errors import SettingError
from helm_impactbench.files.field_faults import kind_of
from helm_impactbench.llm.credentials import key_from, key_variables

_SIGNS = {"targets", "user_model", "evaluator_model"}
_USUAL_SOURCE = "openai"
_USUAL_TURNS = 6
_SCRIPTED = "rehearsal"
"""The source of the scripted models."""
_OPEN_PLACES = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "api.deepinfra.com": "deepinfra",
    "api.x.ai": "xai",
    "openrouter.ai": "openrouter",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks_ai",
    "api.together.xyz": "together_ai",
    "api.publicai.co": "publicai",
    "platform.publicai.co": "publicai",
    "generativelanguage.googleapis.com": "gemini",
    "api.perplexity.ai": "perplexity",
    "api.cerebras.ai": "cerebras",
    "api.sambanova.ai": "sambanova",
    "api.moonshot.ai": "moonshot",
    "dashscope.aliyuncs.com": "dashscope",
    "dashscope-intl.aliyuncs.com": "dashscope",
    "integrate.api.nvidia.com": "nvidia_nim",
    "api.studio.nebius.ai": "nebius",
    "api.novita.ai": "novita",
    "api.hyperbolic.xyz": "hyperbolic",
}
"""Host of an address -> litellm's provider, which calls it without being told the address."""
_VARIABLE = re.compile(r"^\$\{(\w+)\}$")

_SWITCHES = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}

Notes = list[str]


def is_impactbench_config(settings: Mapping[str, Any]) -> bool:
    """Return whether a file's settings are ImpactBench's and not a study's."""
    return bool(_SIGNS & {*settings})


def study_settings(config: Mapping[str, Any]) -> tuple[dict[str, Any], Notes]:
    """Return a study's settings, not yet checked, and a line per setting that is not taken over.

    Raises SettingError for what is no config of that form.
    """
    notes: Notes = []
    found: dict[str, Any] = {}
    for name, value in config.items():
        take = _TAKE.get(name)
        if take is None:
            notes.append(f"{name}: not known here")
        else:
            found = _merged(found, take(value, notes))
    return found, notes


def _merged(found: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    options = {**found.get("options", {}), **more.get("options", {})}
    return {**found, **more, **({"options": options} if options else {})}


def _targets(value: Any, notes: Notes) -> dict[str, Any]:
    if not isinstance(value, list):
        raise _refused("targets", value, "a list of models, each with id, model and source")
    names = [name for entry in value if (name := _deployment(entry, "targets", notes))]
    return {"models": list(dict.fromkeys(names))}


def _user(value: Any, notes: Notes) -> dict[str, Any]:
    name = _deployment(value, "user_model", notes)
    return {"user": name, "author": name} if name else {}


def _judge(value: Any, notes: Notes) -> dict[str, Any]:
    name = _deployment(value, "evaluator_model", notes)
    return {"judge": [name]} if name else {}


def _deployment(entry: Any, where: str, notes: Notes) -> str | None:
    """Return a model's deployment; None, with a line, for one at an address that only the file knows."""
    if not isinstance(entry, dict) or not isinstance(entry.get("model"), str) or not entry["model"].strip():
        raise _refused(where, entry, "a mapping with model and source, for example {model: gpt-4o, source: openai}")
    model, source = entry["model"].strip(), str(entry.get("source") or _USUAL_SOURCE)
    called = f"{where}, {entry.get('id', model)}"
    if entry.get("base_url"):
        provider = _OPEN_PLACES.get(urlsplit(str(entry["base_url"])).hostname or "")
        if provider is None:
            notes.append(
                f"{called}: left out, because your key would go to an address that this file names. If you trust it, "
                "describe the model in prod_env/model_deployments.yaml (docs/running.md) and add it to --models"
            )
            return None
        model, source = model.removeprefix(f"{source}/"), provider
    if source == _SCRIPTED:
        return model if model.startswith(f"{_SCRIPTED}/") else f"{_SCRIPTED}/{model}"
    notes += _about_key(entry, source, called)
    if entry.get("extra_headers"):
        notes.append(f"{called}, extra_headers: write them into prod_env/model_deployments.yaml (docs/running.md)")
    bare = model.removeprefix(f"{source}/")
    return f"litellm/{source}/{bare}"


def _about_key(entry: Mapping[str, Any], source: str, called: str) -> Iterator[str]:
    given = str(entry.get("apikey") or "")
    variable = _VARIABLE.match(given)
    usual = key_variables(source)
    if variable and variable.group(1) not in usual:
        if not key_from(variable.group(1), source):
            yield f"{called}, apikey: {variable.group(1)} is not set; {usual[0]} would do as well"
    elif given and not variable:
        yield f"{called}, apikey: a key does not belong into a file; set {usual[0]} in the environment or in .env"


def _generation(value: Any, notes: Notes) -> dict[str, Any]:
    given = dict(_mapping("generation", value))
    taken: dict[str, Any] = {}
    if "scenarios_per_metric" in given:
        taken["scenarios_per_metric"] = given.pop("scenarios_per_metric")
    options = {
        here: given.pop(there) for there, here in (("turns", "turns"), ("num_samples", "samples")) if there in given
    }
    usual = {"turns": _USUAL_TURNS, "samples": 1}
    taken["options"] = {name: number for name, number in options.items() if number != usual[name]}
    notes += [f"generation.{name}: not known here" for name in given]
    return taken


def _run(value: Any, notes: Notes) -> dict[str, Any]:
    given = dict(_mapping("run", value))
    taken: dict[str, Any] = {}
    if _yes("run.dry_run", given.pop("dry_run", False)):
        taken["dry_run"] = True
    if _yes("run.force", given.pop("force", False)):
        notes.append("run.force: edits are noticed, so nothing has to be forced; --fresh repeats a finished run")
    if _yes("run.verbose", given.pop("verbose", False)):
        notes.append("run.verbose: HELM's log is always in run.log, in the folder of the suite")
    together = dict(_mapping("run.concurrency", given.pop("concurrency", {})))
    if "simulate" in together:
        taken["threads"] = together.pop("simulate")
    why = {"evaluate": "conversations and judges share the threads of simulate"}
    notes += [f"run.concurrency.{name}: {why.get(name, 'eight calls at once')}" for name in together]
    notes += [f"run.{name}: not known here" for name in given]
    return taken


def _demographics(value: Any, notes: Notes) -> dict[str, Any]:
    notes.append("demographics: taken for scenarios that are still to be written; others keep their levels")
    return {"axes": {axis: list(levels) for axis, levels in _mapping("demographics", value).items()}}


def _flag(name: str, usual: bool) -> Callable[[Any, Notes], dict[str, Any]]:
    def take(value: Any, notes: Notes) -> dict[str, Any]:
        is_on = _yes(name, value)
        if name == "landmarks" and not is_on:
            notes.append("landmarks: taken, and means here that all are given at the start instead of none")
        return {"options": {name: is_on}} if is_on != usual else {}

    return take


def _yes(name: str, value: Any) -> bool:
    """Return a switch's value: YAML 1.1, which ImpactBench reads, has more words for it than YAML 1.2."""
    found = value if isinstance(value, bool) else _SWITCHES.get(str(value).lower())
    if found is None:
        raise SettingError(f"{name} must be yes or no; it is {value!r}")
    return found


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _refused(name, value, "settings, each with its name")
    return value


def _refused(name: str, value: Any, allowed: str) -> SettingError:
    return SettingError(f"{name} must be {allowed}; it {kind_of(value)}")


_TAKE: Mapping[str, Callable[[Any, Notes], dict[str, Any]]] = {
    "targets": _targets,
    "user_model": _user,
    "evaluator_model": _judge,
    "generation": _generation,
    "run": _run,
    "demographics": _demographics,
    "perfunctory": _flag("perfunctory", usual=False),
    "landmarks": _flag("landmarks", usual=True),
}
"""Setting -> what it is in a study."""
