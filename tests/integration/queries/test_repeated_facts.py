"""Listing of episodes: the newest, a conversation, one episode, and pages without gaps."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.conftest import NOON

TURNS = 23


@pytest.fixture
def memory(parts: Parts) -> Memory:
    return Memory(parts)


@pytest.fixture
def alice(memory: Memory) -> MemoryScope:
    """Two interleaved conversations that no worker has read; every fourth turn is a tool's."""
    scope = memory.scope("alice", agent="concierge", channel="trip")
    scope.push_many(
        Episode(
            content=f"turn {n}",
            key=f"k{n}",
            session=f"s{n % 2}",
            role="tool" if n % 4 == 3 else "user",
            kind="tool_call" if n % 4 == 3 else "message",
            occurred_at=NOON + timedelta(minutes=n),
        )
        for n in range(TURNS)
    )
    return scope


def numbers(found: list[RememberedEpisode]) -> list[int]:
    return [int(one.key.removeprefix("k")) for one in found]


def test_pages_of_recent_turns_list_each_turn_once_and_newest_first(alice: MemoryScope) -> None:
    told = alice.recent(5)
    assert numbers(told) == [22, 21, 20, 19, 18]
    while page := alice.recent(5, before=told[-1].id):
        told += page
    assert numbers(told) == list(range(TURNS))[::-1]

    assert numbers(alice.recent(3, after="k10")) == [13, 12, 11]
    assert alice.recent(3, after=told[0].id) == []


def test_an_episode_is_returned_unchanged_with_all_its_fields(alice: MemoryScope) -> None:
    alice.push(
        " A  line\nand another ☃", key="x", session="s9", role="assistant", speaker="Ann", metadata={"a": [1]},
        occurred_at=NOON.astimezone(tz=None),
    )  # fmt: skip
    (told,) = alice.recent(1)

    assert (told.content, told.key, told.session, told.role, told.kind) == (
        " A  line\nand another ☃", "x", "s9", "assistant", "message",
    )  # fmt: skip
    assert (told.speaker, told.metadata, told.occurred) == ("Ann", {"a": [1], "speaker": "Ann"}, NOON)
    assert (told.scope, told.position, told.id) == (alice.scope, TURNS + 1, alice.scope.episode_id("x"))
    assert alice.episode("x") == alice.episode(told.id) == alice.episode(str(told.id)) == told
    assert alice.episode(str(told.id)[:8]) == told


RECENT: dict[str, tuple[dict[str, Any], list[int]]] = {
    "of a session": ({"sessions": ["s1"], "limit": 3}, [21, 19, 17]),
    "of a role": ({"roles": ["tool"], "limit": 2}, [19, 15]),
    "of a kind": ({"kinds": ["tool_call"], "limit": 2}, [19, 15]),
    "since": ({"since": NOON + timedelta(minutes=20)}, [22, 21, 20]),
    "until": ({"until": NOON + timedelta(minutes=2)}, [1, 0]),
    "all together": (
        {"sessions": ["s1"], "kinds": ["message"], "since": NOON, "until": NOON + timedelta(minutes=6)},
        [5, 1],
    ),
}


@pytest.mark.parametrize("asked", RECENT)
def test_recent_returns_the_newest_matching_episodes(alice: MemoryScope, asked: str) -> None:
    filters, found = RECENT[asked]

    assert numbers(alice.recent(**filters)) == found


def test_a_conversation_is_paged_in_order(alice: MemoryScope) -> None:
    odd = list(range(1, TURNS, 2))
    assert numbers(alice.conversation("s1")) == odd

    told = alice.conversation("s1", limit=4)
    while page := alice.conversation("s1", limit=4, after=told[-1].id):
        told += page
    assert numbers(told) == odd
    assert numbers(alice.conversation("s1", limit=3, before="k9")) == [3, 5, 7]
    assert numbers(alice.conversation("s1", kinds=["message"], limit=3)) == [1, 5, 9]


def test_a_conversation_is_read_around_a_turn(alice: MemoryScope) -> None:
    for limit, found in ((1, [9]), (2, [7, 9]), (3, [7, 9, 11]), (7, [3, 5, 7, 9, 11, 13, 15])):
        assert numbers(alice.conversation("s1", around="k9", limit=limit)) == found
    assert numbers(alice.conversation("s1", around="k1", limit=5)) == [1, 3, 5]


def test_conversations_are_listed_before_and_after_a_worker_has_seen_them(alice: MemoryScope) -> None:
    before = alice.conversations()
    Memory(parts_of(alice)).drain()
    alice.push("one more", session="s1", occurred_at=NOON + timedelta(days=1))
    after = alice.conversations()

    assert [(one.session, one.episodes) for one in before] == [("s0", 12), ("s1", 11)]
    assert [(one.first_at, one.last_at) for one in before] == [
        (NOON, NOON + timedelta(minutes=22)), (NOON + timedelta(minutes=1), NOON + timedelta(minutes=21)),
    ]  # fmt: skip
    assert [(one.session, one.episodes) for one in after] == [("s1", 12), ("s0", 12)]
    assert after[0].last_at == NOON + timedelta(days=1)


