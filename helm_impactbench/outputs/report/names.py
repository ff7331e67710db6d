"""Where every page of the report is: file names that are safe on every system, and stable addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from helm_impactbench.results.outcome import Outcome

LONGEST = 100
"""Characters of a name that is kept as it is."""
CONVERSATION = "conversation.html"
"""The page that every conversation is read on."""
COMPARE = "compare.html"
"""The page with two answers to the same case."""
_NUMBERED = re.compile(r"s0*(\d+)")
_PLAIN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that Windows keeps for itself."""


def file_name(name: str) -> str:
    """Return a file name for a model, a benchmark or an id: the same on every machine, different for different names.

    A name of plain parts is kept, its slashes as "~": openai/gpt-4o is openai~gpt-4o. Any other (capital letters, which
    some file systems do not distinguish; odd characters; names with a meaning of their own) carries its hash.
    """
    if len(name) <= LONGEST and all(map(_is_plain, name.split("/"))) and name != "index":
        return name.replace("/", "~")
    readable = re.sub(r"[^a-z0-9._-]+", "-", name.lower())[:60].strip(".-")
    return f"{readable or 'x'}-{_digest(name)}"


def conversation_id(outcome: Outcome) -> str:
    """Return the id of a conversation within its run, which is HELM's instance id."""
    return outcome.conversation


def case_name(outcome: Outcome) -> str:
    """Return the name of a case for people: Case 3 for m01_s003_v02, or the words of its id that are its own."""
    own = outcome.base_id.removeprefix(f"{outcome.metric_id}_")
    numbered = _NUMBERED.fullmatch(own)
    shown = numbered[1] if numbered else own.replace("_", " ")
    return f"Case {shown}" + (f", repeat {outcome.sample + 1}" if outcome.sample else "")


def setup_digest(setup: str) -> str:
    """Return the short hash that distinguishes set-ups of one benchmark and model."""
    return _digest(setup)


def side(model: str, setup: str | None) -> str:
    """Return what the page with two answers calls the answers of a run; `setup` as of conversation_address."""
    return f"{model}@{setup_digest(setup)}" if setup else model


def setups_apart(setups: Iterable[str]) -> dict[str, str]:
    """Return, of each set-up of one benchmark, the options that not all of them have: `user=org/x, judge=org/y`."""
    options = {setup: setup.partition(":")[2].split(",") for setup in setups}
    common = set.intersection(*map(set, options.values())) if options else set()
    return {setup: ", ".join(one for one in own if one not in common) for setup, own in options.items()}


def benchmark_address(slug: str) -> str:
    """Return the address of a benchmark's page, from the report's folder, as all addresses here."""
    return f"benchmarks/{file_name(slug)}.html"


def model_address(model: str) -> str:
    """Return the address of a model's page."""
    return f"models/{file_name(model)}.html"


def label_address(model: str) -> str:
    """Return the address of the page with a model's label."""
    return f"labels/{file_name(model)}.html"


def metric_address(slug: str, metric_id: str) -> str:
    """Return the address of a metric's page."""
    return f"metrics/{file_name(slug)}/{file_name(metric_id)}.html"


def cases_address(slug: str) -> str:
    """Return the address of the page with a benchmark's cases, each with all models that met it."""
    return f"cases/{file_name(slug)}.html"


def metric_cases_address(slug: str, metric_id: str) -> str:
    """Return the address of the page with the cases of one metric, of benchmarks with many."""
    return f"cases/{file_name(slug)}/{file_name(metric_id)}.html"


def list_address(slug: str, model: str) -> str:
    """Return the address of the list of a model's conversations in a benchmark."""
    return f"conversations/{file_name(slug)}/{file_name(model)}/index.html"


def run_address(slug: str, model: str, setup: str | None = None) -> str:
    """Return what the addresses of a run's conversations have in common; `setup` as of conversation_address."""
    return f"{CONVERSATION}?of={_run(slug, model, setup)}/"


def conversation_address(slug: str, model: str, name: str, setup: str | None = None) -> str:
    """Return the address of a conversation; `setup` is given where a suite has several for a benchmark."""
    return run_address(slug, model, setup) + file_name(name)


def words_address(slug: str, model: str, setup: str | None = None) -> str:
    """Return the address of the script with a run's conversations; `setup` as of conversation_address."""
    return f"conversations/{_run(slug, model, setup)}.js"


def text_address(slug: str) -> str:
    """Return the address of a benchmark's conversations as text, a file per run in one archive."""
    return f"conversations/{file_name(slug)}.zip"


def root_of(address: str) -> str:
    """Return the way from a page back to the report's folder: "", "../", "../../" and so on."""
    return "../" * address.count("/")


def _run(slug: str, model: str, setup: str | None) -> str:
    return "/".join([file_name(slug), file_name(model), *([setup_digest(setup)] if setup else [])])


def _is_plain(part: str) -> bool:
    return bool(_PLAIN.fullmatch(part)) and not _DEVICES.fullmatch(part)


def _digest(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
