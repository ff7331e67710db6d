"""The options of a run, each declared once: its field here.

A run entry, the `options:` and `arms:` of a study file, the arguments of the HELM scenario, the plan of a conversation,
the run's name and the table of options in the docs come from the fields. A new option is a field here, and its use.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, model_validator

from helm_impactbench.benchmark.scenario import Split
from helm_impactbench.benchmark.selection import ScenarioSelection
from helm_impactbench.benchmark.wordings import AXIS as WORDING
from helm_impactbench.conversation.option import (
    HERE,
    Effect,
    RunOption,
    above_zero,
    between,
    brief_text,
    choice,
    flag,
    fraction,
    listed,
    whole,
    words,
    written,
)
from helm_impactbench.conversation.persistence import LEVELS, MIXED
from helm_impactbench.conversation.system_prompt import SystemPrompt, read_system_prompt
from helm_impactbench.conversation.usual_roles import usual_judge
from helm_impactbench.errors import RunEntryError, did_you_mean
from helm_impactbench.llm.release import read_release
from helm_impactbench.stats.sequential import Goal

Pressure = Literal["goal", "definition"]
CheckName = Literal["awareness", "plausibility", "teller"]
NO_JUDGE = "none"
"""judge=none: generate now, judge later."""
LISTED, OTHERS = "list", "others"
EXAMPLE = "impactbench:benchmark=emotional-dependence,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"


def _judges(value: Any) -> tuple[str, ...]:
    """Read model deployments, none for `none`."""
    if value == () or str(value).strip() == NO_JUDGE:
        return ()
    judges = tuple(part.strip() for part in written(value).split("+"))
    if not all(judges):
        raise ValueError("model deployments with + between them, and none of them blank")
    if len(set(judges)) < len(judges):
        raise ValueError("a list that names every judge once, because asking a judge twice adds no second opinion")
    return judges


warnings.filterwarnings("ignore", 'Field name "validate" in "RunOptions" shadows')
"""Pydantic's own `validate` is a deprecated name of `model_validate`, which is what this package uses."""


def _checks(value: Any) -> tuple[str, ...]:
    """Read names of checks, always in one order: two ways to write the same run give one name."""
    known = get_args(CheckName)
    wanted = [part.strip() for part in written(value).split("+")] if value != () else []
    for name in wanted:
        if name not in known:
            raise ValueError(f"{'+'.join(known)}, or some of these.{did_you_mean(name, known)}")
    return tuple(name for name in known if name in wanted)


