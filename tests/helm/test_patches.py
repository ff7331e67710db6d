"""What each patch relies on is in the installed HELM and litellm as it was when the patch was written."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import litellm
import pytest
import yaml
from helm.benchmark import run, run_spec, run_spec_factory, runner
from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION, AdapterSpec
from helm.benchmark.adaptation.adapters.adapter_factory import AdapterFactory
from helm.benchmark.presentation import schema, summarize
from helm.clients import auto_client
from helm.clients.client import Client
from helm.common.cache_backend_config import BlackHoleCacheBackendConfig
from helm.common.general import asdict_without_nones
from helm.common.request import Request, RequestResult
from litellm.litellm_core_utils.litellm_logging import Logging
from litellm.llms.custom_httpx.http_handler import HTTPHandler
from litellm.llms.openai.openai import OpenAIBatchesAPI, OpenAIFilesAPI

from helm_impactbench.errors import StoppedError
from helm_impactbench.helm import patches
from helm_impactbench.helm.conversation_adapter import ConversationAdapter
from helm_impactbench.llm.limits.budget import BudgetError
from helm_impactbench.llm.response_body import limit_size
from helm_impactbench.process.shared_state import IN_FLIGHT, STOPPED

PACKAGE = Path(patches.__file__).parents[1]


def test_a_helm_run_ends_with_run_all() -> None:
    """What it raises ends the command: run_benchmarking calls it with all run specs, and returns."""
    assert "runner.run_all(run_specs)\n    return run_specs" in inspect.getsource(run.run_benchmarking)


def test_run_specs_are_looked_up_where_the_patch_stands() -> None:
    """construct_run_specs asks a function of its own module for a run spec by its name."""
    assert "get_run_spec_function(name)" in inspect.getsource(run_spec_factory.construct_run_specs)
    assert list(inspect.signature(run_spec.get_run_spec_function).parameters) == ["name"]
    assert isinstance(run_spec._REGISTERED_RUN_SPEC_FUNCTIONS, dict)


def test_lists_of_models_are_read_with_safe_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each of HELM's modules parses with yaml.safe_load alone; its own lists come out the same, others as before."""
    for module in patches.LISTS_OF_MODELS:
        assert set(re.findall(r"\byaml\.(\w+)\(", inspect.getsource(module))) == {"safe_load"}
        monkeypatch.setattr(module, "yaml", yaml)
    patches.lists_of_models()
    parse = patches.LISTS_OF_MODELS[0].yaml.safe_load  # type: ignore[attr-defined]
    small = Path(str(resources.files("helm.config"))) / "tokenizer_configs.yaml"
    with small.open(encoding="utf-8") as quick, small.open(encoding="utf-8") as plain:
        assert parse(quick) == yaml.safe_load(plain)
    monkeypatch.setattr(yaml, "CSafeLoader", None)
    (tmp_path / "own.yaml").write_text("a: 1", encoding="utf-8")
    with (tmp_path / "own.yaml").open(encoding="utf-8") as own:
        assert parse(own) == {"a": 1}


def test_names_of_metrics_are_filled_in_by_templates_of_mako(monkeypatch: pytest.MonkeyPatch) -> None:
    """HELM's module takes nothing else of mako; a name is filled in as before, whatever was filled in first."""
    assert set(re.findall(r"\bmako\.(\S+?)\(", inspect.getsource(schema))) == {"template.Template"}
    monkeypatch.setattr(schema, "mako", schema.mako)  # type: ignore[attr-defined]
    patches.metric_templates()
    matcher = schema.MetricNameMatcher(name="${main_name}", split="test")
    assert [matcher.substitute({"main_name": name}).name for name in ("one", "two")] == ["one", "two"]


def test_tables_are_written_through_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """HELM's summarizer takes nothing of json but dumps, and no other way from dataclasses to dictionaries."""
    source = inspect.getsource(summarize)
    assert set(re.findall(r"\bjson\.(\w+)\(", source)) == {"dumps"}
    assert "asdict(" not in source
    for name in ("json", "asdict_without_nones"):
        monkeypatch.setattr(summarize, name, getattr(summarize, name))
    patches.table_files()
    table: Any = summarize.Table("t", [], [])
    assert summarize.asdict_without_nones(table) == asdict_without_nones(table)  # type: ignore[attr-defined]


def test_adapters_are_made_by_the_factory() -> None:
    """HELM's runner asks the factory, with two arguments, and the factory knows no other methods than HELM's."""
    assert "AdapterFactory.get_adapter(run_spec.adapter_spec, self.tokenizer_service)" in _source(runner.Runner.run_one)
    assert list(inspect.signature(patches._helms_get_adapter).parameters) == ["adapter_spec", "tokenizer_service"]
    with pytest.raises(ValueError, match="Invalid adaptation method: conversation"):
        patches._helms_get_adapter(AdapterSpec(method="conversation"), None)  # type: ignore[arg-type]


def test_requests_are_repeated_by_the_decorator() -> None:
    """make_request takes it from its module at each request, and calls what it returns with two names."""
    source = _source(auto_client.AutoClient.make_request)
    assert "@retry_request def make_request_with_retry(client: Client, request: Request)" in source
    assert "return make_request_with_retry(client=client, request=request)" in source


