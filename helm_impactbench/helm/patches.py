"""Every part of HELM and litellm that is replaced. Nothing else in the package replaces anything of theirs.

Written for crfm-helm 0.5.16 and litellm 1.82 to 1.106. Each patch says why it is there, and what breaks when upstream
changes; tests/helm/test_patches.py checks what each relies on in the installed versions. They are installed by
registration.install, when a run of ours is asked for, or by a command of ours: a helm-run of somebody else's entries
meets none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from helm.benchmark import (
    model_deployment_registry,
    model_metadata_registry,
    run_spec,
    run_spec_factory,
    runner,
    tokenizer_config_registry,
)
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.adapters.adapter import Adapter
from helm.benchmark.adaptation.adapters.adapter_factory import AdapterFactory
from helm.benchmark.run_spec import RunSpecFunction
from helm.benchmark.window_services.tokenizer_service import TokenizerService
from helm.clients import auto_client
from helm.clients.client import Client
from helm.common.object_spec import get_class_by_name
from helm.common.request import Request, RequestResult

from helm_impactbench.errors import StoppedError
from helm_impactbench.files.json_stream import Pieces, dumps
from helm_impactbench.helm import json_text
from helm_impactbench.helm.datasets.missing import without_data
from helm_impactbench.helm.missing_verdicts import MISSING_VERDICTS
from helm_impactbench.helm.own_names import ADAPTERS, TARGET_CLIENTS
from helm_impactbench.helm.run_files import FOLDERS, as_dictionary
from helm_impactbench.llm.deadline import attempt as in_time
from helm_impactbench.llm.litellm_settings import cost_left_out
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.process.shared_state import STOPPED, on_its_way
from helm_impactbench.process.stop import stop, stop_on_error

Send = Callable[..., RequestResult]

_helms_retry_request: Callable[[Send], Send] = auto_client.retry_request  # type: ignore[attr-defined]
_helms_get_adapter = AdapterFactory.get_adapter


def install() -> None:
    """Replace what a run of ours needs replaced. Harmless when repeated."""
    run_spec_lookup()
    adapters()
    requests()
    run_files()
    missing_data()
    failed_runs()


def run_spec_lookup() -> None:
    """Find a run spec that is registered without importing all suites of HELM first, which takes a second.

    Replaces helm.benchmark.run_spec_factory.get_run_spec_function. If HELM looks elsewhere: the second is back.
    """

    def get_run_spec_function(name: str) -> RunSpecFunction | None:
        return run_spec._REGISTERED_RUN_SPEC_FUNCTIONS.get(name) or run_spec.get_run_spec_function(name)

    place: Any = run_spec_factory
    place.get_run_spec_function = get_run_spec_function


LISTS_OF_MODELS = (model_deployment_registry, model_metadata_registry, tokenizer_config_registry)
"""HELM's modules that each read one of its lists."""


def lists_of_models() -> None:
    """Parse HELM's own lists of models, 580 kB of YAML, with libyaml: PyYAML's parser takes most of a second for them.

    Replaces yaml in the three modules that read them; files of the user's own are read as before. Our own commands need
    it, and the helm-run that `impactbench run` starts. If HELM reads the lists elsewhere: the second is back.
    """
    own = Path(str(resources.files("helm.config")))

    def safe_load(stream: Any) -> Any:
        is_helms = Path(str(getattr(stream, "name", ""))).parent == own
        return yaml.load(stream, Loader=yaml.CSafeLoader) if is_helms else yaml.safe_load(stream)

    if yaml.__with_libyaml__:
        for module in LISTS_OF_MODELS:
            module.yaml = SimpleNamespace(safe_load=safe_load)  # type: ignore[attr-defined]


