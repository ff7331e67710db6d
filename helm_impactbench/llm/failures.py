"""Which of three kinds a failed call is: transient, permanent for this request, or fatal for every request.

Providers' libraries agree on little more than an HTTP status, so this reads the status, then the words, then the type
of the error. llm.retries decides what is done about each kind.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sqlite3
from collections.abc import Iterator

from helm_impactbench.errors import FatalCallError, StoppedError, TargetLostError
from helm_impactbench.files.atomic_write import STORAGE_ERRORS, TOO_MANY_FILES
from helm_impactbench.llm.retry_after import retry_after_seconds
from helm_impactbench.llm.secrets import without_secrets


class TransientCallError(Exception):
    """The same call may succeed later."""

    def __init__(self, text: str, retry_after: float = 0.0) -> None:
        """`retry_after` is how many seconds the provider asks to wait."""
        super().__init__(text)
        self.retry_after = retry_after


class UnusableAnswerError(TransientCallError):
    """A whole answer of status 200, paid for, that holds nothing that can be used; another one may."""


class PermanentCallError(Exception):
    """This call will not succeed; another one may."""


class RefusedAnswerError(PermanentCallError):
    """An answer that we did not take. Litellm wraps it in an error of its own."""

    def __init__(self, text: str, about: str = "") -> None:
        """`about` is what has to be mended where no further call can succeed (llm.remedies knows how)."""
        super().__init__(text)
        self.about = about


class ReportedCallError(Exception):
    """A failure that a client reports in words instead of raising an error of the provider's package."""

    def __init__(self, text: str, retriable: bool | None = None) -> None:
        """`retriable` is whether the client says that the same call may succeed; None when it does not say."""
        super().__init__(text or "no answer, and no reason given")
        self.retriable = retriable


BLOCKED = "blocked by the provider's content filter"

_FATAL_STATUS = {
    401: ("key", "the key was refused"),
    402: ("credit", "the account has no credit left"),
    403: ("key", "the key has no permission"),
    404: ("model", "the provider does not know this model"),
}
_TRANSIENT_STATUS = {408, 409, 425, 429}
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_(?:hard_limit|not_active)|credit balance is too low", re.IGNORECASE
)
_NO_CREDIT_LOOSELY = re.compile(r"insufficient (?:credits?|funds|balance)|spend(?:ing)? limit", re.IGNORECASE)
"""Read only with the statuses of refusals: a bad request may quote a conversation about money."""
_QUOTA = re.compile(r"exceeded your current quota", re.IGNORECASE)
"""No credit with some providers, a limit per minute with others, which say when to retry."""
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|\binvalid model\b|\bunknown model\b|model\b.{0,80}\b(?:does not exist|not found)", re.IGNORECASE
)
_FILTER = re.compile(
    r"content[ _-]?(?:filter|policy|management policy)|ContentPolicyViolation|ResponsibleAI|input was flagged"
    r"|content (?:is|was) blocked|content blocked",
    re.IGNORECASE,
)
_PASSING_NAME = re.compile(
    r"timeout|connection|serviceunavailable|internalserver|badgateway|ratelimit|jsondecode|remoteprotocol"
    r"|(?:read|write|connect|network|transport)error",
    re.IGNORECASE,
)
_STATUS_IN_WORDS = re.compile(
    r"(?:\b(?:Error code|HTTP|status(?:[ _]code)?)\W{0,3}|^(?:\w+ )?(?:error: )?(?=\d{3}: ))([45]\d\d)\b", re.IGNORECASE
)
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf|Bearer|Basic)[-_ ][A-Za-z0-9_\-.*+/=]{6,}|\bkey[-_ ](?=\S*\d)[A-Za-z0-9_\-.*+/=]{6,}"
    r"|(?<=key=)[^\s&\"']+|(?<=://)[^\s/@]+@|\b[A-Za-z0-9_\-]{32,}\b",
    re.IGNORECASE,
)
_WRAPPING = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?::| -) ?)+")
"""Class names that litellm puts before the provider's message."""
_BROKEN = re.compile(
    r"\bconnection (?:error|reset|refused|aborted|closed)|server disconnected|peer closed connection|name resolution"
    r"|Name or service not known",
    re.IGNORECASE,
)
_WRAPPED = 20
"""How often an error may be wrapped; litellm and openai do so four times."""
_AFTER = re.compile(r"after \d+(?:\.\d+)? seconds")
_READ_ONLY = re.compile(r"read-?only")
_NO_FILE_WORDS = re.compile(r"unable to open database|disk I/O error")
_LONGEST_CHAIN = 20
_SENT = {"Timeout", "ReadTimeout", "APITimeoutError", "ReadError", "RemoteProtocolError", "JSONDecodeError"}
_REFUSED = {"HTTPStatusError", "APIStatusError", "ConnectError", "ConnectTimeout", "PoolTimeout"}
_NO_HTTP = {"RemoteProtocolError", "LocalProtocolError"}
"""Errors of httpx, litellm and the openai package somewhere in what a failure comes from."""
_FULL_WORDS = re.compile(r"disk is full|readonly database|read-only|unable to open database|disk I/O error")


