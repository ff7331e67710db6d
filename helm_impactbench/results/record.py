"""The one format of a conversation in HELM's files: where its three parts are, and how they are read back.

instance.extra_data["impactbench"]                         the case
result.completions[0].finish_reason["conversation"]        the conversation
annotations["impactbench"]["record"]["verdict"]            the verdict
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.readable import readable_verdict
from helm_impactbench.judging.verdict import UNSCORED_BY_STATUS, Unscored, Verdict, unscored

VERSION = 1
"""Of the format. A reader refuses another one."""
CASE_KEY = "impactbench"
CONVERSATION_KEY = "conversation"
ANNOTATOR = "impactbench"
RECORD_KEY = "record"


@dataclass(frozen=True)
class Record:
    """One conversation with all that is known of it."""

    case: ConversationCase
    conversation: Conversation
    verdict: Verdict


def case_data(case: ConversationCase) -> dict[str, Any]:
    """Return what a HELM instance keeps of a case."""
    return {CASE_KEY: _dumped(case)}


def conversation_data(conversation: Conversation) -> dict[str, Any]:
    """Return what a HELM completion keeps of a conversation, in finish_reason, its only free dictionary."""
    return {"reason": conversation.status.value, CONVERSATION_KEY: _dumped(conversation)}


def annotation(record: Record) -> dict[str, Any]:
    """Return what HELM keeps of a verdict: readable first, because helm-server shows it field by field."""
    return {
        "verdict": readable_verdict(record.verdict, record.case.metric, record.conversation.reason),
        RECORD_KEY: {"version": VERSION, "verdict": _dumped(record.verdict)},
    }


def case_in(extra_data: Mapping[str, Any] | None) -> ConversationCase:
    """Return the case that an instance holds. Raises KeyError or ValueError."""
    return ConversationCase.model_validate((extra_data or {})[CASE_KEY])


def conversation_in(finish_reason: Mapping[str, Any] | None) -> Conversation:
    """Return the conversation that a completion holds. Raises KeyError or ValueError."""
    return Conversation.model_validate((finish_reason or {})[CONVERSATION_KEY])


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True)


class _ExtraData(_Stored):
    case: ConversationCase = Field(alias=CASE_KEY)


class _Instance(_Stored):
    extra_data: _ExtraData


class _FinishReason(_Stored):
    conversation: Conversation = Field(alias=CONVERSATION_KEY)


class _Completion(_Stored):
    finish_reason: _FinishReason


class _Result(_Stored):
    completions: list[_Completion] = Field(min_length=1)


class _Kept(_Stored):
    version: Any = None
    verdict: Verdict | None = None

    @model_validator(mode="after")
    def _is_known(self) -> _Kept:
        if self.version != VERSION:
            raise ValueError(f"format {self.version}; this version reads format {VERSION}")
        return self


class _Annotation(_Stored):
    record: _Kept | None = Field(alias=RECORD_KEY, default=None)


class _Annotations(_Stored):
    own: _Annotation | None = Field(alias=ANNOTATOR, default=None)


class _State(_Stored):
    instance: _Instance
    result: _Result
    annotations: _Annotations | None = None


def record_of(state: Mapping[str, Any]) -> Record:
    """Return the record in a request state as scenario_state.json holds it. Raises ValidationError when it is none."""
    found = _State.model_validate(state)
    conversation = found.result.completions[0].finish_reason.conversation
    kept = found.annotations and found.annotations.own and found.annotations.own.record
    verdict = kept.verdict if kept else None
    return Record(found.instance.extra_data.case, conversation, verdict or _without(conversation))


def verdict_in(kept: Mapping[str, Any], conversation: Conversation) -> Verdict:
    """Return the verdict that an annotation holds, or why there is none yet."""
    if "verdict" in kept:
        return Verdict.model_validate(kept["verdict"])
    return _without(conversation)


def _without(conversation: Conversation) -> Verdict:
    if conversation.status.can_be_judged:
        return unscored(Unscored.NOT_JUDGED)
    return unscored(UNSCORED_BY_STATUS[conversation.status], conversation.reason)


def _dumped(model: ConversationCase | Conversation | Verdict) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_defaults=True)
