"""The sender stores each reply once, pays once, spares a failing provider, and needs a witness to blame a request."""

import json
from dataclasses import replace

import pytest

from slowwave.domain.model_calls import Answer
from slowwave.domain.scope import Scope
from slowwave.errors import Crowded, Refused, Unavailable
from slowwave.jobs.model_calls.ask import RequestSender
from slowwave.memory import due_work
from slowwave.ports.model_calls import CallTerms, ClaimedRequest, Outcome
from slowwave.store.model_calls.call_queue import PostgresCallQueue
from slowwave.wiring.model_client import request_sender
from tests.contract.model_calls.harness import ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Echo, Talk

FAILED = Outcome("failed", wait_seconds=1, billed=False)


def asking(calls: ModelCalls, echo: Echo, **terms: object) -> RequestSender:
    """Return a sender with other settings."""
    parts = calls.parts
    made = replace(CallTerms(echo.name, lease_seconds=2.0, timeout_seconds=5.0), **terms)  # type: ignore[arg-type]
    return replace(
        request_sender(parts.database, parts.settings, echo, parts.models),
        store=PostgresCallQueue(parts.database, made),
        terms=made,
    )


def take(asker: RequestSender, owner: str = "ann") -> ClaimedRequest:
    """Take a request that must be due."""
    (taken,) = take_all(asker, owner, most=1)
    return taken


def take_all(asker: RequestSender, owner: str = "ann", *, most: int = 8) -> list[ClaimedRequest]:
    """Take the due requests, as many as the asker may have at once."""
    taken = (asker.store.take(owner, [TALK], [Talk.model]) for _ in range(most))
    return [one for one in taken if one]


def answered(echo: Echo, taken: ClaimedRequest) -> Answer:
    """Return the reply of the provider to a taken request."""
    return echo.ask(taken.chunk.words.messages, {}, most_tokens=1, timeout_seconds=1)


def outcomes(asker: RequestSender, calls: ModelCalls, most: int = 40) -> list[str]:
    """Call the model until no request is due, skipping every pause; return the outcomes."""
    done: list[str] = []
    for _ in range(most):
        outcome = asker.ask("ann")
        if outcome is None and not calls.requests():
            break
        done += [outcome] if outcome else []
        calls.later(700)
    return done


def test_a_drain_plans_requests_and_reads_until_all_is_done(calls: ModelCalls, echo: Echo) -> None:
    calls.say(*likes(6))

    reports = due_work.drain(calls.parts, calls.scope.id, 30)

    assert [report.job for report in reports if report.pack == TALK] == ["plan", "consolidate"]
    assert len(calls.beliefs()) == 6
    assert len(echo.asked) == 2
    assert calls.budget() == (30, 0)  # the provider counts 15 a call


def test_a_drain_without_a_provider_reports_the_requests_that_a_window_waits_for(
    calls: ModelCalls, caplog: pytest.LogCaptureFixture
) -> None:
    parts = calls.parts
    calls.say(*likes(6))
    due_work.drain(parts, calls.scope.id, 30)
    assert "2 requests to a model pending" in caplog.text
    assert calls.marks() == (0, 6)
    first, _ = calls.requests()
    calls.reply(first)
    assert due_work.count_pending_requests(parts, calls.scope.id) == 1

    calls.install()
    assert len(calls.requests()) == 1
    caplog.clear()
    due_work.drain(parts, calls.scope.id, 30)
    assert (due_work.count_pending_requests(parts), caplog.text) == (0, "")

    calls.install(Talk())
    assert due_work.count_pending_requests(parts) == 1


