"""helm-run started, watched and killed at chosen moments, and what a kill may and may not cost.

Every answer of the server carries the digest of its request, so that a look into the cache after a kill tells exactly
which calls were kept: none of these may ever be asked for again.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog
from helm_impactbench.llm.prices import most_prompt_tokens
from helm_impactbench.process.progress_file import PROGRESS_FILE
from tests.support import builders
from tests.support.commands import BIN, command_environment
from tests.support.fault_server import Call, FaultServer, good_answer

LATENCY = 0.05
GRACE = 1.0
"""Seconds that a whole answer has to be kept before a SIGKILL; the machine that runs the tests may be loaded."""
CLOCKS = frozenset({"cached", "request_time", "request_datetime", "call", "seconds"})
PARALLEL = ("--runner-class-name", "helm_impactbench.ParallelRunner")
PRICE = 1e-5
"""US dollars per token of a prompt, where a setting has a budget."""
BUDGET_STEP = 1.0
"""US dollars by which a budget is raised when it is used up: about 45 calls, so that each moment comes before that."""
_MARK = re.compile(rb"#([0-9a-f]{16})#")
_CALLS = ("conversation", "judge")


class MarkingServer(FaultServer):
    """Answers well after a moment, each time with the mark of the request, and notes when the answer was sent."""

    def __init__(self, padding: int = 0) -> None:
        """`padding` is a number of letters to add to what users and targets say."""
        self.sent: dict[str, float] = {}
        super().__init__(answer=lambda call: marked(call, padding), latency=LATENCY, prompt_tokens=charged_tokens)

    async def _respond(self, writer: asyncio.StreamWriter, call: Call, fault: str) -> bool:
        going_on = await super()._respond(writer, call, fault)
        self.sent[mark(call)] = time.monotonic()
        return going_on

    @property
    def marks(self) -> list[str]:
        """The marks of all calls, in order."""
        return [mark(call) for call in self.calls]

    @property
    def charged_usd(self) -> float:
        """What all calls cost that have come, answered or cut off, in US dollars."""
        return sum(charged_tokens(call) for call in self.calls) * PRICE

    @property
    def repeated(self) -> int:
        """How many calls came again."""
        return sum(call.attempt > 1 for call in self.calls)


def charged_tokens(call: Call) -> int:
    """Return the most that a call's prompt may be charged for, so that a budget has nothing to spare."""
    return int(1.25 * most_prompt_tokens(call.body))


def mark(call: Call) -> str:
    """Return the mark of a request."""
    return call.digest[:16]


def marked(call: Call, padding: int = 0) -> str:
    """Return a good answer with the request's mark in it."""
    answer = good_answer(call)
    if call.role == "judge":
        return json.dumps({**json.loads(answer), "justification": f"Because #{mark(call)}#."})
    return f"{answer} #{mark(call)}# {'x' * padding}"


@dataclass(frozen=True)
class Moment:
    """When a process is killed, and how."""

    kind: str
    """start, conversation, judge, writing."""
    number: int
    """Of calls or files after which it comes."""
    delay: float
    """Fraction of the start, or seconds after a file is begun."""
    signal: signal.Signals
    of_worker: bool = False
    """Whether a worker process is killed, where there are any, in place of their parent."""


