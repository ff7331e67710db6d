"""Keys from a .env file: read when a role of ours needs a key that the environment does not have, and for keys alone.

A folder from elsewhere may hold a .env file. With addresses, proxies or certificates from it, keys of the person who
runs the command would travel to its author; so nothing is taken but keys, and never over what is set already.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
from collections.abc import Iterable
from pathlib import Path

from helm_impactbench.errors import ModelError, SettingError, counted, printable
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.llm.secret_names import is_secret_name
from helm_impactbench.llm.secrets import remember

FILE_VARIABLE = "IMPACTBENCH_ENV_FILE"
"""The file to read, or the folder whose .env is read, instead of the current folder's."""
NAMES_VARIABLE = "IMPACTBENCH_ENV_NAMES"
"""Further names to take, with commas between them."""
MAX_BYTES = 30_000
"""The names below with values take 10,000. python-dotenv takes a second for 30,000 spaces, and eight for 100,000."""

KEY_VARIABLES = frozenset(
    (
        "AI21_API_KEY",
        "ALEPH_ALPHA_API_KEY",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANYSCALE_API_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AZURE_AI_API_KEY",
        "AZURE_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "BASETEN_API_KEY",
        "CEREBRAS_API_KEY",
        "CLOUDFLARE_API_KEY",
        "CODESTRAL_API_KEY",
        "COHERE_API_KEY",
        "CO_API_KEY",
        "DASHSCOPE_API_KEY",
        "DATABRICKS_API_KEY",
        "DATAROBOT_API_TOKEN",
        "DEEPINFRA_API_KEY",
        "DEEPINFRA_TOKEN",
        "DEEPSEEK_API_KEY",
        "EDENAI_API_KEY",
        "FEATHERLESS_AI_API_KEY",
        "FIREWORKS_AI_API_KEY",
        "FIREWORKS_API_KEY",
        "GEMINI_API_KEY",
        "GITHUB_API_KEY",
        "GOOGLE_AI_API_KEY",
        "GOOGLE_API_KEY",
        "GROQ_API_KEY",
        "HF_TOKEN",
        "HUGGINGFACE_API_KEY",
        "INFINITY_API_KEY",
        "LITELLM_PROXY_API_KEY",
        "MISTRALAI_API_KEY",
        "MISTRAL_API_KEY",
        "MOONSHOT_API_KEY",
        "NEBIUS_API_KEY",
        "NLP_CLOUD_API_KEY",
        "NOVITA_API_KEY",
        "NVIDIA_NIM_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_KEY",
        "OPENROUTER_API_KEY",
        "PALM_API_KEY",
        "PERPLEXITYAI_API_KEY",
        "PERPLEXITY_API_KEY",
        "PUBLICAI_API_KEY",
        "REKA_API_KEY",
        "REPLICATE_API_KEY",
        "SAMBANOVA_API_KEY",
        "TOGETHERAI_API_KEY",
        "TOGETHERAI_KEY",
        "TOGETHER_API_KEY",
        "UPSTAGE_API_KEY",
        "VERCEL_AI_GATEWAY_API_KEY",
        "VOLCENGINE_API_KEY",
        "VOYAGE_API_KEY",
        "WANDB_API_KEY",
        "WATSONX_APIKEY",
        "WATSONX_API_KEY",
        "WRITER_API_KEY",
        "XAI_API_KEY",
    )
)
"""The names that providers, litellm and HELM give their keys; docs/running.md has the same list."""

_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
"""What is shown of the file: a value that was pasted where a name belongs is not."""
_LONGEST, _SHOWN = 60, 8
_LOCK = threading.Lock()
_FOUND: dict[Path, dict[str, str]] = {}
"""File -> what it assigns, read once per process."""


def first_key(names: Iterable[str]) -> str | None:
    """Return the first of these variables that is set; where none is, look into the .env file first.

    Raises ModelError when the file cannot be read, SettingError for a setting that names no file or no key.
    """
    wanted = tuple(names)
    found = _set(wanted)
    if found is None:
        _take(wanted)
        found = _set(wanted)
    return found


def take_missing(names: Iterable[str]) -> None:
    """Take those of these variables that are not set from the .env file, as far as they are keys."""
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        _take(missing)


def _take(wanted: Iterable[str]) -> None:
    """Set the variables of KEY_VARIABLES, of IMPACTBENCH_ENV_NAMES and of `wanted` that the .env file has and the
    environment does not. The first time, print which names were taken and which were not.
    """
    with _LOCK:
        path = _path()
        is_new = path not in _FOUND
        if is_new:
            _FOUND[path] = _read(path)
        allowed = KEY_VARIABLES | _more_names() | {name for name in wanted if is_secret_name(name)}
        usable = {name: value for name, value in _FOUND[path].items() if name in allowed and _is_plain(value)}
        new = {name: value for name, value in usable.items() if not os.environ.get(name)}
        os.environ.update(new)
        remember(new.values())
        if new or (is_new and _FOUND[path]):
            _say(path, new, [name for name in _FOUND[path] if name not in usable] if is_new else [])


def _set(names: Iterable[str]) -> str | None:
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def _path() -> Path:
    named = os.environ.get(FILE_VARIABLE, "").strip()
    path = Path(named or ".env").expanduser().absolute()
    if named and path.is_dir():
        path /= ".env"
    if named and not path.exists():
        raise SettingError(f"{FILE_VARIABLE} is {named!r}, but there is no {path}; if unset, .env here is read.")
    return path


def _more_names() -> frozenset[str]:
    names = frozenset(os.environ.get(NAMES_VARIABLE, "").replace(",", " ").split())
    wrong = sorted(name for name in names if not is_secret_name(name))
    if wrong:
        raise SettingError(
            f"{NAMES_VARIABLE} names {', '.join(wrong)}, but may name only keys: names with a word such as KEY, TOKEN, "
            "SECRET or PASSWORD. Set other variables in the environment."
        )
    return names


def _read(path: Path) -> dict[str, str]:
    """Return what a .env file assigns; nothing where there is none, or a folder (a virtual environment, usually)."""
    if not path.exists() or path.is_dir():
        return {}
    needed = f"It must be a file of UTF-8 text with lines NAME=value, at most {MAX_BYTES:,} bytes"
    if not path.is_file():  # to open a pipe would wait for whoever writes into it
        raise ModelError(f"{path} cannot be read: it is not an ordinary file. {needed}.")
    try:
        text = decoded(read_bytes(path, MAX_BYTES))
    except IntakeError as error:
        raise ModelError(f"{path} {error}. {needed}.") from None
    from dotenv import dotenv_values

    values = dotenv_values(stream=io.StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}


def _is_plain(value: str) -> bool:
    """Return whether a value is a key as it stands: ${NAME} would bring another variable's value to a provider."""
    return bool(value) and value.isascii() and value.isprintable() and "${" not in value


def _say(path: Path, taken: Iterable[str], left: list[str]) -> None:
    names = [name for name in left if _NAME.fullmatch(name) and len(name) <= _LONGEST]
    more = len(left) - len(names[:_SHOWN])
    shown = ", ".join(names[:_SHOWN]) + (
        f" and {more} more" if names and more else counted(more, "line") if more else ""
    )
    not_read = f" Not read: {shown}; docs/running.md says which names are." if shown else ""
    line = f"impactbench: from {path}: {', '.join(sorted(taken)) or 'no key'}.{not_read}"
    print(printable(line), file=sys.stderr, flush=True)
