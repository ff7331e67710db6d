"""Text that a format cannot hold, and folders that are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.export.folder import new_folder
from helm_impactbench.outputs.export.words import file_name, storable, storable_data, without_nulls


@given(st.text(st.characters()))
def test_storable_text_can_be_written(text: str) -> None:
    """Any text becomes UTF-8 of the same length in characters, and text without lone surrogates stays as it is."""
    kept = storable(text)
    assert len(kept) == len(text)
    assert kept.encode("utf-8").decode("utf-8") == kept
    assert storable(kept) == kept


def test_only_what_cannot_be_stored_is_replaced() -> None:
    """A lone surrogate is replaced in keys and values; whole pairs, null characters and markup stay."""
    assert storable_data({"a\ud800": ["\udfff", 1, None, "😀\0<script>"]}) == {
        "a\ufffd": ["\ufffd", 1, None, "😀\0<script>"]
    }
    assert without_nulls("a\0b") == "a\u2400b"


@pytest.mark.parametrize("name", ["../../etc", "a/b:c", "", "..", "=x", "C:\\x"])
def test_file_names_are_one_part(name: str) -> None:
    """Whatever a target is called, its folder is one part of a path."""
    assert Path(file_name(name)).name == file_name(name)
    assert file_name(name) not in ("", ".", "..")


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    """After an error neither the folder nor a part of it is there; what an interruption left is cleared away."""
    (tmp_path / ".out.unfinished").mkdir()
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "out") as folder:
        1 // ((folder / "half").write_text("x") - 1)
    assert list(tmp_path.iterdir()) == []


def test_a_new_folder_is_new(tmp_path: Path) -> None:
    """A folder, file or dangling link at the place is refused; a missing parent is made."""
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    for name in ("link", "file"):
        with pytest.raises(ImpactBenchError, match="exists; nothing is overwritten"), new_folder(tmp_path / name):
            pass
    with pytest.raises(ImpactBenchError, match=r"is a file\. Give a folder"), new_folder(tmp_path / "file/out"):
        pass
    with new_folder(tmp_path / "a/b") as folder:
        (folder / "x").write_text("x")
    assert (tmp_path / "a/b/x").read_text() == "x"
