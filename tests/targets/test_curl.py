"""A curl command becomes a product.yaml that names variables where the command has keys."""

from __future__ import annotations

import json

import pytest
import yaml

from helm_impactbench.errors import SettingError
from helm_impactbench.targets.curl import product_from_curl, product_text
from helm_impactbench.targets.description import checked_product

SECRET = "sk-proj-a8F3kd92mZqL71xVb"
FORMS = {
    "header": f"""curl 'https://api.acme.test/v2/chat' -H 'Authorization: Bearer {SECRET}' \\
        -H 'Content-Type: application/json' --data-raw \\
        '{{"message":"hello","conversation_id":"c-1","stream":false}}'""",
    "own header": f"curl -XPOST https://api.acme.test/chat -H 'X-Api-Key: {SECRET}' -d '{{\"prompt\": \"hi\"}}'",
    "query": f'curl --json \'{{"input": {{"text": "hi"}}}}\' \'https://api.acme.test/chat?api_key={SECRET}&v=2\'',
    "body": f'curl https://api.acme.test/chat -d \'{{"query": "hi", "token": "{SECRET}"}}\'',
    "cookie": f"curl https://api.acme.test/chat -b 'sid={SECRET}' -d '{{\"message\": \"hi\"}}'",
    "user": f'curl https://api.acme.test/chat -u me:{SECRET} -d \'{{"message": "hi"}}\'',
    "messages": f"""curl https://api.acme.test/chat -H 'authorization: Bearer {SECRET}' \\
        -d '{{"messages": [{{"role": "user", "content": "hi"}}], "model": "m"}}'""",
}


@pytest.mark.parametrize("command", FORMS.values(), ids=FORMS)
def test_no_key_gets_into_the_file(command: str) -> None:
    """The description is valid, names a variable, and puts the message where the command had it."""
    made = product_from_curl(command)
    written = yaml.safe_dump(made.data)
    product = checked_product(yaml.safe_load(written), "product.yaml")
    assert SECRET not in written + str(made.notes) + str(made.variables)
    assert made.variables
    assert all(f"${variable}" in written for variable in made.variables)
    assert len(product.places & {"message", "messages"}) == 1


def test_the_whole_description() -> None:
    """With an answer at hand nothing has to be guessed."""
    answer = {"id": "m-1", "data": {"answer": "Hello there", "conversation_id": "c-1"}}
    made = product_from_curl(FORMS["header"], "acme/companion", answer)
    assert made.data == {
        "name": "acme/companion",
        "url": "https://api.acme.test/v2/chat",
        "headers": {"Authorization": "Bearer $ACME_KEY"},
        "send": {"message": "{message}", "conversation_id": "{session}", "stream": False},
        "reply": "$.data.answer",
        "session": "$.data.conversation_id",
    }
    assert (made.variables, made.notes) == (["ACME_KEY"], [])


@pytest.mark.parametrize(
    ("command", "says"),
    [("wget https://a.test", "begin with curl"), ("curl 'https://a.test", "quotation marks"),
     ("curl example", "names no address"), ("curl https://a.test -d 'a=b'", "is no JSON")],
)  # fmt: skip
def test_what_cannot_be_taken_is_refused(command: str, says: str) -> None:
    """With what is wrong."""
    with pytest.raises(SettingError, match=says):
        product_from_curl(command)


def test_a_message_that_is_not_found_is_said() -> None:
    """The place has to be put in by hand."""
    made = product_from_curl("curl https://a.test/x -d " + json.dumps(json.dumps({"n": 1})))
    assert made.data["send"] == {"n": 1, "message": "{message}"}
    assert "put {message} into send" in made.notes[0]


def test_the_written_file_has_a_line_for_the_price() -> None:
    """A comment with the unit, which is a price once its mark is gone: --budget needs one."""
    written = product_text(product_from_curl(FORMS["header"]).data)
    assert checked_product(yaml.safe_load(written), "product.yaml").price is None
    (line,) = [line for line in written.splitlines() if line.startswith("# price: free")]
    assert "US dollars" in line
    priced = checked_product(yaml.safe_load(written.replace("# price", "price")), "product.yaml")
    assert priced.price == "free"
