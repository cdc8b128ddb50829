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
from tests.contract.harness import Harness
from tests.contract.model_calls.harness import ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Echo, Talk

FAILED = Outcome("failed", wait_seconds=1, billed=False)


@pytest.fixture
def echo(model_calls: ModelCalls) -> Echo:
    """The sender of requests for the pack of this process."""
    echo = Echo()
    vars(model_calls.harness.parts).update(provider=echo)
    vars(model_calls.harness.parts).pop("asker", None)
    return echo


def asking(model_calls: ModelCalls, echo: Echo, **terms: object) -> RequestSender:
    """Return a sender with other settings."""
    parts = model_calls.harness.parts
    made = replace(CallTerms(echo.name, lease_seconds=2.0, timeout_seconds=5.0), **terms)  # type: ignore[arg-type]
    return replace(
        request_sender(parts.database, parts.settings, echo, parts.models),
        store=PostgresCallQueue(parts.database, made),
        terms=made,
    )


def outcomes(asker: RequestSender, model_calls: ModelCalls, most: int = 40) -> list[str]:
    """Call the model until no request is due, skipping every pause; return the outcomes."""
    done: list[str] = []
    for _ in range(most):
        outcome = asker.ask("ann")
        if outcome is None and not model_calls.requests():
            break
        done += [outcome] if outcome else []
        model_calls.harness.later(700)
    return done


def test_a_drain_plans_requests_and_reads_until_all_is_done(model_calls: ModelCalls, scope: Scope, echo: Echo) -> None:
    model_calls.say(scope, *likes(6))

    reports = due_work.drain(model_calls.harness.parts, scope.id, 30)

    assert [report.job for report in reports if report.pack == TALK] == ["plan", "consolidate"]
    assert len(model_calls.beliefs(scope)) == 6
    assert len(echo.asked) == 2
    spent = model_calls.harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets")
    assert spent == [(30, 0)]  # the provider counts 15 a call


