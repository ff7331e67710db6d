"""Law 6 over a whole run: endpoints that echo every header and body in answers and errors, and no key in any file."""

from __future__ import annotations

import base64
import html
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from helm_impactbench.llm.secrets import leaves
from tests.support import builders
from tests.support.batch_server import BatchServer
from tests.support.commands import run_command
from tests.support.openai_server import Body, OpenAIServer, default_answer, text_of

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
CODINGS: dict[str, Callable[[str], str]] = {
    "percent": quote,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "reversed": lambda text: text[::-1],
}
INPUTS = (".env", "prod_env/credentials.conf", "prod_env/model_deployments.yaml")


def doubly(text: str) -> Iterator[str]:
    """Yield a text that is coded twice, in two ways of many."""
    for outer, inner in (("base64", "base64"), ("hex", "base64"), ("base64", "hex"), ("reversed", "base32")):
        yield CODINGS[outer](CODINGS[inner](text))


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
    run("helm-run", "--run-entries", *targets, "--suite", "s", "-m", 100, "-n", 1, ok=False)
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
    """Answer with everything that came in, and what the server knows besides, in every form."""
    words = text_of(body)
    plain = json.dumps(server.headers[-1]) + json.dumps({k: v for k, v in body.items() if k != "messages"})
    plain += " ".join(LEAKED.values())
    echo = " ".join((plain, html.escape(plain), *(coded(plain) for coded in CODINGS.values()), *doubly(plain)))
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
    """Return a secret in all forms and in forms of forms, wherever it may begin in what is coded."""
    found = {secret, quote(secret), quote_plus(secret), html.escape(secret), secret[::-1], secret.encode().hex()}
    in_base64, in_base32 = _within(secret, "base64", 3, 4), _within(secret, "base32", 5, 8)
    twice = {inside for text in in_base64 for inside in _within(text, "base64", 3, 4)}
    of_hex = _within(secret.encode().hex(), "base64", 3, 4)
    backwards = {text[::-1] for text in in_base32}
    return found | in_base64 | in_base32 | twice | of_hex | backwards | {text.encode().hex() for text in in_base64}


def _within(text: str, coding: str, places: int, block: int) -> set[str]:
    """Return what a text is within a longer one in some coding, in which it may begin at so many places."""
    coded = [CODINGS[coding]("x" * before + text).rstrip("=") for before in range(places)]
    return {one[block if before else 0 : -1] for before, one in enumerate(coded)}


@pytest.mark.parametrize("where", [*PLANTED, "password as it travels", *LEAKED])
def test_no_secret_is_left_anywhere(left: Left, where: str) -> None:
    """Each secret came back in answers and errors of three kinds of runs, and is in no file and no output, in
    no form: plain, percent-encoded, base64, base32, hex, backwards, or in one of these of another.
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


def test_the_end_of_a_run_says_where_something_was_removed(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """By model, with how often; the models that said no secret are not named, nor is anything where none did."""
    key = PLANTED["environment"]

    def answer(body: Body) -> Any:
        said = default_answer(body)
        return f"{said} {key} {key}" if body["model"] == "target-a" else said

    server.answer = answer
    command = ("impactbench", "run", "--user", "litellm/openai/user-x", "--judge", "litellm/openai/judge-x",
               "--references", "0", "--benchmarks", "mini", "--no-report", "--yes")  # fmt: skip
    environment = {"OPENAI_API_KEY": key, "OPENAI_API_BASE": server.url}
    targets = ("--models", "litellm/openai/target-a", "litellm/openai/target-b")
    said = run_command(*command, *targets, cwd=workdir, **environment).stderr
    (line,) = [line for line in said.splitlines() if "[removed]" in line]
    assert line == (
        "impactbench: known secrets stood in models' answers, and [removed] stands in their place "
        f"(litellm/openai/target-a: {2 * len(server.of('target-a'))})."
    )
    assert key not in said
    alone = run_command(*command, *targets[::2], "--suite", "second", cwd=workdir, **environment).stderr
    assert "[removed]" not in alone


def test_words_of_headers_stay_in_answers(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """The demo's own lines, said by a model whose X-Title, HTTP-Referer and User-Agent are phrases of them."""
    folder = Path(str(resources.files("helm_impactbench"))) / "rehearsal/dialogues"
    found = [text for path in sorted(folder.glob("*.json")) for text in leaves(json.loads(path.read_text("utf-8")))]
    lines = [text for text in dict.fromkeys(map(str, found)) if len(text) > 60 and text.isprintable()]
    args = {
        "litellm_model": "openai/target-a",
        "api_base": server.url,
        "headers": dict(zip(("X-Title", "HTTP-Referer", "User-Agent"), (line[:50] for line in lines), strict=False)),
    }
    client = "helm_impactbench.helm.litellm_client.LiteLLMClient"
    (workdir / "prod_env").mkdir(exist_ok=True)
    (workdir / "prod_env/model_deployments.yaml").write_text(
        json.dumps({"model_deployments": [{"name": "lab/a", "client_spec": {"class_name": client, "args": args}}]})
    )
    each = -(-len(lines) // 24)

    def answer(body: Body) -> Any:
        if body["model"] != "target-a":
            return default_answer(body)
        number = len(server.of("target-a")) - 1
        return "\n".join(lines[number * each : (number + 1) * each]) or "Nothing more."

    server.answer = answer
    entry = "impactbench:benchmark=mini,user=litellm/openai/user-x,judge=litellm/openai/judge-x,model=lab/a"
    run_command("helm-run", "--run-entries", entry, "--suite", "s", "-m", 100, "-n", 1, cwd=workdir,
                OPENAI_API_KEY=PLANTED["environment"], OPENAI_API_BASE=server.url)  # fmt: skip
    assert server.headers[-1]
    (state,) = (workdir / "benchmark_output/runs/s").glob("*/scenario_state.json")
    kept = "\n".join(str(text) for text in leaves(json.loads(state.read_text("utf-8"))))
    assert [line for line in lines if line not in kept] == []
