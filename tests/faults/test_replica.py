"""Reads on a real streaming replica: present, lagging, killed, promoted; the primary serves what the replica cannot."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from slowwave import AsyncMemory, Episode, wiring
from slowwave.domain.audit import AuditFilter
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.settings import Settings
from slowwave.store import replica
from slowwave.store.beliefs.facts import facts as stored_facts
from tests.faults.rig.postgres.replica import ReplicaServer
from tests.folders import open_folder

pytestmark = pytest.mark.accept
CUT_OFF = "ignore:Exception ignored in. <function ServerCursorMixin:pytest.PytestUnraisableExceptionWarning"
"""What psycopg says about a cursor whose server was killed."""


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresServer]:
    """A migrated primary."""
    with open_folder("primary") as home, PostgresServer(home / "postgres", durable=False) as server:
        wiring.migrate_database(server.url("slowwave_owner"))
        yield server


@pytest.fixture
def follower(primary: PostgresServer) -> Iterator[ReplicaServer]:
    """A replica of the primary."""
    with open_folder("replica") as home, ReplicaServer(home / "postgres", primary) as server:
        yield server


@pytest.fixture
def memory(primary: PostgresServer, follower: ReplicaServer) -> Iterator[Memory]:
    """A memory whose reads use the replica."""
    with closing(wiring.connect(Settings.load(url=primary.url(), read_url=follower.url()))) as parts:
        wiring.register(parts)
        yield Memory(parts)
    gc.collect()  # so that a cursor that was cut off is reported in this test


@pytest.mark.filterwarnings(CUT_OFF)
def test_reads_see_every_write_of_their_process_while_the_replica_is_present_lags_dies_and_is_promoted(
    memory: Memory, primary: PostgresServer, follower: ReplicaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "AVOIDED_SECONDS", 0.0)  # each read tries the replica again
    scope, written = memory.scope("nora", agent="concierge"), 0

    def write_and_read() -> None:
        nonlocal written
        written += 1
        scope.push(Episode(content=f"I like food{written}", key=f"k{written}", role="user"))
        scope.consolidate()
        assert {fact.object for fact in scope.facts(form="typed")} == {f"food{one + 1}" for one in range(written)}
        assert any(f"food{written}" in found.text for found in scope.recall(f"food{written}"))
        assert f"food{written}" in str(scope.context(f"Who likes food{written}?"))

    def on_replica() -> bool:
        write_and_read()
        return follower.served()

    assert on_replica()
    with follower.superuser() as connection:
        connection.execute("SELECT pg_wal_replay_pause()")
        assert not on_replica()
        connection.execute("SELECT pg_wal_replay_resume()")
    assert on_replica()
    follower.kill()
    write_and_read()
    follower.start()
    assert on_replica()
    with follower.superuser() as connection:
        connection.execute("SELECT pg_promote()")
    assert not on_replica()


@pytest.mark.filterwarnings(CUT_OFF)
def test_a_replica_that_fails_in_the_middle_of_a_read_costs_no_answer(
    memory: Memory, follower: ReplicaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = memory.scope("kim", agent="concierge")
    scope.push(Episode(content="I live in Oslo", key="home", role="user"))
    scope.consolidate()
    killed: list[str] = []

    def killing(*given: Any, **named: Any) -> Any:
        if not killed:
            killed.append("now")
            follower.kill()
        return stored_facts(*given, **named)

    monkeypatch.setattr("slowwave.memory.queries.stored_facts", killing)
    assert [fact.object for fact in scope.facts(form="typed")] == ["Oslo"]
    assert killed
    assert [fact.object for fact in scope.facts(form="typed")] == ["Oslo"]


def test_reads_of_an_event_loop_use_the_replica(primary: PostgresServer, follower: ReplicaServer) -> None:
    async def live() -> list[str]:
        async with AsyncMemory.connect(primary.url(), read_url=follower.url()) as memory:
            scope = memory.scope("leo", agent="concierge")
            await scope.push(Episode(content="I live in Oslo", key="home", role="user"))
            await scope.consolidate()
            return [fact.object for fact in await scope.facts(form="typed")]

    with closing(wiring.connect(Settings.load(url=primary.url()))) as parts:
        wiring.register(parts)
    assert asyncio.run(live()) == ["Oslo"]


@pytest.mark.parametrize("seconds", [60.0, 0.0])
def test_reads_see_at_once_what_other_processes_wrote_if_they_may_miss_nothing(
    primary: PostgresServer, follower: ReplicaServer, seconds: float
) -> None:
    settings = Settings.load(url=primary.url(), read_url=follower.url(), read_stale_seconds=seconds)
    with closing(wiring.connect(settings)) as one, closing(wiring.connect(settings)) as other:
        wiring.register(one)
        writer, reader = (Memory(parts).scope(f"mia {seconds}", agent="concierge") for parts in (one, other))
        writer.push(Episode(content="I live in Oslo", key="home", role="user"))
        assert [found.text for found in reader.recall("Oslo")] == ["I live in Oslo"]
        assert follower.served()
        with follower.superuser() as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            writer.push(Episode(content="I like Oslo", key="liking", role="user"))
            seen = {found.text for found in reader.recall("Oslo")}
            connection.execute("SELECT pg_wal_replay_resume()")
        assert ("I like Oslo" in seen) == (seconds == 0.0)


def test_audited_reads_stay_on_the_primary(primary: PostgresServer, follower: ReplicaServer) -> None:
    settings = Settings.load(url=primary.url(), read_url=follower.url(), audit="reads")
    with closing(wiring.connect(settings)) as parts:
        wiring.register(parts)
        scope = Memory(parts).scope("zoe", agent="concierge")
        scope.push("I live in Oslo")
        scope.recall("Where does Nora live?")
        assert parts.records.audit("default", AuditFilter(), most=10)
    assert not follower.served()
