"""Reploid, working memory of 8 000 tokens: its oldest quarter is evicted into a summary."""

import logging
import uuid

import pytest
import redis

from slowwave.domain.job_table import SUMMARISE, pack_of
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.conformance.s1_reploid.conftest import log
from tests.conftest import NOON

THOUSAND = "word" * 1_000
"""A thousand tokens."""


def summary(alice: MemoryScope) -> str:
    Memory(parts_of(alice)).drain()
    (fact,) = [fact for fact in alice.facts() if fact.predicate == "summary"]
    return fact.object


def fill(alice: MemoryScope, turns: int) -> None:
    for number in range(turns):
        alice.working("s1").add_turn(f"{number}" + THOUSAND[1:])


@pytest.mark.requirement("S1.3")
def test_each_message_is_stored_at_once_and_survives_a_flushed_cache(alice: MemoryScope, cache_url: str) -> None:
    for number in range(9):
        alice.working("s1").add_turn(f"{number}" + THOUSAND[1:])
        assert len(log(alice)) == number + 1
    with redis.Redis.from_url(cache_url) as client:
        client.flushall()
    assert [turn.content[0] for turn in alice.working("s1").get_recent_turns()] == list("345678")
    alice.working("s1").clear_session()

    assert [episode.content for episode in log(alice)] == [f"{number}" + THOUSAND[1:] for number in range(9)]


@pytest.mark.requirement("S1.16", "S1.17")
def test_a_message_over_8000_tokens_evicts_the_oldest_quarter_rounded_up(alice: MemoryScope) -> None:
    fill(alice, 8)
    assert alice.working("s1").get_context().tokens == 8_000
    assert len(alice.working("s1").get_recent_turns()) == 8

    alice.working("s1").add_turn("one")
    assert alice.working("s1").get_context().tokens == 5_001
    left = [turn.content[0] for turn in alice.working("s1").get_recent_turns()]
    assert left == ["3", "4", "5", "6", "7", "o"]  # ceil(9 / 4) are gone
    assert len(log(alice)) == 9


@pytest.mark.requirement("S1.19")
def test_the_same_messages_give_the_same_summary(mindful: Memory) -> None:
    told = []
    for user in (f"alice-{uuid.uuid4().hex[:8]}", f"bob-{uuid.uuid4().hex[:8]}"):
        scope = mindful.scope(user)
        for number in range(1, 40):
            scope.working("s1").add_turn(f"I met Ann{number % 7} in Oslo{number}. It was nice.", occurred_at=NOON)
        scope.working("s1").clear_session()
        told.append(summary(scope))

    assert told[0] == told[1]
    assert 1 < len(told[0].splitlines()) < 39


@pytest.mark.requirement("S1.20")
def test_the_newest_summary_replaces_the_previous_one(alice: MemoryScope) -> None:
    told: list[str] = []
    for words in ("I moved to Oslo.", "I work at Equinor."):
        alice.working("s1").add_turn(words)
        alice.working("s1").clear_session()
        told.append(summary(alice))

    assert told == ["user: I moved to Oslo.", "user: I moved to Oslo.\nuser: I work at Equinor."]
    (held,) = [fact for fact in alice.facts() if fact.predicate == "summary"]
    assert [step.kind for step in alice.why(held.id).steps] == ["update"]


@pytest.mark.requirement("S1.21")
def test_evicted_messages_are_kept_verbatim(alice: MemoryScope) -> None:
    words = ' {"a": "\\u0041"}\r\n\t— 東京 \U0001f600 ' + THOUSAND
    alice.working("s1").add_turn(words, role="assistant")
    fill(alice, 8)

    assert (log(alice)[0].content, log(alice)[0].role) == (words, "assistant")


@pytest.mark.requirement("S1.22")
def test_evicted_messages_are_found_by_meaning_with_their_time_and_role(alice: MemoryScope) -> None:
    alice.working("s1").add_turn("My physician forbade penicillin", role="assistant", occurred_at=NOON)
    fill(alice, 8)
    Memory(parts_of(alice)).drain()

    with parts_of(alice).database.tenant(alice.scope.tenant) as connection:
        embedded = connection.exec_driver_sql(
            "SELECT position FROM episode_vectors WHERE scope = %(scope)s", {"scope": alice.scope.id}
        ).scalars()
        assert 1 in list(embedded)
    in_mind = [turn.content for turn in alice.working("s1").get_recent_turns()]
    assert "My physician forbade penicillin" not in in_mind
    found = {one.text: one for one in alice.recall("drugs that are dangerous for the patient", limit=3)}
    best = found["My physician forbade penicillin"]
    assert best.reasons["similarity"] > 0
    assert (best.occurred, best.role, best.session) == (NOON, "assistant", "s1")


@pytest.mark.requirement("S1.23")
def test_a_read_of_the_summary_logs_the_count_of_evicted_messages_once(
    alice: MemoryScope, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    fill(alice, 9)
    assert "Evicted 3 messages, summary asked for" in caplog.messages
    assert "Evicted 3 messages, summary updated" not in caplog.messages

    assert summary(alice).startswith("user: 0ord")
    assert caplog.messages.count("Evicted 3 messages, summary updated") == 1
    Memory(parts_of(alice)).drain()

    fill(alice, 3)
    assert summary(alice)
    assert [said for said in caplog.messages if said.endswith("summary updated")] == [
        "Evicted 3 messages, summary updated"
    ] * 2


def test_an_eviction_that_is_already_summarised_is_logged_at_once(
    alice: MemoryScope, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    fill(alice, 3)
    parts = parts_of(alice)
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], tenant=None, pack=pack_of(SUMMARISE))
    Memory(parts).drain()

    alice.working("s1").evict_oldest(2)
    Memory(parts).drain()

    assert [said for said in caplog.messages if said.startswith("Evicted")] == ["Evicted 2 messages, summary updated"]


@pytest.mark.requirement("S1.41")
def test_prune_evicts_the_oldest_quarter_if_needed_and_returns_the_rest(alice: MemoryScope) -> None:
    memory = alice.working("s1")
    fill(alice, 7)

    assert not memory.needs_pruning()
    assert [turn.content[0] for turn in memory.prune()] == list("0123456")

    assert memory.needs_pruning(max_tokens=6_000)
    assert [turn.content[0] for turn in memory.prune(max_tokens=6_000)] == list("23456")  # ceil(7 / 4) are gone
    assert summary(alice)
