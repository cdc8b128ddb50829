"""A pack that needs a model plans its requests, waits without a lease, and applies the replies when all are there."""

import threading
from functools import partial

from slowwave import wiring
from slowwave.domain.job_table import CONSOLIDATE, PLAN
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from tests.contract.harness import Harness, at_once
from tests.contract.model_calls.harness import TENANT, ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Talk
from tests.faults.rig.processes import until


def test_a_window_waits_for_its_requests_without_a_lease_or_an_intent(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(6))

    assert model_calls.drain() == ["plan 1-6 ok"]

    assert [model_calls.positions(request) for request in model_calls.requests()] == [[1, 2, 3, 4], [5, 6]]
    assert model_calls.marks(scope) == (0, 6)
    assert model_calls.intents() == []
    assert harness.value("SELECT count(*) FROM scope_leases WHERE until IS NOT NULL") == 0
    assert harness.rows("SELECT quotes FROM model_requests ORDER BY positions") == [([],), ([3, 4],)]


def test_a_window_is_due_after_its_last_reply(model_calls: ModelCalls, scope: Scope) -> None:
    model_calls.say(scope, *likes(4), "mumbles", "likes tea")
    model_calls.drain()
    first, second = model_calls.requests()

    model_calls.close(second)
    assert model_calls.drain() == []
    model_calls.close(first)

    assert model_calls.drain() == ["consolidate 1-6 ok"]
    checks = wiring.checks(model_calls.harness.parts.database).findings(folds=None)
    assert [one for one in checks if one.invariant != "job-unscheduled"] == []
    assert model_calls.beliefs(scope) == [f"user likes food{n}" for n in range(1, 5)] + ["user likes tea"]
    assert model_calls.marks(scope) == (6, 6)


