"""A product under test, as its product.yaml describes it: where it is, what it is sent, where its reply stands.

name: acme/companion
release: "2026-11-20"
url: https://staging.acme.test/chat
headers: {Authorization: "Bearer $ACME_KEY"}
send: {message: "{message}", session: "{session}"}
reply: $.answer
session: $.conversation_id
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from helm_impactbench.errors import SettingError, did_you_mean, listed
from helm_impactbench.files.field_faults import field_fault, kind_of
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.llm.prices import FREE, MOST_PER_MILLION, Price
from helm_impactbench.llm.release import read_release
from helm_impactbench.targets.literal_keys import refuse_key_in_url, refuse_keys_in_body, refuse_literal_key
from helm_impactbench.targets.paths import check_path
from helm_impactbench.targets.template import AXIS, PLACES, places_in

_ENDINGS = (".yaml", ".yml")
_MOST_BYTES = 100_000
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$"
_FUNCTION = r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$"

JsonPath = Annotated[str, AfterValidator(check_path)]
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Url = Annotated[str, Field(pattern=r"^https?://[^\s/]")]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Step(_Closed):
    """A request before or after a conversation."""

    url: Url | None = None
    """The product's own address when unset."""
    method: Method = "POST"
    send: JsonValue = None
    """The body as JSON; none when unset."""
    session: JsonPath | None = None
    """Where the session's id stands in the answer."""


class ProductPrice(_Closed):
    """What a turn costs."""

    per_call: float = Field(default=0.0, ge=0, le=1000)
    """US dollars per turn."""
    prompt: float = Field(default=0.0, ge=0, le=MOST_PER_MILLION)
    answer: float = Field(default=0.0, ge=0, le=MOST_PER_MILLION)
    """US dollars per million tokens; `usage` says where the product states them."""


class UsagePaths(_Closed):
    """Where a product states its tokens."""

    prompt_tokens: JsonPath
    completion_tokens: JsonPath


class Product(_Closed):
    """A product under test. Holds no secret: its headers name variables of the environment."""

    name: str = Field(pattern=_NAME)
    """As results call it: maker/product."""
    release: Annotated[str, AfterValidator(read_release)] | None = None
    """Which release answers; part of the identity of its answers."""
    url: Url | None = None
    """Where a turn is sent."""
    function: str | None = Field(default=None, alias="callable", pattern=_FUNCTION)
    """In place of an address: `module:function` in Python, sync or async."""
    method: Method = "POST"
    headers: Mapping[str, str] = {}
    """`$NAME` in a value stands for a variable of the environment."""
    send: JsonValue = None
    """The body of a turn as JSON; `template` says which places are filled in."""
    reply: JsonPath | None = None
    """Where the text stands in the answer; `$.reply` of what a callable returns unless that is a text."""
    session: JsonPath | None = None
    """Where the session's id stands in the answer; when unset, every conversation has an id of ours."""
    cookie: bool = False
    """Whether cookies are kept for the length of a conversation."""
    error: JsonPath | None = None
    """Where an answer of status 200 says that it has failed: whatever stands there and is not empty."""
    tools: JsonPath | None = None
    """Where an answer tells what the product did: a list of events with name, arguments and result."""
    usage: UsagePaths | None = None
    open: Step | None = None
    close: Step | None = None
    levels: Mapping[str, Mapping[str, JsonValue]] = {}
    """Axis -> level -> what the product is told in its place: {age: {child: 9, adult: 35}}."""
    price: Literal["free"] | ProductPrice | None = None
    """`free`, or US dollars per call or per million tokens."""

    @model_validator(mode="after")
    def _fits(self) -> Product:
        if (self.url is None) == (self.function is None):
            raise ValueError("give one of url and callable")
        if self.function is None:
            _check_request(self)
        else:
            _check_function(self)
        steps = [(name, step) for name, step in (("open", self.open), ("close", self.close)) if step]
        for where, url in (("url", self.url), *((f"{name}.url", step.url) for name, step in steps)):
            refuse_key_in_url(where, url or "")
        for name, value in self.headers.items():
            refuse_literal_key(f"headers.{name}", name, value)
        for where, body in (("send", self.send), *((f"{name}.send", step.send) for name, step in steps)):
            refuse_keys_in_body(where, body)
        return self

    @property
    def places(self) -> set[str]:
        """The places in what is sent."""
        return places_in(self.send)

    @property
    def own_price(self) -> Price | None:
        """What a turn costs; None where that is not said."""
        if self.price is None:
            return None
        if isinstance(self.price, str):
            return FREE
        return Price(self.price.prompt / 1e6, self.price.answer / 1e6, self.price.per_call)

    @property
    def digest(self) -> str:
        """Tells this description from any other that may bring other answers."""
        described = self.model_dump(mode="json", by_alias=True, exclude={"price", "release"})
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:16]


