"""A helm-run of somebody else's entries is the same with the package installed as without."""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import sqlite3
import string
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.support import builders, helm
from tests.support.commands import BIN, TIMEOUT, command_environment, run_command
from tests.support.openai_server import Body, OpenAIServer
from tests.support.suites import write_suite

PROBE = Path(__file__).parents[1] / "support/guest_probe"
PROBED = "probe.json"
CLOCKS = ("request_time", "request_datetime", "cached", "created", "id")
LONG_CALL = 20.0
"""Seconds."""
MMLU = "mmlu:subject=anatomy"


def guest_command(folder: Path, *arguments: object, hide: bool, **environment: str) -> tuple[list[str], dict[str, str]]:
    """Return a helm-run with the plug-in or without, and its environment."""
    settings = {"PYTHONPATH": str(PROBE), "PROBE_FILE": str(folder / PROBED), "PROBE_SLEEP": "0.01"}
    hidden = {"PROBE_HIDE": "1"} if hide else {}
    common = ("--suite", "s", "-m", 3, "-n", 2)
    return ["helm-run", *map(str, (*arguments, *common))], {**settings, **hidden, **environment}


def guest_run(folder: Path, *arguments: object, hide: bool, ok: bool = True, **environment: str) -> dict[str, Any]:
    """Run helm-run with the plug-in or without; return what the process was like at its end, and its output."""
    command, settings = guest_command(folder, *arguments, hide=hide, **environment)
    done = run_command(*command, cwd=folder, ok=ok, **settings)
    found: dict[str, Any] = json.loads((folder / PROBED).read_text())
    return {**found, "code": done.returncode, "said": done.stdout + done.stderr}


def files(folder: Path) -> dict[str, Any]:
    """Return the files of all runs, without clock fields."""
    runs = folder / "benchmark_output/runs/s"
    return {f"{path.parent.name}/{path.name}": timeless(json.loads(path.read_text())) for path in runs.glob("*/*.json")}


