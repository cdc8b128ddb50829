"""Denials of a claim, of an answer and of the quoted words are told apart."""

import pytest

from tests.unit.model_packs.talks import chunk, claim, only, reading, reasons


@pytest.mark.parametrize(
    ("told", "made"),
    [
        ("I can't wait for the opening", claim(1, "plans", "to attend the opening", "can't wait for the opening")),
        ("It taught me to never give up", claim(1, "decided", "to never give up", "to never give up")),
        ("I own a hoodie that isn't for sale", claim(1, "owns", "a hoodie that isn't for sale", "isn't for sale")),
    ],
)
def test_a_claim_that_denies_the_denied_thing_is_kept(told: str, made: dict[str, object]) -> None:
    assert only(reading(chunk(told.replace("opening", "opening I plan to attend")), made)).form == "typed"


def test_a_claim_that_denies_less_than_its_quotation_is_dropped() -> None:
    said = reading(chunk("I don't like tea without milk"), claim(1, "likes", "tea without milk", "don't like tea"))

    assert reasons(said) == ["it was denied"]


def test_a_denial_answers_a_question_and_confirms_nothing_else() -> None:
    talk = chunk("A: Have you ever been to a poetry slam?", "Nope, never.")

    said = reading(
        talk,
        claim(2, "has never been", "to a poetry slam", "Nope, never", b=1),
        claim(2, "has been", "to a poetry slam", "Nope, never", b=1),
    )

    assert [one.text for one in said.claims] == ["The user has never been to a poetry slam"]
    assert reasons(said) == ["only the assistant said it"]
