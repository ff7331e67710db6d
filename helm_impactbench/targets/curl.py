"""A product.yaml from a curl command, with variables of the environment in the place of keys (pure)."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import yaml

from helm_impactbench.errors import SettingError
from helm_impactbench.llm.secret_names import is_harmless_name
from helm_impactbench.targets.literal_keys import holds_a_key, is_literal_key, scheme_of

_MESSAGE = ("message", "prompt", "input", "query", "question", "text", "content", "user_message")
_SESSION = re.compile(
    r"(?:conversation|session|thread|chat|dialog|dialogue|context|interaction)_?id|session|conversation", re.IGNORECASE
)
_REPLY = ("answer", "reply", "response", "output", "text", "message", "content")
_VALUED = {
    "-X": "method",
    "--request": "method",
    "-H": "header",
    "--header": "header",
    "-d": "data",
    "--data": "data",
    "--data-raw": "data",
    "--data-binary": "data",
    "--data-ascii": "data",
    "--json": "data",
    "--url": "url",
    "-b": "cookie",
    "--cookie": "cookie",
    "-u": "user",
    "--user": "user",
}
_OTHER_VALUED = {
    "-o",
    "--output",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "-x",
    "--proxy",
    "-w",
    "--write-out",
    "--cacert",
}
_LEFT_OUT = {"content-length", "host", "connection", "accept-encoding", "user-agent", "origin", "referer"}


@dataclass
class NewProduct:
    """A description made from a command, and what there is to say of it."""

    data: dict[str, Any] = field(default_factory=dict)
    variables: list[str] = field(default_factory=list)
    """To be set to the keys that the command held."""
    notes: list[str] = field(default_factory=list)


PRICE_LINE = (
    "# price: free   # or in US dollars: {per_call: 0.01}, or {prompt: 2.5, answer: 10} per million tokens; without a "
    "price no budget can be kept\n"
)


def product_text(data: Mapping[str, Any]) -> str:
    """Return a product.yaml of a description, with a line to be completed for the price, which no command holds."""
    return f"{yaml.safe_dump(dict(data), sort_keys=False, width=120, allow_unicode=True)}{PRICE_LINE}"


def product_from_curl(command: str, name: str | None = None, answer: Any = None) -> NewProduct:
    """Return the description of the product that a curl command calls. Raises SettingError for no such command.

    name: maker/product, else after the host. answer: what the product answered, where that is at hand.
    """
    given = _options(command)
    url = (given["url"] or [""])[0]
    if not url.startswith(("http://", "https://")):
        raise SettingError("The command names no address that begins with http:// or https://. Paste it from curl on.")
    made = NewProduct()
    made.data["name"] = name or _name(url)
    prefix = re.sub(r"\W+", "_", made.data["name"].partition("/")[0]).upper()
    made.data["url"] = _address(url, prefix, made)
    headers = dict(_headers(given, prefix, made))
    if headers:
        made.data["headers"] = headers
    made.data["send"] = _body(given["data"], prefix, made)
    made.data["reply"] = _reply_path(answer, made)
    session = _session_path(answer)
    if session:
        made.data["session"] = session
    if given["cookie"]:
        made.data["cookie"] = True
    return made


def _options(command: str) -> dict[str, list[str]]:
    try:
        words = shlex.split(command.replace("\\\n", " ").replace("^\n", " "))
    except ValueError as error:
        raise SettingError(f"The command cannot be read: {error}. Are its quotation marks whole?") from None
    if not words or words[0] != "curl":
        raise SettingError("This is not a curl command: it has to begin with curl.")
    given: dict[str, list[str]] = {kind: [] for kind in ("url", *_VALUED.values())}
    rest = iter(words[1:])
    for word in rest:
        option, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if option in _VALUED:
            given[_VALUED[option]].append(value if sign else next(rest, ""))
        elif word[:2] in _VALUED and not word.startswith("--"):
            given[_VALUED[word[:2]]].append(word[2:])
        elif option in _OTHER_VALUED:
            if not sign:
                next(rest, "")
        elif not word.startswith("-"):
            given["url"].append(word)
    return given


def _name(url: str) -> str:
    parts = urlsplit(url)
    labels = (parts.hostname or "").split(".")
    maker = labels[-2] if len(labels) > 1 and not labels[-1].isdigit() else "own"
    last = re.sub(r"[^A-Za-z0-9.-]+", "-", parts.path.strip("/").rpartition("/")[2]).strip("-.") or "product"
    return f"{maker}/{last}"


def _variable(made: NewProduct, name: str) -> str:
    variable = re.sub(r"\W+", "_", name).strip("_").upper()
    if variable not in made.variables:
        made.variables.append(variable)
    return f"${variable}"


def _address(url: str, prefix: str, made: NewProduct) -> str:
    parts = urlsplit(url)
    if "@" in parts.netloc:
        made.notes.append("The user and password of the address became a header.")
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    query = [
        (name, _variable(made, f"{prefix}_{name}") if holds_a_key(name, value) else value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    ]
    return urlunsplit(parts._replace(query=urlencode(query, safe="$"), fragment=""))


def _headers(given: Mapping[str, list[str]], prefix: str, made: NewProduct) -> Iterator[tuple[str, str]]:
    for line in given["header"]:
        name, _, value = (part.strip() for part in line.partition(":"))
        if name.lower() in _LEFT_OUT or (name.lower() == "content-type" and "json" in value):
            continue
        if name.lower() == "cookie" or (holds_a_key(name, value) and not is_harmless_name(name)):
            kind = "KEY" if name.lower() == "authorization" else name
            yield name, f"{scheme_of(value)}{_variable(made, f'{prefix}_{kind}')}"
        else:
            yield name, value
    if given["user"] or "@" in urlsplit((given["url"] or [""])[0]).netloc:
        made.notes.append("Basic authentication: the variable takes user:password in base64.")
        yield "Authorization", f"Basic {_variable(made, f'{prefix}_BASIC')}"
    if given["cookie"]:
        yield "Cookie", _variable(made, f"{prefix}_COOKIE")


def _body(parts: list[str], prefix: str, made: NewProduct) -> Any:
    try:
        body = json.loads(parts[-1]) if parts else None
    except ValueError:
        raise SettingError(
            "The body (-d) is no JSON; a product is sent JSON. An own callable can send anything."
        ) from None
    body, found = _with_places(body, prefix, made)
    if found:
        return body
    made.notes.append("No field looked like the message: put {message} into send where it belongs.")
    return {**body, "message": "{message}"} if isinstance(body, dict) else {"message": "{message}"}


def _with_places(body: Any, prefix: str, made: NewProduct) -> tuple[Any, bool]:
    """Return a body with places for message and session and names for keys, and whether the message has its place."""
    if not isinstance(body, dict):
        return body, False
    whole, found = dict(body), False
    if isinstance(body.get("messages"), list):
        whole["messages"], found = "{messages}", True
    for name, value in body.items():
        if isinstance(value, dict):
            whole[name], inner = _with_places(value, prefix, made)
            found = found or inner
        elif isinstance(value, str) and _SESSION.fullmatch(name):
            whole[name] = "{session}"
        elif isinstance(value, str) and is_literal_key(name, value):
            whole[name] = _variable(made, f"{prefix}_{name}")
    if not found:
        message = next((name for name in _MESSAGE if isinstance(body.get(name), str)), None)
        if message is not None:
            whole[message], found = "{message}", True
    return whole, found


def _reply_path(answer: Any, made: NewProduct) -> str:
    texts = [(path, text) for path, text in _texts(answer) if not _SESSION.fullmatch(path.rpartition(".")[2])]
    named = [path for path, _ in texts if path.rpartition(".")[2] in _REPLY]
    if named:
        return named[0]
    if texts:
        return max(texts, key=lambda one: len(one[1]))[0]
    made.notes.append("reply: $.answer is a guess; give --answer what the product answered, or correct the path.")
    return "$.answer"


def _session_path(answer: Any) -> str | None:
    return next((path for path, _ in _texts(answer) if _SESSION.fullmatch(path.rpartition(".")[2])), None)


def _texts(data: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    if isinstance(data, str):
        yield path, data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _texts(
                value, f"{path}.{name}" if re.fullmatch(r"[A-Za-z_]\w*", name) else f"{path}[{json.dumps(name)}]"
            )
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _texts(value, f"{path}[{number}]")
