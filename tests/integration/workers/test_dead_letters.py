"""Malformed messages leave the queue as dead letters, each with its tenant and reason; many alike are noticed."""

import json
import uuid
from typing import Any

import psycopg
import pytest
from celery import Celery

from slowwave import wiring
from slowwave.broker import queue
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.limits import REFUSAL_BYTES
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.errors import Incorrect
from slowwave.jobs.ingest import ingest
from slowwave.memory import due_work
from slowwave.store.dead_letters import LETTER_BYTES
from tests.contract.harness import somebody
from tests.faults.rig.garbage import Item, good, kinds, names_of, no_orders, order, packed
from tests.faults.rig.processes import Process, until
from tests.integration.command import Run
from tests.integration.conftest import Station
from tests.unit.tables import table
from worker.control_commands import refuse_malformed
from worker.malformed import EXCERPT_BYTES, read

ROWS = table(__file__)

SOUND_ORDERS: list[dict[str, Any]] = ROWS["sound_orders"]
LETTERS = "SELECT item ->> 'begins', (item ->> 'bytes')::bigint, reason FROM dead_letters WHERE tenant = '_system'"


def letters(station: Station) -> list[str]:
    """Return the beginnings of the malformed messages that became dead letters of the installation."""
    return [begins for begins, _, _ in station.rows(LETTERS) if begins is not None]


def counted(station: Station, mark: str) -> tuple[int, int]:
    """Return the number of letters that begin with *mark*, and of the transactions that wrote them."""
    count = "SELECT count(*), count(DISTINCT xmin::text) FROM dead_letters WHERE item ->> 'begins' LIKE %s"
    ((found, transactions),) = station.rows(count, f"{mark}%")
    return found, transactions


def has_letter(item: Item, found: list[str]) -> bool:
    """Return whether *item* has a dead letter."""
    if item.mark:
        return any(item.mark in begins for begins in found)
    return item.raw[:EXCERPT_BYTES].decode("utf-8", "replace").replace("\0", "\ufffd") in found


@pytest.mark.parametrize("raw", [b"", b"garbage", b"\0", b"[" * 100_000])
def test_the_dead_letter_of_another_message_does_not_match(raw: bytes) -> None:
    item = Item("", raw, "")
    others = [other for other in ("", "g", "garbage", "[", "\ufffd") if other != raw.decode().replace("\0", "\ufffd")]

    assert not has_letter(item, others)
    assert has_letter(item, [*others, raw[:EXCERPT_BYTES].decode().replace("\0", "\ufffd")])


@pytest.mark.accept
def test_each_kind_of_garbage_becomes_a_dead_letter_and_the_worker_survives(station: Station, scope: Scope) -> None:
    before, items = station.worker.pid, list(kinds(names_of(scope)))
    neighbours = [uuid.uuid4().hex for _ in items]
    for item, neighbour in zip(items, neighbours, strict=True):
        station.send(item.raw, json.dumps(good(names_of(scope), neighbour)))

    stored = {key for key, _ in station.until_stored(scope, len(items) + sum(item.good for item in items))}
    bad = [item for item in items if not item.good]
    until(
        lambda: (found := letters(station)) and all(has_letter(item, found) for item in bad),
        "every bad one has its letter",
        otherwise=lambda: "\n".join(item.kind for item in bad if not has_letter(item, letters(station))),
    )

    assert stored == {*neighbours, *(item.mark for item in items if item.good)}
    assert (station.worker.pid, station.worker.running) == (before, True)
    assert len(bad) > 150


@pytest.mark.accept
def test_a_dead_letter_has_the_messages_beginning_and_size_and_problems(station: Station, scope: Scope) -> None:
    mark = uuid.uuid4().hex
    envelope = good(names_of(scope), mark)
    envelope["headers"].update(timelimit=["a", {}], eta="soon", more="x" * 100_000)
    raw = json.dumps(envelope)
    station.send(raw)

    marked = station.until(lambda: [row for row in station.rows(LETTERS) if mark in (row[0] or "")], "it has a letter")
    ((begins, size, reason),) = marked
    assert raw.startswith(begins)
    assert len(begins) < size == len(raw)
    assert reason.splitlines() == [
        "message has 3 problems:",
        "  - headers.eta: Invalid isoformat string: 'soon'",
        "  - headers.timelimit.0: expected a number, got text",
        "  - headers.timelimit.1: expected a number, got an object",
    ]


def test_data_that_resembles_a_transport_type_is_stored_unchanged(station: Station, scope: Scope) -> None:
    metadata = {"__type__": "datetime", "__value__": "garbage"}
    message = {**names_of(scope), "episodes": [{"key": "k", "content": "x", "metadata": metadata}]}
    station.send(json.dumps({**good({}, ""), "body": packed(message)}))

    station.until_stored(scope, 1)

    assert station.rows("SELECT metadata FROM episodes WHERE scope = %s", scope.id) == [(metadata,)]


