"""Prompts change, people are erased, wake-ups get lost: windows are planned anew, and nothing is paid or said twice."""

import pytest

from slowwave.domain.job_table import CONSOLIDATE, PLAN
from slowwave.domain.model_calls.chunk import Answer
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.memory import request_batches
from slowwave.store.model_requests.erasure import erase
from slowwave.store.packs.registry import PackEntry, register
from tests.contract.harness import Harness
from tests.contract.model_calls.harness import TENANT, ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Talk, echo, newer
from tests.contract.model_calls.test_batches import answered, handed


def test_a_changed_prompt_keeps_answered_requests_and_replans_the_others(
    model_calls: ModelCalls, harness: Harness, scope: Scope, talk: Talk
) -> None:
    for start in (1, 5, 9):
        model_calls.say(scope, *likes(4, start), start=start)
        model_calls.drain()
    first, second, third = model_calls.requests()
    model_calls.close(second)

    model_calls.install(newer(talk, "talk-2"))

    assert sorted(model_calls.drain()) == ["plan 1-4 ok", "plan 9-12 ok"]
    states = harness.rows("SELECT request, state FROM model_requests WHERE request = ANY(%s)", [first, second, third])
    assert dict(states) == {first: "void", second: "answered", third: "void"}
    for request in model_calls.requests():
        model_calls.close(request)
    model_calls.drain()
    assert model_calls.marks(scope) == (12, 12)
    assert len(model_calls.beliefs(scope)) == 12

    model_calls.install(newer(talk, "talk-1"))
    assert model_calls.drain() == []


def test_a_restored_prompt_reuses_the_paid_replies(model_calls: ModelCalls, scope: Scope, talk: Talk) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    first, second = model_calls.requests()
    model_calls.close(first)
    model_calls.install(newer(talk, "talk-2"))
    model_calls.drain()

    model_calls.install(talk)
    model_calls.drain()

    assert model_calls.requests() == [second]
    model_calls.close(second)
    assert model_calls.drain() == ["consolidate 1-8 ok"]


def test_an_erasure_during_a_request_discards_its_reply(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    lines = handed(model_calls)

    with harness.parts.database.tenant(TENANT) as connection:
        gone = erase(connection, scope.id, [3])

    assert len(gone) == 2  # the second chunk quotes positions 3 and 4
    request_batches.import_replies(harness.parts, map(answered, lines))
    kept = harness.value("SELECT count(*) FROM model_replies WHERE raw LIKE '%%food3%%'")
    said = harness.value("SELECT count(*) FROM model_payloads WHERE words::text LIKE '%%food3%%'")
    assert (kept, said) == (0, 0)
    assert harness.value("SELECT count(*) FROM model_windows WHERE stale") == 1
    assert model_calls.intents() == [(PLAN, "pending", True)]


def test_a_late_reply_about_an_erased_user_is_paid_and_discarded(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    handed(model_calls)
    (request,) = model_calls.requests("asked")
    call = harness.parts.batches.call_for(request)
    assert call is not None
    taken = harness.parts.calls.words(call[0], request, call[1])
    assert taken is not None

    with harness.parts.database.tenant(TENANT) as connection:
        erase(connection, scope.id, [3])

    assert harness.parts.clerk.bring(taken, Answer(echo(taken.chunk.words.messages))) == "erased"
    assert harness.value("SELECT count(*) FROM model_replies WHERE raw IS NOT NULL") == 0
    assert harness.value("SELECT spent_tokens > 0 AND reserved_tokens = 0 FROM model_budgets")


def test_a_run_that_read_erased_words_writes_nothing(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(4))
    run = harness.claimed("ann", jobs=[PLAN])
    plan = harness.parts.jobs[PLAN].think(run, harness.parts.runs)

    with harness.parts.database.tenant(TENANT) as connection:
        erase(connection, scope.id, [3])

    with pytest.raises(Fenced):
        harness.parts.runs.settle(run, plan)
    assert harness.value("SELECT count(*) FROM model_requests") == 0


def test_lost_wake_ups_are_found(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    (request,) = model_calls.requests()
    model_calls.close(request)
    harness.rows("DELETE FROM intents WHERE pack = %s", TALK)
    assert model_calls.drain() == []

    found = harness.parts.schedule.orphans(by="test")

    assert [one.job for one in found if one.scope == scope.id] == ["consolidate"]
    assert model_calls.drain() == ["consolidate 1-4 ok"]

    model_calls.say(scope, *likes(4, 5), start=5)
    model_calls.drain()
    harness.rows("UPDATE model_windows SET stale = true WHERE state = 'waiting'")
    assert [one.job for one in harness.parts.schedule.orphans(by="test")] == ["plan"]
    assert model_calls.drain() == ["plan 5-8 ok"]
    assert harness.parts.schedule.orphans(by="test") == []


def test_a_pack_changed_to_rules_continues_at_its_watermark(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    assert model_calls.marks(scope) == (0, 4)

    with harness.parts.database.dispatch() as connection:
        register(connection, [PackEntry(TALK, CONSOLIDATE, 2, b"rules")], [])

    assert model_calls.marks(scope) == (0, 0)
    assert harness.rows("SELECT state FROM model_windows") == [("done",)]
