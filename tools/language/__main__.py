"""Check the English of pages, help texts, messages, prompts and reports: `python -m tools.language`.

Spelling is codespell's; words to avoid are in words.yaml; no sentence is longer than 35 words, or 19 in a help text.
exceptions.yaml holds what is accepted, with the reason. Exit code 1 when something is found.
"""

from __future__ import annotations

import subprocess
import sys

from helm_impactbench.cli import main as impactbench
from tools.language.rules import Exceptions, Finding, long_sentences, odd_words, read_exceptions
from tools.language.texts import ROOT, help_texts, messages, pages, prompts, report_texts

SPELLED = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs",
    "prompts",
    "helm_impactbench",
    "tools",
)


SKIPPED = "*.png,*.pyc,*/rehearsal/dialogues/*.json"
"""Dialogues have the spelling of the people in them."""


def misspelt(accepted: Exceptions) -> list[str]:
    """Return codespell's lines on the pages, the prompts and the code."""
    ignored = ",".join(accepted.words)
    done = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", "codespell_lib", "--ignore-words-list", ignored, "--skip", SKIPPED, *SPELLED],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [*done.stdout.splitlines(), *(done.stderr.splitlines() if done.returncode > 64 else [])]


def findings(accepted: Exceptions) -> list[Finding]:
    """Return what the rules find."""
    shown = [*help_texts(impactbench)]
    passages = [*pages(), *prompts(), *messages(), *report_texts()]
    long = [*long_sentences(passages, accepted), *long_sentences(shown, accepted, of_help=True)]
    return [*dict.fromkeys([*odd_words([*passages, *shown], accepted), *long])]


def main() -> int:
    """Print what is found, and return the exit code."""
    accepted = read_exceptions()
    spelling, found = misspelt(accepted), findings(accepted)
    for line in spelling:
        print(line)
    for one in found:
        print(f"{one.place}: {one.text!r}: {one.advice}")
    count = len(spelling) + len(found)
    print(f"Language: {count} findings" if count else "Language: no findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
