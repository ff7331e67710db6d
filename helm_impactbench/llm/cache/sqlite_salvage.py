"""Rows out of a damaged SQLite file, read from its pages one by one.

SQLite gives up a file at the first page that is missing or wrong, and with it every row that it would have reached by
that page. A cache has one table of two columns, so that each leaf page can be read by itself: whatever pages are there
give their rows. Format: sqlite.org/fileformat2.html, 1.3 (header), 1.6 (pages, cells, overflow), 2.1 (records).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

_TABLE_LEAF = 0x0D
_HEADER = 100
"""Bytes of the file's header, which stands at the beginning of page 1."""
_DEFAULT_PAGE = 4096
_SIZES = frozenset(1 << power for power in range(9, 17))


class Row(NamedTuple):
    """A row of HELM's cache."""

    number: int
    """SQLite's rowid: of two rows with one key, the higher is the later."""
    key: str
    value: bytes


def readable_rows(path: Path) -> Iterator[Row]:
    """Yield every row of a key and a value that is whole, in the order of pages; also from pages given up by SQLite."""
    with path.open("rb") as file:
        pages = _Pages(file.read(_HEADER), path.stat().st_size)
        for number in range(1, pages.count + 1):
            page = pages.read(file, number)
            start = _HEADER if number == 1 else 0
            if len(page) == pages.size and page[start] == _TABLE_LEAF:
                yield from _rows(page, start, pages, file)


class _Pages:
    """The sizes of a file's pages, and one page."""

    def __init__(self, header: bytes, length: int) -> None:
        """`header` is the beginning of the file; without a page size in it, SQLite's default is taken."""
        size = int.from_bytes(header[16:18], "big")
        size = 65536 if size == 1 else size
        self.size = size if size in _SIZES else _DEFAULT_PAGE
        self.usable = self.size - (header[20] if size in _SIZES and len(header) > 20 else 0)
        self.count = -(-length // self.size)

    def read(self, file: BinaryIO, number: int) -> bytes:
        """Return a page; shorter, or empty, where the file ends."""
        file.seek((number - 1) * self.size)
        return file.read(self.size)


def _rows(page: bytes, start: int, pages: _Pages, file: BinaryIO) -> Iterator[Row]:
    for i in range(int.from_bytes(page[start + 3 : start + 5], "big")):
        place = start + 8 + 2 * i
        try:
            yield _row(page, int.from_bytes(page[place : place + 2], "big"), pages, file)
        except (ValueError, IndexError):  # this cell is damaged; the next one may be whole
            continue


def _row(page: bytes, place: int, pages: _Pages, file: BinaryIO) -> Row:
    """Return the row of a cell. Raises ValueError or IndexError when it is not whole or no row of a cache."""
    length, place = _varint(page, place)
    number, place = _varint(page, place)
    local = _local(length, pages.usable)
    if place + local > pages.usable:
        raise ValueError("the cell is longer than its page")
    payload = bytearray(page[place : place + local])
    overflow = int.from_bytes(page[place + local : place + local + 4], "big") if local < length else 0
    while len(payload) < length:
        further = pages.read(file, overflow) if overflow else b""
        if len(further) < pages.size:
            raise ValueError("the rest of the row is missing")
        payload += further[4 : 4 + min(pages.usable - 4, length - len(payload))]
        overflow = int.from_bytes(further[:4], "big")
    return Row(number, *_columns(bytes(payload)))


def _columns(record: bytes) -> tuple[str, bytes]:
    """Return the two columns of a record. A text's type is odd from 13, a blob's even from 12."""
    length, place = _varint(record, 0)
    text, place = _varint(record, place)
    blob, place = _varint(record, place)
    middle, end = length + (text - 13) // 2, length + (text - 13) // 2 + (blob - 12) // 2
    if place != length or text < 13 or text % 2 == 0 or blob < 12 or blob % 2 or end != len(record):
        raise ValueError("no row of a key and a value")
    return record[length:middle].decode(), record[middle:end]


def _local(length: int, usable: int) -> int:
    """Return how many bytes of a table's row stand in its leaf page; the others are on overflow pages."""
    if length <= usable - 35:
        return length
    least = (usable - 12) * 32 // 255 - 23
    fitting = least + (length - least) % (usable - 4)
    return fitting if fitting <= usable - 35 else least


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return (number, place after it): seven bits per byte, the ninth byte whole. Raises IndexError at the end."""
    value = 0
    for i in range(9):
        byte = data[place + i]
        if i == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + i + 1
    raise ValueError("no number")
