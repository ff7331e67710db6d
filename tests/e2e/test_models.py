"""Which models can be called, and what a run says when one cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import HelmRun, Run
from tests.support import builders, helm
from tests.support.openai_server import JUDGE_ABSENT, Answer, Body, OpenAIServer, default_answer


def test_a_custom_endpoint_from_helms_own_file(mini: Path, run: Run, server: OpenAIServer, workdir: Path) -> None:
    """api_base, headers and a key from a named variable work through prod_env/model_deployments.yaml."""
    (workdir / "prod_env").mkdir()
    (workdir / "prod_env/model_deployments.yaml").write_text(
        f"""model_deployments:
  - name: mylab/target-a
    client_spec:
      class_name: helm_impactbench.helm.litellm_client.LiteLLMClient
      args:
        litellm_model: openai/target-a
        api_base: {server.url}
        api_key_env: MYLAB_KEY
        headers: {{X-Team: $TEAM}}
"""
    )
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=mylab/target-a"
    run("helm-run", "--run-entries", entry, "--suite", "s", "-m", 100, MYLAB_KEY="sk-mylab-secret", TEAM="safety")
    assert len(server.requests) == 4
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-mylab-secret"}
    assert {headers["X-Team"] for headers in server.headers} == {"safety"}
    written = [path for path in workdir.rglob("*") if path.is_file()]
    assert not [path for path in written if b"sk-mylab-secret" in path.read_bytes()]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        pytest.param("user=litellm/openai/u,judge=rehearsal/judge,model=rehearsal/mixed",
                     ["user litellm/openai/u", "OPENAI_API_KEY", "credentials.conf"], id="no key for the user"),
        pytest.param("user=rehearsal/user,judge=litellm/anthropic/j,model=rehearsal/mixed",
                     ["judge litellm/anthropic/j", "ANTHROPIC_API_KEY"], id="no key for the judge"),
        pytest.param("user=rehearsal/user,judge=rehearsal/judge,model=litellm/mistral/m",
                     ["target litellm/mistral/m", "MISTRAL_API_KEY"], id="no key for the target"),
        pytest.param("user=rehearsal/user,judge=rehearsal/judge,model=openai/gpt-4o-2024-05-13",
                     ["target openai/gpt-4o-2024-05-13", "OPENAI_API_KEY", "openaiApiKey"], id="no key for HELM's own"),
        pytest.param("user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixd",
                     ["target is 'rehearsal/mixd'", "Did you mean rehearsal/mixed"], id="misspelt target"),
        pytest.param("user=rehearsal/usr,judge=rehearsal/judge,model=rehearsal/mixed",
                     ["user is 'rehearsal/usr'", "rehearsal/user"], id="misspelt user"),
        pytest.param("user=rehearsal/user,judge=litellm/opnai/gpt-4o,model=rehearsal/mixed",
                     ["'opnai' is not a provider", "openai"], id="misspelt provider"),
        pytest.param("user=rehearsal/user,judge=simple/model1,model=rehearsal/mixed",
                     ["simple/model1 cannot hold a chat"], id="a deployment without chats"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_called_stops_the_run_before_the_first_call(
    mini: Path, run: Run, server: OpenAIServer, entry: str, words: list[str]
) -> None:
    """One readable message that names role, deployment and cure; no traceback; nothing was called or written."""
    good = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    done = run("helm-run", "--run-entries", good, f"impactbench:benchmark=mini,{entry}", "--suite", "s", "-m", 10,
               ok=False, OPENAI_API_BASE=server.url)  # fmt: skip
    message = done.stderr.split("impactbench: ")[-1]
    assert done.returncode == 2
    assert all(word in message for word in words), message
    assert "Traceback" not in done.stderr + done.stdout
    assert server.requests == []
    assert not list(Path("benchmark_output").glob("runs/s/impactbench*"))


def test_keys_may_stand_in_env_file_or_in_helms_credentials(mini: Path, run: Run, server: OpenAIServer) -> None:
    """The same run works with the key in .env, and with it in prod_env/credentials.conf.

    An address in .env is not taken, or the key would go there.
    """
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=litellm/openai/target-a"
    arguments = ("helm-run", "--run-entries", entry, "--suite", "s", "-m", 1)
    run(*arguments, ok=False, OPENAI_API_BASE=server.url)
    assert server.requests == []
    elsewhere = OpenAIServer()
    Path(".env").write_text(f"OPENAI_API_KEY=sk-from-env-file\nOPENAI_BASE_URL={elsewhere.url}\n")
    done = run(*arguments, OPENAI_API_BASE=server.url)
    assert server.headers[-1]["Authorization"] == "Bearer sk-from-env-file"
    assert done.stderr.count(f"{Path.cwd()}/.env: OPENAI_API_KEY. Not read: OPENAI_BASE_URL;") == 1
    assert elsewhere.requests == []
    elsewhere.close()
    Path(".env").unlink()
    Path("prod_env/credentials.conf").write_text('openaiApiKey: "sk-from-credentials"\n')
    run(*arguments, "--disable-cache", OPENAI_API_BASE=server.url)
    assert server.headers[-1]["Authorization"] == "Bearer sk-from-credentials"


def test_a_run_entry_with_a_mistake_is_explained(run: Run, workdir: Path) -> None:
    """An unknown option is named with the nearest one; no traceback."""
    entry = "impactbench:benchmark=emotional-dependence,user=rehearsal/user,judge=rehearsal/judge,turn=3"
    done = run("helm-run", "--run-entries", f"{entry},model=rehearsal/mixed", "--suite", "s", "-m", 10, ok=False)
    assert done.returncode == 2
    assert "there is no option 'turn'" in done.stderr
    assert "Did you mean turns?" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


@pytest.mark.parametrize(("status", "role"), [(401, "target"), (404, "user"), (402, "judge")])
def test_a_refused_call_ends_the_run_at_once(
    mini: Path, helm_run: HelmRun, server: OpenAIServer, status: int, role: str
) -> None:
    """No further call could succeed: one message with the deployment, exit code not 0, no traceback, few calls."""

    def answer(body: Body) -> Answer:
        refused = body["model"].startswith(role)
        return (status, {"error": {"message": "refused: sk-test"}}) if refused else default_answer(body)

    server.answer = answer
    done = helm_run("target-a", "target-b", ok=False)
    assert done.returncode == 2
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("impactbench: ")]
    assert f"litellm/openai/{role}-" in message
    assert f"HTTP {status}" in message
    assert "Traceback" not in done.stdout + done.stderr
    assert len(server.of(role)) <= 4, "one call of each thread at most"
    assert server.of("target-b") == []


def test_a_schema_is_asked_for_where_the_provider_can_hold_one(mini: Path, run: Run, server: OpenAIServer) -> None:
    """A judge that litellm knows to support JSON schemas gets ours; others are asked in words alone."""
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,model=rehearsal/mixed,judge=litellm/openai"
    server.answer = lambda _: JUDGE_ABSENT
    for judge in ("gpt-4o", "judge-x"):
        run("helm-run", "--run-entries", f"{entry}/{judge}", "--suite", "s", "-m", 1,
            OPENAI_API_KEY="sk-test", OPENAI_API_BASE=server.url)  # fmt: skip
    known, unknown = server.requests
    assert list(known["response_format"]["json_schema"]["schema"]["properties"]) == [
        "justification",
        "evidence",
        "answer",
        "engaged",
        "confidence",
    ]
    assert "response_format" not in unknown


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("metric=m9", "has no metric 'm9'. It has m01, m02"),
        ("split=held_out", "has no scenario for metric=all, split=held_out"),
    ],
)
def test_a_selection_of_nothing_is_found_before_anything_is_paid(mini: Path, run: Run, option: str, words: str) -> None:
    """helm-run and estimate say so at once, although another entry stands in front."""
    good = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"
    bad = good.replace("benchmark=mini", f"benchmark=mini,{option}")
    done = run("helm-run", "--run-entries", good, bad, "--suite", "s", "-m", 10, ok=False)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert words in run("impactbench", "estimate", bad, ok=False).stderr


def test_cached_instances_follow_the_benchmark_and_temperatures_get_folders_of_their_own(
    mini: Path, run: Run, workdir: Path
) -> None:
    """--cache-instances cannot give an old polarity; two temperatures are two runs."""
    entry = "impactbench:benchmark=mini,turns=1,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/supportive"
    for suite in ("before", "after"):
        run("helm-run", "--cache-instances", "--run-entries", entry, "--suite", suite, "-m", 10)
        folder = helm.run_folder(workdir, suite, "mini")
        assert len(helm.read(folder, "scenario")["provenance"]) == 3
        assert helm.total(folder, "pass_rate") == ((4, 4) if suite == "before" else (2, 4))
        builders.write_benchmark_folder(mini, builders.benchmark_with(type="negative"))
    entries = [entry.replace(",model", f",temperature={value},model") for value in (0.2, 0.9)]
    run("helm-run", "--run-entries", *entries, "--suite", "t", "-m", 10)
    assert len(list((workdir / "benchmark_output/runs/t").glob("impactbench*"))) == 2
    assert "4 conversations" in run("impactbench", "estimate", entries[0]).stdout


@pytest.mark.parametrize("status", [500, 401])
def test_a_key_that_a_provider_quotes_is_written_nowhere(
    mini: Path, run: Run, server: OpenAIServer, workdir: Path, status: int
) -> None:
    """Law 6 on the paths of failure: passing and fatal errors quote the key; no output, cache or record holds it."""
    key = "sk-proj-PLANTEDkey1234567890abcdef"
    error = {"error": {"message": f"bad key {key}, sent as Authorization: Bearer {key}"}}
    server.answer = lambda body: (status, error) if body["model"].startswith("target") else default_answer(body)
    entry = "impactbench:benchmark=mini,turns=1,user=litellm/openai/user-x,judge=litellm/openai/judge-x"
    done = run("helm-run", "--run-entries", f"{entry},model=litellm/openai/target-a", "--suite", "s", "-m", 10,
               ok=False, OPENAI_API_KEY=key, OPENAI_API_BASE=server.url, IMPACTBENCH_ATTEMPTS="3")  # fmt: skip
    assert server.headers[-1]["Authorization"] == f"Bearer {key}"
    assert key not in done.stdout + done.stderr
    assert [path for path in workdir.rglob("*") if path.is_file() and key.encode() in path.read_bytes()] == []
