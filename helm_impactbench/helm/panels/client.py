"""HELM client that passes a target's requests on, and makes of a failure a result that does not end the run."""

from __future__ import annotations

from dataclasses import replace

from helm.clients.client import Client
from helm.common.cache import CacheConfig
from helm.common.request import ErrorFlags, Request, RequestResult

from helm_impactbench.helm.caller import caller_for
from helm_impactbench.llm.request import CallFailure
from helm_impactbench.process.stop import stop_on_error

ANSWER_PREFIX = "safety-answer/"
"""Of the deployments that pass requests on to the target named after it."""


class AnswerClient(Client):
    """Passes requests on to one target deployment: same client, same cache entries as in HELM's own runs."""

    def __init__(self, cache_config: CacheConfig, lock_file_path: str, target: str) -> None:
        """HELM injects the cache and the path of a lock file, which tells where the storage is; `target` is ours."""
        self._caller = caller_for(lock_file_path, cache_config)
        self._target = target

    def make_request(self, request: Request) -> RequestResult:
        """Return the target's result. A call that fails for good is a result with its error.

        Ends the program when no call can succeed any more.
        """
        result = stop_on_error(self._caller.pass_on, replace(request, model_deployment=self._target), "target")
        return failed(result.reason) if isinstance(result, CallFailure) else result


def failed(reason: str) -> RequestResult:
    """Return a failure of which HELM's executor makes an empty completion; the flag and the error stay with it."""
    flags = ErrorFlags(is_retriable=False, is_fatal=False)
    return RequestResult(success=False, cached=False, completions=[], embedding=[], error=reason, error_flags=flags)