def classified(failure: Exception, deployment: str) -> Exception:
    """Return the failure of a call as one of the three kinds, with a one-line text that names the deployment.

    A run that was stopped elsewhere is not a failure of the call: its StoppedError is returned as it is.
    """
    if isinstance(failure, (FatalCallError, StoppedError, TargetLostError)):
        return failure
    if isinstance(failure, TransientCallError):
        return type(failure)(f"{deployment}: {one_line(str(failure))}", failure.retry_after)
    refused = refusal(failure)
    if refused is not None:
        text = f"{deployment}: {one_line(str(refused))}"
        return FatalCallError(text, refused.about) if refused.about else PermanentCallError(text)
    words = str(failure)
    kind = "" if isinstance(failure, ReportedCallError) else type(failure).__name__
    status = None if _broke_off(failure) else _status(failure, words)
    text = one_line(_said(kind, status, words.strip()))
    if _out_of_files(failure):
        return FatalCallError(f"{deployment}: too many open files ({one_line(words)})", "files")
    if _storage_failed(failure):
        return FatalCallError(f"{deployment}: answers cannot be stored: {one_line(words)}", _what_of_storage(failure))
    if isinstance(failure, PermanentCallError):
        return PermanentCallError(f"{deployment}: {one_line(words)}")
    if status not in _TRANSIENT_STATUS and _FILTER.search(f"{kind} {words}"):
        return PermanentCallError(f"{deployment}: {BLOCKED} ({text})")
    fatal = _fatal(status, words, retry_after_seconds(failure, words), deployment)
    if fatal is not None:
        about, reason = fatal
        return FatalCallError(f"{deployment}: {reason} ({text})", about)
    if _passes(failure, status):
        return TransientCallError(f"{deployment}: {text}", retry_after_seconds(failure, words))
    return PermanentCallError(f"{deployment}: {text}")


def refusal(failure: BaseException) -> RefusedAnswerError | None:
    """Return our own refusal where the packages on the way have made another error of it."""
    error: BaseException | None = failure
    for _ in range(_WRAPPED):
        if error is None or isinstance(error, RefusedAnswerError):
            return error
        error = error.__cause__ or error.__context__
    return None


def unusable(failure: Exception, status: int, fault: str) -> str:
    """Return why a whole answer of status 200 cannot be used: the fault that was seen in it, else litellm's words."""
    bare = _message(_WRAPPING.sub("", str(failure))).split("Traceback (most recent call last)")[0].strip()
    return f"the answer (status {status}) cannot be used: {fault or bare or type(failure).__name__}"


def _said(kind: str, status: int | None, words: str) -> str:
    """Return what happened; litellm reports a lost connection as status 500, and a timeout as 408."""
    bare = _message(_WRAPPING.sub("", words)).split("Traceback (most recent call last)")[0].strip()
    if "timeout" in kind.lower():
        after = _AFTER.search(bare)
        return f"no answer {after.group()}" if after else "no answer in time"
    if _BROKEN.search(bare) or (status is None and _PASSING_NAME.search(kind)):
        return f"connection error: {bare}"
    if status is not None and status < 400:
        return f"the answer is not JSON: {bare.split(', Original Response')[0]}"
    what = f"HTTP {status}" if status else kind
    return f"{what}: {bare}" if what else bare


def _message(words: str) -> str:
    """Return the message of an error's JSON body in the form that OpenAI and most others use; else all words."""
    try:
        error = json.loads(words)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return words


