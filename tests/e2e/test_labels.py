"""Export, label, score: real runs, real processes, a real browser, and figures computed a second time elsewhere."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright
from sklearn.metrics import cohen_kappa_score, recall_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from tests.support import builders, helm
from tests.support.commands import run_command

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
TARGETS = ("harmful", "mixed", "minors-only")
BASES, PLACES = 10, 72
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a suite of three scripted targets on a user's own benchmark, hostile words included."""
    folder = tmp_path_factory.mktemp("labels")
    content = builders.benchmark_with(near_misses=[f"nearmiss-one {HOSTILE}", "=1+1"])
    scenarios = [
        builders.scenario(metric, base, variant, age)
        for metric in ("m01", "m02")
        for base in range(1, BASES + 1)
        for variant, age in ((1, "child or teenager (6-17)"), (2, "adult (18+)"))
    ]
    builders.write_benchmark_folder(folder / "benchmarks/mini", content, scenarios)
    entry = "impactbench:benchmark=mini,user=rehearsal/user,judge=rehearsal/judge"
    entries = [f"{entry},model=rehearsal/{target}" for target in TARGETS]
    run_command("helm-run", "--run-entries", *entries, "--suite", "s", "-m", 10000, cwd=folder)
    done = run_command("impactbench", "labels", "export", "--suite", "s", "--out", "sheet", "--n", PLACES, cwd=folder)
    assert f"Drew {PLACES} of {3 * 4 * BASES} scored conversations" in done.stdout
    assert "never give them key.json" in done.stdout
    return folder


def key_of(root: Path) -> dict[str, Any]:
    """Return the key of the sheet."""
    key: dict[str, Any] = json.loads((root / "sheet/key.json").read_text())
    return key


def luck(*names: str) -> float:
    """Return a number from 0 to 1 that depends on the names alone."""
    return int(hashlib.sha256("/".join(names).encode()).hexdigest()[:8], 16) / 2**32


def planted(item: dict[str, Any]) -> bool:
    """Return the truth that is planted behind an item: the judge is wrong on one in seven."""
    return bool(item["present"]) != (luck("truth", item["model"], item["variant"]) < 1 / 7)


def label_by_script(root: Path, name: str, slips: float, left_out: int = 0) -> Path:
    """Write a person's labels: the planted truth, now and then a slip or an "unsure"."""
    path = root / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("item_id", "label", "note"))
        for number, item in enumerate(key_of(root)["items"]):
            present = planted(item) != (luck(name, item["item_id"]) < slips)
            word = "unsure" if luck("unsure", name, item["item_id"]) < 0.05 else "present" if present else "absent"
            writer.writerow((item["item_id"], "" if number < left_out else word, ""))
    return path


@dataclass(frozen=True)
class Scored:
    """What the command printed and wrote."""

    printed: str
    report: dict[str, Any]


@pytest.fixture(scope="module")
def scored(root: Path) -> Scored:
    """The score of three people's labels."""
    paths = [label_by_script(root, "ann", 0.0), label_by_script(root, "ben", 0.1), label_by_script(root, "cy", 0.1, 4)]
    done = run_command("impactbench", "labels", "score", "sheet", *paths, "--suite", "s", "--json", "r.json", cwd=root)
    return Scored(done.stdout, json.loads((root / "r.json").read_text()))


@pytest.fixture(scope="module")
def table(root: Path) -> pd.DataFrame:
    """The labelled items from the files alone: key, labels, majority, weights of what was decided. Without our code."""
    key = key_of(root)
    items = pd.DataFrame(key["items"]).set_index("item_id")
    for name in ("ann", "ben", "cy"):
        labels = pd.read_csv(root / f"{name}.csv").set_index("item_id")["label"]
        items[name] = labels.map({"present": 1.0, "absent": 0.0})
    share = items[["ann", "ben", "cy"]].mean(axis=1)
    decided = items[share.notna() & (share != 0.5)].assign(truth=share > 0.5)
    sizes = {f"{s['metric']} {'present' if s['present'] else 'absent'}": s["size"] for s in key["strata"]}
    counts = decided.groupby("stratum").size()
    assert set(counts.index) == set(sizes)  # every stratum is shown, so no weight has to move
    decided["weight"] = [sizes[stratum] / counts[stratum] for stratum in decided["stratum"]]
    decided["truth_passed"] = decided["truth"] == (decided["metric_type"] == "positive")
    return decided


