"""Reconsideration ends beliefs that news contradicts but does not mention."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import pytest

from slowwave import wiring
from slowwave.domain.job_table import RECONSIDER
from slowwave.store.beliefs.affected_facts import recently_stated
from tests.conftest import NOON
from tests.contract.harness import Harness
from tests.contract.learning.kofi import Kofi
from tests.statements import heavy_parts, settings

__all__ = ["heavy_parts", "settings"]

FLAKY = "The flaky test test_invoice_rounding is driving me crazy at the end of every sprint"
FIXED = "Finally passed test_invoice_rounding, it was DST"
BELIEVED = "The flaky test test_invoice_rounding is driving Kofi crazy at the end of every sprint"


@pytest.fixture
def kofi(harness: Harness) -> Kofi:
    """Kofi, before he says anything."""
    return Kofi(harness)


@pytest.fixture
def developer(kofi: Kofi) -> Kofi:
    """Kofi said that a test is flaky, and a day later that he fixed it; only the first text was consolidated."""
    kofi.tell(FLAKY)
    assert BELIEVED in kofi.believed()
    kofi.say(FIXED, day=1)
    return kofi


def test_news_ends_a_belief_and_the_ledger_folds_to_the_facts(developer: Kofi, harness: Harness) -> None:
    harness.drain()

    assert BELIEVED not in developer.believed()
    assert developer.decided() == [("delete", "slowwave.reconsider/ended@1", ["1-0", "0-0"])]
    assert BELIEVED in [f.text for f in harness.parts.records.facts(developer.scope, as_of=NOON + timedelta(hours=1))]
    assert list(wiring.checks(harness.parts.database).findings(folds=None)) == []


def test_reconsideration_without_news_waits_for_its_cadence(kofi: Kofi, harness: Harness) -> None:
    kofi.tell(FLAKY)

    waiting = "SELECT hastened FROM intents WHERE scope = %s AND job = %s"
    assert harness.rows(waiting, kofi.scope.id, RECONSIDER) == [(False,)]
    assert kofi.fire() == 1
    assert harness.drain() == {"ok": 1}
    assert kofi.decided() == []


@pytest.mark.parametrize("cut", [(0, 1, 2), (2,), (1, 2)])
def test_any_split_into_runs_leaves_the_same_beliefs(kofi: Kofi, cut: Sequence[int]) -> None:
    kofi.tell_daily([FLAKY, "I like tea", FIXED], cut)

    assert kofi.believed() == ["Kofi finally passed test_invoice_rounding", "Kofi likes tea"]
    assert kofi.decided() == [("delete", "slowwave.reconsider/ended@1", ["2-0", "0-0"])]


def test_news_that_has_ended_itself_still_ends_a_belief(harness: Harness) -> None:
    said = [
        "Dr Joglekar keeps my thyroid in order",
        "Dr Joglekar has hung up his stethoscope, and I have been inherited by a Dr Phadke",
        "the stethoscope is gone",
    ]
    held: list[list[tuple[object, ...]]] = []
    for cut in ((0, 1, 2), (2,)):
        kofi = Kofi(harness)
        kofi.tell_daily(said, cut)
        versions = "SELECT text, valid FROM facts WHERE scope = %s AND upper_inf(recorded) ORDER BY text, valid"
        held.append(harness.rows(versions, kofi.scope.id))
        assert ("delete", "slowwave.reconsider/ended@1", ["1-0", "0-0"]) in kofi.decided()

    assert held[0] == held[1]


@pytest.mark.parametrize("cut", [(0, 1, 2), (2,)])
def test_a_replaced_value_ends_a_statement_that_repeats_it(kofi: Kofi, cut: Sequence[int]) -> None:
    kofi.tell_daily(["I work at Tesco", "I work with Wei at Tesco on Sundays", "I work at Aldi now"], cut)
    kofi.night()

    assert kofi.believed() == ["Kofi works at Aldi"]
    assert kofi.decided() == [("delete", "slowwave.reconsider/ended@1", ["2-0", "1-0"])]


def test_a_decided_review_is_not_asked_again(kofi: Kofi) -> None:
    kofi.tell(FLAKY, "The slow test test_invoice_rounding is driving me mad")
    kofi.tell(FIXED, day=1)
    (review,) = kofi.memory.review()
    assert len(review.among) == 2
    kofi.memory.decide(review.number, "reject", by="Ruth")
    before = kofi.believed()
    kofi.tell("I finished the marathon", day=2)

    assert list(kofi.memory.review()) == []
    assert set(before) <= set(kofi.believed())


@pytest.mark.parametrize(("verdict", "over"), [("accept", {"Kofi has a labrador called Rex"}), ("reject", set())])
def test_news_that_names_a_thing_in_other_words_asks_a_person_once(
    kofi: Kofi, harness: Harness, verdict: Literal["accept", "reject"], over: set[str]
) -> None:
    kofi.say("I have a labrador called Rex. I have a cat. My sister has a labrador.")
    kofi.pass_night()
    before = kofi.believed()
    kofi.say("Our dog died.", day=1)
    kofi.pass_night()
    kofi.pass_night()

    (review,) = kofi.memory.review()
    assert review.beliefs == ("Kofi has a labrador called Rex",)
    assert kofi.believed() == before
    kofi.memory.decide(review.number, verdict, by="Ruth")
    kofi.say("I like tea", day=2)
    kofi.pass_night()
    assert list(kofi.memory.review()) == []
    assert set(before) - set(kofi.believed()) == over
    assert list(wiring.checks(harness.parts.database).findings(folds=None)) == []


def test_a_belief_that_comes_late_is_compared_with_news_in_other_words(kofi: Kofi) -> None:
    kofi.tell("Our dog died.", day=1)
    kofi.say("I have a labrador called Rex.")
    kofi.pass_night()

    (review,) = kofi.memory.review()
    assert review.beliefs == ("Kofi has a labrador called Rex",)


def test_news_that_ended_a_belief_causes_no_review_of_a_similar_thing(kofi: Kofi) -> None:
    kofi.tell("I have a labrador called Rex. I have a dog called Max.")
    kofi.say("Our dog died.", day=1)
    kofi.pass_night()

    assert kofi.believed() == ["Kofi has a labrador called Rex"]
    assert list(kofi.memory.review()) == []


def test_repeated_facts_merge_into_one_with_both_sources(kofi: Kofi) -> None:
    kofi.tell("I swim with Wei at the harbour pool on Mondays")
    before = kofi.believed()
    kofi.tell("On Mondays I swim at the harbour pool with Wei", day=1)
    kofi.night()

    assert kofi.believed() == before
    assert [kind for kind, *_ in kofi.decided()] == ["noop", "delete"]
    assert len(before) == 1


def test_a_version_is_held_with_its_tense(kofi: Kofi, harness: Harness) -> None:
    kofi.tell(FIXED)

    with harness.parts.database.tenant(kofi.scope.tenant) as connection:
        (version,) = recently_stated(connection, kofi.scope.id, most=9)
    assert (version.tense, version.ended_by) == ("past", None)
