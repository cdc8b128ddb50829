"""Aragora, tiers: four timescales; what surprises or helps goes up, what fades or rests goes down."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from click.testing import CliRunner

from slowwave import wiring
from slowwave.cli import cli
from slowwave.core.ladder import Rise
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.job_table import SWEEP
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope, work
from slowwave.memory.answers import write_accesses
from slowwave.settings import Settings
from slowwave.store.tiers.decay import PostgresDecay
from slowwave.testing import stop_clock
from tests.conftest import NOON
from tests.contract.desk import Desk
from tests.contract.standings import chosen, column, now, put, run

DAY, HOUR, MINUTE, SECOND = (timedelta(seconds=seconds) for seconds in (86_400, 3_600, 60, 1))
HALF_LIVES = {"fast": HOUR, "medium": 24 * HOUR, "slow": 168 * HOUR, "glacial": 720 * HOUR}
IMPORTANCES = {"fast": 0.9, "medium": 0.6, "slow": 0.4, "glacial": 0.1}
Passed = Callable[[timedelta], None]


@pytest.fixture
def agent(desk: Desk, scope: Scope) -> MemoryScope:
    """An agent whose memories live by the document's ladder."""
    chosen(desk, "aragora_hope")
    return MemoryScope(desk.parts, scope)


@pytest.fixture
def passed(desk: Desk) -> Passed:
    """Lets it be so long after the beginning; time stands still in between."""
    began = now(desk)

    def wait(time: timedelta) -> None:
        stop_clock(desk.owner_url, began + time)

    wait(0 * DAY)
    return wait


def rising_by(desk: Desk, *rises: Rise) -> None:
    """Let memories live by the document's ladder, and rise for these reasons alone."""
    chosen(desk, "aragora_hope")
    lifecycle = desk.parts.lifecycle
    policy = lifecycle.policies.everybody
    rungs = tuple(replace(rung, rises=rises if rung.rises else ()) for rung in policy.ladder.rungs)
    policy = replace(policy, ladder=replace(policy.ladder, rungs=rungs))
    desk.parts.watched.lifecycle = replace(lifecycle, policies=replace(lifecycle.policies, everybody=policy))


def stored(agent: MemoryScope, tier: str, importance: float = 0.9) -> MemoryEntry:
    entry = agent.continuum.store(f"A lesson of the {tier} tier", tier, importance)
    Memory(agent.parts).drain()
    return entry


def recalled(agent: MemoryScope, question: str = "a lesson") -> Recollection:
    """Return the one memory there is, which counts as an access."""
    (found,) = agent.recall(question)
    write_accesses(agent.parts)
    return found


def swept(desk: Desk, *entries: MemoryEntry) -> list[str]:
    """Return where *entries* stand after a sweep."""
    run(desk, SWEEP)
    return [column(desk, entry.id, "tier") for entry in entries]


def crowd(desk: Desk, scope: Scope, tier: str, count: int, *, base: float) -> None:
    """Put so many memories on *tier*, from *base* on a little more important one by one."""
    put(desk, scope, tier=tier, base=base)
    desk.rows(
        "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created) SELECT %s, gen_random_uuid(), %s, "
        "'semantic', %s, %s + number * 1e-4, slowwave_now() FROM generate_series(2, %s) AS number",
        scope.id, scope.tenant, tier, base, count,
    )  # fmt: skip


@pytest.mark.requirement("S3.1", "S3.6")
def test_a_memory_goes_up_when_it_is_used_and_down_the_timescales_when_it_is_not(
    desk: Desk, agent: MemoryScope, passed: Passed
) -> None:
    entry, path = stored(agent, "medium"), []
    for second in range(3):
        passed(second * SECOND)
        recalled(agent)
    path.append(column(desk, entry.id, "tier"))

    for days in range(1, 20):
        passed(days * DAY)
        (tier,) = swept(desk, entry)
        path += [tier] if tier != path[-1] else []

    assert path == ["fast", "medium", "slow", "glacial", "archive"]


