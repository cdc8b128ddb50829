"""Secrets from any entry point are stored nowhere: in no table, no key of Redis, no file and no log."""

import base64
import hashlib
import io
import json
import logging
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
import redis
from fastapi.testclient import TestClient
from mcp.client import Client

from slowwave import QueueClient, wiring
from slowwave.adapters.journal import FIELD, Journal, decoded, episodes_of
from slowwave.adapters.key_value import KeyValueStore
from slowwave.api.app import create_app
from slowwave.api.mcp import CallerOf, MemoryServer, ScopeArguments
from slowwave.broker import queue
from slowwave.domain.delta import AddDelta
from slowwave.domain.episode import Episode
from slowwave.embedded_services import RedisServer
from slowwave.errors import Conflict, Incorrect
from slowwave.memory import Memory, ingestion
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.memory.operations import Access
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.conftest import NOON
from tests.integration.command import Run, of_alice
from tests.integration.steps import awaiting, learn

Push = Callable[[Memory, str], Any]


def planted(word: str) -> str:
    """Return a sentence with the secret *word*, as a person would say it."""
    return f"the password of my router is {word}, please forget that"


def scope_of(memory: Memory) -> Any:
    return of_alice(memory)


def in_a_message(memory: Memory, word: str) -> Any:
    message = {
        "tenant": "default", "user": "alice", "agent": "concierge", "channel": "home",
        "episodes": [{"content": planted(word)}, {"content": planted(word), "role": f"my password is {word}"}],
    }  # fmt: skip
    return ingestion.ingest(parts_of(memory), message, id_=str(uuid.uuid4()))[0]


def over_http(memory: Memory, word: str) -> Any:
    _, secret = Access(parts_of(memory)).create("test", ["*"], tenant="default")
    with TestClient(create_app(memory), headers={"Authorization": f"Bearer {secret}"}) as client:
        answer = client.post("/v1/push", json={"user": "alice", "content": planted(word)})
        batch = client.post("/v1/push/batch", json={"user": "alice", "episodes": [{"content": planted(word)}]})
    assert batch.json()["items"][0]["masked"] == answer.json()["masked"]
    return answer.json()


def over_mcp(memory: Memory, word: str) -> Any:
    server = MemoryServer(
        CallerOf(lambda: memory, lambda asked, verb: ScopeArguments("alice", "concierge", "home", "default"))
    )

    async def talk() -> Any:
        async with Client(server) as client:
            return await client.call_tool("push", {"content": planted(word)})

    return anyio.run(talk).structured_content


def asynchronously(memory: Memory, word: str) -> Any:
    async def act(face: AsyncMemory) -> None:
        scope = face.scope("alice", agent="concierge", channel="home")
        await Journal(scope, "j").add([({"said": planted(word), "long": "x" * 20_000}, planted(word), {})])
        await scope.push(planted(word))

    awaiting(memory, act)


def on_a_shelf(memory: Memory, word: str) -> Any:
    KeyValueStore(scope_of(memory)).put(
        ("n",), uuid.uuid4().hex, {"note": planted(word), "api_key": word}, planted(word)
    )


def as_a_call_of_a_tool(memory: Memory, word: str) -> Any:
    given = {"url": f"postgres://bob:{word}@db/app", "password": word}
    return scope_of(memory).tools.record_invocation("s1", "t1", "login", given, {"token": f"{word}x"}, True, 3)


def in_metadata(memory: Memory, word: str) -> Any:
    return scope_of(memory).push("hello", metadata={"deep": [{"password": word, "note": planted(word)}]})


def in_mind(memory: Memory, word: str) -> Any:
    mind = scope_of(memory).working("s2")
    mind.add_turn(planted(word))
    mind.set("system_prompt", {"password": word})
    mind.push_thought(planted(word))
    mind.set_active_goal("g", planted(word))
    return scope_of(memory).store_turn(planted(word), session="s2")


def in_notes(memory: Memory, word: str) -> Any:
    scope = scope_of(memory)
    goal = scope.goals.add(planted(word))
    scope.goals.complete(goal.goal_id, result=planted(word))
    scope.consensus.store_consensus({"topic": planted(word), "statement": planted(word), "agents": ["a"]})
    scope.continuum.store(planted(word))
    scope.strategies.learn_strategy(planted(word), planted(word), ["look"], "s3", True)
    scope.tools.plan("s3", planted(word), [planted(word)])
    return scope.stream.record(planted(word))