def _check_request(product: Product) -> None:
    """Raise ValueError unless a request can be made and its answer be read."""
    if product.reply is None:
        raise ValueError("reply is missing: where the text stands in the answer, for example reply: $.answer")
    if product.method == "GET":
        raise ValueError("method is GET, which has no body to send a message in; write POST, or leave it out")
    _check_places("send", product.send)
    if len(product.places & {"message", "messages"}) != 1:
        raise ValueError(
            "send has to hold {message} where the product remembers the conversation, or {messages} where it is sent "
            "whole each time, and not both; for example send: {message: '{message}', session: '{session}'}"
        )
    for name, step in (("open", product.open), ("close", product.close)):
        if step:
            _check_places(f"{name}.send", step.send)
            if places_in(step.send) & {"message", "messages", "turn"}:
                raise ValueError(f"{name}.send belongs to no turn, so it can hold {{session}} and {{axis:age}} alone")


def _check_function(product: Product) -> None:
    for name in ("headers", "send", "cookie", "open", "close"):
        if getattr(product, name):
            raise ValueError(f"{name} belongs to an address (url), and callable has none; leave {name} out")


def _check_places(where: str, body: JsonValue) -> None:
    for place in sorted(places_in(body)):
        if place not in PLACES and not place.startswith(AXIS):
            raise ValueError(
                f"{where} names {{{place}}}; places are {', '.join(f'{{{name}}}' for name in PLACES)} and {{axis:age}}."
                f"{did_you_mean(place, PLACES)}"
            )


def is_product_file(name: str) -> bool:
    """Return whether the name of a model is that of a product.yaml."""
    return name.endswith(_ENDINGS)


def read_product(path: Path) -> Product:
    """Return the product that a file describes. Raises SettingError that names the field and what to do."""
    if not path.is_file():
        raise SettingError(f"No file {path}; impactbench target new writes one")
    try:
        data = load_yaml(decoded(read_bytes(path, _MOST_BYTES)))
    except IntakeError as error:
        raise SettingError(f"{path}{f', line {error.line}' if error.line else ''}: it {error}.") from error
    return checked_product(data, str(path))


def checked_product(data: Any, where: str) -> Product:
    """Return the product that data describe. Raises SettingError; `where` says what the data come from."""
    if not isinstance(data, Mapping):
        raise SettingError(f"{where} {kind_of(data)}. It must describe a product: name, url, send, reply and price.")
    try:
        return Product.model_validate(dict(data))
    except ValidationError as error:
        faults = list(dict.fromkeys(_fault(fault) for fault in error.errors(include_url=False)))
        text = "; ".join(faults)
        raise SettingError(f"{where}: {text}{'' if text.endswith('?') else '.'}") from None


_FIELDS = tuple(field.alias or name for name, field in Product.model_fields.items())


def _fault(fault: Any) -> str:
    place = ".".join(map(str, fault["loc"]))
    if fault["type"] == "extra_forbidden":
        if len(fault["loc"]) > 1:
            return f"there is no field {place}"
        return f"there is no field {place}; fields are {listed(_FIELDS)}.{did_you_mean(place, _FIELDS)}".rstrip(".")
    if fault["type"] == "missing":
        return f"{place} is missing"
    if place == "name":
        return "name has to be maker/product in letters, digits, dots and dashes, for example acme/companion"
    if place.endswith("url"):
        return f"{place} has to be an address that begins with http:// or https://"
    if place == "callable":
        return "callable has to be module:function, for example acme.bot:reply"
    if fault["loc"][:1] == ("price",):
        return "price must be free, {per_call: 0.01}, or {prompt: 2.5, answer: 10} in US dollars per million tokens"
    said = field_fault(fault)
    return f"{place}: {said}" if place else said
