"""A model's name that is wrong, of whatever kind, ends in one message before or at the first call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import run_command
from tests.support.openai_server import OpenAIServer, default_answer

KNOWN = ("user-x", "judge-x")
ROLES = {"user": "litellm/openai/user-x", "judge": "litellm/openai/judge-x"}


def answer(body: dict[str, Any]) -> Any:
    """Know two models, and refuse others as OpenAI does."""
    if body["model"] in KNOWN:
        return default_answer(body)
    text = f"The model `{body['model']}` does not exist or you do not have access to it."
    return 404, {"error": {"message": text, "type": "invalid_request_error", "code": "model_not_found"}}


@pytest.fixture
def provider(workdir: Path) -> Any:
    """A server that knows two models; an endpoint of one's own leads to it too."""
    server = OpenAIServer(answer=answer, models=("llama-9", "mistral-7"))
    (workdir / "prod_env").mkdir()
    client = {"class_name": "helm_impactbench.helm.litellm_client.LiteLLMClient",
              "args": {"litellm_model": "openai/llama-99", "api_base": server.url}}  # fmt: skip
    own = [
        {"name": "mylab/llama-99", "model_name": "mylab/llama-99", "client_spec": client},
        {"name": "openai/gpt-99", "model_name": "openai/gpt-99", "tokenizer_name": "openai/cl100k_base",
         "max_sequence_length": 8000, "client_spec": {"class_name": "helm.clients.openai_client.OpenAIClient"}},
    ]  # fmt: skip
    (workdir / "prod_env/model_deployments.yaml").write_text(yaml.safe_dump({"model_deployments": own}))
    yield server
    server.close()


NAMES = (
    (
        "litellm/opnai/gpt-4o",
        False,
        "'opnai' is not a provider of litellm. litellm reaches it as litellm/openai/gpt-4o",
    ),
    ("opnai/gpt-4o-2024-05-13", False, "litellm reaches it as litellm/openai/gpt-4o-2024-05-13"),
    ("rehearsal/mixd", False, "Did you mean rehearsal/mixed"),
    ("litellm/openai/gpt-4o-minni", True, "It has llama-9, mistral-7."),
    ("openai/gpt-4o-2024-05-31", True, "Did you mean openai/gpt-4o-2024-05-13"),
    ("openai/gpt-99", True, "the provider does not know this model"),
    ("mylab/llama-99", True, "Did you mean llama-9?"),
)


@pytest.mark.parametrize(
    ("name", "is_called", "words", "role"),
    [*((*case, "target") for case in NAMES), *((*case, "judge") for case in NAMES if case[1])],
)
def test_a_wrong_name_ends_in_one_message(
    mini: Path, workdir: Path, provider: OpenAIServer, name: str, is_called: bool, words: str, role: str
) -> None:
    """It names the role, the model and the nearest name there is; no traceback, no second message, exit code 2."""
    roles = ROLES if role == "target" else {**ROLES, "judge": name}
    target = name if role == "target" else "rehearsal/mixed"
    entry = f"impactbench:benchmark=mini,user={roles['user']},judge={roles['judge']},model={target}"
    keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": provider.url, "OPENAI_BASE_URL": provider.url}
    command = ("helm-run", "--run-entries", entry, "--suite", "s", "-m", 100, "-n", 8)
    done = run_command(*command, cwd=workdir, ok=False, **keys)
    said = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    assert done.returncode == 2
    assert len(said) == 1, said
    assert f"The {role} " in said[0] or "rehearsal model" in said[0]
    assert name in said[0]
    assert words in said[0]
    assert "Traceback" not in done.stdout + done.stderr
    assert bool(provider.requests) == is_called
