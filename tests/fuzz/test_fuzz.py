"""Whatever is fed to a reader, it answers with a value of ours or one of our errors.

Some hundred inputs each in every test run; `make fuzz` takes a hundred thousand each (IMPACTBENCH_FUZZ), and a tenth of
that for contrasts.
"""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from helm.common.object_spec import parse_object_spec

from helm_impactbench.authoring.seeds import read_seeds
from helm_impactbench.benchmark.files import check_benchmark, load_draft
from helm_impactbench.benchmark.measures.base import ParsedAnswer
from helm_impactbench.benchmark.measures.parties import Parties, Party
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.quantity import Quantity
from helm_impactbench.benchmark.measures.scale import Point, Scale
from helm_impactbench.benchmark.measures.stance import Stance
from helm_impactbench.conversation import run_options
from helm_impactbench.conversation.message import Unusable, UserMessage, parse_user_message
from helm_impactbench.errors import ImpactBenchError, RunEntryError
from helm_impactbench.files.resources import shipped
from helm_impactbench.judging.answer import Unreadable, parse_measured
from helm_impactbench.outputs.export.foreign import read_folder
from helm_impactbench.outputs.export.impactbench_rows import WRITTEN_BY
from helm_impactbench.outputs.export.imports import Naming, planned
from helm_impactbench.outputs.export.verdicts import Notes
from helm_impactbench.results.files import folder_name
from helm_impactbench.validity.annotation.key import load_key
from helm_impactbench.validity.annotation.reading import read_annotations
from tests.fuzz.fuzzing import fuzzed
from tests.fuzz.mutation import NASTY_TEXTS, NASTY_VALUES, Tape, spoiled_bytes, spoiled_data, spoiled_file, spoiled_text
from tests.outputs.export import builders as foreign
from tests.support import builders
from tests.validity.annotation import builders as annotating

BENCHMARK_TEXT = yaml.safe_dump(builders.BENCHMARK, sort_keys=False)
SCENARIOS_TEXT = json.dumps(builders.SCENARIOS[:2], indent=1)


@fuzzed
def test_benchmark_loader(folder: Path, tape: bytes) -> None:
    """Every fault of a benchmark's files is a line of text; what loads can be loaded again as a draft."""
    rest, home = Tape(tape), folder / "mini"
    home.mkdir(exist_ok=True)
    (home / "benchmark.yaml").write_bytes(spoiled_file(builders.BENCHMARK, BENCHMARK_TEXT, rest))
    (home / "scenarios.json").write_bytes(spoiled_file(builders.SCENARIOS[:2], SCENARIOS_TEXT, rest))
    checked = check_benchmark(home)
    for fault in checked.faults:
        str(fault).encode("utf-8")
    assert (checked.benchmark is None) == bool(checked.errors)
    with suppress(ImpactBenchError):
        load_draft(home)
    if checked.benchmark is not None:
        json.dumps(checked.benchmark.model_dump(mode="json"), ensure_ascii=False).encode("utf-8")


DISPUTES = yaml.safe_load(shipped("benchmarks", "moral-sycophancy", "benchmark.yaml").read_text(encoding="utf-8"))
DISPUTES["metrics"] = DISPUTES["metrics"][:1]
CASES = json.loads(shipped("benchmarks", "moral-sycophancy", "scenarios.json").read_text(encoding="utf-8"))[:3]


@partial(fuzzed, share=10)
def test_loader_of_contrasts(folder: Path, tape: bytes) -> None:
    """Every fault of contrast metrics, measures and fixed messages is a line of text."""
    rest, home = Tape(tape), folder / "disputes"
    home.mkdir(exist_ok=True)
    (home / "benchmark.yaml").write_text(json.dumps(spoiled_data(DISPUTES, rest)))
    (home / "scenarios.json").write_text(json.dumps(spoiled_data(CASES, rest)))
    for fault in check_benchmark(home).faults:
        str(fault).encode("utf-8")


ENTRIES = (
    "impactbench:benchmark=mini,user=a/b,judge=c/d+e/f,metric=m01,turns=3,samples=2,landmarks=false,perfunctory=true,"
    "split=public,part=0.5,checks=awareness+plausibility",
    "impactbench:benchmark=mini,judge=none,pilot=3,axes=age+teller,levels=a+b,swap=true,checks=teller,turns=3",
)
OPTIONS = [dict(parse_object_spec(entry).args) for entry in ENTRIES]


@fuzzed
def test_run_entry_parser(tape: bytes) -> None:
    """Any command line is taken or explained, whatever HELM makes of its parts."""
    rest = Tape(tape)
    which = rest.number(2)
    options = copy.deepcopy(OPTIONS[which])
    if rest.number(2):
        with suppress(ValueError):  # HELM's own, for a part without "="
            options = parse_object_spec(spoiled_text(ENTRIES[which], rest)).args
    else:
        for _ in range(rest.number(4)):
            name = rest.pick([*options, *NASTY_TEXTS])
            options[name] = rest.pick(NASTY_VALUES)
    refused = ""
    try:
        run_options.parse_options(options).text()
    except RunEntryError as error:
        refused = str(error)
    assert len(refused.encode("utf-8")) < 3000


ANSWER = {
    "justification": 'It "says" so.',
    "evidence": [{"turn": 1, "quote": "so"}, {"turn": 2, "quote": "yes"}],
    "answer": "present",
}
PARTY = Party(label="the landlord", words=["landlord"])
MEASURES = (
    Presence(),
    Presence(severity="standard"),
    Scale(points=[Point(id="present", value=0, description="a"), Point(id="high", value=1, description="b")]),
    Quantity(unit="euros", least=0),
    Stance(parties=Parties(a=PARTY, b=PARTY)),
)


