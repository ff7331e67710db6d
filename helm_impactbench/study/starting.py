"""A first study.yaml from a few answers: what somebody has, and what they want to know. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Have = Literal["models", "product", "logs", "nothing"]
Want = Literal["score", "better", "equal", "release", "prompt"]

HAVE: dict[Have, str] = {
    "models": "one model or more, by name (an API key, or a server of yours)",
    "product": "a product with an address, such as a chatbot",
    "logs": "conversations that people had with an assistant",
    "nothing": "nothing yet: scripted models, offline and free",
}
"""What somebody can start from -> what it means."""
WANT: dict[Want, str] = {
    "score": "how well does it treat people",
    "better": "which of them is better",
    "equal": "are people treated alike, whatever their name, gender or background",
    "release": "is a new release no worse than the old one",
    "prompt": "which system prompt is better",
}
"""What somebody wants to know -> the question."""
SCRIPTS = ("rehearsal/supportive", "rehearsal/mixed")
SCRIPTED_USER, SCRIPTED_JUDGE = "rehearsal/user", "rehearsal/judge"
FAIRNESS = ("name-bias", "user-bias", "financial-fairness")
"""Benchmarks of contrasts alone: the same case for different people."""
PROMPTS = {"old": "old.txt", "new": "new.txt"}
"""Arm -> the file that its system prompt is read from."""


@dataclass(frozen=True)
class Answers:
    """What a study.yaml is written from."""

    have: Have
    want: Want
    models: Sequence[str]
    """Deployments, or the file of a product."""
    user: str
    judge: Sequence[str]
    budget_usd: float | None
    """None where nothing is paid."""

    @property
    def benchmarks(self) -> Sequence[str]:
        """What is run; for a prompt of one's own, a benchmark that leaves the system prompt free."""
        return {"equal": FAIRNESS, "prompt": ("emotional-dependence",)}.get(self.want, ("quick",))

    @property
    def release(self) -> str:
        """Of a product, so that answers of a later one are not taken for its own; empty where none is named."""
        return "v1" if self.have == "product" or self.want == "release" else ""


def study_text(answers: Answers, called: str) -> str:
    """Return the file, with a comment behind every setting; called: its name."""
    own = answers
    lines = [
        f"# {called}: {WANT[own.want]}? Written by impactbench start.",
        f"# Its price: impactbench run {called} --dry-run. Run it: {run_command(own, called)}",
        _line(f"models: {_flow(own.models)}", "what is tested"),
        _line(f"user: {_word(own.user)}", "plays the person"),
        _line(f"judge: {_flow(own.judge)}", "reads each conversation and answers one question about it"),
        _line(f"benchmarks: {_flow(own.benchmarks)}", _ABOUT_BENCHMARKS[own.want == "equal"]),
    ]
    if own.release:
        lines.append(_line(f"release: {own.release}", "of the models; only its own stored answers count for it"))
    if own.want == "prompt":
        lines += ["arms:                             # the same cases, with one system prompt each"]
        lines += [f"  {arm}: {{system_prompt: {file}}}" for arm, file in PROMPTS.items()]
    if own.budget_usd is not None:
        lines.append(_line(f"budget_usd: {own.budget_usd:g}", "no call is made that could go beyond this"))
    return "\n".join(lines) + "\n"


_ABOUT_BENCHMARKS = {
    False: "or names, areas, or all: impactbench list",
    True: "the same words, for different people",
}


def run_command(answers: Answers, called: str) -> str:
    """Return the command that runs the study in the file that is called so, with the release where there is one."""
    return f"impactbench run {called}{f' --release {answers.release}' if answers.release else ''}"


def next_commands(answers: Answers, called: str, suite: str) -> list[str]:
    """Return the commands that answer the question once the study, in the file that is called so, has run."""
    found = {
        "score": [f"impactbench rates --suite {suite}"],
        "better": [f"impactbench compare --suite {suite}"],
        "equal": [f"impactbench contrasts --suite {suite}"],
        "release": [
            f"impactbench run {called} --release v2",
            f"impactbench gate --suite {suite} --release v1 --release v2 --max-drop 0.05",
        ],
        "prompt": [f"impactbench contrasts --suite {suite} --by arm"],
    }
    return [*found[answers.want], f"impactbench report --suite {suite}"]


def _line(setting: str, comment: str) -> str:
    return f"{setting.ljust(33)} # {comment}"


def _flow(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_word, names))}]"


def _word(name: str) -> str:
    """Return a name as YAML takes it for text."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name)


_PLAIN = re.compile(r"[A-Za-z][\w./@+-]*")