def metric_templates() -> None:
    """Let HELM's summarizer compile the template of a metric's name once, and not for every cell of every table.

    Replaces mako in helm.benchmark.presentation.schema. Our summarizer needs it. If HELM fills in names elsewhere: a
    tenth of the time of large suites is back.
    """
    from helm.benchmark.presentation import schema

    place: Any = schema
    place.mako = SimpleNamespace(template=SimpleNamespace(Template=cache(place.mako.template.Template)))


def table_files() -> None:
    """Let HELM's summarizer write its files in a fraction of the time; see helm.json_text.

    Replaces asdict_without_nones and json in helm.benchmark.presentation.summarize. Our summarizer needs it. If HELM
    writes in another way: a seventh of the time of large suites is back.
    """
    from helm.benchmark.presentation import summarize

    place: Any = summarize
    place.asdict_without_nones, place.json = json_text.without_nones, SimpleNamespace(dumps=json_text.dumps)


def adapters() -> None:
    """Teach HELM our adapter methods: its factory is a chain of ifs without a registry.

    Replaces AdapterFactory.get_adapter. If HELM makes adapters elsewhere: "Invalid adaptation method" at the first run.
    """

    @wraps(_helms_get_adapter)
    def get_adapter(adapter_spec: AdapterSpec, tokenizer_service: TokenizerService) -> Adapter:
        path = ADAPTERS.get(adapter_spec.method)
        if path is None:
            return _helms_get_adapter(adapter_spec, tokenizer_service)
        adapter: Adapter = get_class_by_name(path)(adapter_spec, tokenizer_service)
        return adapter

    AdapterFactory.get_adapter = staticmethod(get_adapter)  # type: ignore[method-assign]


def requests() -> None:
    """Repeat no conversation, and let HELM's own requests in the same helm-run end as ours do.

    Replaces helm.clients.auto_client.retry_request, which AutoClient.make_request decorates each request with. HELM
    would repeat ours after any exception, up to four times with waits of 10 to 80 s; they have a retry policy of their
    own. Of HELM's requests each attempt counts as a call in flight, the waits between them do not.
    If HELM retries elsewhere: conversations that fail through a fault of ours are repeated, and Ctrl-C drops paid calls
    of HELM's own suites.
    """

    def retry_request(send: Send) -> Send:
        repeated = _helms_retry_request(_counted(send))

        def make(client: Client, request: Request) -> RequestResult:
            ours = request.model_deployment.startswith(tuple(TARGET_CLIENTS))
            return (send if ours else repeated)(client=client, request=request)

        return make

    place: Any = auto_client
    place.retry_request = retry_request


def _counted(send: Send) -> Send:
    """Count an attempt as a call in flight, and begin none in a run that was stopped."""

    def attempt(client: Client, request: Request) -> RequestResult:
        if type(client).__module__.startswith("helm_impactbench."):  # it counts its calls itself
            return stop_on_error(send, client=client, request=request)
        with on_its_way(), in_time(policy_from_environment().timeout):
            result = None if STOPPED.is_set() else send(client=client, request=request)
        return result if result is not None else stop(StoppedError("The run was stopped."))

    return attempt


def run_files() -> None:
    """Write the files of a run all at once and piece by piece; see helm.run_files.

    Replaces write, asdict_without_nones and json in helm.benchmark.runner, whose run_one writes with
    write(path, json.dumps(asdict_without_nones(value), indent=2)). If HELM writes in another way: files may be left
    half written, and large runs take several times the memory.
    """

    def write(file_path: str, content: str | Pieces) -> None:
        stop_on_error(FOLDERS.write, file_path, content)

    place: Any = runner
    place.write, place.asdict_without_nones = write, as_dictionary
    place.json = SimpleNamespace(load=json.load, dumps=dumps)


