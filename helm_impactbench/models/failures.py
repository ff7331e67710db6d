"""What kind of failure a call met: passing, lasting for this request, or lasting for every request.

The libraries of providers agree on little more than an HTTP status, so this reads the status, then the kind of error.
"""

from __future__ import annotations

import re

from helm.common.request import RequestResult

from helm_impactbench.errors import FatalCallError


class TransientCallError(Exception):
    """The same call may succeed later."""

    def __init__(self, text: str, retry_after: float = 0.0) -> None:
        """`retry_after` is how many seconds the provider asks to wait."""
        super().__init__(text)
        self.retry_after = retry_after


class PermanentCallError(Exception):
    """This call will not succeed; another one may."""


_FATAL_STATUS = {401: "the key was refused", 402: "the account has no credit left", 403: "the key has no permission"}
_TRANSIENT_STATUS = {408, 409, 425, 429}
_UNKNOWN_MODEL = 404
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf|key|Bearer|Basic)[-_ ][A-Za-z0-9_\-.*+/=]{6,}|(?<=key=)[^\s&\"']+|(?<=://)[^\s/@]+@"
    r"|\b[A-Za-z0-9_\-]{32,}\b",
    re.IGNORECASE,
)
_PASSING_NAME = re.compile(r"timeout|connection|serviceunavailable|internalserver|badgateway|ratelimit", re.IGNORECASE)


def classified(failure: Exception | RequestResult, deployment: str) -> Exception:
    """Return the failure of a call as one of the three kinds, with a one-line text that names the deployment."""
    text = _one_line(failure)
    if isinstance(failure, RequestResult):
        flags = failure.error_flags
        lasting = flags is not None and flags.is_retriable is False
        return (PermanentCallError if lasting else TransientCallError)(f"{deployment}: {text}")
    status = getattr(failure, "status_code", None)
    if status in _FATAL_STATUS:
        return FatalCallError(f"{deployment}: {_FATAL_STATUS[status]} (HTTP {status}): {text}")
    if status == _UNKNOWN_MODEL:
        return FatalCallError(f"{deployment}: the provider does not know this model (HTTP 404): {text}")
    if _QUOTA.search(text):
        return FatalCallError(f"{deployment}: the account has no credit left: {text}")
    if isinstance(failure, FatalCallError | TransientCallError | PermanentCallError):
        return failure
    if status in _TRANSIENT_STATUS or (isinstance(status, int) and status >= 500):
        return TransientCallError(f"{deployment}: HTTP {status}: {text}", _retry_after(failure))
    if _PASSING_NAME.search(type(failure).__name__) or isinstance(failure, OSError):
        return TransientCallError(f"{deployment}: {type(failure).__name__}: {text}")
    return PermanentCallError(f"{deployment}: {type(failure).__name__}: {text}")


def _one_line(failure: Exception | RequestResult, most: int = 300) -> str:
    raw = str(failure.error if isinstance(failure, RequestResult) else failure)
    text = _KEY_LIKE.sub("[removed]", " ".join(raw.split()))
    return text if len(text) <= most else text[:most] + "..."


def _retry_after(failure: Exception) -> float:
    """Return the seconds of a Retry-After header, 0 without one (dates are left to the usual waiting)."""
    for holder in (failure, getattr(failure, "response", None)):
        headers = getattr(holder, "headers", None) or getattr(holder, "litellm_response_headers", None)
        try:
            return max(0.0, float(headers["retry-after"])) if headers else 0.0
        except (KeyError, TypeError, ValueError):
            continue
    return 0.0
