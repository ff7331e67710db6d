"""A talk with a real product on loopback: memory, sessions, cookies, streams, and what is never sent twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpcore
import pytest

from helm_impactbench.errors import FatalCallError, ModelError
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.retries import Retries, RetryPolicy
from helm_impactbench.targets import talk as talks
from helm_impactbench.targets.answer import reply_in
from helm_impactbench.targets.description import Product, checked_product
from helm_impactbench.targets.http import HttpSession
from helm_impactbench.targets.reach import reach
from helm_impactbench.targets.talk import Talk
from helm_impactbench.targets.template import TemplateTurn
from tests.support.endless_server import Endless, EndlessServer
from tests.support.product_server import KEY, ProductServer

JSON = {"path": "/chat", "send": {"message": "{message}", "session": "{session}"}, "reply": "$.answer"}
SERVERS_ID = {**JSON, "session": "$.session"}
STREAM = {"path": "/stream", "send": JSON["send"], "reply": "$.delta", "session": "$.session"}
COOKIE = {"path": "/cookie", "send": {"message": "{message}"}, "reply": "$.answer", "cookie": True}
STATELESS = {"path": "/stateless", "send": {"messages": "{messages}"}, "reply": "$.answer"}
OPENED = {**JSON, "open": {"path": "/open", "session": "$.id"},
          "close": {"path": "/close", "send": {"session": "{session}"}}}  # fmt: skip
FORMS = {"our id": JSON, "its id": SERVERS_ID, "stream": STREAM, "cookie": COOKIE, "stateless": STATELESS,
         "opened": OPENED}  # fmt: skip


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", KEY)
    monkeypatch.setattr(talks, "_ANSWERED", set())


@pytest.fixture
def product() -> Iterator[ProductServer]:
    """A product that remembers."""
    running = ProductServer()
    yield running
    running.close()


def described(server: ProductServer, form: dict[str, Any], **more: Any) -> Product:
    """Return the description of a server's product."""

    def at(part: dict[str, Any]) -> dict[str, Any]:
        return {"url": server.url + part["path"], **{name: value for name, value in part.items() if name != "path"}}

    steps = {name: at(form[name]) for name in ("open", "close") if name in form}
    usual = {"name": "acme/companion", "headers": {"Authorization": "Bearer $ACME_KEY"}, "price": "free"}
    return checked_product({**usual, **at(form), **steps, **more}, "product.yaml")


def talk_with(product: Product, **axes: str) -> Talk:
    """Return a talk that does not wait between attempts."""
    return Talk(product, axes, Retries(RetryPolicy(attempts=3, max_wait=0.0, timeout=5)))


def said(talk: Talk, *messages: str) -> list[Reply | CallFailure]:
    """Say messages one after another; return what came back."""
    chat, replies = list[Message](), list[Reply | CallFailure]()
    for message in messages:
        chat.append(Message("user", message))
        replies.append(talk.speak(chat))
        if isinstance(replies[-1], Reply):
            chat.append(Message("assistant", replies[-1].text))
    talk.close()
    return replies


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_product_remembers_its_own_conversation_and_no_other(product: ProductServer, form: dict[str, Any]) -> None:
    """Whatever carries the session: the word of turn one is known in turn two, and in no other talk."""
    described_product = described(product, form)

    def held(word: str) -> str:
        replies = said(talk_with(described_product), f"My word is {word}.", "Tell me a story.", "Which word was it?")
        return "|".join(reply.text if isinstance(reply, Reply) else f"failed: {reply.reason}" for reply in replies)

    words = [f"w{number}" for number in range(50)]
    with ThreadPoolExecutor(50) as pool:
        texts = list(pool.map(held, words))
    assert [text.rpartition("|")[2] for text in texts] == [f"The word is {word}." for word in words]
    assert product.sent_twice() == []


