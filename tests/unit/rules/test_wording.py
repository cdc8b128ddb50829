"""Typed facts are whole sentences, with the user's name once it is known."""

from dataclasses import replace

import pytest

from slowwave.core.fold import Decision, Fold
from slowwave.domain.claim import Claim, Mode
from slowwave.rules.predicates import load_predicates, merged
from tests.unit.core.histories import DAY, NOON, claim, decided

SHARED = merged(load_predicates())
NAMED = claim("Nora", predicate="name", single_valued=True)


def told(*claims: Claim, called: str | None = None) -> tuple[Fold, list[Decision]]:
    """Return the fold after *claims* in this order, and its decisions."""
    numbered = [replace(one, ordinal=n, source=claim(position=n).source) for n, one in enumerate(claims, 1)]
    return decided(numbered, Fold(predicates=SHARED, called=called))


def texts(fold: Fold) -> list[str]:
    return [version.text for version in fold.believed(NOON + 9 * DAY)]


def test_a_fact_without_a_known_name_says_the_user() -> None:
    fold, decisions = told(claim("Oslo"), claim("went on a hike (2026-04-03)", predicate="did"))

    assert texts(fold) == ["The user lives in Oslo", "The user went on a hike on 3 April 2026"]
    assert [decision.claim.text for decision in decisions] == texts(fold)


def test_a_known_name_appears_in_later_facts() -> None:
    fold, _ = told(claim("tea", predicate="likes"), NAMED, claim("Oslo"), claim("Rome", subject="user's sister"))

    assert texts(fold) == [
        "The user likes tea",
        "The user's name is Nora",
        "Nora lives in Oslo",
        "Nora's sister lives in Rome",
    ]


def test_a_replaced_name_appears_in_later_facts() -> None:
    fold, _ = told(NAMED, replace(NAMED, object="Noor", valid_from=NOON + DAY), claim("Oslo", day=2))

    assert texts(fold) == ["The user's name is Noor", "Noor lives in Oslo"]


def test_a_name_known_elsewhere_is_used_until_one_is_stated_here() -> None:
    fold, _ = told(claim("Oslo"), replace(NAMED, object="Noor"), claim("tea", predicate="likes"), called="Nora")

    assert texts(fold) == ["Nora lives in Oslo", "The user's name is Noor", "Noor likes tea"]


def test_facts_of_a_named_speaker_contain_the_name() -> None:
    fold, _ = told(claim("Oslo", subject="Nora"), replace(NAMED, subject="Nora"), claim("Rome", subject="Ann"))

    assert texts(fold) == ["Nora lives in Oslo", "The user's name is Nora", "Ann lives in Rome"]


def test_a_name_learned_in_between_does_not_change_the_belief() -> None:
    fold, decisions = told(claim("Oslo"), NAMED, claim("Oslo", day=1), claim("Bergen", day=2))

    assert [decision.kind for decision in decisions] == ["add", "add", "noop", "update"]
    assert decisions[2].about == decisions[0].id
    assert decisions[3].replaces == (decisions[0].id,)
    assert texts(fold) == ["Nora lives in Bergen", "The user's name is Nora"]


def test_the_fingerprint_of_a_belief_does_not_depend_on_its_text() -> None:
    (_, anonymous), (_, named) = told(claim("Oslo")), told(claim("Oslo"), called="Nora")

    assert anonymous[0].opens[0].text != named[0].opens[0].text
    assert anonymous[0].fingerprint == named[0].fingerprint


@pytest.mark.parametrize(
    ("mode", "kind", "text"), [("end", "noop", "Nora does not like tea"), ("forget", "noop", "Nora likes tea")]
)
def test_a_noop_keeps_the_words_of_its_claim(mode: Mode, kind: str, text: str) -> None:
    _, (decision,) = told(replace(claim("tea", predicate="likes"), mode=mode), called="Nora")

    assert (decision.kind, decision.claim.text) == (kind, text)


def test_an_ending_has_the_text_of_the_ended_fact() -> None:
    _, (_, ended) = told(
        claim("Rex (dog)", predicate="pet"), claim("dog", predicate="pet", mode="end", day=1), called="Nora"
    )

    assert (ended.kind, ended.claim.text) == ("delete", "Nora has a dog called Rex")


def test_a_claim_with_a_text_keeps_it() -> None:
    fold, _ = told(replace(claim("Oslo"), text="Nora lives in Oslo since March 2021"))

    assert texts(fold) == ["Nora lives in Oslo since March 2021"]
