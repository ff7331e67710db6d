"""The options of a run entry, as HELM passes them: strings, or numbers if a string looks like one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_args

from helm_impactbench.benchmark.scenario import Split
from helm_impactbench.benchmark.selection import Selection
from helm_impactbench.conversation.persistence import LEVELS, MIXED
from helm_impactbench.conversation.plan import Pressure
from helm_impactbench.errors import RunEntryError, did_you_mean
from helm_impactbench.judging.checks import CHECKS
from helm_impactbench.stats.sequential import Goal

MAX_TURNS = 100
MAX_SAMPLES = 1000
MAX_REPLICATES = 1000
SPLITS = (*get_args(Split), "all")
PRESSURES = get_args(Pressure)
MAX_NAME_BYTES = 255
"""Longest folder name on common file systems."""
MOST_SHOWN = 200
"""Most characters of a refused value that an error shows."""
HERE = "Run entry impactbench"
"""How an error says where the mistake is."""
NO_JUDGE = "none"
"""judge=none: generate now, judge later."""
MAX_PILOT = 10_000
LISTED, OTHERS = "list", "others"


@dataclass(frozen=True)
class RunOptions:
    """`impactbench:benchmark=...,user=...,judge=...` and the optional rest."""

    benchmark: str
    """Slug."""
    user: str | None
    """Model deployment that plays the simulated user; not called where the messages are fixed."""
    judge: tuple[str, ...]
    """Model deployments of the panel, `a+b+c` in the entry; empty for judge=none."""
    metric: str | None = None
    """One metric's id; all metrics when unset."""
    turns: int | None = None
    """User messages at most; the benchmark's own number when unset."""
    samples: int = 1
    """Independent conversations per variant."""
    landmarks: bool = True
    """Whether landmarks arrive on their turns; if not, all are given at the start."""
    perfunctory: bool = False
    """Whether users write hurried fragments with typing noise."""
    pressure: Pressure = "goal"
    """What the simulated user is told: goal (its goals alone) or definition (the behaviour's definition as well)."""
    persistence: str = MIXED
    """How long the simulated user holds on: low, medium, high, or mixed (each in turn)."""
    split: str = "all"
    """public, held_out or all."""
    part: float = 1.0
    """Fraction of the scenarios, spread over levels and metrics; run_entries/quick.conf takes 0.06."""
    pilot: int | None = None
    """Base scenarios per metric, whole and balanced over their factors; all when unset."""
    axes: tuple[str, ...] | None = None
    """The axes that are crossed, `age+teller` in the entry; the benchmark's default when unset."""
    levels: str = ""
    """The levels that are taken, `a+b` in the entry; all when unset."""
    checks: tuple[str, ...] = ()
    """Further questions to every judge, `awareness+plausibility` in the entry; none when unset."""
    cascade: float | None = None
    """How sure a judge has to be for the next one not to be asked, from 0 to 1; all judges are asked when unset."""
    replicate: int = 1
    """Which repetition of the run: from 2 on, every model is called again."""
    swap: bool = False
    """Whether two names that only the judge sees are exchanged: answers should not change."""
    until_width: float | None = None
    """The run stops when the interval of its pass rate is at most this wide."""
    until_decided: float | None = None
    """The run stops when it is certain on which side of this pass rate its own lies."""
    until_for: str = LISTED
    """What the interval is for: list (what the whole list would show) or others (other scenarios like these)."""

    @property
    def selection(self) -> Selection:
        """What is taken of the benchmark."""
        return Selection(self.metric, self.split, self.part, self.axes, self.levels, self.pilot)

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
        parts = []
        for field in fields(self):
            if field.name.startswith("until_"):
                continue
            value = getattr(self, field.name)
            if value is not None and value != field.default:
                parts.append(f"{field.name}={_written(value) or NO_JUDGE}")
        return ",".join(parts)


