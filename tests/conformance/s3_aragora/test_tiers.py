"""Aragora, four tiers: surprising or useful memories rise, faded or idle ones fall."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from click.testing import CliRunner

from slowwave import wiring
from slowwave.cli import cli
from slowwave.core.tiers import Rise
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.job_table import SWEEP
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.store.tiers.decay import PostgresDecay
from slowwave.testing import stop_clock
from tests.conftest import NOON
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import chosen, column, crowd, now, put, run
from tests.ledger import rebuilt

DAY, HOUR, MINUTE, SECOND = (timedelta(seconds=seconds) for seconds in (86_400, 3_600, 60, 1))
HALF_LIVES = {"fast": HOUR, "medium": 24 * HOUR, "slow": 168 * HOUR, "glacial": 720 * HOUR}
IMPORTANCES = {"fast": 0.9, "medium": 0.6, "slow": 0.4, "glacial": 0.1}
Passed = Callable[[timedelta], None]


@pytest.fixture
def agent(harness: Harness, scope: Scope) -> MemoryScope:
    """An agent with the document's tiers."""
    chosen(harness, "aragora_hope")
    return MemoryScope(harness.parts, scope)


def rising_by(harness: Harness, *rises: Rise) -> None:
    """Use the document's tiers, with these conditions for moves up."""
    chosen(harness, "aragora_hope")
    lifecycle = harness.parts.lifecycle
    policy = lifecycle.policies.everybody
    levels = tuple(replace(level, rises=rises if level.rises else ()) for level in policy.tiers.levels)
    policy = replace(policy, tiers=replace(policy.tiers, levels=levels))
    harness.parts.watched.lifecycle = replace(lifecycle, policies=replace(lifecycle.policies, everybody=policy))


def stored(agent: MemoryScope, tier: str, importance: float = 0.9) -> MemoryEntry:
    entry = agent.continuum.store(f"A lesson of the {tier} tier", tier, importance)
    Memory(parts_of(agent)).drain()
    return entry


def recalled(agent: MemoryScope, question: str = "a lesson") -> Recollection:
    """Return the one memory there is, which counts as an access."""
    (found,) = agent.recall(question)
    write_accesses(parts_of(agent))
    return found


def swept(harness: Harness, *entries: MemoryEntry) -> list[str]:
    """Return the tiers of *entries* after a sweep."""
    run(harness, SWEEP)
    return [column(harness, entry.id, "tier") for entry in entries]


@pytest.mark.requirement("S3.1", "S3.6")
def test_a_used_memory_rises_and_an_unused_one_falls_through_all_tiers(
    harness: Harness, agent: MemoryScope, passed: Passed
) -> None:
    entry, path = stored(agent, "medium"), []
    for second in range(3):
        passed(second * SECOND)
        recalled(agent)
    path.append(column(harness, entry.id, "tier"))

    for days in range(1, 20):
        passed(days * DAY)
        (tier,) = swept(harness, entry)
        path += [tier] if tier != path[-1] else []

    assert path == ["fast", "medium", "slow", "glacial", "archive"]


@pytest.mark.requirement("S3.2", "S3.3", "S3.7")
@pytest.mark.parametrize(
    ("tier", "importance", "rests", "below"), [("fast", 0.9, 60, "medium"), ("medium", 0.6, 3_600, "slow")]
)
def test_each_tier_is_swept_at_its_update_interval(
    connected: Callable[..., wiring.Parts], owner_url: str, scope: Scope,
    tier: str, importance: float, rests: int, below: str
) -> None:  # fmt: skip
    """The schedule fires the sweep as time passes."""
    parts = connected(preset="aragora_hope")
    with Memory(parts) as memory:
        agent, stood = MemoryScope(parts, scope), []
        stop_clock(owner_url, NOON)
        due_work.tick(parts, by="scheduler@here:1")
        entry = agent.continuum.store("A lesson", importance=importance)
        for seconds in (0, rests, rests + 13):
            stop_clock(owner_url, NOON + seconds * SECOND)
            due_work.tick(parts, by="scheduler@here:1")
            memory.drain()
            stood.append(agent.standing(entry.id).tier)

    assert stood == [tier, tier, below]