@pytest.fixture(scope="module")
def judged(root: Path) -> pd.DataFrame:
    """Every conversation of the suite with its verdict, from HELM's files."""
    rows = []
    for target in TARGETS:
        verdicts = helm.judgements(helm.run_folder(root, "s", f"model=rehearsal_{target}"))
        rows += [(f"rehearsal/{target}", name[:3], v.get("present", False), v.get("passed", False))
                 for name, v in verdicts.items()]  # fmt: skip
    return (
        pd.DataFrame(rows, columns=["model", "metric", "present", "passed"])
        .fillna(False)
        .astype({"present": bool, "passed": bool})
    )


def test_the_sheet_is_blind(root: Path) -> None:
    """No model, type, name, goal, persona, verdict or metric id, but what is said; the key has what was hidden."""
    key = key_of(root)
    for name in ("sheet.csv", "sheet.html"):
        text = (root / "sheet" / name).read_text(encoding="utf-8-sig")
        for secret in ("Namepositive", "Avoid namenegative", "hidden-", "rehearsal/", '"model"', "mini",
                       "base_scenario", "passed", "negative", "neutral-persona", "stratum"):  # fmt: skip
            assert secret not in text, (name, secret)
        for shown in ("definition-one thing", "example-one-a", "nearmiss-one", "played-persona-"):
            assert shown in text
        if name == "sheet.csv":
            rows = list(csv.DictReader(text.splitlines(keepends=True)))
            assert [row["item_id"] for row in rows] == [item["item_id"] for item in key["items"]]
            assert {row["label"] + row["note"] for row in rows} == {""}
    assert {item["model"] for item in key["items"]} == {f"rehearsal/{target}" for target in TARGETS}
    assert sum(item["weight"] for item in key["items"]) == pytest.approx(3 * 4 * BASES)


def test_a_second_export_gives_the_same_bytes_and_never_overwrites(root: Path) -> None:
    """Law 5; and a folder with a sheet in it is left alone, with the cure."""
    export = ("impactbench", "labels", "export", "--suite", "s", "--n", PLACES, "--out")
    run_command(*export, "again", cwd=root)
    for path in (root / "sheet").iterdir():
        assert (root / "again" / path.name).read_bytes() == path.read_bytes(), path.name
    done = run_command(*export, "sheet", cwd=root, ok=False)
    assert done.returncode != 0
    assert "may be labels in it" in done.stderr
    assert "--out" in done.stderr


def test_a_small_suite_gives_all_it_has(root: Path) -> None:
    """More places than conversations: all of them, and it is said."""
    done = run_command("impactbench", "labels", "export", "--suite", "s", "--out", "all", "--n", 500,
                       "--model", "rehearsal/mixed", cwd=root)  # fmt: skip
    assert f"Asked for 500: there are no more, so all {4 * BASES} are on the sheet." in done.stdout
    key = json.loads((root / "all/key.json").read_text())
    assert len(key["items"]) == 4 * BASES
    assert {item["weight"] for item in key["items"]} == {1.0}


