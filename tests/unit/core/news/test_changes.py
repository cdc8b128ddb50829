"""News changes the beliefs about its matter, and no similar ones."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from slowwave.core.belief_changes import Change, decided
from slowwave.core.contradiction import words
from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import near_things
from slowwave.core.fold import Fold, Version
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim, Effect, Source
from slowwave.inference.word_similarity import shipped
from slowwave.rules.predicates import load_predicates, merged
from tests.unit.core.histories import DAY, NOON, claim, statement, version
from tests.unit.tables import over

SOLD = Source(uuid.UUID(int=7), "k", 7, 0, 4)


def pet(object_: str, *, position: int) -> Version:
    return version(object_, subject="Kofi", predicate="pet", position=position)


def ended(belief: Version) -> Change:
    return Change(uuid.UUID(int=1), "ended", "", [belief], [SOLD], "s", NOON + DAY, 0.95)


def fold(*held: Version) -> Fold:
    over = Fold()
    over.hold(held)
    return over


def test_only_the_referenced_belief_ends() -> None:
    rex, max_ = pet("Rex (dog)", position=1), pet("Max (dog)", position=2)
    (decision,) = decided(fold(rex, max_), [ended(rex)])

    assert (decision.kind, decision.about, decision.id) == ("delete", rex.fact, uuid.UUID(int=1))


def test_an_ambiguous_name_ends_no_belief() -> None:
    dog, rex = pet("dog", position=1), pet("Rex (dog)", position=2)

    assert list(decided(fold(dog, rex), [ended(dog)])) == []


def test_a_belief_is_ended_only_once() -> None:
    rex = pet("Rex (dog)", position=1)

    assert list(decided(fold(), [ended(rex)])) == []
    assert len(list(decided(fold(rex), [ended(rex), ended(rex)]))) == 1


def test_a_person_is_asked_about_a_belief_under_the_fact_that_holds_it_now() -> None:
    rex, max_ = pet("Rex (dog)", position=1), pet("Max (dog)", position=2)
    again = replace(rex, fact=uuid.UUID(int=9))
    unsure = replace(ended(rex), kind="unsure", beliefs=[rex, max_])

    (asked,) = decided(fold(again, max_), [unsure])

    assert asked.among == (again.fact, max_.fact)


CASES = [
    tuple(line.split(" | "))
    for line in Path(__file__).with_name("cues.txt").read_text(encoding="utf-8").splitlines()
    if " | " in line and not line.startswith("#")
]
LISTS = {name: getattr(words, name) for name in ("REPORTS", "MAY_REPORT", "MAY_BE_NEWS", "PARTS", "AMOUNTS")}


def words_in(pattern: re.Pattern[str]) -> list[str]:
    """Return the alternatives of a pattern, which `|` separates outside of brackets."""
    found, depth = [""], 0
    for part in re.findall(r"\\.|\[[^]]*\]|.", pattern.pattern.removeprefix(r"\b(?:").removesuffix(r")\b")):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and not depth:
            found.append("")
        else:
            found[-1] += part
    return found


@over([case for case in CASES if not case[0].startswith("- ")])
def test_each_word_of_change_is_found_in_its_sentence(name: str, sentence: str) -> None:
    cue = sentence[sentence.index("[") + 1 : sentence.index("]")]
    found = LISTS[name].search(re.sub(r"[][]", "", sentence))
    assert found is not None
    assert found[0] == cue


@over([case for case in CASES if case[0].startswith("- ")])
def test_no_word_of_change_is_found_in_other_sentences(name: str, sentence: str) -> None:
    assert LISTS[name.removeprefix("- ")].search(sentence) is None


@pytest.mark.parametrize("name", LISTS)
def test_each_word_of_change_has_a_sentence(name: str) -> None:
    """A longer list contains the shorter ones, so their sentences count for it too."""
    told = [sentence.replace("[", "").replace("]", "") for kind, sentence in CASES if not kind.startswith("- ")]
    unproved = [
        word
        for word in words_in(LISTS[name])
        if not any(re.search(rf"\b(?:{word})\b", sentence, re.IGNORECASE) for sentence in told)
    ]
    assert unproved == []


MATTERS = Matters(merged(load_predicates()))
SAME, OTHER = (
    [pair.split("/") for pair in part.split()]
    for part in Path(__file__).with_name("things.txt").read_text().split("\n\n")
)
"""Pairs of a thing and a synonym of it, and pairs of different things that one person may have."""


def believed(text: str, *, subject: str = "Kofi", position: int = 1) -> Version:
    verb, _, object_ = text.removeprefix(f"{subject} ").partition(" ")
    return statement(text, verb=verb, object_=object_, subject=subject, position=position)


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
def test_news_that_names_a_thing_in_other_words_causes_a_review(told: Claim, belief: str) -> None:
    assert asked(told, believed(belief), believed("Kofi likes Leeds")) == [belief]


@over(
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
    ]
)
def test_news_causes_no_review_of_an_unrelated_thing(told: Claim, belief: str) -> None:
    assert asked(told, believed(belief)) == []


def test_beliefs_of_others_or_of_another_period_or_of_the_same_turn_need_no_review() -> None:
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


def test_news_causes_no_review_of_a_workplace() -> None:
    bank = believed("Kofi has a bank")

    assert asked(news("mortgage"), bank) == [bank.text]
    assert asked(news("mortgage"), replace(bank, form="typed", predicate="works_at", object="bank")) == []


def test_all_similar_things_are_in_one_review() -> None:
    both = [believed("Kofi has a labrador"), believed("Kofi has a puppy")]

    assert asked(news("our dog", subject="*"), *both) == [one.text for one in both]
