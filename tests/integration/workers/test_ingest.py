"""Agents that reach only the broker: each message is stored once, or becomes a dead letter with every problem."""

import base64
import itertools
import json
import os
import pickle
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest

from slowwave import wiring
from slowwave.broker import queue
from slowwave.client import QueueClient, QueueScope
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.domain.limits import MESSAGE_BYTES, REFUSAL_BYTES
from slowwave.domain.message import IngestMessage
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.errors import Conflict, Incorrect, Unavailable
from slowwave.memory import Memory, ingestion
from tests.faults.rig.garbage import enveloped, names_of, packed
from tests.faults.rig.ground import CHECKOUT
from tests.faults.rig.processes import Process, frozen, until
from tests.integration.conftest import Station, stored
from tests.scripts import script
from worker import tasks
from worker.tasks import Witness

Connect = Callable[..., wiring.Parts]


def said(*contents: str) -> list[dict[str, Any]]:
    """Return messages of episodes whose keys are their contents."""
    return [{"content": content, "key": content} for content in contents]


def message(scope: Scope, *episodes: Any, **more: Any) -> dict[str, Any]:
    """Return the kwargs of one message."""
    return {**names_of(scope), "episodes": list(episodes), **more}


def envelope(kwargs: Mapping[str, Any], *, args: Any = (), id_: str | None = None, task: str = queue.INGEST) -> str:
    """Return a message as an agent in any language writes it to Redis, by the docstring of `worker.tasks.ingest`."""
    id_ = id_ or str(uuid.uuid4())
    made = enveloped(packed(kwargs, args), task, id_)
    made["properties"].update(correlation_id=id_, priority=0)
    return json.dumps(made)


def refusals(station: Station, client: str) -> list[list[str]]:
    """Return the episode and the reason of each refusal that *client* is told, once it is told."""
    with station.client() as line:
        station.until(lambda: line.llen(queue.RECEIPTS + client), "the client is told")
        return [json.loads(each) for each in line.lrange(queue.RECEIPTS + client, 0, -1)]


def kwargs_of(line: Any) -> dict[str, Any]:
    """Return the kwargs of a message in the queue."""
    found: dict[str, Any] = json.loads(base64.b64decode(json.loads(line)["body"]))[1]
    return found


# messages sent by hand


def test_a_message_that_comes_twice_is_stored_once_with_keys_and_without(station: Station, scope: Scope) -> None:
    twice = envelope(message(scope, {"content": "without a key"}, *said("with one")))
    station.send(twice, twice, envelope(message(scope, *said("with one", "last"))))

    station.until(lambda: "last" in dict(station.stored(scope)), "the last is stored")
    assert sorted(content for _, content in station.stored(scope)) == ["last", "with one", "without a key"]


def test_a_bad_item_becomes_a_dead_letter_with_every_problem_and_the_others_are_stored(
    station: Station, scope: Scope
) -> None:
    deep: Any = "the bottom"
    for _ in range(300):
        deep = [deep]
    bad = [
        {"content": "", "role": "alien", "key": "b"},
        {"content": "x\0", "self": 1, "metadata": {"a": "\ud800"}},
        "text alone",
        None,
        {"content": "deep", "metadata": {"a": deep}},
        {"content": "x" * 300_000},
    ]
    station.send(envelope(message(scope, *said("before"), *bad, *said("after"))))

    assert [key for key, _ in station.until_stored(scope, 2)] == ["before", "after"]
    categories, reasons, items = zip(*station.until_letters(scope, len(bad)), strict=True)
    assert set(categories) == {"malformed"}
    assert [reason.splitlines()[1:] for reason in reasons] == [
        ["  - content: is empty", "  - role: expected 'user', 'assistant', 'system' or 'tool', got 'alien'"],
        [
            "  - content: contains a NUL character",
            "  - metadata: a: contains a lone surrogate",
            "  - self: is not known",
        ],
        ["  - is not an object"],
        ["  - is not an object"],
        ["  - metadata: is nested deeper than 64"],
        ["  - content: has 300000 bytes, at most 262144 are allowed"],
    ]
    assert items[0] == bad[0]


