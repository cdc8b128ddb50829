"""AgentX: a stored turn reaches the log, the graph and the cache; relationships can be walked by verbs."""

import uuid
from datetime import timedelta

import psycopg
import pytest

from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.conformance.s2_agentx.test_graph import meaning
from tests.contract.learning.lessons import attempt


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    return mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge", channel="trip")


@pytest.mark.requirement("S2.62", "S2.7")
def test_a_stored_turn_is_in_the_log_the_graph_and_the_cache_at_once_and_has_its_vector_once_prepared(
    alice: MemoryScope,
) -> None:
    alice.graph.upsert_entity("Anna", type="person")

    receipt = alice.store_turn("Anna flew to Oslo", key="t1", session="s1", role="user")

    assert receipt.id is not None
    logged = alice.episode("t1")
    assert (logged.content, logged.session, logged.scope.channel) == ("Anna flew to Oslo", "s1", "trip")
    (turn, *_) = alice.graph.mentions("Anna")
    assert (turn.episode.id, turn.words) == (receipt.id, ("Anna",))
    assert "Anna" in [node.label for node in alice.graph.mentioned_in(receipt.id)]
    assert [one.content for one in alice.working("s1").get_recent_turns()] == ["Anna flew to Oslo"]
    Memory(parts_of(alice)).drain()
    with parts_of(alice).database.tenant("default") as connection:
        dimensions = connection.exec_driver_sql(
            "SELECT vector_dims(embedding) FROM episode_vectors WHERE scope = %(scope)s AND position = %(position)s",
            {"scope": alice.scope.id, "position": logged.position},
        ).scalar_one()
    assert dimensions == parts_of(alice).embedder.dimensions


@pytest.mark.requirement("S2.51")
def test_each_relationship_can_be_walked_in_both_ends(alice: MemoryScope) -> None:
    alice.push("My sister Anna lives in Riga.", key="t1", session="s1")
    alice.push("Rain all week.", key="t2", session="s1")
    alice.push_many(attempt(["search", "book"], task="book a flight", session="s2"))
    alice.consolidate()

    has_turn = [one.key for one in alice.conversation("s1")]
    assert has_turn == ["t1", "t2"]
    followed_by = [one.preview for one in alice.timeline("t1", before=0, after=1)]
    assert followed_by == ["My sister Anna lives in Riga.", "Rain all week."]
    (mention,) = alice.graph.mentions("Riga")
    assert mention.episode.key == "t1"
    (lives, *_) = [fact for fact in alice.facts() if fact.object == "Riga"]
    assert lives.id in mention.facts
    (step, *_) = alice.why(lives.id).steps
    derived_from = [one.key for one in step.evidence]
    assert derived_from == ["t1"]
    about = alice.graph.node(lives.subject)
    assert about.label == "Anna"

    everywhere = alice.promote(lives.id, reason="everybody should know")
    origins = [one for step in alice.in_channel("_global").why(everywhere).steps for one in step.origins]
    assert [(one.relation, one.memory) for one in origins] == [("promoted_from", lives.id)]

    trip = alice.goals.add("Go to Riga")
    flight = alice.goals.add("Book a flight", parent=trip.goal_id)
    passport = alice.goals.add("Renew the passport")
    alice.goals.block(flight.goal_id, "no passport", by=passport.goal_id)
    assert {goal.user_id for goal in alice.goals.list(None)} == {alice.scope.user}  # HAS_GOAL
    blocked = alice.goals.get(flight.goal_id)
    assert blocked.parent is not None
    assert blocked.blocked_by is not None
    assert (blocked.parent.goal_id, blocked.blocked_by.goal_id) == (trip.goal_id, passport.goal_id)
    assert alice.goals.resume(flight.goal_id).blocked_by is None

    alice.strategies.learn_strategy("Search, then book", "book a flight", ["search", "book"], "s1", True)
    (strategy, *_) = alice.strategies.find_strategies("book a flight")
    assert strategy.tool_sequence == ("search", "book")  # USES_TOOL
    assert strategy.success_count >= 1  # SUCCEEDED_IN
    calls = alice.tools.calls()
    assert {(one.session, one.tool) for one in calls} >= {(calls[0].session, "search")}  # USED_TOOL
    invoked = {one.name for one in alice.strategies.get_tool_stats()}
    assert invoked >= {"search", "book"}


