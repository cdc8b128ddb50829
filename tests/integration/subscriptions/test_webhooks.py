"""Webhooks deliver the deltas of one tenant, signed and in order, until the receiver has accepted each."""

import os
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from slowwave.broker import queue
from slowwave.domain.job_table import DELIVER
from slowwave.embedded_services import RedisServer
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory, due_work
from slowwave.memory.subscriptions import Webhooks
from slowwave.testing import stop_clock
from slowwave.wiring import Parts
from tests.faults.rig.processes import Process, celery, running, until
from tests.integration.steps import environment
from tests.integration.subscriptions.receiver import Receiver, receiving
from tests.integration.subscriptions.test_follow import added


@pytest.fixture
def hooks(parts: Parts) -> Webhooks:
    return Webhooks(parts)


def learn(parts: Parts, *cities: str, tenant: str = "mine", user: str = "nora") -> None:
    scope = Memory(parts).scope(user, agent="coder", channel="shop", tenant=tenant)
    for city in cities:
        scope.apply(added(scope, city))


def tell(parts: Parts, superuser: psycopg.Connection | None = None) -> list[str]:
    """Deliver the pending requests; with *superuser*, also those that were postponed."""
    if superuser is not None:
        superuser.execute("UPDATE webhooks SET due = slowwave_now(), held_until = NULL")
        superuser.commit()
    said = []
    while (outcome := due_work.deliver_next(parts)) is not None:
        said.append(outcome)
    return said


def visited(*cities: str) -> list[str]:
    return [f"The user has been to {city}" for city in cities]


def test_each_delta_is_delivered_once_signed_and_in_order(hooks: Webhooks, parts: Parts, receiver: Receiver) -> None:
    learn(parts, "Rome")  # before the webhook existed
    made, secret = hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo", "Lisbon", "Bergen")

    assert tell(parts) == ["ok"]
    assert receiver.words == visited("Oslo", "Lisbon", "Bergen")
    assert receiver.verifies(secret)
    assert not receiver.verifies("whsec_" + "A" * 44)
    applied = [one for one in Memory(parts).deltas(tenant="mine") if one.claim and one.claim[2] != "Rome"]
    assert receiver.ids == [str(one.id) for one in applied]
    assert [(body["type"], body["timestamp"], body["data"]["id"]) for body in receiver.taken] == [
        ("delta.add", one.delta.promotion_ts.isoformat(), str(one.id)) for one in applied
    ]
    assert tell(parts) == []
    (listed,) = hooks.listing(tenant="mine")
    assert (listed.webhook, listed.delivered, listed.trouble) == (made.webhook, 3, None)


def test_a_receiver_gets_the_missed_deltas_after_an_outage(
    hooks: Webhooks, parts: Parts, superuser: psycopg.Connection
) -> None:
    with receiving() as first:
        port = urlsplit(first.url).port
        hooks.create(first.url, tenant="mine")
    learn(parts, "Oslo", "Lisbon")
    assert tell(parts) == ["failed"]
    assert tell(parts) == []  # a pause before the next attempt
    (listed,) = hooks.listing(tenant="mine")
    assert listed.trouble is not None
    assert "cannot be reached" in listed.trouble

    with receiving(port or 0) as again:
        again.script = [(204, {}), (500, {})]
        learn(parts, "Bergen")
        assert tell(parts, superuser) == ["failed"]
        assert tell(parts, superuser) == ["ok"]
        assert again.words == visited("Oslo", "Lisbon", "Bergen")
        assert again.ids[1] == again.ids[2]
    assert hooks.listing(tenant="mine")[0].trouble is None


def test_deltas_that_are_not_final_are_delivered_later(
    hooks: Webhooks, parts: Parts, receiver: Receiver, owner_url: str
) -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    stop_clock(owner_url, noon)
    hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo")

    assert tell(parts) == ["nothing"]
    stop_clock(owner_url, noon + timedelta(seconds=1))
    assert tell(parts) == ["ok"]
    assert receiver.words == visited("Oslo")