def test_a_lost_request_counts_as_paid_and_its_late_reply_is_used(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)
    first, second = asking(calls, echo), asking(calls, echo)
    frozen = take(first)
    calls.later(5)
    again = take(second, "bob")
    assert calls.budget() == (64, 64)

    answer = answered(echo, frozen)
    assert first.store.settle(frozen, first._judged(frozen, answer)) == "ok"
    assert second.store.settle(again, second._judged(again, answer)) == "answered"
    assert second.store.settle(again, second._judged(again, answer)) == "known"

    assert calls.budget() == (30, 0)
    assert calls.value("SELECT count(*) FROM model_replies WHERE n = 0") == 1
    assert calls.work() == ["consolidate 1-4 ok"]


def test_the_next_run_reads_a_stored_reply_without_another_call(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)
    first, second = asking(calls, echo), asking(calls, echo)
    taken = take(first)
    first.store.keep(taken, answered(echo, taken))
    calls.later(5)  # and then the process dies

    assert second.ask("bob") == "ok"

    assert len(echo.asked) == 1
    assert calls.work() == ["consolidate 1-4 ok"]


def test_a_reply_that_kills_its_readers_is_split_without_another_payment(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)
    for _ in range(2):
        one = asking(calls, echo)
        taken = take(one)
        one.store.keep(taken, answered(echo, taken))
        calls.later(5)  # reading this reply kills the process

    assert asking(calls, echo).ask("bob") == "unreadable"

    assert calls.value("SELECT count(*) FROM model_calls WHERE outcome IS NOT NULL") == 1


def test_an_unreadable_reply_is_requested_again_then_halved_to_one_turn(calls: ModelCalls) -> None:
    class Grumpy(Echo):
        def ask(self, messages, schema, *, most_tokens, timeout_seconds):  # type: ignore[no-untyped-def]
            answer = super().ask(messages[:1], schema, most_tokens=most_tokens, timeout_seconds=timeout_seconds)
            self.asked[-1] = messages[-1]["content"]
            return replace(answer, text="<html>") if "food3" in messages[0]["content"] else answer

    echo = Grumpy()
    calls.say(*likes(8))
    asker = asking(calls, echo)
    for _ in range(12):
        calls.work()
        outcomes(asker, calls)

    assert calls.rows("SELECT position, category FROM dead_letters") == [(3, "incorrect")]
    assert calls.beliefs() == [f"user likes food{n}" for n in (1, 2, 4, 5, 6, 7, 8)]
    assert calls.marks() == (8, 8)
    assert any("could not be read" in said for said in echo.asked)


