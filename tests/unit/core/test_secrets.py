"""Secrets told in talk are seen, and what only looks like one is left alone."""

import pytest

from slowwave.core.beliefs.secrets import tells_secret


@pytest.mark.parametrize(
    "text",
    [
        "my wifi password is hunter22",
        "The user's password is Tr0ub4dor",
        "password: correct-horse",
        "the PIN code for my card is 4711",
        "my API key is abc123def",
        "token=deadbeef01",
        "the user changed their passcode to 90210",
        "use sk-proj1234567890abcdefgh",
        "ghp_abcdefghijklmnopqrst0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "pay with 4111 1111 1111 1111",
        "my card is 5500-0000-0000-0004",
        "378282246310005",
        "-----BEGIN RSA PRIVATE KEY-----",
        "Qm9vR2hpNzY1NDMyMTBhYmNkZWZnaGlqa2w0",
    ],
)
def test_a_secret_is_seen(text: str) -> None:
    assert tells_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password again",
        "the password is on the wall",
        "The secret is to knead the dough",
        "my phone number is 555 0173",
        "4111 1111 1111 1112",
        "0000 0000 0000 0000",
        "the token is of no use",
        "order 1234567890123",
        "I was born on 3 March 1990",
        "pneumonoultramicroscopicsilicovolcanoconiosis",
        "https://example.org/a/long/path/of/words/without/anything/in/it",
        "Nora's favourite book is The Secret Garden",
    ],
)
def test_other_words_and_numbers_are_none(text: str) -> None:
    assert not tells_secret(text)
