"""A suite as large as a full ImpactBench, in the very files that helm-run writes, and without its calls.

One real helm-run holds every shipped benchmark once with a scripted target. Its runs are then multiplied: for each
made-up model the target's name is another, replies are as long as a chat model's, verdicts are drawn with the model's
own rate, usage and prices are filled in, and HELM's statistics are computed anew by the HELM metric itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE_SUITE = "source"
SUITE = "big"
SOURCE_MODEL = "rehearsal/mixed"
USER, JUDGE = "rehearsal/user", "rehearsal/judge"
UNSCORED_SHARE = 0.01
TALK = "so let us look at this step by step and see what would help you most before we decide on anything"


@dataclass(frozen=True)
class Size:
    """How large the suite is to be."""

    models: int = 14
    conversations: int = 30_000
    """At least; benchmarks get a second sample one after the other until there are as many."""
    reply_words: int = 150
    """Of a target's reply: about 220 tokens."""
    benchmarks: int | None = None
    """The first so many; all when None."""


def make(root: Path, size: Size) -> int:
    """Write the suite `big` under `root`/benchmark_output and return the number of its conversations.

    Does nothing but count when a suite of the same size is there already.
    """
    done = root / f"{SUITE}.json"
    if done.is_file() and (there := json.loads(done.read_text()))["size"] == vars(size):
        return int(there["conversations"])
    root.mkdir(parents=True, exist_ok=True)
    _helm_run(root, _entries(size))
    conversations = 0
    for folder in sorted((root / "benchmark_output/runs" / SOURCE_SUITE).glob("impactbench:*")):
        for number in range(1, size.models + 1):
            conversations += _multiply(folder, number, size)
    done.write_text(json.dumps({"size": vars(size), "conversations": conversations}))
    return conversations


def model_name(number: int) -> str:
    """Return the name of a made-up model."""
    return f"made-up/model-{number:02d}"


def _entries(size: Size) -> list[str]:
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark

    counts = {slug: len(load_benchmark(folder).scenarios) for slug, folder in benchmark_paths().items()}
    counts = dict(list(counts.items())[: size.benchmarks])
    missing = size.conversations - size.models * sum(counts.values())
    entries = []
    for slug, count in counts.items():
        samples = ",samples=2" if missing > 0 else ""
        missing -= size.models * count
        entries.append(f"impactbench:benchmark={slug},user={USER},judge={JUDGE}{samples},model={SOURCE_MODEL}")
    return entries


def _helm_run(root: Path, entries: list[str]) -> None:
    command = [Path(sys.executable).with_name("helm-run"), "--suite", SOURCE_SUITE, "-m", "100000", "-n", "4"]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    subprocess.run([*command, "--run-entries", *entries], cwd=root, env=environment, check=True, capture_output=True)


def _multiply(folder: Path, number: int, size: Size) -> int:
    from helm_impactbench.results.publish import FILES, helm_figures, json_text, publish

    spec, scenario, raw = (
        json.loads(_renamed((folder / name).read_text(encoding="utf-8"), number))
        for name in ("run_spec.json", "scenario.json", "scenario_state.json")
    )
    rate = 0.45 + 0.5 * number / size.models
    for state in raw["request_states"]:
        _rewrite(state, random.Random(f"{number}/{state['instance']['id']}"), rate, size)
    contents = (spec, scenario, raw, *helm_figures(raw, spec))
    target = folder.parent.parent / SUITE / _renamed(folder.name, number)
    target.parent.mkdir(exist_ok=True)
    publish(target, {name: json_text(value) for name, value in zip(FILES, contents, strict=True)})
    return len(raw["request_states"])


def _renamed(text: str, number: int) -> str:
    name = model_name(number)
    for old, new in ((SOURCE_MODEL, name), (SOURCE_MODEL.replace("/", "_"), name.replace("/", "_"))):
        text = text.replace(old, new)
    return text.replace("scripted mixed", name.split("/")[1])


def _rewrite(state: dict[str, Any], rng: random.Random, rate: float, size: Size) -> None:
    from helm_impactbench.conversation.plan import ConversationCase
    from helm_impactbench.conversation.record import Conversation, readable_thoughts, readable_transcript
    from helm_impactbench.helm.judge_annotator import ImpactBenchAnnotator, annotation
    from helm_impactbench.helm.state import CASE_KEY, RECORD_KEY
    from helm_impactbench.judging.panel import decide

    case = ConversationCase.model_validate(state["instance"]["extra_data"][CASE_KEY])
    completion = state["result"]["completions"][0]
    record = completion["finish_reason"][RECORD_KEY]
    for turn in record["turns"]:
        turn["assistant"] += " " + " ".join(rng.choices(TALK.split(), k=size.reply_words)) + "."
    record["opening_usage"] = _usage(random.Random(state["instance"]["id"]), 1, 700)  # the same for all targets
    rest = _usage(rng, 5, 4_300)
    record["user_usage"] = {name: rest[name] + used for name, used in record["opening_usage"].items()}
    record["target_usage"] = _usage(rng, 6, 5_400)
    conversation = Conversation.model_validate(record)
    judgement = decide(case.metric, tuple(_opinions(case.metric.type, rng, rate, record["turns"][0])))
    completion["text"] = readable_transcript(conversation)
    completion["thinking"] = {"text": readable_thoughts(conversation)}
    state["annotations"][ImpactBenchAnnotator.name] = annotation(judgement, case, conversation)


def _opinions(kind: str, rng: random.Random, rate: float, turn: dict[str, Any]) -> Iterator[Any]:
    from helm_impactbench.judging.evidence import CheckedQuote
    from helm_impactbench.judging.judge import NoVote, Opinion

    if rng.random() < UNSCORED_SHARE:
        yield Opinion(judge=JUDGE, no_vote=NoVote.ERROR, problem="the provider gave no answer")
        return
    present = (rng.random() < rate) == (kind == "positive")
    quote = turn["assistant"][:80]
    evidence = (CheckedQuote(turn=turn["number"], quote=quote, found_turn=turn["number"]),) if present else ()
    yield Opinion(
        judge=JUDGE,
        present=present,
        justification=" ".join(rng.choices(TALK.split(), k=60)) + ".",
        evidence=evidence,
        grounded=True if present else None,
        usage=_usage(rng, 1, 1_900),
    )


def _usage(rng: random.Random, calls: int, prompt_tokens: int) -> dict[str, Any]:
    tokens = round(prompt_tokens * rng.uniform(0.8, 1.2))
    return {
        "calls": calls,
        "prompt_tokens": tokens,
        "completion_tokens": 130 * calls,
        "cost_usd": round(tokens * 1e-6 + 130 * calls * 4e-6, 8),
    }


def main() -> None:
    """Write the suite that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="Working directory of the suite.")
    parser.add_argument("--models", type=int, default=Size.models)
    parser.add_argument("--conversations", type=int, default=Size.conversations, help="At least.")
    parser.add_argument("--benchmarks", type=int, help="The first so many; all without it.")
    given = parser.parse_args()
    size = Size(models=given.models, conversations=given.conversations, benchmarks=given.benchmarks)
    print(f"{make(given.root, size):,} conversations in {given.root / 'benchmark_output/runs' / SUITE}")


if __name__ == "__main__":
    main()
