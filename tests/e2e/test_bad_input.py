"""A user's mistakes through the real commands: one message with the cure, exit code 2 (check: 1), no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support import builders

GOOD = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed"


def helm_run_says(run: Run, *arguments: str, **environment: str) -> str:
    """Return what helm-run says of a mistake; it ends with 2, without a traceback, and nothing is made."""
    done = run("helm-run", *arguments, "--suite", "s", "-m", 10, ok=False, **environment)
    assert done.returncode == 2
    assert "Traceback" not in done.stdout + done.stderr
    assert not Path("benchmark_output/runs/s").exists()
    return done.stderr


ENTRIES = [
    pytest.param(GOOD.replace("user=", "user"), "the part 'userrehearsal/user' has no =", id="no ="),
    pytest.param(GOOD.removesuffix(",model=rehearsal/mixed"), "model= is missing", id="no target"),
    pytest.param(GOOD.replace("impactbench:", "impactbnech:"), "Did you mean impactbench?", id="misspelt run spec"),
    pytest.param(f"{GOOD},user=rehearsal/user", "user= is given twice", id="option twice"),
    pytest.param(GOOD.replace("user=", "usr="), "there is no option 'usr'", id="unknown option"),
]


@pytest.mark.parametrize(("entry", "words"), ENTRIES)
def test_a_slip_in_a_run_entry(run: Run, entry: str, words: str) -> None:
    """HELM would answer with a traceback, or take the last of two values."""
    builders.write_benchmark_folder(Path("benchmarks/mini"))
    assert words in helm_run_says(run, "--run-entries", entry)


def test_a_misspelt_model_or_conf_file(run: Run) -> None:
    """--models-to-run and --conf-paths are HELM's; the message says what there is."""
    entry = GOOD.removesuffix(",model=rehearsal/mixed")
    said = helm_run_says(run, "--run-entries", entry, "--models-to-run", "rehearsal/mixd")
    assert "--models-to-run: 'rehearsal/mixd' is not" in said
    assert "Did you mean rehearsal/mixed" in said
    said = helm_run_says(run, "--run-entries", GOOD, "--conf-paths", "nothere.conf")
    assert "--conf-paths: no file nothere.conf." in said
    said = helm_run_says(run, "--conf-paths", "nothere.conf", "--models-to-run", "rehearsal/mixed")
    assert "--conf-paths: no file nothere.conf." in said
    said = helm_run_says(run, "--conf-paths", "elsewhere/quick.conf")
    assert (
        "no file elsewhere/quick.conf. A conf of this name is shipped: impactbench list --path run_entries/quick.conf"
        in said
    )


def test_deployments_that_cannot_be_read_are_said_in_one_line(run: Run) -> None:
    """HELM would answer with a traceback, which may quote a key."""
    run("impactbench", "new", "mine", "--description", "About money and people.")
    Path("prod_env").mkdir()
    for text in ("model_deployments: [", "model_deployments: 5", "model_deployments: [{name: a/b, client_spec: 3}]"):
        Path("prod_env/model_deployments.yaml").write_text(text)
        done = run("impactbench", "gen-metrics", "mine", "--author", "rehearsal/author", "--count", 2, ok=False)
        assert done.returncode == 2
        assert "Error: prod_env has a model_deployments.yaml" in done.stderr
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'entries: [{{description: "{GOOD}", priority: 1}}', id="not closed"),
        pytest.param(f'entries: [{{description: "{GOOD}", priority: 2024-02-30}}]', id="date for a number"),
        pytest.param(f'entrees: [{{description: "{GOOD}"}}]', id="misspelt key"),
        pytest.param(f'entries: [{{description: ["{GOOD}"]}}]', id="list for text"),
    ],
)
def test_a_conf_file_that_cannot_be_read_is_named(run: Run, text: str) -> None:
    """Where it names one of ours: HELM would answer with a traceback."""
    Path("mine.conf").write_text(text)
    said = helm_run_says(run, "--conf-paths", "mine.conf")
    assert "--conf-paths: mine.conf is not a file of run entries (" in said
    assert 'It should contain entries: [{description: "impactbench:..."' in said