@pytest.mark.requirement("S3.2", "S3.3", "S3.7")
@pytest.mark.parametrize(
    ("tier", "importance", "rests", "below"), [("fast", 0.9, 60, "medium"), ("medium", 0.6, 3_600, "slow")]
)
def test_a_rung_is_swept_as_often_as_it_is_to_be_updated(
    settings: Settings, heavy_parts: dict[str, object], owner_url: str, scope: Scope,
    tier: str, importance: float, rests: int, below: str,
) -> None:  # fmt: skip
    """By the schedule, as time goes by: nobody asks for the sweep."""
    parts = wiring.connect(settings.model_copy(update={"preset": "aragora_hope"}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    with Memory(parts) as memory:
        agent, stood = MemoryScope(parts, scope), []
        stop_clock(owner_url, NOON)
        work.tick(parts, by="scheduler@here:1")
        entry = agent.continuum.store("A lesson", importance=importance)
        for seconds in (0, rests, rests + 13):
            stop_clock(owner_url, NOON + seconds * SECOND)
            work.tick(parts, by="scheduler@here:1")
            memory.drain()
            stood.append(agent.standing(entry.id).tier)

    assert stood == [tier, tier, below]


@pytest.mark.requirement("S3.4", "S3.15")
def test_slow_rests_for_a_day(desk: Desk, agent: MemoryScope, passed: Passed) -> None:
    entry = stored(agent, "slow", 0.4)

    passed(DAY)
    assert swept(desk, entry) == ["slow"]
    passed(DAY + SECOND)
    assert swept(desk, entry) == ["glacial"]


@pytest.mark.requirement("S3.5", "S3.15")
def test_glacial_rests_for_a_week_however_little_it_is_worth(desk: Desk, agent: MemoryScope, passed: Passed) -> None:
    entry = stored(agent, "glacial", 0.0)

    passed(7 * DAY)
    assert swept(desk, entry) == ["glacial"]
    passed(7 * DAY + SECOND)
    assert swept(desk, entry) == ["archive"]


@pytest.mark.requirement("S3.4", "S3.16")
@pytest.mark.parametrize(
    ("tier", "least", "after", "below"), [("medium", 0.5, HOUR / 2, "slow"), ("slow", 0.3, DAY / 2, "glacial")]
)
def test_what_has_faded_below_the_importance_of_its_tier_goes_down_before_its_time(
    desk: Desk, agent: MemoryScope, passed: Passed, tier: str, least: float, after: timedelta, below: str
) -> None:
    left = 0.5 ** (after / HALF_LIVES[tier])
    enough, faint = (stored(agent, tier, least / left + more) for more in (0.001, -0.001))

    passed(after)

    assert swept(desk, enough, faint) == [tier, below]


@pytest.mark.requirement("S3.17")
def test_importance_halves_with_age_since_the_making_at_the_pace_of_the_tier(
    desk: Desk, agent: MemoryScope, passed: Passed
) -> None:
    entries = {tier: stored(agent, tier, importance) for tier, importance in IMPORTANCES.items()}

    for age in (HOUR, DAY, 30 * DAY):
        passed(age)
        left = PostgresDecay(desk.parts.database).strengths("default")
        for tier, entry in entries.items():
            assert left[entry.id] == pytest.approx(IMPORTANCES[tier] * 0.5 ** (age / HALF_LIVES[tier]), abs=1e-6)


@pytest.mark.requirement("S3.12")
def test_three_accesses_lift_a_memory(desk: Desk, agent: MemoryScope, passed: Passed) -> None:
    entry, stood = stored(agent, "slow"), []
    for second in range(3):
        passed(second * SECOND)
        recalled(agent)
        stood.append(column(desk, entry.id, "tier"))

    assert stood == ["slow", "slow", "medium"]


@pytest.mark.requirement("S3.13", "S3.18", "S3.19")
def test_surprise_is_usefulness_beyond_what_was_promised_averaged_by_three_tenths_and_much_of_it_lifts(
    desk: Desk, agent: MemoryScope, passed: Passed
) -> None:
    rising_by(desk, Rise(surprise=0.7))
    entry = stored(agent, "slow")
    promised = recalled(agent, "slow rain")
    assert promised.score < 0.25, "it answers another question"
    surprise, seen = 0.0, []

    for number, useful in enumerate((1.0, 0.0, *[1.0] * 6), 1):
        passed(number * SECOND)
        standing = agent.feedback(promised, useful)
        surprise = 0.3 * max(0.0, useful - promised.score) + 0.7 * surprise
        assert standing.surprise == pytest.approx(surprise)
        seen.append((surprise >= 0.7, column(desk, entry.id, "tier") != "slow"))

    assert {lifted == enough for enough, lifted in seen} == {True}
    assert {lifted for _, lifted in seen} == {False, True}


@pytest.mark.requirement("S3.18")
def test_a_usefulness_nobody_gives_is_a_half(agent: MemoryScope) -> None:
    entry = stored(agent, "slow")
    promised = recalled(agent, "slow rain")

    assert agent.feedback(promised).surprise == pytest.approx(0.3 * (0.5 - promised.score))
    assert agent.standing(entry.id).successes == 0


@pytest.mark.requirement("S3.14")
def test_two_references_in_successful_outcomes_lift_a_memory(desk: Desk, agent: MemoryScope, passed: Passed) -> None:
    entry, stood = stored(agent, "slow"), []
    for second, success in enumerate((True, False, True)):
        passed(second * SECOND)
        agent.continuum.outcome("The gateway held", success=success, references=[entry])
        stood.append(column(desk, entry.id, "tier"))

    assert stood == ["slow", "slow", "medium"]


@pytest.mark.requirement("S3.20", "S3.22")
def test_a_consolidation_moves_candidates_one_tier_up_and_says_how_many(
    desk: Desk, agent: MemoryScope, passed: Passed
) -> None:
    rising_by(desk, Rise(successes=5))
    entries = [stored(agent, tier, 0.95) for tier in ("glacial", "slow", "medium")]
    for second in (1, 2):
        passed(second * SECOND)
        agent.continuum.outcome("The gateway held", success=True, references=entries)
    assert [column(desk, entry.id, "tier") for entry in entries] == ["glacial", "slow", "medium"]

    chosen(desk, "aragora_hope")  # which asks for two
    passed(8 * DAY)
    counts = run(desk, SWEEP)

    assert [column(desk, entry.id, "tier") for entry in entries] == ["slow", "medium", "fast"]
    assert counts["raised"] == 3


@pytest.mark.requirement("S3.22")
def test_a_sweep_returns_what_it_did(
    desk: Desk, agent: MemoryScope, passed: Passed, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(agent, "slow", 0.4)
    monkeypatch.setenv("SLOWWAVE_URL", desk.parts.url)
    monkeypatch.setenv("SLOWWAVE_PRESET", "aragora_hope")
    passed(DAY + SECOND)

    told = CliRunner().invoke(cli, ["sweep", "--json"])

    assert json.loads(told.stdout) == {"looked": 1, "lowered": 1}


@pytest.mark.requirement("S3.4", "S3.21", "S3.22")
def test_a_tier_with_too_many_is_summed_up_and_evicted(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    desk.told(scope, 3)
    desk.drain()
    facts = [fact for (fact,) in desk.rows("SELECT memory FROM standing WHERE kind = 'semantic'")]
    desk.rows("UPDATE standing SET base = 0.35, sweep_due = slowwave_now() WHERE kind = 'semantic'")
    crowd(desk, scope, "slow", 197, base=0.4)
    assert run(desk, SWEEP).get("evicted", 0) == 0

    put(desk, scope, tier="slow", base=0.4, sweep_due=now(desk))
    counts = run(desk, SWEEP)

    assert (counts["evicted"], counts["summarised"]) == (21, 1)
    assert desk.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180 + 1
    assert {column(desk, fact, "tier") for fact in facts} == {"glacial"}
    assert desk.value("SELECT count(*) FROM delta_origins WHERE relation = 'summarises'") == 3


@pytest.mark.requirement("S3.5")
def test_glacial_holds_a_hundred_and_archives_the_weakest(desk: Desk, agent: MemoryScope) -> None:
    held = "SELECT count(*) FROM standing WHERE tier = 'glacial'"
    crowd(desk, agent.scope, "glacial", 100, base=0.1)
    run(desk, SWEEP)
    assert desk.value(held) == 100

    put(desk, agent.scope, tier="glacial", base=0.2, sweep_due=now(desk))
    run(desk, SWEEP)

    assert desk.value(held) < 100
    assert desk.value("SELECT max(base) FROM standing WHERE tier = 'archive'") < desk.value(
        "SELECT min(base) FROM standing WHERE tier = 'glacial'"
    )
