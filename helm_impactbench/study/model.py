"""A study: which models meet which benchmarks, in whose company, and at what most. The whole of a study.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from glob import escape
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from helm_impactbench.llm.limits.settings import Limit
from helm_impactbench.llm.prices import MOST_PER_MILLION
from helm_impactbench.llm.release import read_release

Name = Annotated[str, Field(min_length=1)]
Release = Annotated[str, BeforeValidator(read_release)]
Option = str | int | float | bool
DEFAULT_SUITE = "impact"
QUICK, ALL = "quick", "all"
"""Words for benchmarks: a sixteenth of every benchmark with a simulated user, and everything."""


class Target(BaseModel):
    """A deployment under test: which release of it answers, how it is set up, and what it may be asked at once."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Name
    release: Release | None = None
    system_prompt: Name | None = None
    """A file with the system prompt that it is given; two of one name are two arms."""
    temperature: float | None = Field(None, ge=0, le=2)
    """At which it answers, 1 when unset; two of one name are two arms."""
    target_tokens: int | None = Field(None, ge=1, le=10**6)
    """That a reply may have, as the option of a run entry."""
    max_in_flight: int | None = Field(None, ge=1)
    """Calls at the same time; these limits take the place of those of limits.yaml."""
    requests_per_minute: float | None = Field(None, gt=0, allow_inf_nan=False)
    tokens_per_minute: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Of prompts and answers together."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        """Take a name alone for a target of no named release."""
        return {"name": value} if isinstance(value, str) else value

    @property
    def limit(self) -> Limit | None:
        """What it may be asked at once; None where nothing is said of it."""
        rates = {name: getattr(self, name) for name in ("max_in_flight", "requests_per_minute", "tokens_per_minute")}
        return Limit(deployments=(escape(self.name),), **rates) if any(rates.values()) else None


class Study(BaseModel):
    """What `impactbench run` is asked for. A benchmark, area or model is checked when the entries are planned."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tested: tuple[Target, ...] = Field(alias="models", min_length=1)
    """What is tested: deployments, or {name: acme/chat, release: v2}."""
    release: Release | None = None
    """Which release of them answers, unless `models` says otherwise: only its own stored answers count for it."""
    user: Name | None = None
    """The deployment that plays the simulated user, where messages are not fixed; the usual one when unset."""
    judge: tuple[Name, ...] = Field(min_length=1)
    """The deployments of the panel."""
    benchmarks: tuple[Name, ...] = (QUICK,)
    """Slugs and areas, or `quick`, or `all`."""
    author: Name | None = None
    """The deployment that writes what benchmarks of your own lack; where it is unset, nothing is written."""
    metrics: int = Field(12, ge=1, le=200)
    """That a benchmark without any is given."""
    scenarios_per_metric: int = Field(3, ge=1, le=100)
    """Base scenarios that each metric of such a benchmark is given."""
    axes: Mapping[Name, tuple[Name, ...]] = {}
    """Axis -> its levels, for scenarios that are still to be written; the benchmark's own when empty."""
    options: Mapping[Name, Option] = {}
    """Options of every run entry, for example {samples: 3, part: 0.5}."""
    arms: Mapping[Name, Mapping[Name, Option]] = Field({"plain": {}}, min_length=1)
    """Name -> options of its run entries, beside `options`; each arm is a set of runs of its own. Where there are
    several, results call the target by model and arm: acme/chat#hurried."""
    suite: Name = DEFAULT_SUITE
    """The folder of the results."""
    replicate: int = Field(1, ge=1, le=1000)
    """Which repetition of the study: from 2 on, every model is called again. `impactbench run --fresh` counts them."""
    references: float = Field(0.1, ge=0, le=1)
    """The share of what each entry takes that the reference bots are run on beside the models; none at 0."""
    threads: int = Field(20, ge=1, le=10_000)
    """Conversations at once, over all runs."""
    budget_usd: float | None = Field(None, gt=0)
    """The most that the suite may cost; no limit when unset."""
    prices: Mapping[Name, tuple[float, float]] = {}
    """Deployment -> US dollars per million tokens of prompt and answer, where litellm knows none or yours is another;
    0 and 0 for a server of your own."""
    until_better: bool = False
    """Run a growing share of the cases on all models in turn, and stop when tests that hold at any look say which model
    is best."""
    dry_run: bool = False
    """Show the plan and its price, and run nothing."""
    most_prompts: int = Field(100_000, ge=1)
    """Cases per benchmark at most: helm-run's --max-eval-instances."""

    @field_validator("axes", mode="before")
    @classmethod
    def _levels(cls, value: Any) -> Any:
        """Take lists of levels for what they are."""
        if not isinstance(value, dict):
            return value
        return {axis: tuple(levels) if isinstance(levels, list) else levels for axis, levels in value.items()}

    @property
    def targets(self) -> tuple[Target, ...]:
        """What is tested, each with its release."""
        return tuple(one if one.release else one.model_copy(update={"release": self.release}) for one in self.tested)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits of what is tested, each once."""
        return tuple(dict.fromkeys(one.limit for one in self.tested if one.limit is not None))

    @property
    def models(self) -> tuple[str, ...]:
        """The deployments under test, each once."""
        return tuple(dict.fromkeys(one.name for one in self.tested))

    @property
    def held_out_judges(self) -> tuple[str, ...]:
        """The deployments that judge the held-out part besides the panel, each once."""
        named = (options.get("validate") for options in (self.options, *self.arms.values()))
        return tuple(dict.fromkeys(str(name) for name in named if name))

    @classmethod
    def settings(cls) -> list[str]:
        """Return the names of all settings, as a file has them."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @field_validator("tested")
    @classmethod
    def _limited_once(cls, value: tuple[Target, ...]) -> tuple[Target, ...]:
        limited = {one.limit.deployments for one in value if one.limit is not None}
        if len(limited) < len({one.limit for one in value if one.limit is not None}):
            raise ValueError("the limits of one model are said once, or alike wherever it stands")
        return tuple(dict.fromkeys(value))  # one that is named twice is run once

    @field_validator("prices", mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        """Take lists of two for pairs."""
        if not isinstance(value, dict):
            return value
        return {name: tuple(pair) if isinstance(pair, list) else pair for name, pair in value.items()}

    @field_validator("prices")
    @classmethod
    def _can_be_paid(cls, value: Mapping[str, tuple[float, float]]) -> Mapping[str, tuple[float, float]]:
        if not all(0 <= price <= MOST_PER_MILLION for pair in value.values() for price in pair):
            raise ValueError(f"a price is US dollars per million tokens, from 0 to {MOST_PER_MILLION:,.0f}")
        return value

    @field_validator("tested", "judge", "benchmarks", mode="before")
    @classmethod
    def _listed(cls, value: Any, info: ValidationInfo) -> Any:
        """Take one name, or judges written a+b, for a list of them."""
        if not isinstance(value, str):
            return tuple(value) if isinstance(value, list) else value
        names = [name for name in re.split(r"[,\s]+", value) if name]
        if info.field_name == "benchmarks" and len(names) > 1:
            raise ValueError(f"write a list: [{', '.join(names)}]")
        return tuple(name.strip() for name in value.split("+"))