@pytest.mark.accept
def test_garbage_among_unacknowledged_messages_does_not_block_others(station: Station, scope: Scope) -> None:
    mark = uuid.uuid4().hex
    kinds = ["", "null", "{}", "\xff", "[1]", "[null, null, null]", '["x", "y", "z"]', '[{}, "", ""]', f'["{mark}"]']
    with station.client() as line:
        for number, kind in enumerate(kinds):
            line.hset("unacked", f"{mark}-{number}", kind.encode("latin-1"))
            line.zadd("unacked_index", {f"{mark}-{number}": 1})
        kept = json.dumps([good(names_of(scope), "in hand"), "", queue.QUEUE])
        line.hset("unacked", f"{mark}-good", kept)
        line.zadd("unacked_index", {f"{mark}-good": 2})

        station.until_stored(scope, 1)
        until(lambda: any(mark in begins for begins in letters(station)), "the others have their letters")
        until(lambda: mark not in str(line.hkeys("unacked")), "none of them lies there any more")


@pytest.mark.accept
def test_an_invalid_control_command_is_ignored(station: Station, scope: Scope) -> None:
    before, app = station.worker.pid, Celery(broker=station.broker_url, set_as_default=False)

    def answers() -> list[Any]:
        return app.control.ping(timeout=2) or []

    until(answers, "the worker answers to orders")
    with station.client() as line:
        heard = [line.publish("/0.celery.pidbox", each) for each in no_orders()]
    station.send(json.dumps(good(names_of(scope), "after all that")))
    station.until_stored(scope, 1)

    station.until(answers, "the worker answers still")
    assert (station.worker.pid, station.worker.running) == (before, True)
    assert set(heard) == {1}
    assert len(heard) > 100
    assert "Connected to" not in station.worker.said().partition("a malformed control command")[2]


@pytest.mark.parametrize("text", [json.dumps(order(**each)) for each in SOUND_ORDERS])
def test_a_valid_control_command_is_accepted(text: str) -> None:
    refuse_malformed(text.encode())


def test_an_invalid_control_command_is_refused_with_all_its_problems() -> None:
    for raw in no_orders():
        with pytest.raises(Incorrect):
            refuse_malformed(raw)
    with pytest.raises(Incorrect) as caught:
        refuse_malformed(json.dumps(order(method=7, destination="here", self=1)).encode())

    assert [word in caught.value.message for word in ("method", "destination", "self")] == [True] * 3


def test_stamps_without_number_are_one_problem(scope: Scope) -> None:
    envelope = good(names_of(scope), "a mark")
    envelope["headers"]["stamped_headers"] = [1] * 300_000

    with pytest.raises(Incorrect) as caught:
        read(json.dumps(envelope).encode(), source=queue.QUEUE, tasks=[])
    assert caught.value.problems == ("headers.stamped_headers: expected a list of texts",)


@pytest.mark.accept
def test_many_garbage_messages_cost_one_transaction_a_batch(
    mortal_postgres: PostgresServer, mortal_redis: RedisServer, lonely_worker: Process
) -> None:
    mark, station = uuid.uuid4().hex, Station(mortal_postgres, mortal_redis, lonely_worker)
    with station.client() as line:
        waiting = [json.dumps({"begins": f"{mark} {number}", "reason": "garbage"}) for number in range(250)]
        line.rpush(queue.MALFORMED, *waiting)

    lonely_worker.start()  # left in the queue by an earlier worker

    station.until(lambda: counted(station, mark) == (250, 3), "three transactions")


def test_garbage_waits_during_a_postgres_outage(station: Station) -> None:
    mark = uuid.uuid4().hex
    station.postgres.kill()
    station.send(*(f"{mark} {number}" for number in range(20)))
    with station.client() as line:
        station.until(lambda: line.llen(queue.MALFORMED) == 20, "it is put aside")
        station.postgres.start()

        station.until(lambda: sum(begins.startswith(mark) for begins in letters(station)) == 20, "all have letters")
        station.until(lambda: line.llen(queue.MALFORMED) == 0, "nothing waits")


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=[pytest.mark.soak, pytest.mark.timeout(900)])])
def test_a_flood_of_garbage_becomes_dead_letters_and_the_next_message_is_stored(
    station: Station, scope: Scope, count: int
) -> None:
    before, mark = station.worker.pid, uuid.uuid4().hex
    station.send(*(f"{mark} {number}" for number in range(count)), json.dumps(good(names_of(scope), "last")))

    station.until(lambda: station.stored(scope), "it is stored", seconds=600)
    station.until(lambda: counted(station, mark)[0] == count, "all have letters", seconds=600)
    assert counted(station, mark)[1] < count / 2, "each its own transaction"
    assert (station.worker.pid, station.worker.running) == (before, True)


