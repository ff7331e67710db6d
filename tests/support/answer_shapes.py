"""More than a hundred ways in which a server may answer one chat completion, byte by byte, each with what it holds.

A server on loopback sends the one that the model's name asks for.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import threading
import time
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from tests.support.endless_server import WAYS, WHOLE

WORDS = "hello"
TOKENS = (7, 2)
"""Of prompt and answer, in every usage that can be true."""
USAGE = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}
_MESSAGE = {"role": "assistant", "content": WORDS}
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Shape:
    """One way to answer."""

    first: bytes
    """What is sent at once: a whole HTTP response, or the beginning of one."""
    again: bytes = b""
    """What follows over and over; without it the connection is closed."""
    words: str | None = WORDS
    """What has to be read from it; None where there are no words."""
    whole: bool = True
    """Whether it is a whole answer of status 200."""
    tokens: tuple[int, int] | None = TOKENS
    """What it says of its tokens where that can be true, in a body that can be read."""
    endless: bool = False


def http(
    body: bytes, status: str = "200 OK", kind: str = "application/json", *headers: str, length: int | None = None
) -> bytes:
    """Return a whole response."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body) if length is None else length}",
    ]
    return "\r\n".join([*lines, *headers, "Connection: close", "", ""]).encode("latin-1") + body


def chat(**more: Any) -> bytes:
    """Return a chat completion; `more` takes the place of its fields."""
    choice = {"index": 0, "message": _MESSAGE, "finish_reason": "stop"}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}
    return json.dumps({**whole, **more}).encode()


def message(**more: Any) -> bytes:
    """Return a chat completion whose message has other fields."""
    return chat(choices=[{"index": 0, "message": {**_MESSAGE, **more}, "finish_reason": "stop"}])


def choices(value: Any) -> bytes:
    """Return a chat completion with other choices."""
    return chat(choices=value)


def _read(**bodies: bytes) -> dict[str, Shape]:
    return {name: Shape(http(body)) for name, body in bodies.items()}


def _worthless(**bodies: bytes) -> dict[str, Shape]:
    return {name: Shape(http(body), words=None) for name, body in bodies.items()}


def _flood(field: str) -> bytes:
    return chat()[:-1] + b", " + field.encode() + b"}"


def _deep(levels: int) -> str:
    return "[" * levels + "]" * levels


