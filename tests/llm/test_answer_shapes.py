"""Whatever a server answers: each call ends, a whole answer is asked for twice at most, and what is paid is booked."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from helm_impactbench.errors import FatalCallError
from helm_impactbench.helm import litellm_client  # noqa: F401  # installs what litellm's own clients get
from helm_impactbench.llm.endpoint import Endpoint
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.limits import admission
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE
from helm_impactbench.llm.prices import Price, most
from helm_impactbench.llm.retries import Retries, RetryPolicy
from helm_impactbench.process.shared_state import Stop
from tests.support.answer_shapes import SHAPES, ShapeServer

pytestmark = pytest.mark.filterwarnings("ignore")  # litellm's own
PRICE = Price(1e-6, 2e-6)
POLICY = RetryPolicy(attempts=4, max_wait=0.001, max_seconds=20.0)
SECONDS = 5.0
"""Of an attempt: answers of 8 MB are read beside others."""
STUCK = 300.0
WIRE = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 50}


@dataclass(frozen=True)
class Ending:
    """What became of the call for one shape."""

    words: str | None
    failure: str
    """Kind and text; empty for an answer."""
    calls: int
    booked: float
    """US dollars."""


def ask(endpoint: Endpoint, name: str) -> tuple[str | None, str]:
    """Return (words, failure) of a call with its attempts."""

    def send() -> str | None:
        try:
            answer = endpoint.call(name, {**WIRE, "model": f"openai/{name}"}, f"key of {name}")
        except Exception as error:
            raise classified(error, name) from error
        words: str | None = answer["choices"][0]["message"]["content"]
        return words

    try:
        return Retries(POLICY, Stop()).run(send), ""
    except (TransientCallError, PermanentCallError, FatalCallError) as error:
        return None, f"{type(error).__name__}: {error}"


@pytest.fixture(scope="module")
def server() -> Iterator[ShapeServer]:
    """One that answers in the shape that the model's name asks for."""
    running = ShapeServer()
    yield running
    running.close()


@pytest.fixture(scope="module")
def endings(server: ShapeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ending]]:
    """What became of one call for each shape, under a budget."""
    suite = tmp_path_factory.mktemp("suite")
    patch = pytest.MonkeyPatch()
    patch.setenv("IMPACTBENCH_TIMEOUT", str(SECONDS))
    patch.setattr(admission, "_ADMISSIONS", {})
    admission.count_for(suite, 1000.0)
    results: dict[str, tuple[str | None, str]] = {}

    def run(name: str) -> None:
        results[name] = ask(Endpoint(f"openai/{name}", suite, api_base=server.url, price=PRICE), name)

    work = threading.Thread(target=lambda: [*ThreadPoolExecutor(12).map(run, SHAPES)], daemon=True)
    work.start()
    work.join(STUCK)
    assert not work.is_alive(), f"no end: {sorted(SHAPES.keys() - results.keys())}"
    booked: Counter[str] = Counter()
    for line in (suite / SPENDING_FILE).read_text().splitlines():
        entry = json.loads(line)
        booked[entry["deployment"]] += entry.get("cost_usd", 0.0)
    yield {name: Ending(*results[name], server.calls[name], booked[name]) for name in SHAPES}
    patch.undo()


def test_there_are_more_than_99_shapes() -> None:
    """Among them every kind that has ever made trouble."""
    assert len(SHAPES) >= 99


def test_words_are_read_wherever_they_stand(endings: dict[str, Ending]) -> None:
    """With the first call; what holds none is one of three kinds of failure."""
    expected = {name: shape.words for name, shape in SHAPES.items()}
    assert {name: ending.words for name, ending in endings.items()} == expected
    assert {name for name, ending in endings.items() if ending.words is not None and ending.calls != 1} == set()


def test_no_whole_answer_is_asked_for_more_than_twice(endings: dict[str, Ending]) -> None:
    """It is paid for each time."""
    assert {
        name: endings[name].calls for name, shape in SHAPES.items() if shape.whole and endings[name].calls > 2
    } == {}


def test_what_is_paid_for_is_booked(endings: dict[str, Ending]) -> None:
    """By its usage where that stands in it, else in full; a refusal costs nothing."""
    wrong = {}
    for name, shape in SHAPES.items():
        in_full = most(PRICE, {**WIRE, "model": f"openai/{name}"})
        each = PRICE.of(*shape.tokens) if shape.tokens else in_full
        if shape.whole and endings[name].booked != pytest.approx(each * endings[name].calls):
            wrong[name] = (endings[name].booked, each * endings[name].calls)
    assert wrong == {}


def test_refusals_cost_nothing(endings: dict[str, Ending]) -> None:
    """Nor do redirects."""
    refused = [
        name for name in SHAPES if (name[:3].isdigit() and name not in ("204", "206")) or name.startswith("redir")
    ]
    assert {name: endings[name].booked for name in refused if endings[name].booked} == {}


def test_no_status_of_200_is_called_another(endings: dict[str, Ending]) -> None:
    """What litellm makes of an answer is not what the server said."""
    wrong = {
        name: endings[name].failure
        for name, shape in SHAPES.items()
        if shape.whole and "HTTP 5" in endings[name].failure
    }
    assert wrong == {}


def test_every_call_has_one_key(endings: dict[str, Ending], server: ShapeServer) -> None:
    """All attempts of it have the same."""
    assert endings
    assert [name for name, keys in server.keys.items() if len(keys) != 1] == []


def test_the_table_of_all_shapes(endings: dict[str, Ending]) -> None:
    """For the eye: `make shapes` prints it."""
    width = max(map(len, SHAPES))
    print(f"\n{'shape':{width}}  calls  booked $  ending")
    for name, ending in endings.items():
        text = ending.failure or f"answer: {str(ending.words)[:30]!r}"
        print(f"{name:{width}}  {ending.calls:5}  {ending.booked:.6f}  {text[:110]}")
