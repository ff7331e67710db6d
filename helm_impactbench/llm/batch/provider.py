"""The provider's batches through litellm: all network calls of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from helm_impactbench.errors import BatchError, FatalCallError
from helm_impactbench.llm.batch.answers import BatchOrigin
from helm_impactbench.llm.batch.plan import ENDPOINT
from helm_impactbench.llm.deadline import attempt
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified, one_line
from helm_impactbench.llm.quiet_litellm import litellm
from helm_impactbench.llm.response_body import MAX_FILE_BYTES, answers_up_to
from helm_impactbench.llm.retries import Retries, RetryPolicy, policy_from_environment
from helm_impactbench.llm.secrets import without_secrets

T = TypeVar("T")
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_WAY = ("api_key", "api_base", "timeout", "extra_headers")
_LIST_PAGE = 100
_GONE = (404, 410)


class GoneError(BatchError):
    """The provider no longer has a batch or one of its files."""


@dataclass(frozen=True)
class BatchProgress:
    """What the provider says of a batch."""

    status: str
    origin: BatchOrigin
    done: int
    failed: int
    files: tuple[str, ...]
    """Ids of the output and error files; an expired batch has both."""
    problem: str
    """Why the whole batch failed."""

    @property
    def ended(self) -> bool:
        """Whether there will be no further answers."""
        return self.status in ENDED


class Provider:
    """The batches of one deployment."""

    def __init__(self, deployment: str, provider: str, transport: Mapping[str, Any]) -> None:
        """`transport` is the endpoint's; it holds the key."""
        self._deployment = deployment
        self._way = {name: transport[name] for name in _WAY if name in transport}
        self._way |= {"custom_llm_provider": provider, "max_retries": 0}

    def upload(self, content: bytes) -> str:
        """Return the id of an uploaded file."""
        return self._call(litellm.create_file, _id, file=("requests.jsonl", content), purpose="batch")

    def create(self, file: str) -> str:
        """Return the id of a new batch. Tried once: a call that seems to have failed may have created it (see
        `find`)."""
        return self._call(
            litellm.create_batch,
            _id,
            _policy=RetryPolicy(attempts=1),
            completion_window="24h",
            endpoint=ENDPOINT,
            input_file_id=file,
        )

    def find(self, file: str) -> str:
        """Return the id of the batch that was created from a file, empty when there is none."""
        after: str | None = None
        while True:
            page = self._call(litellm.list_batches, lambda found: list(found.data), after=after, limit=_LIST_PAGE)
            for batch in page:
                if batch.input_file_id == file:
                    return _id(batch)
            if len(page) < _LIST_PAGE or str(page[-1].id) == after:
                return ""
            after = str(page[-1].id)

    def progress(self, batch: str) -> BatchProgress:
        """Return the progress of a batch. Raises GoneError when the provider has lost it."""
        return self._call(litellm.retrieve_batch, partial(_progress, batch), _may_be_gone=True, batch_id=batch)

    def content(self, file: str) -> bytes:
        """Return the content of a file. Raises GoneError when the provider has lost it."""
        with answers_up_to(MAX_FILE_BYTES):
            return self._call(litellm.file_content, lambda found: bytes(found.content), _may_be_gone=True, file_id=file)

    def _call(
        self,
        function: Callable[..., Any],
        read: Callable[[Any], T],
        _policy: RetryPolicy | None = None,
        _may_be_gone: bool = False,
        **arguments: Any,
    ) -> T:
        """Call litellm under the one retry policy and read its answer. Raises BatchError."""

        def send() -> Any:
            try:
                with attempt(self._way["timeout"]):
                    return function(**arguments, **self._way)
            except Exception as error:
                if _may_be_gone and getattr(error, "status_code", None) in _GONE:
                    raise GoneError(f"the provider no longer has it ({one_line(str(error))})") from error
                raise classified(error, self._deployment) from error

        try:
            found = Retries(_policy or policy_from_environment()).run(send)
        except (TransientCallError, PermanentCallError) as error:
            raise BatchError(f"{error}. Nothing is lost: the same command continues from here.") from error
        except FatalCallError as error:
            raise BatchError(f"{error}. Correct this and run the same command again.") from error
        try:
            return read(found)
        except Exception as error:  # litellm passes on what the provider says, whatever its form
            raise BatchError(
                f"{self._deployment}: the provider's answer is not as OpenAI's protocol has it "
                f"({type(error).__name__}: {one_line(str(error))}). Nothing is lost: the same command continues from "
                "here."
            ) from error


def _id(found: Any) -> str:
    if not isinstance(found.id, str) or not found.id:
        raise ValueError(f"an id that is {found.id!r}")
    if without_secrets(found.id) != found.id:
        raise ValueError("an id that holds a key")
    return found.id


def _progress(batch: str, found: Any) -> BatchProgress:
    ended = next((t for t in (found.completed_at, found.expired_at, found.cancelled_at, found.failed_at) if t), None)
    began = int(found.created_at)
    problems = (found.errors.data or []) if found.errors else []
    return BatchProgress(
        status=without_secrets(str(found.status)),
        origin=BatchOrigin(batch, began, float(ended - began) if ended else 0.0),
        done=int(found.request_counts.completed) if found.request_counts else 0,
        failed=int(found.request_counts.failed) if found.request_counts else 0,
        files=tuple(str(file) for file in (found.output_file_id, found.error_file_id) if file),
        problem="; ".join(str(error.message) for error in problems),
    )