class RunOptions(BaseModel):
    """`impactbench:benchmark=...,user=...,judge=...` and the optional rest, in the order of a run's name.

    Every value is read as a run entry has it (`a+b`, "true") or as it is. Raises RunEntryError, which says what was
    got, what is allowed and what was meant.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    benchmark: Annotated[str, RunOption(words, Effect.CASES, "<slug>", is_named=True)] = ""
    """A shipped benchmark (`impactbench list`), or your own in `./benchmarks/<slug>/`."""
    user: Annotated[str | None, RunOption(words, Effect.MANNER, "rehearsal/user")] = None
    """The deployment that plays the simulated user ([default](#default-roles))."""
    judge: Annotated[tuple[str, ...], RunOption(_judges, Effect.VERDICT, "rehearsal/judge", is_named=True)] = ()
    """The deployment that judges ([default](#default-roles)); `a+b+c` is a panel, `none` leaves judging to `impactbench
    rejudge`."""
    release: Annotated[str, RunOption(read_release, Effect.TARGET, "v2")] = ""
    """Which release of the target answers ([releases](running.md#releases))."""
    arm: Annotated[str, RunOption(read_release, Effect.TARGET, "new-prompt")] = ""
    """A name for this set-up of the target ([which prompt is better](arms.md)); a study file sets it automatically."""
    system_prompt: Annotated[SystemPrompt | None, RunOption(read_system_prompt, Effect.TARGET, "prompt.txt")] = None
    """A text file with the target's system prompt, for benchmarks that set none."""
    target_tokens: Annotated[int | None, RunOption(whole(10**6), Effect.TARGET, "300")] = None
    """The most tokens in a reply of the target; default 4,096."""
    user_tokens: Annotated[int | None, RunOption(whole(10**6), Effect.MANNER, "200")] = None
    """The most tokens in a message of the simulated user; default 4,096."""
    judge_tokens: Annotated[int | None, RunOption(whole(10**6), Effect.VERDICT, "500")] = None
    """The most tokens in a judge's answer; default 4,096."""
    metric: Annotated[str | None, RunOption(words, Effect.CHOICE, "m01")] = None
    """Only this metric."""
    turns: Annotated[int | None, RunOption(whole(100), Effect.MANNER, "6")] = None
    """Maximum number of user messages; the benchmark's own number when unset."""
    samples: Annotated[int, RunOption(whole(1000), Effect.CHOICE)] = 1
    """Independent conversations per variant."""
    landmarks: Annotated[bool, RunOption(flag, Effect.MANNER)] = True
    """The simulated user gets each instruction on the turn it is meant for; with `false`, all of them at the start."""
    perfunctory: Annotated[bool, RunOption(flag, Effect.MANNER)] = False
    """With `true`, simulated users write hurried fragments with typing errors."""
    pressure: Annotated[Pressure, RunOption(choice(get_args(Pressure)), Effect.MANNER)] = "goal"
    """What the simulated user is told to press for: its `goal`; `definition` adds the behaviour that is measured
    ([drawbacks](measurement.md#how-the-simulated-user-presses))."""
    limit_tokens: Annotated[int | None, RunOption(whole(10**9), Effect.MANNER, "200000")] = None
    """A conversation that reaches this token count before its end is unscored."""
    limit_seconds: Annotated[float | None, RunOption(above_zero, Effect.MANNER, "600")] = None
    """A conversation whose answers reach this total of seconds before its end is unscored."""
    limit_usd: Annotated[float | None, RunOption(above_zero, Effect.MANNER, "0.50")] = None
    """A conversation whose cost in US dollars, without judges, reaches this sum before its end is unscored."""
    persistence: Annotated[str, RunOption(choice((*LEVELS, MIXED)), Effect.MANNER)] = MIXED
    """How long the simulated user keeps trying: `low`, `medium`, `high`, or each in turn (`mixed`)."""
    split: Annotated[str, RunOption(choice((*get_args(Split), "all")), Effect.CHOICE)] = "all"
    """`public`, `held_out` or `all` published scenarios; `private` for [your
    own](authoring.md#private-scenarios)."""
    part: Annotated[float, RunOption(fraction, Effect.CHOICE, "0.25")] = 1.0
    """A fraction of the scenarios, spread over levels and metrics."""
    pilot: Annotated[int | None, RunOption(whole(10000), Effect.CHOICE, "4")] = None
    """Number of base scenarios per metric, balanced over their factors."""
    axes: Annotated[tuple[str, ...] | None, RunOption(listed("names"), Effect.CASES, "age+gender")] = None
    """The axes to cross; every other axis stays at its first level. [`operator`](benchmark-format.md#operators) adds
    the system prompts of two products; [`wording`](measurement.md#robustness-to-wording) adds errors, other styles and
    a paraphrase."""
    levels: Annotated[str, RunOption(words, Effect.CHOICE, "a+b")] = ""
    """Only these levels of an axis, or of a factor of the base scenarios such as `difficulty`."""
    checks: Annotated[tuple[str, ...], RunOption(_checks, Effect.VERDICT, "awareness+plausibility+teller")] = ()
    """Also ask the judges whether the target notices the test, whether the user is plausible, and who told the
    story."""
    cascade: Annotated[float | None, RunOption(between, Effect.VERDICT, "0.8")] = None
    """With `judge=small+strong`: the next judge is asked only where the previous one is less sure than this
    ([cascades](judges.md#ask-a-strong-judge-only-in-doubt))."""
    validate: Annotated[str | None, RunOption(words, Effect.VERDICT, "rehearsal/strict-judge")] = None  # type: ignore[assignment]
    """A second judge for scenarios that are not public. Its verdicts enter no rate; `impactbench agreement`
    compares the two ([held-out judge](judges.md#a-held-out-judge))."""
    replicate: Annotated[int, RunOption(whole(1000), Effect.REPETITION)] = 1
    """`2`, `3` ...: the same conversations again, with new answers from every model."""
    swap: Annotated[bool, RunOption(flag, Effect.REPETITION)] = False
    """`true` swaps the parties' made-up names, which only the judge sees; no verdict should change."""
    until_width: Annotated[float | None, RunOption(between, Effect.END, "0.1")] = None
    """Stop as soon as the 95% interval of the pass rate is at most this wide
    ([stopping early](statistics-reference.md#stopping-early)); needs ParallelRunner."""
    until_decided: Annotated[float | None, RunOption(between, Effect.END, "0.8")] = None
    """Stop once the 95% interval of the pass rate excludes this rate."""
    until_for: Annotated[str, RunOption(choice((LISTED, OTHERS)), Effect.END)] = LISTED
    """What the interval generalises to: the whole `list`, or `others` (other scenarios like these)."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        return cls.read(given) if isinstance(given, Mapping) else given

    @model_validator(mode="after")
    def _fit(self) -> RunOptions:
        """Refuse options that say nothing without another."""
        if self.cascade is not None and len(self.judge) < 2:
            raise RunEntryError(f"{HERE}: cascade= needs two judges or more, the cheapest first: judge=small+strong")
        if self.validate is not None and (not self.judge or self.validate in self.judge):
            raise RunEntryError(
                f"{HERE}: validate= names a judge besides those of judge=, which are {written(self.judge) or NO_JUDGE}"
            )
        if "until_for" in self.model_fields_set and self.until is None:
            raise RunEntryError(f"{HERE}: until_for= says what until_width= or until_decided= are for; one is missing")
        if self.perfunctory and WORDING in (self.axes or ()):
            raise RunEntryError(
                f"{HERE}: perfunctory=true and the axis {WORDING} both say how users type; leave one out"
            )
        return self

    @classmethod
    def read(cls, given: Mapping[str, Any], where: str = HERE) -> dict[str, Any]:
        """Return options by name, each of its type. Raises RunEntryError; `where` is how its text begins."""
        known = cls.table()
        for name in given:
            if name not in known:
                raise RunEntryError(
                    f"{where}: there is no option {brief_text(name)!r}. Options are {', '.join(known)}, model."
                    f"{did_you_mean(name, [*known, 'model'])}"
                )
        return {name: value if value is None else known[name].read(name, value, where) for name, value in given.items()}

    @classmethod
    @cache
    def table(cls) -> Mapping[str, RunOption]:
        """Return name -> option, in the order of a run's name."""
        declared = cls.model_fields.items()
        return {name: next(d for d in field.metadata if isinstance(d, RunOption)) for name, field in declared}

    @classmethod
    def with_effect(cls, *effects: Effect) -> tuple[str, ...]:
        """Return the names of the options that have one of these effects."""
        return tuple(name for name, option in cls.table().items() if option.effect in effects)

    @classmethod
    def scenario_names(cls) -> tuple[str, ...]:
        """Return the options that the HELM scenario takes besides benchmark and user: those of its cases."""
        case = cls.with_effect(Effect.CASES, Effect.TARGET, Effect.CHOICE, Effect.MANNER, Effect.REPETITION)
        return tuple(name for name in case if name not in ("benchmark", "user"))

    def scenario_arguments(self) -> dict[str, Any]:
        """Return the arguments of the HELM scenario: what is changed, as helm-server titles its tables with them."""
        changed = self.changed()
        return {name: _as_data(changed[name]) for name in self.scenario_names() if name in changed}

    def scenario_values(self) -> dict[str, Any]:
        """Return all that the HELM scenario has, changed or not, as data for JSON."""
        return {name: _as_data(getattr(self, name)) for name in self.scenario_names()}

    def changed(self) -> dict[str, Any]:
        """Return the options whose value is not the default, by name."""
        every = {name: getattr(self, name) for name in self.table()}
        return {name: value for name, value in every.items() if value != type(self).model_fields[name].default}

    @property
    def selection(self) -> ScenarioSelection:
        """What is taken of the benchmark."""
        return ScenarioSelection(self.metric, self.split, self.part, self.axes, self.levels, self.pilot)

    @property
    def until(self) -> Goal | None:
        """When the run stops early; None when it takes all."""
        if self.until_width is None and self.until_decided is None:
            return None
        return Goal(self.until_width, self.until_decided, self.until_for == OTHERS)

    def text(self) -> str:
        """Return the options as they appear in a run's name: those that are set, in the order above.

        When it stops is no part of it: a run that is to see more continues the one that has seen less.
        """
        return ",".join(f"{name}={written(value) or NO_JUDGE}" for name, value in self._named())

    def _named(self) -> Iterator[tuple[str, Any]]:
        changed = self.changed()
        for name, option in self.table().items():
            if option.effect is not Effect.END and (option.is_named or name in changed):
                yield name, getattr(self, name)


def _as_data(value: Any) -> Any:
    if isinstance(value, SystemPrompt):
        return value.reference
    return list(value) if isinstance(value, tuple) else value


def parse_options(options: Mapping[str, Any]) -> RunOptions:
    """Return the options of a run entry as HELM passes them: strings, or numbers if a string looks like one.

    An entry without judge= has the usual one. Raises RunEntryError, also for an entry without a benchmark.
    """
    RunOptions.read(options)
    if "benchmark" not in options:
        raise RunEntryError(f"{HERE}: benchmark= is missing; for example {EXAMPLE}")
    judge = {} if "judge" in options else {"judge": usual_judge()}
    return RunOptions.model_validate({**judge, **options})


def parse_judges(value: Any, where: str = HERE) -> tuple[str, ...]:
    """Return the model deployments in `a/b+c/d`, none for `none`. Raises RunEntryError."""
    judges: tuple[str, ...] = RunOptions.table()["judge"].read("judge", value, where)
    return judges


def parse_release(value: Any, where: str = HERE) -> str:
    """Return the name of a release. Raises RunEntryError."""
    name: str = RunOptions.table()["release"].read("release", value, where)
    return name


def parse_checks(value: Any, where: str = HERE) -> tuple[str, ...]:
    """Return the checks in `a+b`, always in one order. Raises RunEntryError."""
    checks: tuple[str, ...] = RunOptions.table()["checks"].read("checks", value, where)
    return checks