def test_a_receivers_retry_after_is_respected(
    hooks: Webhooks, parts: Parts, receiver: Receiver, superuser: psycopg.Connection
) -> None:
    hooks.create(receiver.url, tenant="mine")
    receiver.script = [(429, {"Retry-After": "900"})]
    learn(parts, "Oslo")

    assert tell(parts) == ["failed"]
    row = superuser.execute("SELECT extract(epoch FROM due - slowwave_now()) FROM webhooks").fetchone()
    assert row is not None
    assert 800 < row[0] <= 900
    assert tell(parts, superuser) == ["ok"]
    assert receiver.words == visited("Oslo")


def test_a_slow_or_redirecting_receiver_counts_as_failed(
    hooks: Webhooks, parts: Parts, receiver: Receiver, superuser: psycopg.Connection
) -> None:
    vars(parts)["settings"] = parts.settings.model_copy(update={"webhook_timeout_seconds": 0.2})
    receiver.heard = receiver.over.wait
    hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo")
    assert tell(parts) == ["failed"]
    assert "did not answer within 0.2 s" in str(hooks.listing(tenant="mine")[0].trouble)

    receiver.heard = lambda: None
    receiver.script = [(302, {"Location": receiver.url})]
    assert tell(parts, superuser) == ["failed"]
    assert "answered 302" in str(hooks.listing(tenant="mine")[0].trouble)


def test_a_webhook_that_fails_for_days_is_disabled(
    hooks: Webhooks, parts: Parts, receiver: Receiver, superuser: psycopg.Connection
) -> None:
    made, _ = hooks.create(receiver.url, tenant="mine")
    receiver.script = [(500, {}), (503, {}), (410, {})]
    learn(parts, "Oslo")
    assert tell(parts) == ["failed"]
    superuser.execute("UPDATE webhooks SET failing = failing - interval '4 days'")
    assert tell(parts, superuser) == ["given up"]
    (listed,) = hooks.listing(tenant="mine")
    assert (listed.disabled is None, listed.trouble) == (False, "the receiver answered 503")
    assert tell(parts, superuser) == []

    hooks.enable(made.webhook, tenant="mine")
    assert tell(parts) == ["given up"]  # the webhook was removed: no further attempts
    hooks.enable(made.webhook, tenant="mine")
    assert tell(parts) == ["ok"]
    assert receiver.words == visited("Oslo")


def test_a_webhook_receives_only_its_tenant_and_its_filter(hooks: Webhooks, parts: Parts, receiver: Receiver) -> None:
    mine, _ = hooks.create(receiver.url, tenant="mine", user="nora")
    with receiving() as other:
        hooks.create(other.url, tenant="theirs", kinds=["delete"])
        learn(parts, "Oslo")
        learn(parts, "Rome", user="bob")
        learn(parts, "Bergen", tenant="theirs")
        tell(parts)
        assert (receiver.words, other.words) == (visited("Oslo"), [])
    assert [one.delivered for one in hooks.listing(tenant="theirs")] == [0]
    for act in (hooks.remove, hooks.enable, hooks.test):
        with pytest.raises(NotFound):
            act(mine.webhook, tenant="theirs")
    hooks.remove(mine.webhook, tenant="mine")
    learn(parts, "Paris")
    assert (tell(parts), hooks.listing(tenant="mine")) == ([], [])


def test_a_tenant_reads_no_secret(hooks: Webhooks, parts: Parts, receiver: Receiver) -> None:
    made, secret = hooks.create(receiver.url, tenant="mine")
    with pytest.raises(Exception, match=r"(?i)may not|permission|denied|allowed"), parts.database.tenant("mine") as it:
        it.exec_driver_sql("SELECT secret FROM webhooks")
    assert secret not in repr(made) + repr(hooks.listing(tenant="mine"))
    assert hooks.test(made.webhook, tenant="mine").accepted
    assert receiver.verifies(secret)


