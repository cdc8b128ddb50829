"""AgentX, procedural memory: invocations, strategies, their reinforcement, and tool statistics."""

import uuid
from dataclasses import replace

import pytest

from slowwave import wiring
from slowwave.core.patterns import wilson_lower
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import DETECT_PATTERNS, pack_of
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.patterns import Strategies
from slowwave.memory.verb_group import parts_of

FLIGHT = ("Search a flight, then book it", "the user wants to travel by plane", ["search_flights", "book_flight"])
RECIPE = ("Look up a recipe, then list what to buy", "the user wants to cook", ["find_recipe", "shopping_list"])


@pytest.fixture
def trip(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    """A project channel."""
    return MemoryScope(parts, scope).in_channel("trip-to-oslo")


@pytest.fixture
def procedural(trip: MemoryScope) -> Strategies:
    """The strategies and tools of that channel."""
    return trip.strategies


def night(scope: MemoryScope) -> None:
    """Run pattern detection."""
    parts = parts_of(scope)
    scope.consolidate()
    parts.schedule.fire_manually(by="test", scopes=[scope.scope.id], pack=pack_of(DETECT_PATTERNS))
    Memory(parts_of(scope)).drain()


def converse(scope: MemoryScope, conversation: str, *tools: str, success: bool, task: str = "travel") -> None:
    """Push a conversation in which *tools* are called, with its outcome."""
    for number, tool in enumerate(tools):
        scope.strategies.record_invocation(
            conversation, f"turn {number}", tool, {"n": number}, "done", True, 20, task=task
        )
    said = {"success": success, "task": task}
    scope.push(Episode(content="so it ended", kind="outcome", session=conversation, metadata=said))


@pytest.mark.requirement("S2.11")
def test_an_invocation_is_recorded_with_all_its_fields(procedural: Strategies) -> None:
    channel = "elsewhere"
    receipt, again = (
        procedural.record_invocation(
            "talk 1", "turn 3", "search", {"q": "Oslo"}, {"hits": [1, 2]}, True, 41.5, channel, task="travel", key="k1"
        )
        for _ in range(2)
    )

    assert (receipt.state, again.repeated, receipt.position) == ("stored", True, 1)
    with parts_of(procedural).database.tenant(procedural.scope.tenant) as connection:
        (row,) = connection.exec_driver_sql(
            "SELECT session, kind, content::jsonb, metadata FROM episodes WHERE scope = %(scope)s",
            {"scope": replace(procedural.scope, channel=channel).id},
        )
    assert (row.session, row.kind) == ("talk 1", "tool_call")
    given = {"input": {"q": "Oslo"}, "output": {"hits": [1, 2]}}
    said = {"success": True, "latency_ms": 41.5, "turn": "turn 3", "task": "travel"}
    assert row.content == {"tool": "search", **given}
    assert row.metadata == {"tool": "search", **said, **given}


@pytest.mark.requirement("S2.11", "S2.49")
def test_a_stored_strategy_is_found_by_its_purpose(procedural: Strategies, trip: MemoryScope) -> None:
    flight = procedural.learn_strategy(*FLIGHT, "talk 1", True)
    recipe = procedural.learn_strategy(*RECIPE, "talk 2", True, GLOBAL_CHANNEL)
    elsewhere = procedural.learn_strategy(*FLIGHT, "talk 3", True, "another-project")

    first, second = procedural.find_strategies("book me a plane ticket")

    assert (first.id, second.id) == (flight, recipe)
    assert (first.description, first.context_pattern, list(first.tool_sequence)) == FLIGHT
    assert (first.success_count, first.failure_count, first.channel) == (1, 0, trip.scope.channel)
    assert first.embedding is not None
    assert len(first.embedding) == 256
    assert first.created_at == first.last_used
    assert [one.id for one in procedural.find_strategies("cooking dinner", top_k=1)] == [recipe]
    assert [one.id for one in procedural.find_strategies("fly", ["another-project"])] == [elsewhere]
    assert len({flight, recipe, elsewhere}) == 3
    assert MemoryScope(parts_of(trip), Scope(trip.scope.tenant, "bob", trip.scope.agent)).strategies.all() == []


@pytest.mark.requirement("S2.11", "S2.13")
def test_reinforcement_is_counted_and_the_success_rate_decides_recommendations(procedural: Strategies) -> None:
    good = procedural.learn_strategy(*FLIGHT, "talk 1", True)
    bad = procedural.learn_strategy(FLIGHT[0], FLIGHT[1], ["guess"], "talk 1", True)
    for _ in range(3):
        procedural.reinforce_strategy(good, True)
        procedural.reinforce_strategy(str(bad), False)

    assert [(one.success_count, one.failure_count) for one in map(procedural.get, (good, bad))] == [(4, 0), (1, 3)]
    (found,) = procedural.find_strategies("book a flight")
    assert (found.id, found.standing, found.bound) == (good, "learned", wilson_lower(4, 4))
    assert found.score == pytest.approx((found.similarity or 0) * found.bound)
    assert found.last_used is not None
    assert found.last_used > found.created_at

    for _ in range(6):
        procedural.reinforce_strategy(good, False)
    assert procedural.find_strategies("book a flight") == []
    assert procedural.get(good).fact is None


@pytest.mark.requirement("S2.13")
def test_a_withdrawn_strategy_is_not_recommended(procedural: Strategies, trip: MemoryScope) -> None:
    flight = procedural.learn_strategy(*FLIGHT, "talk 1", True)
    for _ in range(3):
        procedural.reinforce_strategy(flight, True)
    fact = procedural.get(flight).fact
    assert fact is not None
    ((source, *_),) = [step.evidence for step in trip.why(fact).steps if step.kind == "add"]

    delta = {"kind": "delete", "replaces": [str(fact)], "rule_id": "by hand", "confidence": 1.0}
    trip.apply({**delta, "source_episode_ids": [str(source.episode)], "promotion_ts": source.occurred})

    assert procedural.get(flight).standing == "withdrawn"
    assert procedural.find_strategies("book a flight") == []


@pytest.mark.requirement("S2.11")
def test_a_repeated_key_counts_once_and_invalid_strategies_are_refused(procedural: Strategies) -> None:
    told = [procedural.learn_strategy(*FLIGHT, "talk 1", True, key="k1") for _ in range(2)]
    for _ in range(2):
        procedural.reinforce_strategy(told[0], True, key="k2")

    assert told[0] == told[1]
    assert procedural.get(told[0]).success_count == 2
    with pytest.raises(Incorrect, match="tool_sequence"):
        procedural.learn_strategy("nothing", "never", [], "talk 1", True)
    for unknown in (uuid.uuid4(), "no id"):
        with pytest.raises(NotFound):
            procedural.reinforce_strategy(unknown, True)


@pytest.mark.requirement("S2.11", "S2.12", "S2.50")
def test_a_tool_has_its_usage_successes_and_mean_latency_by_channel_and_task(
    procedural: Strategies, trip: MemoryScope
) -> None:
    for success, latency in ((True, 10), (True, 20), (False, 60)):
        procedural.record_invocation("talk 1", "t", "search", {}, None, success, latency, task="travel")
    procedural.record_invocation("talk 1", "t", "search", {}, None, True, 110, task="work")
    procedural.record_invocation("talk 1", "t", "pay", {}, None, True, 5)
    procedural.record_invocation("talk 1", "t", "search", {}, None, True, 1, GLOBAL_CHANNEL)
    night(trip)

    search, pay = procedural.get_tool_stats()
    assert (search.name, search.usage_count, search.success_count, search.avg_latency_ms) == ("search", 4, 3, 50.0)
    assert search.tasks == {"travel": 3, "work": 1}
    assert (pay.name, pay.usage_count) == ("pay", 1)
    (travel,) = procedural.get_tool_stats("travel")
    assert (travel.usage_count, travel.success_count, travel.avg_latency_ms) == (3, 2, 30.0)

    night(trip.in_channel(GLOBAL_CHANNEL))
    assert [stats.usage_count for stats in procedural.get_tool_stats(channel=GLOBAL_CHANNEL)] == [1]


@pytest.mark.requirement("S2.33", "S2.13")
def test_strategies_are_learned_from_successful_conversations(trip: MemoryScope) -> None:
    for number in range(3):
        converse(trip, f"good {number}", "search", "search", "book", success=True)
        converse(trip, f"bad {number}", "guess", success=False)
    Memory(parts_of(trip)).drain()
    assert trip.strategies.all() == [], "the cadence has not fired"
    night(trip)

    strategies = {one.tool_sequence: one for one in trip.strategies.all()}
    learned, failing = strategies["search", "book"], strategies["guess",]
    assert (learned.task, learned.success_count, learned.failure_count, learned.standing) == ("travel", 3, 0, "learned")
    assert (failing.success_count, failing.failure_count, failing.standing, failing.fact) == (0, 3, "failing", None)
    assert [one.id for one in trip.strategies.find_strategies("travel: search and book")] == [learned.id]
    assert trip.strategies.paths("Travel") == [(("search", "book"), 3)]

    assert learned.fact is not None
    (step,) = trip.why(learned.fact).steps
    assert (step.kind, step.rule) == ("add", "detect_patterns/strategy@1")
    assert {evidence.session for evidence in step.evidence} == {"good 0", "good 1", "good 2"}
    assert len(step.evidence) == 9