def test_a_drain_without_a_provider_reports_the_pending_requests(
    model_calls: ModelCalls, scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    model_calls.say(scope, *likes(6))

    due_work.drain(model_calls.harness.parts, scope.id, 30)

    assert "2 requests to a model pending" in caplog.text
    assert model_calls.marks(scope) == (0, 6)


def test_a_request_without_a_waiting_window_is_not_counted_as_waiting(
    model_calls: ModelCalls, scope: Scope, caplog: pytest.LogCaptureFixture, talk: Talk
) -> None:
    parts = model_calls.harness.parts
    model_calls.say(scope, *likes(6))
    due_work.drain(parts, scope.id, 30)
    first, _ = model_calls.requests()
    model_calls.close(first)
    assert due_work.count_pending_requests(parts, scope.id) == 1

    model_calls.install()
    assert len(model_calls.requests()) == 1
    caplog.clear()
    due_work.drain(parts, scope.id, 30)
    assert (due_work.count_pending_requests(parts), caplog.text) == (0, "")

    model_calls.install(talk)
    assert due_work.count_pending_requests(parts) == 1


def test_a_lost_request_counts_as_paid_and_its_late_reply_is_used(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    first, second = asking(model_calls, echo), asking(model_calls, echo)
    frozen = first.store.take("ann", [TALK], ["fake:echo?temperature=0"])
    assert frozen is not None
    harness.later(5)
    again = second.store.take("bob", [TALK], ["fake:echo?temperature=0"])
    assert again is not None
    assert harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets") == [(64, 64)]

    answer = echo.ask(frozen.chunk.words.messages, {}, most_tokens=1, timeout_seconds=1)
    assert first.store.settle(frozen, first._judged(frozen, answer)) == "ok"
    assert second.store.settle(again, second._judged(again, answer)) == "answered"
    assert second.store.settle(again, second._judged(again, answer)) == "known"

    assert harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets") == [(30, 0)]
    assert harness.value("SELECT count(*) FROM model_replies WHERE n = 0") == 1
    assert model_calls.drain() == ["consolidate 1-4 ok"]


def test_the_next_run_reads_a_stored_reply_without_another_call(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    first, second = asking(model_calls, echo), asking(model_calls, echo)
    taken = first.store.take("ann", [TALK], ["fake:echo?temperature=0"])
    assert taken is not None
    first.store.keep(taken, echo.ask(taken.chunk.words.messages, {}, most_tokens=1, timeout_seconds=1))
    harness.later(5)  # and then the process dies

    assert second.ask("bob") == "ok"

    assert len(echo.asked) == 1
    assert model_calls.drain() == ["consolidate 1-4 ok"]


def test_a_reply_that_kills_its_readers_is_split_without_another_payment(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    for _ in range(2):
        one = asking(model_calls, echo)
        taken = one.store.take("ann", [TALK], ["fake:echo?temperature=0"])
        assert taken is not None
        one.store.keep(taken, echo.ask(taken.chunk.words.messages, {}, most_tokens=1, timeout_seconds=1))
        harness.later(5)  # reading this reply kills the process

    assert asking(model_calls, echo).ask("bob") == "unreadable"

    assert harness.value("SELECT count(*) FROM model_calls WHERE outcome IS NOT NULL") == 1


def test_an_unreadable_reply_is_requested_again_then_halved_to_one_turn(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    class Grumpy(Echo):
        def ask(self, messages, schema, *, most_tokens, timeout_seconds):  # type: ignore[no-untyped-def]
            answer = super().ask(messages[:1], schema, most_tokens=most_tokens, timeout_seconds=timeout_seconds)
            self.asked[-1] = messages[-1]["content"]
            return replace(answer, text="<html>") if "food3" in messages[0]["content"] else answer

    echo = Grumpy()
    model_calls.say(scope, *likes(8))
    asker = asking(model_calls, echo)
    for _ in range(12):
        model_calls.drain()
        outcomes(asker, model_calls)

    assert harness.rows("SELECT position, category FROM dead_letters") == [(3, "incorrect")]
    assert model_calls.beliefs(scope) == [f"user likes food{n}" for n in (1, 2, 4, 5, 6, 7, 8)]
    assert model_calls.marks(scope) == (8, 8)
    assert any("could not be read" in said for said in echo.asked)


def test_unreadable_replies_of_a_model_create_no_dead_letters(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    echo.answers = ["<html>sign in</html>"] * 12

    ended = outcomes(asking(model_calls, echo), model_calls, most=12)

    assert set(ended) == {"unreadable"}
    assert harness.value("SELECT failures FROM model_breakers") >= 3
    echo.answers = []
    for _ in range(3):
        outcomes(asking(model_calls, echo), model_calls)
        model_calls.drain()
    assert harness.value("SELECT count(*) FROM dead_letters") == 0
    assert len(model_calls.beliefs(scope)) == 8


def test_concurrent_failures_count_once_and_a_half_open_breaker_sends_one_probe(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(40))
    model_calls.drain()
    one = asking(model_calls, echo, slots=8)
    model = ["fake:echo?temperature=0"]

    def take() -> list[ClaimedRequest]:
        return [taken for _ in range(8) if (taken := one.store.take("ann", [TALK], model))]

    def fail(all_: list[ClaimedRequest]) -> tuple[int, int, bool]:
        for taken in all_:
            one.store.settle(taken, FAILED)
        harness.later(1.5)
        ((failures, width, shut),) = harness.rows(
            "SELECT failures, width, open_until > slowwave_now() FROM model_breakers"
        )
        return failures, width, shut

    under_way = take()
    assert len(under_way) == 8
    assert fail(under_way) == (1, 4, False)
    assert fail(take()) == (2, 2, False)
    assert fail(take()) == (3, 1, True)
    assert take() == []

    harness.later(10)
    (probe,) = take()
    one.store.settle(probe, Outcome("ok", Answer("{}")))
    assert len(take()) == 2


def test_an_unavailable_provider_is_probed_once_a_minute_and_used_when_it_returns(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    echo.answers = [Crowded("429", retry_after_seconds=0)] * 9
    asker = asking(model_calls, echo)

    def paused() -> float:
        """Let a call fail; let the pause after it pass, and return its length."""
        assert asker.ask("ann") == "crowded"
        ((seconds,),) = harness.rows(
            "SELECT extract(epoch FROM open_until - slowwave_now())::float FROM model_breakers"
        )
        harness.later(max(seconds, 1.3))
        return float(seconds)

    pauses = [paused() for _ in range(9)][2:]

    assert pauses == sorted(pauses[:5]) + pauses[5:], "they grow"
    assert all(40 < pause < 80 for pause in pauses[5:])
    assert asker.ask("ann") == "ok"


def test_a_429_counts_against_no_request_and_its_wait_is_obeyed(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    echo.answers = [Crowded("429", retry_after_seconds=60)]
    asker = asking(model_calls, echo)

    assert asker.ask("ann") == "crowded"
    harness.later(50)
    assert asker.ask("ann") is None
    harness.later(80)
    assert asker.ask("ann") == "ok"
    assert harness.rows("SELECT failed, vanished, unreadable, unwitnessed FROM model_requests") == [(0, 0, 0, 0)]


def test_a_refused_request_becomes_dead_letters_and_a_long_request_is_split(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    echo.answers = [Refused("400", too_long=True), Refused("400")]
    asker = asking(model_calls, echo)
    for _ in range(3):
        outcomes(asker, model_calls)
        model_calls.drain()

    assert harness.rows("SELECT position, reason FROM dead_letters ORDER BY position") == [
        (1, "the model's part: refused: 400"), (2, "the model's part: refused: 400"),
    ]  # fmt: skip
    assert model_calls.beliefs(scope) == ["user likes food3", "user likes food4"]


def test_the_smallest_case_separates_a_poison_request_from_a_failing_provider(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    class Deaf(Echo):
        def ask(self, messages, schema, *, most_tokens, timeout_seconds):  # type: ignore[no-untyped-def]
            if "food" in messages[0]["content"]:
                raise Unavailable("500")
            return super().ask(messages, schema, most_tokens=most_tokens, timeout_seconds=timeout_seconds)

    echo = Deaf()
    model_calls.say(scope, *likes(2))
    model_calls.drain()

    outcomes(asking(model_calls, echo), model_calls, most=60)
    model_calls.drain()

    assert harness.rows("SELECT position, category FROM dead_letters ORDER BY position") == [(1, "fault"), (2, "fault")]
    assert echo.asked  # the witness
    assert harness.value("SELECT count(*) FROM model_calls WHERE tenant = '_system'") <= 8


def test_the_daily_budget_limits_requests_until_the_next_day(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(20))
    model_calls.drain()
    asker = asking(model_calls, echo, cap_tokens=150)
    taken = [one for _ in range(8) if (one := asker.store.take("ann", [TALK], ["fake:echo?temperature=0"]))]

    assert len(taken) == 2
    (spent,) = harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets")
    assert sum(spent) <= 150

    harness.later(24 * 3600)
    assert asker.ask("ann") == "ok"


def test_a_request_above_the_daily_budget_becomes_dead_letters(
    model_calls: ModelCalls, harness: Harness, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(2))
    model_calls.drain()

    assert asking(model_calls, echo, cap_tokens=20).ask("ann") is None
    model_calls.drain()

    assert harness.value("SELECT count(*) FROM dead_letters WHERE reason LIKE '%%too dear%%'") == 2
    assert model_calls.marks(scope) == (2, 2)


def test_a_tenant_with_many_requests_does_not_keep_another_waiting(
    model_calls: ModelCalls, scope: Scope, echo: Echo
) -> None:
    other = Scope("acme", "bob", "concierge")
    model_calls.say(scope, *likes(40))
    model_calls.say(other, *likes(4))
    model_calls.drain()
    asker = asking(model_calls, echo)

    tenants = [one.tenant for _ in range(4) if (one := asker.store.take("ann", [TALK], ["fake:echo?temperature=0"]))]

    assert sorted(tenants[:2]) == ["acme", "default"]


def test_requests_of_an_unloaded_pack_are_left_to_other_workers(
    model_calls: ModelCalls, scope: Scope, echo: Echo
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()

    assert replace(asking(model_calls, echo), extractors={}).ask("ann") is None
    assert replace(asking(model_calls, echo), extractors={"other": Talk(pack="other")}).ask("ann") is None
    assert json.dumps(echo.asked) == "[]"
