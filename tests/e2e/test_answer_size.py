"""Answers without end, and answers that unpack to hundreds of megabytes, in a whole run."""

from __future__ import annotations

import json
import re
import subprocess
import time
import zlib
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.support import builders, helm
from tests.support.commands import BIN, command_environment
from tests.support.openai_server import _payload, default_answer
from tests.support.raw_server import Asked, RawServer, send

UNPACKED = 300_000_000
MOST_KB = 1_000_000
TARGETS = ("target-good", "target-gzip", "target-endless")


def bomb() -> bytes:
    """Return an answer of 300 MB in 300 kB."""
    begin, end = json.dumps(_payload("BOMB", {"model": "m"})[1]).encode().split(b"BOMB")
    packer = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
    parts = [packer.compress(begin)]
    parts += [packer.compress(b"a" * 1_000_000) for _ in range(UNPACKED // 1_000_000)]
    return b"".join([*parts, packer.compress(end), packer.flush()])


def peak_kb(cwd: Path, *arguments: str, **environment: str) -> int:
    """Run a helm-run in which whole runs fail; return the most memory that it had, in kilobytes.

    Linux counts the memory of whoever starts a process as that process's own in ru_maxrss, so its own mark is read.
    """
    process = subprocess.Popen([BIN / arguments[0], *arguments[1:]], cwd=cwd, env=command_environment(**environment),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    most = 0
    while process.poll() is None:
        marks = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
        most = max(most, *map(int, marks), 0)
        time.sleep(0.02)
    assert process.returncode == 3
    assert most > 50_000
    return most


def test_memory_stays_small_and_the_run_goes_on(workdir: Path) -> None:
    """One unscored conversation for each such answer, with its reason; others are scored; less than 1 GB is used."""
    packed = bomb()
    assert len(packed) < 2_000_000

    def reply(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        body = json.loads(asked.body)
        if body["model"] == "target-gzip":
            send(handler, packed, Content_Encoding="gzip")
        elif body["model"] == "target-endless":
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b"a" * 100_000)
        else:
            send(handler, json.dumps(_payload(default_answer(body), body)[1]).encode())

    server = RawServer(reply)
    builders.write_benchmark_folder(workdir / "benchmarks/mini", scenarios=[builders.scenario("m01", 1)])
    entry = "impactbench:benchmark=mini,turns=1,user=litellm/openai/user-x,judge=litellm/openai/judge-x"
    entries = [f"{entry},model=litellm/openai/{target}" for target in TARGETS]
    used = peak_kb(workdir, "helm-run", "--run-entries", *entries, "--suite", "s", "-m", "10", "-n", "4",
                   OPENAI_API_KEY="sk-test", OPENAI_API_BASE=f"{server.url}/v1")  # fmt: skip
    server.close()
    assert used < MOST_KB
    outcomes = {}
    for target in TARGETS:
        (conversation,) = helm.conversations(helm.run_folder(workdir, "s", target)).values()
        outcomes[target] = conversation.get("reason")
    why = "the answer is larger than 8,000,000 bytes once it is decoded."
    reasons = {target: f"Turn 1, target: litellm/openai/{target}: {why}" for target in TARGETS[1:]}
    assert outcomes == {"target-good": None, **reasons}
    assert sum(json.loads(asked.body)["model"] in TARGETS[1:] for asked in server.asked) == 2
