"""AgentX: working memory in Redis, and goals."""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis

from slowwave import wiring
from slowwave.domain.goal import ParentGoal
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import ActiveGoal
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from tests.conftest import NOON


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    return mindful.scope("alice", agent="rag", channel="trip")


@pytest.fixture
def client(cache_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(cache_url, decode_responses=True) as connection:
        yield connection


# working memory


@pytest.mark.requirement("S2.14")
def test_working_memory_has_every_verb(alice: MemoryScope) -> None:
    memory = alice.working("c1")
    for number in range(3):
        memory.add_turn(f"turn {number}", role="user" if number % 2 == 0 else "assistant")
    memory.set("system_prompt", "be kind", ttl_seconds=60)
    memory.set("tools", [{"name": "search"}])
    memory.set_active_goal("g1", "book a hotel")
    for thought in ("first", "second"):
        memory.push_thought(thought)

    assert [turn.content for turn in memory.get_recent_turns(2)] == ["turn 1", "turn 2"]
    assert memory.get("system_prompt") == "be kind"
    assert memory.delete("system_prompt")
    assert not memory.delete("system_prompt")
    assert memory.get("system_prompt") is None
    assert memory.get_active_goal() == ActiveGoal("g1", "book a hotel")
    assert memory.get_thoughts(1) == ["second"]
    context = memory.get_context()
    assert [turn.role for turn in context.turns] == ["user", "assistant", "user"]
    assert (context.thoughts, context.goal) == (["first", "second"], ActiveGoal("g1", "book a hotel"))
    assert context.values == {"tools": [{"name": "search"}]}
    memory.clear_session()
    assert memory.get_recent_turns() == []
    assert memory.get_active_goal() is None


@pytest.mark.requirement("S2.15")
def test_turns_and_thoughts_are_lists_values_are_strings_and_all_end_after_an_hour(
    alice: MemoryScope, client: "redis.Redis"
) -> None:
    memory = alice.working("c1")
    memory.add_turn("hello")
    memory.push_thought("she said hello")
    memory.set("note", {"a": 1})

    base = "default:rag:working:alice:trip:c1"
    kinds = {part: client.type(f"{base}:{part}") for part in ("turns", "thoughts", "context:note")}
    assert kinds == {"turns": "list", "thoughts": "list", "context:note": "string"}
    for part in kinds:
        assert 3_590 <= client.ttl(f"{base}:{part}") <= 3_600
    assert Settings.load().working_seconds == 3_600
    assert Settings.load(working_seconds=5).working_seconds == 5


@pytest.mark.requirement("S2.16")
def test_cache_keys_name_user_channel_and_conversation_and_a_flush_loses_no_run_or_lease(
    alice: MemoryScope, client: "redis.Redis"
) -> None:
    """The document's jobs, locks and sessions are runs, leases and conversations: rows in Postgres, not Redis keys."""
    alice.working("c1").add_turn("hello")
    alice.working("c:2").add_turn("hello")
    assert sorted(client.keys("*")) == [
        "default:rag:working:alice:trip:c%3A2:turns",
        "default:rag:working:alice:trip:c1:turns",
    ]

    alice.push("I moved to Oslo", session="c1")
    due_work.fire(parts_of(alice), alice.scope.id)
    run = parts_of(alice).runs.claim(owner="ann", scope=alice.scope.id, jobs=None, overdue_seconds=0)
    assert run is not None
    client.flushdb()

    assert parts_of(alice).runs.renew(run)
    assert parts_of(alice).runs.claim(owner="bob", scope=alice.scope.id, jobs=None, overdue_seconds=0) is None


# goals


@pytest.fixture
def planner(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    return Memory(parts).scope(scope.user, agent=scope.agent, channel="trip")


@pytest.mark.requirement("S2.47")
def test_a_goal_has_every_field(planner: MemoryScope) -> None:
    deadline = NOON + timedelta(days=1)
    added = planner.goals.add("Book a hotel in Oslo", priority=7, deadline=deadline)
    goal = planner.goals.get(str(added.goal_id))

    assert (goal.user_id, goal.agent, goal.channel) == (planner.scope.user, planner.scope.agent, "trip")
    assert (goal.description, goal.status, goal.priority) == ("Book a hotel in Oslo", "active", 7)
    assert (goal.deadline, goal.completed_at, goal.result) == (deadline, None, None)
    assert goal.created_at is not None
    assert goal.embedding is not None
    assert len(goal.embedding) == parts_of(planner).embedder.dimensions
    assert planner.goals.add("Book a hotel in Oslo").goal_id != goal.goal_id
    for status in ("active", "completed", "abandoned", "blocked"):
        assert planner.goals.list(status=status) is not None


def test_a_goal_has_subgoals_and_ends_with_its_outcome(planner: MemoryScope) -> None:
    trip = planner.goals.add("Travel to Oslo", key="plan/1")
    hotel = planner.goals.add("Book a hotel", parent=trip.goal_id, key="plan/1/1")
    flight = planner.goals.add("Book a flight", parent=trip.goal_id, priority=1)
    assert planner.goals.add("Travel to Oslo", key="plan/1") == trip

    assert hotel.parent == ParentGoal(trip.goal_id, "Travel to Oslo", "active")
    assert [goal.goal_id for goal in planner.goals.list()] == [flight.goal_id, trip.goal_id, hotel.goal_id]

    done = planner.goals.complete(hotel.goal_id, "completed", "the Grand, two nights")
    failed = planner.goals.complete(flight.goal_id, "abandoned", "all full")
    assert (done.status, done.result, failed.status, failed.result) == (
        "completed", "the Grand, two nights", "abandoned", "all full",
    )  # fmt: skip
    assert done.completed_at is not None
    assert failed.completed_at is not None
    assert planner.goals.complete(hotel.goal_id, "completed", "the Grand, two nights") == done
    assert [goal.goal_id for goal in planner.goals.list()] == [trip.goal_id]
    assert planner.goals.get(hotel.goal_id).parent == ParentGoal(trip.goal_id, "Travel to Oslo", "active")


@pytest.mark.requirement("S2.48")
def test_a_plan_makes_goals_and_the_outcome_of_its_task_ends_them(planner: MemoryScope) -> None:
    planner.tools.plan("s1", "Travel to Oslo", ["Book a flight", "Book a hotel"])
    planner.tools.plan("s2", "Learn Norwegian")
    planner.consolidate()

    goals = {goal.description: goal for goal in planner.goals.list()}
    trip = goals["Travel to Oslo"]
    assert set(goals) == {"Travel to Oslo", "Book a flight", "Book a hotel", "Learn Norwegian"}
    assert trip.user_id == planner.scope.user
    assert planner.goals.get(goals["Book a hotel"].goal_id).parent == ParentGoal(
        trip.goal_id, "Travel to Oslo", "active"
    )
    assert trip.embedding is not None

    planner.tools.outcome("s1", True, task="book a flight", note="SK 4035, at nine")
    planner.consolidate()
    flight = planner.goals.get(goals["Book a flight"].goal_id)
    assert (flight.status, flight.result) == ("completed", "SK 4035, at nine")
    assert flight.completed_at is not None

    planner.tools.outcome("s1", False, task="Travel to Oslo", note="the hotel was full")
    planner.consolidate()
    ended = [planner.goals.get(goals[name].goal_id) for name in ("Travel to Oslo", "Book a hotel", "Book a flight")]
    assert [(goal.status, goal.result) for goal in ended] == [
        ("abandoned", "the hotel was full"), ("abandoned", "the hotel was full"), ("completed", "SK 4035, at nine"),
    ]  # fmt: skip
    assert [goal.description for goal in planner.goals.list()] == ["Learn Norwegian"]


def test_a_repeated_plan_adds_no_goal_and_a_new_plan_adds_another(planner: MemoryScope) -> None:
    planner.tools.plan("s1", "Travel to Oslo", ["Book a flight"], key="p1")
    planner.tools.plan("s1", "travel to  oslo", ["Book a flight", "Pack"], key="p2")
    planner.consolidate()
    assert {goal.description for goal in planner.goals.list()} == {"Travel to Oslo", "Book a flight", "Pack"}

    planner.tools.outcome("s1", True, task="Travel to Oslo", key="o1")
    planner.tools.plan("s2", "Travel to Oslo", key="p3")
    planner.tools.outcome("s2", True, task="something else", key="o2")
    planner.consolidate()
    (again,) = planner.goals.list()
    assert again.description == "Travel to Oslo"
    assert len(planner.goals.list(status="completed")) == 3


def test_invalid_plan_metadata_creates_no_goals(planner: MemoryScope) -> None:
    wrong: list[dict[str, Any]] = [
        {"plan": ["a"]}, {"task": 7, "plan": []}, {"task": "  ", "plan": []}, {"task": "t", "plan": "a"}, {"task": "t"},
    ]  # fmt: skip
    for number, said in enumerate(wrong):
        planner.push("a plan?", role="assistant", metadata=said, key=f"k{number}")
    planner.tools.outcome("s1", True, task="t")
    planner.consolidate()

    assert planner.goals.list(status=None) == []


def test_a_blocked_goal_can_be_resumed_and_an_ended_one_cannot(planner: MemoryScope) -> None:
    goal = planner.goals.add("Book a hotel").goal_id
    blocked = planner.goals.block(goal, "no money")
    assert (blocked.status, blocked.result, blocked.completed_at) == ("blocked", "no money", None)
    assert planner.goals.list() == []
    assert planner.goals.resume(goal).status == "active"
    planner.goals.complete(goal)

    with pytest.raises(Conflict, match="is completed already"):
        planner.goals.block(goal, "late")
    with pytest.raises(Conflict, match="is completed already"):
        planner.goals.complete(goal, "abandoned")


def test_each_goal_change_is_audited_without_its_text(planner: MemoryScope) -> None:
    goal = planner.goals.add("secret plan").goal_id
    planner.goals.complete(goal, "abandoned", "secret reason")
    planner.goals.complete(goal, "abandoned", "secret reason")

    with parts_of(planner).database.tenant("default") as connection:
        rows = connection.exec_driver_sql(
            "SELECT operation, affected, detail, audit_log::text FROM audit_log WHERE memory_type = 'goal' ORDER BY id"
        ).all()
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("store", [goal], {}),
        ("update", [goal], {"status": "abandoned"}),
    ]
    assert "secret" not in "".join(row[3] for row in rows)


def test_goals_stay_in_their_scope(planner: MemoryScope) -> None:
    goal = planner.goals.add("Book a hotel").goal_id
    elsewhere = [
        planner.in_channel("another"),
        Memory(parts_of(planner)).scope(planner.scope.user, agent="another", channel="trip"),
        Memory(parts_of(planner)).scope(planner.scope.user, agent=planner.scope.agent, channel="trip", tenant="theirs"),
    ]
    for other in elsewhere:
        with pytest.raises(NotFound):
            other.goals.get(goal)
        with pytest.raises(NotFound):
            other.goals.complete(goal)
        with pytest.raises(NotFound, match=r"no parent goal"):
            other.goals.add("Pay for it", parent=goal)
    assert planner.goals.get(goal).status == "active"


def test_all_problems_of_a_goal_are_reported_at_once(planner: MemoryScope) -> None:
    with pytest.raises(Incorrect) as caught:
        planner.goals.add(" ", priority=2**40, deadline=NOON.replace(tzinfo=None))
    assert len(caught.value.problems) == 3

    with pytest.raises(NotFound):
        planner.goals.get("no id")
    with pytest.raises(NotFound):
        planner.goals.get(uuid.uuid4())
    with pytest.raises(Incorrect, match="cannot end as 'blocked'"):
        planner.goals.complete(planner.goals.add("x").goal_id, "blocked")
    planner.goals.add("x", key="k")
    with pytest.raises(Conflict, match="another goal"):
        planner.goals.add("y", key="k")