def test_a_connection_sends_nothing(product: ProductServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether anything listens is known without a message; behind a proxy nobody can tell."""
    one = described(product, OPENED)
    reach(one)
    assert (product.opened, product.turns) == ([], [])
    product.close()
    with pytest.raises(httpcore.ConnectError):
        reach(one)
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "")
    reach(one)


def test_open_and_close_frame_a_conversation(product: ProductServer) -> None:
    """The id of the opening request names the session in every turn and at the end."""
    said(talk_with(described(product, OPENED)), "a", "b")
    assert product.opened == product.closed == [product.turns[0][0]] == [product.turns[1][0]]


def test_a_turn_that_may_have_been_received_is_not_sent_again(product: ProductServer) -> None:
    """A broken connection, a failure of the server and a limit end the talk; it has to begin anew."""
    for status in (1, 500, 503, 429):
        product.turns.clear()
        product.fail = lambda heard, body, status=status: status if len(heard) == 2 else 0
        talk = talk_with(described(product, JSON))
        first, second = said(talk, "one", "two")
        assert isinstance(first, Reply)
        assert isinstance(second, CallFailure)
        assert talk.broken_off is not None
        assert [message for _, message in product.turns] == ["one", "two"]


def test_a_product_that_is_sent_the_whole_conversation_is_asked_again(product: ProductServer) -> None:
    """It remembers nothing, so an attempt more does no harm."""
    answers = iter([500, 500, 0])
    product.fail = lambda heard, body: next(answers)
    (reply,) = said(talk_with(described(product, STATELESS)), "one")
    assert isinstance(reply, Reply)
    assert len(product.turns) == 3


@pytest.mark.parametrize(
    ("defect", "says"),
    [("error body", "the product says that it has failed"), ("html", "a web page (HTML)"), ("empty", "empty reply")],
)
def test_an_answer_of_status_200_that_is_no_reply_is_a_failure(product: ProductServer, defect: str, says: str) -> None:
    """Nothing of it counts as a reply."""
    product.defect = defect
    (reply,) = said(talk_with(described(product, JSON, error="$.error")), "one")
    assert says in (reply.reason if isinstance(reply, CallFailure) else reply.why_empty)


def test_a_field_that_is_not_there_is_named_with_what_there_is(product: ProductServer) -> None:
    """The cure is in the message: another path."""
    (reply,) = said(talk_with(described(product, JSON, reply="$.text")), "one")
    assert isinstance(reply, CallFailure)
    assert "nothing at $.text (reply); it has answer, session and usage" in reply.reason


def test_a_refused_key_and_a_wrong_address_end_the_run_without_showing_the_key(product: ProductServer) -> None:
    """Every further conversation would fail the same way."""
    wrong = described(product, {**JSON, "path": "/nowhere"})
    with pytest.raises(FatalCallError, match=r"nothing is at its address \(HTTP 404\). Correct url"):
        said(talk_with(wrong), "one")
    product.defect = "key"
    with pytest.raises(FatalCallError, match="refuses the key") as refused:
        said(talk_with(described(product, JSON)), "one")
    assert KEY not in str(refused.value)


def test_a_slow_product_meets_a_deadline(product: ProductServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of IMPACTBENCH_TIMEOUT is all that a turn may take."""
    monkeypatch.setenv("IMPACTBENCH_TIMEOUT", "0.2")
    product.seconds = 30
    talk = talk_with(described(product, JSON))
    (reply,) = said(talk, "one")
    assert isinstance(reply, CallFailure)
    assert re.search("no answer (after 0.2 seconds|in time)", reply.reason)
    assert talk.broken_off


def test_what_is_stated_of_tokens_and_price_is_counted(product: ProductServer) -> None:
    """Per call, and per million tokens."""
    paid = described(product, JSON, usage={"prompt_tokens": "$.usage.in", "completion_tokens": "$.usage.out"},
                     price={"per_call": 0.01, "prompt": 2.0, "answer": 10.0})  # fmt: skip
    first, second = said(talk_with(paid), "one", "two")
    assert (first.usage.prompt_tokens, second.usage.prompt_tokens) == (10, 20)
    assert second.usage.cost_usd == pytest.approx(0.01 + 20 * 2e-6 + 7 * 10e-6)


def test_a_level_reaches_the_product_in_its_own_words(product: ProductServer) -> None:
    """An axis may be a number there; one that a case does not have needs a default."""
    send = {**JSON["send"], "age": "{axis:age}", "plan": "{axis:plan|basic}", "turn": "{turn}"}  # type: ignore[dict-item]
    told = described(product, {**JSON, "send": send}, levels={"age": {"child": 9}})
    said(talk_with(told, age="child"), "one")
    assert {name: product.bodies[0][name] for name in ("age", "plan", "turn")} == {"age": 9, "plan": "basic", "turn": 1}
    with pytest.raises(ModelError, match=r"no such axis; it has none. Write \{axis:age\|...\}"):
        said(talk_with(told), "one")


def _remembered(session: str, message: str, memory: dict[str, list[str]]) -> str:
    memory.setdefault(session, []).append(message)
    return " ".join(memory[session])


MEMORY: dict[str, list[str]] = {}


def reply(message: str, session: str) -> str:
    """A product in Python."""
    return _remembered(session, message, MEMORY)


async def reply_later(message: str, session: str, turn: int) -> dict[str, Any]:
    """An async one, which says more than its reply."""
    return {"reply": _remembered(session, message, MEMORY), "turn": turn}


def reply_to_all(messages: list[dict[str, str]]) -> str:
    """One that remembers nothing."""
    return " ".join(each["content"] for each in messages if each["role"] == "user")


def no_session(message: str) -> str:
    """One that cannot tell conversations apart."""
    return message


@pytest.mark.parametrize("name", ["reply", "reply_later", "reply_to_all"])
def test_a_function_is_a_product(name: str) -> None:
    """Sync or async, with memory or without: arguments by name, and no mixing of 50 talks at once."""
    described_product = checked_product({"name": "acme/bot", "callable": f"{__name__}:{name}"}, "product.yaml")
    with ThreadPoolExecutor(50) as pool:
        ends = list(
            pool.map(lambda number: said(talk_with(described_product), f"a{number}", f"b{number}")[-1], range(50))
        )
    assert [end.text for end in ends if isinstance(end, Reply)] == [f"a{number} b{number}" for number in range(50)]


def test_a_function_that_cannot_tell_conversations_apart_is_refused() -> None:
    """It would share its memory."""
    with pytest.raises(ModelError, match="declares neither messages nor session"):
        talk_with(checked_product({"name": "acme/bot", "callable": f"{__name__}:no_session"}, "product.yaml"))


def test_an_answer_that_is_whole_is_taken_though_its_connection_stays_open() -> None:
    """A stream at once, after its last event; JSON when the time is over."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n"
    events = b'data: {"answer": "hel"}\n\ndata: {"answer": "lo"}\n\ndata: [DONE]\n\n'
    ways = {
        30.0: Endless(head % b"text/event-stream" + events, b": still here\n\n"),
        0.5: Endless(head % b"application/json" + b'{"answer": "hello"}', b""),
    }
    for seconds, way in ways.items():
        server = EndlessServer(way)
        described = {"name": "acme/companion", "url": f"http://{server.address}/", "send": JSON["send"],
                     "reply": JSON["reply"], "price": "free"}  # fmt: skip
        product = checked_product(described, "product.yaml")
        answer = HttpSession(product, {}, seconds).ask(TemplateTurn([Message("user", "Hi")]))
        server.close()
        assert reply_in(answer, product) == "hello"
