"""What a shell offers after Tab: names of suites, benchmarks, metrics, targets and models. Nothing slow is imported.

A name that cannot be found quickly is not offered; nothing here raises, because a shell would show it in the prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

USUAL_OUTPUT_PATH = "benchmark_output"
"""HELM's own."""
_NAME = re.compile(r"^\s*-\s+(?:name|id):\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
"""An entry of a list in YAML that begins with its name, as in model_deployments.yaml and benchmark.yaml."""
_LITELLM = "litellm/"
_BENCHMARK_FILE = "benchmark.yaml"


def suites(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the suites in HELM's output folder."""
    return _begin(incomplete, (path.name for path in _folders(_output_path(context) / "runs")))


def benchmarks(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the slugs of all benchmarks."""
    return _begin(incomplete, (path.name for path in _benchmark_folders()))


def own_benchmarks(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the slugs of the user's own benchmarks."""
    from helm_impactbench.files.resources import USER_BENCHMARKS

    return _begin(incomplete, (path.name for path in _folders(USER_BENCHMARKS)))


def metrics(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return slug/id of the metrics; of one benchmark when its slug is there, else the slugs."""
    slug, slash, _id = incomplete.partition("/")
    if not slash:
        return [f"{path.name}/" for path in _benchmark_folders() if path.name.startswith(slug)]
    for path in _benchmark_folders():
        if path.name == slug:
            return _begin(incomplete, (f"{slug}/{name}" for name in _names_in(path / _BENCHMARK_FILE)))
    return []


def targets(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the targets of the suite that is named before; without one, all models."""
    suite = context.params.get("suite")
    if not suite:
        return models(context, _, incomplete)
    runs: dict[str, Path] = {}
    for path in _folders(_output_path(context) / "runs" / str(suite)):
        runs.setdefault(path.name.partition("model=")[2], path)
    return _begin(incomplete, filter(None, map(_target, runs.values())))


def models(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the scripted models, the user's own deployments and, once litellm/ is begun, litellm's chat models."""
    from helm_impactbench.helm.own_names import CAST

    own = Path(context.params.get("local_path") or "prod_env") / "model_deployments.yaml"
    before, plus, last = incomplete.rpartition("+")  # of a panel
    found = _begin(last, [*CAST, *_names_in(own), *(_litellm() if last.startswith(_LITELLM) else [_LITELLM])])
    return [f"{before}{plus}{name}" for name in found]


def shipped_files(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return what `impactbench list --path` knows."""
    from helm_impactbench.files.resources import shipped

    confs = (f"run_entries/{path.name}" for path in shipped("run_entries").glob("*.conf"))
    slugs = (f"benchmarks/{path.name}" for path in _folders(shipped("benchmarks")))
    return _begin(incomplete, ["schema.yaml", "prompts", "benchmarks", *confs, *slugs])


def _begin(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def _output_path(context: click.Context) -> Path:

    return Path(context.params.get("output_path") or USUAL_OUTPUT_PATH)


def _folders(parent: Path) -> Iterator[Path]:
    try:
        yield from sorted(path for path in parent.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError:
        return


def _benchmark_folders() -> Iterator[Path]:
    from helm_impactbench.files.resources import benchmark_folders

    for parent in benchmark_folders():
        yield from (path for path in _folders(parent) if (path / _BENCHMARK_FILE).is_file())


def _names_in(path: Path) -> list[str]:
    try:
        return _NAME.findall(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []


def _target(run: Path) -> str:
    try:
        spec: Any = json.loads((run / "run_spec.json").read_text(encoding="utf-8"))
        return str(spec["adapter_spec"]["model_deployment"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _litellm() -> Iterator[str]:
    """Yield the chat models that the installed litellm knows, by our names, without importing it."""
    from importlib.util import find_spec

    spec = find_spec("litellm")
    try:
        prices = Path(str(spec and spec.origin)).with_name("model_prices_and_context_window_backup.json")
        known: Any = json.loads(prices.read_text(encoding="utf-8"))
        for name, about in known.items():
            if about.get("mode") == "chat":
                provider = f"{about.get('litellm_provider')}/"
                yield _LITELLM + (name if name.startswith(provider) else provider + name)
    except (OSError, ValueError, AttributeError):
        return