def test_the_second_of_two_uncommitted_replies_waits_for_the_first(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    first, second = model_calls.requests()
    waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    other = threading.Thread(target=model_calls.close, args=(second,))

    with harness.parts.database.tenant(TENANT) as connection:
        model_calls.write(connection, first)
        other.start()
        until(lambda: harness.value(waits) or not other.is_alive(), "the second waits, or has not noticed")
    other.join(30)

    assert model_calls.drain() == ["consolidate 1-8 ok"]


def test_two_concurrent_last_replies_wake_the_window_once(model_calls: ModelCalls, scope: Scope) -> None:
    for start in (1, 9, 17, 25):
        model_calls.say(scope, *likes(8, start), start=start)
        model_calls.drain()
        first, second = model_calls.requests()

        assert at_once([partial(model_calls.close, first), partial(model_calls.close, second)]) == [None, None]

        assert model_calls.drain() == [f"consolidate {start}-{start + 7} ok"]


def test_the_number_of_planned_windows_is_limited(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    for number in range(5):
        model_calls.say(scope, *likes(2, 2 * number + 1), start=2 * number + 1)
        model_calls.drain()
    assert model_calls.marks(scope) == (0, 6)
    assert model_calls.intents() == [(PLAN, "pending", False)]

    one, two, three = model_calls.requests()
    model_calls.close(three)
    model_calls.close(two)
    assert model_calls.drain() == []  # an early reply waits for the earlier requests
    model_calls.close(one)

    assert sorted(model_calls.drain()) == [*(f"consolidate {lo}-{lo + 1} ok" for lo in (1, 3, 5)), "plan 7-10 ok"]
    for request in model_calls.requests():
        model_calls.close(request)
    model_calls.drain()
    assert model_calls.marks(scope) == (10, 10)
    assert harness.rows("SELECT position FROM deltas ORDER BY recorded") == [(n,) for n in range(1, 11)]


def test_a_worker_killed_while_planning_or_reading_repeats_no_request(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(4))
    crashed = harness.claimed("ann", jobs=[PLAN])
    harness.parts.jobs[PLAN].think(crashed, harness.parts.runs)  # and then the process dies
    harness.later(harness.lease + 1)
    assert model_calls.drain() == ["plan 1-4 ok"]
    (request,) = model_calls.requests()

    model_calls.close(request)
    crashed = harness.claimed("ann", jobs=[CONSOLIDATE])
    harness.parts.jobs[CONSOLIDATE].think(crashed, harness.parts.runs)
    harness.later(harness.lease + 1)

    assert model_calls.drain() == ["consolidate 1-4 ok"]
    assert harness.value("SELECT count(*) FROM model_requests") == 1
    assert len(model_calls.beliefs(scope)) == 4


def test_a_reply_that_kills_its_reader_is_split_until_its_chunk_becomes_dead_letters(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    first, second = model_calls.requests()
    model_calls.close(first, raw="poison")
    model_calls.close(second)

    for _ in range(30):
        run = harness.claim("ann", jobs=[CONSOLIDATE])
        if run is None:
            break
        if run.condemned or (run.unwitnessed and harness.parts.runs.strike(run) >= 5):
            harness.parts.runs.bury(run, category="vanished", reason="its worker vanished")
        elif run.lo <= 4 and not harness.value("SELECT count(*) FROM model_requests WHERE state = 'dead'"):
            harness.later(harness.lease + 1)  # the reader of this reply dies
        else:
            harness.settle(run)

    assert harness.rows("SELECT position, reason FROM dead_letters ORDER BY position") == [
        (n, "the model's part: its worker vanished") for n in range(1, 5)
    ]
    assert model_calls.beliefs(scope) == [f"user likes food{n}" for n in range(5, 9)]
    assert model_calls.marks(scope) == (8, 8)


def test_retried_dead_letters_are_requested_one_by_one(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    (request,) = model_calls.requests()
    harness.rows("UPDATE model_requests SET state = 'dead', reason = 'unreadable' WHERE request = %s", request)
    harness.rows(
        "SELECT slowwave_ask(ARRAY[ROW(%s, 'default', 'consolidate', %s, 0, slowwave_now(), true, NULL, NULL, NULL)"
        "::slowwave_work])", scope.id, TALK,
    )  # fmt: skip
    assert model_calls.drain() == ["consolidate 1-4 ok"]
    letters = [letter for (letter,) in harness.rows("SELECT letter FROM dead_letters ORDER BY position")]
    assert len(letters) == 4

    harness.parts.records.ask_again(TENANT, harness.parts.records.open_dead_letters(TENANT, letters))
    assert model_calls.drain() == ["retry 1-4 ok"]
    assert [model_calls.positions(one) for one in model_calls.requests()] == [[1], [2], [3], [4]]
    for one in model_calls.requests():
        model_calls.close(one)

    assert model_calls.drain() == ["consolidate 1-4 ok"]
    assert len(model_calls.beliefs(scope)) == 4
    assert harness.value("SELECT count(*) FROM dead_letters WHERE state = 'open'") == 0


def test_status_reports_the_rate_of_replies_without_claims(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(24))
    model_calls.drain()
    for number, request in enumerate(model_calls.requests()):
        model_calls.close(request, raw='{"claims": []}' if number else None)
    model_calls.drain()

    seen = harness.parts.records.overview(TENANT).model_calls

    assert seen is not None
    assert (seen.replies, seen.silent, seen.speechless) == (6, 5, True)


def test_claims_that_cite_other_turns_are_rejected_and_stored(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(2))
    model_calls.drain()
    (request,) = model_calls.requests()
    model_calls.close(request, raw='{"claims": [[1, "likes food1"], [1, "likes gold"], [9, "likes food2"]]}')

    model_calls.drain()

    assert model_calls.beliefs(scope) == ["user likes food1"]
    kept = harness.rows("SELECT reason, said FROM model_rejected ORDER BY rejected")
    assert kept == [("the quote is not in the turn", {"quote": quote}) for quote in ("likes gold", "likes food2")]
    listed = harness.parts.records.rejected(TENANT, most=10)
    assert (listed[0].user, listed[0].position, listed[0].said) == (scope.user, 1, {"quote": "likes food2"})


def test_other_packs_run_while_a_model_request_is_pending(
    model_calls: ModelCalls, harness: Harness, scope: Scope, talk: Talk
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()

    report = harness.claim("bob", scope=scope, jobs=["prepare", "summarise"])

    assert report is None or report.scope == scope.id  # no worker holds the scope
    assert due_work.is_due(harness.parts, scope.id) is False
    assert talk.pack == TALK
