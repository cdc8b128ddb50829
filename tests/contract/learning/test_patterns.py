"""Strategies are learned from tool attempts, each counted once, and withdrawn when they fail."""

from datetime import datetime, timedelta, timezone

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.settings import Settings
from tests.conftest import NOON
from tests.contract.harness import Harness
from tests.contract.late_arrivals.comparing import digested
from tests.contract.learning.lessons import PATTERNS, ask, attempt, believed, call, counts, kinds, learn, outcome

STEPS = ("search", "book", "pay")
WEEK = timedelta(days=7)


def test_successes_confirm_a_strategy_and_failures_weaken_and_withdraw_it(harness: Harness, scope: Scope) -> None:
    learn(harness, scope, *(episode for _ in range(4) for episode in attempt(STEPS)))
    learn(harness, scope, *attempt(STEPS, False))
    assert kinds(harness, scope) == ["add", "noop", "noop"]

    learn(harness, scope, *attempt(STEPS, False), *attempt(STEPS, False))

    assert kinds(harness, scope) == ["add", "noop", "noop", "delete"]
    assert (believed(harness, scope), counts(harness, scope)) == ([], {STEPS: (4, 3)})
    assert harness.rows("SELECT mode FROM deltas WHERE kind = 'delete'") == [("withdraw",)]
    assert harness.value("SELECT fact FROM strategies WHERE scope = %s", scope.id) is None


def test_a_withdrawn_strategy_is_learned_again_after_successes(harness: Harness, scope: Scope) -> None:
    learn(harness, scope, *(e for success in (True, True, True, False, False) for e in attempt(STEPS, success)))
    assert believed(harness, scope) == []

    learn(harness, scope, *attempt(STEPS), *attempt(STEPS))

    assert believed(harness, scope) == ["task booking: search → book → pay"]
    assert counts(harness, scope) == {STEPS: (5, 2)}


def test_a_second_run_counts_only_new_episodes(harness: Harness, scope: Scope) -> None:
    learn(harness, scope, *(episode for _ in range(3) for episode in attempt(STEPS)))
    before = _state(harness, scope)

    learn(harness, scope)

    assert _state(harness, scope) == before
    learn(harness, scope, *attempt(STEPS))
    assert kinds(harness, scope) == ["add", "noop"]


def test_windows_of_any_length_give_the_same_patterns(harness: Harness, settings: Settings) -> None:
    episodes = _story()
    found = set()
    for window in (1, 3, 7, 50):
        parts = wiring.connect(settings.model_copy(update={"window": window}))
        vars(parts).update(packs=harness.parts.packs, embedder=harness.parts.embedder)
        scope = Scope(f"windows-of-{window}", "alice", "concierge")
        parts.push(scope, episodes)
        mine = Harness(parts, harness.owner_url, harness.superuser_url)
        ask(mine, scope)
        mine.drain()

        lengths = harness.rows("SELECT max(hi - lo + 1) FROM runs WHERE scope = %s AND pack = %s", scope.id, PATTERNS)
        assert lengths == [(min(window, len(episodes)),)]
        found.add(_state(mine, scope))
        mine.close()
        parts.close()

    assert len(found) == 1
    assert "routine" in repr(found)


def test_strategies_of_two_tenants_have_different_ids(harness: Harness) -> None:
    scopes = [Scope(tenant, "alice", "concierge") for tenant in ("one", "other")]
    for scope in scopes:
        learn(harness, scope, *_story())

    ids = [harness.rows("SELECT strategy FROM strategies WHERE scope = %s", scope.id) for scope in scopes]
    assert len(ids[0]) == len(ids[1]) > 0
    assert not set(ids[0]) & set(ids[1])
    assert _state(harness, scopes[0]) == _state(harness, scopes[1])


def test_a_tool_used_at_the_same_weekly_time_three_times_is_a_routine(harness: Harness, scope: Scope) -> None:
    for weeks in (0, 0, 1):
        learn(harness, scope, *attempt(["mail"], at=NOON + weeks * WEEK))
    assert believed(harness, scope, "routine") == []

    learn(harness, scope, *attempt(["mail"], False, at=NOON + 5 * WEEK))

    assert believed(harness, scope, "routine") == ["user: uses mail on Mondays between 12:00 and 16:00"]


def test_a_routine_is_told_in_the_users_own_time_zone(harness: Harness, scope: Scope) -> None:
    evening = datetime(2026, 3, 2, 21, tzinfo=timezone(timedelta(hours=-5)))  # Tuesday in UTC
    for weeks in range(3):
        learn(harness, scope, *attempt(["mail"], at=evening + weeks * WEEK))

    assert believed(harness, scope, "routine") == ["user: uses mail on Mondays between 20:00 and 24:00"]


