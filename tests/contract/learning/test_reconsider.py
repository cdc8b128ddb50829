"""Reconsideration ends beliefs that news ended without naming them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, RECONSIDER, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.memory import MemoryScope, due_work
from slowwave.store.beliefs.digest import digest
from slowwave.store.beliefs.held_facts import recently_stated
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.statements import heavy_parts, settings

__all__ = ["heavy_parts", "settings"]

FLAKY = "The flaky test test_invoice_rounding is driving me crazy at the end of every sprint"
FIXED = "Finally passed test_invoice_rounding, it was DST"
BELIEVED = "The flaky test test_invoice_rounding is driving Kofi crazy at the end of every sprint"


def tell(harness: Harness, scope: Scope, *told: str, day: int = 0) -> None:
    """Push a text as Kofi, and request its consolidation."""
    said = [
        Episode(content=text, key=f"{day}-{number}", session=f"s{day}", speaker="Kofi",
                occurred_at=NOON + timedelta(days=day, minutes=number))
        for number, text in enumerate(told)
    ]  # fmt: skip
    harness.parts.push(scope, said)
    due_work.fire(harness.parts, scope.id)


def believed(harness: Harness, scope: Scope) -> Sequence[str]:
    found = harness.parts.records.facts(scope, as_of=NOON + timedelta(days=9))
    return sorted(fact.text for fact in found)


def digest_of(harness: Harness, scope: Scope) -> object:
    with harness.parts.database.tenant(scope.tenant) as connection:
        return digest(connection, scope.id)


def decided(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the decisions of the job: kind, rule, and the cited episodes."""
    return harness.rows(
        "SELECT kind, rule, (SELECT array_agg(s.key ORDER BY s.ordinal) FROM delta_sources s WHERE s.delta = d.id) "
        "FROM deltas d WHERE scope = %s AND pack = '_reconsider' ORDER BY recorded",
        scope.id,
    )


@pytest.fixture
def told(harness: Harness) -> Scope:
    """Kofi said that a test is flaky, and a day later that he fixed it; only the first text was consolidated."""
    scope = somebody()
    tell(harness, scope, FLAKY)
    harness.drain()
    assert BELIEVED in believed(harness, scope)
    tell(harness, scope, FIXED, day=1)
    return scope


def test_news_ends_a_belief_and_the_ledger_folds_to_the_facts(harness: Harness, told: Scope) -> None:
    harness.drain()

    assert BELIEVED not in believed(harness, told)
    assert decided(harness, told) == [("delete", "slowwave.reconsider/ended@1", ["1-0", "0-0"])]
    assert BELIEVED in [f.text for f in harness.parts.records.facts(told, as_of=NOON + timedelta(hours=1))]
    assert list(wiring.checks(harness.parts.database).findings(folds=None)) == []


def test_reconsideration_without_news_waits_for_its_cadence(harness: Harness) -> None:
    scope = somebody()
    tell(harness, scope, FLAKY)
    harness.drain()

    waiting = "SELECT hastened FROM intents WHERE scope = %s AND job = %s"
    assert harness.rows(waiting, scope.id, RECONSIDER) == [(False,)]
    assert harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test") == 1
    assert harness.drain() == {"ok": 1}
    assert decided(harness, scope) == []


def test_the_schedule_lists_reconsideration(harness: Harness) -> None:
    assert f"{RECONSIDER}/cron" in [one.name for one in harness.parts.schedule.schedules()]


def test_a_repeated_reconsideration_changes_nothing(harness: Harness, told: Scope) -> None:
    harness.drain()
    before = digest_of(harness, told)
    harness.rows("DELETE FROM runs WHERE pack = %s", pack_of(RECONSIDER))
    harness.rows(
        "INSERT INTO intents (tenant, scope, job, pack, state, due, hastened, target) "
        "SELECT tenant, scope, 'reconsider', '_reconsider', 'pending', slowwave_now(), true, head FROM scope_heads "
        "WHERE scope = %s",
        told.id,
    )

    assert harness.drain() == {"ok": 1}
    assert len(decided(harness, told)) == 1
    assert digest_of(harness, told) == before


@pytest.mark.parametrize("cut", [(0, 1, 2), (2,), (1, 2)])
def test_any_split_into_runs_leaves_the_same_beliefs(harness: Harness, cut: Sequence[int]) -> None:
    scope, said = somebody(), [FLAKY, "I like tea", FIXED]
    for day, text in enumerate(said):
        tell(harness, scope, text, day=day)
        if day in cut:
            harness.drain()

    assert believed(harness, scope) == ["Kofi finally passed test_invoice_rounding", "Kofi likes tea"]
    assert decided(harness, scope) == [("delete", "slowwave.reconsider/ended@1", ["2-0", "0-0"])]


def test_news_that_has_ended_itself_still_ends_a_belief(harness: Harness) -> None:
    said = [
        "Dr Joglekar keeps my thyroid in order",
        "Dr Joglekar has hung up his stethoscope, and I have been inherited by a Dr Phadke",
        "the stethoscope is gone",
    ]
    held: list[list[tuple[object, ...]]] = []
    for cut in ((0, 1, 2), (2,)):
        scope = somebody()
        for day, text in enumerate(said):
            tell(harness, scope, text, day=day)
            if day in cut:
                harness.drain()
        versions = "SELECT text, valid FROM facts WHERE scope = %s AND upper_inf(recorded) ORDER BY text, valid"
        held.append(harness.rows(versions, scope.id))
        assert ("delete", "slowwave.reconsider/ended@1", ["1-0", "0-0"]) in decided(harness, scope)

    assert held[0] == held[1]


