"""Every error that a user of helm_impactbench can cause and correct; others never leave the room they arise in.

    ImpactBenchError                  base; its text says what was got, what is allowed, what to do
    |-- BenchmarkError                a benchmark file is missing or faulty (carries the faults)
    |-- PromptError                   a prompt template is missing, or its holes do not fit
    |-- RunEntryError                 an option of the run entry is unknown or out of range
    |-- ResultsError                  the files of a suite are missing, unfinished or contradict themselves
    |-- ExchangeError                 foreign files cannot be read, or an export not written
    |-- SettingError                  an environment variable has a value that is not allowed
    |-- StorageError                  a file or folder cannot be written (in files.atomic_write)
    |-- IntakeError                   a file cannot be taken in; who reads it names the file (in files.safe_read)
    |   `-- DuplicateKeyError         a JSON object holds a key twice (in files.safe_read)
    |-- AnnotationError               a sheet or its labels cannot be used (in validity.annotation.errors)
    |-- HumanReferenceError           conversations of people cannot be read (in validity.simulator.human_reference)
    |-- FetchError                    data of a suite cannot be fetched, or have changed (in helm.datasets.errors)
    |-- MissingDataError              data of a suite are not here (in helm.datasets.errors)
    |-- HelmRunError                  a helm-run that we started stopped; its messages and exit code
    |-- WorkerEndedError              a worker process ended before its work did (in helm.runner.processes)
    |-- BatchError                    a provider's batch cannot be sent or fetched
    |   `-- GoneError                 the provider no longer has a batch or its answers (in llm.batch.provider)
    `-- ModelError                    a model deployment cannot be used at all
        |-- UnknownDeploymentError    no such deployment or provider
        |-- MissingKeyError           the key of a provider is nowhere to be found
        |   `-- UnsetKeyError         the variable that a deployment names is not set (in helm.preflight)
        |-- TargetLostError           one of several models under test cannot be called any more
        |-- StoppedError              the run was stopped elsewhere: by another thread's error, or by Ctrl-C
        `-- FatalCallError            the provider refused for a reason that repeating cannot change
            `-- BudgetError           the next call could pass the budget (in llm.limits.budget)

A failed *measurement* (an empty conversation, an unparsable judge) is not an error: it is a value with a reason
(`conversation.record.Status`, `judging.answer.Unreadable`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class ImpactBenchError(Exception):
    """Base of all errors that a user of the package can cause and correct."""

    def __str__(self) -> str:
        """Return the text, fit for a terminal, whatever the quoted file or reply contained."""
        return printable(super().__str__())


class BenchmarkError(ImpactBenchError):
    """A benchmark cannot be loaded."""


class PromptError(ImpactBenchError):
    """A prompt template is missing or does not fit the values given for it."""


class RunEntryError(ImpactBenchError):
    """An option of the run entry is unknown or has a value that is not allowed."""


class ResultsError(ImpactBenchError):
    """The results of a suite cannot be read or trusted."""


class HelmRunError(ImpactBenchError):
    """A helm-run that we started has stopped. What was finished is kept."""

    def __init__(self, ending: str, exit_code: int, messages: Sequence[str] = ()) -> None:
        """`ending`: how it ended and what to do; `messages`: what it said, or the end of its log."""
        super().__init__("\n".join((*messages, ending)))
        self.ending, self.exit_code = ending, exit_code


class ExchangeError(ImpactBenchError):
    """Files for another tool cannot be written, or files of another tool cannot be read."""


class SettingError(ImpactBenchError):
    """An environment variable has a value that is not allowed."""


class BatchError(ImpactBenchError):
    """A provider's batches cannot be used; its text says why, and what is done already."""


class ModelError(ImpactBenchError):
    """A model deployment cannot be used."""


class UnknownDeploymentError(ModelError):
    """No deployment of that name is registered, and none can be generated from it."""


class MissingKeyError(ModelError):
    """The provider of a deployment needs a key that was not found."""


class FatalCallError(ModelError):
    """A provider refused a call for a reason that holds for every further call."""

    def __init__(self, text: str, about: str = "", *, complete: bool = False) -> None:
        """`about` is what has to be mended: key, credit, budget, model, address, down or storage
        (llm.remedies knows how); `complete` whether the text says whom it concerns and what to do."""
        super().__init__(text)
        self.about, self.complete = about, complete


class StoppedError(ModelError):
    """No new call begins, because the run was stopped elsewhere; who stopped it has said why."""


class TargetLostError(ModelError):
    """One of several models under test cannot be called any more; the runs of the others go on."""


def printable(text: str) -> str:
    """Return `text` with escapes in the place of control characters, invisible ones and halves of surrogate pairs."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def dollars(amount: float) -> str:
    """Return US dollars with cents, and with as many digits as a smaller amount needs to be told from nothing."""
    cents = round(amount, 2)
    if not amount or amount >= 1 or cents == amount:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.0001 else f"${amount:.1g}"


def did_you_mean(got: str, allowed: Iterable[str], most: int = 2) -> str:
    """Return " Did you mean ...?" for the names in `allowed` that are nearest to `got`, or an empty string.

    What has no slash is also compared with the last part of names, as tables print models.
    """
    names = {name: name for name in allowed}
    whole = {name.rpartition("/")[2]: name for name in names if "/" not in got} | names
    found = difflib.get_close_matches(got, list(whole), n=most, cutoff=0.6)
    near = list(dict.fromkeys(whole[name] for name in found))
    return f" Did you mean {' or '.join(near)}?" if near else ""


def the_one_meant(got: str, allowed: Iterable[str]) -> str | None:
    """Return the name in `allowed` that `got` is, or that alone begins with it, capitals aside; None without one."""
    names = list(dict.fromkeys(allowed))
    if got in names:
        return got
    begun = [name for name in names if got and name.lower().startswith(got.lower())]
    return begun[0] if len(begun) == 1 else None


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun: `1 pair`, `1,000 pairs`; `several` where the plural takes more than an s."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return names as they are read aloud: "a", "a and b", "a, b and c"; beyond `most` of them "and 3 more"."""
    more = 0 if most is None else max(0, len(names) - most)
    shown = [*names[: len(names) - more], *([f"{more:,} more"] if more else [])]
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
