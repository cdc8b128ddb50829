"""Subscriptions deliver the same deltas locally and over HTTP, also after an interrupted connection."""

import asyncio
import threading
import uuid

import pytest

from slowwave import AsyncMemory, Memory, MemoryScope, NotFound, wiring
from slowwave.api.app import create_app
from slowwave.domain.delta import AppliedDelta
from slowwave.errors import Unauthorized
from slowwave.memory.operations import Access
from slowwave.remote.http import HttpConnection
from slowwave.remote.subscriptions import RemoteDeltas
from slowwave.subscriptions import deltas
from tests.faults.rig.processes import until
from tests.integration.api.served import serving
from tests.integration.subscriptions.test_follow import Ear, added, cities


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "POLL_SECONDS", 0.02)


@pytest.fixture
def nora(beside: Memory) -> MemoryScope:
    return beside.scope("nora", agent="concierge")


def cut(following: object) -> None:
    """Cut the connection, as a proxy with a time limit does."""
    assert isinstance(following, RemoteDeltas)
    assert following._sock is not None
    following._sock.shutdown(2)


def test_a_listener_receives_each_delta_of_its_scope_once_in_order(
    memory: Memory, beside: Memory, nora: MemoryScope
) -> None:
    nora.apply(added(nora, "Rome"))  # before the subscription
    all_, one = Ear(deaf=1), Ear()
    bob = beside.scope("bob")
    with memory.on_delta(all_) as listening, memory.scope("nora", agent="concierge").on_delta(one, kind="add"):
        nora.apply(added(nora, "Riga"))
        bob.apply(added(bob, "Lima"))
        nora.apply(added(nora, "Oslo"))
        assert all_.waited(3) == ["Riga", "Lima", "Oslo"]
        assert one.waited(2) == ["Riga", "Oslo"]
    assert all_.refused == [all_.heard[0].id]
    assert (listening.after, listening.trouble) == (all_.heard[2].id, None)
    assert all_.heard == beside.deltas(limit=10)[1:]


def test_a_new_follower_continues_after_the_last_delta(memory: Memory, nora: MemoryScope) -> None:
    for city in ("Riga", "Oslo", "Lima"):
        nora.apply(added(nora, city))
    with memory.scope("nora", agent="concierge").follow(since=nora.deltas()[0].delta.promotion_ts) as first:
        assert cities([next(first), next(first)]) == ["Riga", "Oslo"]
        behind = first.after
    with memory.follow(after=behind) as rest:
        assert cities([next(rest)]) == ["Lima"]
    assert list(rest) == []
    for nobody in (uuid.uuid4(), "none"):
        with pytest.raises(NotFound):
            memory.follow(after=nobody)


def test_a_broken_stream_resumes_where_it_stopped(
    remote: Memory, nora: MemoryScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear, learned = Ear(), threading.Event()
    wire: HttpConnection = vars(remote)["_wire"]
    again = wire.stream
    with remote.follow() as silent, remote.on_delta(ear) as listening:
        monkeypatch.setattr(wire, "stream", lambda *args, **named: learned.wait(60) and again(*args, **named))
        cut(silent)  # before it was told anything: from when on it follows is known all the same
        nora.apply(added(nora, "Riga"))
        learned.set()
        assert (cities([next(silent)]), ear.waited(1)) == (["Riga"], ["Riga"])
        learned.clear()
        cut(listening._following)
        nora.apply(added(nora, "Oslo"))
        nora.apply(added(nora, "Lima"))
        learned.set()
        assert ear.waited(3) == ["Riga", "Oslo", "Lima"]
        until(lambda: listening.trouble is None, "the trouble is over")


def test_a_listener_waits_for_an_unavailable_server(
    beside: Memory, nora: MemoryScope, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    ear = Ear()
    with serving(create_app(beside)) as address:
        memory = Memory.connect(address, key=key)
        listening = memory.on_delta(ear)
    port = int(address.rpartition(":")[2])
    until(lambda: listening.trouble, "the listener says that the server is unreachable")
    nora.apply(added(nora, "Riga"))
    with serving(create_app(beside), port=port):
        assert ear.waited(1) == ["Riga"]
        until(lambda: listening.trouble is None, "the trouble is over")
    memory.close()
    assert not listening._thread.is_alive()
    assert [one.message for one in caplog.records if "no deltas can be read" in one.message]


def test_revoking_the_key_ends_a_subscription_with_the_reason(
    remote: Memory, parts: wiring.Parts, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("slowwave.api.routes.deltas.HEARTBEAT_SECONDS", 0.0)
    following, listening = remote.follow(), remote.on_delta(Ear())
    for made in Access(parts).listing(tenant=parts.settings.tenant):
        Access(parts).revoke(made.key, tenant=parts.settings.tenant)
    with pytest.raises(Unauthorized):
        next(following)
    listening._thread.join(30)
    assert isinstance(listening.trouble, Unauthorized)
    assert "a subscription to deltas has ended" in caplog.text


def test_a_follower_fetches_one_page_ahead(remote: Memory, nora: MemoryScope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowwave.remote.subscriptions.PAGE", 1)
    told = [str(number) for number in range(5)]
    with remote.follow() as following:
        for city in told:
            nora.apply(added(nora, city))
        until(lambda: following.ready, "the first is at hand")
        assert following.ready == 1
        assert cities([next(following) for _ in told]) == told


def test_an_async_listener_receives_deltas(address: str, key: str, nora: MemoryScope) -> None:
    heard: list[str] = []

    async def agent() -> None:
        done = asyncio.Event()

        async def hear(delta: AppliedDelta) -> None:
            heard.append(delta.text)
            done.set()

        async with AsyncMemory.connect(address, key=key) as memory:
            async with (
                memory.follow() as following,
                memory.scope("nora", agent="concierge").on_delta(hear) as listening,
            ):
                await asyncio.to_thread(lambda: nora.apply(added(nora, "Riga")))
                async for delta in following:
                    assert delta.text == "The user has been to Riga"
                    break
                await asyncio.wait_for(done.wait(), 60)
                assert listening.after == following.after
            left = memory.on_delta(hear)
        await asyncio.gather(left._task, return_exceptions=True)  # it ends with the memory
        assert left._task.done()

    asyncio.run(agent())
    assert heard == ["The user has been to Riga"]
