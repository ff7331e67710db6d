"""The loopback model server with OpenAI's files and batches beside its chat completions."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

from tests.support.openai_server import Body, OpenAIServer, _payload

CREATED = 1_700_000_000
SECONDS = 3600
GONE = b'{"error": {"message": "No such object"}}'


@dataclass
class BatchServer(OpenAIServer):
    """Works a batch off when it is first looked at, unless a test says otherwise."""

    status: str = "completed"
    """What becomes of a batch: in_progress leaves it as it is, expired gives answers to the even lines alone."""
    broken: str = ""
    """A request whose text holds this fails within its batch."""
    odd: dict[str, bytes] = field(default_factory=dict)
    """Batch or file -> what is said of it in place of the truth; GONE is sent with 404."""
    lose_reply: bool = False
    """Make the next batch, and break the connection in place of saying so."""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Body] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    """Method and path of every call that is not a chat completion."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._guard = threading.Lock()
        outer, chat = self, self._server.RequestHandlerClass

        class Handler(chat):  # type: ignore[misc, valid-type]
            def do_POST(self) -> None:  # noqa: N802  # http.server's name
                if self.path.endswith("/chat/completions"):
                    super().do_POST()
                    return
                data = self.rfile.read(int(self.headers["Content-Length"]))
                outer.note(f"POST {self.path}", {**self.headers, ":path": self.path})
                if self.path.endswith("/files"):
                    self.say(outer.keep_file(data, self.headers["Content-Type"]))
                    return
                batch = outer.make_batch(json.loads(data))
                if outer.lose_reply:
                    outer.lose_reply = False
                    self.close_connection = True
                    return
                self.say(batch)

            def do_GET(self) -> None:  # noqa: N802  # http.server's name
                outer.note(f"GET {self.path}", {**self.headers, ":path": self.path})
                name = self.path.split("?")[0].rstrip("/").split("/")[-1]
                asked = self.path.split("/")[-2] if name == "content" else name
                if name == "content" or asked in outer.odd:
                    self.send(outer.odd.get(asked) or outer.files[asked], "application/octet-stream")
                elif name == "batches":
                    self.say({"object": "list", "data": list(outer.batches.values()), "has_more": False})
                else:
                    self.say(outer.look(name))

            def say(self, body: Body) -> None:
                self.send(json.dumps(body).encode(), "application/json")

            def send(self, data: bytes, kind: str) -> None:
                self.send_response(404 if data == GONE else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server.RequestHandlerClass = Handler

    def note(self, path: str, headers: dict[str, str]) -> None:
        """Remember a call."""
        with self._guard:
            self.paths.append(path)
            self.headers.append(headers)

    def made(self) -> int:
        """Return how many batches were asked for."""
        return sum(path.startswith("POST") and path.endswith("/batches") for path in self.paths)

    def keep_file(self, data: bytes, content_type: str) -> Body:
        """Keep an uploaded file."""
        form = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + data)
        fields = {part.get_param("name", header="content-disposition"): part for part in form.get_payload()}  # type: ignore[union-attr]
        assert fields["purpose"].get_payload(decode=True) == b"batch"  # type: ignore[union-attr]
        name = f"file-{len(self.files) + 1}"
        self.files[name] = fields["file"].get_payload(decode=True)  # type: ignore[union-attr, assignment]
        return {"id": name, "object": "file", "bytes": len(self.files[name]), "created_at": CREATED,
                "filename": "requests.jsonl", "purpose": "batch", "status": "processed"}  # fmt: skip

    def make_batch(self, body: Body) -> Body:
        """Begin a batch."""
        name = f"batch_{len(self.batches) + 1}"
        self.batches[name] = {"id": name, "object": "batch", "status": "validating", "created_at": CREATED, **body}
        return self.batches[name]

    def look(self, name: str) -> Body:
        """Work a batch off, if it is to be."""
        batch = self.batches[name]
        if batch["status"] == "validating" or batch["status"] == "in_progress" != self.status:
            batch["status"] = self.status
            self._work(batch)
        return batch

    def _work(self, batch: Body) -> None:
        if self.status == "in_progress":
            return
        batch[f"{self.status}_at"] = CREATED + SECONDS
        if self.status == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "bad", "message": "The file has no valid line."}]}
            return
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        good, bad = [], []
        for number, line in enumerate(lines):
            answer = self._answer(line, late=self.status == "expired" and number % 2 == 1)
            (bad if answer["error"] or answer["response"]["status_code"] != 200 else good).append(answer)
        # A batch answers in an order of its own.
        for kind, answers in (("output", good[::-1]), ("error", bad)):
            if answers:
                self.files[f"{batch['id']}-{kind}"] = "\n".join(map(json.dumps, answers)).encode()
                batch[f"{kind}_file_id"] = f"{batch['id']}-{kind}"
        batch["request_counts"] = {"total": len(lines), "completed": len(good), "failed": len(bad)}

    def _answer(self, line: Body, *, late: bool) -> Body:
        said: Body = {"custom_id": line["custom_id"], "response": None, "error": None}
        if late:
            return {
                **said,
                "error": {"code": "batch_expired", "message": "This request could not be executed in time."},
            }
        if self.broken and self.broken in json.dumps(line["body"]):
            refusal: Any = {"error": {"message": "The server had an error."}}
            return {**said, "response": {"status_code": 500, "request_id": "r", "body": refusal}}
        status, body = _payload(self.answer(line["body"]), line["body"])
        return {**said, "response": {"status_code": status, "request_id": "r", "body": body}}

    def sent(self) -> list[Body]:
        """Return the bodies of all lines of all uploaded files."""
        return [json.loads(line)["body"] for name, content in self.files.items() if name.startswith("file-")
                for line in content.splitlines()]  # fmt: skip