@pytest.mark.parametrize("address", [
    "http://example.org/", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/", "https://169.254.169.254/",
    "https://[::ffff:10.0.0.1]/", "https://localhost/", "ftp://example.org/", "https://me:pw@example.org/",
    "https://example.org/#x", "https:///x", "https://exa mple.org/",
])  # fmt: skip
def test_a_private_address_is_refused(hooks: Webhooks, parts: Parts, address: str) -> None:
    vars(parts)["settings"] = parts.settings.model_copy(update={"webhooks": "public"})
    with pytest.raises(Incorrect):
        hooks.create(address, tenant="mine")


def test_a_name_that_resolves_to_this_host_is_not_called(
    hooks: Webhooks, parts: Parts, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    vars(parts)["settings"] = parts.settings.model_copy(update={"webhooks": "public"})
    here = [(2, 1, 6, "", ("127.0.0.1", urlsplit(receiver.url).port))]
    monkeypatch.setattr("slowwave.http_client.socket.getaddrinfo", lambda *_, **__: here)
    made, _ = hooks.create("https://rebound.example/", tenant="mine")

    answer = hooks.test(made.webhook, tenant="mine")
    assert (answer.status, receiver.told) == (None, [])
    assert "allows no webhook" in answer.description


def test_a_worker_that_lost_a_webhook_does_not_move_its_cursor(
    hooks: Webhooks, parts: Parts, receiver: Receiver, superuser: psycopg.Connection
) -> None:
    hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo", "Bergen")
    outcomes: list[list[str]] = []

    def overtake() -> None:
        receiver.heard = lambda: None
        outcomes.append(tell(parts, superuser))

    receiver.heard = overtake
    assert tell(parts) == ["lost"]
    assert outcomes == [["ok"]]
    assert receiver.ids == [receiver.ids[0], receiver.ids[0], receiver.ids[2]]


@pytest.mark.accept
def test_a_killed_delivery_is_repeated_with_the_same_id(
    hooks: Webhooks, parts: Parts, receiver: Receiver, superuser: psycopg.Connection, url: str, tmp_path: Path
) -> None:
    hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo", "Bergen")
    env = environment(url=url, webhooks="loopback", poll_seconds="0.1")
    worker = Process([sys.executable, "-m", "slowwave.cli", "work"], env, tmp_path / "worker.log")
    waits = threading.Event()

    def wait() -> None:
        waits.set()
        receiver.over.wait(0.5)

    receiver.heard = wait
    with running(worker):
        until(waits.is_set, "it is told", otherwise=worker.said)
        os.kill(worker.pid, signal.SIGKILL)
    receiver.heard = lambda: None
    assert tell(parts) == []  # a legal hold
    assert tell(parts, superuser) == ["ok"]
    assert receiver.ids[0] == receiver.ids[1]
    assert len(receiver.ids) == 3


@pytest.mark.accept
def test_a_celery_worker_delivers_when_the_scheduler_rings(
    mortal_redis: RedisServer, hooks: Webhooks, parts: Parts, receiver: Receiver, url: str, tmp_path: Path
) -> None:
    hooks.create(receiver.url, tenant="mine")
    learn(parts, "Oslo")
    (due,) = [one for one in due_work.tick(parts, by="test").due if one.job == DELIVER]
    env = environment(url=url, broker_url=mortal_redis.broker_url, webhooks="loopback")
    worker = Process([*celery("worker.app", processes=1), "-Q", queue.ASK_QUEUE], env, tmp_path / "worker.log")
    queue.configure(mortal_redis.broker_url)
    with running(worker):
        queue.notify_workers(due.scope, due.job)
        until(lambda: receiver.words == visited("Oslo"), "it is told", otherwise=worker.said)