WAYS: dict[str, Push] = {
    "push": lambda memory, word: scope_of(memory).push(planted(word)),
    "push_many": lambda memory, word: scope_of(memory).push_many([planted(word)])[0],
    "a message of the broker": in_a_message,
    "HTTP": over_http,
    "MCP": over_mcp,
    "awaiting, and a journal": asynchronously,
    "a shelf": on_a_shelf,
    "a tool": as_a_call_of_a_tool,
    "metadata": in_metadata,
    "working memory": in_mind,
    "notes": in_notes,
}


@pytest.fixture
def noticed() -> Iterator[io.StringIO]:
    """Everything that is logged, at every level."""
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.setLevel(before)
    root.removeHandler(handler)


def everything(database: "psycopg.Connection[Any]", cache_url: str) -> str:
    """Return all tables of a database and all keys of a Redis, as text."""
    tables = database.execute("SELECT format('%I', tablename) FROM pg_tables WHERE schemaname = 'public'").fetchall()
    said = [
        str(row) for (table,) in tables for (row,) in database.execute(f"SELECT t::text FROM {table} AS t".encode())
    ]
    with redis.Redis.from_url(cache_url) as client:
        said += [f"{key!r} {_read(client, key)!r}" for key in client.scan_iter()]
    return "\n".join(said)


def _read(client: Any, key: Any) -> Any:
    match client.type(key):
        case b"string":
            return client.get(key)
        case b"hash":
            return client.hgetall(key)
        case b"list":
            return client.lrange(key, 0, -1)
        case b"set":
            return client.smembers(key)
        case kind:
            assert kind == b"zset", kind
            return client.zrange(key, 0, -1)


@pytest.fixture
def dump(superuser: "psycopg.Connection[Any]", cache_url: str) -> Callable[[], str]:
    return lambda: everything(superuser, cache_url)


def test_a_password_that_is_an_ordinary_word_is_stored_nowhere(
    mindful: Memory, dump: Callable[[], str], noticed: io.StringIO
) -> None:
    word = "sword" + uuid.uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))[:9]

    for way in ("push", "push_many", "HTTP", "MCP", "a message of the broker", "notes"):
        WAYS[way](mindful, word)
    learn(scope_of(mindful), f"ok new account at the library. login: {word.title()}", key="k")

    found = (dump() + noticed.getvalue()).casefold()
    assert found.count("[password masked]") > len(WAYS)
    assert word not in found


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_is_stored_nowhere_whatever_its_entry_point(
    mindful: Memory, dump: Callable[[], str], way: str, noticed: io.StringIO
) -> None:
    word = "Xq7" + uuid.uuid4().hex[:9]

    WAYS[way](mindful, word)
    scope_of(mindful).consolidate()

    found = dump()
    assert "[password masked]" in found
    assert word not in found
    assert word not in noticed.getvalue()


def test_the_setting_keep_stores_secrets_unchanged(mindful: Memory, dump: Callable[[], str]) -> None:
    vars(parts_of(mindful))["settings"] = parts_of(mindful).settings.model_copy(update={"secrets": "keep"})
    for number, way in enumerate(WAYS):
        WAYS[way](mindful, f"Xq7kept{number}")

    found = dump()
    assert [way for number, way in enumerate(WAYS) if f"Xq7kept{number}" not in found] == []
    assert "masked]" not in found


def test_a_receipt_names_the_masked_kinds_and_a_masked_repeat_is_recognised(mindful: Memory) -> None:
    scope = scope_of(mindful)
    told = "the password is hunter22, the PIN is 4711 and the other password is hunter33"

    first, again = scope.push(told, key="k"), scope.push(told, key="k")

    assert first.masked == again.masked == ("PIN", "password", "password")
    assert not first.repeated
    assert again.repeated
    assert scope.push(told.replace("hunter22", "hunter44"), key="k").repeated
    with pytest.raises(Conflict):
        scope.push(f"{told}!", key="k")
    assert over_http(mindful, "hunter22")["masked"] == ["password"]
    assert over_mcp(mindful, "hunter22")["masked"] == ["password"]
    assert scope.push("I forgot my password again").masked == ()


