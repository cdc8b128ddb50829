"""A pack that needs a model plans its requests, waits without a lease, and applies the replies when all are there."""

import threading

from slowwave import wiring
from slowwave.domain.job_table import CONSOLIDATE, PLAN
from tests.contract.model_calls.harness import TENANT, ModelCalls, likes
from tests.faults.rig.processes import until


def test_a_window_waits_for_its_requests_without_a_lease_or_an_intent(calls: ModelCalls) -> None:
    calls.say(*likes(6))

    assert calls.work() == ["plan 1-6 ok"]

    assert [calls.positions(request) for request in calls.requests()] == [[1, 2, 3, 4], [5, 6]]
    assert calls.marks() == (0, 6)
    assert calls.intents() == []
    assert calls.value("SELECT count(*) FROM scope_leases WHERE until IS NOT NULL") == 0
    assert calls.rows("SELECT quotes FROM model_requests ORDER BY positions") == [([],), ([3, 4],)]


def test_a_window_is_due_after_its_last_reply(calls: ModelCalls) -> None:
    calls.say(*likes(4), "mumbles", "likes tea")
    calls.work()
    first, second = calls.requests()

    calls.reply(second)
    assert calls.work() == []
    calls.reply(first)

    assert calls.work() == ["consolidate 1-6 ok"]
    checks = wiring.checks(calls.parts.database).findings(folds=None)
    assert [one for one in checks if one.invariant != "job-unscheduled"] == []
    assert calls.beliefs() == [f"user likes food{n}" for n in range(1, 5)] + ["user likes tea"]
    assert calls.marks() == (6, 6)


def test_the_second_of_two_uncommitted_replies_waits_for_the_first(calls: ModelCalls) -> None:
    first, second = calls.plan(8)
    other = threading.Thread(target=calls.reply, args=(second,))

    with calls.parts.database.tenant(TENANT) as connection:
        calls.write(connection, first)
        other.start()
        until(lambda: calls.lock_waits() or not other.is_alive(), "the second waits, or has not noticed")
    other.join(30)

    assert calls.work() == ["consolidate 1-8 ok"]


def test_the_number_of_planned_windows_is_limited(calls: ModelCalls) -> None:
    for start in range(1, 11, 2):
        calls.plan(2, start=start)
    assert calls.marks() == (0, 6)
    assert calls.intents() == [(PLAN, "pending", False)]

    one, two, three = calls.requests()
    calls.reply(three, two)
    assert calls.work() == []  # an early reply waits for the earlier requests
    calls.reply(one)

    assert sorted(calls.work()) == [*(f"consolidate {lo}-{lo + 1} ok" for lo in (1, 3, 5)), "plan 7-10 ok"]
    calls.reply(*calls.requests())
    calls.work()
    assert calls.marks() == (10, 10)
    assert calls.rows("SELECT position FROM deltas ORDER BY recorded") == [(n,) for n in range(1, 11)]


def test_a_worker_killed_while_planning_or_reading_repeats_no_request(calls: ModelCalls) -> None:
    calls.say(*likes(4))
    crashed = calls.claimed("ann", jobs=[PLAN])
    calls.think(crashed)  # and then the process dies
    calls.later(calls.lease + 1)
    assert calls.work() == ["plan 1-4 ok"]
    (request,) = calls.requests()

    calls.reply(request)
    crashed = calls.claimed("ann", jobs=[CONSOLIDATE])
    calls.think(crashed)
    calls.later(calls.lease + 1)

    assert calls.work() == ["consolidate 1-4 ok"]
    assert calls.value("SELECT count(*) FROM model_requests") == 1
    assert len(calls.beliefs()) == 4


def test_a_reply_that_kills_its_reader_is_split_until_its_chunk_becomes_dead_letters(calls: ModelCalls) -> None:
    first, second = calls.plan(8)
    calls.reply(first, raw="poison")
    calls.reply(second)

    for _ in range(30):
        run = calls.claim("ann", jobs=[CONSOLIDATE])
        if run is None:
            break
        if run.condemned or (run.unwitnessed and calls.parts.runs.strike(run) >= 5):
            calls.parts.runs.bury(run, category="vanished", reason="its worker vanished")
        elif run.lo <= 4 and not calls.value("SELECT count(*) FROM model_requests WHERE state = 'dead'"):
            calls.later(calls.lease + 1)  # the reader of this reply dies
        else:
            calls.settle(run)

    assert calls.rows("SELECT position, reason FROM dead_letters ORDER BY position") == [
        (n, "the model's part: its worker vanished") for n in range(1, 5)
    ]
    assert calls.beliefs() == [f"user likes food{n}" for n in range(5, 9)]
    assert calls.marks() == (8, 8)


def test_retried_dead_letters_are_requested_one_by_one(calls: ModelCalls) -> None:
    (request,) = calls.plan(4)
    calls.refuse(request, "unreadable")
    assert calls.work() == ["consolidate 1-4 ok"]
    assert calls.value("SELECT count(*) FROM dead_letters") == 4

    calls.retry()
    assert calls.work() == ["retry 1-4 ok"]
    assert [calls.positions(one) for one in calls.requests()] == [[1], [2], [3], [4]]
    calls.reply(*calls.requests())

    assert calls.work() == ["consolidate 1-4 ok"]
    assert len(calls.beliefs()) == 4
    assert calls.value("SELECT count(*) FROM dead_letters WHERE state = 'open'") == 0


def test_status_reports_the_rate_of_replies_without_claims(calls: ModelCalls) -> None:
    first, *others = calls.plan(24)
    calls.reply(first)
    calls.reply(*others, raw='{"claims": []}')
    calls.work()

    seen = calls.parts.records.overview(TENANT).model_calls

    assert seen is not None
    assert (seen.replies, seen.without_claims, seen.speechless) == (6, 5, True)


def test_claims_that_cite_other_turns_are_rejected_and_stored(calls: ModelCalls) -> None:
    (request,) = calls.plan(2)
    calls.reply(request, raw='{"claims": [[1, "likes food1"], [1, "likes gold"], [9, "likes food2"]]}')

    calls.work()

    assert calls.beliefs() == ["user likes food1"]
    kept = calls.rows("SELECT reason, said FROM model_rejected ORDER BY rejected")
    assert kept == [("the quote is not in the turn", {"quote": quote}) for quote in ("likes gold", "likes food2")]
    listed = calls.parts.records.rejected(TENANT, most=10)
    assert (listed[0].user, listed[0].position, listed[0].said) == (calls.scope.user, 1, {"quote": "likes food2"})
