"""YAML is plain data, and whatever is refused has its line."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from helm_impactbench.files.resources import shipped
from helm_impactbench.files.safe_read import IntakeError
from helm_impactbench.files.safe_yaml import dump_yaml, load_yaml
from tests.support.looped import looped


@looped(
    ("text", "value"),
    [
        *(("~", None), ("null", None), ("", None), ("true", True), ("FALSE", False), ("17", 17), ("-3", -3)),
        *(("1.5", 1.5), ("1e-6", 1e-6), (".5", 0.5), ("-0", 0), ('"17"', "17"), ("!!str 17", "17")),
        *(("2024-02-30", "2024-02-30"), ("2024-02-28", "2024-02-28"), ("12:30", "12:30"), ("190:20:30", "190:20:30")),
        *(("0123", "0123"), ("0o17", "0o17"), ("0x1f", "0x1f"), ("1_000", "1_000"), ("0b1", "0b1")),
        *(("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("=", "="), ('"<<"', "<<")),
    ],
)
def test_values_are_read_by_the_core_schema(text: str, value: Any) -> None:
    """No dates, no sexagesimal or octal numbers, no "no" that is false: what is no plain value is text."""
    read = load_yaml(f"a: {text}")
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


@looped(
    ("text", "line", "said"),
    [
        pytest.param("a: 1\nb: !!int x", 2, "has 'x' with the tag !!int", id="tag that does not fit"),
        pytest.param("a: 1\nb: !!binary aaaa", 2, "the YAML tag !!binary", id="binary"),
        pytest.param("a: !!timestamp 2024-02-28", 1, "the YAML tag !!timestamp", id="timestamp"),
        pytest.param("a: !!python/name:os.system x", 1, "the YAML tag !!python/name:os.system", id="Python"),
        pytest.param(
            "a: !Se2cret x", 1, "a YAML tag; write values without tags, and put a text that begins with !", id="own"
        ),
        pytest.param("a: !!set {b}", 1, "the YAML tag !!set", id="set"),
        pytest.param("a: 1\n<<: {b: 1}", 2, "a YAML merge key", id="merge key"),
        pytest.param("a: &x 1\nb: *x", 2, "a YAML alias", id="alias"),
        pytest.param("a: 1\nb: 2\na: 3", 3, "the key 'a' twice", id="key that stands twice"),
        pytest.param("no: 1\n1: 2", 2, 'in quotation marks: "1"', id="key that is a number"),
        pytest.param("? [a]\n: 1", 1, "a list or a mapping as a key", id="key that is a list"),
        pytest.param(f"a:\n  b: {'9' * 6000}", 2, "a number of 6,000 characters", id="endless number"),
        pytest.param("a: 1e400", 1, "the number 1e400", id="infinite by its size"),
        pytest.param("a: .nan", 1, "the number .nan", id="not a number"),
        pytest.param("a: -.inf", 1, "the number -.inf", id="infinite"),
        pytest.param("a: [", 2, "is not valid YAML", id="not closed"),
        pytest.param('a: "\\ud800"', 1, "is not valid YAML", id="half a surrogate pair"),
        pytest.param("a\n---\nb", 2, "is not valid YAML", id="two documents"),
        pytest.param("[" * 60 + "]" * 60, 1, "nested too deeply", id="too deep"),
    ],
)
def test_what_is_refused_has_its_line(text: str, line: int, said: str) -> None:
    """Nothing but an IntakeError, whatever a file holds."""
    with pytest.raises(IntakeError) as error:
        load_yaml(text)
    assert error.value.line == line
    assert said in str(error.value)


@looped("folded", [False, True])
@looped(
    "text",
    [
        *(
            "yes",
            "0o17",
            "0123",
            "1e3",
            "1_000",
            "12:30",
            "2024-01-01",
            "~",
            "",
            ".inf",
            "=",
            "<<",
            "- a",
            "a: b",
            "#x",
        ),
        *("a\nb", " a ", "\ta", "%a", "@a", "!a", "&a", "*a", "\x85", "a\u2028b", "\ufeff", "word " * 40, "é" * 200),
    ],
)
def test_what_is_written_is_read_back(text: str, folded: bool) -> None:
    """By this reader and by one of YAML 1.1 alike."""
    for data in ({"a": text}, [text, 1, 1.5, 1e-7, None, True]):
        written = dump_yaml(data, folded=folded)
        assert load_yaml(written) == data
        assert yaml.safe_load(written) == data


def test_shipped_files_mean_what_they_meant() -> None:
    """No value of a shipped file hangs on YAML 1.1."""
    paths = [*shipped("benchmarks").glob("*/*.yaml"), shipped("schema.yaml")]
    assert len(paths) > 10
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert load_yaml(text) == yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), path
