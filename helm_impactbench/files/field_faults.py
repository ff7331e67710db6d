"""What is wrong with a value in a file, in plain words where pydantic's are of Python. Pure."""

from __future__ import annotations

from typing import Any

from helm_impactbench.errors import counted

_NUMBER, _WHOLE, _MAPPING = "it must be a number", "it must be a whole number", "it must be a mapping, name: value"
_YES_OR_NO, _LIST = "it must be true or false", "it must be a list"
_FAULTS = {
    "string_type": "it must be a text, in quotes if it looks like a number",
    "string_too_short": "it is empty",
    "too_short": "it is empty",
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": _YES_OR_NO,
    "bool_parsing": _YES_OR_NO,
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "literal_error": "it must be {expected}",
    "greater_than": "it must be above {gt:g}",
    "greater_than_equal": "it must be at least {ge:g}",
    "less_than": "it must be below {lt:g}",
    "less_than_equal": "it must be at most {le:g}",
    "missing": "it is missing",
    "extra_forbidden": "there is no such setting",
}
"""Type of a fault as pydantic names it -> what a user reads."""
_KINDS = {str: "a text", list: "a list", int: "a number", float: "a number", bool: "true or false", dict: "a mapping"}


def field_fault(fault: Any) -> str:
    """Return what is wrong with a value, as a clause: "it must be a list". fault: an item of ValidationError.errors().

    A validator's own words are returned as they are, but for the first letter.
    """
    if fault["type"] == "too_short" and fault["ctx"]["min_length"] > 1:
        return f"it must have at least {fault['ctx']['min_length']} items"
    if (words := _FAULTS.get(fault["type"])) is not None:
        return words.format(**fault.get("ctx", {}))
    words = str(fault["msg"]).removeprefix("Value error, ").rstrip(".")
    words = words.replace("Input should be", "it must be", 1)
    return f"{words[:1].lower()}{words[1:]}"


def expected(fault: Any) -> str:
    """Return what a value must be, as after "found 3, expected": "a list". fault: as of `field_fault`."""
    if fault["type"] == "string_too_short":
        return "text that is not empty"
    if fault["type"] == "too_short":
        return f"at least {counted(fault['ctx']['min_length'], 'item')}"
    return field_fault(fault).removeprefix("it must be ").removeprefix("a valid ")


def kind_of(data: Any) -> str:
    """Return what the plain data of a file are, as a predicate: "is empty", "is a list"."""
    return "is empty" if data is None else f"is {_KINDS.get(type(data), 'something else')}"
