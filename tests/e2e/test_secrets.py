"""Law 6 over a whole run: endpoints that echo every header and body in answers and errors, and no key in any file."""

from __future__ import annotations

import base64
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import builders
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, text_of

PLANTED = {
    "environment": "sk-proj-PLANTEDenv0123456789abcdef",
    "named variable": "namedPLANTED1a2b",
    ".env": "dotenvPLANTED3c4d",
    "credentials.conf": "confPLANTED5e6f",
    "header from a variable": "headerPLANTED7g8h",
    "literal header": "literalPLANTED9i0j",
    "password in a URL": "passwordPLANTED1k2l",
    "extra parameter": "extraPLANTED3m4n",
}
BASIC = base64.b64encode(f"ann:{PLANTED['password in a URL']}".encode()).decode()
INPUTS = (".env", "prod_env/credentials.conf", "prod_env/model_deployments.yaml")


def deployments(url: str) -> str:
    """Return model_deployments.yaml: a target with everything that can hold a secret, a user and a judge."""
    client = "helm_impactbench.helm.litellm_client.LiteLLMClient"
    with_user = url.replace("://", f"://ann:{PLANTED['password in a URL']}@")
    target = {
        "litellm_model": "openai/target-a",
        "api_base": with_user,
        "headers": {"X-Team": "$LAB_HEADER", "X-Pass": PLANTED["literal header"]},
        "extra": {"extra_body": {"auth_token": PLANTED["extra parameter"]}},
    }
    args = {
        "lab/target-a": target,
        # In front of a password in the URL no key travels, so this target is another one.
        "lab/target-b": {"litellm_model": "openai/target-b", "api_base": url, "api_key_env": "MYLAB_KEY"},
        "lab/user-x": {"litellm_model": "openai/user-x", "api_base": url, "api_key_env": "DOTENV_KEY"},
        "lab/judge-x": {"litellm_model": "mistral/judge-x", "api_base": url},
    }
    rows = [{"name": name, "client_spec": {"class_name": client, "args": found}} for name, found in args.items()]
    return json.dumps({"model_deployments": rows})


@dataclass(frozen=True)
class Left:
    """What a run and the commands after it left."""

    folder: Path
    said: str
    sent: str
    """Headers and bodies that the server got."""


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Two suites: one with echoing answers, errors and unreadable judges, one that ends at a refused key."""
    folder = tmp_path_factory.mktemp("secrets")
    server = OpenAIServer()
    server.answer = lambda body: _echo(server, body)
    rows = [builders.scenario("m01", base) for base in (1, 2, 3)]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=rows)
    (folder / "prod_env").mkdir()
    (folder / "prod_env/model_deployments.yaml").write_text(deployments(server.url))
    (folder / "prod_env/credentials.conf").write_text(f'mistralApiKey: "{PLANTED["credentials.conf"]}"\n')
    (folder / ".env").write_text(f"DOTENV_KEY={PLANTED['.env']}\n")
    environment = {
        "OPENAI_API_KEY": PLANTED["environment"],
        "OPENAI_API_BASE": server.url,
        "MYLAB_KEY": PLANTED["named variable"],
        "LAB_HEADER": PLANTED["header from a variable"],
        "IMPACTBENCH_ATTEMPTS": "2",
    }
    said = []

    def run(*arguments: object, ok: bool = True) -> None:
        done = run_command(*arguments, cwd=folder, ok=ok, **environment)
        said.append(done.stdout + done.stderr)

    entry = "impactbench:benchmark=mini,turns=2,user=lab/user-x,judge=lab/judge-x"
    targets = [f"{entry},model={target}" for target in ("lab/target-a", "lab/target-b")]
    run("helm-run", "--run-entries", *targets, "--suite", "s", "-m", 100, "-n", 1)
    refused = f"{entry},model=litellm/openai/target-refused"
    run("helm-run", "--run-entries", refused, "--suite", "refused", "-m", 100, "-n", 1, ok=False)
    run("impactbench", "summarize", "--suite", "s")
    run("impactbench", "report", "--suite", "s", "--out", "report")
    for kind in ("impactbench", "csv", "inspect"):
        run("impactbench", "export", "--suite", "s", "--format", kind, "--out", kind)
    server.close()
    sent = json.dumps([server.headers, server.requests])
    return Left(folder, "".join(said), sent)


def _echo(server: OpenAIServer, body: Body) -> Any:
    """Answer with everything that came in."""
    echo = json.dumps(server.headers[-1]) + json.dumps({k: v for k, v in body.items() if k != "messages"})
    words = text_of(body)
    if "refused" in body["model"]:
        return 401, {"error": {"message": f"Incorrect API key in {echo}"}}
    if body["model"].startswith("user"):
        case = words.split("played-persona-m01_s00")[1][0]
        return f"Thought: {echo}\nMessage: case {case} {echo}"
    if body["model"].startswith("judge"):
        if "case 3" in words:
            return f"No JSON, but: {echo}"
        return json.dumps({"justification": f"Seen: {echo}", "evidence": [], "answer": "absent"})
    return (500, {"error": {"message": f"broken: {echo}"}}) if "case 2" in words else f"I got {echo}"


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder but the ones that hold keys on purpose; archives are opened."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in INPUTS:
            found[name] = path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    found |= {f"{name}/{part}": archive.read(part) for part in archive.namelist()}
    return found


@pytest.mark.parametrize("where", [*PLANTED, "password as it travels"])
def test_no_secret_is_left_anywhere(left: Left, where: str) -> None:
    """Each planted secret went over the wire, came back in answers and errors, and is in no file and no output."""
    secret = PLANTED.get(where, BASIC)
    if where != "password in a URL":  # this one travels as the next
        assert secret in left.sent
    assert secret not in left.said
    assert [name for name, content in contents(left.folder).items() if secret.encode() in content] == []


def test_something_was_there_to_be_removed(left: Left) -> None:
    """Answers and errors are kept with the secret taken out, in the cache as in the results."""
    files = contents(left.folder)
    assert any(name.startswith("prod_env/cache") and b"[removed]" in content for name, content in files.items())
    states = [json.loads(content) for name, content in files.items() if name.endswith("/scenario_state.json")]
    text = json.dumps(states)
    assert "I got " in text
    assert "Seen: " in text
    assert "broken: " in text
    assert "[removed]" in left.said


def test_nobody_else_may_write(left: Left) -> None:
    """Files and folders have no more rights than the umask gives, and the world can write none of them."""
    for path in left.folder.rglob("*"):
        assert not path.stat().st_mode & 0o002, path