def test_agreement_is_that_of_other_packages(scored: Scored, table: pd.DataFrame) -> None:
    """Kappa of people by scikit-learn, of the judge by scikit-learn and its interval by statsmodels."""
    (pair,) = [pair for pair in scored.report["people"]["pairs"] if (pair["first"], pair["second"]) == ("ann", "ben")]
    everybody = pd.DataFrame(key_of_items(scored))
    assert set(everybody["item_id"]) == set(table.index)
    row = scored.report["judge"][0]
    assert (row["name"], row["labelled"]) == ("all metrics", len(table))
    assert row["agreement"] == pytest.approx((table["present"] == table["truth"]).mean(), abs=1e-9)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(table["present"], table["truth"]), abs=1e-9)
    reference = cohens_kappa(pd.crosstab(table["present"], table["truth"]).to_numpy())
    assert row["kappa_interval"]["low"] == pytest.approx(reference.kappa_low, abs=1e-9)
    assert row["kappa_interval"]["high"] == pytest.approx(min(1, reference.kappa_upp), abs=1e-9)
    assert 0.5 < pair["value"] < 1


def key_of_items(scored: Scored) -> list[dict[str, Any]]:
    """Return the items of the report."""
    items: list[dict[str, Any]] = scored.report["items"]
    return items


def test_kappa_between_people_is_that_of_scikit_learn(root: Path, scored: Scored) -> None:
    """Each pair over the items that both have rated, from the exported files."""
    people = {name: pd.read_csv(root / f"{name}.csv").set_index("item_id")["label"] for name in ("ann", "ben", "cy")}
    assert len(scored.report["people"]["pairs"]) == 3
    for pair in scored.report["people"]["pairs"]:
        both = pd.DataFrame({side: people[pair[side]] for side in ("first", "second")})
        both = both[both.isin(["present", "absent"]).all(axis=1)]
        assert pair["items"] == len(both)
        assert pair["value"] == pytest.approx(cohen_kappa_score(both["first"], both["second"]), abs=1e-9)


@pytest.mark.parametrize("name", ["all metrics", "positive metrics", "negative metrics", "mini/m01", "mini/m02"])
def test_error_rates_are_those_of_scikit_learn(scored: Scored, table: pd.DataFrame, name: str) -> None:
    """Weighted and plain recall of present and of absent, and Wilson's interval by statsmodels."""
    (row,) = [row for row in scored.report["judge"] if row["name"] == name]
    own = table[[name in ("all metrics", f"{kind} metrics", metric) for kind, metric in
                 zip(table["metric_type"], table["metric"], strict=True)]]  # fmt: skip
    for rate, present in ((row["sensitivity"], True), (row["specificity"], False)):
        judged, truth = own["present"].astype(bool), own["truth"].astype(bool)
        weighted = recall_score(truth, judged, pos_label=present, sample_weight=own["weight"])
        assert rate["value"] == pytest.approx(weighted, abs=1e-9)
        assert rate["unweighted"] == pytest.approx(recall_score(truth, judged, pos_label=present), abs=1e-9)
        wilson = proportion_confint(rate["hits"], rate["items"], method="wilson")
        assert (rate["wilson"]["low"], rate["wilson"]["high"]) == pytest.approx(wilson, abs=1e-9)
        assert rate["interval"]["low"] <= rate["value"] <= rate["interval"]["high"]


@pytest.mark.parametrize("target", TARGETS)
def test_corrected_rates_are_those_computed_elsewhere(
    scored: Scored, table: pd.DataFrame, judged: pd.DataFrame, target: str
) -> None:
    """Rogan-Gladen by type from scikit-learn's recalls, prediction-powered from statsmodels' weighted means."""
    model = f"rehearsal/{target}"
    (row,) = [row for row in scored.report["corrected"] if row["name"] == model]
    own, labels = judged[judged["model"] == model], table[table["model"] == model]
    assert (row["conversations"], row["labelled"]) == (len(own), len(labels))
    assert row["raw"] == pytest.approx(own["passed"].mean(), abs=1e-9)
    total = 0.0
    for metric, kind in (("m01", "positive"), ("m02", "negative")):
        items, mine = table[table["metric_type"] == kind], own[own["metric"] == metric]
        truth, answers = items["truth"].astype(bool), items["present"].astype(bool)
        sensitivity, specificity = (
            recall_score(truth, answers, pos_label=label, sample_weight=items["weight"]) for label in (True, False)
        )
        present = (mine["present"].mean() + specificity - 1) / (sensitivity + specificity - 1)
        total += len(mine) / len(own) * (present if kind == "positive" else 1 - present)
    corrected = row["rogan_gladen"]
    if corrected["value"] is None:
        assert "error rates do not hold" in corrected["problem"]
        assert not 0 <= total <= 1
    else:
        assert corrected["value"] == pytest.approx(min(1, max(0, total)), abs=1e-9)
        assert corrected["clipped"] == (not 0 <= total <= 1)
    rate = own["passed"].mean()
    raked = labels["weight"] * [
        (rate if passed else 1 - rate) / labels.loc[labels["passed"] == passed, "weight"].sum()
        for passed in labels["passed"]
    ]
    difference = DescrStatsW(labels["truth_passed"].astype(float) - labels["passed"].astype(float), weights=raked).mean
    assert row["prediction_powered"]["value"] == pytest.approx(rate + difference, abs=1e-9)


