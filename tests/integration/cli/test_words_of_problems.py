"""What is wrong is told in our words, and how to go on in those of whom it is told: the shell's or Python's."""

import pytest

from slowwave import cli
from slowwave.domain.message import IngestMessage
from slowwave.errors import Incorrect
from slowwave.memory import MemoryScope


def test_an_invalid_client_name_is_explained_in_words() -> None:
    with pytest.raises(Incorrect) as caught:
        IngestMessage.read({"user": "alice", "episodes": [{}], "client": "a b"})

    assert caught.value.problems == ("client: expected 1 to 64 letters, digits, - and _",)


@pytest.mark.parametrize("field", ["roles", "kinds", "sessions"])
def test_text_instead_of_a_list_gives_the_same_message_everywhere(field: str) -> None:
    with pytest.raises(Incorrect) as caught:
        MemoryScope.recall(object.__new__(MemoryScope), "where?", **{field: "user"})  # type: ignore[arg-type]

    assert caught.value.problems == (f"{field}: expected a list, got a single text",)


def test_the_command_names_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["facts", "--tenant", ""])

    said = capsys.readouterr().err
    assert "tenant: is empty" in said
    assert said.rstrip().endswith("`slowwave facts --help` lists its options")