def test_broken_files_with_keys_are_named_and_not_shown(run: Run) -> None:
    """credentials.conf and .env in another encoding or form: the message holds no word of them."""
    builders.write_benchmark_folder(Path("benchmarks/mini"))
    Path("prod_env").mkdir()
    Path("prod_env/credentials.conf").write_text('openaiApiKey: "sk-planted-0123456789\nother = [')
    said = helm_run_says(run, "--run-entries", GOOD)
    assert "prod_env/credentials.conf is not valid HOCON" in said
    assert "planted" not in said
    Path("prod_env/credentials.conf").write_bytes('openaiApiKey: "sk-planted-0123456789"'.encode("utf-16"))
    assert 'looks like UTF-16 or UTF-32. Save it as "UTF-8"' in helm_run_says(run, "--run-entries", GOOD)
    Path("prod_env/credentials.conf").unlink()
    Path(".env").write_bytes("OPENAI_API_KEY=sk-planted-\xe9".encode("latin-1"))
    said = helm_run_says(run, "--run-entries", GOOD.replace("rehearsal/mixed", "litellm/openai/a"))
    assert ".env has a byte that is not UTF-8" in said
    assert "planted" not in said


def test_a_run_whose_name_no_file_system_takes(run: Run) -> None:
    """Many judges make a long name; this is said before anything is paid."""
    builders.write_benchmark_folder(Path("benchmarks/mini"))
    judges = "+".join(f"litellm/openai/judge-of-the-panel-{number:03d}" for number in range(10))
    entry = GOOD.replace("rehearsal/judge", judges)
    said = helm_run_says(run, "--run-entries", entry, OPENAI_API_KEY="sk-x")
    assert "folder name of " in said
    assert "may have only 255" in said


def _bomb(path: Path) -> None:
    levels = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 12))
    path.write_text(f"name: x\nl0: &l0 lol\n{levels}")


FILES: list[tuple[str, Callable[[Path], object], str]] = [
    ("bomb of aliases", _bomb, "has a YAML alias (*name); write plain values"),
    ("deep", lambda path: path.write_text("a: " + "[" * 100_000), "is nested too deeply: more than 50"),
    (
        "many values",
        lambda path: path.write_text("- [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" * 60_000),
        "has more than 500,000 values",
    ),
    ("large", lambda path: path.write_bytes(b"#" * 32_000_001), "is too large: more than 32,000,000 bytes"),
    ("UTF-16", lambda path: path.write_text("name: x", encoding="utf-16"), "looks like UTF-16"),
    ("Latin-1", lambda path: path.write_bytes("name: Größe".encode("latin-1")), "iconv -f CP1252 -t UTF-8"),
    ("key twice", lambda path: path.write_text("name: x\nname: y\n"), "the key 'name' occurs twice"),
    ("a device", lambda path: path.symlink_to("/dev/zero"), "is too large"),
    ("a folder", lambda path: path.mkdir(), "cannot be read: Is a directory"),
    (
        "control",
        lambda path: path.write_text('{"name": "x", "\\u001b[31m\\u200bkey": 1}'),
        "\\x1b[31m\\u200bkey: error",
    ),
]


def test_hostile_benchmark_files(run: Run) -> None:
    """Each is refused with its reason, at once and without building what it describes."""
    for number, (_, write, _) in enumerate(FILES):
        folder = builders.write_benchmark_folder(Path(f"benchmarks/evil-{number}"))
        (folder / "benchmark.yaml").unlink()
        write(folder / "benchmark.yaml")
    done = run("impactbench", "check", *[f"benchmarks/evil-{number}" for number in range(len(FILES))], ok=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    for number, (name, _, words) in enumerate(FILES):
        lines = [line for line in done.stdout.splitlines() if f"evil-{number}/benchmark.yaml" in line]
        assert any(words in line for line in lines), (name, lines)
    assert "\x1b" not in done.stdout


def test_a_benchmark_from_windows_loads(run: Run) -> None:
    """A byte order mark and CRLF are what editors there write."""
    folder = builders.write_benchmark_folder(Path("benchmarks/mini"))
    for name in ("benchmark.yaml", "scenarios.json"):
        text = (folder / name).read_text()
        (folder / name).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert "mini: 0 errors" in run("impactbench", "check", "mini").stdout


@pytest.mark.parametrize("slug", ["../up", "/abs", "CON", "nul.txt", ".hidden", "a/b", "x" * 65, "d\u0435mo", "a."])
def test_slugs_that_are_no_names(slug: str) -> None:
    """A slug is one ASCII part of a path that every machine can hold."""
    from click.testing import CliRunner

    from helm_impactbench.cli import main

    for arguments in (["new", slug], ["check", slug]):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 2, done.output
        assert "1 to 64 of A-Z a-z" in done.output or "There is no folder" in done.output


def test_a_suite_without_a_finished_run_is_not_summarized(run: Run, workdir: Path) -> None:
    """An empty leaderboard would look like a result."""
    (workdir / "benchmark_output/runs/empty").mkdir(parents=True)
    done = run("impactbench", "summarize", "--suite", "empty", ok=False)
    assert (done.returncode, "The suite empty has no finished run in" in done.stderr) == (2, True)
    assert [*(workdir / "benchmark_output/runs/empty").iterdir()] == []