@fuzzed
def test_judge_parser(tape: bytes) -> None:
    """A judge's reply is an answer that the measure allows, or unreadable with a reason that can be sent back."""
    rest = Tape(tape)
    text = json.dumps(spoiled_data(ANSWER, rest) if rest.number(2) else ANSWER, ensure_ascii=bool(rest.number(2)))
    text = rest.pick(("{}", "```json\n{}\n```", "<think>{}</think>{}", "{}")).replace("{}", text)
    reply = spoiled_text(text, rest)
    for measure in MEASURES:
        found = parse_measured(reply, measure, applies=bool(rest.number(2)))
        assert isinstance(found, ParsedAnswer | Unreadable)
        if isinstance(found, ParsedAnswer):
            assert (found.value is not None) == (found.status == "answered")
        if isinstance(found, Unreadable):
            assert found.problem


REPLIES = (
    "Thought: I am sad about *this*.\nMessage: hi there, what do you think?\n",
    "**Thought:** plan\n\n**Message:** bye\n[END OF CHAT]",
    "<think>plan it</think>\nThought: a Message: b",
    '{"thought": "plan", "message": "hi"}',
    "hello, just a line",
)


@fuzzed
def test_message_parser(tape: bytes) -> None:
    """A reply of the simulated user is a message or unusable; no tag of a thought is ever sent."""
    rest = Tape(tape)
    found = parse_user_message(spoiled_text(rest.pick(REPLIES), rest, most=8))
    assert isinstance(found, UserMessage | Unusable)
    if isinstance(found, UserMessage):
        assert found.text or found.ends
        assert not any(line.lower().startswith(("thought:", "message:\n")) for line in found.text.splitlines())


CONVERSATIONS, SCORES = foreign.conversations()[:3], foreign.scores()[:3]
MANIFEST = {
    "written_by": WRITTEN_BY,
    "run": "impactbench:benchmark=old,user=a,judge=b,model=c",
    "user": "a/b",
    "judges": ["c/d", "e/f"],
    "provenance": {"benchmark_digest": "x"},
    "run_spec": {"scenario_spec": {"args": {"metric": "m01", "turns": 3}}, "adapter_spec": {"temperature": 1.0}},
}
VERDICTS = [
    {"id": "m01_s001_v02", "conv_id": "m01_s001_v02", "status": "unscored", "unscored": "judge_unparsable"},
    {
        "id": "m01_s001_v01",
        "conv_id": "m01_s001_v01",
        "status": "scored",
        "answer": "present",
        "value": 1.0,
        "score": 1.0,
        "votes": [{"judge": "c/d", "answer": "present", "value": 1.0}, {"judge": "e/f", "status": "no_vote"}],
    },
]
COST = {"simulate": {"cost": 0.1, "input_tokens": 10, "output_tokens": 2}}
FOREIGN: dict[str, Any] = {
    "benchmark.yaml": foreign.BENCHMARK,
    "scenarios.json": foreign.SCENARIOS,
    "conversations.json": CONVERSATIONS,
    "scores.json": SCORES,
    "manifest.json": MANIFEST,
    "verdicts.json": VERDICTS,
    "cost.json": COST,
}
VALID = {name: json.dumps(content, indent=1) for name, content in FOREIGN.items()}


@fuzzed
def test_importers(folder: Path, tape: bytes) -> None:
    """A foreign folder becomes runs with names that are files, or is refused."""
    rest, home = Tape(tape), folder / "old"
    home.mkdir(exist_ok=True)
    spoiled = {rest.pick(list(FOREIGN)) for _ in range(1 + rest.number(3))}
    has_own = rest.number(2)
    for name, text in VALID.items():
        if name in ("manifest.json", "verdicts.json") and not has_own:
            (home / name).unlink(missing_ok=True)
            continue
        content = spoiled_file(FOREIGN[name], text, rest) if name in spoiled else text.encode()
        (home / name).write_bytes(content)
    try:
        policy: Any = rest.pick(("refuse", "present", "unscored"))
        for one in planned(read_folder(home), Naming(), policy, Notes()):
            assert "/" not in folder_name(one.name)
            assert len(folder_name(one.name).encode()) <= 255
            for record in one.records:
                record.case.model_dump_json()
                record.conversation.model_dump_json()
                record.verdict.model_dump_json()
    except ImpactBenchError as error:
        str(error).encode("utf-8")


KEY, _ = annotating.key_for(annotating.many(1, 2))
KEY_TEXT = KEY.model_dump_json(indent=1)
IDS = [item.item_id for item in KEY.items]
ANSWERS = "item_id,answer,note,annotator\n" + "".join(f'{item},present,"a, ""b""",ann\n' for item in IDS)
SEEDS = 'situation,notes,author,metric\n"Somebody asks, at night",why,Ann,m01\nAnother one,,,\n'


@fuzzed
def test_answers_keys_and_seeds(folder: Path, tape: bytes) -> None:
    """What people fill in is read, or refused with its line."""
    rest = Tape(tape)
    path, key, seeds = folder / "ann.csv", folder / "key.json", folder / "seeds.csv"
    path.write_bytes(spoiled_bytes(spoiled_text(ANSWERS, rest), rest))
    key.write_bytes(spoiled_file(json.loads(KEY_TEXT), KEY_TEXT, rest))
    seeds.write_bytes(spoiled_bytes(spoiled_text(SEEDS, rest), rest))
    for read in (
        lambda: read_annotations([path], annotating.readers(*IDS)),
        lambda: load_key(key),
        lambda: read_seeds(seeds),
    ):
        try:
            assert read()
        except ImpactBenchError as error:
            str(error).encode("utf-8")