@pytest.mark.requirement("S3.4", "S3.5", "S3.15")
@pytest.mark.parametrize(
    ("tier", "importance", "idle", "below"), [("slow", 0.4, DAY, "glacial"), ("glacial", 0.0, 7 * DAY, "archive")]
)
def test_a_memory_falls_after_the_idle_time_of_its_tier(
    harness: Harness, agent: MemoryScope, passed: Passed, tier: str, importance: float, idle: timedelta, below: str
) -> None:
    entry = stored(agent, tier, importance)

    passed(idle)
    assert swept(harness, entry) == [tier]
    passed(idle + SECOND)
    assert swept(harness, entry) == [below]


@pytest.mark.requirement("S3.4", "S3.16")
@pytest.mark.parametrize(
    ("tier", "least", "after", "below"), [("medium", 0.5, HOUR / 2, "slow"), ("slow", 0.3, DAY / 2, "glacial")]
)
def test_a_memory_below_the_importance_of_its_tier_falls_before_its_ttl(
    harness: Harness, agent: MemoryScope, passed: Passed, tier: str, least: float, after: timedelta, below: str
) -> None:
    left = 0.5 ** (after / HALF_LIVES[tier])
    enough, faint = (stored(agent, tier, least / left + more) for more in (0.001, -0.001))

    passed(after)

    assert swept(harness, enough, faint) == [tier, below]


@pytest.mark.requirement("S3.17")
def test_importance_halves_with_age_by_the_half_life_of_the_tier(
    harness: Harness, agent: MemoryScope, passed: Passed
) -> None:
    entries = {tier: stored(agent, tier, importance) for tier, importance in IMPORTANCES.items()}

    for age in (HOUR, DAY, 30 * DAY):
        passed(age)
        left = PostgresDecay(harness.parts.database).strengths("default")
        for tier, entry in entries.items():
            assert left[entry.id] == pytest.approx(IMPORTANCES[tier] * 0.5 ** (age / HALF_LIVES[tier]), abs=1e-6)


@pytest.mark.requirement("S3.12")
def test_three_accesses_lift_a_memory(harness: Harness, agent: MemoryScope, passed: Passed) -> None:
    entry, stood = stored(agent, "slow"), []
    for second in range(3):
        passed(second * SECOND)
        recalled(agent)
        stood.append(column(harness, entry.id, "tier"))

    assert stood == ["slow", "slow", "medium"]


@pytest.mark.requirement("S3.13", "S3.18", "S3.19")
def test_surprise_averages_unexpected_usefulness_and_lifts_a_memory(
    harness: Harness, agent: MemoryScope, passed: Passed
) -> None:
    rising_by(harness, Rise(surprise=0.7))
    entry = stored(agent, "slow")
    promised = recalled(agent, "slow rain")
    assert promised.score < 0.25, "it answers another question"
    surprise, seen = 0.0, []

    for number, useful in enumerate((1.0, 0.0, *[1.0] * 6), 1):
        passed(number * SECOND)
        standing = agent.feedback(promised, useful)
        surprise = 0.3 * max(0.0, useful - promised.score) + 0.7 * surprise
        assert standing.surprise == pytest.approx(surprise)
        seen.append((surprise >= 0.7, column(harness, entry.id, "tier") != "slow"))

    assert {lifted == enough for enough, lifted in seen} == {True}
    assert {lifted for _, lifted in seen} == {False, True}


@pytest.mark.requirement("S3.18")
def test_the_default_usefulness_is_a_half(agent: MemoryScope) -> None:
    entry = stored(agent, "slow")
    promised = recalled(agent, "slow rain")

    assert agent.feedback(promised).surprise == pytest.approx(0.3 * (0.5 - promised.score))
    assert agent.standing(entry.id).successes == 0
    with pytest.raises(Incorrect, match="or less"):
        agent.feedback(promised, 1.1)


@pytest.mark.requirement("S3.14")
def test_two_references_by_good_outcomes_lift_a_memory(harness: Harness, agent: MemoryScope, passed: Passed) -> None:
    entry, stood = stored(agent, "slow"), []
    for second, success in enumerate((True, False, True)):
        passed(second * SECOND)
        agent.continuum.outcome("The gateway held", success=success, references=[entry])
        stood.append(column(harness, entry.id, "tier"))

    assert stood == ["slow", "slow", "medium"]


