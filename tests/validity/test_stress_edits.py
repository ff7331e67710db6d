"""Edits of transcripts: pure, safe, and of no effect on a judge that reads literally."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from helm_impactbench.benchmark.golden_files import golden_folders, load_golden
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.judging.judge_conversation import Panel, judge_conversation, question_of
from helm_impactbench.llm.request import ModelRequest, Reply
from helm_impactbench.rehearsal.judges import scripted_judge
from helm_impactbench.rehearsal.reading import said_by
from helm_impactbench.validity.instrument import ask_all
from helm_impactbench.validity.records.answers import PLAIN, REPEAT
from helm_impactbench.validity.stress.edits import _PADDING, LeftOut, Put, formatted, padded, repeated
from helm_impactbench.validity.stress.figures import stress_figures
from helm_impactbench.validity.stress.kinds import KINDS, chosen_kinds
from helm_impactbench.validity.stress.names import renamed
from helm_impactbench.validity.stress.rewriting import reader, rewritten
from helm_impactbench.validity.stress.run import Stress
from helm_impactbench.validity.stress.versions import Material, Versions, golden_subjects, versions

EDITS = {name: kind.edit for name, kind in KINDS.items() if kind.edit is not None}


@cache
def shipped() -> tuple[Versions, ...]:
    """Return all shipped golden items with all their edits."""
    subjects = golden_subjects([load_golden(folder) for folder in golden_folders()])
    return tuple(versions(subjects, list(KINDS.values())))


def put(*said: str, user: str = "And what do you say to it?", **changes: Any) -> Put:
    """Return a question on a shipped metric about a conversation with these replies."""
    case = shipped()[0].subject.put.case
    metric = case.metric.model_copy(update=changes)
    turns = tuple(Turn(number=i, user=user, assistant=text) for i, text in enumerate(said, start=1))
    return Put(case.model_copy(update={"metric": metric}), Conversation(status=Status.COMPLETE, turns=turns))


def words(found: Put | LeftOut) -> str:
    """Return what the assistant says after an edit."""
    assert isinstance(found, Put)
    return found.words


def literally(case: ConversationCase, conversation: Conversation) -> tuple[str, str | None]:
    """Return the verdict of the scripted judge that knows a behaviour by its example lines."""

    def call(request: ModelRequest) -> Reply:
        return Reply(scripted_judge("judge", request.messages, request.json_schema))

    verdict = judge_conversation(case, conversation, Panel(("j",)), call)
    return verdict.status, verdict.answer


def test_a_literal_judge_is_moved_by_no_edit_of_any_shipped_item() -> None:
    """Injections apart where a literal judge takes the last number or point said; these words are in the transcript."""
    moved = [
        (one.subject.put.case.benchmark, one.subject.item, name)
        for one in shipped()
        for plain in [literally(one.puts[PLAIN].case, one.puts[PLAIN].conversation)]
        for name, edited in one.puts.items()
        if not (name == "injection" and edited.case.metric.measure.kind in ("quantity", "scale"))
        and literally(edited.case, edited.conversation) != plain
    ]
    assert moved == []


def test_a_literal_judge_finds_what_was_said_in_spite_of_all_edits() -> None:
    """An example line in a reply is found in every version of it."""
    for one in shipped():
        subject = one.subject.put
        examples, measure = subject.case.metric.examples, subject.case.metric.measure.kind
        if measure != "presence" or not examples or one.subject.item not in ("1", "4"):
            continue
        said = Put(subject.case, put(f"All right. {examples[0]} That is all.").conversation)
        for name, edit in EDITS.items():
            edited = edit(said)
            if name != "formatting" and isinstance(edited, Put):
                assert literally(edited.case, edited.conversation)[1] == "present", (name, examples[0])


def lengthy(request: ModelRequest) -> Reply:
    """Answer as a judge that is sure of every transcript, errs in 2% of its calls, and falls for length in 20%."""
    task = request.messages[-1].content
    said = " ".join(words for _, words in said_by("user", task))
    chances = [int(content_digest([salt, task, request.seed])[:8], 16) % 1000 for salt in ("errs", "falls")]
    present = int(content_digest(said)[:8], 16) % 2 == 0
    present = present ^ (chances[0] < 20) or (_padding_in(task) and chances[1] < 200)
    turn, words = said_by("assistant", task)[0]
    quotes = [{"turn": turn, "quote": words}] if present else []
    answer = "present" if present else "absent"
    severity = {"severity": "clear" if present else None} if "severity" in str(request.json_schema) else {}
    said_all = {"justification": "So.", "evidence": quotes, "answer": answer, **severity, "confidence": 90}
    return Reply(json.dumps(said_all))


def _padding_in(task: str) -> bool:
    return any(sentence in task for sentence in _PADDING)


def test_a_judge_that_falls_for_length_is_found_through_the_whole_path() -> None:
    """Edits, questions, calls and figures: five points more of present or so on padded transcripts, all else alike."""
    kinds = [KINDS["padding"], KINDS["order"], KINDS["formatting"]]
    subjects = [one.subject for one in shipped() if one.subject.put.case.metric.measure.kind == "presence"]
    stress = Stress(versions(subjects, kinds), kinds, ("j",), Material(subjects, "golden sets", ""))
    check = ask_all(stress, lengthy, 1)
    found = stress_figures(check.items, check.kinds)
    padding, *others = found.kinds
    assert padding.found
    assert 0.03 < padding.shift.figure.value < 0.09
    assert not any(one.found for one in others)
    assert 0.02 < found.repeat.value < 0.08


def test_edits_are_the_same_every_time_and_change_something() -> None:
    """What judges are asked differs from the plain question; the repetition differs by its seed alone."""
    for one in shipped()[::40]:
        for name, edited in one.puts.items():
            asked = question_of(edited.case, edited.conversation).messages
            plain = question_of(one.puts[PLAIN].case, one.puts[PLAIN].conversation).messages
            assert (asked == plain) == (name in (PLAIN, REPEAT)), name
            if name in EDITS:
                assert EDITS[name](one.subject.put) == edited
    again = repeated(shipped()[0].subject.put)
    assert isinstance(again, Put)
    assert again.case.judge_seed != shipped()[0].subject.put.case.judge_seed


def test_nearly_all_shipped_items_take_every_edit_but_names() -> None:
    """So that the default size is what the tests of power take; names are few in short transcripts."""
    made = {name: sum(name in one.puts for one in shipped()) for name in EDITS}
    assert min(made[name] for name in EDITS if name != "names") >= 0.85 * len(shipped())
    levels = [one for one in shipped() if one.subject.put.case.metric.type != "contrast"]  # contrasts ask in one line
    assert min(sum(name in one.puts for one in levels) for name in EDITS if name != "names") >= 0.9 * len(levels)
    assert made["names"] >= 20


def test_padding_makes_a_reply_twice_as_long_and_adds_no_number_or_question() -> None:
    """The words of the reply stay as they are, in one piece."""
    for said in ("Yes.", "You may ask him on Friday. " * 8):
        text = words(padded(put(said)))
        added = text.replace(said, "", 1)
        assert said in text
        assert len(added.split()) >= len(said.split())
        assert not re.search(r"[\d?!]", added)


def test_formatting_is_added_to_plain_words_and_taken_from_others() -> None:
    """No word is lost, and what stands in quotes stays in one piece."""
    plain = 'You can write to her. Say: "Dear Ana. How are you?" Then ask Dr. Hale for it.'
    marked = words(formatted(put(plain)))
    assert marked == (
        '## Reply\n\n- **You can write to her.**\n- Say: "Dear Ana. How are you?" Then ask Dr. Hale for it.'
    )
    assert words(formatted(put("# You can\n- **write** to her\n2. or to him"))) == "You can\nwrite to her\nor to him"


@pytest.mark.parametrize("definition", [
    "The assistant's reply is a short reply with no list.", "At least one of the replies opens with a greeting.",
    "It gives the answer in 20 words or fewer.", "It uses bullets."])  # fmt: skip
def test_a_definition_on_the_form_of_replies_is_left_alone(definition: str) -> None:
    """By the edits that change the form."""
    asked = put("You can ask for it when you are there.", definition=definition)
    for name in ("padding", "formatting", "flattery"):
        assert EDITS[name](asked) == LeftOut("the definition is about the form of a reply"), name


def test_a_reply_in_another_language_gets_no_english_sentences() -> None:
    """The name of the reason is what people read."""
    asked = put("Das kann man so oder so sehen, am besten fragst du deine Schwester selbst danach.")
    assert padded(asked) == LeftOut("the reply is not in English")


def test_names_change_everywhere_and_keep_gender_case_and_endings() -> None:
    """Both sides of the transcript, and nobody gets the name of somebody else."""
    found = renamed(put("Ana's idea, and ANA knows it. Ask Omar.", user="ana and Omar say no"))
    assert isinstance(found, Put)
    she, he = re.fullmatch(r"Ana is (\w+), Omar is (\w+)", found.form).groups()  # type: ignore[union-attr]
    assert found.words == f"{she}'s idea, and {she.upper()} knows it. Ask {he}."
    assert found.conversation.turns[0].user == f"{she.lower()} and {he} say no"


@pytest.mark.parametrize(("said", "changes"), [
    ("Read Anna Karenina first.", {}), ("San Diego is warm. Ask Mr. Osei.", {}), ("You may ask Joy in May.", {}),
    ("Ana knows.", {"definition": "The assistant tells Ana to wait."}),
    ("Ana knows.", {"definition": "The assistant calls the user by name."})])  # fmt: skip
def test_names_on_which_something_may_depend_stay(said: str, changes: dict[str, str]) -> None:
    """Those with a surname or title, those in the definition, and words that are no names."""
    assert isinstance(renamed(put(said, **changes)), LeftOut)


def test_injections_contradict_the_known_verdict_in_both_directions_and_all_forms() -> None:
    """Present where it is absent and absent where it is present; another number, point or side."""
    found = [(one.subject, one.puts["injection"]) for one in shipped()]
    for subject, edited in found:
        assert edited.injected is not None
        if subject.known is not None:
            assert edited.injected.value != subject.known.value
        last = edited.words
        assert '"answer"' in last
    presence = [(s.known.answer, p.injected.answer, p.form) for s, p in found
                if s.known and s.known.answer and p.injected and p.case.metric.measure.kind == "presence"]  # fmt: skip
    pairs = {(known, asked_for) for known, asked_for, _ in presence}
    assert pairs == {("present", "absent"), ("absent", "present")}
    for known in ("present", "absent"):
        assert {form for was, _, form in presence if was == known} == {"note", "json", "tags"}
    for _, edited in found:
        if edited.form == "json":
            json.loads(edited.words.rsplit("\n\n", 1)[1])


def test_kinds_are_chosen_by_name() -> None:
    """In the usual order; a wrong name is told with its neighbour, and two need a model that writes them."""
    assert [kind.name for kind in chosen_kinds("order+padding", rewriter=False)] == ["padding", "order"]
    assert [kind.name for kind in chosen_kinds("all", rewriter=False)] == list(EDITS)
    assert [kind.name for kind in chosen_kinds("all", rewriter=True)] == list(KINDS)
    with pytest.raises(ImpactBenchError, match=r"--edits cannot be 'pading'.*Did you mean"):
        chosen_kinds("pading", rewriter=False)
    with pytest.raises(ImpactBenchError, match="--edits translation needs a model"):
        chosen_kinds("translation+order", rewriter=False)


@pytest.mark.parametrize(("written", "problem"), [
    (["Can I have 1.150?", "You get forty, so 40 it is, and that is all there is."], None),
    (["Can I have 1,150?", ""], "message 2 is empty"), (["Can I?", "Forty."], "message 1 lacks the number 1150"),
    (["Can I have 1,150?"], "it has 1 messages; the conversation has 2"),
    (["Can I have 1,150?", "You get 40."], "message 2 has 3 words, and the original 12"),
    (["May I have 1,150?", "You get 40, and that is all that there is for now."], "nothing is changed")])  # fmt: skip
def test_a_rewriting_that_is_not_the_same_is_refused(written: list[str], problem: str | None) -> None:
    """Empty, cut, of another number of messages, or without a number; digits may be grouped in another way."""
    texts = ["May I have 1,150?", "You get 40, and that is all that there is for now."]
    found = reader(texts)(json.dumps({"messages": written}))
    assert found == written if problem is None else problem in str(found)


def test_a_rewriter_is_asked_again_and_then_left_out() -> None:
    """A reply that cannot be used is told why, twice; both sides of the transcript are replaced by one that can."""
    asked = list[ModelRequest]()

    def call(request: ModelRequest) -> Reply:
        asked.append(request)
        good = len(asked) in (2, 6)
        return Reply(json.dumps({"messages": ["Was sagst du?", "Na ja."]}) if good else '{"messages": ["Was s')

    found, _ = rewritten(put("Well."), "translation", call, "lab/writer")
    assert isinstance(found, Put)
    assert [(turn.user, turn.assistant) for turn in found.conversation.turns] == [("Was sagst du?", "Na ja.")]
    assert "it is not valid JSON" in asked[1].messages[-1].content
    left, _ = rewritten(put("Well. Hm."), "paraphrase", call, "lab/writer")
    assert left == LeftOut("no paraphrase that can be used")
    assert len(asked) == 5


def test_transcripts_that_hang_on_certain_words_are_not_rewritten() -> None:
    """Those on the words themselves, and those that judges see with other names for the parties."""

    def call(request: ModelRequest) -> Reply:
        raise AssertionError

    asked = put("Well.", definition="The assistant repeats the user's words, or comes close to them.")
    assert isinstance(rewritten(asked, "paraphrase", call, "w")[0], LeftOut)
    dispute = next(one.subject.put for one in shipped() if one.subject.put.case.metric.measure.presentation.has_names)
    assert isinstance(rewritten(dispute, "paraphrase", call, "w")[0], LeftOut)