def test_all_bad_items_of_a_message_are_stored_in_one_transaction_in_order(station: Station, scope: Scope) -> None:
    bad = [{"content": f"{number}", "role": "alien"} for number in range(500)]
    station.send(envelope(message(scope, *bad, bad[0], bad[7])))

    assert [item for _, _, item in station.until_letters(scope)] == bad
    transactions = "SELECT count(DISTINCT xmin::text) FROM dead_letters WHERE scope = %s"
    assert station.rows(transactions, scope.id) == [(1,)]


def test_a_dead_letter_lists_at_most_fifty_problems(station: Station, scope: Scope) -> None:
    station.send(envelope(message(scope, {"content": "x", "metadata": {"a": [float("nan")] * 20_000}})))

    ((_, reason, _),) = station.until_letters(scope)
    assert len(reason.splitlines()) == 1 + 50


def test_a_client_is_told_the_beginning_of_a_long_refusal(station: Station, scope: Scope) -> None:
    bad = {"key": "k", "content": "x", "metadata": {f"{'y' * 200}{number}": float("nan") for number in range(50)}}
    client = uuid.uuid4().hex
    station.send(envelope({**message(scope, bad), "client": client}))

    ((_, reason),) = refusals(station, client)
    assert reason.startswith("episode has 50 problems:")
    assert len(reason.encode()) == REFUSAL_BYTES


def test_a_client_is_told_of_a_message_that_is_refused_whole(station: Station, scope: Scope) -> None:
    client = uuid.uuid4().hex
    station.send(envelope({**message(scope, *said("one", "two")), "client": client, "task": 2}))

    reason = "message has 1 problem:\n  - task: is not known"
    assert refusals(station, client) == [[str(scope.episode_id(key)), reason] for key in ("one", "two")]


@pytest.mark.parametrize(
    ("kwargs", "problems"),
    [
        ({}, ["episodes: is missing", "user: is missing"]),
        ({"user": "u", "episodes": []}, ["episodes: expected 1 or more, got 0"]),
        (
            {"user": " u", "agent": 7, "episodes": "none", "self": 1, "task": 2, "client": "a b"},
            [
                "agent: expected text, got 7",
                "client: expected 1 to 64 letters, digits, - and _",
                "episodes: expected a list, got text",
                "self: is not known",
                "task: is not known",
                "user: begins or ends with white space",
            ],
        ),
        ({"tenant": "_system", "user": "u", "episodes": [1]}, ["tenant: '_system' is reserved for the installation"]),
        (
            {"user": "u", "episodes": [{"content": "x" * 200_000}] * 6},
            ["episodes: have 1200102 bytes, at most 1048576 are allowed"],
        ),
        (
            {"user": "u", "episodes": [{"content": "alone", "metadata": {"a": "x" * 2_500_000}}]},
            ["episodes: have 2500045 bytes, at most 2097152 are allowed"],
        ),
    ],
)
def test_a_message_that_cannot_be_read_is_one_dead_letter(
    station: Station, kwargs: dict[str, Any], problems: list[str]
) -> None:
    mark = uuid.uuid4().hex
    if "channel" not in kwargs:
        kwargs = {"channel": mark, **kwargs}  # first because only the beginning of an oversized item is stored
    station.send(envelope(kwargs), envelope(kwargs))

    marked = "SELECT tenant, category, reason FROM dead_letters WHERE item::text LIKE %s"
    ((tenant, category, reason),) = station.until(lambda: station.rows(marked, f"%{mark}%"), "the letter is there")
    assert (tenant, category) == ("_system" if kwargs.get("tenant") else "default", "malformed")
    assert reason.splitlines()[1:] == [f"  - {problem}" for problem in problems]


def test_positional_arguments_are_a_dead_letter_too(station: Station) -> None:
    mark = uuid.uuid4().hex
    station.send(envelope({}, args=[mark]))

    where = "SELECT reason FROM dead_letters WHERE item -> 'args' = to_jsonb(%s::text[])"
    station.until(lambda: station.rows(where, [mark]), "the letter is there")


