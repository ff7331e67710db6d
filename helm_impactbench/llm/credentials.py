"""Where keys come from: the environment, a .env file, or HELM's credentials.conf, in this order.

Keys are looked up when a client is created, and given to that client; they are in no cache key, record or message.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyhocon import ConfigFactory

from helm_impactbench.errors import ModelError
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.llm.env_file import first_key
from helm_impactbench.llm.secret_names import is_secret_name
from helm_impactbench.llm.secrets import remember_environment, remember_named

CREDENTIALS_FILE = "credentials.conf"

_GOOGLE = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_AI_API_KEY")
_TOGETHER = ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHERAI_KEY")
_OTHER_VARIABLES = {
    "deepinfra": ("DEEPINFRA_TOKEN",),
    "gemini": _GOOGLE,
    "google": _GOOGLE,
    "huggingface": ("HF_TOKEN",),
    "mistralai": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_KEY",),
    "together": _TOGETHER,
    "together_ai": _TOGETHER,
}
"""Names that providers, ImpactBench and guides to HELM use besides <HOST>_API_KEY, by HELM's host organization or
litellm's provider."""


def key_variables(host_organization: str) -> tuple[str, ...]:
    """Return the environment variables that may hold the key of one of HELM's host organizations."""
    name = host_organization.upper().replace("-", "_")
    return tuple(dict.fromkeys((f"{name}_API_KEY", *_OTHER_VARIABLES.get(host_organization, ()))))


def key_from(variable: str, host_organization: str) -> bool:
    """Use what `variable` holds as a host organization's key, where that has none of its own. Returns whether it can.

    For a file that names a variable of its own for a key. Raises ModelError when the .env file cannot be read.
    """
    usual = key_variables(host_organization)
    if first_key(usual):
        return True
    if not is_secret_name(variable) or not first_key([variable]):
        return False
    os.environ[usual[0]] = os.environ[variable]
    return True


def _read(path: Path) -> dict[str, Any]:
    """Return the content of credentials.conf or HELM_CREDENTIALS. Errors show none of it."""
    text, where = os.environ.get("HELM_CREDENTIALS", ""), "HELM_CREDENTIALS"
    try:
        if not text and path.is_file():
            text, where = decoded(read_bytes(path)), str(path)
    except IntakeError as error:
        raise ModelError(f"{path} {error}.") from None
    try:
        found: dict[str, Any] = ConfigFactory.parse_string(text).as_plain_ordered_dict() if text.strip() else {}
    except Exception as error:  # pyparsing, pyhocon and ply have no common base
        line = getattr(error, "lineno", None)
        place = f" (line {line})" if line else ""
        raise ModelError(f'{where} is not valid HOCON{place}. Write lines such as openaiApiKey: "..."') from None
    return found


class Credentials(Mapping[str, Any]):
    """HELM's credentials, after the environment: `openaiApiKey` is also found as OPENAI_API_KEY."""

    def __init__(self, local_path: Path) -> None:
        """Read `local_path`/credentials.conf (or HELM_CREDENTIALS) as HELM does; both may be missing.

        Raises ModelError when it cannot be read.
        """
        self.path = local_path / CREDENTIALS_FILE
        self._file = _read(self.path)
        remember_environment()
        remember_named({"key": self._file})
        # Silences HELM's warning on a missing section: that a key is missing is said in one message, by the preflight.
        self._file.setdefault("deployments", {})

    def __getitem__(self, name: str) -> Any:
        key = self._from_environment(name)
        return key if key is not None else self._file[name]

    def __contains__(self, name: object) -> bool:
        return name in self._file or (isinstance(name, str) and self._from_environment(name) is not None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file)

    def __len__(self) -> int:
        return len(self._file)

    def __repr__(self) -> str:
        return f"Credentials({str(self.path)!r})"  # never the values: HELM prints what it is given

    def key_for(self, host_organization: str, deployment: str) -> str | None:
        """Return the key for a deployment of a host organization, None when there is none."""
        key = self.get(f"{host_organization}ApiKey") or self["deployments"].get(deployment)
        return str(key) if key else None

    @staticmethod
    def _from_environment(name: str) -> str | None:
        if not name.endswith("ApiKey"):
            return None
        return first_key(key_variables(name.removesuffix("ApiKey")))
