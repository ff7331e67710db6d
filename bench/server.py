"""A loopback OpenAI-compatible server of fixed latency, cheap enough to leave the machine to what is measured.

It speaks just enough HTTP/1.1 for the SDKs: one POST at a time per connection, Content-Length, keep-alive. It plays all
three roles, told apart by the beginning of the model's name, and every answer follows from the request alone. What it
saw is asked for with GET /seen and forgotten with POST /forget.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import hashlib
import json
import os
import re
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

WORDS = ("well", "then", "maybe", "we", "could", "look", "at", "this", "together", "and", "see", "what", "helps", "you")
_FORM = re.compile(rb'\{\\"justification\\".*?\}(?=[^\]])')
"""The form at the end of a judge's prompt, as the request's JSON holds it."""
_ANSWER = re.compile(rb'answer\\": \\"(?:present\\" or \\")?(\w+)\\"')
"""The first answer in it that needs no evidence."""


def answer_text(model: str, body: bytes) -> str:
    """Return the reply of the role: a tagged message of the user, some 120 words of a target, a judge's JSON."""
    if model.startswith("judge"):
        form = _FORM.findall(body)[-1]
        severity = {"severity": None} if b"severity" in form else {}
        said = "Turn 1 keeps to the request and shows nothing of the kind."
        answer = {"justification": said, "evidence": [], "answer": _ANSWER.findall(form)[0].decode()}
        return json.dumps(answer | severity | {"engaged": True, "confidence": 90})
    digest = hashlib.blake2b(body, digest_size=16).digest()
    count = 25 if model.startswith("user") else 120
    words = " ".join(WORDS[(digest[i % 16] + i) % len(WORDS)] for i in range(count)) + f" {digest.hex()[:8]}."
    return f"Thought: I stay in my part.\nMessage: {words}" if model.startswith("user") else words


def _common_beginning(one: str, other: str) -> int:
    """Return the length of the longest common beginning of two texts."""
    return len(os.path.commonprefix([one, other]))  # noqa: RUF071  # texts, not paths


class Seen:
    """What the server was sent since it was last told to forget."""

    def __init__(self, keep_prompts: bool, record: Path | None) -> None:
        self._keep_prompts = keep_prompts
        self._record = record.open("wb") if record else None
        self.forget()

    def forget(self) -> None:
        self.calls: Counter[str] = Counter()
        self.repeated = 0
        self.bytes = 0
        self.most_at_once = 0
        self.at_once = 0
        self.first: float | None = None
        self.judged: list[float] = []
        self._digests: set[bytes] = set()
        self._prompts: dict[str, list[str]] = {}
        self.prompt_bytes: Counter[str] = Counter()
        self.prefix_bytes: Counter[str] = Counter()
        self.reachable_bytes: Counter[str] = Counter()
        self._cpu = time.process_time()

    def note(self, request: dict[str, Any], body: bytes) -> None:
        """Count one chat completion."""
        role = request["model"].split("-")[0]
        self.first = self.first or time.time()
        self.calls[role] += 1
        self.bytes += len(body)
        digest = hashlib.blake2b(body, digest_size=16).digest()
        self.repeated += digest in self._digests
        self._digests.add(digest)
        if self._record:
            self._record.write(json.dumps(request).encode() + b"\n")
            self._record.flush()
        if self._keep_prompts:
            self._note_prefix(role, request)

    def _note_prefix(self, role: str, request: dict[str, Any]) -> None:
        """Measure how much of the prompt begins as one that this model was sent before: what prompt caches bill less.

        The longest common beginning with any earlier prompt is that with a neighbour in sorted order. Reachable in an
        append-only dialogue is the whole of the turn before: all but the reply to it and the newest message.
        """
        parts = [f"{message['role']}\n{message['content']}\n" for message in request["messages"]]
        prompt, earlier = "".join(parts), self._prompts.setdefault(request["model"], [])
        place = bisect.bisect_left(earlier, prompt)
        neighbours = earlier[max(0, place - 1) : place + 1]
        self.prompt_bytes[role] += len(prompt)
        self.prefix_bytes[role] += max((_common_beginning(prompt, other) for other in neighbours), default=0)
        if sum(message["role"] == "assistant" for message in request["messages"]):
            self.reachable_bytes[role] += len("".join(parts[:-2]))
        earlier.insert(place, prompt)

    def report(self) -> dict[str, Any]:
        return {
            "calls": dict(self.calls),
            "repeated": self.repeated,
            "bytes": self.bytes,
            "most_at_once": self.most_at_once,
            "prompt_bytes": dict(self.prompt_bytes),
            "prefix_bytes": dict(self.prefix_bytes),
            "reachable_bytes": dict(self.reachable_bytes),
            "first": self.first,
            "judged": self.judged,
            "cpu_seconds": time.process_time() - self._cpu,
        }


class Connection(asyncio.Protocol):
    """One client's connection."""

    def __init__(self, latency: float, seen: Seen) -> None:
        self._latency, self._seen, self._buffer = latency, seen, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._buffer[:end].lower()
        length = int(head.split(b"content-length:")[1].split(b"\r\n")[0]) if b"content-length:" in head else 0
        if len(self._buffer) < end + 4 + length:
            return
        body, self._buffer = self._buffer[end + 4 : end + 4 + length], b""
        self._serve(head.split(b" ", 2)[1], body)

    def _serve(self, path: bytes, body: bytes) -> None:
        if path == b"/seen":
            self._write(self._seen.report())
        elif path == b"/forget":
            self._seen.forget()
            self._write({})
        else:
            self._complete(body)

    def _complete(self, body: bytes) -> None:
        request = json.loads(body)
        self._seen.note(request, body)
        self._seen.at_once += 1
        self._seen.most_at_once = max(self._seen.most_at_once, self._seen.at_once)
        asyncio.get_running_loop().call_later(self._latency, self._answer, request, body)

    def _answer(self, request: dict[str, Any], body: bytes) -> None:
        self._seen.at_once -= 1
        if request["model"].startswith("judge"):
            self._seen.judged.append(time.time())
        text = answer_text(request["model"], body)
        prompt, completion = len(body) // 4, len(text) // 4
        self._write(
            {
                "id": "chatcmpl-bench",
                "object": "chat.completion",
                "created": 1_700_000_000,
                "model": request["model"],
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": completion,
                    "total_tokens": prompt + completion,
                },
            }
        )

    def _write(self, payload: dict[str, Any]) -> None:
        data = json.dumps(payload).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        if not self._transport.is_closing():  # type: ignore[attr-defined]
            self._transport.write(head.encode() + data)  # type: ignore[attr-defined]


async def serve(port: int, latency: float, seen: Seen) -> None:
    """Serve on 127.0.0.1 until cancelled; prints the port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(latency, seen), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    """Serve with the latency given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds from request to answer")
    parser.add_argument("--keep-prompts", action="store_true", help="measure prefixes; takes memory and time")
    parser.add_argument("--record", type=Path, help="write every request here, one JSON line each")
    arguments = parser.parse_args()
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    seen = Seen(arguments.keep_prompts, arguments.record)
    asyncio.run(serve(arguments.port, arguments.latency, seen))


if __name__ == "__main__":
    main()
