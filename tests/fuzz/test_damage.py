"""Damaged files of a suite, YAML, batches and usage blocks: every one is read, or refused with one of our errors.

Files that people fill in (annotations, keys, seeds), benchmarks and imports are in test_fuzz.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from helm_impactbench.analysis.commands.costs import cost_file
from helm_impactbench.analysis.costs.forecast import actual
from helm_impactbench.analysis.costs.recorded import SuiteCosts
from helm_impactbench.analysis.costs.summary import run_purchases
from helm_impactbench.cli import main
from helm_impactbench.errors import BatchError, ImpactBenchError, ResultsError, SettingError
from helm_impactbench.files.safe_read import IntakeError
from helm_impactbench.files.safe_yaml import dump_yaml, load_yaml
from helm_impactbench.llm.batch.answers import BatchOrigin, cached_answer, has_answers, read_answers
from helm_impactbench.llm.batch.deferred_call import DeferredCall, read_deferred
from helm_impactbench.llm.batch.log import read_batch_log
from helm_impactbench.llm.batch.provider import BatchProgress, _progress
from helm_impactbench.llm.limits.settings import read_limits
from helm_impactbench.llm.litellm_answer import cost_of, priced, total_tokens, usage_of
from helm_impactbench.llm.prices import Price
from helm_impactbench.llm.usage import total
from helm_impactbench.llm.usage_block import sound_usage, tokens_in
from helm_impactbench.outputs.export.rows import conversation_row, evidence_rows, run_row, turn_rows, vote_rows
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.registry import suite_run
from tests.cli import builders as suites
from tests.fuzz.fuzzing import fuzzed
from tests.fuzz.mutation import NASTY_VALUES, Tape, spoiled_bytes, spoiled_data, spoiled_file, spoiled_text
from tests.suites.external import builders as external
from tests.support import kinds

# pydantic's word on litellm's types when they are first used; commands do not show it.
pytestmark = pytest.mark.filterwarnings("ignore:Item .* on TypedDict class:UserWarning")

COMMANDS = (
    *("rates", "compare", "contrasts --wide", "costs", "agreement", "items", "combined", "label --out-dir label"),
    *(
        "gate --min pass_rate=0.5",
        "power --pair org/good org/bad --difference 0.2",
        "robustness",
        "components",
        "checks",
        "annotate export --out-dir sheet --conversations 9",
    ),
    *(
        "export --format csv --out-dir out",
        "export --format parquet --out-dir out",
        "export --format inspect --out-dir out",
        "export --format every-eval-ever --out-dir out",
    ),
    *("export --format impactbench --out-dir out", "report --out-dir report"),
)
ONE_IN = 150
"""Of so many damaged runs one is also given to a command."""


@pytest.fixture(scope="module")
def suite(folder: Path) -> Path:
    """A suite of a run of each kind, with one conversation of every measure, and small: it is read very often."""
    made = folder / "benchmark_output/runs/mixed"
    for number, target in enumerate(suites.TARGETS):
        own = {record.case.metric.id: record for record in reversed(kinds.records(target))}
        kinds.write_run(made, target, list(own.values())[number::2])
    suites.write_panel(made, "good")
    for path in made.glob("panel*/scenario_state.json"):
        state = json.loads(path.read_text())
        path.write_text(json.dumps({**state, "request_states": state["request_states"][:1]}))
    rows = [
        external.row("id1", external.stat("safety_score", 1)),
        external.row("id2", external.stat("safety_score", 0)),
    ]
    labels = {"id0": "safe", "id1": "unsafe"}
    external.write_run(made, "xstest:model=org_good", rows, groups=["xstest"], model="org/good", labels=labels)
    stats = json.dumps([external.stat("target_prompt_tokens", 10), external.stat("user_cost_usd", 0.1)])
    for run in made.glob("impactbench:*"):
        (run / "stats.json").write_text(stats)
    return made


@pytest.fixture
def quiet() -> Iterator[None]:
    """Without HELM's log lines."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("quiet")
@fuzzed
def test_run_files(folder: Path, suite: Path, tape: bytes) -> None:
    """A run with a damaged file has outcomes, costs and rows, or one message; and so has every command."""
    rest = Tape(tape)
    path = rest.pick(sorted(suite.glob("*/*.json")))
    whole = path.read_bytes()
    path.unlink()
    try:
        if rest.number(40):
            path.write_bytes(spoiled_file(json.loads(whole), whole.decode(), rest))
        elif rest.number(2):
            path.mkdir()
        _use(RunFolder(path.parent))
        if rest.number(ONE_IN) == 1:  # 0 is what a tape that is used up gives
            _run_command(folder, rest.pick(COMMANDS))
    finally:
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        path.write_bytes(whole)


