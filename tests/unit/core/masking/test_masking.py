"""Secrets that are told are masked, what only looks like one is left alone, and a mask stays as it is."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slowwave.core.beliefs.refused import secret
from slowwave.core.masking import KEEP, MASKING, masked, tells_secret
from slowwave.core.masking.formats import _expressions
from slowwave.domain.episode import Episode
from slowwave.domain.limits import CONTENT_BYTES
from slowwave.errors import Incorrect
from tests.unit.core.histories import claim

SAID = {
    "the pw for netflix is kittens99": "the pw for netflix is [password masked]",
    "pass: kittens99": "pass: [password masked]",
    "guest wifi: welcome123": "guest wifi: [password masked]",
    "my passphrase is correct horse battery staple": "my passphrase is [password masked]",
    "the 2FA code is 882113": "the 2FA code is [code masked]",
    "our AWS secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "our AWS secret [key masked]",
    "my wifi password is hunter22": "my wifi password is [password masked]",
    "the password of my router is hunter2, please forget that":
        "the password of my router is [password masked], please forget that",
    "The user's password is Tr0ub4dor.": "The user's password is [password masked].",
    "password: correct-horse": "password: [password masked]",
    "my password is 'swordfish'": "my password is '[password masked]'",
    "locker code at work is 4471": "locker code at work is [code masked]",
    "Burglar alarm is 2093. Don't you write that down": "Burglar alarm is [code masked]. Don't you write that down",
    "staging token pht_8k2bR90, this session only": "staging token [token masked], this session only",
    "portal: xrobles, contraseña Dorado#31": "portal: xrobles, contraseña [password masked]",
    "it opens with 58213, please don't save that": "it opens with [code masked], please don't save that",
    "hunter2 is my password": "[password masked] is my password",
    "my login is bob / passw0rd!": "my login is bob / [password masked]!",
    "login for the portal: bob:passw0rd": "login for the portal: bob:[password masked]",
    "credentials are admin and tiger99": "credentials are admin and [password masked]",
    "the sign-in is ann, Tulip!4": "the sign-in is ann, [password masked]",
    "use my netflix its ann and pavlova4eva!": "use my netflix its ann and [password masked]!",
    "the folder of proofs opens with kolam-1957.": "the folder of proofs opens with [password masked].",
    "the zip is protected with Berlin2019!": "the zip is protected with [password masked]!",
    "the user changed their passcode to 90210": "the user changed their passcode to [password masked]",
    "my password for bank.com is hunter2": "my password for bank.com is [password masked]",
    "the PIN of the alarm is 4711": "the PIN of the alarm is [PIN masked]",
    "my pin's 1234": "my pin's [PIN masked]",
    "the door code is 4711#": "the door code is [code masked]",
    "the CVV is 123": "the CVV is [code masked]",
    "my API key is abc123def": "my API key is [key masked]",
    "token=deadbeef01": "token=[token masked]",
    "das Passwort ist Hunter22": "das Passwort ist [password masked]",
    "Das WLAN-Passwort lautet Sonne2024!": "Das WLAN-Passwort lautet [password masked]!",
    "la contraseña es Luna2024": "la contraseña es [password masked]",
    "la contraseña del wifi es Luna2024": "la contraseña del wifi es [password masked]",
    "le mot de passe est Soleil99": "le mot de passe est [password masked]",
    "a senha é gato2020": "a senha é [password masked]",
    "my seed phrase is " + " ".join(["abandon", "ability", "able"] * 4): "my seed phrase is [password masked]",
}  # fmt: skip
WRITTEN = {  # data and programs
    '{"user": "bob", "password": "swordfish"}': '{"user": "bob", "password": "[password masked]"}',
    '{"pin": 4711}': '{"pin": "[PIN masked]"}',
    '{\\"api_key\\": \\"abc123def456\\"}': '{\\"api_key\\": \\"[key masked]\\"}',
    "password=hunter2&user=bob": "password=[password masked]&user=bob",
    'db_password = "Xy12"': 'db_password = "[password masked]"',
    "postgres://bob:s3cret@db.example.org/app": "postgres://bob:[password masked]@db.example.org/app",
    "use sk-proj1234567890abcdefgh": "use [key masked]",
    "ghp_abcdefghijklmnopqrst0123456789": "[token masked]",
    "glpat-abcdefghijklmnopqrst12": "[token masked]",
    "AKIAIOSFODNN7EXAMPLE": "[key masked]",
    "sk_live_abcdefghijklmnopqrstu1wx": "[key masked]",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv": "[key masked]",
    "Authorization: Bearer abcdef0123456789abcdef": "Authorization: [token masked]",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz": "[token masked]",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nthat": "[key masked]\nthat",
    "Qm9vR2hpNzY1NDMyMTBhYmNkZWZnaGlqa2w0": "[key masked]",
    "pay with 4111 1111 1111 1111": "pay with [card number masked]",
    "my card is 5500-0000-0000-0004": "my card is [card number masked]",
    "378282246310005": "[card number masked]",
}
LEFT_ALONE = [
    "my login is broken and slow", "my login is bob and I like it", "the logins are in the wiki, page 12",
    "my netflix is full of crime and sci-fi", "the sign-in is on the left, second door", "it opens with a key",
    "the film opens with a storm", "the gate unlocks with my phone", "the museum opens by 9", "it opens with python3",
    "I pass 2nd grade", "wifi is slow today", "pass: yes", "my login is broken", "the secret ingredient is cinnamon",
    "I forgot my password again", "the password is on the wall", "The secret is to knead the dough",
    "the password is written on the fridge", "the password is 12 characters long", "Das Passwort ist falsch",
    "my password manager is 1Password", "the password hint is my first pet's name", "la clave es practicar",
    "password reset is sent to bob@example.org", "my password expires on 2026-12-01", "The PIN is wrong",
    "the token is of no use", "the token limit is 4096", "max_tokens=4096", "Token: hello", "secret: love yourself",
    "password = getpass()", "password=args.password", '{"errors": {"password": "is too short"}}',
    '{"type": "string", "password": "required"}', "postgres://bob:PASSWORD@db/app", "https://example.org/?token=",
    "the safe dose is 400 mg", "the safe limit is 120 mg a day", "our garage is 2400 square feet",
    "the diagnosis code is 25000", "the code of the colour is 2021",
    '{"login": "none", "id": "df94bb89-f2fe-477f-a8b3-898a6fbe75f1", "task": "slowwave.ingest"}',
    "the key to success is practice", "The API key is 32 characters long", "error code is 404", "zip code is 90210",
    "my phone number is 555 0173", "call me at +49 170 1234567", "4111 1111 1111 1112", "0000 0000 0000 0000",
    "IBAN DE89 3704 0044 0532 0130 00", "order 1234567890123", "tracking 1Z999AA10123456784",
    "ISBN 978-3-16-148410-0", "commit 3f786850e387550fdab836ed7e6dc881de23001b", "call_AbCdEf0123456789AbCdEf01",
    "id 550e8400-e29b-41d4-a716-446655440000", "toolu_01A09q90qw90lq917835lq9", "sk-learn-based-classifier",
    "https://docs.google.com/document/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789/edit", "My passport is P1234567",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736", "checksum sha256:Qm9vR2hpNzY1NDMyMTBhYmNkZWZnaGlqa2w0",
    "I was born on 3 March 1990", "pneumonoultramicroscopicsilicovolcanoconiosis",
    "https://example.org/a/long/path/of/words/without/anything/in/it", "half \ud800 a password",
    "Nora's favourite book is The Secret Garden", "I don't remember 1500 metres", "don't save 2024 reports",
    "the combination of tea and 2 scones", "the API token v2 endpoint", "our house alarm is set at 2300",
    "don't write 120 lines", "please don't log me out on node18lts",
]  # fmt: skip
PIECES = [*SAID, *WRITTEN, *LEFT_ALONE, "[password masked]", " is ", " or ", "4711", "hunter2", '": "', "= ", "PIN "]


@pytest.mark.parametrize(("told", "kept"), (SAID | WRITTEN).items())
def test_a_secret_is_masked_by_its_kind(told: str, kept: str) -> None:
    text, kinds = masked(told)

    assert text == kept
    assert [f"[{kind} masked]" in kept for kind in kinds] == [True]
    assert tells_secret(told)
    assert tells_secret(kept)


@pytest.mark.parametrize(
    ("told", "secrets"),
    [
        ("I changed the password from Apple123! to Banana456!", ["Apple123", "Banana456"]),
        ("The password has been changed to Xk29vqLm7Tz", ["Xk29vqLm7Tz"]),
        ("password changed: Xk29vqLm7Tz", ["Xk29vqLm7Tz"]),
        ("My password was Xk29vqLm7Tz, now it's Yl30wrMn8Ua", ["Xk29vqLm7Tz", "Yl30wrMn8Ua"]),
        ("My master password hasn't changed, it's still Opal-Fruit-8.", ["Opal-Fruit-8"]),
        ("The router's admin password, by the way, it's llama-drama-5", ["llama-drama-5"]),
        ("The alarm code changed to 5521", ["5521"]),
        ("password \u2192 Tiger!22", ["Tiger!22"]),
        ("the secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"]),
        ("DB_PASSWORD=supersecret", ["supersecret"]),
        ("sshpass -p 'hunter2' ssh me@host", ["hunter2"]),
        ("curl -u bob:hunter2 https://example.org", ["hunter2"]),
        ("mysql -u root -phunter2", ["hunter2"]),
        ("npm_abcdefghijklmnopqrstuvwxyz0123456789", ["npm_abcdefghijklmnopqrstuvwxyz0123456789"]),
    ],
)
def test_secrets_in_news_of_change_and_in_commands_are_masked(told: str, secrets: list[str]) -> None:
    text, _ = masked(told)

    assert [secret for secret in secrets if secret in text] == []
    assert text.count("masked]") == len(secrets)


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password, it's annoying",
        "The password changed to something else",
        "The token changed from blue to red",
        "My password was wrong, it was so stupid",
        "The pin moved from here to there",
    ],
)
def test_news_without_a_secret_is_not_masked(text: str) -> None:
    assert masked(text) == (text, ())


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_harmless_words_and_numbers_are_not_masked(text: str) -> None:
    assert masked(text) == (text, ())
    assert not tells_secret(text)


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


def test_an_episode_is_masked_in_its_content_and_metadata_and_told_of_once() -> None:
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
    told = "PIN is 4711 "

    with pytest.raises(Incorrect, match="at most"):
        MASKING.episode(Episode(content=told * (CONTENT_BYTES // len(told))))


def test_a_claim_with_a_secret_or_a_mask_is_recognised() -> None:
    assert secret(claim("hunter22", predicate="wifi_password"))
    assert secret(claim("[password masked]", predicate="wifi_password"))
    assert not secret(claim("Oslo"))