def test_facts_by_hand_that_contain_a_secret_are_refused(mindful: Memory) -> None:
    scope = scope_of(mindful)
    source = scope.push("hello").id
    delta = AddDelta(
        source_episode_ids=[str(source)],
        promotion_ts=NOON,
        rule_id="by-hand",
        confidence=1.0,
        reason="told",
        fact_payload={"subject": "user", "predicate": "password", "object": "hunter22"},
    )

    acts: list[Callable[[], object]] = [
        lambda: scope.apply(delta),
        lambda: scope.graph.upsert_entity("router", description="its password is hunter22"),
        lambda: scope.graph.upsert_entity("router", properties={"password": "hunter22"}),
        lambda: scope.graph.store_fact("router", "wifi_password", "hunter22"),
    ]
    for act in acts:
        with pytest.raises(Incorrect, match=r"tells a secret \(password\)"):
            act()


def test_the_outbox_and_messages_of_a_client_contain_no_secret(tmp_path: Path, mortal_redis: RedisServer) -> None:
    file = tmp_path / "outbox"
    with QueueClient(mortal_redis.broker_url, outbox=file) as client:
        receipt = client.scope("alice").push(planted("hunter22"))
        with queue.redis_client(mortal_redis.url(0)) as broker:
            (message,) = [json.loads(line) for line in broker.lrange(queue.QUEUE, 0, -1)]

        said = base64.b64decode(message["body"]).decode() + "".join(
            one.read_bytes().decode("latin-1") for one in tmp_path.iterdir()
        )

    assert receipt.masked == ("password",)
    assert "hunter22" not in said
    assert said.count("[password masked]") >= 2


def test_a_client_that_keeps_secrets_leaves_them_to_the_worker(mortal_redis: RedisServer) -> None:
    with QueueClient(mortal_redis.broker_url, secrets="keep") as client:
        assert client.scope("alice").push(planted("hunter22")).masked == ()
        with queue.redis_client(mortal_redis.url(0)) as broker:
            assert "hunter22" in base64.b64decode(json.loads(broker.lrange(queue.QUEUE, 0, -1)[0])["body"]).decode()


def test_an_outbox_of_a_memory_holds_no_secret(tmp_path: Path) -> None:
    away = Settings.load(url="postgresql://slowwave@127.0.0.1:1/none", outbox=tmp_path / "outbox")
    with Memory(wiring.connect(away)) as memory:
        receipt = memory.scope("alice").push(planted("hunter22"))
        said = "".join(one.read_bytes().decode("latin-1") for one in tmp_path.iterdir())

    assert (receipt.state, receipt.masked) == ("spooled", ("password",))
    assert "[password masked]" in said
    assert "hunter22" not in said


def test_commands_store_no_secret_and_count_what_they_mask(run: Run, tmp_path: Path, dump: Callable[[], str]) -> None:
    file, chats = tmp_path / "told.jsonl", tmp_path / "chats.jsonl"
    file.write_text("".join(json.dumps({"content": planted(f"hunter2{each}")}) + "\n" for each in range(2)))
    message = {"role": "user", "content": planted("hunter24")}
    chats.write_text(json.dumps(message) + "\n")

    assert "masked: 2 passwords" in run("push", str(file), "--user", "alice").out
    assert run("push", str(file), "--user", "alice", "--json").json["masked"] == {"password": 2}
    assert "masked: 1 password" in run("import", str(chats), "--from", "openai", "--user", "bob").out
    found = dump()
    assert "hunter2" not in found
    assert hashlib.sha256(json.dumps(message, sort_keys=True).encode()).hexdigest()[:32] not in found


def test_an_import_file_with_a_secret_is_refused_unless_secrets_are_kept(mindful: Memory, tmp_path: Path) -> None:
    file, parts = tmp_path / "all.jsonl", parts_of(mindful)
    masks, keeps = parts.settings, parts.settings.model_copy(update={"secrets": "keep"})
    vars(parts)["settings"] = keeps
    scope_of(mindful).push(planted("hunter22"))
    mindful.export(file)

    vars(parts)["settings"] = masks
    with pytest.raises(Incorrect, match="episodes: 1 row with secrets"):
        mindful.import_file(file, tenant="theirs")
    vars(parts)["settings"] = keeps
    assert mindful.import_file(file, tenant="theirs").scopes


def test_no_hash_of_a_masked_secret_is_stored(mindful: Memory, dump: Callable[[], str]) -> None:
    told = Episode(content=planted("hunter22"), key="k")

    scope_of(mindful).push(told)

    assert told.digest.hex() not in dump()


def test_a_value_stored_by_an_adapter_is_masked() -> None:
    value = {"said": planted("hunter22"), "long": "x" * 20_000}

    *pieces, last = episodes_of(value, "words", key="k", session="s")

    assert decoded(last.metadata[FIELD], [piece.content for piece in pieces])["said"] == planted("[password masked]")