def test_the_truth_is_in_the_intervals(root: Path, scored: Scored, judged: pd.DataFrame) -> None:
    """The planted truth over the whole suite lies within the corrected intervals of the benchmark."""
    passed = []
    for target in TARGETS:
        verdicts = helm.judgements(helm.run_folder(root, "s", f"model=rehearsal_{target}"))
        for name, verdict in verdicts.items():
            item = {"present": verdict.get("present", False), "model": f"rehearsal/{target}", "variant": name}
            passed.append(planted(item) == name.startswith("m01"))
    (row,) = [row for row in scored.report["corrected"] if row["group"] == "benchmark"]
    for method in ("rogan_gladen", "prediction_powered"):
        interval = row[method]["interval"]
        assert interval["low"] <= sum(passed) / len(passed) <= interval["high"]


def test_the_score_is_readable(scored: Scored) -> None:
    """Counts of every person, what was left out, the three tables, and what the figures take for granted."""
    for words in ("ann", "Krippendorff's alpha", "items decided", "ties left out", "Sensitivity", "Prediction-powered",
                  "rehearsal/mixed (scripted)", "Both take people to be right", "not for labellers"):  # fmt: skip
        assert words in scored.printed, words
    (cy,) = [person for person in scored.report["people"]["people"] if person["name"] == "cy"]
    assert cy["unlabelled"] == 4


def test_bad_labels_are_refused_and_kept(root: Path) -> None:
    """Every mistake at once with its line, exit code not 0, no traceback, the file untouched."""
    path = root / "bad.csv"
    path.write_text("item_id,label\nc00000000000,present\n" + f"{key_of(root)['items'][0]['item_id']},prsent\n")
    before = path.read_bytes()
    done = run_command("impactbench", "labels", "score", "sheet", path, cwd=root, ok=False)
    assert done.returncode != 0
    assert "line 2: no item 'c00000000000'" in done.stderr
    assert "line 3: got the label 'prsent'; allowed: present, absent, unsure, or nothing. Did you mean" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_bytes() == before


def test_a_suite_that_has_changed_is_not_scored(root: Path, scored: Scored, tmp_path: Path) -> None:
    """Another verdict behind an item: the labels belong to something else, and it says to what."""
    shutil.copytree(root / "benchmark_output", tmp_path / "benchmark_output")
    state = helm.run_folder(tmp_path, "s", "model=rehearsal_mixed") / "scenario_state.json"
    content = json.loads(state.read_text())
    for request_state in content["request_states"]:
        record = request_state["result"]["completions"][0]["finish_reason"]["conversation"]
        record["turns"][0]["assistant"] += " changed"
    state.write_text(json.dumps(content))
    done = run_command("impactbench", "labels", "score", root / "sheet", root / "ann.csv", "-o",
                       tmp_path / "benchmark_output", cwd=root, ok=False)  # fmt: skip
    assert done.returncode != 0
    assert "has other words there" in done.stderr
    assert "draw a new sheet" in done.stderr


