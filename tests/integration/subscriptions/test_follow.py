"""Following a memory: each delta arrives once and in order, despite late commits and faults of Postgres."""

import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.delta import AppliedDelta
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.errors import Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store.beliefs.manual_corrections import apply_delta
from slowwave.subscriptions import deltas
from tests.faults.rig.processes import until


@pytest.fixture
def memory(parts: wiring.Parts) -> Memory:
    return Memory(parts)


@pytest.fixture
def here(memory: Memory, scope: Scope) -> MemoryScope:
    return MemoryScope(parts_of(memory), scope)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "POLL_SECONDS", 0.02)


def added(scope: MemoryScope, city: str) -> dict[str, Any]:
    """Return a delta that adds a place where the user was."""
    source = scope.push(f"I was in {city}", key=f"of {city}")
    return {
        "kind": "add",
        "fact_payload": {"subject": "user", "predicate": "visited", "object": city, "single_valued": False},
        "source_episode_ids": [str(source.id)],
        "promotion_ts": datetime(2026, 3, 3, tzinfo=UTC),
        "rule_id": "a person",
        "confidence": 0.9,
    }


def cities(deltas: list[AppliedDelta]) -> list[str]:
    return [one.claim[2] for one in deltas if one.claim]


class Ear:
    """A callback that stores its deltas; the first *deaf* calls raise."""

    def __init__(self, deaf: int = 0) -> None:
        self.heard: list[AppliedDelta] = []
        self.refused: list[uuid.UUID] = []
        self._deaf = deaf
        self._change = threading.Condition()

    def __call__(self, delta: AppliedDelta) -> None:
        with self._change:
            if len(self.refused) < self._deaf:
                self.refused.append(delta.id)
                raise OSError("not now")
            self.heard.append(delta)
            self._change.notify_all()

    def waited(self, count: int) -> list[str]:
        with self._change:
            assert self._change.wait_for(lambda: len(self.heard) >= count, timeout=60)
            return cities(self.heard)


def test_a_follower_reads_new_deltas_in_order(memory: Memory, here: MemoryScope) -> None:
    here.apply(added(here, "Riga"))
    follower = memory.follow()
    assert follower.read() == []

    here.apply(added(here, "Oslo"))
    here.apply(added(here, "Lima"))

    assert cities(follower.read(1)) == ["Oslo"]
    assert cities(follower.read()) == ["Lima"]
    assert follower.read() == []


def test_an_uncommitted_delta_holds_back_later_ones(memory: Memory, here: MemoryScope) -> None:
    parts = parts_of(memory)
    there = MemoryScope(parts, replace(here.scope, user=f"{here.scope.user} junior"))
    late, early = added(here, "Riga"), added(there, "Oslo")
    there.apply(added(there, "Lima"))  # what a tenant has once is made
    follower = memory.follow()

    with parts.database.tenant(here.scope.tenant) as connection:
        apply_delta(connection, here.scope, late, parts.embedder, parts.predicates)
        there.apply(early)
        assert cities(memory.deltas()) == ["Lima", "Oslo"]
        assert follower.read() == []

    assert cities(follower.read()) == ["Riga", "Oslo"]


def test_an_uncommitted_delta_of_another_tenant_holds_nothing_back(memory: Memory, here: MemoryScope) -> None:
    parts = parts_of(memory)
    there = MemoryScope(parts, replace(here.scope, tenant="another"))
    late, early = added(there, "Riga"), added(here, "Oslo")
    here.apply(added(here, "Lima"))
    follower = memory.follow()

    with parts.database.tenant("another") as connection:
        apply_delta(connection, there.scope, late, parts.embedder, parts.predicates)
        here.apply(early)
        assert cities(follower.read()) == ["Oslo"]

    assert follower.read() == []


def test_closing_the_memory_ends_listeners_and_followers(settings: Settings, parts: wiring.Parts) -> None:
    own = Memory(wiring.connect(settings))
    listening, follower = own.on_delta(Ear()), own.follow()

    own.close()

    assert (repr(listening), list(follower)) == ("<Subscription: after None, closed>", [])
    assert not listening._thread.is_alive()


@pytest.fixture
def mortal(mortal_postgres: PostgresServer) -> Iterator[Memory]:
    with Memory(wiring.connect(Settings.load(url=mortal_postgres.url(), statements=False))) as memory:
        yield memory


@pytest.mark.accept
def test_a_listener_reports_an_outage_and_continues_afterwards(
    mortal: Memory, mortal_postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    here = mortal.scope(user=uuid.uuid4().hex)
    oslo = added(here, "Oslo")
    ear = Ear()
    with here.on_delta(ear) as listening:
        here.apply(added(here, "Riga"))
        ear.waited(1)

        mortal_postgres.kill()
        until(lambda: listening.trouble, "the listener says nothing of it")
        with pytest.raises(Unavailable):
            here.apply(oslo)
        mortal_postgres.start()
        here.apply(oslo)

        assert ear.waited(2) == ["Riga", "Oslo"]
        assert listening.trouble is None
    assert [one.message for one in caplog.records if "no deltas can be read" in one.message]
