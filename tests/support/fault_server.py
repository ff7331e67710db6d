"""An OpenAI-compatible server on loopback that answers well, and faults where its script says so.

Which fault falls on which call follows from the request and from how often it came, never from time or threads: a
script is a function of a `Call`. As a process of its own, with random faults:

    python -m tests.support.fault_server --rate 0.1 --seed 1        # prints its URL; GET /seen tells what it saw
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any

from tests.support.openai_server import Body, text_of

MEGABYTE = 1_000_000
CONTROLS = "a\x00b\x07c\x1b[31md\x7fe\x85f\u2028g\u202eh\rend"
_CASE = re.compile(r"m\d\d_s\d{3}_v\d\d")


@dataclass(frozen=True)
class Call:
    """One HTTP request for a chat completion."""

    body: Body
    digest: str
    """Of the whole request."""
    attempt: int
    """From 1: how often this request has come."""

    @property
    def model(self) -> str:
        """The model's name as the provider knows it; it begins with the role: user, judge, else a target."""
        return str(self.body["model"])

    @property
    def role(self) -> str:
        """user, judge or target."""
        return next((role for role in ("user", "judge") if self.model.startswith(role)), "target")

    @property
    def case(self) -> str:
        """The scenario variant that the request is about."""
        found = _CASE.search(text_of(self.body))
        return found.group() if found else ""


Script = Callable[[Call], str]
"""Returns the name of a fault, or an empty string for a good answer."""

ERRORS: dict[str, tuple[int, str, dict[str, str]]] = {
    # name: (status, message, what more stands in the error's object)
    "429": (429, "slow down", {}),
    "429-seconds": (429, "slow down", {}),
    "429-date": (429, "slow down", {}),
    "429-minute": (429, "slow down", {}),
    "500": (500, "broken", {}),
    "502": (502, "bad gateway", {}),
    "503": (503, "overloaded", {}),
    "400": (400, "max_tokens is too large", {}),
    "400-filter": (400, "The response was filtered due to our content policy", {"code": "content_filter"}),
    "403-flagged": (403, "Your input was flagged", {}),
    "401": (401, "Incorrect API key provided", {"code": "invalid_api_key"}),
    "402": (402, "payment required", {}),
    "403": (403, "this key may not use the model", {}),
    "404": (404, "The model does not exist", {"code": "model_not_found"}),
    "quota": (429, "You exceeded your current quota, please check your plan", {"code": "insufficient_quota"}),
}
TRANSIENT = (
    *("429", "429-seconds", "500", "502", "503"),
    *("reset", "truncated"),
)
"""Faults that are over when the same request comes again, and cost no time."""
RETRY_AFTER = 1


def never(call: Call) -> str:
    """Fault never."""
    return ""


def by_model_name(call: Call) -> str:
    """Fault always, with what stands after the role in the model's name: `target-500`, `judge-reset`."""
    return call.model.partition("-")[2] if "-" in call.model else ""


def seeded(seed: int, rate: float, faults: Sequence[str] = TRANSIENT) -> Script:
    """Return a script that faults on a share of all calls, drawn from the request, the attempt and the seed."""

    def script(call: Call) -> str:
        drawn = hashlib.sha256(f"{seed}/{call.digest}/{call.attempt}".encode()).digest()
        if int.from_bytes(drawn[:4], "big") >= rate * 2**32:
            return ""
        return faults[int.from_bytes(drawn[4:8], "big") % len(faults)]

    return script


def good_answer(call: Call) -> str:
    """Answer as a well-behaved model of the role; a judge's verdict is drawn from the transcript."""
    own = sum(message["role"] == "assistant" for message in call.body["messages"]) + 1
    if call.role == "user":
        return f"Thought: secret thought {own}\nMessage: spoken line {own} about {call.case}"
    if call.role == "judge":
        transcript = text_of(call.body).split("<transcript-")[1].split("</transcript-")[0]
        present = hashlib.sha256(transcript.encode()).digest()[0] % 2 == 0
        return json.dumps(
            {"justification": "Because of what is said.", "evidence": [], "answer": "present" if present else "absent"}
        )
    return f"{call.model} replies {own} to {call.case}"


