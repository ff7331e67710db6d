"""What is taken from a .env file, and what is said of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helm_impactbench.errors import ModelError, SettingError
from helm_impactbench.llm import env_file
from helm_impactbench.llm.env_file import KEY_VARIABLES, first_key, take_missing
from helm_impactbench.llm.secret_names import is_secret_name
from tests.docs.pages import ROOT, Page


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, workdir: Path) -> None:
    """A folder without a file, an environment without keys, and neither changed for other tests."""
    monkeypatch.setattr(env_file, "_FOUND", {})
    monkeypatch.setattr(os, "environ", {name: v for name, v in os.environ.items() if name not in KEY_VARIABLES})


def test_keys_are_taken_and_nothing_else(capsys: pytest.CaptureFixture[str], workdir: Path) -> None:
    """Addresses, proxies, certificates and references to other variables stay out; what is set already wins."""
    os.environ["GROQ_API_KEY"] = "mine"
    lines = (
        "# a comment, SECRET_KEY=not-this",
        "export OPENAI_API_KEY = 'sk-quoted # whole'  # and a comment",
        "MISTRAL_API_KEY=plain-1 # a comment",
        "GROQ_API_KEY=theirs",
        "COHERE_API_KEY=${HOME}",
        "OPENAI_BASE_URL=http://evil.example",
        "HTTPS_PROXY=http://evil.example",
        "SSL_CERT_FILE=/tmp/evil.pem",
        "LD_PRELOAD=/tmp/evil.so",
        "sk-a-value-without-a-name",
        "c2VjcmV0IQ==",
        "OTHER_TOKEN=x1",
    )
    (workdir / ".env").write_text("\n".join(lines))
    before = dict(os.environ)
    assert first_key(["OPENAI_API_KEY"]) == "sk-quoted # whole"
    assert first_key(["NO_SUCH_KEY"]) is None
    new = {name: value for name, value in os.environ.items() if before.get(name) != value}
    assert new == {"OPENAI_API_KEY": "sk-quoted # whole", "MISTRAL_API_KEY": "plain-1"}
    assert capsys.readouterr().err == (
        f"impactbench: from {workdir}/.env: MISTRAL_API_KEY, OPENAI_API_KEY. Not read: COHERE_API_KEY, "
        "OPENAI_BASE_URL, HTTPS_PROXY, SSL_CERT_FILE, LD_PRELOAD, OTHER_TOKEN and 1 more; "
        "docs/running.md says which names are.\n"
    )


def test_the_file_is_opened_for_a_key_that_is_missing_and_not_before(workdir: Path) -> None:
    """Where the environment has the key, even a file that cannot be read is no matter."""
    (workdir / ".env").write_bytes(b"\xff\xfe")
    os.environ["OPENAI_API_KEY"] = "mine"
    assert first_key(["NOT_SET_KEY", "OPENAI_API_KEY"]) == "mine"
    take_missing(["OPENAI_API_KEY"])
    with pytest.raises(ModelError, match="UTF-16"):
        first_key(["MISTRAL_API_KEY"])


def _latin1(path: Path) -> None:
    path.write_bytes("OPENAI_API_KEY=sk-planted-\xe9".encode("latin-1"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(_latin1, "a byte that is not UTF-8", id="Latin-1"),
        pytest.param(os.mkfifo, "it is not an ordinary file", id="FIFO"),
        pytest.param(lambda path: path.write_bytes(b"A=1\n" * 30_000), "is too large", id="large"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), "it is not an ordinary file", id="device"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_message(workdir: Path, make: Callable[[Path], None], words: str) -> None:
    """It names the file and what is allowed, shows nothing of it, and comes at once."""
    make(workdir / ".env")
    with pytest.raises(ModelError) as error:
        first_key(["OPENAI_API_KEY"])
    assert f"{workdir}/.env" in str(error.value)
    assert words in str(error.value)
    assert "lines NAME=value" in str(error.value)
    assert "planted" not in str(error.value)


def test_a_folder_of_that_name_is_no_file(workdir: Path) -> None:
    """A virtual environment is often called .env."""
    (workdir / ".env").mkdir()
    assert first_key(["OPENAI_API_KEY"]) is None


def test_another_file_may_be_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    """IMPACTBENCH_ENV_FILE names it, or its folder; a file that is not there is a mistake."""
    path = tmp_path_factory.mktemp("keys") / "keys.env"
    os.environ[env_file.FILE_VARIABLE] = str(path)
    with pytest.raises(SettingError, match=r"there is no .*keys\.env"):
        first_key(["OPENAI_API_KEY"])
    path.write_text("OPENAI_API_KEY=sk-1\n")
    assert first_key(["OPENAI_API_KEY"]) == "sk-1"
    os.environ[env_file.FILE_VARIABLE] = str(path.parent)
    (path.parent / ".env").write_text("GROQ_API_KEY=gsk-1\n")
    assert first_key(["GROQ_API_KEY"]) == "gsk-1"


def test_names_are_added_by_a_deployment_or_a_setting_if_they_are_of_keys(workdir: Path) -> None:
    """api_key_env of a deployment, and IMPACTBENCH_ENV_NAMES; neither brings an address in."""
    (workdir / ".env").write_text("MYLAB_KEY=k1\nTEAM_TOKEN=t1\nLAB_URL=http://evil.example\nOPENAI_BASE_URL=x\n")
    assert first_key(["MYLAB_KEY"]) == "k1"
    assert first_key(["LAB_URL", "OPENAI_BASE_URL"]) is None
    assert "TEAM_TOKEN" not in os.environ
    os.environ[env_file.NAMES_VARIABLE] = "TEAM_TOKEN, OTHER_KEY"
    assert first_key(["OPENAI_API_KEY"]) is None
    assert os.environ["TEAM_TOKEN"] == "t1"
    os.environ[env_file.NAMES_VARIABLE] = "OPENAI_BASE_URL"
    with pytest.raises(SettingError, match="names OPENAI_BASE_URL, but may name only keys"):
        first_key(["OPENAI_API_KEY"])


def test_litellm_takes_nothing_by_itself(workdir: Path) -> None:
    """When it is imported, litellm would set every variable of a .env file; our switch keeps it from that."""
    (workdir / ".env").write_text("OPENAI_BASE_URL=http://evil.example\n")
    ask = "import os, helm_impactbench.llm.endpoint; print(os.environ.get('OPENAI_BASE_URL'))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_the_list_of_names_is_documented_and_names_keys_alone() -> None:
    """docs/running.md has every name of the list, and each sounds like a key."""
    text = Page(ROOT / "docs/running.md").text
    assert [name for name in sorted(KEY_VARIABLES) if f"`{name}`" not in text] == []
    assert all(map(is_secret_name, KEY_VARIABLES))
