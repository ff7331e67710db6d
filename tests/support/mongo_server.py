"""As much of a MongoDB server on loopback as HELM's cache needs: the real client connects to it over its wire protocol.

Debian has no MongoDB. It knows look-up by equality and replace-or-insert, one document per value of the filter.
"""

from __future__ import annotations

import socketserver
import struct
from typing import Any

import bson

from tests.support.serving import serve

_HEADER = struct.Struct("<iiii")
_QUERY, _REPLY, _MESSAGE = 2004, 1, 2013
_HELLO = {
    "ismaster": True,
    "isWritablePrimary": True,
    "helloOk": True,
    "maxBsonObjectSize": 16 * 2**20,
    "maxMessageSizeBytes": 48_000_000,
    "maxWriteBatchSize": 100_000,
    "minWireVersion": 0,
    "maxWireVersion": 21,
    "readOnly": False,
}
Document = dict[str, Any]


class MongoServer:
    """Serves until closed. `documents` is (collection, filter as BSON) -> document."""

    def __init__(self) -> None:
        self.documents: dict[tuple[str, bytes], Document] = {}
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                while head := self.rfile.read(_HEADER.size):
                    size, request, _, kind = _HEADER.unpack(head)
                    body = self.rfile.read(size - _HEADER.size)
                    answer = bson.encode({**outer._answer(_command(kind, body)), "ok": 1.0})
                    if kind == _QUERY:
                        kind, body = _REPLY, struct.pack("<iqii", 8, 0, 0, 1) + answer
                    else:
                        body = struct.pack("<iB", 0, 0) + answer
                    self.wfile.write(_HEADER.pack(_HEADER.size + len(body), 0, request, kind) + body)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        serve(self._server)

    @property
    def uri(self) -> str:
        """What --mongo-uri takes."""
        return f"mongodb://127.0.0.1:{self._server.server_address[1]}/helm"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, command: Document) -> Document:
        name, collection = next(iter(command.items()))
        if name == "find":
            found = self.documents.get((collection, bson.encode(command["filter"])))
            batch = [] if found is None else [found]
            return {"cursor": {"id": bson.Int64(0), "ns": f"helm.{collection}", "firstBatch": batch}}
        if name == "update":
            for update in command["updates"]:
                self.documents[collection, bson.encode(update["q"])] = update["u"]
            return {"n": len(command["updates"]), "nModified": 0}
        return _HELLO if name.lower() in ("hello", "ismaster") else {}


def _command(kind: int, body: bytes) -> Document:
    """Return the command of an OP_MSG or, for the first hello, of an OP_QUERY."""
    if kind == _QUERY:
        start = body.index(b"\0", 4) + 9
        return dict(bson.decode_all(body[start:])[0])
    command: Document = {}
    place = 4
    while place < len(body):
        section, size = struct.unpack_from("<Bi", body, place)
        if section == 0:
            command = {**bson.decode(body[place + 1 : place + 1 + size]), **command}
        else:
            name, _, documents = body[place + 5 : place + 1 + size].partition(b"\0")
            command[name.decode()] = bson.decode_all(documents)
        place += 1 + size
    return command