class FaultServer:
    """Serves chat completions in a thread of its own until closed."""

    def __init__(
        self,
        script: Script = never,
        answer: Callable[[Call], str] = good_answer,
        *,
        hang: float = 3.0,
        drip: float = 0.5,
        latency: float = 0.0,
        keep: bool = True,
        prompt_tokens: Callable[[Call], int] = lambda call: 100,
    ) -> None:
        """`hang` (drip-on too) and `drip` are the seconds of these faults, `latency` those of every call.

        `keep` remembers calls, `prompt_tokens` is what a call is charged for.
        """
        self.prompt_tokens = prompt_tokens
        self.script, self.answer = script, answer
        self.hang, self.drip, self.latency, self.keep = hang, drip, latency, keep
        self.calls: list[Call] = []
        self.faults: list[tuple[Call, str]] = []
        self.times: list[float] = []
        self.counts: Counter[str] = Counter()
        self._attempts: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait()

    @property
    def url(self) -> str:
        """The base URL that an OpenAI client takes."""
        return f"http://127.0.0.1:{self._port}/v1"

    def of(self, role: str) -> list[Call]:
        """Return the calls of a role."""
        return [call for call in self.calls if call.role == role]

    def close(self) -> None:
        """Stop serving."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=512))
        self._port = server.sockets[0].getsockname()[1]
        ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.set_exception_handler(lambda *_: None)  # connections that are cut off here are no news
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                if head.startswith("GET"):
                    _send(writer, 200, json.dumps(self.counts).encode())
                    continue
                length = int(re.search(r"content-length: *(\d+)", head, re.IGNORECASE)[1])  # type: ignore[index]
                call, fault = self._noted(await reader.readexactly(length))
                await asyncio.sleep(self.latency)
                if not await self._respond(writer, call, fault):
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    def _noted(self, raw: bytes) -> tuple[Call, str]:
        digest = hashlib.sha256(raw).hexdigest()
        self._attempts[digest] += 1
        call = Call(json.loads(raw), digest, self._attempts[digest])
        fault = self.script(call)
        self.counts["calls"] += 1
        self.counts[f"fault {fault}" if fault else "good"] += 1
        if self.keep:
            self.calls.append(call)
            self.times.append(time.monotonic())
            self.faults += [(call, fault)] if fault else []
        return call, fault

    async def _respond(self, writer: asyncio.StreamWriter, call: Call, fault: str) -> bool:
        """Answer, or fault. Returns whether the connection can go on."""
        if fault in ERRORS:
            status, message, more = ERRORS[fault]
            _send(writer, status, json.dumps({"error": {"message": message, **more}}).encode(), _headers(fault))
            return True
        if fault == "reset":
            linger = struct.pack("ii", 1, 0)  # closes with RST
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
            return False
        if fault == "hang":
            await asyncio.sleep(self.hang)
            return False
        data = _completion(call, self.answer(call), fault, self.prompt_tokens(call))
        if fault in ("drip", "drip-on"):
            await self._drip(writer, data, self.drip if fault == "drip" else self.hang)
            return True
        if fault == "truncated":
            _send(writer, 200, data[: len(data) // 2], length=len(data))
            return False
        kind = "text/html" if fault == "not-json" else "application/json"
        broken = {"invalid-json": data[: len(data) // 2], "not-json": b"<html>Bad gateway</html>"}
        _send(writer, 200, broken.get(fault, data), kind=kind)
        return True

    async def _drip(self, writer: asyncio.StreamWriter, data: bytes, seconds: float) -> None:
        pieces = 20
        size = len(data) // pieces + 1
        _send(writer, 200, b"", length=len(data))
        for start in range(0, len(data), size):
            writer.write(data[start : start + size])
            await asyncio.sleep(seconds / pieces)


def _headers(fault: str) -> dict[str, str]:
    if fault == "429-seconds":
        return {"Retry-After": str(RETRY_AFTER)}
    if fault == "429-minute":
        return {"Retry-After": "60"}
    if fault == "429-date":
        return {"Retry-After": formatdate(time.time() + RETRY_AFTER + 1, usegmt=True)}
    return {}


def _send(
    writer: asyncio.StreamWriter,
    status: int,
    data: bytes,
    headers: dict[str, str] | None = None,
    *,
    kind: str = "application/json",
    length: int | None = None,
) -> None:
    fields = {"Content-Type": kind, "Content-Length": len(data) if length is None else length, **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    writer.write(f"HTTP/1.1 {status} Answer\r\n{lines}\r\n".encode() + data)


TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


def _completion(call: Call, text: str, fault: str, prompt_tokens: int) -> bytes:
    """Return a chat completion, spoilt as a fault says."""
    message: dict[str, Any] = {"role": "assistant", "content": _spoilt(call, text, fault)}
    finish = {"length": "length", "length-null": "length", "filter": "content_filter", "filter-part": "content_filter"}
    if fault == "tool-call":
        message["tool_calls"] = [TOOL_CALL]
    choice = {"index": 0, "message": message, "finish_reason": finish.get(fault, "stop")}
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": call.model,
        "choices": [] if fault == "no-choices" else [choice],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 10, "total_tokens": prompt_tokens + 10},
    }
    return json.dumps(completion).encode()


def _spoilt(call: Call, text: str, fault: str) -> str | None:
    if fault in ("null", "length-null", "filter", "tool-call"):
        return None
    if fault == "empty":
        return ""
    if fault in ("length", "filter-part"):
        return text[: len(text) * 3 // 4]
    more = {"megabyte": "very long " * (MEGABYTE // 10), "controls": CONTROLS, "surrogate": "half \ud83d a character"}
    if fault not in more:
        return text
    if call.role != "judge":
        return f"{text} {more[fault]}"
    answer = json.loads(text)
    answer["justification"] += more[fault]
    return json.dumps(answer)


def main() -> None:
    """Serve with random faults until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.1, help="share of calls that fault")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds of every call")
    options = parser.parse_args()
    server = FaultServer(seeded(options.seed, options.rate), latency=options.latency, keep=False)
    print(server.url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
