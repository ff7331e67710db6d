"""Areas of impact in the words of a reader: "Society" for societal, "fairness" for societal/fairness. Pure."""

from __future__ import annotations

_WORDS = {"physical": "Health and livelihood", "psychological": "Mind and feelings", "societal": "Society"}


def area_words(area: str) -> str:
    """Return an area or a part of one as a page names it; one of an author's own as it is."""
    return _WORDS.get(area, area.rpartition("/")[2])