def test_help_teaches_the_workflow(root: Path) -> None:
    """Three steps in order; the commands explain themselves."""
    shown = run_command("impactbench", "labels", "--help", cwd=root).stdout
    assert shown.index("labels export") < shown.index("sheet.html") < shown.index("labels score")
    assert "--seed" in run_command("impactbench", "labels", "export", "--help", cwd=root).stdout


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[BrowserContext]:
    """Debian's chromium with a fresh profile, cut off from any network."""
    assert CHROMIUM, "chromium is missing: make test installs it, or apt-get install chromium"
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync"]  # fmt: skip
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path / "profile"), executable_path=CHROMIUM, args=flags, offline=True, accept_downloads=True,
            viewport={"width": 1200, "height": 900},
        )  # fmt: skip
        yield context
        context.close()


@pytest.fixture
def page(root: Path, browser: BrowserContext) -> Iterator[Page]:
    """The sheet in the browser; anything that its policy stopped, or any error of its script, fails the test."""
    troubles: list[str] = []

    def note(trouble: str, is_one: bool = True) -> None:
        troubles.extend([trouble] if is_one else [])

    opened = browser.new_page()
    opened.on("console", lambda message: note(message.text, message.type in ("error", "warning")))
    opened.on("pageerror", lambda error: note(str(error)))
    opened.on("request", lambda request: note(request.url, not request.url.startswith(("file:", "blob:"))))
    opened.goto((root / "sheet/sheet.html").as_uri())
    yield opened
    assert troubles == []


def begin(page: Page, name: str) -> None:
    """Answer the first question."""
    expect(page.get_by_role("dialog", name="Who is labelling?")).to_be_visible()
    page.get_by_label("Your name or a code").fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Conversation 1 of", exact=False)).to_be_focused()


def pressed(page: Page) -> str:
    """Return the label of the conversation that is shown."""
    return str(page.evaluate("document.querySelector('[data-word][aria-pressed=true]')?.dataset.word || ''"))


def export(page: Page, path: Path) -> Path:
    """Press Export and keep the file."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Export CSV").click()
    download.value.save_as(path)
    return path


@pytest.mark.browser
def test_labelling_by_keyboard_survives_a_reload_and_scores(root: Path, page: Page, tmp_path: Path) -> None:
    """All items by keys alone, a reload in between, a note; what is exported is what was pressed, and it scores."""
    items = key_of(root)["items"]
    begin(page, "Zoë K.")
    half = len(items) // 2
    for item in items[:half]:
        page.keyboard.press("p" if planted(item) else "a")
    page.keyboard.press("n")
    page.keyboard.type('=a note, with "quotes" and p a u')
    page.keyboard.press("Escape")
    expect(page.locator("#count")).to_have_text(f"{half} of {len(items)} labelled")
    page.reload()
    expect(page.locator("#count")).to_have_text(f"{half} of {len(items)} labelled")
    expect(page.get_by_role("heading", name=f"Conversation {half + 1} of {len(items)}")).to_be_visible()
    expect(page.get_by_label("Note (optional)")).to_have_value('=a note, with "quotes" and p a u')
    for item in items[half:]:
        page.keyboard.press("p" if planted(item) else "a")
    expect(page.get_by_text("All conversations are labelled.")).to_be_visible()
    path = export(page, tmp_path / "zoe.csv")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert [row["label"] for row in rows] == ["present" if planted(item) else "absent" for item in items]
    assert list(rows[0]) == ["item_id", "label", "note", "labeller"]
    assert rows[half]["note"] == '\'=a note, with "quotes" and p a u'
    done = run_command("impactbench", "labels", "score", "sheet", path, cwd=root)
    assert "Zoë K." in done.stdout
    assert f"{len(items)} of {len(items)} items decided" in done.stdout


@pytest.mark.browser
def test_keys_move_and_change_and_typing_in_the_note_labels_nothing(page: Page) -> None:
    """Arrows and j, k; a second key changes the label, c takes it away; keys in the note are words."""
    begin(page, "ann")
    title = page.get_by_role("heading", level=2, name="Conversation", exact=False)
    for key, number in (("j", 2), ("ArrowRight", 3), ("k", 2), ("ArrowLeft", 1), ("k", 1)):
        page.keyboard.press(key)
        expect(title).to_contain_text(f"Conversation {number} of")
    page.get_by_label("Go on after a label").uncheck()
    for key, word in (("u", "unsure"), ("P", "present"), ("c", "")):
        page.keyboard.press(key)
        assert pressed(page) == word
    page.keyboard.press("n")
    page.keyboard.type("pau")
    assert pressed(page) == ""
    page.keyboard.press("Control+a")
    assert pressed(page) == ""
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="How to label")).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    assert pressed(page) == ""


@pytest.mark.browser
def test_unlabelled_only_skips_what_is_done(page: Page) -> None:
    """The second conversation is labelled and is passed over in both directions."""
    begin(page, "ann")
    page.keyboard.press("j")
    page.keyboard.press("a")
    page.get_by_label("Unlabelled only").check()
    page.keyboard.press("k")
    expect(page.locator("#title")).to_contain_text("Conversation 1 of")
    page.keyboard.press("j")
    expect(page.locator("#title")).to_contain_text("Conversation 3 of")


@pytest.mark.browser
def test_two_people_on_one_computer_do_not_mix(page: Page) -> None:
    """Another name starts afresh, and the first one's labels are there when she comes back."""
    begin(page, "ann")
    page.keyboard.press("p")
    page.get_by_role("button", name="Labeller: ann").click()
    page.get_by_label("Your name or a code").fill("ben")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("0 of")
    page.get_by_role("button", name="Labeller: ben").click()
    page.get_by_label("Your name or a code").fill("ann")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("1 of")


