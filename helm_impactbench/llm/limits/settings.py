"""Providers' rate limits, from limits.yaml beside HELM's credentials.

    limits:
      - deployments: ["litellm/openai/*", "openai/*"]
        max_in_flight: 50
        requests_per_minute: 5000
        tokens_per_minute: 2000000

Deployments that match one entry share its limits; a deployment is under the first entry that matches. Without the file
nothing is limited but the number of threads.
"""

from __future__ import annotations

import fnmatch
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helm_impactbench.errors import SettingError
from helm_impactbench.files.safe_read import IntakeError, YamlLoader, check_yaml, decoded, read_bytes
from helm_impactbench.process.shared_state import Stop

LIMITS_FILE = "limits.yaml"
_ALLOWED = (
    "Allowed: a list `limits` of deployments (a list of names, * for anything), max_in_flight, requests_per_minute, "
    "tokens_per_minute."
)
_BURST_SECONDS = 2.0
"""How much of a rate may be used at once; providers look at windows shorter than the minute that they name."""


class Limit(BaseModel):
    """What the deployments of one provider may use together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    deployments: tuple[str, ...] = Field(min_length=1)
    """Names of deployments; * stands for anything."""
    max_in_flight: int | None = Field(default=None, ge=1)
    """Calls at the same time."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """Of prompts and answers together."""

    def covers(self, deployment: str) -> bool:
        """Return whether a deployment is under this limit."""
        return any(fnmatch.fnmatchcase(deployment, pattern) for pattern in self.deployments)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    limits: tuple[Limit, ...] = ()


def read_limits(local_path: Path) -> tuple[Limit, ...]:
    """Return the limits of `local_path`/limits.yaml, none without the file. Raises SettingError."""
    path = local_path / LIMITS_FILE
    if not path.is_file():
        return ()
    try:
        text = decoded(read_bytes(path))
        check_yaml(text)
        return _File.model_validate(yaml.load(text, YamlLoader) or {}).limits  # noqa: S506  # a safe loader
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise SettingError(f"{path}: {faults}. {_ALLOWED}") from error
    except (yaml.YAMLError, IntakeError) as error:
        raise SettingError(f"{path}: {' '.join(str(error).split())}. {_ALLOWED}") from error


class Bucket:
    """A rate that is used up by reservations: who comes too early is told how long to wait.

    A token bucket by virtual scheduling, so that waiting threads keep their order and none has to look again. Our own,
    because the libraries for rates either count one by one, which a million tokens a minute does not allow, or cannot
    give back what was reserved too much.
    """

    def __init__(self, per_minute: float) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate * _BURST_SECONDS)
        self._level = self._most
        self._seen = time.monotonic()
        self._lock = threading.Lock()

    def reserve(self, amount: float) -> float:
        """Take `amount` and return the seconds until it may be used."""
        with self._lock:
            now = time.monotonic()
            self._level = min(self._most, self._level + (now - self._seen) * self._rate)
            self._seen = now
            self._level -= amount
            return max(0.0, -self._level / self._rate)

    def give_back(self, amount: float) -> None:
        """Return what was reserved and not used; a negative amount is used besides."""
        with self._lock:
            self._level = min(self._most, self._level + amount)


class Lane:
    """The limits of one provider at work. `share` is this process's part of them when there are several."""

    def __init__(self, limit: Limit, share: float = 1.0) -> None:
        self._slots = (
            threading.BoundedSemaphore(max(1, int(limit.max_in_flight * share))) if limit.max_in_flight else None
        )
        self._requests = Bucket(limit.requests_per_minute * share) if limit.requests_per_minute else None
        self._tokens = Bucket(limit.tokens_per_minute * share) if limit.tokens_per_minute else None

    @contextmanager
    def entered(self, tokens: float, stopped: Stop) -> Iterator[Slip]:
        """Wait for the rates, then for a free slot; the slip takes the tokens that were really used."""
        slip = Slip(tokens)
        wait = max(
            self._requests.reserve(1) if self._requests else 0.0,
            self._tokens.reserve(tokens) if self._tokens else 0.0,
        )
        if wait:
            stopped.wait(wait)
        try:
            if self._slots:
                with self._slots:
                    yield slip
            else:
                yield slip
        finally:
            if self._tokens:
                self._tokens.give_back(tokens - slip.used)


class Slip:
    """What one call reserved, and what it used in the end."""

    def __init__(self, tokens: float) -> None:
        self.used = tokens


class Lanes:
    """All limits of a process."""

    def __init__(self, limits: tuple[Limit, ...], share: float = 1.0) -> None:
        self._lanes = [(limit, Lane(limit, share)) for limit in limits]

    def of(self, deployment: str) -> Lane | None:
        """Return the lane of a deployment, None when nothing limits it."""
        return next((lane for limit, lane in self._lanes if limit.covers(deployment)), None)