def test_a_text_said_at_the_same_weekly_time_three_times_is_a_routine(harness: Harness, scope: Scope) -> None:
    said = [
        Episode(content="What is on today?", key=f"q{weeks}", occurred_at=NOON + weeks * WEEK) for weeks in range(4)
    ]
    learn(
        harness, scope, *said[:2], Episode(content="What is on today", key="q", occurred_at=NOON + timedelta(hours=9))
    )
    assert believed(harness, scope, "routine") == []

    learn(harness, scope, *said[2:])

    assert believed(harness, scope, "routine") == ["user: says “what is on today” on Mondays between 12:00 and 16:00"]
    assert kinds(harness, scope) == ["add", "noop"]


def test_a_preference_stated_in_three_conversations_recurs_until_it_ends(harness: Harness, scope: Scope) -> None:
    def say(words: str, session: str) -> None:
        harness.learn(scope, [Episode(content=words, session=session)])
        learn(harness, scope)

    for session in ("s1", "s1", "s2"):
        say("I like liquorice", session)
    assert believed(harness, scope, "recurring_preference") == []

    say("I like liquorice", "s3")
    assert believed(harness, scope, "recurring_preference") == ["user: likes liquorice"]
    assert (
        harness.value(
            "SELECT count(*) FROM delta_sources s JOIN deltas d ON d.id = s.delta WHERE d.pack = %s", PATTERNS
        )
        == 3
    )

    say("I no longer like liquorice", "s4")
    assert believed(harness, scope, "recurring_preference") == []


def test_pattern_detection_finds_a_recurring_preference_without_new_episodes(harness: Harness, scope: Scope) -> None:
    harness.parts.push(scope, [Episode(content="I like liquorice", session=f"s{number}") for number in range(3)])
    learn(harness, scope)
    assert harness.watermark(scope, PATTERNS) == 3

    due_work.fire(harness.parts, scope.id)
    harness.drain()
    asked = harness.rows("SELECT pack, target FROM intents WHERE scope = %s ORDER BY intent", scope.id)
    assert asked[-1:] == [(PATTERNS, 3)]
    learn(harness, scope)

    assert believed(harness, scope, "recurring_preference") == ["user: likes liquorice"]
    assert harness.watermark(scope, PATTERNS) == 3
    assert harness.rows("SELECT FROM intents WHERE scope = %s AND due < 'infinity'", scope.id) == []


def test_prepare_requests_pattern_detection_after_tool_calls(harness: Harness, scope: Scope) -> None:
    harness.parts.push(scope, attempt(STEPS))
    harness.drain()

    waiting = harness.rows("SELECT state, target FROM intents WHERE scope = %s AND pack = %s", scope.id, PATTERNS)
    assert waiting == [("pending", 4)]


def _story() -> list[Episode]:
    """Successes and failures of two sequences, two concurrent sessions, a routine, and unfinished calls."""
    way, other = attempt(STEPS, session="one"), attempt(["search", "search", "call"], False, session="two")
    mixed = [episode for pair in zip(way, other, strict=True) for episode in pair]
    weekly = [episode for weeks in range(3) for episode in attempt(["mail", "read"], at=NOON + weeks * WEEK)]
    again = [episode for success in (True, True, False, True) for episode in attempt(STEPS, success)]
    failing = [episode for _ in range(3) for episode in attempt(STEPS, False)]
    story = [*mixed, *weekly, *again, outcome(True), call("left over"), *failing, call("search", task="trip")]
    return [episode.model_copy(update={"key": f"e{number}"}) for number, episode in enumerate(story)]


def _state(harness: Harness, scope: Scope) -> str:
    """The rows that the job wrote, without ids and recorded times."""
    tables = [
        harness.rows(query, scope.id)
        for query in (
            "SELECT task, tools, successes, failures, description, context_pattern, created, last_used, fact IS NULL "
            "FROM strategies WHERE scope = %s ORDER BY task, tools",
            "SELECT tool, task, calls, successes, latency_ms, last_used FROM tool_stats WHERE scope = %s ORDER BY 1, 2",
            "SELECT bucket, jsonb_path_query_array(sources, '$[*][1]') FROM sightings WHERE scope = %s ORDER BY 1, 2",
            "SELECT kind, mode, rule, valid, confidence, position FROM deltas WHERE scope = %s ORDER BY 6, 3, 1",
        )
    ]
    return repr((digested(harness.parts, scope, without=4), tables))
