"""helm-summarize in this process: a second one would import HELM's summarizer, which takes seconds, once more."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def helm_summarize(arguments: Sequence[str]) -> None:
    """Run helm-summarize with these arguments. Raises SystemExit where it ends with an error."""
    from helm.benchmark.presentation import summarize

    from helm_impactbench.helm.patches import lists_of_models

    lists_of_models()
    sys.argv = ["helm-summarize", *arguments]
    summarize.main()  # type: ignore[no-untyped-call]