def test_run_files_are_written_through_three_names() -> None:
    """run_one writes with write, json.dumps and asdict_without_nones of its module, and reads with json.load."""
    source = _source(runner.Runner.run_one)
    assert set(re.findall(r"json\.(\w+)\(", source)) == {"load", "dumps"}
    assert len(re.findall(r"\bwrite\( ?os\.path\.join\(", source)) == 6
    assert "asdict_without_nones(scenario_state)" in source


def test_litellm_works_out_a_cost_in_one_method() -> None:
    """Under one of two names, with the response as its argument."""
    names = [name for name in patches.LITELLM_COSTS if hasattr(Logging, name)]
    assert names
    method: Any = getattr(Logging, names[0])
    assert next(iter(inspect.signature(getattr(method, "__wrapped__", method)).parameters)) == "self"
    assert callable(litellm.completion)


def test_litellm_makes_its_clients_where_they_are_guarded() -> None:
    """In HTTPHandler, and for files and batches in get_openai_client."""
    patches.litellm_clients()
    packages: list[Any] = [
        owner().get_openai_client("k", "http://host", 1.0, 0, None) for owner in (OpenAIFilesAPI, OpenAIBatchesAPI)
    ]
    made = [HTTPHandler().client, *(package._client for package in packages)]
    assert [limit_size in client.event_hooks["response"] for client in made] == [True, True, True]
    for client in made:
        client.close()


@pytest.fixture
def installed() -> None:
    """The patches, twice, because whoever needs them installs them."""
    patches.install()
    patches.install()


def test_helms_adapters_stay_and_ours_are_known(installed: None) -> None:
    """The factory passes on what it knows."""
    ours = AdapterFactory.get_adapter(AdapterSpec(method="conversation"), None)  # type: ignore[arg-type]
    assert type(ours) is ConversationAdapter
    with pytest.raises(ValueError, match="Invalid adaptation method: nothing"):
        AdapterFactory.get_adapter(AdapterSpec(method="nothing"), None)  # type: ignore[arg-type]
    assert ADAPT_GENERATION not in patches.ADAPTERS


class Asked(Client):
    """A client that notes the calls in flight while it is asked, and fails as often as it is told."""

    def __init__(self, failures: int = 0, error: Exception | None = None) -> None:
        self.seen: list[float] = []
        self.failures, self.error = failures, error or ValueError("broken")

    def make_request(self, request: Request) -> RequestResult:
        self.seen.append(IN_FLIGHT.here())
        if len(self.seen) <= self.failures:
            raise self.error
        return RequestResult(success=True, cached=False, completions=[], embedding=[])


def asked(client: Client, deployment: str) -> RequestResult:
    """Ask a client through HELM's AutoClient."""
    auto = auto_client.AutoClient({}, "", BlackHoleCacheBackendConfig())
    auto.clients[deployment] = client
    return auto.make_request(Request(model=deployment, model_deployment=deployment))


def test_a_conversation_is_held_once(installed: None) -> None:
    """HELM repeats no request of ours, and a conversation is not a call in flight."""
    client = Asked(failures=1)
    with pytest.raises(ValueError, match="broken"):
        asked(client, "impactbench/target")
    assert client.seen == [0]


def test_each_attempt_at_a_request_of_helms_is_a_call_in_flight(
    installed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The waits between them are none, and once the run is stopped no attempt begins."""
    waits: list[float] = []
    monkeypatch.setattr("retrying.time.sleep", lambda _: waits.append(IN_FLIGHT.here()))
    client = Asked(failures=2)
    monkeypatch.setattr(Asked, "__module__", "somebody.elses")
    assert asked(client, "simple/model1").success
    assert client.seen == [1, 1, 1]
    assert waits == [0, 0]
    STOPPED.set()
    with pytest.raises(SystemExit):
        asked(client, "simple/model1")
    assert len(client.seen) == 3


@pytest.mark.parametrize("error", [BudgetError("spent"), StoppedError("stopped")])
def test_the_end_of_a_run_is_no_reason_to_repeat_a_request(
    installed: None, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own client in HELM's suites: a budget that is spent ends the program with its line, without retries."""
    client = Asked(failures=1, error=error)
    monkeypatch.setattr(Asked, "__module__", "helm_impactbench.helm.litellm_client")
    with pytest.raises(SystemExit):
        asked(client, "litellm/openai/a")
    assert client.seen == [0]


def test_nothing_is_replaced_in_any_other_file() -> None:
    """An assignment to an attribute of an imported name of HELM's or litellm's, or a setattr, stands in one file."""
    found = {f"{path.relative_to(PACKAGE)}:{line}" for path in PACKAGE.rglob("*.py") for line in _replacements(path)}
    allowed = {"llm/quiet_litellm.py"}  # litellm's own settings: suppress_debug_info, telemetry
    assert {place for place in found if place.split(":")[0] not in {"helm/patches.py", *allowed}} == set()
    assert any(place.startswith("helm/patches.py:") for place in found)


def _replacements(path: Path) -> Iterator[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    theirs = {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).split(".")[0] in ("helm", "litellm")
    }
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            bare = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(bare, ast.Attribute) and isinstance(bare.value, ast.Name) and bare.value.id in theirs:
                yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            yield node.lineno


def _source(function: Any) -> str:
    return " ".join(inspect.getsource(function).split())
