"""News of an end that names a thing in other words than what is believed: a person is asked, and nothing has ended."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from slowwave.core.beliefs.identity import belief_key, identity_of_statement
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import near_things
from slowwave.core.fold import Version
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim, Effect
from slowwave.inference.word_similarity import shipped
from slowwave.rules.predicates import load_predicates, merged
from tests.unit.core.histories import DAY, NOON, claim

MATTERS = Matters(merged(load_predicates()))
SAME, OTHER = (
    [pair.split("/") for pair in part.split()]
    for part in Path(__file__).with_name("things.txt").read_text().split("\n\n")
)
"""Pairs of a thing and another word for it; and pairs of things that people have beside one another."""


def believed(text: str, *, subject: str = "Kofi", position: int = 1) -> Version:
    verb, _, object_ = text.removeprefix(f"{subject} ").partition(" ")
    key = belief_key(subject, *identity_of_statement(verb, text), single_valued=False)
    return Version(
        uuid.uuid5(uuid.NAMESPACE_OID, text), key, subject, verb, object_, Span(NOON), 0.95, position, "s",
        "everyday/did@1", form="statement", text=text,
    )  # fmt: skip


def news(matter: str, *, subject: str = "Kofi", effect: Effect = "end") -> Claim:
    told = claim(matter, predicate="*", mode="end", day=2, position=2, subject=subject)
    return replace(told, effect=effect)


def asked(told: Claim, *beliefs: Version) -> Sequence[str]:
    return [one.text for one in near_things(told, "Kofi", beliefs, MATTERS, shipped().says)]


def share(pairs: Sequence[Sequence[str]], *, both_ways: bool) -> float:
    told = chain(pairs, (pair[::-1] for pair in pairs)) if both_ways else pairs
    found = [bool(asked(news(one), believed(f"Kofi has {thing}"))) for thing, one in told]
    return sum(found) / len(found)


def test_the_least_nearness_finds_other_words_for_a_thing_more_often_than_other_things() -> None:
    assert share(SAME, both_ways=False) > 0.4
    assert share(OTHER, both_ways=True) < 0.1


@pytest.mark.parametrize(
    ("told", "belief"),
    [
        (news("our dog", subject="*"), "Kofi has a labrador called Rex"),
        (news("drinking alcohol"), "Kofi drinks whisky on Sundays"),
        (news("instrument"), "Kofi plays the guitar in a band"),
        (news("reading books"), "Kofi reads novels"),
        (news("car"), "Kofi drives a Toyota"),
    ],
)
def test_a_person_is_asked_about_a_thing_in_other_words(told: Claim, belief: str) -> None:
    assert asked(told, believed(belief), believed("Kofi likes Leeds")) == [belief]


@pytest.mark.parametrize(
    ("told", "belief"),
    [
        (news("our dog", subject="*"), "Kofi has a cat"),
        (news("our dog", subject="*"), "Kofi's sister has a labrador"),
        (news("my sister's dog", subject="*"), "Kofi has a labrador called Rex"),
        (news("our dog", subject="*"), "Kofi has a dog basket"),
        (news("dog"), "Kofi likes labradors"),
        (news("drinking tea"), "Kofi drinks coffee"),
        (news("drinking alcohol"), "Kofi brews beer"),
        (news("playing the guitar"), "Kofi tunes violins"),
        (news("Monday"), "Kofi has Tuesday off"),
        (news("French"), "Kofi learns Spanish"),
        (news("dentist"), "Kofi has a doctor"),
        (news("car"), "Kofi wants to buy a Toyota"),
        (news("yacht", effect="finish"), "Kofi designs boats"),
        (news("our dog", subject="*"), "Kofi has a puppy for the dog"),
    ],
)
def test_nobody_is_asked_about_another_thing(told: Claim, belief: str) -> None:
    assert asked(told, believed(belief)) == []


def test_nobody_is_asked_about_what_another_has_what_is_over_or_what_was_told_in_the_same_turn() -> None:
    dog, labrador = news("our dog", subject="*"), believed("Kofi has a labrador")
    others = [
        believed("Wei has a labrador", subject="Wei"),
        replace(labrador, tense="past"),
        replace(labrador, tense="future"),
        replace(labrador, valid=Span(NOON, NOON + DAY)),
        replace(labrador, valid=Span(NOON + 3 * DAY)),
        replace(labrador, position=2),
    ]

    assert asked(dog, *others) == []
    assert asked(dog, labrador) == [labrador.text]


def test_nobody_is_asked_about_where_somebody_works() -> None:
    bank = believed("Kofi has a bank")

    assert asked(news("mortgage"), bank) == [bank.text]
    assert asked(news("mortgage"), replace(bank, form="typed", predicate="works_at", object="bank")) == []


def test_all_near_things_are_in_one_question() -> None:
    both = [believed("Kofi has a labrador"), believed("Kofi has a puppy")]

    assert asked(news("our dog", subject="*"), *both) == [one.text for one in both]
