"""Conversations of people as users have them: JSONL and tables are read alike; every fault has its line and cure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helm_impactbench.validity.simulator import human_reference
from helm_impactbench.validity.simulator.human_reference import HumanConversation, HumanReferenceError, read_human

CHATS = [
    [
        ("system", "Be brief."),
        ("user", f"hi, number {n}, what about ferns?"),
        ("assistant", "They like shade."),
        ("user", "=ok"),
    ]
    for n in range(25)
]


def _lines(**more: Any) -> list[dict[str, Any]]:
    return [{"messages": [{"role": role, "content": text} for role, text in chat], **more} for chat in CHATS]


def _jsonl(path: Path, data: list[Any]) -> Path:
    path.write_text("\n".join(json.dumps(one) for one in data) + "\n\n")
    return path


def _rows() -> dict[str, list[str]]:
    told = [(f"c{n}", role, text) for n, chat in enumerate(CHATS) for role, text in chat]
    return {
        name: list(column)
        for name, column in zip(("conversation", "role", "content"), zip(*told, strict=True), strict=True)
    }


def _csv(path: Path, separator: str = ",") -> Path:
    columns = _rows()
    lines = [separator.join(columns)]
    lines += [separator.join(f'"{cell}"' for cell in row) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines))
    return path


def test_all_forms_hold_the_same(tmp_path: Path) -> None:
    """JSONL, CSV, TSV and Parquet give the same messages; only the person's words count."""
    pq.write_table(pa.table({**_rows(), "other": list(range(100))}), tmp_path / "a.parquet")
    files = [
        _jsonl(tmp_path / "a.jsonl", _lines()), _csv(tmp_path / "a.csv"), _csv(tmp_path / "a.tsv", "\t"),
        tmp_path / "a.parquet",
    ]  # fmt: skip
    read = [[one.messages for one in read_human(path)] for path in files]
    assert all(one == read[0] for one in read)
    assert read[0][3] == ("hi, number 3, what about ferns?", "=ok")


def test_people_are_kept_together(tmp_path: Path) -> None:
    """Conversations of one person share a name; without one, each stands for itself. Parts of a message are joined."""
    same = read_human(_jsonl(tmp_path / "a.jsonl", _lines(person="Kim", toxic=False)))
    assert {one.person for one in same} == {"person Kim"}
    parts = [{"type": "text", "text": "look"}, {"type": "image_url"}, {"type": "text", "text": "here"}]
    data = [*_lines(), {"messages": [{"role": "human", "content": parts}, {"role": "gpt", "content": None}]}]
    found = read_human(_jsonl(tmp_path / "b.jsonl", data))
    assert found[-1] == HumanConversation("line 26", ("look\nhere",))
    assert len({one.person for one in found}) == 26


GOOD = {"messages": [{"role": "user", "content": "hello"}]}
FAULTS = {
    "not json": (["{"], "line 2", "is not valid JSON"),
    "no list": ([{"conversation": []}], "line 2", 'no list "messages"'),
    "not an object": ([["hello"]], "line 2", 'no list "messages"'),
    "a role that nobody knows": ([{"messages": [{"role": "usr", "content": "a"}]}], "line 2", "Did you mean user"),
    "no role": ([{"messages": [{"content": "a"}]}], "line 2", 'message 1 has no "role"'),
    "content that is no text": ([{"messages": [{"role": "user", "content": 5}]}], "line 2", 'no "content"'),
    "a key twice": (['{"messages": [], "messages": []}'], "line 2", "twice"),
    "too few": ([], "", "needs 20 or more"),
}  # fmt: skip


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_fault_is_told_with_its_line(tmp_path: Path, fault: str) -> None:
    """One sentence names the file, the line and what is wrong."""
    lines, where, words = FAULTS[fault]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in (GOOD, *lines)))
    with pytest.raises(HumanReferenceError) as told:
        read_human(path)
    assert where in str(told.value)
    assert words in str(told.value)
    assert str(path) in str(told.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "conversation,rol,content\n1,user,a\n", "line 1: the header lacks the column 'role'"),
        ("a.csv", 'conversation,role,content\n1,user,"a\n', "quotation mark"),
        ("a.csv", "conversation,role,content\n1,user,a,b\n", "line 2: the row has more cells"),
        ("a.csv", "conversation,role,content\n,user,a\n", "line 2: the conversation has no name"),
        ("a.parquet", "no parquet", "cannot be read as Parquet"),
        ("a.jsonl", "\ufeff" + "\0" * 9, "UTF-16"),
    ],
)
def test_a_broken_table_is_told(tmp_path: Path, name: str, content: str, words: str) -> None:
    """With the line where there is one."""
    (tmp_path / name).write_text(content)
    with pytest.raises(HumanReferenceError, match=words):
        read_human(tmp_path / name)


def test_a_file_that_is_too_large_or_missing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it fills the memory, in every form."""
    pq.write_table(pa.table(_rows()), tmp_path / "a.parquet")
    monkeypatch.setattr(human_reference, "MOST_BYTES", 100)
    for path in (_jsonl(tmp_path / "a.jsonl", _lines()), _csv(tmp_path / "a.csv"), tmp_path / "a.parquet"):
        with pytest.raises(HumanReferenceError, match=r"too large: more than 100 bytes.* Give a random part of it"):
            read_human(path)
    for name in ("none.jsonl", "none.csv", "none.parquet"):
        with pytest.raises(HumanReferenceError, match="cannot be read"):
            read_human(tmp_path / name)