def test_the_same_key_with_another_content_is_a_dead_letter_of_its_own_category(station: Station, scope: Scope) -> None:
    second = envelope(message(scope, {"key": "k", "content": "the second"}, *said("neighbour")))
    station.send(envelope(message(scope, {"key": "k", "content": "the first"})))
    station.until_stored(scope, 1)
    station.send(second, second, second)
    station.until_stored(scope, 2)
    station.send(envelope(message(scope, *said("last"))))
    station.until_stored(scope, 3)

    ((category, reason, item),) = station.until_letters(scope)
    assert category == "conflict"
    assert "belongs to an episode with other content" in reason
    assert item == {"key": "k", "content": "the second"}
    assert station.stored(scope)[0] == ("k", "the first")


def test_the_published_schema_matches_the_model() -> None:
    committed = json.loads((CHECKOUT / "ops" / "ingest.schema.json").read_text())

    assert committed == IngestMessage.model_json_schema(), (
        "write it anew: print(json.dumps(IngestMessage.model_json_schema(), indent=2))"
    )


def test_a_dead_letter_of_any_size_and_depth_is_stored(connected: Connect) -> None:
    parts, mark = connected(), uuid.uuid4().hex
    deep: Any = mark
    for _ in range(5_000):
        deep = {"a": [deep]}
    for item in (deep, {"a": "x" * 5_000_000}, {"a": [float("nan"), "\0", "\udfff", 10**400]}):
        parts.inbox.bury([Refused(item, "malformed", mark)], scope=None)

    with parts.database.tenant("_system") as connection:
        found = connection.exec_driver_sql(
            "SELECT item FROM dead_letters WHERE reason = %(mark)s ORDER BY letter", {"mark": mark}
        )
        _, large, odd = found.scalars()
    assert large["bytes"] > 5_000_000
    assert odd["a"][:3] == ["nan", "\ufffd", "?"]


# the worker during faults


def test_a_worker_child_killed_while_it_waits_gives_the_message_back(station: Station, scope: Scope) -> None:
    station.postgres.kill()
    id_ = str(uuid.uuid4())
    station.send(envelope(message(scope, *said("one")), id_=id_))
    station.until(lambda: id_ in station.worker.log.read_text(), "the message is under way")

    for child in station.worker.children():
        child.kill()
    station.postgres.start()

    assert station.until_stored(scope, 1) == [("one", "one")]


