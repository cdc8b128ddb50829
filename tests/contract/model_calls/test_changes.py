"""Changed prompts, erased users and late replies: windows are planned again, and no reply is paid twice."""

from dataclasses import replace

import pytest

from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.job_table import CONSOLIDATE, PLAN
from slowwave.domain.model_calls import Answer
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.jobs.consolidate import Consolidate
from slowwave.memory import due_work, request_batches
from slowwave.store.beliefs.facts import why
from slowwave.store.packs import PackEntry, register
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, same
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.model_calls.harness import TENANT, ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Talk, echo
from tests.contract.model_calls.test_batches import answered, handed


def test_a_changed_prompt_keeps_answered_requests_and_replans_the_others(calls: ModelCalls) -> None:
    for start in (1, 5, 9):
        requests = calls.plan(4, start=start)
    first, second, third = requests
    calls.reply(second)

    calls.install(Talk(prompt_version="talk-2"))

    assert sorted(calls.work()) == ["plan 1-4 ok", "plan 9-12 ok"]
    states = calls.rows("SELECT request, state FROM model_requests WHERE request = ANY(%s)", [first, second, third])
    assert dict(states) == {first: "void", second: "answered", third: "void"}
    calls.reply(*calls.requests())
    calls.work()
    assert calls.marks() == (12, 12)
    assert len(calls.beliefs()) == 12

    calls.install(Talk())
    assert calls.work() == []


def test_a_restored_prompt_reuses_the_paid_replies(calls: ModelCalls) -> None:
    first, second = calls.plan(8)
    calls.reply(first)
    calls.install(Talk(prompt_version="talk-2"))
    calls.work()

    calls.install(Talk())
    calls.work()

    assert calls.requests() == [second]
    calls.reply(second)
    assert calls.work() == ["consolidate 1-8 ok"]


def test_an_erasure_during_a_request_discards_its_reply(calls: ModelCalls) -> None:
    calls.plan(8)
    lines = handed(calls)

    gone = calls.erase(3)

    assert len(gone) == 2  # the second chunk quotes positions 3 and 4
    request_batches.import_replies(calls.parts, map(answered, lines))
    kept = calls.value("SELECT count(*) FROM model_replies WHERE raw LIKE '%%food3%%'")
    said = calls.value("SELECT count(*) FROM model_payloads WHERE words::text LIKE '%%food3%%'")
    assert (kept, said) == (0, 0)
    assert calls.value("SELECT count(*) FROM model_windows WHERE stale") == 1
    assert calls.intents() == [(PLAN, "pending", True)]


def test_a_late_reply_about_an_erased_user_is_paid_and_discarded(calls: ModelCalls) -> None:
    calls.plan(4)
    handed(calls)
    (request,) = calls.requests("asked")
    call = calls.parts.batches.call_for(request)
    assert call is not None
    taken = calls.parts.calls.words(call[0], request, call[1])
    assert taken is not None

    calls.erase(3)

    assert calls.parts.clerk.bring(taken, Answer(echo(taken.chunk.words.messages))) == "erased"
    assert calls.value("SELECT count(*) FROM model_replies WHERE raw IS NOT NULL") == 0
    assert calls.value("SELECT spent_tokens > 0 AND reserved_tokens = 0 FROM model_budgets")


def test_an_erased_request_whose_turns_stay_is_asked_again(calls: ModelCalls) -> None:
    calls.plan(4)
    (request,) = calls.requests()

    calls.erase(matching=[request])

    assert calls.work() == ["plan 1-4 ok"]
    (again,) = calls.requests()
    assert again != request
    calls.reply(again)
    assert calls.work() == ["consolidate 1-4 ok"]


def test_a_run_that_read_erased_words_writes_nothing(calls: ModelCalls) -> None:
    calls.say(*likes(4))
    run = calls.claimed("ann", jobs=[PLAN])
    plan = calls.think(run)

    calls.erase(3)

    with pytest.raises(Fenced):
        calls.parts.runs.settle(run, plan)
    assert calls.value("SELECT count(*) FROM model_requests") == 0


def test_lost_wake_ups_are_found(calls: ModelCalls) -> None:
    (request,) = calls.plan(4)
    calls.reply(request)
    calls.rows("DELETE FROM intents WHERE pack = %s", TALK)
    assert calls.work() == []

    found = calls.parts.schedule.orphans(by="test")

    assert [one.job for one in found if one.scope == calls.scope.id] == ["consolidate"]
    assert calls.work() == ["consolidate 1-4 ok"]

    calls.plan(4, start=5)
    calls.rows("UPDATE model_windows SET stale = true WHERE state = 'waiting'")
    assert [one.job for one in calls.parts.schedule.orphans(by="test")] == ["plan"]
    assert calls.work() == ["plan 5-8 ok"]
    assert calls.parts.schedule.orphans(by="test") == []


