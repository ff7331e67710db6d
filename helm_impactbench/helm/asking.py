"""How instruments ask models: with whose keys and cache, how many calls at once, at what cost, and what is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from helm_impactbench.conversation.run_options import parse_judges
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.helm.caller import ModelCaller
from helm_impactbench.helm.planned import price
from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
from helm_impactbench.helm.session import open_caller
from helm_impactbench.llm.limits.admission import count_for
from helm_impactbench.tables import Result
from helm_impactbench.validity.instrument import Asks, Instrument, Plan, ask_all, plan_result

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Record = TypeVar("Record")
Steps = Callable[[int, str], AbstractContextManager[Callable[[], None]]]
"""From how many steps there are, and what one is called, to what is called after each."""


@contextmanager
def no_steps(total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Tell nothing of the progress."""
    yield lambda: None


@dataclass(frozen=True)
class Asking:
    """With what instruments ask models."""

    local_path: Path = Path("prod_env")
    """Folder of keys, deployments, limits and cache."""
    threads: int = 20
    budget: float | None = None
    """US dollars for all that counts for the same folder; None for no limit but the environment's."""
    steps: Steps = no_steps
    announce: Callable[[Result], None] = field(default=lambda result: None)
    """Shows the plan before the first call."""

    @cached_property
    def caller(self) -> ModelCaller:
        """Makes the calls. Raises SettingError."""
        return open_caller(self.local_path)

    def judges(self, named: str, command: str) -> tuple[str, ...]:
        """Return the deployments of a judge or panel, named as users name them. Raises ImpactBenchError."""
        names = parse_judges(named, f"impactbench {command}")
        if not names:
            raise ImpactBenchError(f"--judge {named} asks nobody. Name the judge that is to be asked.")
        return tuple(self.deployment(name, "judge") for name in names)

    def deployment(self, name: str, role: str) -> str:
        """Return the deployment that a name stands for. Raises ModelError."""
        assert self.caller  # knows the deployments
        return resolve_deployment(name, role)

    def planned(self, plan: Plan, *, dry_run: bool = False) -> Result:
        """Return a plan with its price, and announce it unless it is itself the answer: of a dry run."""
        result = plan_result(plan, price, self.budget)
        if not dry_run:
            self.announce(result)
        return result

    def ready(self, models: Sequence[tuple[str, str]], spending: Path) -> None:
        """Count what is paid from now on in a folder, and make sure that all (role, deployment) can be called.

        Raises ImpactBenchError.
        """
        assert self.caller  # knows the deployments
        count_for(spending, self.budget)
        check_deployments(list(models))

    def record(self, instrument: Asks[Item, Answer, Record]) -> Record:
        """Return the record of an instrument that has asked. Raises what `ask_all` raises."""
        with self.steps(len(instrument.items), instrument.noun) as step:
            return ask_all(instrument, self.caller.call, self.threads, step)

    def figures(self, instrument: Instrument[Item, Answer, Record], kept: Callable[[Record], object]) -> Result:
        """Return what an instrument says once it has asked and its record is `kept`."""
        record = self.record(instrument)
        kept(record)
        return instrument.figures(record)
