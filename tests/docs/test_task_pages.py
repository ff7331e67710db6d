"""The pages of a task are short, in short sentences, and all in the same shape."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, Page

TASKS = ("first-run", "paper", "gate", "helm", "write-a-benchmark", "judge")
SHAPE = ["What you get", "Five commands", "What the screen shows", "Three mistakes", "Where next"]
MOST_WORDS = 800
LONGEST_MEAN = 17
task = pytest.mark.parametrize("page", [Page(ROOT / f"docs/{name}.md") for name in TASKS], ids=lambda page: page.name)


@task
def test_a_task_has_five_parts(page: Page) -> None:
    """The same headings in the same order, and three mistakes under theirs."""
    assert re.findall(r"^## (.+)$", page.text, re.MULTILINE) == SHAPE
    (mistakes,) = re.findall(r"^## Three mistakes\n\n([\s\S]*?)\n\n## ", page.text, re.MULTILINE)
    assert len(re.findall(r"^\| ", mistakes, re.MULTILINE)) == 1 + 3


@task
def test_a_task_takes_five_commands(page: Page) -> None:
    """In the part that is called so; test_snippets.py carries them out."""
    (part,) = re.findall(r"^## Five commands\n([\s\S]*?)^## ", page.text, re.MULTILINE)
    code = "\n".join(re.findall(r"^```sh\n([\s\S]*?)^```$", part, re.MULTILINE))
    assert len(re.findall(r"^(?:impactbench|helm-run) ", code, re.MULTILINE)) == 5


@task
def test_a_task_is_read_in_a_few_minutes(page: Page) -> None:
    """No more than 800 words, code and tables included, as wc counts them."""
    assert len(page.text.split()) <= MOST_WORDS


@task
def test_sentences_of_a_task_are_short(page: Page) -> None:
    """The mean sentence of its paragraphs and lists has fewer than 17 words; headings and tables are not counted."""
    lengths = [len(sentence.split()) for sentence in sentences(page)]
    assert len(lengths) > 10
    assert sum(lengths) / len(lengths) < LONGEST_MEAN


def sentences(page: Page) -> list[str]:
    """Return the sentences of paragraphs and of items of lists."""
    prose = re.sub(r"^```[\s\S]*?^```$|^(?:#|\||!\[|<!--).*$", "", page.text, flags=re.MULTILINE)
    blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. )", re.sub(r"\]\([^)]*\)", "", prose))
    return [one for block in blocks if block.strip() for one in re.split(r"(?<=[.!?])\s+(?=[A-Z`\[])", block.strip())]


def test_the_site_begins_with_the_tasks() -> None:
    """They are the first group of the navigation, and README leads to each."""
    (group,) = re.findall(r"^  - Do:\n((?:      - .+\n)+)", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    readme = (ROOT / "README.md").read_text()
    for name in TASKS:
        assert f"- {name}.md" in group
        assert f"(docs/{name}.md" in readme