def names(folder: Path) -> set[str]:
    """Return the paths of everything that is in a folder; SQLite's own files come and go."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    return {name for name in found if not name.endswith((PROBED, "-wal", "-shm", "-journal"))}


def cached(folder: Path) -> dict[str, Any]:
    """Return the answers in HELM's cache of litellm/, without clock fields and litellm's random ids."""
    path = folder / "prod_env/cache/litellm.sqlite"
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as store:
        rows = store.execute("SELECT key, value FROM unnamed").fetchall()
    return {key: timeless(pickle.loads(value)) for key, value in rows}


def complaint(said: str) -> list[str]:
    """Return the last line of each error in an output."""
    return sorted(re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception): .*", said, re.MULTILINE))


def timeless(data: Any) -> Any:
    """Return data without what differs from run to run by nature."""
    if isinstance(data, dict):
        clock = isinstance(data.get("name"), dict) and data["name"].get("name") == "inference_runtime"
        return {} if clock else {key: timeless(value) for key, value in data.items() if key not in CLOCKS}
    return [timeless(each) for each in data] if isinstance(data, list) else data


@pytest.fixture
def folders(tmp_path: Path) -> dict[bool, Path]:
    """Two working directories with made-up data of mmlu: one for the run without the plug-in, one with it.

    Their .env is a pipe that nobody writes to: whoever opens it waits for ever.
    """
    found = {hide: tmp_path / ("without" if hide else "with") for hide in (True, False)}
    for folder in found.values():
        write_suite(folder, "mmlu")
        os.mkfifo(folder / ".env")
    return found


def both(folders: dict[bool, Path], *arguments: object, ok: bool = True, **environment: str) -> list[dict[str, Any]]:
    """Return what the runs without and with the plug-in were like, which left the same files, ended alike, complained
    of the same, and changed nothing.
    """
    bare, guest = (guest_run(folder, *arguments, hide=hide, ok=ok, **environment) for hide, folder in folders.items())
    assert guest["code"] == bare["code"]
    assert (bare["code"] == 0) is ok
    assert complaint(guest["said"]) == complaint(bare["said"])
    assert files(folders[False]) == files(folders[True])
    assert names(folders[False]) == names(folders[True])
    assert cached(folders[False]) == cached(folders[True])
    assert bare.pop("modules") == []
    assert guest["replaced"] == []
    for name in ("signals", "environment", "gc", "hooks", "at exit"):
        assert guest[name] == bare[name], name
    return [bare, guest]


def test_another_entry_runs_as_without_the_package(folders: dict[bool, Path]) -> None:
    """Same statistics; no attribute, signal handler, variable, hook or setting differs, and few modules are added."""
    bare, guest = both(folders, "--run-entries", f"{MMLU},model=simple/model1")
    assert len(guest["modules"]) <= 12
    assert set(guest["others"]) <= set(bare["others"])


def odd_answer(body: Body) -> tuple[int, Body]:
    """Answer with two choices and log probabilities; a second model has no words."""
    words = None if body["model"] == "gpt-4o" else "A"
    choices = [
        {"index": number, "finish_reason": "stop", "message": {"role": "assistant", "content": words},
         "logprobs": {"content": [{"token": "A", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}}
        for number in range(2)
    ]  # fmt: skip
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return 200, {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": choices,
                 "usage": usage}  # fmt: skip


def test_another_entry_keeps_helms_own_litellm(folders: dict[bool, Path], server: OpenAIServer) -> None:
    """A litellm/ deployment is served by HELM's client: same requests, cache and files for answers with two choices and
    log probabilities, same errors and exit code for null.
    """
    server.answer = odd_answer
    key = {"OPENAI_API_KEY": "sk-test-1234", "OPENAI_API_BASE": server.url, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    entries = [f"{MMLU},model=litellm/openai/{model}" for model in ("gpt-4o-mini", "gpt-4o")]
    bare, guest = both(folders, "--run-entries", *entries, ok=False, **key)
    assert "ValueError: Response content was `None`" in bare["said"]
    assert any(name.startswith("mmlu") and name.endswith("/stats.json") for name in files(folders[False]))
    (answer, *_) = cached(folders[False]).values()
    assert len(answer["choices"]) == 2
    half = len(server.requests) // 2
    assert half
    assert sorted(map(str, server.requests[:half])) == sorted(map(str, server.requests[half:]))
    assert "helm_impactbench.helm.litellm_client" not in guest["modules"]


def test_a_model_of_hugging_face_is_enabled_as_without_the_package(folders: dict[bool, Path]) -> None:
    """Registered, tokenized with, and failing where its weights are missing: same errors, files and exit code."""
    for folder in folders.values():
        write_model_without_weights(folder / "tiny/model")
    entry = f"{MMLU},model=tiny/model"
    bare, _ = both(folders, "--enable-huggingface-models", "tiny/model", "--run-entries", entry, ok=False,
                   HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1")  # fmt: skip
    assert "Registered default metadata for model tiny/model" in bare["said"]
    assert complaint(bare["said"])[-1].startswith("helm.benchmark.runner.RunnerError: Failed runs: ")


def write_model_without_weights(folder: Path) -> None:
    """Write the configuration of a language model, and a tokenizer of single characters."""
    folder.mkdir(parents=True)
    letters = Tokenizer(models.WordLevel({letter: number for number, letter in enumerate(string.printable)}, "?"))
    letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    letters.save(str(folder / "tokenizer.json"))
    kind = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 1024, "unk_token": "?", "eos_token": "?"}
    (folder / "tokenizer_config.json").write_text(json.dumps(kind))
    sizes = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 1024, "vocab_size": len(string.printable)}
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", **sizes}))


def test_a_signal_in_a_long_call_ends_at_once(folders: dict[bool, Path], server: OpenAIServer) -> None:
    """SIGTERM ends the process by the signal, within seconds, whatever call is on its way: as in bare HELM."""
    asked = threading.Event()

    def slow(body: Body) -> str:
        asked.set()
        time.sleep(LONG_CALL)
        return "A"

    server.answer = slow
    key = {"OPENAI_API_KEY": "sk-test-1234", "OPENAI_API_BASE": server.url, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    ends = {}
    for hide, folder in folders.items():
        asked.clear()
        command, settings = guest_command(folder, "--run-entries", f"{MMLU},model=litellm/openai/a", hide=hide, **key)
        with subprocess.Popen([BIN / command[0], *command[1:]], cwd=folder, env=command_environment(**settings),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:  # fmt: skip
            assert asked.wait(TIMEOUT)
            running.send_signal(signal.SIGTERM)
            begun = time.monotonic()
            _, said = running.communicate()
            taken = time.monotonic() - begun
        ends[hide] = (running.returncode, b"impactbench" in said)
        assert taken < LONG_CALL / 2
    assert ends[False] == ends[True] == (-signal.SIGTERM, False)


def test_scripted_models_answer_others_entries_and_change_nothing_else(folders: dict[bool, Path]) -> None:
    """rehearsal/ is a name of ours; to use it in an entry of HELM's sets up no more than the model."""
    guest = guest_run(folders[False], "--run-entries", MMLU, "--models-to-run", "rehearsal/supportive", hide=False)
    assert guest["replaced"] == []
    assert guest["signals"]["SIGINT"] == "_signal.default_int_handler"
    assert "Could not find model metadata" not in guest["said"]


PLUGIN = """
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.run_spec import run_spec_function
from helm.benchmark.run_specs.lite_run_specs import get_mmlu_spec

@run_spec_function("NAME")
def get_spec(**options):
    return get_mmlu_spec(**options)

register_model_deployment(ModelDeployment(
    "others/model", ClientSpec("helm.clients.simple_client.SimpleClient"), tokenizer_name="simple/tokenizer1",
    max_sequence_length=2048,
))
"""


def plugin_run(folders: dict[bool, Path], name: str) -> tuple[object, ...]:
    """Return the arguments of a helm-run with somebody's plug-in, which has a run spec and a model of its own."""
    for folder in folders.values():
        (folder / "others.py").write_text(PLUGIN.replace("NAME", name))
    entry = f"{name}:subject=anatomy"
    return ("--plugins", "./others.py", "--run-entries", entry, "--models-to-run", "others/model")


def test_a_plug_in_of_others_runs_as_without_the_package(folders: dict[bool, Path]) -> None:
    """Its run spec and its model are known to nobody before --plugins is read."""
    both(folders, *plugin_run(folders, "theirs"))


def test_names_that_others_register_later_are_not_refused(folders: dict[bool, Path]) -> None:
    """A run spec that is called nearly as ours, and a model that only --plugins makes known.

    Where a name is that near, an exception that ends HELM is looked at once more; nothing else is touched.
    """
    folder = folders[False]
    guest = guest_run(folder, *plugin_run(folders, "impactbenchs"), hide=False)
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
    assert helm.total(helm.run_folder(folder, "s", "mini"), "pass_rate")[1]