def parse_options(options: dict[str, Any]) -> RunOptions:
    """Return the options, checked. Raises RunEntryError that says what was got, what is allowed and what was meant."""
    allowed = [field.name for field in fields(RunOptions)]
    for name in options:
        if name not in allowed:
            raise RunEntryError(
                f"Run entry impactbench: there is no option {shown(name)!r}. Options are {', '.join(allowed)}, model."
                f"{did_you_mean(name, [*allowed, 'model'])}"
            )
    for name in ("benchmark", "judge"):
        if name not in options:
            raise RunEntryError(
                f"Run entry impactbench: {name}= is missing; for example "
                "impactbench:benchmark=emotional-dependence,user=rehearsal/user,judge=rehearsal/judge,"
                "model=rehearsal/mixed"
            )
    if "cascade" in options and len(parse_judges(options["judge"])) < 2:
        raise RunEntryError(f"{HERE}: cascade= needs two judges or more, the cheapest first: judge=small+strong")
    if "until_for" in options and not {"until_width", "until_decided"} & set(options):
        raise RunEntryError(f"{HERE}: until_for= says what until_width= or until_decided= are for; one is missing")
    return RunOptions(
        benchmark=_text("benchmark", options["benchmark"]),
        user=_text("user", options["user"]) if "user" in options else None,
        judge=parse_judges(options["judge"]),
        metric=_text("metric", options["metric"]) if "metric" in options else None,
        turns=_number("turns", options["turns"], MAX_TURNS) if "turns" in options else None,
        samples=_number("samples", options.get("samples", 1), MAX_SAMPLES),
        landmarks=_flag("landmarks", options.get("landmarks", True)),
        perfunctory=_flag("perfunctory", options.get("perfunctory", False)),
        pressure="definition"
        if _choice("pressure", options.get("pressure", "goal"), PRESSURES) == "definition"
        else "goal",
        persistence=_choice("persistence", options.get("persistence", MIXED), (*LEVELS, MIXED)),
        split=_choice("split", options.get("split", "all"), SPLITS),
        part=_fraction("part", options.get("part", 1.0)),
        pilot=_number("pilot", options["pilot"], MAX_PILOT) if "pilot" in options else None,
        axes=_names("axes", options["axes"]) if "axes" in options else None,
        levels=_text("levels", options["levels"]) if "levels" in options else "",
        checks=parse_checks(options["checks"]) if "checks" in options else (),
        cascade=_between("cascade", options["cascade"]) if "cascade" in options else None,
        replicate=_number("replicate", options.get("replicate", 1), MAX_REPLICATES),
        swap=_flag("swap", options.get("swap", False)),
        until_width=_between("until_width", options["until_width"]) if "until_width" in options else None,
        until_decided=_between("until_decided", options["until_decided"]) if "until_decided" in options else None,
        until_for=_choice("until_for", options.get("until_for", LISTED), (LISTED, OTHERS)),
    )


def parse_checks(value: Any, where: str = HERE) -> tuple[str, ...]:
    """Return the checks in `a+b`, always in the order of CHECKS. Raises RunEntryError."""
    names = [part.strip() for part in str(value).split("+")]
    for name in names:
        if name not in CHECKS:
            raise _refused("checks", value, f"{'+'.join(CHECKS)}, or some of these.{did_you_mean(name, CHECKS)}", where)
    return tuple(name for name in CHECKS if name in names)


def _text(name: str, value: Any) -> str:
    text = str(value).strip()
    if not text:
        raise _refused(name, value, "text that is not empty")
    return text


def _names(option: str, value: Any) -> tuple[str, ...]:
    """Return the names in `a+b`, each once."""
    names = [part.strip() for part in str(value).split("+")]
    if not all(names):
        raise _refused(option, value, "names with + between them, and none of them blank")
    return tuple(dict.fromkeys(names))


def parse_judges(value: Any, where: str = HERE) -> tuple[str, ...]:
    """Return the model deployments in `a/b+c/d`, none for `none`. Raises RunEntryError."""
    if str(value).strip() == NO_JUDGE:
        return ()
    judges = tuple(part.strip() for part in str(value).split("+"))
    if not all(judges):
        raise _refused("judge", value, "model deployments with + between them, and none of them blank", where)
    if len(set(judges)) < len(judges):
        raise _refused(
            "judge",
            value,
            "a list that names every judge once, because asking a judge twice adds no second opinion",
            where,
        )
    return judges


def check_run_name(name: str) -> None:
    """Raise RunEntryError for a run whose name is too long for its folder."""
    size = len(name.encode("utf-8", "replace"))
    if size > MAX_NAME_BYTES:
        raise RunEntryError(
            f"The run {name[:80]}... needs a folder name of {size} bytes, but may have only {MAX_NAME_BYTES}. Give "
            "models with long names shorter ones in prod_env/model_deployments.yaml, or take fewer judges"
        )


def shown(value: Any) -> str:
    """Return a value for an error's text; a command line may contain anything, even a number of 10,000 digits."""
    try:
        text = str(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def _number(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise _refused(name, value, f"a whole number from 1 to {most}")
    return value


def _fraction(name: str, value: Any) -> float:
    try:
        fraction = float(value)
    except (TypeError, ValueError, OverflowError):
        fraction = 0.0
    if isinstance(value, bool) or not 0 < fraction <= 1:
        raise _refused(name, value, "a fraction above 0 and up to 1, for example 0.1")
    return fraction


def _between(name: str, value: Any) -> float:
    fraction = _fraction(name, value)
    if fraction == 1:
        raise _refused(name, value, "a fraction between 0 and 1, for example 0.1")
    return fraction


def _flag(name: str, value: Any) -> bool:
    flags = {"true": True, "false": False}
    text = str(value).strip().lower()
    if text not in flags:
        raise _refused(name, value, "true or false")
    return flags[text]


def _choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise _refused(name, value, f"one of {', '.join(allowed)}.{did_you_mean(str(value), allowed)}")
    return str(value)


def _refused(name: str, value: Any, allowed: str, where: str = HERE) -> RunEntryError:
    got = repr(shown(value)) if isinstance(value, str) else shown(value)
    return RunEntryError(f"{where}: {name} cannot be {got}; it must be {allowed}")


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "+".join(value) if isinstance(value, tuple) else str(value)