def _fatal(status: int | None, words: str, asked: float, deployment: str) -> tuple[str, str] | None:
    """Return (what to fix, why) when no further call can succeed."""
    loosely = status in (402, 403, 429) and _NO_CREDIT_LOOSELY.search(words)
    if _NO_CREDIT.search(words) or loosely or (_QUOTA.search(words) and not asked):
        return _FATAL_STATUS[402]
    if status == 404 and not _UNKNOWN_MODEL.search(words) and deployment.rpartition("/")[2] not in words:
        return "path", "the provider does not know this model, or this address"
    if status in _FATAL_STATUS:
        return _FATAL_STATUS[status]
    if status in (400, 422) and _UNKNOWN_MODEL.search(words):
        return _FATAL_STATUS[404]
    return None


def _passes(failure: Exception, status: int | None) -> bool:
    if status is not None:
        return status in _TRANSIENT_STATUS or status >= 500 or status < 400
    if isinstance(failure, ReportedCallError):
        return failure.retriable is not False
    busy = isinstance(failure, sqlite3.OperationalError) and "locked" in str(failure)
    return busy or isinstance(failure, OSError) or bool(_PASSING_NAME.search(type(failure).__name__))


def asks_to_wait(failure: Exception) -> bool:
    """Return whether a provider has refused a call because there were too many at once: it works."""
    words = str(failure)
    return _status(failure, words) == 429 or retry_after_seconds(failure, words) > 0


def timed_out(failure: BaseException) -> bool:
    """Return whether an answer was awaited until its time was up, from a server that took the connection."""
    names = {type(error).__name__ for error in _chain(failure)}
    return bool(names & {"ReadTimeout", "Timeout", "APITimeoutError"}) and not unreached(failure)


def unreached(failure: BaseException) -> bool:
    """Return whether no connection came about in time: nothing at the address answers, not even with a refusal."""
    return any(type(error).__name__ == "ConnectTimeout" for error in _chain(failure))


def may_be_billed(failure: BaseException) -> bool:
    """Return whether a provider may charge for a call that has failed: it was sent, and no whole answer came back."""
    names = {type(error).__name__ for error in _chain(failure)}
    return bool(names & _SENT) and not names & _REFUSED


def _out_of_files(failure: BaseException) -> bool:
    """Return whether this process may open no further file or connection, whatever words a library has for it."""
    if isinstance(failure, sqlite3.Error):
        return bool(_NO_FILE_WORDS.search(str(failure))) and not _can_open()
    return any(isinstance(error, OSError) and error.errno in TOO_MANY_FILES for error in _chain(failure))


def _broke_off(failure: BaseException) -> bool:
    """Return whether what came was no HTTP, which litellm reports as status 500."""
    return any(type(error).__name__ in _NO_HTTP for error in _chain(failure))


def _can_open() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno not in TOO_MANY_FILES
    return True


def _chain(failure: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it comes from."""
    error: BaseException | None = failure
    for _ in range(_LONGEST_CHAIN):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _storage_failed(failure: Exception) -> bool:
    """Return whether our own disk failed: every further answer would be paid for and lost."""
    if isinstance(failure, sqlite3.Error):
        return bool(_FULL_WORDS.search(str(failure)))
    return isinstance(failure, OSError) and failure.errno in STORAGE_ERRORS and failure.filename is not None


def _what_of_storage(failure: Exception) -> str:
    """Return what has to be mended: `full`, `access`, or `storage` where the disk is broken or gone."""
    number, words = getattr(failure, "errno", None), str(failure)
    if number in (errno.ENOSPC, errno.EDQUOT) or "is full" in words:
        return "full"
    return "access" if number in (errno.EROFS, errno.EACCES, errno.EPERM) or _READ_ONLY.search(words) else "storage"


def _status(failure: Exception, words: str) -> int | None:
    """Return the HTTP status, read from the words where nothing else shows it."""
    if isinstance(failure, ReportedCallError):
        found = _STATUS_IN_WORDS.search(words)
        return int(found.group(1)) if found else None
    for holder in (failure, getattr(failure, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int):
            return status
    return None


def one_line(words: str, most: int = 300) -> str:
    """Return words that fit any terminal and file: one printable line without what looks like a key."""
    printable = "".join(letter if letter.isprintable() else " " for letter in words[: 20 * most])
    text = _KEY_LIKE.sub("[removed]", without_secrets(" ".join(printable.split())))
    return text if len(text) <= most else text[:most] + "..."
