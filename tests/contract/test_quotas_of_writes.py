"""Every verb that stores words takes them from the quotas, and is refused before the database or its disk is full."""

import shutil
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from slowwave import wiring
from slowwave.domain.dead_letter import Refused
from slowwave.domain.delta import AddDelta
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Crowded, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.store.access.database_size import Room
from slowwave.store.blocks import binary_results
from tests.contract.harness import Harness

WORDS = "buy the red house"
Door = Callable[[MemoryScope], object]


def add_delta(scope: MemoryScope) -> object:
    source = str(scope.scope.episode_id("source"))
    fact = {"subject": "user", "predicate": "likes", "object": WORDS}
    at = "2026-01-01T00:00:00Z"
    return scope.apply(
        AddDelta(
            source_episode_ids=[source], promotion_ts=at, rule_id="r", confidence=1, reason="why", fact_payload=fact
        )
    )


def block_goal(scope: MemoryScope) -> object:
    (goal,) = scope.goals.list()
    return scope.goals.block(goal.goal_id, WORDS)


def promote_fact(scope: MemoryScope) -> object:
    (fact,) = scope.facts()
    return scope.promote(fact.id, reason=WORDS)


DOORS: dict[str, Door] = {
    "a goal": lambda scope: scope.goals.add(WORDS),
    "a blocked goal": block_goal,
    "a consensus": lambda scope: scope.consensus.store_consensus({"topic": "t", "statement": WORDS, "agents": ["a"]}),
    "a dissent": lambda scope: scope.consensus.store_dissent({"topic": "t", "statement": WORDS, "agents": ["a"]}),
    "a delta": add_delta,
    "a promotion": promote_fact,
    "a fact": lambda scope: scope.graph.store_fact("Mia", "likes", WORDS),
    "an entity": lambda scope: scope.graph.upsert_entity("Mia", description=WORDS),
    "an entry": lambda scope: scope.continuum.store(WORDS),
    "an event": lambda scope: scope.stream.record(WORDS),
    "a strategy": lambda scope: scope.strategies.learn_strategy(WORDS, "context", ["grep"], "s1", success=True),
}


@pytest.fixture
def scope(harness: Harness) -> MemoryScope:
    """A project channel of a user with a fact and a goal, who may store nothing more."""
    scope = Memory(harness.parts).scope("ann", agent="a", tenant="acme", channel="house")
    harness.learn(Scope("acme", "ann", "a"), ["Hello."])
    harness.learn(scope.scope, [Episode(content="I live in Oslo.", key="source")])
    scope.goals.add("move house")
    return scope


def set_level(harness: Harness, level: int) -> None:
    for what in ("bytes-a-day", "episodes-a-minute"):
        harness.parts.quotas.set("acme", what, 10_000)
    harness.rows("UPDATE quotas SET level = %s, seen = slowwave_now()", level)


@pytest.mark.parametrize("door", DOORS)
def test_words_beyond_the_quotas_are_refused_and_the_others_are_counted(
    harness: Harness, scope: MemoryScope, door: str
) -> None:
    harness.stop_clock()
    set_level(harness, 5)
    with pytest.raises(Crowded, match="is used up") as refused:
        DOORS[door](scope)
    assert refused.value.retry_after_seconds > 0

    set_level(harness, 1_000)
    DOORS[door](scope)

    left = {one.what: one.left or 0 for one in harness.parts.quotas.listing("acme")}
    assert left["bytes-a-day"] <= 1_000 - len(WORDS)
    assert left["episodes-a-minute"] == 999


@pytest.mark.parametrize("door", DOORS)
def test_words_are_refused_while_the_database_has_no_room(harness: Harness, scope: MemoryScope, door: str) -> None:
    vars(harness.parts.quotas)["_room"] = Room(most_bytes=1)

    with pytest.raises(Crowded, match="SLOWWAVE_DATABASE_BYTES"):
        DOORS[door](scope)

    (goal,) = scope.goals.list()
    assert scope.goals.complete(goal.goal_id).status == "completed", "ending a goal stores no words"


def test_a_repeated_goal_takes_from_no_quota(harness: Harness, scope: MemoryScope) -> None:
    scope.goals.add(WORDS, key="k")
    set_level(harness, 0)

    assert scope.goals.add(WORDS, key="k").description == WORDS


def test_dead_letters_take_at_most_a_full_quota_of_bytes(harness: Harness) -> None:
    harness.stop_clock()
    harness.parts.quotas.set("acme", "bytes-a-day", 100)
    harness.parts.quotas.set("acme", "bytes-a-day", 10, applies="each user")
    long = Refused({"content": "x" * 200}, "malformed", "why")

    harness.parts.inbox.bury([long], scope="acme")

    with pytest.raises(Crowded, match="bytes-a-day is used up: 100 for this tenant"):
        harness.parts.inbox.bury([replace(long, item={"content": "y"})], scope=Scope("acme", "ann", "a"))
    assert harness.value("SELECT count(*) FROM dead_letters") == 1


