"""helm-run as `impactbench run` starts it: the same command, with HELM's own lists of models read quickly.

A helm-run that is started by hand has read them before it loads any plug-in.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Run HELM's helm-run with the arguments of this process."""
    from helm_impactbench.process.collector import spare_the_collector
    from helm_impactbench.process.log_stream import LogStream

    sys.stdout = LogStream(sys.stdout.buffer, encoding=sys.stdout.encoding, errors=sys.stdout.errors)
    spare_the_collector()
    from helm.benchmark import run

    from helm_impactbench.helm.patches import lists_of_models

    lists_of_models()
    sys.argv[0] = str(Path(sys.executable).with_name("helm-run"))  # this_run() knows it by that
    run.main()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    here = str(Path(__file__).parent)
    sys.path[:] = [path for path in sys.path if path != here]  # a script's folder, whose modules are not for the top
    main()