_PART = {"type": "text", "text": WORDS}
_THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
UNUSUAL = _read(
    plain=chat(),
    parts=message(content=[_PART]),
    two_parts=message(content=[{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]),
    thought_part=message(content=[_THOUGHT, _PART]),
    texts=message(content=["hel", "lo"]),
    textvalue=message(content=[{"type": "text", "text": {"value": WORDS}}]),
    one_part=message(content=_PART),
    norole=choices([{"message": {"content": WORDS}}]),
    roleint=message(role=7),
    rolenull=message(role=None),
    finishobj=choices([{"message": _MESSAGE, "finish_reason": {"type": "stop"}}]),
    finishint=choices([{"message": _MESSAGE, "finish_reason": 3}]),
    finishodd=choices([{"message": _MESSAGE, "finish_reason": "weather"}]),
    nofinish=choices([{"message": _MESSAGE}]),
    toolbad=message(tool_calls=[1, {"function": 3}]),
    toolstr=message(tool_calls="search"),
    toolnull=message(tool_calls=None),
    functionodd=message(function_call=[3]),
    reasonlist=message(reasoning_content=[_PART]),
    reasonobj=message(reasoning={"a": 1}),
    refusalobj=message(refusal={"a": 1}),
    audio=message(audio="noise", annotations=3, images={"a": 1}),
    legacy=choices([{"text": WORDS, "index": 0}]),
    indextext=choices([{"index": "first", "message": _MESSAGE}]),
    twochoices=choices([{"message": _MESSAGE}, {"message": {"content": "other"}}]),
    idint=chat(id=3),
    idobj=chat(id={"id": "x"}),
    modellist=chat(model=["m"]),
    noobject=chat(object=None),
    createdtext=chat(created="yesterday"),
    inf=chat(created=float("inf")),
    nan=chat(created=float("nan")),
    digits=chat(created=0).replace(b'"created": 0', b'"created": ' + b"9" * 5000),
    emptyerror=chat(error={}),
    errorbeside=chat(error={"message": "late"}),
    logprobs=choices([{"message": _MESSAGE, "logprobs": {"content": [{"token": 3}]}}]),
    filterresults=choices([{"message": _MESSAGE, "content_filter_results": [1]}]),
    fingerprint=chat(system_fingerprint={"a": 1}),
    twice=chat()[:-1] + b', "id": "2"}',
    spaces=b" \r\n" * 1000 + chat() + b"\n" * 1000,
    bom=b"\xef\xbb\xbf" + chat(),
    utf16=chat().decode().encode("utf-16"),
    utf32=chat().decode().encode("utf-32"),
    bigkeys=_flood(",".join(f'"k{i}": {i}' for i in range(400_000))),
    bigarr=_flood('"x": [' + "1," * 3_500_000 + "1]"),
    bigobjects=_flood('"x": [' + '{"a": "b"},' * 600_000 + "1]"),
    bigtext=_flood('"x": "' + "\\n" * 3_500_000 + '"'),
    deepmeta=_flood(f'"x": {_deep(900)}'),
    deepest=_flood(f'"x": {_deep(9000)}'),
    deepmessage=message(x=json.loads(_deep(400))),
) | {
    "number": Shape(http(message(content=42)), words="42"),
    "surrogate": Shape(http(message(content="half \ud83d")), words="half \ud83d"),
    "nul": Shape(http(message(content="a\0b")), words="a\0b"),
    "badutf8": Shape(http(message(content="a?b").replace(b"?", b"\xff")), words="a\ufffdb"),
    "empty": Shape(http(message(content="")), words=""),
    "noparts": Shape(http(message(content=[])), words=""),
    "image": Shape(http(message(content=[{"type": "image_url"}])), words=""),
    "oddparts": Shape(http(message(content=[None, 3, {"type": 4}])), words=""),
}
USAGES = {
    f"usage-{name}": Shape(http(chat(usage=usage)), tokens=None)
    for name, usage in {
        "none": None, "text": "many", "list": [1, 2], "negative": {**USAGE, "prompt_tokens": -5},
        "nan": {**USAGE, "prompt_tokens": float("nan")}, "inf": {**USAGE, "completion_tokens": float("inf")},
        "half": {**USAGE, "prompt_tokens": 1.5}, "huge": {**USAGE, "prompt_tokens": 10**12},
        "missing": {"total_tokens": 9}, "flags": {"prompt_tokens": True, "completion_tokens": False},
    }.items()
} | {
    "usage-texts": Shape(http(chat(usage={"prompt_tokens": "7", "completion_tokens": "2"}))),
    "usage-details": Shape(http(chat(usage={**USAGE, "prompt_tokens_details": {"cached_tokens": -3}}))),
}  # fmt: skip
_GZIP = ("200 OK", "application/json", "Content-Encoding: gzip")
_RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
CODED = {
    "gzip": Shape(http(gzip.compress(chat()), *_GZIP)),
    "gzmulti": Shape(http(gzip.compress(chat()[:9]) + gzip.compress(chat()[9:]), *_GZIP)),
    "gzpadded": Shape(http(gzip.compress(chat()) + bytes(99), *_GZIP)),
    "gzgz": Shape(http(gzip.compress(gzip.compress(chat())), *_GZIP)),
    "gzplain": Shape(http(chat(), *_GZIP)),
    "gzshort": Shape(http(gzip.compress(chat())[:-6], *_GZIP)),
    "rawdeflate": Shape(http(_RAW.compress(chat()) + _RAW.flush(), *_GZIP[:2], "Content-Encoding: deflate")),
    "gzbad": Shape(http(gzip.compress(chat())[:20] + b"\xff" * 50, *_GZIP), words=None, tokens=None),
    "gzbomb": Shape(http(gzip.compress(b"a" * 300 * _MEGABYTE, 1), *_GZIP), words=None, tokens=None),
    "br": Shape(http(chat(), *_GZIP[:2], "Content-Encoding: br"), words=None, tokens=None),
}
WORTHLESS = _worthless(
    nochoices=choices([]),
    nullchoices=choices(None),
    strchoices=choices(["a"]),
    nulchoice=choices([None]),
    objchoices=choices({"0": {}}),
    numchoices=choices(3),
    emptychoice=choices([{}]),
    nullmsg=choices([{"message": None}]),
    contentdict=message(content={"a": 1}),
    contenttrue=message(content=True),
    error200=chat(choices=[], error={"message": "overloaded", "code": 529}),
) | {
    name: Shape(http(body), words=None, tokens=None)
    for name, body in {
        "html": b"<html>Bad gateway</html>", "blank": b"", "half": chat()[:60], "two": chat() + chat(), "list": b"[1]",
        "null": b"null", "text": b'"hello"', "stream": b"data: " + chat() + b"\n\n", "longhtml": b"<p>" * _MEGABYTE,
        "large": message(content="a" * 9 * _MEGABYTE), "nesting": _flood('"x": [' + '[["a"],[[1]]],' * 550_000 + "1]"),
        "deepcontent": b'{"choices": [{"message": {"content": ' + _deep(9000).encode() + b"}}]}",
    }.items()
}  # fmt: skip


def _refusal(status: str, *headers: str) -> Shape:
    body = json.dumps({"error": {"message": "no"}}).encode()
    return Shape(http(body, status, "application/json", *headers), words=None, whole=False, tokens=None)


REFUSALS = {
    **{status[:3]: _refusal(status) for status in ("400 Bad", "408 Slow", "409 Taken", "413 Long", "422 Odd",
       "425 Early", "500 Broken", "502 Bad", "503 Busy", "504 Late", "529 Busy", "999 Odd", "304 Same")},
    "429": _refusal("429 Wait", "Retry-After: 0"),
    "429-e308": _refusal("429 Wait", "Retry-After: 1e308"),
    "429-negative": _refusal("429 Wait", "Retry-After: -5"),
    "429-words": _refusal("429 Wait", "Retry-After: soon"),
    "401": _refusal("401 Who"),
    "402": _refusal("402 Pay"),
    "404": _refusal("404 Where"),
    "redirself": _refusal("307 Moved", "Location: /v1/chat/completions"),
    "redirjs": _refusal("307 Moved", "Location: javascript://x"),
    "redirbad": _refusal("308 Moved", "Location: http://["),
    "redirnone": _refusal("302 Moved"),
    "204": Shape(http(b"", "204 None"), words=None, tokens=None),
    "206": Shape(http(chat(), "206 Part")),
}  # fmt: skip
_CUT = {"words": None, "whole": False, "tokens": None}
BROKEN = {
    "reset": Shape(b"", **_CUT),  # type: ignore[arg-type]
    "cuthead": Shape(b"HTTP/1.1 200 OK\r\nContent-", **_CUT),  # type: ignore[arg-type]
    "cutbody": Shape(http(chat()[:50], length=len(chat())), **_CUT),  # type: ignore[arg-type]
    "http2": Shape(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", **_CUT),  # type: ignore[arg-type]
    "nonsense": Shape(b"\0\1\2\3" * 99, **_CUT),  # type: ignore[arg-type]
    "bigheaders": Shape(http(chat(), *_GZIP[:2], "X-Big: " + "a" * 3 * _MEGABYTE), **_CUT),  # type: ignore[arg-type]
    "twolengths": Shape(http(chat(), *_GZIP[:2], "Content-Length: 5"), **_CUT),  # type: ignore[arg-type]
    "badchunk": Shape(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", **_CUT),  # type: ignore[arg-type]
    "pipelined": Shape(http(chat()) + http(message(content="of another call"))),
    "longer": Shape(http(chat(), length=len(chat()) + 100)),
}
ENDLESS = {
    f"endless {name}": Shape(way.first, way.again, **_CUT, endless=True)  # type: ignore[arg-type]
    for name, way in WAYS.items()
    if way.reads
} | {f"endless {name}": Shape(way.first, way.again, endless=True) for name, way in WHOLE.items()}
SHAPES: dict[str, Shape] = {**UNUSUAL, **USAGES, **CODED, **WORTHLESS, **REFUSALS, **BROKEN, **ENDLESS}
ENDED = {name: replace(shape) for name, shape in SHAPES.items() if not shape.endless}


class ShapeServer:
    """Sends the shape that stands after `openai/` in the model's name, until closed."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.keys: dict[str, set[str]] = {}
        """Idempotency keys that came with the calls for a shape."""
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._closed = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        """The base URL that an OpenAI client takes."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"

    def close(self) -> None:
        """Stop, and end all answers."""
        self._closed.set()
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            name, key = _asked(connection)
            self.calls[name] += 1
            self.keys.setdefault(name, set()).add(key)
            shape = SHAPES[name]
            connection.sendall(shape.first)
            while shape.endless and not self._closed.is_set():
                connection.sendall(shape.again)
                time.sleep(0.02)


def _asked(connection: socket.socket) -> tuple[str, str]:
    """Return (shape, idempotency key) of a request."""
    head = b""
    while b"\r\n\r\n" not in head:
        if not (piece := connection.recv(65536)):
            raise ConnectionError("it has gone")
        head += piece
    headers, _, body = head.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: *(\d+)", headers, re.IGNORECASE)
    while length and len(body) < int(length[1]):
        body += connection.recv(65536)
    key = re.search(rb"idempotency-key: *(\S+)", headers, re.IGNORECASE)
    return str(json.loads(body)["model"]), key[1].decode() if key else ""