@pytest.mark.requirement("S3.20", "S3.22")
def test_a_sweep_raises_each_candidate_by_one_tier_and_counts_them(
    harness: Harness, agent: MemoryScope, passed: Passed
) -> None:
    rising_by(harness, Rise(successes=5))
    entries = [stored(agent, tier, 0.95) for tier in ("glacial", "slow", "medium")]
    for second in (1, 2):
        passed(second * SECOND)
        agent.continuum.outcome("The gateway held", success=True, references=entries)
    assert [column(harness, entry.id, "tier") for entry in entries] == ["glacial", "slow", "medium"]

    chosen(harness, "aragora_hope")  # this preset requires two successes
    passed(8 * DAY)
    counts = run(harness, SWEEP)

    assert [column(harness, entry.id, "tier") for entry in entries] == ["slow", "medium", "fast"]
    assert counts["raised"] == 3


@pytest.mark.requirement("S3.22")
def test_a_sweep_returns_its_counts(
    harness: Harness, agent: MemoryScope, passed: Passed, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(agent, "slow", 0.4)
    monkeypatch.setenv("SLOWWAVE_URL", harness.parts.url)
    monkeypatch.setenv("SLOWWAVE_PRESET", "aragora_hope")
    passed(DAY + SECOND)

    told = CliRunner().invoke(cli, ["sweep", "--json"])

    assert json.loads(told.stdout) == {"looked": 1, "lowered": 1}


@pytest.mark.requirement("S3.4", "S3.21", "S3.22")
def test_a_tier_above_its_capacity_is_summarised_and_evicted(harness: Harness, scope: Scope) -> None:
    chosen(harness, "aragora_hope")
    harness.told(scope, 3)
    harness.drain()
    facts = [fact for (fact,) in harness.rows("SELECT memory FROM standing WHERE kind = 'semantic'")]
    harness.rows("UPDATE standing SET base = 0.35, sweep_due = slowwave_now() WHERE kind = 'semantic'")
    crowd(harness, scope, "slow", 197, base=0.4)
    assert run(harness, SWEEP).get("evicted", 0) == 0

    put(harness, scope, tier="slow", base=0.4, sweep_due=now(harness))
    counts = run(harness, SWEEP)

    assert (counts["evicted"], counts["summarised"]) == (21, 1)
    assert harness.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180 + 1
    assert {column(harness, fact, "tier") for fact in facts} == {"glacial"}
    ((delta, text, rule),) = harness.rows("SELECT fact, object, rule FROM facts WHERE predicate = 'overview'")
    assert (rule, all(f"food{number}" in text for number in (1, 2, 3))) == ("sweep/aragora_hope", True)
    origins = harness.rows("SELECT relation, scope, memory FROM delta_origins WHERE delta = %s", delta)
    assert set(origins) == {("summarises", scope.id, fact) for fact in facts}
    assert harness.value(
        "SELECT array_agg(DISTINCT episode) <@ (SELECT array_agg(episode) FROM delta_sources WHERE delta = %s) "
        "FROM delta_sources WHERE delta = ANY(%s)", delta, facts
    )  # fmt: skip
    assert set(facts) <= {one.id for one in MemoryScope(harness.parts, scope).recall("which food do I like?", limit=9)}
    told, held = rebuilt(harness.parts, scope)
    assert told == held


@pytest.mark.requirement("S3.5")
def test_glacial_holds_a_hundred_and_archives_the_weakest(harness: Harness, agent: MemoryScope) -> None:
    held = "SELECT count(*) FROM standing WHERE tier = 'glacial'"
    crowd(harness, agent.scope, "glacial", 100, base=0.1)
    run(harness, SWEEP)
    assert harness.value(held) == 100

    put(harness, agent.scope, tier="glacial", base=0.2, sweep_due=now(harness))
    run(harness, SWEEP)

    assert harness.value(held) < 100
    assert harness.value("SELECT max(base) FROM standing WHERE tier = 'archive'") < harness.value(
        "SELECT min(base) FROM standing WHERE tier = 'glacial'"
    )