FAULT = "LookupError at nowhere.py:1"


def bury(parts: wiring.Parts, *, reason: str) -> None:
    """Let the only episode of a new user become a dead letter because of a fault of ours."""
    scope = somebody()
    parts.push(scope, ["I live in Oslo."])
    due_work.fire(parts, scope.id)
    while due_work.run_next(parts, owner="ann", scope=scope.id, only=[PREPARE]):
        pass
    claimed = parts.runs.claim(owner="ann", scope=scope.id, jobs=[CONSOLIDATE], overdue_seconds=0)
    assert claimed
    parts.runs.bury(claimed, category="fault", reason=reason)


def test_dead_letters_with_the_same_reason_are_noticed_and_retried(
    parts: wiring.Parts, superuser: psycopg.Connection, run: Run
) -> None:
    for reason in (FAULT, FAULT, FAULT, "another one"):
        bury(parts, reason=reason)

    found = run("check").out
    assert f"3 dead letters of 3 scopes alike: {FAULT}" in found
    assert "dead-letters retry --all --reason" in found

    alike = ("--reason", "LookupError", "--category", "fault")
    assert run("dead-letters", "retry", "--all", *alike).out == "3 retried\n"
    while due_work.run_next(parts, owner="ann"):
        pass
    learned = "SELECT FROM facts WHERE object = 'Oslo' AND upper_inf(recorded)"
    assert superuser.execute(learned).rowcount == 3
    assert superuser.execute("SELECT reason FROM dead_letters WHERE state = 'open'").fetchall() == [("another one",)]
    assert "alike" not in run("check").out


def test_the_retry_command_refuses_numbers_together_with_filters(parts: wiring.Parts, run: Run) -> None:
    for words in ([], ["1", "--all"], ["1", "--reason", "x"]):
        assert "name letters by their numbers" in run("dead-letters", "retry", *words).err
    assert run("dead-letters", "retry", "--all").out == "0 retried\n"


@pytest.mark.parametrize("tenant", [{}, {"a": 1}, [], ["acme"], 5, None, True, "", "a\0b"], ids=repr)
def test_a_message_with_an_invalid_tenant_is_stored_for_the_installation(
    parts: wiring.Parts, superuser: psycopg.Connection, tenant: Any
) -> None:
    message = {"tenant": tenant, "user": "alice", "episodes": [{"content": "I live in Oslo."}]}

    assert ingest(parts.store, parts.inbox, _told_nobody, message, id_="m1") == []

    assert superuser.execute("SELECT tenant, category FROM dead_letters").fetchall() == [("_system", "malformed")]


def test_a_field_name_with_a_nul_refuses_only_its_episode(parts: wiring.Parts, superuser: psycopg.Connection) -> None:
    told: dict[uuid.UUID, str | None] = {}
    items = [
        {"content": "one", "key": "1"},
        {"content": "two", "key": "2", "a\0b": 1},
        {"content": "three", "key": "3"},
    ]
    message = {"tenant": "acme", "user": "alice", "client": "c1", "episodes": items}

    receipts = ingest(parts.store, parts.inbox, lambda _client, settled: told.update(settled), message, id_="m1")

    assert [receipt.state for receipt in receipts] == ["stored", "refused", "stored"]
    ((tenant, reason, item),) = superuser.execute(
        "SELECT tenant, reason, item ->> 'content' FROM dead_letters"
    ).fetchall()
    assert (tenant, item) == ("acme", "two")
    assert "\0" not in reason
    scope = Scope("acme", "alice", "default")
    assert [bool(told[scope.episode_id(key)]) for key in "123"] == [False, True, False]


def test_a_dead_letter_has_a_size_limit(parts: wiring.Parts, superuser: psycopg.Connection) -> None:
    item = {"content": "x" * 2 * LETTER_BYTES, "metadata": {f"é{number}": "\0" for number in range(5_000)}}
    message = {"user": "alice", "episodes": [item]}

    ingest(parts.store, parts.inbox, _told_nobody, message, id_="m1")
    bury(parts, reason="é" * REFUSAL_BYTES)

    sizes = superuser.execute(
        "SELECT octet_length(reason), coalesce(octet_length(item::text), 0) FROM dead_letters"
    ).fetchall()
    assert len(sizes) == 2
    assert all(reason <= REFUSAL_BYTES and kept <= LETTER_BYTES for reason, kept in sizes)


def _told_nobody(_client: str, _settled: Any) -> None:
    raise AssertionError("this message names no client")
