"""A suite as large as you like, in the very files that helm-run writes, and without its calls.

One real helm-run with a scripted target takes one base scenario per metric of every shipped benchmark: the made-up
runs have its run specs. Their cases are the benchmarks' own, and copies of them under other ids where there are too
few. Replies are as long as a chat model's; verdicts have a rate per model and a difficulty per base scenario. HELM's
statistics are computed by the HELM metric for the first model of each benchmark, and the others have the same files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

if TYPE_CHECKING:
    from helm_impactbench.benchmark.metric import Metric
    from helm_impactbench.benchmark.model import Benchmark
    from helm_impactbench.benchmark.scenario import Scenario
    from helm_impactbench.conversation.plan import ConversationCase
    from helm_impactbench.conversation.record import Conversation
    from helm_impactbench.judging.verdict import Verdict
    from helm_impactbench.llm.usage import Usage

SOURCE_SUITE = "source"
SUITE = "big"
SOURCE_MODEL = "rehearsal/mixed"
USER = "rehearsal/user"
JUDGES = ("rehearsal/judge", "rehearsal/strict-judge", "rehearsal/lenient-judge")
DISSENT_SHARE = 0.1
"""Of the votes of every judge but the first: drawn anew, and so often another answer."""
UNSCORED_SHARE = 0.01
PAY = 60_000
TALK = "so let us look at this step by step and see what would help you most before we decide on anything"


@dataclass(frozen=True)
class Size:
    """How large the suite is to be."""

    models: int = 4
    conversations: int = 30_000
    """At least; benchmarks get a second sample one after the other until there are as many."""
    reply_words: int = 150
    """Of a target's reply: about 220 tokens."""
    benchmarks: int | None = None
    """The first so many; all when None."""
    base_scenarios: int | None = None
    """At least so many per model, with one conversation each, or one at each of two levels where levels are compared.
    Takes the place of `conversations`. As many as the benchmarks have, with all variants, when None."""
    judges: int = 1
    """Of the panel: up to three."""


@dataclass(frozen=True)
class Part:
    """What every model meets of one benchmark."""

    benchmark: Benchmark
    digest: str
    scenarios: list[Scenario]
    samples: int
    source: Path
    """The run whose specs it has."""


def make(root: Path, size: Size) -> int:
    """Write the suite `big` under `root`/benchmark_output and return the number of its conversations.

    Does nothing but count when a suite of the same size is there already.
    """
    done = root / f"{SUITE}.json"
    if done.is_file() and (there := json.loads(done.read_text()))["size"] == vars(size):
        return int(there["conversations"])
    root.mkdir(parents=True, exist_ok=True)
    parts = _parts(root, size)
    conversations = sum(_write(part, number, size) for part in parts for number in range(1, size.models + 1))
    done.write_text(json.dumps({"size": vars(size), "conversations": conversations}))
    return conversations


def model_name(number: int) -> str:
    """Return the name of a made-up model."""
    return f"made-up/model-{number:02d}"


def _parts(root: Path, size: Size) -> list[Part]:
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark

    slugs = list(benchmark_paths())[: size.benchmarks]
    benchmarks = [load_benchmark(benchmark_paths()[slug]) for slug in slugs]
    sources = _source_runs(root, slugs, JUDGES[: size.judges])
    if size.base_scenarios:
        chosen = _with_copies([_thinned(one) for one in benchmarks], size.base_scenarios)
        samples = [1] * len(benchmarks)
    else:
        chosen = [list(one.scenarios) for one in benchmarks]
        samples = _samples([len(own) for own in chosen], size)
    return [
        Part(one, one.digest(), scenarios, times, sources[one.slug])
        for one, scenarios, times in zip(benchmarks, chosen, samples, strict=True)
    ]


def _samples(counts: list[int], size: Size) -> list[int]:
    missing = size.conversations - size.models * sum(counts)
    found = []
    for count in counts:
        found.append(2 if missing > 0 else 1)
        missing -= size.models * count
    return found


def _thinned(benchmark: Benchmark) -> list[Scenario]:
    """Return one variant of every base scenario, in turn; of contrasts the first two levels, or parties."""
    by_base: dict[str, list[Scenario]] = {}
    for scenario in benchmark.scenarios:
        by_base.setdefault(scenario.base_id, []).append(scenario)
    compared = any(metric.type == "contrast" for metric in benchmark.metrics)
    return [
        scenario
        for place, own in enumerate(by_base.values())
        for scenario in (own[:2] if compared else [own[place % len(own)]])
    ]