@pytest.mark.requirement("S2.6")
def test_turns_are_stored_searched_by_vector_and_read_by_conversation_and_time(alice: MemoryScope) -> None:
    alice.store_turn("The boat to Turku left on time", key="new", session="s2")
    now = alice.episode("new").occurred
    alice.store_turn("The ferry to Turku was late", key="old", session="s1", occurred_at=now - timedelta(days=3))
    alice.in_channel("home").push("The ferry is blue", key="log", session="s3")
    alice.store_turn("We had soup", key="soup", session="s2")
    Memory(parts_of(alice)).drain()
    asked = meaning(alice, "the ferry to Turku")

    found = alice.graph.vector_search_turns(asked, 2)
    assert [one.key for one in found] == ["old", "new"]
    assert [one.key for one in alice.graph.vector_search_turns(asked, 1, time_window_hours=24)] == ["new"]
    assert [one.key for one in alice.graph.vector_search_turns(asked, 5, ["home"])] == ["log"]
    assert [one.key for one in alice.graph.vector_search_turns([part * 1e307 for part in asked], 2)] == ["old", "new"]
    with pytest.raises(Incorrect, match="query_embedding: expected a number, got inf"):
        alice.graph.vector_search_turns([float("inf")] * len(asked), 2)
    assert [one.key for one in alice.conversation("s2")] == ["new", "soup"]
    assert [one.key for one in alice.recent(5, since=now - timedelta(hours=24))] == ["soup", "new"]
    alice.archive("s1")
    assert "old" not in [one.key for one in alice.graph.vector_search_turns(asked, 5)]


@pytest.mark.requirement("S2.44")
def test_a_turn_has_the_fields_of_the_document(alice: MemoryScope) -> None:
    receipt = alice.store_turn("We had soup in Oslo", key="soup", session="s1")
    Memory(parts_of(alice)).drain()

    turn = alice.episode("soup")
    assert (turn.id, turn.scope.user, turn.scope.channel) == (receipt.id, alice.scope.user, "trip")
    assert (turn.position, turn.role, turn.content) == (1, "user", "We had soup in Oslo")
    assert turn.occurred <= turn.received
    (entry,) = alice.timeline("soup", before=0, after=0)
    assert entry.tokens == 5
    (nearest,) = alice.graph.vector_search_turns(meaning(alice, turn.content), 1)
    assert nearest.id == turn.id
    alice.archive("s1")
    (conversation,) = alice.conversations()
    assert conversation.archived is not None
    assert alice.recent() == []
    assert [one.key for one in alice.recent(archived=True)] == ["soup"]


CHANNELLED = ("episodes", "entities", "facts", "strategies", "conversations", "goals")


@pytest.mark.requirement("S2.52")
def test_each_kind_of_memory_is_found_by_user_and_channel(alice: MemoryScope, superuser: psycopg.Connection) -> None:
    alice.push("I live in Oslo", key="t1", session="s1")
    alice.strategies.learn_strategy("Search, then book", "book a flight", ["search", "book"], "s2", True)
    alice.goals.add("Book a flight")
    alice.consolidate()
    there = alice.in_channel("elsewhere")

    def known(one: MemoryScope) -> list[bool]:
        told = [one.recent(), one.facts(), one.strategies.all(), one.conversations(), one.goals.list()]
        return [*map(bool, told), bool(one.graph.load().nodes)]

    assert known(alice) == [True] * 6
    assert known(there) == [False] * 6
    leading = superuser.execute(
        "SELECT DISTINCT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE NOT c.relispartition"
    ).fetchall()
    assert {(table, "scope") for table in CHANNELLED} <= set(leading)  # a scope is a user, agent and channel
