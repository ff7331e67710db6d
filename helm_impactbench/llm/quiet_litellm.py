"""litellm for whatever of ours calls it: set up, and without the lines that it prints of its own accord."""

from __future__ import annotations

from helm_impactbench.llm.litellm_settings import prepare_litellm

prepare_litellm()  # litellm reads its switches when it is imported

import litellm  # noqa: E402

litellm.suppress_debug_info = True
litellm.telemetry = False

__all__ = ["litellm"]