def _with_copies(parts: list[list[Scenario]], wanted: int) -> list[list[Scenario]]:
    """Return the scenarios with copies of base scenarios under new ids, until there are as many as wanted."""
    own = [list(part) for part in parts]
    missing = wanted - sum(len({scenario.base_id for scenario in part}) for part in parts)
    copy = 1
    while missing > 0:
        for found, part in zip(own, parts, strict=True):
            for base in list(dict.fromkeys(scenario.base_id for scenario in part))[: max(0, missing)]:
                found += [_copied(scenario, copy) for scenario in part if scenario.base_id == base]
                missing -= 1
        copy += 1
    return own


def _copied(scenario: Scenario, copy: int) -> Scenario:
    base = f"{scenario.base_id}_c{copy}"
    return scenario.model_copy(update={"id": f"{base}_{scenario.id.rsplit('_', 1)[-1]}", "base": base})


def _source_runs(root: Path, slugs: list[str], judges: tuple[str, ...]) -> dict[str, Path]:
    entries = [
        f"impactbench:benchmark={slug},pilot=1,user={USER},judge={'+'.join(judges)},model={SOURCE_MODEL}"
        for slug in slugs
    ]  # fmt: skip
    command = [Path(sys.executable).with_name("helm-run"), "--suite", SOURCE_SUITE, "-m", "100000", "-n", "4"]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    subprocess.run([*command, "--run-entries", *entries], cwd=root, env=environment, check=True, capture_output=True)
    runs = root / "benchmark_output/runs" / SOURCE_SUITE
    return {slug: next(runs.glob(f"impactbench:benchmark={slug},*")) for slug in slugs}


def _write(part: Part, number: int, size: Size) -> int:
    from helm_impactbench.conversation.plan import plan_case
    from helm_impactbench.conversation.run_options import RunOptions
    from helm_impactbench.helm.figures import helm_figures
    from helm_impactbench.results.files import PER_INSTANCE_FILE, SCENARIO_FILE, SPEC_FILE, STATE_FILE, STATS_FILE
    from helm_impactbench.results.publish import publish, state_of
    from helm_impactbench.results.record import Record

    spec, scenario = (
        json.loads(_renamed((part.source / name).read_text(encoding="utf-8"), number))
        for name in ("run_spec.json", "scenario.json")
    )
    able = 0.45 + 0.5 * number / size.models
    records = []
    for sample in range(part.samples):
        for each in part.scenarios:
            case = plan_case(part.benchmark, part.digest, each, sample, RunOptions(user=USER))
            rng = random.Random(f"{number}/{part.benchmark.slug}/{case.id}")
            conversation = _conversation(case, rng, size)
            hard = random.Random(f"{part.benchmark.slug}/{each.base_id}").gauss(0, 0.25)
            rate = min(0.98, max(0.02, able - hard))
            records.append(Record(case, conversation, _verdict(case.metric, rng, rate, conversation, size)))
    suite = part.source.parent.parent / SUITE
    suite.mkdir(exist_ok=True)
    first, own = (suite / _renamed(part.source.name, which) for which in (1, number))
    state = state_of(records, spec, "impactbench/")
    if number == 1:
        publish(own, spec, scenario, state, helm_figures)
        return len(records)
    own.mkdir(exist_ok=True)
    for name in (STATS_FILE, PER_INSTANCE_FILE):
        shutil.copyfile(first / name, own / name)
    for name, content in ((SPEC_FILE, spec), (SCENARIO_FILE, scenario), (STATE_FILE, state)):
        (own / name).write_bytes(to_json(content, indent=2))  # in a tenth of the time of json.dumps
    return len(records)


def _renamed(text: str, number: int) -> str:
    name = model_name(number)
    for old, new in ((SOURCE_MODEL, name), (SOURCE_MODEL.replace("/", "_"), name.replace("/", "_"))):
        text = text.replace(old, new)
    return text.replace("scripted mixed", name.split("/")[1]).replace("pilot=1,", "")


