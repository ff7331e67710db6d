"""Blocks of YAML in the pages, each read by what reads such a file in use."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import cattrs
import litellm
import yaml
from helm.benchmark.model_deployment_registry import ModelDeployments
from helm.common.object_spec import get_class_by_name
from pydantic import TypeAdapter

from helm_impactbench.benchmark.cues import CUE_FILE, load_cues
from helm_impactbench.benchmark.files import BENCHMARK_FILE, load_draft
from helm_impactbench.benchmark.golden import GoldenItem
from helm_impactbench.conversation.usual_roles import ROLES_FILE, read_roles
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.llm.limits.settings import LIMITS_FILE, read_limits
from helm_impactbench.study.reader import checked_study
from helm_impactbench.targets.description import checked_product
from tools.editorial.allowed import read_allowed

_BENCHMARK = "name: Money talk\ndescription: How an assistant speaks about money.\n"
_METRIC = (
    "metrics:\n  - id: m01\n    name: Say what it costs\n    definition: The assistant says what something costs.\n"
)


def _study(code: str, folder: Path) -> None:
    study = checked_study(load_yaml(code), "study.yaml")
    _known(*study.models, study.user or "", *study.judge)


def _known(*names: str) -> None:
    for name in names:
        provider = name.split("/")[1] if name.startswith("litellm/") else "openai"
        assert provider in litellm.provider_list, name


def _roles(code: str, folder: Path) -> None:
    (folder / ROLES_FILE).write_text(code)
    for names in read_roles(folder).values():
        _known(*names.split("+"))


def _limits(code: str, folder: Path) -> None:
    (folder / LIMITS_FILE).write_text(code)
    assert read_limits(folder)


def _deployments(code: str, folder: Path) -> None:
    """HELM's form, and arguments that the client named there takes."""
    for deployment in cattrs.structure(yaml.safe_load(code), ModelDeployments).model_deployments:
        spec = deployment.client_spec
        taken = inspect.signature(get_class_by_name(spec.class_name)).parameters
        assert {*spec.args} <= {*taken}, deployment.name


def _product(code: str, folder: Path) -> None:
    checked_product(load_yaml(code), "product.yaml")


def _golden(code: str, folder: Path) -> None:
    assert TypeAdapter(list[GoldenItem]).validate_python(load_yaml(code))


def _cues(code: str, folder: Path) -> None:
    (folder / CUE_FILE).write_text(code)
    assert load_cues(folder)


def _benchmark(code: str, folder: Path) -> None:
    """A benchmark.yaml, or some keys of one beside those that each has."""
    (folder / BENCHMARK_FILE).write_text(code if "\nmetrics:" in code else f"{_BENCHMARK}{code}")
    load_draft(folder)


def _metric(code: str, folder: Path) -> None:
    """Some keys of a metric; of several with the same key, each for itself."""
    same = code[: code.index(":") + 1]
    parts = re.split(rf"^(?={re.escape(same)})", code, flags=re.MULTILINE)[1:]
    for part in parts:
        kind = "contrast" if "kind: stance" in part or "kind: quantity" in part else "positive"
        own = part if "type:" in part else f"type: {kind}\n{part}"
        own += "contrast: {axis: age, levels: [a, b]}\n" if "contrast:" not in own and kind == "contrast" else ""
        own += "measure: {kind: quantity, unit: US dollars, least: 0, most: 100}\n" if "measure:" not in own else ""
        _benchmark(f"{_BENCHMARK}\n{_METRIC}{indent(own, '    ')}", folder)


def _editorial(code: str, folder: Path) -> None:
    (folder / "editorial.yaml").write_text(code)
    assert read_allowed(folder)


def _workflow(code: str, folder: Path) -> None:
    """GitHub's own form; test_docs.py looks at the commands in it."""
    (job,) = yaml.safe_load(code)["jobs"].values()
    assert all({"uses", "run"} & {*step} for step in job["steps"])


Reader = Callable[[str, Path], None]
READERS: Mapping[frozenset[str], Reader] = {
    frozenset(keys): reader
    for keys, reader in {
        ("models", "judge"): _study,
        ("user", "judge"): _roles,
        ("name", "metrics"): _benchmark,
        ("limits",): _limits,
        ("model_deployments",): _deployments,
        ("url", "send"): _product,
        ("metric", "transcript"): _golden,
        ("axis", "cues in levels"): _cues,
        ("readings",): _benchmark,
        ("scenario",): _benchmark,
        ("measure",): _metric,
        ("contrast",): _metric,
        ("words", "names"): _editorial,
        ("metrics",): _benchmark,
        ("jobs",): _workflow,
    }.items()
}
"""Keys that a block has -> what reads it."""


def read(code: str, folder: Path) -> None:
    """Read a block. Raises whatever its reader raises, and AssertionError for a block that nothing reads."""
    code = dedent(code)
    data: Any = yaml.safe_load(code)
    first = data[0] if isinstance(data, list) else data
    keys = {*first} | {f"{inner} in {key}" for key, value in first.items() for inner in _inner(value)}
    reader = next((reader for named, reader in READERS.items() if named <= keys), None)
    assert reader, f"nothing reads {', '.join(first)}"
    reader(code, folder)


def _inner(value: Any) -> set[str]:
    levels = value.values() if isinstance(value, dict) else ()
    return {name for level in levels if isinstance(level, dict) for name in level}