def test_conversations_are_paged_from_a_cursor(alice: MemoryScope) -> None:
    for n in range(7):
        alice.push("hello", session=f"same-time-{n}", occurred_at=NOON - timedelta(days=1))
    every = [one.session for one in alice.conversations()]

    told = alice.conversations(2)
    while page := alice.conversations(2, after=told[-1]):
        told += page
    assert [one.session for one in told] == every
    assert len(every) == len(set(every)) == 9
    assert [one.session for one in alice.conversations(2, after=every[1])] == every[2:4]


def test_archived_conversations_are_listed_separately_and_readable_by_name(alice: MemoryScope) -> None:
    Memory(parts_of(alice)).drain()
    alice.archive("s1")

    assert [one.session for one in alice.conversations(archived=True)] == ["s1"]
    assert [one.session for one in alice.conversations(archived=False)] == ["s0"]
    assert {n % 2 for n in numbers(alice.recent(50))} == {0}
    assert numbers(alice.recent(2, archived=True)) == [22, 21]
    assert numbers(alice.conversation("s1", limit=2)) == [1, 3]
    assert alice.episode("k1").content == "turn 1"


def test_episodes_of_all_agents_are_listed_with_their_scope(memory: Memory) -> None:
    said = [("guide", "trip"), ("clerk", "_global"), ("guide", "home"), ("clerk", "trip")] * 6
    for n, (agent, channel) in enumerate(said):
        memory.scope("bob", agent=agent, channel=channel).push(f"turn {n}", key=f"k{n}")
    bob, trip = memory.scope("bob"), memory.scope("bob", agent="guide", channel="trip")

    told = bob.recent(5)
    while page := bob.recent(5, before=told[-1].id):
        told += page
    assert numbers(told) == list(range(24))[::-1]
    assert [(one.scope.agent, one.scope.channel) for one in told[::-1]] == said
    assert numbers(bob.recent(4, after="k19")) == [23, 22, 21, 20]
    assert numbers(trip.recent(3)) == [20, 16, 12]
    assert {one.scope.agent for one in bob.conversations()} == {"guide", "clerk"}
    with pytest.raises(Incorrect, match="is a conversation of several agents or channels"):
        bob.conversations(after="default")


def test_paging_lists_episodes_received_at_the_same_time_once(memory: Memory, superuser: Any) -> None:
    agents = [f"agent-{n}" for n in range(4)]
    for n in range(12):
        memory.scope("bob", agent=agents[n % 4]).push(f"turn {n}", key=f"k{n}")
    superuser.execute("UPDATE episode_keys SET received = '2026-03-02T12:00Z'")
    superuser.execute("UPDATE episodes SET received = '2026-03-02T12:00Z'")
    bob = memory.scope("bob")

    backwards = bob.recent(5)
    while page := bob.recent(5, before=backwards[-1].id):
        backwards += page
    forwards = backwards[-1:]
    while page := bob.recent(5, after=forwards[-1].id):
        forwards += page[::-1]

    assert sorted(numbers(backwards)) == list(range(12))
    assert forwards == backwards[::-1]


def test_unknown_ids_raise_notfound(alice: MemoryScope) -> None:
    for ask in (
        lambda: alice.episode("nothing"),
        lambda: alice.episode(uuid.uuid4()),
        lambda: alice.recent(before="nothing"),
        lambda: alice.conversation("nothing"),
        lambda: alice.conversations(after="nothing"),
        lambda: alice.conversation("s1", around="k2"),
    ):
        with pytest.raises(NotFound) as error:
            ask()
        assert error.value.hint
    for page in ({"before": "k1", "after": "k2"}, {"around": "k1", "after": "k3"}):
        with pytest.raises(Incorrect):
            alice.conversation("s1", **page)  # type: ignore[arg-type]  # a cursor each


def test_another_users_episodes_are_not_returned(alice: MemoryScope, memory: Memory) -> None:
    bob = memory.scope("bob", agent="concierge", channel="trip")

    assert bob.recent() == []
    with pytest.raises(NotFound):
        bob.episode(alice.recent(1)[0].id)


def test_pages_of_facts_list_each_fact_once_in_the_same_order(memory: Memory) -> None:
    carol = memory.scope("carol", agent="concierge")
    carol.push_many([f"I like food{n}" for n in range(7)])
    carol.push("I love chess.")
    carol.consolidate()
    every = [one.id for one in carol.facts()]

    told = [one.id for one in carol.facts(limit=3)]
    while page := carol.facts(limit=3, after=told[-1]):
        told += [one.id for one in page]

    assert told == every
    assert len(every) == len(set(every)) >= 7
    assert [one.id for one in carol.facts(limit=2, after=str(every[2])[:8])] == every[3:5]
    with pytest.raises(NotFound, match="there is no fact"):
        carol.facts(after=uuid.uuid4())
