"""What HELM's AutoClient does with requests: ours it hands over as they are, its own are counted."""

from __future__ import annotations

from functools import wraps

from helm.clients.auto_client import AutoClient
from helm.common.request import Request, RequestResult

from helm_impactbench.errors import StoppedError
from helm_impactbench.process.shared_state import STOPPED, on_its_way
from helm_impactbench.process.stop import stop


def hand_over(prefix: str) -> None:
    """Let AutoClient pass requests to deployments of this prefix to their client. Harmless when repeated.

    It would repeat a request after any exception, up to four times with waits of 10 to 80 s, and turn the end of the
    program into one more attempt. Our clients have a retry policy of their own.
    """
    original = AutoClient.make_request
    known: frozenset[str] = getattr(original, "handed_over", frozenset())
    if prefix in known:
        return

    @wraps(original)
    def make_request(self: AutoClient, request: Request) -> RequestResult:
        if request.model_deployment.startswith(prefix):
            return self._get_client(request.model_deployment).make_request(request)
        return original(self, request)

    make_request.handed_over = known | {prefix}  # type: ignore[attr-defined]
    AutoClient.make_request = make_request  # type: ignore[method-assign]


def count_calls() -> None:
    """Let requests of HELM's own runs and judges end as ours do: in flight they come home, once stopped none begins.

    To be called before `hand_over`: a whole conversation is no call in flight. Harmless when repeated.
    """
    original = AutoClient.make_request
    if getattr(original, "counted", False):
        return

    @wraps(original)
    def make_request(self: AutoClient, request: Request) -> RequestResult:
        with on_its_way():
            if STOPPED.is_set():
                stop(StoppedError("The run was stopped."))
            return original(self, request)

    make_request.counted = True  # type: ignore[attr-defined]
    AutoClient.make_request = make_request  # type: ignore[method-assign]
