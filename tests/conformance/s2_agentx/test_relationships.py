"""AgentX: a stored turn reaches the log, the graph and the session's cache; what hangs together is walked by verbs."""

import uuid

import pytest

from slowwave.memory import Memory, MemoryScope
from slowwave.memory.face import parts_of
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
def test_every_relationship_is_walked_from_one_end_to_the_other(alice: MemoryScope) -> None:
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
