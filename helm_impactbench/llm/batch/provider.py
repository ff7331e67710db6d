"""The provider's batches through litellm: all network calls of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import litellm

from helm_impactbench.errors import BatchError, FatalCallError
from helm_impactbench.llm.batch.answers import Origin
from helm_impactbench.llm.batch.plan import ENDPOINT
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.response_body import MAX_FILE_BYTES, answers_up_to
from helm_impactbench.llm.retries import Retries, RetryPolicy, policy_from_environment

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_WAY = ("api_key", "api_base", "timeout", "extra_headers")
_LIST_PAGE = 100


@dataclass(frozen=True)
class Progress:
    """What the provider says of a batch."""

    status: str
    origin: Origin
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
        file = self._call(litellm.create_file, file=("requests.jsonl", content), purpose="batch")
        return str(file.id)

    def create(self, file: str) -> str:
        """Return the id of a new batch. Tried once: a call that seems to have failed may have created it (see
        `find`)."""
        batch = self._call(
            litellm.create_batch,
            _policy=RetryPolicy(attempts=1),
            completion_window="24h",
            endpoint=ENDPOINT,
            input_file_id=file,
        )
        return str(batch.id)

    def find(self, file: str) -> str:
        """Return the id of the batch that was created from a file, empty when there is none."""
        after: str | None = None
        while True:
            page = list(self._call(litellm.list_batches, after=after, limit=_LIST_PAGE).data)
            for batch in page:
                if batch.input_file_id == file:
                    return str(batch.id)
            if len(page) < _LIST_PAGE:
                return ""
            after = str(page[-1].id)

    def progress(self, batch: str) -> Progress:
        """Return the progress of a batch."""
        found = self._call(litellm.retrieve_batch, batch_id=batch)
        ended = next(
            (t for t in (found.completed_at, found.expired_at, found.cancelled_at, found.failed_at) if t), None
        )
        counts = found.request_counts
        return Progress(
            status=str(found.status),
            origin=Origin(batch, int(found.created_at), float(ended - found.created_at) if ended else 0.0),
            done=counts.completed if counts else 0,
            failed=counts.failed if counts else 0,
            files=tuple(file for file in (found.output_file_id, found.error_file_id) if file),
            problem="; ".join(str(error.message) for error in (found.errors.data or []) if found.errors)
            if found.errors
            else "",
        )

    def content(self, file: str) -> bytes:
        """Return the content of a file."""
        with answers_up_to(MAX_FILE_BYTES):
            return bytes(self._call(litellm.file_content, file_id=file).content)

    def _call(self, function: Callable[..., Any], _policy: RetryPolicy | None = None, **arguments: Any) -> Any:
        """Call litellm under the one retry policy. Raises BatchError, FatalCallError."""

        def send() -> Any:
            try:
                return function(**arguments, **self._way)
            except Exception as error:
                raise classified(error, self._deployment) from error

        try:
            return Retries(_policy or policy_from_environment()).run(send)
        except (TransientCallError, PermanentCallError) as error:
            raise BatchError(f"{error}. Nothing is lost: the same command continues from here.") from error
        except FatalCallError as error:
            raise BatchError(f"{error}. Fix this and run the same command again.") from error