def test_unreadable_replies_of_a_model_create_no_dead_letters(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(8)
    echo.answers = ["<html>sign in</html>"] * 12

    ended = outcomes(asking(calls, echo), calls, most=12)

    assert set(ended) == {"unreadable"}
    assert calls.value("SELECT failures FROM model_breakers") >= 3
    echo.answers = []
    for _ in range(3):
        outcomes(asking(calls, echo), calls)
        calls.work()
    assert calls.value("SELECT count(*) FROM dead_letters") == 0
    assert len(calls.beliefs()) == 8


def test_concurrent_failures_count_once_and_a_half_open_breaker_sends_one_probe(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(40)
    one = asking(calls, echo, slots=8)

    def fail(all_: list[ClaimedRequest]) -> tuple[int, int, bool]:
        for taken in all_:
            one.store.settle(taken, FAILED)
        calls.later(1.5)
        ((failures, width, shut),) = calls.rows(
            "SELECT failures, width, open_until > slowwave_now() FROM model_breakers"
        )
        return failures, width, shut

    under_way = take_all(one)
    assert len(under_way) == 8
    assert fail(under_way) == (1, 4, False)
    assert fail(take_all(one)) == (2, 2, False)
    assert fail(take_all(one)) == (3, 1, True)
    assert take_all(one) == []

    calls.later(10)
    probe = take(one)
    one.store.settle(probe, Outcome("ok", Answer("{}")))
    assert len(take_all(one)) == 2


def test_an_unavailable_provider_is_probed_each_minute_and_used_once_it_is_back(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)
    echo.answers = [Crowded("429", retry_after_seconds=0)] * 9
    asker = asking(calls, echo)

    def paused() -> float:
        """Let a call fail; let the pause after it pass, and return its length."""
        assert asker.ask("ann") == "crowded"
        ((seconds,),) = calls.rows("SELECT extract(epoch FROM open_until - slowwave_now())::float FROM model_breakers")
        calls.later(max(seconds, 1.3))
        return float(seconds)

    pauses = [paused() for _ in range(9)][2:]

    assert pauses == sorted(pauses[:5]) + pauses[5:], "they grow"
    assert all(40 < pause < 80 for pause in pauses[5:])
    assert asker.ask("ann") == "ok"


def test_a_429_counts_against_no_request_and_its_wait_is_obeyed(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)
    echo.answers = [Crowded("429", retry_after_seconds=60)]
    asker = asking(calls, echo)

    assert asker.ask("ann") == "crowded"
    calls.later(50)
    assert asker.ask("ann") is None
    calls.later(80)
    assert asker.ask("ann") == "ok"
    assert calls.rows("SELECT failed, vanished, unreadable, unwitnessed FROM model_requests") == [(0, 0, 0, 0)]


def test_a_refused_request_becomes_dead_letters_and_a_long_request_is_split(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)
    echo.answers = [Refused("400", too_long=True), Refused("400")]
    asker = asking(calls, echo)
    for _ in range(3):
        outcomes(asker, calls)
        calls.work()

    assert calls.rows("SELECT position, reason FROM dead_letters ORDER BY position") == [
        (1, "the model's part: refused: 400"), (2, "the model's part: refused: 400"),
    ]  # fmt: skip
    assert calls.beliefs() == ["user likes food3", "user likes food4"]


def test_the_smallest_case_separates_a_poison_request_from_a_failing_provider(calls: ModelCalls) -> None:
    class Deaf(Echo):
        def ask(self, messages, schema, *, most_tokens, timeout_seconds):  # type: ignore[no-untyped-def]
            if "food" in messages[0]["content"]:
                raise Unavailable("500")
            return super().ask(messages, schema, most_tokens=most_tokens, timeout_seconds=timeout_seconds)

    echo = Deaf()
    calls.plan(2)

    outcomes(asking(calls, echo), calls, most=60)
    calls.work()

    assert calls.rows("SELECT position, category FROM dead_letters ORDER BY position") == [(1, "fault"), (2, "fault")]
    assert echo.asked  # the witness
    assert calls.value("SELECT count(*) FROM model_calls WHERE tenant = '_system'") <= 8


def test_the_daily_budget_limits_requests_until_the_next_day(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(20)
    asker = asking(calls, echo, cap_tokens=150)

    assert len(take_all(asker)) == 2
    assert sum(calls.budget()) <= 150

    calls.later(24 * 3600)
    assert asker.ask("ann") == "ok"


def test_a_request_above_the_daily_budget_becomes_dead_letters(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(2)

    assert asking(calls, echo, cap_tokens=20).ask("ann") is None
    calls.work()

    assert calls.value("SELECT count(*) FROM dead_letters WHERE reason LIKE '%%too dear%%'") == 2
    assert calls.marks() == (2, 2)


def test_a_tenant_with_many_requests_does_not_keep_another_waiting(calls: ModelCalls, echo: Echo) -> None:
    calls.say(*likes(40))
    calls.say(*likes(4), scope=Scope("acme", "bob", "concierge"))
    calls.work()
    asker = asking(calls, echo)

    tenants = [one.tenant for one in take_all(asker, most=4)]

    assert sorted(tenants[:2]) == ["acme", "default"]


def test_requests_of_an_unloaded_pack_are_left_to_other_workers(calls: ModelCalls, echo: Echo) -> None:
    calls.plan(4)

    assert replace(asking(calls, echo), extractors={}).ask("ann") is None
    assert replace(asking(calls, echo), extractors={"other": Talk(pack="other")}).ask("ann") is None
    assert json.dumps(echo.asked) == "[]"