@pytest.mark.browser
def test_two_tabs_keep_each_others_labels(root: Path, page: Page, browser: BrowserContext) -> None:
    """What is labelled in one tab shows in the other and is not overwritten by it."""
    begin(page, "ann")
    second = browser.new_page()
    second.goto((root / "sheet/sheet.html").as_uri())
    second.keyboard.press("p")
    expect(page.locator("#count")).to_contain_text("1 of")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(second.locator("#count")).to_contain_text("2 of")
    second.close()


@pytest.mark.browser
def test_a_browser_that_keeps_nothing_says_so(root: Path, browser: BrowserContext, tmp_path: Path) -> None:
    """Where storage is full or forbidden, labels live until the page is closed, and the page says what to do."""
    opened = browser.new_page()
    opened.goto((root / "sheet/sheet.html").as_uri())
    begin(opened, "ann")
    opened.evaluate("void (Storage.prototype.setItem = () => { throw new DOMException('full', 'Quota') })")
    for key in "pau":
        opened.keyboard.press(key)
    expect(opened.get_by_text("This browser does not keep your labels.")).to_be_visible()
    rows = list(csv.DictReader(export(opened, tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [row["label"] for row in rows[:4]] == ["present", "absent", "unsure", ""]


@pytest.mark.browser
def test_labels_are_imported_to_go_on_elsewhere(root: Path, page: Page, tmp_path: Path) -> None:
    """A good file is taken whole, a bad one not at all; a difference is asked about and never lost silently."""
    first, second, third = (item["item_id"] for item in key_of(root)["items"][:3])
    begin(page, "ann")
    page.keyboard.press("a")
    chooser = page.locator("#import")
    bad = tmp_path / "bad.csv"
    bad.write_text(f"item_id,label\n{second},present\n{third},perhaps\nc0,absent\n")
    chooser.set_input_files(bad)
    expect(page.get_by_role("alert").filter(has_text="Nothing was imported")).to_contain_text(
        "Line 3: perhaps is no label"
    )
    expect(page.locator("#count")).to_contain_text("1 of")
    bad.write_text(f"item_id,label,labeller\n{second},present,ben\n")
    chooser.set_input_files(bad)
    expect(page.locator("#problem")).to_contain_text("ben's")
    good = tmp_path / "good.csv"
    good.write_bytes(
        f'\ufeffitem_id;label;note;labeller\r\n{first};present;;ann\r\n{second};absent;"\'=x";ann\r\n'.encode()
    )
    page.once("dialog", lambda dialog: dialog.dismiss())
    chooser.set_input_files(good)
    expect(page.locator("#count")).to_contain_text("2 of")
    expect(page.locator("#problem")).to_be_hidden()
    rows = {row["item_id"]: row for row in csv.DictReader(
        export(page, tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines())}  # fmt: skip
    assert (rows[first]["label"], rows[second]["label"], rows[second]["note"]) == ("absent", "absent", "'=x")
    page.once("dialog", lambda dialog: dialog.accept())
    chooser.set_input_files(good)
    expect(page.get_by_text("Imported 2 rows.")).to_be_visible()
    rows = {row["item_id"]: row for row in csv.DictReader(
        export(page, tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines())}  # fmt: skip
    assert rows[first]["label"] == "present"


@pytest.mark.browser
def test_what_a_model_wrote_is_shown_and_never_run(page: Page) -> None:
    """Markup in a message is words on the page; the title stays; no element is made of it."""
    begin(page, "ann")
    expect(page.get_by_text("onerror=", exact=False).first).to_be_attached()
    for _ in range(12):
        page.keyboard.press("j")
    assert page.title().startswith("Labelling sheet")
    assert page.locator("img").count() == 0


@pytest.mark.browser
def test_the_policy_stops_any_other_script_and_any_connection(root: Path, browser: BrowserContext) -> None:
    """Even what could get into the page as markup would neither run nor reach anything."""
    opened = browser.new_page()
    opened.goto((root / "sheet/sheet.html").as_uri())
    stopped = opened.evaluate("""async () => {
      const seen = [];
      document.addEventListener("securitypolicyviolation", event => seen.push(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "document.title = 'owned'";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src='http://127.0.0.1:9/x' onerror='document.title=1'>");
      await fetch("http://127.0.0.1:9/y").catch(() => {});
      await new Promise(done => setTimeout(done, 200));
      return [...new Set(seen)].sort();
    }""")
    assert stopped == ["connect-src", "img-src", "script-src-attr", "script-src-elem"]
    assert opened.title().startswith("Labelling sheet")


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_and_both_schemes(page: Page, scheme: Any) -> None:
    """Nothing is wider than 360 points, the three labels can be tapped, and words stand out from their ground."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    begin(page, "ann")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for word in ("Present", "Absent", "Unsure"):
        box = page.get_by_role("button", name=word, exact=False).bounding_box()
        assert box is not None
        assert box["height"] >= 44
    page.get_by_role("button", name="Present", exact=False).click()
    expect(page.locator("#count")).to_contain_text("1 of")
    page.keyboard.press("k")
    page.evaluate("document.getElementById('note').focus()")
    assert contrast(page, "body") >= 7
    for selector in (".who", ".notice", ".turn.user", "[data-word=present][aria-pressed=true]"):
        assert contrast(page, selector) >= 4.5, selector


def contrast(page: Page, selector: str) -> float:
    """Return the WCAG contrast of an element's words on the ground that it stands on."""
    colours = page.evaluate(
        """selector => { const one = document.querySelector(selector); let ground = one;
        const back = e => getComputedStyle(e).backgroundColor;
        while (ground.parentElement && back(ground) === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
        return [getComputedStyle(one).color, back(ground)].map(c => c.match(/[\\d.]+/g).slice(0, 3).map(Number)); }""",
        selector,
    )

    def luminance(colour: list[float]) -> float:
        parts = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted(map(luminance, colours), reverse=True)
    return (light + 0.05) / (dark + 0.05)
