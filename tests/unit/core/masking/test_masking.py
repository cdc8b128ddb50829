"""Masking replaces secrets, leaves harmless text unchanged, and does not change a masked text."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slowwave.core.beliefs.refused import secret
from slowwave.core.masking import KEEP, MASK, MASKING, masked, tells_secret
from slowwave.core.masking.formats import _expressions
from slowwave.domain.episode import Episode
from slowwave.domain.limits import CONTENT_BYTES
from slowwave.errors import Incorrect
from tests.unit.core.histories import claim
from tests.unit.tables import over, table

ROWS = table(__file__)

LEFT_ALONE = [*ROWS["harmless"], "half \ud800 a password"]
_LINES = Path(__file__).with_name("single_words.txt").read_text(encoding="utf-8").splitlines()
SINGLE_WORDS = [line.removeprefix("+ ").split(" | ", 1) for line in _LINES if line.startswith("+ ")]
ABOUT_PASSWORDS = [line.removeprefix("- ") for line in _LINES if line.startswith("- ")]
MASKED = ROWS["masked"] | ROWS["masked_data"]
PIECES = [*MASKED, *LEFT_ALONE, "[password masked]", " is ", " or ", "4711", "hunter2", '": "', "= ", "PIN "]


@over(MASKED.items())
def test_a_secret_is_masked_by_its_kind(told: str, kept: str) -> None:
    text, kinds = masked(told)

    assert text == kept
    assert [f"[{kind} masked]" in kept for kind in kinds] == [True]
    assert tells_secret(told)
    assert tells_secret(kept)


@over(ROWS["everyday"])
def test_a_secret_in_everyday_words_is_masked(text: str, secret: str) -> None:
    kept, kinds = masked(text)

    assert secret not in kept
    assert kinds
    assert masked(kept) == (kept, ())


@over(SINGLE_WORDS)
def test_a_password_that_is_an_ordinary_word_is_masked(secret: str, text: str) -> None:
    kept, kinds = masked(text)

    assert secret not in kept
    assert len(kinds) == len(MASK.findall(kept)) == 1
    assert masked(kept) == (kept, ())


@over(ROWS["secrets_in_news_of_change_and_in_commands_are_masked"])
def test_secrets_in_news_of_change_and_in_commands_are_masked(told: str, secrets: list[str]) -> None:
    text, _ = masked(told)

    assert [secret for secret in secrets if secret in text] == []
    assert text.count("masked]") == len(secrets)


@pytest.mark.parametrize("text", ROWS["news"])
def test_news_without_a_secret_is_not_masked(text: str) -> None:
    assert masked(text) == (text, ())


@over([*LEFT_ALONE, *ABOUT_PASSWORDS])
def test_harmless_words_and_numbers_are_not_masked(text: str) -> None:
    assert masked(text) == (text, ())
    assert not tells_secret(text)


@pytest.mark.parametrize(
    "part",
    [
        "code 4711, ", "code 1-", "pin 12 12 ", "seed words abc ", "[code masked] code 4711 ", "wifi is abc ",
        "the password for it is wrong ", "password changed ", "login: ", "pass|x\n", "a@b!",
    ],
)  # fmt: skip
def test_a_text_of_the_largest_size_is_masked_in_time(part: str) -> None:
    text = part * (CONTENT_BYTES // 4 // len(part))

    kept, kinds = masked(text)

    assert bool(kinds) == (kept != text)


@example("pay with 4111 1111 1111 1111-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----")
@example("my password is 'swordfish'the CVV is 123Token: hello")
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=6).map("".join))
def test_masking_a_masked_text_changes_nothing(text: str) -> None:
    once, kinds = masked(text)

    assert masked(text) == (once, kinds)
    assert masked(once) == (once, ())
    assert bool(kinds) == (once != text)


@given(
    st.dictionaries(st.sampled_from(["password", "api_key", "note", "pin"]), st.sampled_from(PIECES) | st.integers())
)
def test_masked_json_is_valid_and_masking_it_again_changes_nothing(value: dict[str, Any]) -> None:
    once = MASKING.value(value)

    assert MASKING.value(once) == once
    json.loads(masked(json.dumps(value))[0])


def test_a_deeply_nested_secret_is_masked() -> None:
    deep: Any = {"password": "swordfish", "n": [1.5, None]}
    for _ in range(300):
        deep = [deep]

    found = json.dumps(MASKING.value(deep))

    assert found == json.dumps(deep).replace("swordfish", "[password masked]")


def test_the_expressions_of_the_detector_are_found() -> None:
    assert len(_expressions()) > 40


def test_only_a_text_that_resembles_a_secret_loads_the_detector() -> None:
    code = (
        "import sys; from slowwave.core.masking import masked; masked('my password is hunter2, the token of 2024'); "
        "assert 'detect_secrets' not in sys.modules; masked('ghp_abcdefghijklmnopqrst0123456789'); "
        "assert 'detect_secrets' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_an_episode_is_masked_in_content_and_metadata_and_each_kind_is_reported_once() -> None:
    told = Episode(
        content="the password is hunter22",
        key="m-1",
        speaker="Ann",
        metadata={"note": "the password is hunter22", "call": {"args": {"api_key": "abc123def"}}, "id": "a"},
    )

    kept, kinds = MASKING.episode(told)

    assert kinds == ("key", "password")
    assert kept.content == "the password is [password masked]"
    assert kept.metadata == {
        "note": "the password is [password masked]",
        "call": {"args": {"api_key": "[key masked]"}},
        "id": "a",
        "speaker": "Ann",
    }
    assert (kept.key, kept.speaker) == ("m-1", "Ann")
    assert MASKING.episode(kept) == (kept, ())
    assert KEEP.episode(told) == (told, ())


def test_calls_of_tools_keep_the_ids_that_join_them_to_their_answers() -> None:
    call = {"id": "call_AbCdEf0123456789AbCdEf01", "function": {"name": "login", "arguments": '{"password": "x7Kp"}'}}

    kept = MASKING.value({"tool_calls": [call], "tool_call_id": "AbCdEf0123456789AbCdEf01"})

    assert kept["tool_calls"][0]["id"] == call["id"]
    assert kept["tool_call_id"] == "AbCdEf0123456789AbCdEf01"
    assert json.loads(kept["tool_calls"][0]["function"]["arguments"]) == {"password": "[password masked]"}


def test_an_episode_too_long_after_masking_is_refused() -> None:
    told = Episode(content=("PIN is 4711 " * 100).ljust(CONTENT_BYTES, "a"))

    with pytest.raises(Incorrect, match="at most"):
        MASKING.episode(told)


def test_a_claim_with_a_secret_or_a_mask_is_recognised() -> None:
    assert secret(claim("hunter22", predicate="wifi_password"))
    assert secret(claim("[password masked]", predicate="wifi_password"))
    assert not secret(claim("Oslo"))
