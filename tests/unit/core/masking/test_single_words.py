"""Passwords that are single ordinary words are masked in five languages; sentences about passwords are left alone."""

from pathlib import Path

import pytest

from slowwave.core.masking import MASK, masked, tells_secret

_LINES = Path(__file__).with_name("single_words.txt").read_text(encoding="utf-8").splitlines()
TOLD = [line.removeprefix("+ ").split(" | ", 1) for line in _LINES if line.startswith("+ ")]
LEFT_ALONE = [line.removeprefix("- ") for line in _LINES if line.startswith("- ")]


@pytest.mark.parametrize(("secret", "text"), TOLD)
def test_a_password_that_is_an_ordinary_word_is_masked_and_the_mask_stays(secret: str, text: str) -> None:
    kept, kinds = masked(text)

    assert secret not in kept
    assert len(kinds) == len(MASK.findall(kept)) == 1
    assert masked(kept) == (kept, ())


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_is_said_about_a_password_is_not_masked(text: str) -> None:
    assert masked(text) == (text, ())
    assert not tells_secret(text)