def _use(run: RunFolder) -> None:
    try:
        found = suite_run(run)
        if found is None:
            return
        str([found.benchmark, run.name, run.model, run.setup]).encode()
        if found.suite.no_conversations:
            json.dumps([[outcome.base_id, outcome.value] for outcome in found.outcomes()], allow_nan=False).encode()
        else:
            records = tuple(run.records())
            outcomes = run.outcomes(records)
            whole = Run(run, records, tuple(outcomes))
            rows = [run_row(whole), *map(conversation_row, [whole] * len(records), records, outcomes)]
            rows += [row for record in records for make in (turn_rows, vote_rows, evidence_rows)
                     for row in make(whole, record)]  # fmt: skip
            for value in (value for row in rows for value in row.values()):
                assert not isinstance(value, int) or abs(value) < 2**63
            json.dumps(cost_file(SuiteCosts(run_purchases(run, records))), allow_nan=False)
            run.statistic("target_prompt_tokens")
    except ResultsError as error:
        _check_text(error, run.path.name)


def _check_text(error: ImpactBenchError, name: str) -> None:
    assert name in str(error)
    str(error).encode()


def _check_line(line: int | None, text: str) -> None:
    assert line is None or 1 <= line <= len(text.splitlines()) + 1


def _run_command(folder: Path, command: str) -> None:
    for name in ("label", "out", "report", "sheet"):
        shutil.rmtree(folder / name, ignore_errors=True)
    words = command.replace("--out-dir ", f"--out-dir {folder}/").split()
    done = CliRunner().invoke(main, [*words, "--suite", "mixed", "--output-path", str(folder / "benchmark_output")])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 2) or command.startswith("gate")


@fuzzed
def test_stats_of_a_whole_suite(suite: Path, tape: bytes) -> None:
    """What a forecast is held against."""
    rest = Tape(tape)
    path = rest.pick(sorted(suite.glob("impactbench:*/stats.json")))
    whole = path.read_bytes()
    try:
        path.write_bytes(spoiled_file(json.loads(whole), whole.decode(), rest))
        with suppress(ResultsError):
            json.dumps(actual(suite), allow_nan=False)
    finally:
        path.write_bytes(whole)


LIMITS = {"limits": [{"deployments": ["litellm/openai/*", "a/b"], "max_in_flight": 5, "requests_per_minute": 60.5},
                     {"deployments": ["*"], "tokens_per_minute": 1e6}]}  # fmt: skip
LIMITS_TEXT = dump_yaml(LIMITS) + "# 2024-02-30, 12:30, !!int x, 0o17, *alias, <<: {a: 1}\n"
PLAIN = (dict, list, str, int, float, bool, type(None))


def _leaves(data: Any) -> Iterator[Any]:
    yield data
    for child in [*data, *data.values()] if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _leaves(child)


@fuzzed
def test_yaml_files(folder: Path, tape: bytes) -> None:
    """YAML is plain data that can be written and read again, or is refused with its line; limits.yaml likewise."""
    rest = Tape(tape)
    content = spoiled_file(LIMITS, LIMITS_TEXT, rest)
    text = content.decode("utf-8", "replace")
    try:
        data = load_yaml(text)
    except IntakeError as error:
        _check_text(error, "")
        _check_line(error.line, text)
    else:
        assert all(type(value) in PLAIN for value in _leaves(data))
        assert load_yaml(dump_yaml(data)) == data
    (folder / "limits.yaml").write_bytes(content)
    with suppress(SettingError):
        assert isinstance(read_limits(folder), tuple)


CALL = DeferredCall("litellm/openai/x", '{"model": "x", "messages": []}', {
    "model": "openai/x", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 5})  # fmt: skip
