"""`impactbench run`: one command from names to a result, with helm-run under it."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_impactbench import load_suite
from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal.author import author
from tests.support.commands import BIN, command_environment, run_command
from tests.support.openai_server import Body, OpenAIServer, default_answer

ROLES = ("--user", "litellm/openai/user-other", "--judge", "litellm/openai/judge-other")
TARGETS = ("litellm/openai/target-a", "litellm/openai/target-b")
COMMAND = ("impactbench", "run", "--references", "0", "--models", *TARGETS, *ROLES, "--benchmarks", "mini", "--yes")


def keys(server: OpenAIServer) -> dict[str, str]:
    """Return the environment that leads to the loopback server."""
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}


def figures(root: Path, suite: str) -> dict[str, Any]:
    """Return run -> its statistics, without times."""
    found = {}
    for path in sorted((root / "benchmark_output/runs" / suite).glob("*/stats.json")):
        stats = json.loads(path.read_text())
        found[path.parent.name] = [stat for stat in stats if "runtime" not in stat["name"]["name"]]
    return found


def scored(root: Path, suite: str = "impact") -> dict[str, int]:
    """Return model -> its conversations with a verdict."""
    rates = load_suite(suite, root / "benchmark_output").rates("overall")
    return {row["model"]: row["scored"] for row in rates["rates"].rows}


def test_from_names_to_a_result(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """It says what it will do, which helm-run does it, how it went and where the pages are; HELM's log is in a file."""
    done = run_command(*COMMAND, "--no-report", cwd=workdir, **keys(server))
    assert re.search(r"2 models x 1 run entry: 8 conversations, 100 calls, of unknown price", done.stdout)
    assert re.search(r"target-b +\d\.\d{3} +", done.stdout)
    assert "Without a score" not in done.stdout
    assert scored(workdir) == {"litellm/openai/target-a": 4, "litellm/openai/target-b": 4}
    assert "Pages: impactbench report --suite impact" in done.stdout
    assert "INFO" not in done.stdout + done.stderr
    assert "helm_run {" in (workdir / "benchmark_output/runs/impact/run.log").read_text()
    told = [line for line in done.stdout.splitlines() if not re.match(r"Judge |\d+ of \d+ conversations ", line)]
    assert max(map(len, told)) <= 110  # progress, which a slow machine prints too, says more
    progress = json.loads((workdir / "benchmark_output/runs/impact/progress.json").read_text())
    assert (progress["cases"], progress["scored"], progress["ended"]) == (8, 8, True)
    watched = run_command("impactbench", "watch", "--suite", "impact", cwd=workdir).stdout
    assert "8 of 8 conversations (100%), 2 of 2 runs finished\n8 scored\n" in watched
    assert watched.endswith("Ended.\n")
    nothing = run_command("impactbench", "watch", "--suite", "other", cwd=workdir, ok=False)
    assert (nothing.returncode, "No suite 'other'" in nothing.stderr) == (2, True)
    assert {body["model"] for body in server.requests} == {"user-other", "judge-other", "target-a", "target-b"}


def test_the_usual_roles_are_named_in_the_plan_the_run_and_the_record(
    mini: Path, workdir: Path, server: OpenAIServer
) -> None:
    """helm-run with benchmark= and model= alone, and a dry run, which shows the plan and leaves nothing behind."""
    usual = {"IMPACTBENCH_USER": ROLES[1], "IMPACTBENCH_JUDGE": ROLES[3], **keys(server)}
    planned = run_command("impactbench", "run", "--models", TARGETS[0], "--benchmarks", "mini", "--dry-run",
                          cwd=workdir, **usual).stdout  # fmt: skip
    assert f"user      {ROLES[1]}\n" in planned
    assert f"judge     {ROLES[3]}\n" in planned
    assert planned.endswith("Nothing was run: this was a dry run.\n")
    assert (server.requests, (workdir / "benchmark_output").exists()) == ([], False)
    run_command("helm-run", "--run-entries", f"impactbench:benchmark=mini,model={TARGETS[0]}", "--suite", "impact",
                "-m", 1000, cwd=workdir, **usual)  # fmt: skip
    (folder,) = (workdir / "benchmark_output/runs/impact").glob("impactbench*")
    assert "user=litellm_openai_user-other,judge=litellm_openai_judge-other" in folder.name
    spec = json.loads((folder / "run_spec.json").read_text())
    assert spec["scenario_spec"]["args"]["user"] == ROLES[1]
    assert spec["annotators"][0]["args"]["judges"] == [ROLES[3]]
    assert scored(workdir) == {TARGETS[0]: 4}


