"""Read the answers of a batch and turn them into what the cache holds for the same calls (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from litellm.litellm_core_utils.llm_response_utils.convert_dict_to_response import convert_to_model_response_object

from helm_impactbench.files.safe_read import IntakeError, check_depth
from helm_impactbench.llm.chat_body import UnreadableAnswerError, sound_chat
from helm_impactbench.llm.failures import one_line
from helm_impactbench.llm.litellm_answer import priced, with_cost
from helm_impactbench.llm.prices import Price
from helm_impactbench.llm.quiet_litellm import litellm
from helm_impactbench.llm.secrets import data_without_secrets


@dataclass(frozen=True)
class BatchAnswers:
    """What the files of one batch hold."""

    good: Mapping[str, dict[str, Any]]
    """Request -> the provider's chat completion."""
    failed: Mapping[str, str]
    """Request -> why it has none, in one line."""


@dataclass(frozen=True)
class BatchOrigin:
    """Where an answer comes from."""

    batch: str
    """The provider's id."""
    began: int
    """When the batch was created, in seconds since the epoch."""
    seconds: float
    """How long it took."""


def read_answers(requests: Iterable[str], files: Iterable[bytes], status: str, problem: str = "") -> BatchAnswers:
    """Sort the lines of a batch's output and error files.

    A request without a line has failed because of `problem`, the provider's message about the whole batch, or its
    `status`.
    """
    wanted = dict.fromkeys(requests)
    good: dict[str, dict[str, Any]] = {}
    failed: dict[str, str] = {}
    for line in (line for content in files for line in content.splitlines() if line.strip()):
        name, body, why = _read(line)
        if name not in wanted:
            continue
        if body is not None:
            good[name] = body
        else:
            failed[name] = why
    silent = one_line(problem) if problem else f"no answer; the batch is {status}"
    lost = {name: failed.get(name, silent) for name in wanted if name not in good}
    return BatchAnswers(good, lost)


def has_answers(content: bytes) -> bool:
    """Return whether a file holds a line of a batch's answers at all, and is not an error page in its place."""
    return any(_read(line)[0] for line in content.splitlines() if line.strip())


def _read(line: bytes) -> tuple[str, dict[str, Any] | None, str]:
    """Return (request, body or None, why there is none)."""
    try:
        data = json.loads(line)
        check_depth(data)
        name, response = str(data["custom_id"]), data.get("response") or {}
        body = response.get("body")
        status, error = response.get("status_code"), data.get("error")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, IntakeError):
        return "", None, "a line that is not an answer"
    if not error and status == 200 and isinstance(body, dict) and body.get("choices"):
        return name, body, ""
    return name, None, _why(error or (body.get("error") if isinstance(body, dict) else None), status)


def _why(error: object, status: object) -> str:
    said = error.get("message") or error.get("code") if isinstance(error, dict) else error
    words = one_line(str(said)) if said else "an answer without a choice" if status == 200 else "no reason given"
    return words if status in (None, 200) else f"HTTP {status}: {words}"


def cached_answer(body: Mapping[str, Any], price: Price | None, origin: BatchOrigin) -> dict[str, Any]:
    """Return what the cache holds for an answer: the same as for the answer to a single call.

    Raises ValueError for an answer that litellm cannot read.
    """
    try:
        response = convert_to_model_response_object(
            response_object=json.loads(sound_chat(json.dumps(body).encode())),
            model_response_object=litellm.ModelResponse(),
        )
    except UnreadableAnswerError as error:
        raise ValueError(f"the answer cannot be used: {one_line(str(error))}") from error
    except Exception as error:  # litellm raises bare Exception
        raise ValueError(f"litellm cannot read the answer: {one_line(str(error))}") from error
    answer: dict[str, Any] = data_without_secrets(response.model_dump(mode="json", warnings=False))
    cost = priced(answer, price) if price else None
    timed = {"request_time": origin.seconds, "request_datetime": origin.began}
    return {**with_cost(answer, cost, batch=origin.batch), **timed}