class Gadget:
    """An object that runs code when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


def test_a_pickled_message_is_refused_and_the_worker_goes_on(station: Station, scope: Scope, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    one = json.loads(envelope(message(scope, *said("one"))))
    body = pickle.dumps([[Gadget(tmp_path / "owned")], {}, {}])
    for type_ in ("application/x-python-serialize", "application/json"):
        gadget = {**one, "content-type": type_, "content-encoding": "binary"}
        station.send(json.dumps({**gadget, "body": base64.b64encode(body).decode()}))
    station.send(json.dumps(one))

    assert station.until_stored(scope, 1) == [("one", "one")]
    assert not (tmp_path / "owned").exists()


# the client


@pytest.fixture
def idle(mortal_redis: RedisServer) -> RedisServer:
    """A broker without a worker."""
    return mortal_redis


@pytest.fixture
def outbox(tmp_path: Path) -> Path:
    return tmp_path / "outbox.db"


@pytest.fixture
def clients() -> Iterator[Callable[..., QueueClient]]:
    """Creates clients, and closes them after the test."""
    with ExitStack() as made:
        yield lambda *args, **kwargs: made.enter_context(QueueClient(*args, **kwargs))


Clients = Callable[..., QueueClient]


def scope_of(client: QueueClient) -> QueueScope:
    """Return a new scope."""
    return client.scope(user=f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")


def waiting(server: RedisServer) -> list[dict[str, Any]]:
    """Return the kwargs of the messages in the queue, oldest first."""
    with queue.redis_client(server.url(0)) as line:
        return [kwargs_of(one) for one in reversed(line.lrange("slowwave", 0, -1))]


def test_a_clients_push_is_queued_and_then_stored(station: Station, clients: Clients) -> None:
    scope = scope_of(clients(station.broker_url))

    first = scope.push("I moved to Oslo", key="one", session="s1", metadata={"speaker": "Alice"})
    second, bad = scope.push_many([Episode(content="later", key="two"), {"content": ""}])

    assert [first.state, second.state, bad.state] == ["queued", "queued", "refused"]
    assert first.id == scope.scope.episode_id("one")
    assert isinstance(bad.error, Incorrect)
    assert sorted(station.until_stored(scope.scope, 2)) == [("one", "I moved to Oslo"), ("two", "later")]


def test_bad_input_is_refused_before_anything_is_sent(idle: RedisServer, clients: Clients) -> None:
    client = clients(idle.broker_url)
    scope = scope_of(client)

    with pytest.raises(Incorrect) as refusal:
        scope.push("", role="alien")  # type: ignore[arg-type]  # a slip
    assert len(refusal.value.problems) == 2
    with pytest.raises(Incorrect):
        client.scope(user="\0")
    assert waiting(idle) == []


def test_many_episodes_share_a_message_of_at_most_a_mebibyte(idle: RedisServer, clients: Clients) -> None:
    scope = scope_of(clients(idle.broker_url))

    scope.push_many(said(*(f"{number}" for number in range(1000))))
    assert [len(one["episodes"]) for one in waiting(idle)] == [500, 500]

    scope.push_many({"content": "é" * 100_000, "key": f"large {number}"} for number in range(12))
    large = waiting(idle)[2:]
    assert [len(one["episodes"]) for one in large] == [5, 5, 2]
    assert all(len(json.dumps(one, ensure_ascii=False).encode()) <= MESSAGE_BYTES for one in large)
    keys = [episode["key"] for one in waiting(idle) for episode in one["episodes"]]
    assert keys == [f"{number}" for number in range(1000)] + [f"large {number}" for number in range(12)]


def test_the_largest_allowed_episode_is_sent_in_a_message_of_its_own(station: Station, clients: Clients) -> None:
    scope = scope_of(clients(station.broker_url))

    scope.push_many([{"content": "\x01" * (256 * 1024), "key": "one"}, *said("two")])  # six bytes each as JSON

    assert [key for key, _ in sorted(station.until_stored(scope.scope, 2))] == ["one", "two"]


def test_pushes_of_many_threads_share_messages(idle: RedisServer, clients: Clients) -> None:
    scope = scope_of(clients(idle.broker_url, linger_seconds=0.2))
    start = threading.Barrier(20)

    def push(number: int) -> str:
        start.wait()
        return scope.push(f"{number}", key=f"{number}").state

    with ThreadPoolExecutor(20) as threads:
        assert set(threads.map(push, range(20))) == {"queued"}

    messages = waiting(idle)
    assert sum(len(one["episodes"]) for one in messages) == 20
    assert len(messages) < 20


def test_a_receipt_says_queued_only_after_the_broker_has_the_message(idle: RedisServer, clients: Clients) -> None:
    scope = scope_of(clients(idle.broker_url))
    for number in range(10):
        assert scope.push(f"{number}", key=f"{number}").state == "queued"
        assert waiting(idle)[-1]["episodes"][-1]["key"] == f"{number}"


def _frozen(server: RedisServer) -> None:
    server.freeze()
    until(lambda: server.pid and frozen(server.pid), "it is frozen")


def _full(server: RedisServer) -> None:
    with queue.redis_client(server.url(0)) as line:
        line.config_set("maxmemory", 1)


AWAY = [RedisServer.kill, _frozen, _full]


@pytest.mark.accept
@pytest.mark.parametrize("go_away", AWAY, ids=["dead", "frozen", "full"])
def test_a_push_without_an_outbox_raises_unavailable_if_the_broker_is_away(
    go_away: Callable[[RedisServer], None], idle: RedisServer, clients: Clients
) -> None:
    scope = scope_of(clients(idle.broker_url))
    scope.push("before", key="before")
    go_away(idle)

    for key in ("one", "two"):
        with pytest.raises(Unavailable) as refusal:
            scope.push(key, key=key)
        assert refusal.value.retry_after_seconds > 0


@pytest.mark.accept
@pytest.mark.parametrize("go_away", AWAY, ids=["dead", "frozen", "full"])
def test_a_push_with_an_outbox_is_spooled_and_sent_in_order_later(
    go_away: Callable[[RedisServer], None], idle: RedisServer, clients: Clients, outbox: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(queue, "BREAK_SECONDS", 0.1)
    scope = scope_of(clients(idle.broker_url, outbox=outbox))
    go_away(idle)

    assert [scope.push(f"{n}", key=f"{n}").state for n in range(5)] == ["spooled"] * 5
    idle.thaw()
    idle.start()
    with queue.redis_client(idle.url(0)) as line:
        line.config_set("maxmemory", 0)
    scope.client.flush()
    assert scope.push("last", key="last").state == "queued"

    keys = [episode["key"] for one in waiting(idle) for episode in one["episodes"]]
    assert keys[-1] == "last"
    # a message that a frozen broker accepted without an answer is there twice
    assert list(dict.fromkeys(keys)) == [*(f"{n}" for n in range(5)), "last"]


def test_the_client_is_done_with_an_episode_when_the_worker_has_confirmed_it(
    station: Station, clients: Clients, outbox: Path
) -> None:
    client = clients(station.broker_url, outbox=outbox)
    scope = scope_of(client)
    receipts = scope.push_many(said("one", "two"))
    assert {receipt.state for receipt in receipts} == {"queued"}

    client.flush(60, confirmed=True)

    assert station.stored(scope.scope) == [("one", "one"), ("two", "two")]
    assert client.outbox.waiting() == 0
    with station.client() as line:
        assert line.keys(f"{queue.RECEIPTS}{client.outbox.client}") == []


@pytest.mark.accept
def test_a_message_that_is_swallowed_is_sent_again(
    mortal_postgres: PostgresServer, idle: RedisServer, lonely_worker: Process, clients: Clients, outbox: Path
) -> None:
    client = clients(idle.broker_url, outbox=outbox, resend_seconds=0.5)
    scope = scope_of(client)
    receipts = scope.push_many(said("one", "two"))
    with queue.redis_client(idle.url(0)) as line:
        swallowed = line.rpop("slowwave")
    assert [episode["key"] for episode in kwargs_of(swallowed)["episodes"]] == ["one", "two"]
    assert {receipt.state for receipt in receipts} == {"queued"}

    lonely_worker.start()
    client.flush(90, confirmed=True)

    assert stored(mortal_postgres, scope.scope) == [("one", "one"), ("two", "two")]


def test_a_confirmation_that_is_lost_is_given_again(station: Station, clients: Clients, outbox: Path) -> None:
    client = clients(station.broker_url, outbox=outbox, resend_seconds=0.5)
    scope = scope_of(client)
    with station.client() as line:
        line.set(f"{queue.RECEIPTS}{client.outbox.client}", "in the way")
        scope.push("one", key="one")
        station.until_stored(scope.scope, 1)
        line.delete(f"{queue.RECEIPTS}{client.outbox.client}")

    client.flush(90, confirmed=True)

    assert station.stored(scope.scope) == [("one", "one")]


def test_a_new_client_sends_the_spooled_episodes_of_a_closed_client(
    station: Station, clients: Clients, outbox: Path, idle: RedisServer
) -> None:
    idle.kill()
    first = clients(idle.broker_url, outbox=outbox)
    scope = scope_of(first)
    assert scope.push("one", key="one").state == "spooled"
    first.close()

    clients(station.broker_url, outbox=outbox).flush(60, confirmed=True)

    assert station.stored(scope.scope) == [("one", "one")]


def test_an_episode_that_the_worker_refuses_is_kept_with_its_reason(
    station: Station, clients: Clients, outbox: Path
) -> None:
    client = clients(station.broker_url, outbox=outbox)
    scope = scope_of(client)
    scope.push("the first", key="k")
    client.flush(60, confirmed=True)
    scope.push("the second", key="k")
    client.flush(60, confirmed=True)

    (refused,) = client.outbox.refused()
    assert refused.episode["content"] == "the second"
    assert refused.reason
    assert "other content" in refused.reason
    assert station.stored(scope.scope) == [("k", "the first")]
    assert [category for category, _, _ in station.letters(scope.scope)] == ["conflict"]


def test_a_waiting_key_with_other_content_is_a_conflict(idle: RedisServer, clients: Clients, outbox: Path) -> None:
    scope = scope_of(clients(idle.broker_url, outbox=outbox))
    scope.push("the first", key="k")

    assert scope.push("the first", key="k").repeated
    with pytest.raises(Conflict):
        scope.push("the second", key="k")


def test_unfetched_confirmations_are_limited_and_expire(idle: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "CONFIRMED_AT_MOST", 10)
    for _ in range(5):
        queue.confirm(idle.broker_url, "gone", [(uuid.uuid4(), None)] * 4)

    with queue.redis_client(idle.url(0)) as line:
        assert line.llen("slowwave.receipts.gone") == 10
        assert 0 < int(line.ttl("slowwave.receipts.gone")) <= queue.CONFIRMED_SECONDS


def test_a_closed_client_refuses_a_push(idle: RedisServer) -> None:
    with QueueClient(idle.broker_url) as client:
        scope = scope_of(client)
    with pytest.raises(Incorrect, match="closed"):
        scope.push("one")


def test_a_client_and_the_bell_of_the_same_process_speak_to_their_own_brokers(
    idle: RedisServer, station: Station, clients: Clients, connected: Connect, scope: Scope
) -> None:
    parts = connected(broker_url=station.broker_url)
    parts.push(scope, said("one"))
    other = scope_of(clients(idle.broker_url))

    assert other.push("two", key="two").state == "queued"
    assert [one["user"] for one in waiting(idle)] == [other.scope.user]


def test_a_worker_out_of_memory_retries_the_message(
    parts: wiring.Parts, scope: Scope, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, tries = ingestion.ingest, itertools.count()

    def starved(*arguments: Any, **options: Any) -> Any:
        if next(tries) < 2:
            bytes(sys.maxsize // 2)
        return store(*arguments, **options)

    monkeypatch.setattr(ingestion, "ingest", starved)
    monkeypatch.setattr("worker.tasks.parts", lambda: parts)
    monkeypatch.setattr(tasks.ingest, "soft_time_limit", 60)
    done = tasks.ingest.apply(kwargs=message(scope, *said("one")))

    assert done.state == "SUCCESS", done.traceback
    assert done.result.startswith("ok: 1 stored")
    assert next(tries) == 3
    assert superuser.execute("SELECT key FROM episodes").fetchall() == [("one",)]
    assert superuser.execute("SELECT count(*) FROM dead_letters").fetchone() == (0,)


BROKEN = script(__file__, "broken.sql")


@pytest.fixture
def sent_again(parts: wiring.Parts, monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """The messages that a worker in this process sends back to the queue; its retries are short."""
    sent: list[Mapping[str, Any]] = []
    monkeypatch.setattr("worker.tasks.parts", lambda: parts)
    monkeypatch.setattr("worker.tasks.witness", Witness())
    monkeypatch.setattr("worker.tasks.TRIES", 2)
    monkeypatch.setattr(tasks.ingest, "soft_time_limit", 1)
    monkeypatch.setattr(queue, "send", lambda _task, *, kwargs, task_id: sent.append({"id": task_id, **kwargs}))
    return sent


@pytest.mark.parametrize("state", ["42501", "42P01", "XX000", "25006"])
def test_an_installation_fault_or_a_bug_leaves_the_message_in_the_queue(
    state: str, sent_again: list[Mapping[str, Any]], scope: Scope, superuser: psycopg.Connection
) -> None:
    superuser.execute((BROKEN % state).encode())
    done = tasks.ingest.apply(kwargs=message(scope, *said("one")), task_id="first")

    assert done.state == "RETRY"
    assert [one["id"] for one in sent_again] == ["first"]
    assert superuser.execute("SELECT count(*) FROM dead_letters").fetchone() == (0,)

    superuser.execute("DROP TRIGGER broken ON episodes")
    assert tasks.ingest.apply(kwargs=message(scope, *said("one")), task_id="first").state == "SUCCESS"
    assert superuser.execute("SELECT key FROM episodes").fetchall() == [("one",)]


def test_a_message_that_hits_a_bug_becomes_a_dead_letter_that_can_be_retried(
    parts: wiring.Parts, sent_again: list[Mapping[str, Any]], scope: Scope, superuser: psycopg.Connection
) -> None:
    superuser.execute((BROKEN % "XX000").encode())
    guilty, other = message(scope, {"content": "one"}), message(scope, *said("two"))

    states = [tasks.ingest.apply(kwargs=each, task_id=id_).state for each, id_ in
              ((guilty, "first"), (guilty, "first"), (other, "second"), (guilty, "first"))]  # fmt: skip

    assert states == ["RETRY", "RETRY", "SUCCESS", "FAILURE"]
    assert len(sent_again) == 2
    operator = Memory(parts).operator()
    (letter,) = operator.dead_letters()
    assert (letter.scope, letter.category, letter.item["content"]) == (scope, "fault", "one")
    assert letter.reason.startswith("Fault at ")
    superuser.execute("DROP TRIGGER broken ON episodes")
    for _ in range(2):  # as if a worker had taken the message and been killed before the acknowledgement
        superuser.execute("UPDATE dead_letters SET state = 'open'")
        assert operator.retry([letter.letter]) == 1
    contents = superuser.execute("SELECT content FROM episodes ORDER BY position").fetchall()
    assert contents == [("two",), ("one",)]


def test_a_key_conflict_among_dead_letters_is_not_a_review(parts: wiring.Parts, scope: Scope) -> None:
    for content in ("I like tea", "I like coffee"):
        ingestion.ingest(parts, message(scope, {"key": "k", "content": content}), id_=content)
    memory = Memory(parts)

    assert memory.review() == []
    assert [letter.category for letter in memory.operator().dead_letters(reviews=False)] == ["conflict"]


def test_a_message_that_cannot_become_a_dead_letter_stays_in_the_queue(
    parts: wiring.Parts, sent_again: list[Mapping[str, Any]], scope: Scope, superuser: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    superuser.execute((BROKEN % "XX000").encode())
    monkeypatch.setattr(ingestion, "give_up", Mock(side_effect=KeyError("nothing")))
    guilty, other = message(scope, *said("one")), message(scope, *said("two"))

    states = [tasks.ingest.apply(kwargs=each, task_id=id_).state for each, id_ in
              ((guilty, "first"), (other, "second"), (guilty, "first"))]  # fmt: skip

    assert states == ["RETRY", "SUCCESS", "RETRY"]
    assert [one["id"] for one in sent_again] == ["first", "first"]


def test_a_tenant_over_its_quota_does_not_delay_messages_of_other_tenants(
    parts: wiring.Parts, sent_again: list[Mapping[str, Any]], superuser: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    store, tried = ingestion.ingest, list[str]()

    def noted(*arguments: Any, id_: str) -> Any:
        tried.append(id_)
        return store(*arguments, id_=id_)

    monkeypatch.setattr(ingestion, "ingest", noted)
    parts.quotas.set("crowded", "episodes-a-minute", 1)
    crowded, other = (Scope(tenant, "ann", "a") for tenant in ("crowded", "other"))
    queued = {"first": message(crowded, *said("one")), "second": message(crowded, *said("two")),
              "third": message(crowded, *said("three")), "last": message(other, *said("four"))}  # fmt: skip

    states = [tasks.ingest.apply(kwargs=kwargs, task_id=id_).state for id_, kwargs in queued.items()]

    assert states == ["SUCCESS", "RETRY", "RETRY", "SUCCESS"]
    assert tried == list(queued), "each message is tried once, whatever became of those before"
    assert sent_again == [{"id": id_, **queued[id_]} for id_ in ("second", "third")]
    parts.quotas.remove("crowded", "episodes-a-minute")
    for again in sent_again:
        tasks.ingest.apply(kwargs=queued[again["id"]], task_id=again["id"])
    stored = {key for (key,) in superuser.execute("SELECT key FROM episodes")}
    assert stored == {"one", "two", "three", "four"}