def moments(seed: int, number: int) -> list[Moment]:
    """Return moments of all kinds, half of them SIGKILL (of parents and workers) and half SIGINT, in random order."""
    rng = random.Random(seed)
    kinds = ("conversation", "judge", "writing", "start")
    drawn = [
        Moment(kinds[i // 2 % 4], rng.randint(1, 6), rng.random(), (signal.SIGKILL, signal.SIGINT)[i % 2], i % 4 == 2)
        for i in range(number)
    ]
    rng.shuffle(drawn)
    return drawn


@dataclass
class Setting:
    """A working directory with the mini benchmark, a server, and one helm-run command."""

    folder: Path
    server: FaultServer
    targets: tuple[str, ...]
    extra: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    threads: int = 4
    budget: float | None = None
    """US dollars; raised whenever a run has ended because it was used up."""

    def __post_init__(self) -> None:
        if not (self.folder / "benchmarks").exists():
            builders.write_benchmark_folder(self.folder / "benchmarks/mini")
        if self.budget:
            self._write_prices()

    def start(self) -> Running:
        """Start the command in a session of its own."""
        entry = "impactbench:benchmark=mini,turns=2,user=litellm/openai/user-x,judge=litellm/openai/judge-x"
        entries = [f"{entry},model=litellm/openai/{target}" for target in self.targets]
        command = [
            str(BIN / "helm-run"),
            "--run-entries",
            *entries,
            "--suite",
            "s",
            "-m",
            "1000",
            "-n",
            str(self.threads),
        ]
        budget = {"IMPACTBENCH_MAX_COST_USD": f"{self.budget:.2f}"} if self.budget else {}
        environment = command_environment(
            OPENAI_API_KEY="sk-test", OPENAI_API_BASE=self.server.url, **budget, **self.environment
        )
        return Running(subprocess.Popen(
            [*command, *self.extra], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        ))  # fmt: skip

    def finish(self) -> str:
        """Run the command to its end and return what it printed."""
        running = self.start()
        while self.used_up(running):
            running = self.start()
        assert running.wait() == 0, running.text[-5000:]
        return running.text

    def used_up(self, running: Running) -> bool:
        """Wait for the end of a run and return whether its budget was used up, which is then raised."""
        if running.wait() != 2 or not self.budget or "is used up" not in running.text:
            return False
        self.budget += BUDGET_STEP
        return True

    def booked_usd(self) -> float:
        """Return what the suite's spend log counts as paid, with what the calls may cost that are on their way."""
        log = SpendLog(self.folder / "benchmark_output/runs/s" / SPENDING_FILE)
        return log.total() + sum(call.most_usd for call in log.on_their_way().values())

    def _write_prices(self) -> None:
        """Give every deployment a price for its prompts."""
        deployments = [
            {
                "name": f"litellm/openai/{name}",
                "model_name": f"openai/{name}",
                "client_spec": {
                    "class_name": "helm_impactbench.helm.litellm_client.LiteLLMClient",
                    "args": {
                        "litellm_model": f"openai/{name}",
                        "input_cost_per_token": PRICE,
                        "output_cost_per_token": 0,
                    },
                },
            }
            for name in ("user-x", "judge-x", *self.targets)
        ]
        (self.folder / "prod_env").mkdir(exist_ok=True)
        file = self.folder / "prod_env/model_deployments.yaml"
        file.write_text(yaml.safe_dump({"model_deployments": deployments}))

    def kept(self, local_path: Path = Path("prod_env")) -> set[str]:
        """Return the marks of all answers in the cache."""
        path = self.folder / local_path / "cache/impactbench/litellm.sqlite"
        if not path.is_file():
            return set()
        connection = sqlite3.connect(path)
        try:
            rows = connection.execute("SELECT value FROM answers").fetchall()
        except sqlite3.OperationalError:  # killed before the table was made
            return set()
        finally:
            connection.close()
        found = [[m.decode() for m in _MARK.findall(value.encode())] for (value,) in rows]
        return {marks[0] for marks in found if marks}


class Running:
    """A helm-run whose output is read while it runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.began = time.monotonic()
        self.lines: list[str] = []
        self.files = 0
        """How many files were begun."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """What was printed so far."""
        return "".join(self.lines)

    def ended(self) -> bool:
        """Return whether the command has ended."""
        return self.process.poll() is not None

    def wait(self, timeout: float = 600.0) -> int:
        """Return the exit code, when the command and the workers that it forked are gone."""
        code = self.process.wait(timeout)
        until = time.monotonic() + timeout
        while _alive(self.process.pid) and time.monotonic() < until:
            time.sleep(0.01)
        self._reader.join(timeout)
        return code

    def workers(self) -> list[int]:
        """Return the process ids of its children."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(child) for child in path.read_text().split()]

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout:
            for line in self.process.stdout:
                self.lines.append(line)
                self.files += "Writing " in line


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@dataclass(frozen=True)
class Kill:
    """A kill that met a living process."""

    moment: Moment
    code: int
    text: str
    calls: int
    """How many calls had come to the server by then."""
    arrived: frozenset[str]
    """Marks of those that came from the killed process."""
    kept: frozenset[str]
    """Those whose answers were in the cache afterwards."""
    late: tuple[float, ...]
    """Seconds between answer and kill, of its answers that were not kept; negative when sent to nobody any more."""
    gone: float
    """Seconds from the kill until no process was left."""
    money: tuple[float, float, float]
    """What the server has charged, what the spend log counts, and the budget, in US dollars; 0 without a budget."""


def killed(setting: Setting, server: MarkingServer, moment: Moment, start_seconds: float) -> Kill | None:
    """Run the command and kill it at the moment; None when it came to its end before.

    A run that ends because the budget is used up is repeated with a higher one.
    """
    before = len(server.calls)
    running = setting.start()
    _wait_for(moment, running, server, before, start_seconds)
    at = time.monotonic()
    if not running.ended():
        os.kill(
            next(iter(running.workers()), running.process.pid) if moment.of_worker else running.process.pid,
            moment.signal,
        )
    code = running.wait()
    gone = time.monotonic() - at
    if setting.used_up(running):
        return killed(setting, server, moment, start_seconds)
    if code == 0:
        return None
    arrived = frozenset(server.marks[before:])
    kept = frozenset(setting.kept())
    late = tuple(at - server.sent[lost] for lost in arrived - kept if lost in server.sent)
    money = (server.charged_usd, setting.booked_usd(), setting.budget) if setting.budget else (0.0, 0.0, 0.0)
    return Kill(moment, code, running.text, len(server.calls), arrived, kept, late, gone, money)


def _wait_for(moment: Moment, running: Running, server: MarkingServer, before: int, start_seconds: float) -> None:
    until = running.began + moment.delay * start_seconds
    while not running.ended():
        if moment.kind == "start" and time.monotonic() >= until:
            return
        if moment.kind == "writing" and running.files >= moment.number:
            time.sleep(moment.delay / 50)
            return
        if moment.kind in _CALLS:
            new = [call for call in server.calls[before:] if (call.role == "judge") == (moment.kind == "judge")]
            if len(new) >= moment.number:
                time.sleep(moment.delay * LATENCY)
                return
        time.sleep(0.002)


def results(folder: Path) -> dict[str, Any]:
    """Return every file below benchmark_output but spend log and state, whole or cut off; JSON without clocks."""
    root = folder / "benchmark_output"
    return {
        str(path.relative_to(root)): _without_clocks(json.loads(path.read_text()))
        if path.suffix == ".json"
        else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not any(name in path.name for name in (SPENDING_FILE, PROGRESS_FILE))
    }


def differences(got: Any, wanted: Any, place: str = "") -> list[str]:
    """Return every leaf in which two results differ, so that a failure names it instead of printing whole files."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        names = sorted({*got, *wanted})
        return [one for name in names for one in differences(got.get(name), wanted.get(name), f"{place}/{name}")]
    if isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        pairs = enumerate(zip(got, wanted, strict=True))
        return [one for i, (a, b) in pairs for one in differences(a, b, f"{place}[{i}]")]
    return [] if got == wanted else [f"{place}: got {str(got)[:300]}, not {str(wanted)[:300]}"]


def _without_clocks(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_clocks(inner) for name, inner in value.items() if name not in CLOCKS}
    if isinstance(value, list):
        return [_without_clocks(inner) for inner in value]
    return value