@pytest.mark.parametrize("cut", [(0, 1, 2), (2,)])
def test_a_replaced_value_ends_a_statement_that_repeats_it(harness: Harness, cut: Sequence[int]) -> None:
    scope, said = somebody(), ["I work at Tesco", "I work with Wei at Tesco on Sundays", "I work at Aldi now"]
    for day, text in enumerate(said):
        tell(harness, scope, text, day=day)
        if day in cut:
            harness.drain()
    harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    harness.drain()

    assert believed(harness, scope) == ["Kofi works at Aldi"]
    assert decided(harness, scope) == [("delete", "slowwave.reconsider/ended@1", ["2-0", "1-0"])]


def test_a_decided_review_is_not_asked_again(harness: Harness) -> None:
    scope = somebody()
    tell(harness, scope, FLAKY, "The slow test test_invoice_rounding is driving me mad")
    harness.drain()
    tell(harness, scope, FIXED, day=1)
    harness.drain()
    kofi = MemoryScope(harness.parts, scope)
    (review,) = kofi.review()
    assert len(review.among) == 2
    kofi.decide(review.number, "reject", by="Ruth")
    before = believed(harness, scope)
    tell(harness, scope, "I finished the marathon", day=2)
    harness.drain()

    assert list(kofi.review()) == []
    assert set(before) <= set(believed(harness, scope))


def pass_night(harness: Harness) -> None:
    """Do the due work, then let the job run as at night."""
    harness.drain()
    harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    harness.drain()


@pytest.mark.parametrize(("verdict", "over"), [("accept", {"Kofi has a labrador called Rex"}), ("reject", set())])
def test_news_that_names_a_thing_in_other_words_asks_a_person_once(
    harness: Harness, verdict: Literal["accept", "reject"], over: set[str]
) -> None:
    scope = somebody()
    tell(harness, scope, "I have a labrador called Rex. I have a cat. My sister has a labrador.")
    pass_night(harness)
    before = believed(harness, scope)
    tell(harness, scope, "Our dog died.", day=1)
    pass_night(harness)
    pass_night(harness)

    kofi = MemoryScope(harness.parts, scope)
    (review,) = kofi.review()
    assert review.beliefs == ("Kofi has a labrador called Rex",)
    assert believed(harness, scope) == before
    kofi.decide(review.number, verdict, by="Ruth")
    tell(harness, scope, "I like tea", day=2)
    pass_night(harness)
    assert list(kofi.review()) == []
    assert set(before) - set(believed(harness, scope)) == over
    assert list(wiring.checks(harness.parts.database).findings(folds=None)) == []


def test_a_belief_that_comes_late_is_compared_with_news_in_other_words(harness: Harness) -> None:
    scope = somebody()
    tell(harness, scope, "Our dog died.", day=1)
    harness.drain()
    tell(harness, scope, "I have a labrador called Rex.")
    pass_night(harness)

    (review,) = MemoryScope(harness.parts, scope).review()
    assert review.beliefs == ("Kofi has a labrador called Rex",)


def test_news_that_ended_a_belief_causes_no_review_of_a_similar_thing(harness: Harness) -> None:
    scope = somebody()
    tell(harness, scope, "I have a labrador called Rex. I have a dog called Max.")
    harness.drain()
    tell(harness, scope, "Our dog died.", day=1)
    pass_night(harness)

    assert believed(harness, scope) == ["Kofi has a labrador called Rex"]
    assert list(MemoryScope(harness.parts, scope).review()) == []


def test_another_worker_repeats_a_killed_reconsideration(harness: Harness, told: Scope) -> None:
    while due_work.run_next(harness.parts, owner="ann", scope=told.id, only=[CONSOLIDATE]):
        pass
    run = harness.claimed("frozen", scope=told, jobs=[RECONSIDER])
    plan = harness.think(run)
    harness.later(harness.lease + 1)

    harness.drain()
    with pytest.raises(Fenced):
        harness.parts.runs.settle(run, plan)

    assert len(plan.decisions) == 1
    assert len(decided(harness, told)) == 1


def test_repeated_facts_merge_into_one_with_both_sources(harness: Harness) -> None:
    scope = somebody()
    tell(harness, scope, "I swim with Wei at the harbour pool on Mondays")
    harness.drain()
    before = believed(harness, scope)
    tell(harness, scope, "On Mondays I swim at the harbour pool with Wei", day=1)
    harness.drain()
    harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    harness.drain()

    assert believed(harness, scope) == before
    assert [kind for kind, *_ in decided(harness, scope)] == ["noop", "delete"]
    assert len(before) == 1


def test_a_version_is_held_with_its_tense(harness: Harness) -> None:
    scope = somebody()
    tell(harness, scope, FIXED)
    harness.drain()

    with harness.parts.database.tenant(scope.tenant) as connection:
        (version,) = recently_stated(connection, scope.id, most=9)
    assert (version.tense, version.ended_by) == ("past", None)
