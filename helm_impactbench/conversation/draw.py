"""How a base scenario came into a run that may stop early. Plain data that JSON can store."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

Count = Annotated[StrictInt, Field(ge=1)]


class Draw(BaseModel):
    """The draw of one base scenario, kept with each of its conversations, and what the run draws for."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    place: Count
    """From 1, in the random order in which base scenarios are drawn: the same for all targets."""
    of: Count
    """Base scenarios in the list that the run draws from."""
    size: Count
    """Conversations of this base scenario, drawn all together."""
    most: Count
    """Conversations of the largest base scenario of the list."""
    conversations: Count
    """Conversations of the whole list."""
    width: float | None = None
    """The run stops when the interval of its pass rate is at most this wide."""
    bar: float | None = None
    """The run stops when it is certain on which side of this value its pass rate lies."""
    other_scenarios: bool = False
    """Whether certain for other scenarios like these, or for what the whole list would show."""

    @model_validator(mode="after")
    def _fits_its_list(self) -> Draw:
        if not (self.place <= self.of <= self.conversations and self.size <= self.most <= self.conversations):
            raise ValueError("a draw has a place in its list, and is no larger than the largest base scenario")
        return self
