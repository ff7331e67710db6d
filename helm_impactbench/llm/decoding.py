"""Compressed bodies, decoded in pieces of bounded size whatever they promise."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

import httpx

ENCODINGS = "gzip, deflate"
"""Those that can be decoded piece by piece here."""
_GZIP = ("gzip", "x-gzip")
_MAGIC = b"\x1f\x8b"
"""How gzip begins (RFC 1952); no JSON does."""
_PIECE = 65_536
_MOST_LAYERS = 3


def codings(header: str) -> list[str] | None:
    """Return the codings that a Content-Encoding names in the order of their use, None where one cannot be undone."""
    named = [name.strip().lower() for name in header.split(",")]
    used = [name for name in named if name not in ("", "identity")]
    return used if len(used) <= _MOST_LAYERS and all(name in (*_GZIP, "deflate") for name in used) else None


def decoded(body: Iterable[bytes], used: list[str]) -> Iterator[bytes]:
    """Yield a body without its codings. A gzip inside gzip is decoded too: some servers compress twice and say so once.

    Raises httpx.DecodingError.
    """
    parts = iter(body)
    for coding in reversed(used):
        parts = _layer(parts, is_gzip=coding in _GZIP)
    for _ in range(_MOST_LAYERS - len(used) if used else 0):
        parts = _peeled(parts)
    return parts


def _peeled(parts: Iterator[bytes]) -> Iterator[bytes]:
    begin = _begin(parts)
    rest = _joined(begin, parts)
    return _inflated(rest) if begin[:2] == _MAGIC else rest


def _layer(parts: Iterator[bytes], *, is_gzip: bool) -> Iterator[bytes]:
    begin = _begin(parts)
    rest = _joined(begin, parts)
    if is_gzip and begin[:2] != _MAGIC:  # a server that says so and does not do it
        return rest
    return _inflated(rest)


def _begin(parts: Iterator[bytes]) -> bytes:
    begin = b""
    for part in parts:
        begin += part
        if len(begin) >= len(_MAGIC):
            break
    return begin


def _joined(begin: bytes, parts: Iterator[bytes]) -> Iterator[bytes]:
    yield begin
    yield from parts


def _inflated(body: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what gzip of any number of members (RFC 1952, 2.2), or deflate with or without its header, holds."""
    inflater = None
    try:
        for part in body:
            left = part
            while left:
                inflater = inflater or _inflater(left)
                yield inflater.decompress(left, _PIECE)
                left = inflater.unconsumed_tail
                if inflater.eof:
                    left, inflater = inflater.unused_data, None
                    if left[:1] not in (b"", _MAGIC[:1]):
                        return  # padding
        if inflater:
            yield inflater.flush()
    except zlib.error as error:
        raise httpx.DecodingError(f"it cannot be decompressed: {error}") from error


def _inflater(begin: bytes) -> zlib._Decompress:
    """Return what inflates a body that begins so; some servers leave the header of deflate out."""
    has_header = begin[:1] in (_MAGIC[:1], b"\x78")
    return zlib.decompressobj(zlib.MAX_WBITS | 32 if has_header else -zlib.MAX_WBITS)
