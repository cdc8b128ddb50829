"""Receipts of push under every fault: a receipt says `stored` if and only if Postgres has the episode."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.broker import queue
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.faults.rig.processes import frozen, until
from tests.integration.conftest import stored
from tests.unit.test_domain_episode import nested

Connect = Callable[..., wiring.Parts]


def said(*contents: str) -> list[Episode]:
    """Return episodes whose keys are their contents."""
    return [Episode(content=content, key=content) for content in contents]


def states(receipts: list[Any]) -> list[str]:
    """Return the states of the receipts."""
    return [receipt.state for receipt in receipts]


# the broker, in any state


def alive(redis: RedisServer) -> None:
    """Leave the server running."""


def full(redis: RedisServer) -> None:
    """Fill the server's memory."""
    with queue.redis_client(redis.url(0)) as connection:
        connection.config_set("maxmemory", 1)


@pytest.mark.parametrize("state", [alive, RedisServer.freeze, full, RedisServer.kill], ids=lambda f: f.__name__)
def test_a_push_is_stored_in_each_state_of_the_broker(
    state: Callable[[RedisServer], None], mortal_postgres: PostgresServer, mortal_redis: RedisServer,
    connected: Connect, scope: Scope,
) -> None:  # fmt: skip
    parts = connected(broker_url=mortal_redis.broker_url)
    state(mortal_redis)
    if state is RedisServer.freeze:
        until(lambda: mortal_redis.pid and frozen(mortal_redis.pid), "it is frozen")

    receipts = [parts.push(scope, said(f"{number}"))[0] for number in range(20)]

    assert states(receipts) == ["stored"] * 20
    assert [receipt.position for receipt in receipts] == list(range(1, 21))
    assert stored(mortal_postgres, scope) == [(f"{number}", f"{number}") for number in range(20)]
    if state is RedisServer.freeze:
        assert mortal_redis.pid
        assert frozen(mortal_redis.pid), "it was frozen all the while"


def test_announcements_pause_after_a_broker_failure_and_resume(
    mortal_redis: RedisServer, connected: Connect, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "BREAK_SECONDS", 2.0)  # longer than the test pauses
    parts = connected(broker_url=mortal_redis.broker_url)
    mortal_redis.kill()
    parts.push(scope, said("while it is dead"))
    bell = parts.bell
    assert bell
    until(lambda: not bell.healthy, "the bell knows that the broker is unreachable")

    mortal_redis.start()
    numbers = iter(range(1_000_000))

    def rung() -> bool:
        parts.push(scope, said(f"{next(numbers)}"))
        return queue.depth() > 0

    until(rung, "a bell rings again")