def test_a_pack_changed_to_rules_continues_at_its_watermark(calls: ModelCalls) -> None:
    calls.plan(4)
    assert calls.marks() == (0, 4)

    with calls.parts.database.dispatch() as connection:
        register(connection, [PackEntry(TALK, CONSOLIDATE, 2, b"rules")], [])

    assert calls.marks() == (0, 0)
    assert calls.rows("SELECT state FROM model_windows") == [("done",)]


SAID = (
    ("lives in Lisbon", "likes tea", "lives in Faro", "likes milk"),
    ("lives in Oslo", "left Oslo", "lives in Bergen", "forgets milk"),
    ("meant Porto", "lives in Rome", "likes milk", "left Bergen"),
)
"""Three chunks; the second has a move between two others, an ending, and text that must not be learned."""


def chunks(calls: ModelCalls, scope: Scope) -> list[str]:
    """Push the three chunks, a turn per minute, and plan; return the pending requests."""
    calls.parts.push(scope, episodes([turn for chunk in SAID for turn in chunk]))
    due_work.fire(calls.parts, scope.id)
    calls.work()
    return calls.requests()


@pytest.fixture
def timely(calls: ModelCalls) -> Scope:
    """A user whose replies all came in time, and who lives in one place."""
    jobs = calls.parts.jobs
    consolidate = jobs[CONSOLIDATE]
    assert isinstance(consolidate, Consolidate)
    single = replace(consolidate, predicates=Predicates([Predicate("lives_in", single_valued=True)]))
    vars(calls.parts).update(jobs={**jobs, CONSOLIDATE: single})
    timely = somebody()
    calls.reply(*chunks(calls, timely))
    assert calls.work() == ["consolidate 1-12 ok"]
    return timely


@pytest.fixture
def late(calls: ModelCalls, timely: Scope) -> Scope:
    """A user with one chunk that was refused, retried, and answered late."""
    first, second, third = chunks(calls, calls.scope)
    calls.reply(first, third)
    calls.refuse(second, "refused: 400")
    assert calls.work() == ["consolidate 1-12 ok"]
    assert believed(calls, calls.scope) != believed(calls, timely)
    letters = "SELECT position FROM dead_letters WHERE category = 'incorrect' ORDER BY position"
    assert calls.column(letters) == [5, 6, 7, 8]
    calls.retry()
    calls.work()
    calls.reply(*calls.requests())
    assert calls.work() == ["consolidate 5-8 ok"]
    return calls.scope


def test_a_late_chunk_leaves_the_same_beliefs_as_in_time(harness: Harness, timely: Scope, late: Scope) -> None:
    same(harness, late, timely)


def test_deltas_mark_late_claims_and_repeated_decisions(harness: Harness, late: Scope) -> None:
    told = harness.rows(
        "SELECT d.position, d.kind, p.payload ->> 'object', d.again IS NOT NULL, p.payload ->> 'reason' "
        "FROM deltas d JOIN delta_payloads p ON p.delta = d.id "
        "WHERE scope = %s AND (d.again IS NOT NULL OR d.stands_at IS NOT NULL) ORDER BY recorded", late.id,
    )  # fmt: skip

    again = "decided again because of a late claim"
    assert told == [
        (5, "update", "Oslo", False, "lives_in holds one value at a time"),
        (6, "noop", "Oslo", False, "no longer true"),
        (7, "noop", "Bergen", False, "new; later claims stay"),
        (8, "delete", "milk", False, "forgotten on request"),
        (11, "noop", "milk", True, f"{again}: forgotten on request, so it is not learned again"),
        (3, "update", "Faro", True, f"{again}: it was always true"),
        (9, "delete", "Porto", True, f"{again}: corrected: it was never true"),
    ]


def test_why_of_a_reopened_belief_shows_the_original_episode(harness: Harness, late: Scope) -> None:
    (faro,) = harness.rows(
        "SELECT f.fact, d.again FROM facts f JOIN deltas d ON d.id = f.fact WHERE f.scope = %s AND object = 'Faro' "
        "AND upper_inf(f.recorded)", late.id,
    )  # fmt: skip

    with harness.parts.database.tenant(TENANT) as connection:
        explained = why(connection, faro[0])

    assert explained is not None
    assert [step.delta for step in explained.steps] == [faro[1], faro[0]]
    assert [step.evidence[0].words for step in explained.steps] == ["lives in Faro", "lives in Faro"]