def lose(harness: Harness, connection: Connection) -> None:
    harness.rows(f"SELECT pg_terminate_backend({connection.exec_driver_sql('SELECT pg_backend_pid()').scalar()})")
    connection.exec_driver_sql("SELECT 1")


def test_a_connection_lost_during_a_write_or_a_recall_is_unavailable(harness: Harness, scope: MemoryScope) -> None:
    with (
        pytest.raises(Unavailable), harness.parts.quotas.writing(scope.scope) as connection,
        binary_results.sent_ahead(connection, []),
    ):  # fmt: skip
        lose(harness, connection)


NOTES: dict[str, Door] = {
    "a thought": lambda scope: scope.working("s1").push_thought(WORDS),
    "a value": lambda scope: scope.working("s1").set("name", WORDS),
    "a goal": lambda scope: scope.working("s1").set_active_goal("g", WORDS),
    "a turn": lambda scope: scope.working("s1").add_turn(WORDS),
}


@pytest.mark.parametrize("note", NOTES)
def test_notes_in_working_memory_take_from_the_bytes_of_a_day(mindful: Memory, note: str) -> None:
    scope, quotas = mindful.scope("ann", agent="a"), parts_of(mindful).quotas
    tenant = scope.scope.tenant
    quotas.set(tenant, "bytes-a-day", 2 * len(WORDS))
    NOTES[note](scope)
    (quota,) = quotas.listing(tenant)
    assert (quota.left or 0) <= len(WORDS)
    quotas.set(tenant, "bytes-a-day", len(WORDS) // 2)
    quotas.set(tenant, "bytes-a-day", 2 * len(WORDS))

    with pytest.raises(Crowded, match="bytes-a-day is used up"):
        NOTES[note](scope)


def test_notes_are_stored_while_postgres_is_down(mindful: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    scope, parts = mindful.scope("ann", agent="a"), parts_of(mindful)

    def down(*_: object, **__: object) -> None:
        raise Unavailable("Postgres is down")

    monkeypatch.setattr(parts.database, "tenant", down)
    scope.working("s1").push_thought(WORDS)

    assert scope.working("s1").get_thoughts() == [WORDS]


ANN = Scope("acme", "ann", "a")
Usage = namedtuple("Usage", "total used free")


def episodes(number: int) -> list[Episode]:
    return [Episode(content=f"I like tea {number}", key=str(number))]


def size(harness: Harness) -> int:
    return int(harness.value("SELECT pg_database_size(current_database())"))


def limited(parts: wiring.Parts, room: Room) -> None:
    vars(parts.quotas)["_room"] = room


def test_a_database_at_its_set_size_refuses_pushes_and_answers_questions(harness: Harness) -> None:
    scope = Memory(harness.parts).scope("ann", agent="a", tenant="acme")
    scope.push("I live in Oslo", key="before")
    limited(harness.parts, Room(most_bytes=size(harness)))

    with pytest.raises(Crowded, match="SLOWWAVE_DATABASE_BYTES") as refused:
        harness.parts.push(ANN, episodes(1))

    assert refused.value.retry_after_seconds == 60
    assert [one.text for one in scope.recall("Where does Ann live?")] == ["I live in Oslo"]
    limited(harness.parts, Room(most_bytes=2 * size(harness)))
    assert [one.state for one in harness.parts.push(ANN, episodes(1))] == ["stored"]


def test_a_disk_with_little_room_refuses_pushes_until_there_is_more(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [10]
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(100, 90, free[0]))
    limited(harness.parts, Room(folder=tmp_path, free_bytes=20))

    for number in (1, 2):
        with pytest.raises(Crowded, match="10 free bytes, and SLOWWAVE_FREE_BYTES is 20"):
            harness.parts.push(ANN, episodes(number))
    free[0] = 20

    assert [one.state for one in harness.parts.push(ANN, episodes(1))] == ["stored"]


def test_an_outbox_keeps_the_episodes_that_a_full_database_refuses(harness: Harness, tmp_path: Path) -> None:
    changes = {"outbox": tmp_path / "outbox", "database_bytes": 1}
    parts = wiring.connect(harness.parts.settings.model_copy(update=changes))

    assert [receipt.state for receipt in parts.push(ANN, episodes(1))] == ["spooled"]
    parts.close()


def test_the_settings_say_the_limits(harness: Harness) -> None:
    parts = harness.parts
    own = parts.settings.model_copy(update={"database_bytes": 1000, "free_bytes": 7})
    embedded = own.model_copy(update={"url": None})

    rooms = [vars(replace(parts, settings=one).quotas)["_room"] for one in (own, embedded)]

    assert rooms == [Room(1000, None, 7), Room(1000, own.home, 7)]