def missing_data() -> None:
    """Say in a line that the data of a run are missing, instead of with a traceback of a hundred; see datasets.missing.

    Wraps Runner.run_one, which raises whatever a scenario's download raises. If HELM runs its runs in another way: the
    traceback is back, and the end does not name `impactbench fetch`.
    """
    original: Any = runner.Runner.run_one
    if getattr(original, "__wrapped__", None):
        return

    @wraps(original)
    def run_one(self: runner.Runner, spec: run_spec.RunSpec) -> None:
        try:
            original(self, spec)
        except Exception as error:
            missing = without_data(error, spec.name)
            if missing is None:
                raise
            raise missing from None

    place: Any = runner.Runner
    place.run_one = run_one


def failed_runs() -> None:
    """Let helm-run end with exit code 3 where every conversation of a run failed; see missing_verdicts.

    Wraps Runner.run_all. If HELM runs its runs in another way: the exit code is 0; the last line tells all the same.
    """
    original: Any = runner.Runner.run_all
    if getattr(original, "__wrapped__", None):
        return

    @wraps(original)
    def run_all(self: runner.Runner, specs: list[run_spec.RunSpec]) -> None:
        original(self, specs)
        MISSING_VERDICTS.end_if_failed()

    place: Any = runner.Runner
    place.run_all = run_all


LITELLM_COSTS = ("response_cost_calculator", "_response_cost_calculator")
"""litellm's method that works out a response's cost, as 1.106 and 1.82 call it."""


def litellm_costs() -> None:
    """Let a call leave out the cost that litellm works out for every response; see llm.litellm_settings.

    Replaces that method of litellm's Logging. If litellm does it elsewhere: calls take a fifth more CPU.
    """
    from litellm.litellm_core_utils.litellm_logging import Logging

    name = next((name for name in LITELLM_COSTS if hasattr(Logging, name)), None)
    original: Any = getattr(Logging, name) if name else None
    if name is None or getattr(original, "__wrapped__", None):
        return

    @wraps(original)
    def response_cost_calculator(self: Any, *arguments: Any, **settings: Any) -> float | None:
        if cost_left_out():
            return None
        cost: float | None = original(self, *arguments, **settings)
        return cost

    setattr(Logging, name, response_cost_calculator)


def litellm_clients() -> None:
    """Bound what litellm's HTTP clients read, and keep them from redirects to other origins; see llm.response_body.

    Wraps what makes them: HTTPHandler.create_client (in 1.82 its constructor), and get_openai_client of the classes for
    files and batches. If litellm makes clients elsewhere: such answers are read whatever their size, and redirects take
    keys along.
    """
    from litellm.llms.custom_httpx.http_handler import HTTPHandler
    from litellm.llms.openai.openai import OpenAIBatchesAPI, OpenAIFilesAPI

    _guarded(HTTPHandler, "create_client" if hasattr(HTTPHandler, "create_client") else "__init__")
    for owner in (OpenAIFilesAPI, OpenAIBatchesAPI):
        _guarded(owner, "get_openai_client")


def _guarded(owner: Any, name: str) -> None:
    """Let a method guard the HTTP client that it makes: what it returns, or that of what it returns or belongs to."""
    from httpx import Client as HttpClient

    from helm_impactbench.llm.response_body import guard

    original: Any = getattr(owner, name)
    if getattr(original, "__wrapped__", None):
        return

    @wraps(original)
    def make(self: Any, *arguments: Any, **settings: Any) -> Any:
        made = original(self, *arguments, **settings)
        client = (
            made if isinstance(made, HttpClient) else getattr(made, "_client", None) or getattr(self, "client", None)
        )
        if isinstance(client, HttpClient):
            guard(client)
        return made

    setattr(owner, name, make)


@contextmanager
def downloads_recorded(module: Any, values: Mapping[str, Any]) -> Iterator[None]:
    """Put other functions in the place of those that a module of HELM's scenarios downloads with, for a while.

    Replaces, in that module, the names of `values` that it has. If HELM downloads with others: `impactbench fetch` says
    that this version of crfm-helm is not known.
    """
    before = {name: getattr(module, name) for name in values if hasattr(module, name)}
    try:
        for name in before:
            setattr(module, name, values[name])
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)
