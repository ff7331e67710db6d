"""A session with a product at an address: one request per turn, in a conversation of its own.

Every session has its own cookies, and no connection keeps any: what one conversation told a product never reaches
another one from here.
"""

from __future__ import annotations

import json
import os
import re
import threading
import uuid
import weakref
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import quote

import httpx

from helm_impactbench.llm.chat_body import is_complete
from helm_impactbench.llm.connection import expanded, remember_connection
from helm_impactbench.llm.deadline import attempt
from helm_impactbench.llm.failures import PermanentCallError, one_line
from helm_impactbench.llm.http_client import KEEP_ALIVE_SECONDS
from helm_impactbench.llm.response_body import MAX_ANSWER_BYTES, answers_up_to, guard, read_through
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.llm.secrets import remember
from helm_impactbench.targets.answer import ProductAnswer, session_in
from helm_impactbench.targets.description import Product, Step
from helm_impactbench.targets.event_stream import events_in
from helm_impactbench.targets.template import TemplateTurn, filled, filled_address

_OWN = threading.local()
_MOST = MAX_ANSWER_BYTES // 2
"""Bytes of an answer; another limit than a model's, under which a stream of events would be cut short."""
_MOST_SHOWN = 120
_STREAM = "text/event-stream"


class _Line:
    """A thread's client, closed when its thread ends."""

    def __init__(self) -> None:
        self.process = os.getpid()
        nothing = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
        self.http = guard(
            httpx.Client(
                cookies=nothing,
                limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
                headers={"User-Agent": _AGENT},
            )
        )
        self.http.event_hooks["response"].append(_end_where_it_is_whole)
        weakref.finalize(self, self.http.close).atexit = False


_AGENT = "helm_impactbench"
_LAST = b"\ndata: [DONE]\n"
_LAST_EVENT = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]\s")


def _end_where_it_is_whole(response: httpx.Response) -> None:
    """Take a stream of events to be over with its last one, and JSON that is whole when the time is over to be all:
    some servers leave the connection open.
    """
    streams = response.headers.get("content-type", "").startswith(_STREAM)

    def read(body: httpx.SyncByteStream) -> Iterator[bytes]:
        received = bytearray()
        try:
            for part in body:
                begin = max(0, len(received) - len(_LAST))
                received += part
                if streams and _LAST_EVENT.search(received, begin):
                    break
        except httpx.TransportError:
            if streams or not is_complete(bytes(received)):
                raise
        yield bytes(received)

    read_through(response, read)


def _line() -> _Line:
    line: _Line | None = getattr(_OWN, "line", None)
    if line is None or line.process != os.getpid():
        line = _OWN.line = _Line()
    return line


class HttpSession:
    """One conversation with a product at an address."""

    def __init__(self, product: Product, axes: Mapping[str, str], seconds: float | None = None) -> None:
        """Make no request yet. Raises MissingKeyError for a variable that is not set.

        seconds: that a turn may take, those of the retry policy when unset.
        """
        self._product, self._axes = product, axes
        self._headers = expanded(product.headers)
        remember_connection(product.url, self._headers, {})
        remember(self._headers[name] for name, value in product.headers.items() if "$" in value)
        self._cookies = httpx.Cookies()
        self._session = None if product.session or (product.open and product.open.session) else uuid.uuid4().hex
        self._is_open = product.open is None
        self._timeout = seconds or policy_from_environment().timeout

    def ask(self, turn: TemplateTurn) -> ProductAnswer:
        """Return the answer to a turn, after the opening request before the first. Raises what httpx raises, and
        PermanentCallError for an answer that cannot be read."""
        product = self._product
        if product.open and not self._is_open:
            opened = self._step(product.open, product.open.session)
            self._is_open = True
            if product.open.session and session_in(opened, product.open.session) is None:
                raise PermanentCallError(f"the answer to open has no session at {product.open.session}")
        answer = self._sent(product.method, product.url or "", self._body(product.send, turn))
        self._session = session_in(answer, product.session) or self._session
        return answer

    def close(self) -> None:
        """Send the closing request, if there is one. What becomes of it changes nothing."""
        if self._product.close and self._is_open:
            with suppress(Exception):
                self._step(self._product.close, None)

    def _step(self, step: Step, path: str | None) -> ProductAnswer:
        body = None if step.send is None else self._body(step.send, None)
        answer = self._sent(step.method, step.url or self._product.url or "", body)
        self._session = session_in(answer, path) or self._session
        return answer

    def _body(self, template: Any, turn: TemplateTurn | None) -> Any:
        return _with_variables(filled(template, turn, self._session, self._axes, self._product.levels), template)

    def _sent(self, method: str, url: str, body: Any) -> ProductAnswer:
        client = _line().http
        address = filled_address(expanded({"url": url})["url"], self._session, partial(quote, safe=""))
        remember_connection(address if "$" in url else None, {}, {})
        given = {} if body is None else {"json": body}
        request = client.build_request(method, address, headers=self._headers, timeout=self._timeout, **given)
        if self._product.cookie:
            self._cookies.set_cookie_header(request)
        with attempt(self._timeout), answers_up_to(_MOST):
            response = client.send(request, follow_redirects=False)
        if self._product.cookie:
            self._cookies.extract_cookies(response)
        if not response.is_success:
            raise httpx.HTTPStatusError(_said(response), request=request, response=response)
        return _read(response)


def _with_variables(body: Any, template: Any) -> Any:
    """Return a body with the values of variables where its template is `$NAME`; what was filled in stays as it is."""
    if isinstance(template, str):
        if template.startswith("$") and template == body:
            value = expanded({"send": template})["send"]
            remember([value])
            return value
        return body
    if isinstance(template, Mapping) and isinstance(body, dict):
        return {name: _with_variables(part, template[name]) for name, part in body.items()}
    if isinstance(template, list) and isinstance(body, list) and len(template) == len(body):
        return [_with_variables(part, own) for part, own in zip(body, template, strict=True)]
    return body


def _said(response: httpx.Response) -> str:
    """Return what an answer of another status than 2xx says, in short."""
    text = one_line(response.text, _MOST_SHOWN)
    return f"Error code: {response.status_code} - {text or response.reason_phrase}"


def _read(response: httpx.Response) -> ProductAnswer:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    text = response.text
    if kind == _STREAM:
        return ProductAnswer(events_in(text))
    try:
        return ProductAnswer([json.loads(text)])
    except (ValueError, RecursionError):
        pass
    if kind in ("text/html", "application/xhtml+xml") or text.lstrip()[:1] == "<":
        raise PermanentCallError(
            f"the answer is a web page (HTML) and no answer of a chat: it begins {one_line(text, 60)!r}. Is url the "
            "address of the chat's interface?"
        )
    return ProductAnswer([text])
