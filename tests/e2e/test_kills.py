"""helm-run killed at any moment goes on with the same command: the files of an undisturbed run, no kept call again.

A call is finished when its whole answer was sent and the client had `killing.GRACE` seconds to keep it. Stricter, and
without a clock: what is in the cache after a kill is never asked for again, and after a Ctrl-C that is every call.

Under a budget, nothing has to spare: the server charges for every call that it gets, answered or cut off, what was
reserved for it. It is raised now and then, as a user would.

`make test-kills` (IMPACTBENCH_KILLS=20) makes 20 kills per runner in place of a few.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.killing import (
    BUDGET_STEP,
    GRACE,
    PARALLEL,
    Kill,
    MarkingServer,
    Setting,
    differences,
    killed,
    moments,
    results,
)

KILLS = int(os.environ.get("IMPACTBENCH_KILLS", "2"))
TARGETS = tuple(f"target-{i:02d}" for i in range(max(3, KILLS * 2 // 5)))
CALLS = 4 * len(TARGETS) * 5 - 4 * (len(TARGETS) - 1)
"""Two turns and a verdict for each of four conversations per target; the opening messages are shared."""
ORPHAN_SECONDS = 10.0
ROUNDING = 1e-6
"""US dollars; the log keeps ten digits of each call."""
RUNNERS = {
    "helm": ((), {}),
    "two-workers": (PARALLEL, {"IMPACTBENCH_WORKERS": "2"}),
}


@pytest.fixture
def marking() -> Iterator[MarkingServer]:
    """A server that marks its answers."""
    server = MarkingServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The folder of an undisturbed run, and the seconds from its start to its first call."""
    server = MarkingServer()
    setting = Setting(tmp_path_factory.mktemp("calm"), server, TARGETS, budget=100.0)
    began = time.monotonic()
    setting.finish()
    server.close()
    assert len(server.calls) == CALLS
    assert server.repeated == 0
    return setting.folder, server.times[0] - began


@pytest.mark.parametrize("runner", RUNNERS)
def test_killed_at_random_moments_it_ends_with_the_same_files(
    runner: str, calm: tuple[Path, float], tmp_path: Path, marking: MarkingServer
) -> None:
    """SIGKILL and Ctrl-C by turns, in start, conversation, judge and writing: nothing kept is asked for again, the
    budget holds, and no process is left.
    """
    extra, environment = RUNNERS[runner]
    setting = Setting(tmp_path, marking, TARGETS, extra, environment, budget=BUDGET_STEP)
    kills = [kill for moment in moments(7, KILLS) if (kill := killed(setting, marking, moment, calm[1]))]
    setting.finish()
    print(_report(runner, kills, marking, setting))
    assert len(kills) >= 0.8 * KILLS
    assert differences(results(tmp_path), results(calm[0])) == []
    assert len({call.digest for call in marking.calls}) == CALLS
    for kill in kills:
        assert kill.kept.isdisjoint(marking.marks[kill.calls :])
        assert max(kill.late, default=0.0) < GRACE
        assert kill.gone < ORPHAN_SECONDS
        charged, booked, budget = kill.money
        assert charged <= booked + ROUNDING
        assert booked <= budget + ROUNDING
    assert marking.charged_usd <= setting.booked_usd() + ROUNDING
    assert setting.booked_usd() <= (setting.budget or 0) + ROUNDING
    for kill in (kill for kill in kills if kill.moment.signal is signal.SIGINT):
        assert kill.arrived <= kill.kept, "calls in flight come home"
        if kill.code != -signal.SIGINT:  # Python's own end, before the plug-in was loaded
            assert kill.code == 130
            assert kill.text.count("impactbench: stopping.") == 1
            assert "Traceback" not in kill.text


def _report(runner: str, kills: list[Kill], server: MarkingServer, setting: Setting) -> str:
    """Return the figures of a test in one line."""
    by = Counter(f"{kill.moment.signal.name} {kill.moment.kind}" for kill in kills)
    gone = max((kill.gone for kill in kills), default=0.0)
    cut_off = sum(len(kill.arrived - kill.kept) for kill in kills)
    answered = [late * 1000 for kill in kills for late in kill.late if late > 0]
    codes = Counter(kill.code for kill in kills)
    return (
        f"{runner}: {len(kills)} kills {dict(sorted(by.items()))}, exit codes {dict(codes)}; {len(server.calls)} calls "
        f"for {CALLS}, {server.repeated} asked again; {cut_off} cut off by a SIGKILL, {len(answered)} answered "
        f"up to {max(answered, default=0):.0f} ms before it; no process left after {gone:.1f} s at most; "
        f"${server.charged_usd:.4f} charged under a budget of ${setting.budget:.2f}, ${setting.booked_usd():.4f} booked"
    )


def test_a_killed_worker_ends_the_run_with_one_line(
    calm: tuple[Path, float], tmp_path: Path, marking: MarkingServer
) -> None:
    """The other worker's calls come home, exit code 2, no traceback; the same command finishes."""
    setting = Setting(tmp_path, marking, TARGETS, PARALLEL, {"IMPACTBENCH_WORKERS": "2"}, budget=100.0)
    running = setting.start()
    while len(marking.calls) < 6 and not running.ended():
        time.sleep(0.01)
    first, _ = running.workers()
    os.kill(first, signal.SIGKILL)
    assert running.wait() == 2, running.text[-3000:]
    assert running.text.count("impactbench: Worker process") == 1
    assert "ended (killed by SIGKILL), so the run stops" in running.text
    assert "Traceback" not in running.text
    kept, calls = setting.kept(), len(marking.calls)
    assert len(set(marking.marks) - kept) <= 2, "the two threads of the killed worker"
    setting.finish()
    assert kept.isdisjoint(marking.marks[calls:])
    assert differences(results(tmp_path), results(calm[0])) == []


@pytest.mark.parametrize("part", [0.0, 0.3])
def test_a_truncated_cache_is_mended_and_its_readable_entries_stay(
    part: float, calm: tuple[Path, float], tmp_path: Path, marking: MarkingServer
) -> None:
    """A power cut leaves a part of the file: a warning, calls for what is lost alone, the same files in the end."""
    shutil.copytree(calm[0], tmp_path / "cut")
    setting = Setting(tmp_path / "cut", marking, TARGETS, budget=100.0)
    cache = setting.folder / "prod_env/cache/impactbench/litellm.sqlite"
    with cache.open("r+b") as file:
        file.truncate(int(cache.stat().st_size * part))
    os.utime(cache, (0, 0))
    printed = setting.finish()
    assert (
        f"The request cache prod_env/cache/impactbench/litellm.sqlite is {'damaged' if part else 'empty'}." in printed
    )
    assert (len(marking.calls) < CALLS) == (part > 0)
    assert marking.repeated == 0
    assert len(setting.kept()) == CALLS
    assert results(tmp_path / "cut") == results(calm[0])
