"""A real OpenAI-compatible HTTP server on loopback that records every request and answers as a test says.

At /messages it answers as Anthropic's Messages API does.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.serving import serve

Body = dict[str, Any]
Answer = str | Body | tuple[int, Body]
"""A message's text, a message object (with finish_reason and usage if wanted), or an HTTP status with an error body."""

PROBE = "Reply with the word ready."
JUDGE_ABSENT = json.dumps({"justification": "Nothing of the kind is said.", "evidence": [], "answer": "absent"})


def text_of(body: Body) -> str:
    """Return all words of a request; Anthropic's have the system prompt beside the messages."""
    parts = [*filter(None, [body.get("system")]), *(message["content"] for message in body["messages"])]
    return "\n".join(part if isinstance(part, str) else "\n".join(each["text"] for each in part) for part in parts)


def default_answer(body: Body) -> Answer:
    """Answer as a well-behaved model of the role that the model's name begins with: user, judge, or a target."""
    if text_of(body) == PROBE:
        return "ready"
    own = sum(message["role"] == "assistant" for message in body["messages"]) + 1
    if body["model"].startswith("user"):
        return f"Thought: secret thought {own}\nMessage: spoken line {own} about {_marker(body)}"
    if body["model"].startswith("judge"):
        return JUDGE_ABSENT
    return f"{body['model']} replies {own}"


def _marker(body: Body) -> str:
    """Return a short name for the persona, so that scenarios have different opening messages."""
    system = body["messages"][0]["content"]
    return system.split("<persona>")[1].split("</persona>")[0].strip()[:40]


@dataclass
class OpenAIServer:
    """Serves chat completions until closed."""

    answer: Callable[[Body], Answer] = default_answer
    requests: list[Body] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    models: tuple[str, ...] = ()
    """What it lists; by default it lists none."""
    path: str = ""
    """Where it serves, such as /v1; anywhere when empty."""
    retry_after: float = 0.0
    """Seconds that an answer with status 429 asks to wait."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.requests.append(body)
                    outer.headers.append({**self.headers, ":path": self.path})
                payload_of = _message_payload if self.path.endswith("/messages") else _payload
                nothing = (404, {"detail": "Not Found"})
                status, payload = payload_of(outer.answer(body) if self.path.startswith(outer.path) else nothing, body)
                data = json.dumps(payload).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if status == 429:
                    self.send_header("Retry-After", str(outer.retry_after))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self) -> None:
                data = json.dumps({"data": [{"id": name, "object": "model"} for name in outer.models]}).encode()
                self.send_response(200 if outer.models and self.path.startswith(outer.path) else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        serve(self._server)

    @property
    def url(self) -> str:
        """The base URL that an OpenAI client takes."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def forget(self) -> None:
        """Forget the requests so far."""
        self.requests.clear()
        self.headers.clear()

    @property
    def probes(self) -> list[Body]:
        """The first questions among the requests."""
        return [body for body in self.requests if text_of(body) == PROBE]

    def of(self, role: str) -> list[Body]:
        """Return the requests to models whose name begins with `role`."""
        return [body for body in self.requests if body["model"].startswith(role)]


def _payload(answer: Answer, body: Body) -> tuple[int, Body]:
    if isinstance(answer, tuple):
        return answer
    message = {"role": "assistant", "content": answer} if isinstance(answer, str) else answer
    finish = message.pop("finish_reason", "stop")
    usage = message.pop("usage", {"prompt_tokens": 100, "completion_tokens": 10})
    return 200, {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage if "total_tokens" in usage else {**usage, "total_tokens": sum(usage.values())},
    }


def _message_payload(answer: Answer, body: Body) -> tuple[int, Body]:
    status, payload = _payload(answer, body)
    if status != 200:
        return status, payload
    usage = payload["usage"]
    return 200, {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": payload["choices"][0]["message"]["content"]}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]},
    }
