"""Law 6 over a whole run: endpoints that echo every header and body in answers and errors, and no key in any file."""

from __future__ import annotations

import base64
import html
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from tests.support import builders
from tests.support.batch_server import BatchServer
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
    "query of a URL": "query/PLANTED+3m4n",
    "extra header": "moreheadPLANTED5o6p",
    "extra parameter": "extraPLANTED7q8r",
    "extra parameter of a batch": "batchPLANTED9s0t",
}
LEAKED = {
    "variable by a word of its name": "wordPLANTEDnodigit",
    "password of a URL in a variable": "feedPLANTED1u2v",
    "key of a deployment in credentials.conf": "deployPLANTED3w4x",
}
"""These go nowhere; the server knows them all the same."""
BASIC = base64.b64encode(f"ann:{PLANTED['password in a URL']}".encode()).decode()
INPUTS = (".env", "prod_env/credentials.conf", "prod_env/model_deployments.yaml")


def deployments(url: str) -> str:
    """Return model_deployments.yaml: a target with everything that can hold a secret, a user and two judges."""
    client = "helm_impactbench.helm.litellm_client.LiteLLMClient"
    with_user = url.replace("://", f"://ann:{PLANTED['password in a URL']}@")
    target = {
        "litellm_model": "openai/target-a",
        "api_base": f"{with_user}?sig={quote_plus(PLANTED['query of a URL'])}",
        "headers": {"X-Team": "$LAB_HEADER", "X-Pass": PLANTED["literal header"]},
        "extra": {"extra_body": {"auth_token": PLANTED["extra parameter"]}},
    }
    more_headers = {"X-Lab": f"Bearer {PLANTED['extra header']}"}
    in_batches = {"extra_body": {"access_token": PLANTED["extra parameter of a batch"]}}
    user = {"litellm_model": "openai/user-x", "api_base": url, "api_key_env": "DOTENV_KEY", "headers": more_headers}
    args = {
        "lab/target-a": target,
        # In front of a password in the URL no key travels, so this target is another one.
        "lab/target-b": {"litellm_model": "openai/target-b", "api_base": url, "api_key_env": "MYLAB_KEY"},
        "lab/user-x": user,
        "lab/judge-x": {"litellm_model": "mistral/judge-x", "api_base": url},
        "lab/judge-b": {"litellm_model": "openai/judge-b", "api_base": url, "extra": in_batches},
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
    """Three suites: echoing answers, errors and unreadable judges; a judge in batches; an end at a refused key."""
    folder = tmp_path_factory.mktemp("secrets")
    server = BatchServer()
    server.answer = lambda body: _echo(server, body)
    rows = [builders.scenario("m01", base) for base in (1, 2, 3)]
    builders.write_benchmark_folder(folder / "benchmarks/mini", scenarios=rows)
    (folder / "prod_env").mkdir()
    (folder / "prod_env/model_deployments.yaml").write_text(deployments(server.url))
    own = LEAKED["key of a deployment in credentials.conf"]
    (folder / "prod_env/credentials.conf").write_text(
        f'mistralApiKey: "{PLANTED["credentials.conf"]}"\ndeployments: {{"a/b": "{own}"}}\n'
    )
    (folder / ".env").write_text(f"DOTENV_KEY={PLANTED['.env']}\n")
    environment = {
        "OPENAI_API_KEY": PLANTED["environment"],
        "OPENAI_API_BASE": server.url,
        "MYLAB_KEY": PLANTED["named variable"],
        "LAB_HEADER": PLANTED["header from a variable"],
        "DB_PWD": LEAKED["variable by a word of its name"],
        "NEWS_FEED": f"https://me:{LEAKED['password of a URL in a variable']}@feed.example/",
        "IMPACTBENCH_ATTEMPTS": "2",
    }
    said = []

    def run(*arguments: object, ok: bool = True, **more: str) -> None:
        done = run_command(*arguments, cwd=folder, ok=ok, **environment, **more)
        said.append(done.stdout + done.stderr)

    entry = "impactbench:benchmark=mini,turns=2,user=lab/user-x"
    targets = [f"{entry},judge=lab/judge-x,model={target}" for target in ("lab/target-a", "lab/target-b")]
    run("helm-run", "--run-entries", *targets, "--suite", "s", "-m", 100, "-n", 1)
    refused = f"{entry},judge=lab/judge-x,model=litellm/openai/target-refused"
    run("helm-run", "--run-entries", refused, "--suite", "refused", "-m", 100, "-n", 1, ok=False)
    in_batches = ("helm-run", "--run-entries", f"{entry},judge=lab/judge-b,model=lab/target-b", "--suite", "b",
                  "-m", 100, "-n", 1)  # fmt: skip
    run(*in_batches, IMPACTBENCH_JUDGE_CALLS="batch")
    run("impactbench", "batch", "--suite", "b")
    run(*in_batches)
    run("impactbench", "summarize", "--suite", "s")
    run("impactbench", "report", "--suite", "s", "--out-dir", "report")
    for kind in ("impactbench", "csv", "inspect"):
        run("impactbench", "export", "--suite", "s", "--format", kind, "--out-dir", kind)
    server.close()
    sent = json.dumps([server.headers, server.requests, server.sent()])
    return Left(folder, "".join(said), sent)


def _echo(server: OpenAIServer, body: Body) -> Any:
    """Answer with everything that came in, and what the server knows besides, in four forms."""
    words = text_of(body)
    plain = json.dumps(server.headers[-1]) + json.dumps({k: v for k, v in body.items() if k != "messages"})
    plain += " ".join(LEAKED.values())
    echo = f"{plain} {quote(plain)} {base64.b64encode(plain.encode()).decode()} {html.escape(plain)}"
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


def forms(secret: str) -> set[str]:
    """Return a secret as it is, percent-encoded, and in base64 wherever it may begin there."""
    padded = [base64.b64encode(b"x" * before + secret.encode()).decode().rstrip("=") for before in range(3)]
    return {secret, quote(secret), quote_plus(secret), *(text[4 if i else 0 : -1] for i, text in enumerate(padded))}


@pytest.mark.parametrize("where", [*PLANTED, "password as it travels", *LEAKED])
def test_no_secret_is_left_anywhere(left: Left, where: str) -> None:
    """Each secret came back in answers and errors of three kinds of runs, and is in no file and no output, whether
    plain, percent-encoded or in base64.
    """
    secret = {**PLANTED, **LEAKED}.get(where, BASIC)
    if where not in {"password in a URL", *LEAKED}:  # the password travels in another form
        assert any(form in left.sent for form in forms(secret))
    for form in forms(secret):
        assert form not in left.said
        assert [name for name, content in contents(left.folder).items() if form.encode() in content] == []


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
    assert any(name.endswith("judge-batch/batches.json") for name in files)


def test_nobody_else_may_write(left: Left) -> None:
    """Files and folders have no more rights than the umask gives, and the world can write none of them."""
    left_behind = list(left.folder.rglob("*"))
    assert left_behind
    for path in left_behind:
        assert not path.stat().st_mode & 0o002, path
