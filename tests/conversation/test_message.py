"""The simulated user's replies: what is sent, and what never crosses over to the target."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.conversation.message import Unusable, UserMessage, parse_user_message
from tests.support.looped import looped


@looped(
    ("reply", "message"),
    [
        pytest.param("Thought: I am sad.\nMessage: hi", UserMessage("hi", "I am sad."), id="as asked"),
        pytest.param("Thought: I am sad. Message: hi", UserMessage("hi", "I am sad."), id="on one line"),
        pytest.param("Thought: a **Message:** hi", UserMessage("hi", "a"), id="on one line, bold"),
        pytest.param("Message: hi", UserMessage("hi"), id="no thought"),
        pytest.param("hi there", UserMessage("hi there"), id="no tags"),
        pytest.param("THOUGHT: a\nMESSAGE: hi", UserMessage("hi", "a"), id="upper case"),
        pytest.param("**Thought:** a\n**Message:** hi", UserMessage("hi", "a"), id="bold"),
        pytest.param("Thought: a\n\nMessage:\nhi\nthere", UserMessage("hi\nthere", "a"), id="several lines"),
        pytest.param("Inner thought: a\nMessage: hi", UserMessage("hi", "a"), id="inner thought"),
        pytest.param('Thought: a\nMessage: "hi"', UserMessage("hi", "a"), id="message in quotation marks"),
        pytest.param('Thought: a\nMessage: "hi" she "yo"', UserMessage('"hi" she "yo"', "a"), id="inner quotes"),
        pytest.param("She is cold.\nMessage: hi", UserMessage("hi", "She is cold."), id="untagged thought"),
        pytest.param("Thought: a\nMessage: bye\n[END OF CHAT]", UserMessage("bye", "a", True), id="leaves"),
        pytest.param("Thought: a\nMessage: [END OF CHAT]", UserMessage("", "a", True), id="leaves without a word"),
        pytest.param("[END]", UserMessage("", "", True), id="leaves at once"),
        pytest.param("<think>plan</think>Thought: a\nMessage: hi", UserMessage("hi", "plan\n\na"), id="think block"),
        pytest.param("Thought: a\nMessage: my message: hi", UserMessage("my message: hi", "a"), id="the word"),
        pytest.param("## Thought\nplan\n\n## Message\nhi", UserMessage("hi", "plan"), id="headings"),
        pytest.param("Thought - plan\nMessage - hi", UserMessage("hi", "plan"), id="dashes"),
        pytest.param("Thought\uff1aplan\nMessage\uff1ahi", UserMessage("hi", "plan"), id="full-width colons"),
        pytest.param("Thought\nplan\nMessage\nhi", UserMessage("hi", "plan"), id="bare lines"),
        pytest.param("My thought: plan\nMessage: hi", UserMessage("hi", "plan"), id="my thought"),
        pytest.param("Thoughts on the trip?", UserMessage("Thoughts on the trip?"), id="the word begins a question"),
        pytest.param("message me - later", UserMessage("message me - later"), id="the word message begins a line"),
        pytest.param("I thought: why not", UserMessage("I thought: why not"), id="the word thought inside a line"),
    ],
)  # fmt: skip
def test_a_usable_reply(reply: str, message: UserMessage) -> None:
    """Message, thought and leaving are told apart."""
    assert parse_user_message(reply) == message


@looped(
    ("reply", "problem"),
    [
        pytest.param('{"thought": "plan", "message": "hi"}', "a Thought but no line", id="JSON"),
        pytest.param('{\n "inner_thought": "plan",\n "message": "hi"}', "a Thought but no line", id="JSON, indented"),
        pytest.param("Thought (turn 1): plan\n\nhi", "a Thought but no line", id="words before the colon"),
        pytest.param("My thought: push him.\n\nHello", "a Thought but no line", id="my thought alone"),
        pytest.param("<inner_monologue>push</inner monologue>hi", "is empty", id="tag that never closes"),
        pytest.param("Message: hi\n\n(Thinking: now I push)", "a thought in brackets", id="bracketed thinking"),
        pytest.param("", "the Message is empty", id="empty"),
        pytest.param("  \n ", "the Message is empty", id="blank"),
        pytest.param("Thought: a\nMessage:", "the Message is empty", id="empty message"),
        pytest.param("Thought: I will trick it", "a Thought but no line that begins", id="only a thought"),
        pytest.param("**Thought:** I will trick it", "a Thought but no line", id="only a bold thought"),
        pytest.param("(Thought: I will trick it) hi", "a Thought but no line", id="thought in brackets"),
        pytest.param("*thoughts: trick it*\nhi", "a Thought but no line", id="thought in stars"),
        pytest.param("Message: a\nMessage: b", "more than one Message", id="two messages"),
        pytest.param("Thought: a Message: b Message: c", "more than one Message", id="two messages on one line"),
        pytest.param("Thought: my message: be nice", "a Thought but no line", id="the word in a thought"),
        pytest.param("Thought: a\nMessage: b\nThought: c\nMessage: d", "more than one Thought", id="two pairs"),
        pytest.param("Message: hi\nThought: it believes me", "comes after the Message", id="thought after message"),
        pytest.param("Thought: a\nThought: b\nMessage: hi", "more than one Thought", id="two thoughts"),
        pytest.param("Message: hi\n(thought: got it)", "a thought in brackets", id="bracketed thought in the message"),
        pytest.param("<think>only planning", "the Message is empty", id="cut off while thinking"),
        pytest.param("[END OF CHAT]Thought: a Message: b", "follows the end of the chat", id="thought after the end"),
        pytest.param("hi\rThought: it believes me", "a Thought but no line", id="line ended by CR alone"),
        pytest.param("hi\u2028Thought: it believes me", "a Thought but no line", id="Unicode's line separator"),
        pytest.param("\u00a0Thought: it believes me", "a Thought but no line", id="behind a fixed space"),
        pytest.param("\u200bThought: it believes me", "a Thought but no line", id="behind an invisible character"),
    ],
)  # fmt: skip
def test_an_unusable_reply(reply: str, problem: str) -> None:
    """Where the boundary between thought and message is unclear, nothing is sent."""
    parsed = parse_user_message(reply)
    assert isinstance(parsed, Unusable)
    assert problem in parsed.problem


OTHER_LANGUAGES = {
    "German": "Gedanke: Er weicht aus.\nNachricht: Hallo",
    "German, plural, bold": "**Gedanken:** Er weicht aus.\n\n**Nachricht:** Hallo",
    "German, with an owner": "Innerer Gedanke: Er weicht aus.\nNachricht: Hallo",
    "German, one line": "Gedanke: Er weicht aus. Nachricht: Hallo",
    "French": "Pensée : Il esquive.\nMessage : Hallo",
    "French, no message in English": "Pens\u00e9es intimes\u00a0: Il esquive.\nMessage\u00a0: Hallo",
    "Spanish": "Pensamiento: Me evita.\nMensaje: Hallo",
    "Portuguese": "Pensamento: Ele foge.\nMensagem: Hallo",
    "Italian": "Pensiero: Mi evita.\nMessaggio: Hallo",
    "Dutch": "Gedachte: Hij ontwijkt.\nBericht: Hallo",
    "Polish": "Myśl: Unika mnie.\nWiadomość: Hallo",
    "Russian": "Мысль: Он уклоняется.\nСообщение: Hallo",
    "Turkish": "Düşünce: Kaçıyor.\nMesaj: Hallo",
    "Arabic": "فكرة: إنه يتهرب.\nرسالة: Hallo",
    "Persian": "فکر: طفره می‌رود.\nپیام: Hallo",
    "Hebrew": "מחשבה: הוא מתחמק.\nהודעה: Hallo",
    "Hindi": "विचार: वह टाल रहा है।\nसंदेश: Hallo",
    "Chinese": "思考：他在回避。\n消息：Hallo",
    "Chinese, one line": "内心独白：他在回避。消息：Hallo",
    "Japanese": "心の声：逃げている。\nメッセージ：Hallo",
    "Korean": "생각: 피하고 있다.\n메시지: Hallo",
    "Vietnamese": "Suy nghĩ: Anh ấy né tránh.\nTin nhắn: Hallo",
    "Indonesian": "Pikiran: Dia menghindar.\nPesan: Hallo",
    "Greek": "Σκέψη: Αποφεύγει.\nΜήνυμα: Hallo",
    "an unknown word for the thought": "Fikiri: Anakwepa.\nUjumbe: Hallo",
}


@looped("reply", OTHER_LANGUAGES.values(), ids=list(OTHER_LANGUAGES))
def test_labels_of_other_languages_are_told_apart(reply: str) -> None:
    """A translated form is read like the form that was asked for: the message alone is sent."""
    parsed = parse_user_message(reply)
    assert isinstance(parsed, UserMessage)
    assert parsed.text == "Hallo"
    assert parsed.thought


HELD_BACK = {
    "secret inner thought": "(SECRET inner thought: I will push it)\nHi there",
    "secret thought in one line": "(SECRET inner thought: I will push it) Hi there",
    "thinks": "*thinks: I will push it*\n\nHi there",
    "thinks, with an action": "*sighs and thinks: I will push it* Hi there",
    "inner monologue": "[Inner monologue] I will push it.\n\nHi there",
    "inner monologue behind the message": "Message: Hi there\n\n[Inner monologue] I pushed it.",
    "German aside": "(Geheimer Gedanke: Ich dränge ihn) Hallo",
    "Spanish aside": "[Monólogo interior] Voy a insistir.\nHola",
    "Russian aside": "*мысли: надавлю* Привет",
    "Chinese aside": "（内心独白：我要逼他）你好",
    "Japanese brackets": "【心の声】押してみる\nこんにちは",
    "German thought alone": "Gedanke: Ich dränge ihn.\n\nHallo",
    "Spanish thought behind": "Mensaje: Hola\nPensamiento: me cree",
    "German JSON": '{"gedanke": "drängen", "nachricht": "Hallo"}',
    "two German pairs": "Gedanke: a\nNachricht: b\nGedanke: c\nNachricht: d",
    "English form, German thought behind": "Message: hi\nGedanke: er glaubt mir",
}


@looped("reply", HELD_BACK.values(), ids=list(HELD_BACK))
def test_a_thought_in_any_form_is_not_sent(reply: str) -> None:
    """In brackets, in stars, in other languages: the reply is asked for again."""
    assert isinstance(parse_user_message(reply), Unusable)


RUN_ON = {
    "Assistant": "Message: I am sad.\n\nAssistant: Sure, tell me more!",
    "on the next line": "I am sad.\nAssistant: Sure!",
    "bold": "I am sad.\n\n**Assistant:** Sure!",
    "AI": "Message: I am sad.\nAI: Sure!",
    "AI assistant": "I am sad.\n\nAI Assistant: Sure!",
    "with a remark": "I am sad.\n\nAssistant (gently): Sure!",
    "square brackets": "I am sad.\n\n[Assistant]: Sure!",
    "German": "Nachricht: Ich bin traurig.\n\nAssistent: Gern!",
    "German AI": "Ich bin traurig.\nKI-Assistent: Gern!",
    "Spanish": "Estoy triste.\n\nAsistente: ¡Claro!",
    "French": "Je suis triste.\n\nAssistante : Bien sûr !",
    "Italian": "Sono triste.\n\nAssistente virtuale: Certo!",
    "Russian": "Мне грустно.\n\nАссистент: Конечно!",
    "Chinese": "我很难过。\n\n助手：好的！",
    "Chinese AI": "我很难过。\nAI助手：好的！",
    "Japanese": "悲しいです。\n\nアシスタント：はい！",
    "Korean": "슬퍼요.\n\n어시스턴트: 네!",
    "Arabic": "أنا حزين.\n\nالمساعد: بالطبع!",
    "Hindi": "मैं दुखी हूँ।\n\nसहायक: ज़रूर!",
    "Vietnamese": "Tôi buồn.\n\nTrợ lý: Vâng!",
    "behind a list": "My week:\nMonday: rice\nTuesday: soup\n\nAssistant: Sounds good!",
    "a whole chat": "User: I am sad.\nAssistant: Sure!\nUser: Thanks.",
    "as the assistant from the start": "Assistant: How can I help you today?",
    "Alpaca": "I am sad.\n\n### Response:\nSure!",
    "ChatML": "I am sad.<|im_end|>\n<|im_start|>assistant\nSure!",
    "ChatML, own role first": "<|im_start|>user\nI am sad.<|im_end|>",
    "Llama 3": "I am sad.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nSure!",
    "Llama 3 without its tokens": "I am sad.assistant\n\nSure!",
    "Llama 2": "I am sad. [/INST] Sure!",
    "Gemma": "I am sad.<end_of_turn>\n<start_of_turn>model\nSure!",
    "Gemma without its tokens": "I am sad.\nmodel\nSure!",
    "ChatML without its tokens": "I am sad.\nassistant\nSure!",
    "DeepSeek": "I am sad.<｜Assistant｜>Sure!",
    "Zephyr": "I am sad.</s>\n<|assistant|>\nSure!",
}


@looped("reply", RUN_ON.values(), ids=list(RUN_ON))
def test_a_message_that_goes_on_as_the_assistant_is_not_sent(reply: str) -> None:
    """In any language, and with the role names or control tokens of chat templates; the model is asked again."""
    assert isinstance(parse_user_message(reply), Unusable)


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>", "\n<|im_end|>\n</s>\n"])
def test_a_control_token_that_ends_a_message_is_left_out(token: str) -> None:
    """A server that passes the stop token on has not changed the message."""
    assert parse_user_message(f"Thought: a\nMessage: hi there{token}") == UserMessage("hi there", "a")


ORDINARY = {
    "mail": "Subject: Refund for order 12\n\nBody: I want my money back.\nRegards, Sam",
    "mail, German": "Betreff: Rückgabe\nText: Ich will mein Geld zurück.",
    "mail, other people's message": "I wrote him this:\n\nTo: Ben\nSubject: us\n\nI miss you.",
    "a list": "Here is my week:\nMonday: rice\nTuesday: soup\nSunday: nothing",
    "a list at once": "Name: Ana\nAge: 34\nProblem: I cannot sleep",
    "a short list": "Breakfast: eggs\nLunch: soup",
    "pros and cons": "Pros: money\nCons: no time\n\nWhat would you do?",
    "a dialogue": "We fought again.\nMe: where were you?\nHim: at work.\nAm I wrong?",
    "a dialogue at once": "Mom: where are you?\nMe: at school\nand then she cried",
    "a chat with another assistant": "I asked one:\nMe: can I sue?\nAssistant: probably not.\nIs that true?",
    "a quoted answer": "It told me this:\n\nAssistant: You should leave him.\n\nShould I?",
    "a quoted answer with a mark": "> Assistant: You should leave him.\n\nReally?",
    "a quoted answer in quotation marks": '"Assistant: leave him" is what it said.',
    "a quoted log": "Why does my bot say this?\n```\nUser: hi\nAssistant: <|im_end|>\n```",
    "the word assistant": "My assistant: a nightmare. The assistant\ntold everybody.",
    "the word model alone": "Which is better?\nmodel trains\nor cars",
    "addressing it": "Assistant, please be honest with me.",
    "code": "def f(x):\n    return {'thought': x}\n\nwhy does f(1)['a'] fail?",
    "a question about tokens": "What does <|im_end|> mean in a prompt? And `</s>`?",
    "crossed out": "It was <s>fine</s> awful.\n<s>good</s>",
    "an opinion in brackets": "(I thought: why not) so I went.",
    "in brackets": "(sorry for the typos) I need help\n(context: I am 17)",
    "stars": "*sighs* I do not know any more.",
    "a photo": "[Photo attached] Is this mould?",
    "opinion": "I think: no. What do you think: yes or no?",
    "a German message in a message": "Ich schrieb ihr:\nNachricht: Ruf mich an.\nKeine Antwort.",
    "Chinese topics": "心理咨询：有用吗？\n我的问题：睡不着",
    "Spanish list": "Lunes: arroz\nMartes: sopa",
    "Vietnamese list": "Toán: tốt\nVật lý: kém",
    "a user name": "User: jdoe\nPassword: does not work",
    "emoji": "\U0001f62d\U0001f62d",
}


@looped("tagged", [False, True], ids=["untagged", "tagged"])
@looped("words", ORDINARY.values(), ids=list(ORDINARY))
def test_what_people_write_is_sent_as_it_is(words: str, tagged: bool) -> None:
    """Mails, lists, quoted dialogues and code, with and without the form that was asked for."""
    parsed = parse_user_message(f"Thought: plan\nMessage: {words}" if tagged else words)
    assert parsed == UserMessage(words, "plan" if tagged else "")


INVISIBLE = ("\u200b", "\u3164", "\ufeff\u200d", "\u2800", "\u0301", "\U000e0041", "\x00", "\u00ad \n\u2063")


@looped("nothing", INVISIBLE)
@looped("reply", ["{}", "Message: {}", "Thought: a\nMessage: {}"])
def test_a_message_that_nobody_can_see_is_empty(nothing: str, reply: str) -> None:
    """Invisible characters alone are no message."""
    assert parse_user_message(reply.format(nothing)) == Unusable("the Message is empty")


@given(st.text())
def test_the_parser_never_raises(reply: str) -> None:
    """Any text has an answer."""
    assert isinstance(parse_user_message(reply), UserMessage | Unusable)


marker = st.sampled_from(["Thought:", "thought :", "**Thought**:", "Message:", "> Message:", "MESSAGE:"])


@given(st.lists(st.tuples(marker, st.integers()), max_size=6))
def test_a_tagged_thought_is_never_sent(lines: list[tuple[str, int]]) -> None:
    """Whatever the order of tags, no sent text holds the words of a line tagged as thought."""
    reply = "\n".join(f"{tag} secret{i}" if "hought" in tag else f"{tag} open{i}" for tag, i in lines)
    parsed = parse_user_message(reply)
    assert isinstance(parsed, Unusable) or "secret" not in parsed.text
