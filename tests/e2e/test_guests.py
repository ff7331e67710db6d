"""A helm-run of somebody else's entries is the same with the package installed as without."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support import builders, helm
from tests.support.commands import run_command
from tests.support.openai_server import OpenAIServer
from tests.support.suites import write_suite

PROBE = Path(__file__).parents[1] / "support/guest_probe"
CLOCKS = ("request_time", "request_datetime", "cached")
MMLU = "mmlu:subject=anatomy"


def guest_run(folder: Path, *arguments: object, hide: bool, ok: bool = True, **environment: str) -> dict[str, Any]:
    """Run helm-run with the plug-in or without; return what the process was like at its end, and its output."""
    probe = folder / "probe.json"
    settings = {"PYTHONPATH": str(PROBE), "PROBE_FILE": str(probe), **({"PROBE_HIDE": "1"} if hide else {})}
    common = ("--suite", "s", "-m", 3, "-n", 2)
    done = run_command("helm-run", *arguments, *common, cwd=folder, ok=ok, **{**settings, **environment})
    found: dict[str, Any] = json.loads(probe.read_text())
    return {**found, "code": done.returncode, "said": done.stdout + done.stderr}


def files(folder: Path) -> dict[str, Any]:
    """Return the files of all runs, without clock fields."""
    runs = folder / "benchmark_output/runs/s"
    return {f"{path.parent.name}/{path.name}": timeless(json.loads(path.read_text())) for path in runs.glob("*/*.json")}


def timeless(data: Any) -> Any:
    """Return data without what differs from run to run by nature."""
    if isinstance(data, dict):
        clock = isinstance(data.get("name"), dict) and data["name"].get("name") == "inference_runtime"
        return {} if clock else {key: timeless(value) for key, value in data.items() if key not in CLOCKS}
    return [timeless(each) for each in data] if isinstance(data, list) else data


@pytest.fixture
def folders(tmp_path: Path) -> dict[bool, Path]:
    """Two working directories with made-up data of mmlu: one for the run without the plug-in, one with it."""
    found = {hide: tmp_path / ("without" if hide else "with") for hide in (True, False)}
    for folder in found.values():
        write_suite(folder, "mmlu")
        (folder / ".env").write_text("FROM_A_FOLDER=1\n")
    return found


def both(folders: dict[bool, Path], *arguments: object, **environment: str) -> list[dict[str, Any]]:
    """Return what the runs without and with the plug-in were like, which left the same files and changed nothing."""
    bare, guest = (guest_run(folder, *arguments, hide=hide, **environment) for hide, folder in folders.items())
    assert files(folders[False]) == files(folders[True])
    assert any(name.endswith("/stats.json") for name in files(folders[False]))
    assert bare.pop("modules") == []
    assert guest["replaced"] == []
    for name in ("signals", "environment", "gc", "hooks", "at exit"):
        assert guest[name] == bare[name], name
    return [bare, guest]


def test_another_entry_runs_as_without_the_package(folders: dict[bool, Path]) -> None:
    """Same statistics; no attribute, signal handler, variable, hook or setting differs, and few modules are added."""
    bare, guest = both(folders, "--run-entries", f"{MMLU},model=simple/model1")
    assert len(guest["modules"]) <= 10
    assert set(guest["others"]) <= set(bare["others"])


def test_another_entry_keeps_helms_own_litellm(folders: dict[bool, Path], server: OpenAIServer) -> None:
    """A litellm/ deployment is served by HELM's client, with its requests and its files."""
    server.answer = lambda body: "A"
    key = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    _, guest = both(folders, "--run-entries", f"{MMLU},model=litellm/openai/gpt-4o-mini", **key)
    half = len(server.requests) // 2
    assert half
    assert sorted(map(str, server.requests[:half])) == sorted(map(str, server.requests[half:]))
    assert "helm_impactbench.helm.litellm_client" not in guest["modules"]


def test_scripted_models_answer_others_entries_and_change_nothing_else(folders: dict[bool, Path]) -> None:
    """rehearsal/ is a name of ours; to use it in an entry of HELM's sets up no more than the model."""
    guest = guest_run(folders[False], "--run-entries", MMLU, "--models-to-run", "rehearsal/supportive", hide=False)
    assert guest["replaced"] == []
    assert guest["signals"]["SIGINT"] == "_signal.default_int_handler"
    assert "FROM_A_FOLDER" not in guest["environment"]
    assert "Could not find model metadata" not in guest["said"]


PLUGIN = """
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.run_spec import run_spec_function
from helm.benchmark.run_specs.lite_run_specs import get_mmlu_spec

@run_spec_function("impactbenchs")
def get_spec(**options):
    return get_mmlu_spec(**options)

register_model_deployment(ModelDeployment(
    "others/model", ClientSpec("helm.clients.simple_client.SimpleClient"), tokenizer_name="simple/tokenizer1",
    max_sequence_length=2048,
))
"""


def test_names_that_others_register_later_are_not_refused(folders: dict[bool, Path]) -> None:
    """A run spec that is called nearly as ours, and a model that only --plugins makes known.

    Where a name is that near, an exception that ends HELM is looked at once more; nothing else is touched.
    """
    folder = folders[False]
    (folder / "others.py").write_text(PLUGIN)
    guest = guest_run(
        folder, "--plugins", "./others.py", "--run-entries", "impactbenchs:subject=anatomy", "--models-to-run",
        "others/model", hide=False,
    )  # fmt: skip
    assert guest["replaced"] == ["sys.excepthook"]
    assert guest["signals"]["SIGINT"] == "_signal.default_int_handler"
    assert any(name.startswith("mmlu:subject=anatomy") for name in files(folder))


@pytest.mark.parametrize("entry", [f"{MMLU},model=simple/model1", "ours"])
def test_a_conf_that_can_be_read_once_is_left_to_helm(folders: dict[bool, Path], entry: str) -> None:
    """--conf-paths <(...) is a pipe; an entry of ours in it is set up when HELM asks for its run spec."""
    folder = folders[False]
    builders.write_benchmark_folder(folder / "benchmarks/mini")
    ours = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    conf = folder / "pipe.conf"
    os.mkfifo(conf)
    text = f'entries: [{{description: "{ours if entry == "ours" else entry}", priority: 1}}]'
    writer = threading.Thread(target=conf.write_text, args=(text,), daemon=True)
    writer.start()
    guest = guest_run(folder, "--conf-paths", conf.name, hide=False)
    writer.join(10)
    assert bool(guest["replaced"]) == (entry == "ours")
    assert any(name.endswith("/stats.json") for name in files(folder))


def test_an_entry_of_ours_is_set_up(folders: dict[bool, Path]) -> None:
    """The probe sees what is replaced where something is: the test above would notice."""
    folder = folders[False]
    builders.write_benchmark_folder(folder / "benchmarks/mini")
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    ours = guest_run(folder, "--run-entries", entry, hide=False)
    assert "helm.clients.auto_client.retry_request" in ours["replaced"]
    assert "helm.benchmark.adaptation.adapters.adapter_factory.AdapterFactory.get_adapter" in ours["replaced"]
    assert "FROM_A_FOLDER" not in ours["environment"]
    assert helm.total(helm.run_folder(folder, "s", "mini"), "pass_rate")[1]