def test_an_unexpected_error_does_not_stop_announcements(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[str] = []

    def ring(_scope: uuid.UUID, job: str, _cell: str) -> None:
        if job == "cursed":
            raise ValueError(job)
        rung.append(job)

    monkeypatch.setattr(queue, "notify_workers", ring)
    monkeypatch.setattr(queue, "BREAK_SECONDS", 0.0)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    bell = queue.WorkerNotifier()
    bell.ring(uuid.uuid4(), "cursed")

    def heard() -> bool:
        bell.ring(uuid.uuid4(), "consolidate")
        return bool(rung)

    until(heard, "the next bell is rung")
    bell.close()


# without Postgres


def test_a_push_without_an_outbox_raises_unavailable_with_a_wait(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope
) -> None:
    parts = connected()
    parts.push(scope, said("before"))
    mortal_postgres.kill()

    with pytest.raises(Unavailable) as refusal:
        parts.push(scope, said("meanwhile"))
    assert refusal.value.retry_after_seconds > 0
    assert refusal.value.hint

    mortal_postgres.start()
    assert states(parts.push(scope, said("meanwhile"))) == ["stored"]
    assert [key for key, _ in stored(mortal_postgres, scope)] == ["before", "meanwhile"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outbox.db"


def test_an_outbox_spools_pushes_and_stores_them_in_order_with_the_same_keys(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope, path: Path
) -> None:
    parts = connected(outbox=path)
    assert parts.spooler
    first = parts.push(scope, said("before"))
    mortal_postgres.kill()
    spooled = [parts.push(scope, said(f"{number}"))[0] for number in range(5)]
    keyless = parts.push(scope, ["without a key"])[0]

    assert states([*spooled, keyless]) == ["spooled"] * 6
    assert parts.push(scope, said("3"))[0].repeated

    mortal_postgres.start()
    parts.spooler.drain()
    after = parts.push(scope, said("after"))[0]

    keys = [key for key, _ in stored(mortal_postgres, scope)]
    assert keys == ["before", "0", "1", "2", "3", "4", keyless.key, "after"]
    again = parts.push(scope, said("before", "0", "1", "2", "3", "4"))
    assert [receipt.id for receipt in again] == [receipt.id for receipt in [*first, *spooled]]
    assert all(receipt.repeated for receipt in again)
    assert after.state == "stored"
    assert parts.outbox
    assert not parts.outbox.holds()


def test_a_push_stores_the_spooled_episodes_first(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.jobs.spool.FIRST_PAUSE_SECONDS", 3600.0)
    monkeypatch.setattr("slowwave.jobs.spool.SHARE", 0)
    parts = connected(outbox=path)
    mortal_postgres.kill()
    parts.push(scope, said("one", "two"))
    mortal_postgres.start()

    assert states(parts.push(scope, said("three"))) == ["stored"]
    assert [key for key, _ in stored(mortal_postgres, scope)] == ["one", "two", "three"]


def test_connecting_stores_the_spooled_pushes_of_an_earlier_process(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope, path: Path
) -> None:
    parts = connected(outbox=path)
    mortal_postgres.kill()
    parts.push(scope, said("one"))
    parts.close()
    mortal_postgres.start()

    with Memory.connect(mortal_postgres.url(), outbox=path):
        until(lambda: stored(mortal_postgres, scope), "the outbox has emptied itself")


def test_a_drain_stores_the_spooled_episodes_before_it_consolidates(
    mortal_postgres: PostgresServer, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.jobs.spool.FIRST_PAUSE_SECONDS", 3600.0)
    with Memory.connect(mortal_postgres.url(), outbox=path) as memory:
        scope = memory.scope(user=f"alice-{uuid.uuid4().hex[:8]}")
        mortal_postgres.kill()
        assert scope.push("I moved to Oslo", key="one").state == "spooled"
        mortal_postgres.start()

        scope.consolidate()

        assert [fact.object for fact in scope.facts() if fact.predicate == "lives_in"] == ["Oslo"]


def test_a_spooled_push_that_is_refused_is_kept_with_its_reason(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope, path: Path
) -> None:
    parts = connected(outbox=path)
    assert parts.spooler
    assert parts.outbox
    parts.push(scope, [Episode(content="the first", key="k")])
    mortal_postgres.kill()
    assert states(parts.push(scope, [Episode(content="the second", key="k"), *said("innocent")])) == ["spooled"] * 2
    mortal_postgres.start()
    parts.spooler.drain()

    assert stored(mortal_postgres, scope) == [("k", "the first"), ("innocent", "innocent")]
    (refused,) = parts.outbox.refused()
    assert refused.episode["content"] == "the second"
    assert refused.reason
    assert "belongs to an episode with other content" in refused.reason


def test_an_invalid_episode_is_refused_at_once_during_an_outage(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope, path: Path
) -> None:
    parts = connected(outbox=path)
    mortal_postgres.kill()

    receipts = parts.push(scope, [*said("good"), {"content": "", "role": "alien"}])

    assert states(receipts) == ["spooled", "refused"]
    assert isinstance(receipts[1].error, Incorrect)
    assert len(receipts[1].error.problems) == 2


def test_a_full_outbox_is_unavailable(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope, path: Path
) -> None:
    parts = connected(outbox=path, outbox_bytes=1024 * 1024)
    mortal_postgres.kill()
    large = [Episode(content="x" * 200_000, key=f"{number}") for number in range(10)]

    with pytest.raises(Unavailable, match="full"):
        parts.push(scope, large)
    assert states(parts.push(scope, large[:1])) == ["spooled"]


# the same key


@contextmanager
def answers_lost(parts: wiring.Parts, server: PostgresServer, how_many: int) -> Iterator[list[int]]:
    """Terminate the backend after its commit and before its answer, *how_many* times; give the affected statements."""
    dialect: Any = parts.database._app.dialect
    commit = dialect.do_commit
    met: list[int] = []

    def commit_and_lose_the_answer(connection: Any) -> None:
        commit(connection)
        if len(met) < how_many:
            backend = connection.dbapi_connection.info.backend_pid
            met.append(backend)
            with psycopg.connect(server.url("postgres"), autocommit=True) as executioner:
                executioner.execute("SELECT pg_terminate_backend(%s, 5000)", (backend,))
            connection.execute("SELECT 1")  # the driver's error for a lost backend

    dialect.do_commit = commit_and_lose_the_answer
    try:
        yield met
    finally:
        dialect.do_commit = commit


def test_a_lost_answer_raises_unavailable_and_a_repeated_push_finds_the_stored_episode(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope
) -> None:
    parts = connected()
    with answers_lost(parts, mortal_postgres, 10**6), pytest.raises(Unavailable):
        parts.push(scope, said("one"))

    (receipt,) = parts.push(scope, said("one"))

    assert (receipt.state, receipt.position, receipt.repeated) == ("stored", 1, True)
    assert len(stored(mortal_postgres, scope)) == 1


def test_a_key_repeated_within_a_batch_is_stored_once(
    mortal_postgres: PostgresServer, connected: Connect, scope: Scope
) -> None:
    batch = [*said("one", "two", "one"), Episode(content="other", key="two")]

    receipts = connected().push(scope, batch)

    assert [(receipt.state, receipt.position) for receipt in receipts] == [
        ("stored", 1),
        ("stored", 2),
        ("stored", 1),
        ("refused", 2),
    ]
    assert [receipt.repeated for receipt in receipts] == [False, False, True, True]
    assert [key for key, _ in stored(mortal_postgres, scope)] == ["one", "two"]


# bad input


# Bad input of other kinds is refused in `tests/unit/test_domain_episode.py`.
BAD: dict[str, tuple[Any, int]] = {
    "NUL inside JSON": ({"content": "x", "metadata": {"a": {"b": ["\0"]}}}, 1),
    "lone surrogates": ({"content": "\ud800", "session": "\udfff", "metadata": {"\ud800": "\udc00"}}, 4),
    "metadata far too deep": ({"content": "x", "metadata": nested(100_000)}, 1),
    "wrong types": ({"content": 1, "key": 2, "session": 3, "role": 4, "kind": 5, "metadata": 6}, 6),
    "extra fields": ({"content": "x", "self": 1, "cls": 2, "data": 3}, 3),
    "names that are no text": ({"content": "x", 1: 2, None: 3}, 2),
    "key with controls, zero width, too long": ({"content": "x", "key": "\u200b\x07" + "k" * 255}, 3),
    "key that is not normalised": ({"content": "x", "key": "e\u0301"}, 1),
    "time without a zone": ({"content": "x", "occurred_at": "2026-03-02T12:00:00"}, 1),
    "time out of range": ({"content": "x", "occurred_at": "9999-12-31T23:59:59+00:00"}, 1),
    "year 300000": ({"content": "x", "occurred_at": "300000-01-01T00:00:00+00:00"}, 1),
    "no object": (5, 1),
    "nothing": (None, 1),
    "a list": ([["content", "x"]], 1),
}


@pytest.fixture(scope="module")
def parts_of_module(session_postgres: PostgresServer) -> Iterator[wiring.Parts]:
    parts = wiring.connect(Settings.load(url=session_postgres.url()))
    yield parts
    parts.close()


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_refused_with_every_problem_and_its_neighbours_are_stored(
    kind: str, parts_of_module: wiring.Parts, session_postgres: PostgresServer, scope: Scope
) -> None:
    item, problems = BAD[kind]
    here = MemoryScope(parts_of_module, scope)

    receipts = here.push_many([*said("before"), item, *said("after")])
    with pytest.raises(Incorrect) as refusal:
        here.push(item)

    assert states(receipts) == ["stored", "refused", "stored"]
    assert isinstance(receipts[1].error, Incorrect)
    assert receipts[1].error.problems == refusal.value.problems
    assert len(refusal.value.problems) == problems, refusal.value
    assert [key for key, _ in stored(session_postgres, scope)] == ["before", "after"]
