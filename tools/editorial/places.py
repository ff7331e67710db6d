"""The country of a persona: pycountry's countries and their subdivisions, and places.yaml for towns and people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import yaml

_NAME = r"[A-Z][\w'.-]+(?: (?:and |of |the |da |de |del |do |el |la )?[A-Z][\w'.-]+)*"
_CHAIN = re.compile(
    rf"\b(?:in|from|near|at|on|of|to|around|outside|off|above|across|inland|for|between|with)"
    rf" (?:(?:the|a|an) )?(?:[a-z-]+ ){{0,3}}({_NAME}(?:, (?:the )?{_NAME})*)"
)
_ANY = re.compile(_NAME)


def country_of(persona: str) -> str | None:
    """Return the country that a persona's first sentence places it in, None when it names none that is known.

    The first place counts ("in Winnipeg, Canada", "from Leeds", "on the Dutch island of ..."), its last part first, so
    that "Hamilton, New Zealand" is not taken for another Hamilton.
    """
    sentence = re.split(r"(?<=[a-z])\.\s", persona)[0]
    for name in _candidates(sentence):
        found = _countries().get(name.removeprefix("the "))
        if found:
            return found
    return None


def _candidates(sentence: str) -> Iterator[str]:
    for chain in _CHAIN.findall(sentence):
        yield from reversed(chain.split(", "))
    yield from _ANY.findall(sentence)


@cache
def _countries() -> dict[str, str]:
    """Return name -> country; countries win over places.yaml, and these over subdivisions."""
    import pycountry

    shown = {country.alpha_2: str(getattr(country, "common_name", country.name)) for country in pycountry.countries}
    found = {str(part.name): shown[part.country_code] for part in pycountry.subdivisions}
    extra = yaml.safe_load((files(__package__) / "places.yaml").read_text(encoding="utf-8")) or {}
    found.update({name: country for country, names in extra.items() for name in names})
    found.update({country: country for country in extra})
    for country in pycountry.countries:
        found.update(dict.fromkeys((str(country.name), shown[country.alpha_2]), shown[country.alpha_2]))
    return found