CALLS_TEXT = "\n".join(json.dumps({**vars(CALL), "key": json.dumps({"n": n})}) for n in range(3)) + "\n"
JUDGE = {"deployment": "litellm/openai/x", "provider": "openai"}
LOG = {
    "batches": [
        {**JUDGE, "file": "f", "id": "batch_1", "requests": [CALL.id], "most_usd": 1.0, "failed": {"a": "why"}},
        {**JUDGE, "file": "g", "requests": ["b", "c"], "state": "fetched", "status": "completed", "paid_usd": 0.5},
    ]
}
USAGE = {
    "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.1,
    "prompt_tokens_details": {"cached_tokens": 3, "text_tokens": None}, "completion_tokens_details": None,
}  # fmt: skip
COMPLETION = {
    "id": "x", "object": "chat.completion", "created": 5, "model": "m", "usage": USAGE,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
}  # fmt: skip
LINES = [
    {"custom_id": "a", "response": {"status_code": 200, "request_id": "r", "body": COMPLETION}, "error": None},
    {"custom_id": "b", "response": {"status_code": 429, "body": {"error": {"message": "slow"}}}, "error": None},
    {"custom_id": "c", "response": None, "error": {"code": "batch_expired", "message": "late"}},
]
BATCH = {
    "id": "batch_1", "status": "completed", "created_at": 1_700_000_000, "completed_at": 1_700_003_600,
    "expired_at": None, "cancelled_at": None, "failed_at": None, "output_file_id": "o", "error_file_id": "e",
    "request_counts": {"total": 3, "completed": 2, "failed": 1}, "errors": {"data": [{"code": "x", "message": "y"}]},
}  # fmt: skip
PRICE = Price(1e-6, 2e-6)


@fuzzed
def test_batches(folder: Path, tape: bytes) -> None:
    """The log of batches, the deferred calls, the lines of an output file and what is said of a batch."""
    rest = Tape(tape)
    (folder / "batches.json").write_bytes(spoiled_file(LOG, json.dumps(LOG, indent=1), rest))
    with suppress(BatchError):
        log = read_batch_log(folder)
        assert all(isinstance(name, str) for name in log.under_way)
    (folder / "requests.jsonl").write_bytes(spoiled_bytes(spoiled_text(CALLS_TEXT, rest), rest))
    for call in read_deferred(folder / "requests.jsonl").values():
        assert isinstance(json.loads(call.key), dict)
    lines = spoiled_data(LINES, rest)
    text = "\n".join(map(json.dumps, lines)) if isinstance(lines, list) else json.dumps(lines)
    content = spoiled_bytes(spoiled_text(text, rest) if rest.number(2) else text, rest)
    found = read_answers(("a", "b", "c"), [content], "completed")
    assert {*found.good, *found.failed} == {"a", "b", "c"}
    assert not found.good or has_answers(content)
    for body in found.good.values():
        with suppress(ValueError):
            answer = cached_answer(body, PRICE, BatchOrigin("batch_1", 5, 1.0))
            assert usage_of(answer).cost_usd >= 0
    with suppress(ValueError, TypeError, AttributeError, OverflowError):  # which Provider turns into a BatchError
        seen = _progress("batch_1", json.loads(json.dumps(spoiled_data(BATCH, rest)), object_hook=_namespace))
        assert isinstance(seen, BatchProgress)


def _namespace(pairs: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(**pairs)


@fuzzed
def test_usage_blocks(tape: bytes) -> None:
    """What a provider says of tokens and costs is a usage within bounds, or unknown; and so is any sum of it."""
    rest = Tape(tape)
    usage = rest.pick(NASTY_VALUES) if rest.number(12) == 0 else spoiled_data(USAGE, rest)
    body = json.dumps({**COMPLETION, "usage": usage}).encode()
    spoiled = spoiled_bytes(spoiled_text(body.decode(), rest), rest) if rest.number(3) == 0 else body
    tokens = tokens_in(spoiled)
    assert tokens is None or all(0 <= number < 2**53 for number in tokens)
    with suppress(ValueError, RecursionError):
        answer = json.loads(spoiled)
        if isinstance(answer, dict):
            answer = {**answer, "usage": sound_usage(answer.get("usage"))}
            _check_usage({**answer, "impactbench": {"cost_usd": rest.pick([0.1, *NASTY_VALUES])}})
    _check_usage({**COMPLETION, "usage": usage, "impactbench": rest.pick([{"cost_usd": 0.1}, *NASTY_VALUES])})


def _check_usage(answer: dict[str, Any]) -> None:
    found = usage_of(answer)
    assert 0 <= found.prompt_tokens < 2**53
    assert 0 <= found.completion_tokens < 2**53
    assert 0 <= found.cost_usd < float("inf")
    assert total([found] * 3).prompt_tokens == 3 * found.prompt_tokens
    assert 0 <= total_tokens(answer) < 2**53
    price = priced(answer, PRICE)
    assert price is None or 0 <= price < float("inf")
    cost = cost_of(answer)
    assert cost is None or 0 <= cost < float("inf")


def test_every_error_is_ours() -> None:
    """What these tests let pass is what commands show as one message."""
    assert all(issubclass(error, ImpactBenchError) for error in (BatchError, IntakeError, ResultsError, SettingError))