def _conversation(case: ConversationCase, rng: random.Random, size: Size) -> Conversation:
    from helm_impactbench.conversation.record import Conversation, Status, Turn

    first = random.Random(case.id)  # the opening message and its cost are the same for all targets
    turns = tuple(
        Turn(
            number=turn,
            user=" ".join((first if turn == 1 else rng).choices(TALK.split(), k=25)) + "?",
            thought="I want to know more.",
            assistant=" ".join(rng.choices(TALK.split(), k=size.reply_words)) + ".",
        )
        for turn in range(1, case.plan.turns + 1)
    )
    opening = _usage(first, 1, 700)
    return Conversation(
        status=Status.COMPLETE,
        turns=turns,
        opening_usage=opening,
        user_usage=opening + _usage(rng, 5, 4_300),
        target_usage=_usage(rng, 6, 5_400),
    )


def _verdict(metric: Metric, rng: random.Random, rate: float, conversation: Conversation, size: Size) -> Verdict:
    from helm_impactbench.judging.panel import decide
    from helm_impactbench.judging.verdict import NoVote, Vote

    judges = JUDGES[: size.judges]
    if rng.random() < UNSCORED_SHARE:
        silent = {"status": "no_vote", "no_vote": NoVote.ERROR, "problem": "the provider gave no answer"}
        return decide(metric, tuple(Vote(judge=judge, **silent) for judge in judges))
    value = _value(metric, rng, rate)
    votes = [_vote(judges[0], metric, rng, value, conversation)]
    for judge in judges[1:]:
        own = _value(metric, rng, rate) if rng.random() < DISSENT_SHARE else value
        votes.append(_vote(judge, metric, rng, own, conversation))
    return decide(metric, tuple(votes))


def _vote(judge: str, metric: Metric, rng: random.Random, value: float, conversation: Conversation) -> Any:
    from helm_impactbench.judging.evidence import CheckedQuote
    from helm_impactbench.judging.verdict import Vote

    said = conversation.turns[0].assistant or ""
    evidence = (CheckedQuote(turn=1, quote=said[:80], found_turn=1),) if value else ()
    return Vote(
        judge=judge,
        value=value,
        answer=metric.measure.shown(value),
        justification=" ".join(rng.choices(TALK.split(), k=60)) + ".",
        evidence=evidence,
        grounded=True if evidence else None,
        usage=_usage(rng, 1, 1_900),
    )


def _value(metric: Metric, rng: random.Random, rate: float) -> float:
    """Return a measure's value; the farther the rate is from 1, the more it varies."""
    if metric.type != "contrast":
        return float((rng.random() < rate) == (metric.type == "positive"))
    if metric.measure.bounds is None:
        return round(rng.gauss(PAY, PAY * 0.2 * (1 - rate)))
    low, high = metric.measure.bounds
    return (low + high) / 2 if rng.random() < rate else rng.choice((low, high))


def _usage(rng: random.Random, calls: int, prompt_tokens: int) -> Usage:
    from helm_impactbench.llm.usage import Usage

    tokens = round(prompt_tokens * rng.uniform(0.8, 1.2))
    return Usage(
        calls=calls,
        prompt_tokens=tokens,
        completion_tokens=130 * calls,
        cost_usd=round(tokens * 1e-6 + 130 * calls * 4e-6, 8),
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a suite's size."""
    parser.add_argument("--root", type=Path, required=True, help="Working directory of the suite; kept.")
    parser.add_argument("--models", type=int, default=Size.models)
    parser.add_argument("--conversations", type=int, default=Size.conversations, help="At least.")
    parser.add_argument("--benchmarks", type=int, help="The first so many; all without it.")
    parser.add_argument("--base-scenarios", type=int, help="At least so many per model, thinly; no --conversations.")
    parser.add_argument("--judges", type=int, choices=(1, 2, 3), default=Size.judges, help="Of every conversation.")


def size_of(given: argparse.Namespace) -> Size:
    """Return the size that the options ask for."""
    return Size(
        models=given.models,
        conversations=given.conversations,
        benchmarks=given.benchmarks,
        base_scenarios=given.base_scenarios,
        judges=given.judges,
    )


def main() -> None:
    """Write the suite that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    arguments(parser)
    given = parser.parse_args()
    print(f"{make(given.root, size_of(given)):,} conversations in {given.root / 'benchmark_output/runs' / SUITE}")


if __name__ == "__main__":
    main()
