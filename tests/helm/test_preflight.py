"""What is found missing before the first call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment

from helm_impactbench.errors import MissingKeyError, ModelError
from helm_impactbench.helm.preflight import check_deployment, check_deployments
from helm_impactbench.llm.credentials import Credentials


def test_a_header_whose_variable_is_missing_is_named_with_role_and_deployment(tmp_path: Path) -> None:
    """As a missing key is; the deployment would send the variable's name."""
    arguments = {"litellm_model": "openai/m", "api_base": "http://host/v1", "headers": {"X-Team": "$NO_SUCH_TEAM"}}
    client = ClientSpec("helm_impactbench.helm.litellm_client.LiteLLMClient", arguments)
    register_model_deployment(ModelDeployment("mylab/header", client))
    with pytest.raises(MissingKeyError, match=r"The judge mylab/header: its headers name \$NO_SUCH_TEAM, and there is"):
        check_deployment("mylab/header", "judge", Credentials(tmp_path))


@pytest.mark.parametrize("arguments", [{"headers": ["Bearer x"]}, {"headers": "x"}, {"extra": {"timeout": 60}}])
def test_arguments_that_no_call_can_be_made_with_end_in_one_message(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """Before anything is paid, with role, deployment and file."""
    client = ClientSpec(
        "helm_impactbench.helm.litellm_client.LiteLLMClient", {"litellm_model": "openai/m", **arguments}
    )
    register_model_deployment(ModelDeployment("mylab/odd", client))
    with pytest.raises(ModelError, match=r"^The judge mylab/odd: (headers|extra) .*/model_deployments\.yaml\.$"):
        check_deployment("mylab/odd", "judge", Credentials(tmp_path))


def test_relatives_are_named_once_before_the_first_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """HELM makes a run spec several times; a judge of the target's family is a line on standard error, not an error."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    roles = [("target", "litellm/openai/gpt-4o"), ("judge", "litellm/openai/gpt-4o-mini")]
    for _ in range(3):
        check_deployments(roles)
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "family" in line]
    assert line.startswith(
        "impactbench: The judge litellm/openai/gpt-4o-mini is of the family of litellm/openai/gpt-4o"
    )


def test_a_key_that_is_set_after_it_was_missing_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the same notebook: only that a deployment can be used is remembered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XAI_API_KEY", raising=False)
    roles = [("user", "litellm/xai/grok-4")]
    with pytest.raises(MissingKeyError, match="Set XAI_API_KEY"):
        check_deployments(roles)
    monkeypatch.setenv("XAI_API_KEY", "sk-test")
    check_deployments(roles)


def test_a_key_that_several_models_need_is_missing_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One sentence names them all, and where to set the key; another provider's key is a sentence of its own."""
    monkeypatch.chdir(tmp_path)
    for variable in ("DEEPSEEK_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    roles = [("target", "litellm/deepseek/deepseek-chat"), ("user", "litellm/deepseek/deepseek-chat"),
             ("judge", "litellm/mistral/mistral-small-latest")]  # fmt: skip
    with pytest.raises(MissingKeyError) as raised:
        check_deployments(roles)
    first, second = str(raised.value).splitlines()
    assert first.startswith(
        "The target litellm/deepseek/deepseek-chat and the user litellm/deepseek/deepseek-chat need a key that is not "
        "set. Set DEEPSEEK_API_KEY in the environment"
    )
    assert second.startswith("The judge litellm/mistral/mistral-small-latest needs a key that is not set. Set MISTRAL")


def test_a_default_that_nobody_named_is_called_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With what to add to the entry; not where the entry names it, and not for the target."""
    monkeypatch.chdir(tmp_path)
    name = "litellm/deepseek/deepseek-chat"
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    monkeypatch.setenv("IMPACTBENCH_USER", name)
    monkeypatch.setenv("IMPACTBENCH_JUDGE", f"rehearsal/judge+{name}")
    shown = {}
    for entry in ("benchmark=mini,model=x", f"benchmark=mini,user={name},judge={name},model=x"):
        monkeypatch.setattr("sys.argv", ["helm-run", "-r", f"impactbench:{entry}", "--suite", "s"])
        with pytest.raises(MissingKeyError) as raised:
            check_deployments([("target", name), ("user", name), ("judge", name)])
        shown[entry] = str(raised.value)
    unnamed, named = shown.values()
    assert unnamed.startswith(
        f"The target {name}, the user {name} (the default, because the entry has no user=; add user= and judge= to "
        f"choose others) and the judge {name} (the default, because the entry has no judge=;"
    )
    assert "default" not in named


def test_an_own_key_variable_is_not_looked_for_in_the_credentials(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """api_key_env of a deployment is read from the environment and .env alone, so only these are named."""
    monkeypatch.chdir(tmp_path)
    arguments = {"litellm_model": "openai/x", "api_base": "http://127.0.0.1:9", "api_key_env": "MYLAB_KEY"}
    client = ClientSpec("helm_impactbench.helm.litellm_client.LiteLLMClient", arguments)
    register_model_deployment(ModelDeployment("mylab/llama", client))
    with pytest.raises(MissingKeyError) as raised:
        check_deployments([("target", "mylab/llama")])
    assert str(raised.value) == (
        "The target mylab/llama needs a key that is not set. Set MYLAB_KEY in the environment or in .env."
    )