def test_without_a_verdict_it_fails(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """A judge that answers nonsense: one line with the reasons, what to do, exit code 1, no table and no pages."""
    server.answer = lambda body: "nonsense" if body["model"] == "judge-other" else default_answer(body)
    done = run_command(*COMMAND, cwd=workdir, ok=False, **keys(server))
    assert done.returncode == 1
    assert "None of 8 conversations has a verdict, so there is no rank (8: the judge's answer could not" in done.stdout
    assert done.stdout.endswith("Repeat the command when the cause is removed: only what failed is asked again.\n")
    assert not (workdir / "report").exists()


def test_a_model_whose_every_call_fails_leaves_the_others_results(
    mini: Path, workdir: Path, server: OpenAIServer
) -> None:
    """helm-run names its run and ends with exit code 3; the rates of the other are shown, and the pages made."""

    def answer(body: Body) -> object:
        failing = body["model"] == TARGETS[0].rpartition("/")[2]
        return (500, {"error": {"message": "broken"}}) if failing else default_answer(body)

    server.answer = answer
    done = run_command(
        *COMMAND, cwd=workdir, ok=False, IMPACTBENCH_ATTEMPTS="1", IMPACTBENCH_PROBE="no", **keys(server)
    )
    assert "has no figures, because none of its 4 conversations has a verdict (target_error: 4)." in done.stderr
    assert "helm-run ended" not in done.stderr
    assert re.search(r"target-b +\d\.\d{3} +", done.stdout)


def test_a_study_file_and_the_printed_helm_run_give_the_same_figures(
    mini: Path, workdir: Path, server: OpenAIServer
) -> None:
    """The command line, a study.yaml with the same settings, and the helm-run that either prints are one thing."""
    first = run_command(*COMMAND, "--no-report", "--samples", 2, cwd=workdir, **keys(server))
    study = {
        "models": list(TARGETS),
        "user": ROLES[1],
        "judge": ROLES[3],
        "benchmarks": "mini",
        "options": {"samples": 2},
    }
    (workdir / "mine.yaml").write_text(yaml.safe_dump(study))
    run_command("impactbench", "run", "--references", "0", "mine.yaml", "--no-report", cwd=workdir, **keys(server))
    (printed,) = re.findall(r"Running: (helm-run .*)", first.stderr)
    words = [word if word != "impact" else "bare" for word in shlex.split(printed)]
    run_command(*words, cwd=workdir, **keys(server))
    assert figures(workdir, "impact") == figures(workdir, "mine") == figures(workdir, "bare")
    assert len(figures(workdir, "mine")) == 2


def test_contrasts_need_no_user_and_have_a_result(workdir: Path) -> None:
    """Where all messages are fixed nobody plays a user; the result is the typical gap, and the pages are written."""
    done = run_command("impactbench", "run", "--references", "0",
                       "--models", "rehearsal/noisy-biased", "--judge", "rehearsal/judge",
                       "--benchmarks", "financial-fairness", "--part", 0.1, cwd=workdir)  # fmt: skip
    assert "user      none: all messages are fixed" in done.stdout
    assert "Typical gap between groups on the same words, less what chance adds; 0 is ideal" in done.stdout
    assert "Significantly different" not in done.stdout, "there is one model"
    assert "Next: impactbench contrasts --suite impact" in done.stdout
    (page,) = re.findall(r"Pages: (\S+)", done.stdout)
    assert (workdir / page).is_file()


def test_arms_are_runs_of_their_own_and_stand_side_by_side(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """Each arm's options are in its run entries, beside the options of all."""
    study = {
        "models": TARGETS[0], "user": ROLES[1], "judge": ROLES[3], "benchmarks": ["mini"], "options": {"turns": 1},
        "arms": {"plain": {}, "hurried": {"perfunctory": True}},
    }  # fmt: skip
    (workdir / "arms.yaml").write_text(yaml.safe_dump(study))
    run_command("impactbench", "run", "--references", "0", "arms.yaml", "--no-report", cwd=workdir, **keys(server))
    names = [*figures(workdir, "arms")]
    assert ["perfunctory=true" in name for name in names].count(True) == 1
    assert all("turns=1" in name for name in names)
    side_by_side = ["impactbench", "rates", "--suite", "arms", "--by", "option:perfunctory", "--out", "arms.json"]
    run_command(*side_by_side, cwd=workdir)
    rows = json.loads((workdir / "arms.json").read_text())
    whole = len(names) * rows[0]["conversations"]
    assert {row["part"]: row["conversations"] for row in rows} == {"true": whole // 2, "unset": whole // 2}
    wrong = run_command("impactbench", "rates", "--suite", "arms", "--by", "option:perfunctry", cwd=workdir, ok=False)
    assert "the suite has no option 'perfunctry'" in wrong.stderr
    assert "Did you mean perfunctory?" in wrong.stderr


def test_it_grows_until_it_is_known_which_model_is_best(workdir: Path) -> None:
    """Two looks at all models are enough for a wide difference; compare says that the suite was looked at before."""
    done = run_command(
        "impactbench", "run", "--references", "0", "--models", "rehearsal/harmful", "rehearsal/supportive", "--user",
        "rehearsal/user", "--judge", "rehearsal/judge", "--benchmarks", "prosocial", "--until-better", "--yes",
        "--no-report", cwd=workdir,
    ).stdout  # fmt: skip
    assert "Look 1 of 4 at most: 4% of the cases, on every model." in done
    assert "it is open whether supportive is better than harmful" in done
    assert re.search(r"After \d+ base scenarios: supportive is better than harmful\.", done)
    assert "Look 3 of 4" not in done
    assert re.search(r"looked at with \d+ and \d+ base scenarios", done)
    assert {*scored(workdir)} == {"rehearsal/harmful", "rehearsal/supportive"}
    assert max(scored(workdir).values()) < 40


def test_interrupted_and_repeated_it_makes_no_call_twice(mini: Path, workdir: Path) -> None:
    """Ctrl-C lets the calls in flight come home, says how to go on, and the same command does."""
    server = OpenAIServer(answer=lambda body: (time.sleep(0.3), default_answer(body))[1])
    try:
        environment = command_environment(**keys(server))
        process = subprocess.Popen(
            [str(BIN / "impactbench"), *COMMAND[1:], "--no-report", "-n", "2"],
            cwd=workdir, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        until = time.monotonic() + 120
        while len(server.requests) < 4 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "The same command continues" in errors
        assert "Traceback" not in errors
        run_command(*COMMAND, "--no-report", cwd=workdir, **keys(server))
        asked = [json.dumps(body, sort_keys=True) for body in server.requests]
        assert len(asked) == len(set(asked))
    finally:
        server.close()


def priced(folder: Path, server: OpenAIServer) -> tuple[str, ...]:
    """Write deployments of a known price to prod_env/; return the command that runs them."""
    (folder / "prod_env").mkdir()
    arguments = {"api_base": server.url, "input_cost_per_token": 1e-4, "output_cost_per_token": 0}
    deployments = [
        {"name": f"own/{name}", "model_name": f"own/{name}", "client_spec": {
            "class_name": "helm_impactbench.helm.litellm_client.LiteLLMClient",
            "args": {"litellm_model": f"openai/{name}", **arguments}}}
        for name in ("user-x", "judge-x", "target-a")
    ]  # fmt: skip
    (folder / "prod_env/model_deployments.yaml").write_text(yaml.safe_dump({"model_deployments": deployments}))
    return ("impactbench", "run", "--references", "0",
            "--models", "own/target-a", "--user", "own/user-x", "--judge", "own/judge-x",
            "--benchmarks", "mini", "--no-report", "--yes")  # fmt: skip


def test_a_passed_budget_ends_in_one_clear_line(mini: Path, workdir: Path, server: OpenAIServer) -> None:
    """What was paid, what the next call may cost, and that the same command continues with a higher budget."""
    command = priced(workdir, server)
    done = run_command(*command, "--budget", 0.001, cwd=workdir, ok=False, OPENAI_API_KEY="sk-test")
    assert "the budget of $0.0010 (" in done.stderr
    assert server.requests == []
    done = run_command(*command, "--budget", 1, cwd=workdir, ok=False, OPENAI_API_KEY="sk-test")
    assert done.returncode == 2
    assert done.stderr.count("is used up") == 1
    assert "Raise the budget. The same command continues from here" in done.stderr
    assert not re.search(r"\w\.\.(?!\.)", done.stderr)
    paid = len(server.requests)
    again = run_command(*command, "--budget", 20, cwd=workdir, OPENAI_API_KEY="sk-test")
    assert "target-a" in again.stdout
    assert scored(workdir) == {"own/target-a": 4}
    asked = [json.dumps(body, sort_keys=True) for body in server.requests]
    assert paid
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_run_is_paused_and_gets_another_budget_while_it_goes(mini: Path, workdir: Path, workers: int) -> None:
    """No call begins in a pause, in worker processes neither; a budget raised in time lets the run come to its end."""
    server = OpenAIServer(answer=lambda body: (time.sleep(0.2), default_answer(body))[1])
    watch = ("impactbench", "watch", "--suite", "impact")
    try:
        environment = command_environment(OPENAI_API_KEY="sk-test", IMPACTBENCH_WORKERS=str(workers))
        command = [str(BIN / "impactbench"), *priced(workdir, server)[1:], "--budget", "4", "-n", "2"]
        process = subprocess.Popen(command, cwd=workdir, env=environment, stdout=subprocess.PIPE, text=True)
        until = time.monotonic() + 120
        while len(server.requests) < 2 and time.monotonic() < until:
            time.sleep(0.05)
        paused = run_command(*watch, "--pause", cwd=workdir)
        assert "PAUSED" in paused.stdout
        time.sleep(1)
        begun = len(server.requests)
        time.sleep(2)
        assert len(server.requests) == begun
        on = run_command(*watch, "--resume", "--budget", 20, cwd=workdir)
        assert "of $20.00" in on.stdout
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        assert "target-a" in output
        assert scored(workdir) == {"own/target-a": 4}
        assert len(server.requests) > begun
        late = run_command(*watch, "--pause", cwd=workdir, ok=False)
        assert (late.returncode, "No run of impact is under way" in late.stderr) == (2, True)
        assert not (workdir / "benchmark_output/runs/impact/control.json").exists()
    finally:
        server.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("--models", "rehearsal/mixed", "--user", "litellm/anthropic/claude-sonnet-4-6"),
            "The user litellm/anthropic/claude-sonnet-4-6 needs a key that is not set",
        ),
        (("--models", "rehearsal/mixed", *ROLES, "--benchmarks", "prosocal"), "Did you mean prosocial"),
        (("--models", "rehearsal/mixd", *ROLES, "--benchmarks", "mini"), "Did you mean rehearsal/mixed"),
        (("wrong.yaml",), "there is no setting 'modles'"),
        (("list.yaml",), "must contain settings"),
        (("deep.yaml",), "budget_usd"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_call(
    mini: Path, workdir: Path, server: OpenAIServer, arguments: tuple[str, ...], words: str
) -> None:
    """One message with the cure, exit code 2, no traceback and no call."""
    (workdir / "wrong.yaml").write_text("modles: [rehearsal/mixed]\njudge: rehearsal/judge\nmodels: a/b\n")
    (workdir / "list.yaml").write_text("- a\n")
    (workdir / "deep.yaml").write_text("models: a/b\njudge: c/d\nbudget_usd: {}\n")
    done = run_command(
        "impactbench", "run", "--references", "0", *arguments, "--no-report", cwd=workdir, ok=False, **keys(server)
    )
    assert done.returncode == 2, done.stdout
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert server.requests == []


def test_a_fresh_replicate_asks_every_model_anew_and_no_call_twice(mini: Path, workdir: Path) -> None:
    """It has a suite of its own, keeps the first, goes on where it was interrupted, and then begins the next one."""
    slow = [False]
    server = OpenAIServer(answer=lambda body: (time.sleep(0.3 * slow[0]), default_answer(body))[1])
    command = (
        "impactbench",
        "run",
        "--references",
        "0",
        "--models",
        TARGETS[0],
        *ROLES,
        "--benchmarks",
        "mini",
        "--no-report",
        "--yes",
    )
    runs = workdir / "benchmark_output/runs"
    try:
        early = run_command(*command, "--fresh", cwd=workdir, ok=False, **keys(server))
        assert (early.returncode, "has no finished run" in early.stderr) == (2, True)
        run_command(*command, cwd=workdir, **keys(server))
        first, before = len(server.requests), (runs / "impact/progress.json").read_bytes()
        slow[0] = True
        process = subprocess.Popen(
            [str(BIN / "impactbench"), *command[1:], "--fresh", "-n", "2"],
            cwd=workdir, env=command_environment(**keys(server)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        until = time.monotonic() + 120
        while len(server.requests) < first + 4 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        slow[0] = False
        done = run_command(*command, "--fresh", cwd=workdir, **keys(server))
        assert "Replicate 2 in the suite impact-fresh2" in done.stdout
        asked = [json.dumps(body, sort_keys=True) for body in server.requests]
        assert (len(asked), len(set(asked))) == (2 * first, 2 * first)
        assert (runs / "impact/progress.json").read_bytes() == before
        assert "Replicate 3" in run_command(*command, "--fresh", cwd=workdir, **keys(server)).stdout
        swap = run_command("impactbench", "audit", "swap", "--suite", "impact", "--suite", "impact-fresh2", cwd=workdir)
        assert "replicate 1 -> 2" in swap.stdout
    finally:
        server.close()


def test_impactbenchs_config_is_read_with_a_line_for_what_is_not_taken(
    mini: Path, workdir: Path, server: OpenAIServer
) -> None:
    """Models, roles and options are the file's; a model at an address that only the file knows is left out."""
    config = {
        "run": {"verbose": True, "concurrency": {"simulate": 3}},
        "user_model": {"model": "user-other", "source": "openai", "apikey": "${OPENAI_API_KEY}"},
        "evaluator_model": {"model": "judge-other", "source": "openai"},
        "generation": {"turns": 2, "num_samples": 2},
        "targets": [{"id": "a", "model": "target-a", "source": "openai"},
                    {"id": "b", "model": "target-b", "source": "openai", "base_url": "http://127.0.0.1:9/v1"}],
    }  # fmt: skip
    (workdir / "config.yaml").write_text(yaml.safe_dump(config))
    done = run_command("impactbench", "run", "--references", "0",
                       "config.yaml", "--benchmarks", "mini", "--no-report", cwd=workdir,
                       **keys(server))  # fmt: skip
    assert [line.split(":")[0] for line in done.stderr.splitlines() if line.startswith("Not from config.yaml")] == [
        "Not from config.yaml"
    ] * 2
    assert "--num-threads 3" in done.stderr
    assert {body["model"] for body in server.requests} == {"user-other", "judge-other", "target-a"}
    (run,) = figures(workdir, "impact")
    assert "turns=2,samples=2" in run


DESCRIBED = (
    "name: Money\ndescription: How an assistant treats people who talk about debts with it.\nareas: [societal]\n"
)
AUTHORED = ("impactbench", "run", "--references", "0",
            "--models", "rehearsal/mixed", "--user", "rehearsal/user", "--judge",
            "rehearsal/judge", "--benchmarks", "money", "--part", 0.2, "--no-report")  # fmt: skip


def test_one_command_from_a_description_to_a_result(workdir: Path) -> None:
    """Metrics and scenarios are written, checked and run; the second time nothing is written any more."""
    folder = workdir / "benchmarks/money"
    folder.mkdir(parents=True)
    (folder / "benchmark.yaml").write_text(DESCRIBED)
    alone = run_command(*AUTHORED, cwd=workdir, ok=False)
    assert (alone.returncode, "perhaps only a description; add --author" in alone.stderr) == (2, True)
    done = run_command(*AUTHORED, "--author", "rehearsal/author", cwd=workdir)
    assert "is to get 12 metrics, 36 scenarios and 72 variants first: 218 calls" in done.stdout
    assert re.search(r"mixed +\d\.\d{3}", done.stdout)
    assert "Scripted, not language models: mixed." in done.stdout
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    again = run_command(*AUTHORED, "--author", "rehearsal/author", cwd=workdir)
    assert "is to get" not in again.stdout
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == written


def scripted(body: dict[str, Any]) -> str:
    """Answer as the scripted author does."""
    return author([Message(message["role"], message["content"]) for message in body["messages"]])


def test_an_interrupted_author_repeats_no_call(workdir: Path) -> None:
    """Stopped while it writes, and repeated: every request to the author is another one; its cost is the suite's."""
    server = OpenAIServer(answer=lambda body: (time.sleep(0.02), scripted(body))[1])
    folder = workdir / "benchmarks/money"
    folder.mkdir(parents=True)
    (folder / "benchmark.yaml").write_text(DESCRIBED)
    command = [*map(str, AUTHORED), "--author", "litellm/openai/gpt-4o"]
    try:
        process = subprocess.Popen([str(BIN / command[0]), *command[1:]], cwd=workdir, stderr=subprocess.DEVNULL,
                                   env=command_environment(**keys(server)), stdout=subprocess.DEVNULL)  # fmt: skip
        until = time.monotonic() + 120
        while len(server.requests) < 30 and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        run_command(*command, cwd=workdir, **keys(server))
        asked = [json.dumps(body, sort_keys=True) for body in server.requests]
        assert len(asked) >= 218
        assert len(asked) == len(set(asked))
        spent = (workdir / "benchmark_output/runs/impact/spending.jsonl").read_text()
        assert "litellm/openai/gpt-4o" in spent
    finally:
        server.close()
