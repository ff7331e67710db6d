"""CPU per bare litellm.completion: the calls that a helm-run made, made again without anything around them."""

from __future__ import annotations

import argparse
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


def main() -> None:
    """Replay recorded requests and print the CPU milliseconds per call as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path, help="JSON lines of chat completion requests")
    parser.add_argument("--url", required=True)
    parser.add_argument("--threads", type=int, default=100)
    arguments = parser.parse_args()

    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    requests = [json.loads(line) for line in arguments.record.read_text(encoding="utf-8").splitlines()]
    began = threading.Barrier(arguments.threads)

    def warm(number: int) -> None:
        began.wait()  # every thread once, so that opened connections are not counted
        call(requests[number % len(requests)])

    def call(request: dict[str, Any]) -> None:
        sent = {**request, "model": f"openai/{request['model']}"}
        litellm.completion(**sent, api_base=arguments.url, api_key="none", timeout=300, max_retries=0, drop_params=True)

    with ThreadPoolExecutor(arguments.threads) as pool:
        list(pool.map(warm, range(arguments.threads)))
        cpu = time.process_time()
        list(pool.map(call, requests))
        print(
            json.dumps({"calls": len(requests), "cpu_ms_per_call": (time.process_time() - cpu) * 1000 / len(requests)})
        )


if __name__ == "__main__":
    main()
