"""Decay in a database: strength follows the closed form, and a faded fact is withdrawn once."""

import random
import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from slowwave.core.decay import DecayPolicy, DecayRule
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import DECAY
from slowwave.domain.scope import Scope
from slowwave.store.database import Database
from slowwave.store.tiers.decay import PostgresDecay
from slowwave.testing import stop_clock
from tests.contract import harness as harnesses
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, column, later, now, put, run, stands
from tests.ledger import rebuilt

RULES = (
    DecayRule(86_400.0 * 27, kind="semantic", source="inferred", gate=timedelta(days=7), forget_below=0.1),
    DecayRule(86_400.0 * 13.5, "last_access", kind="entity", gate=timedelta(days=1), forget_below=0.1),
    DecayRule(3_600.0, "reinforced", tier="hot", per_access=0.15, per_importance=0.25, floor=0.05, forget_below=0.06),
    DecayRule(60.0, tier="warm", stretch=2.0, familiarity=0.05, freshness=0.2, shift=timedelta(0), forget_below=0.3),
    DecayRule(86_400.0, tier="cold", gate=timedelta(hours=1), shift=timedelta(hours=1), forget_below=0.0),
)


def governed(harness: Harness, decay: DecayPolicy) -> Database:
    """Return a database connection under the policy *decay*."""
    policy = replace(harness.parts.lifecycle.policies.of("default"), decay=decay)
    return Database(harness.parts.url, policy_of=lambda _tenant: policy)


def guess(harness: Harness, scope: Scope) -> uuid.UUID:
    """Push a text, consolidate it, and return its fact, marked as inferred."""
    harness.learn(scope, [Episode(content="I like figs", key="figs")])
    fact = harness.value("SELECT fact FROM facts WHERE scope = %s AND upper_inf(recorded)", scope.id)
    assert isinstance(fact, uuid.UUID)
    changed(harness, fact, source="inferred", base=0.7, decay_due=now(harness))
    run(harness, DECAY)
    return fact


def random_standing(harness: Harness, dice: random.Random) -> dict[str, Any]:
    today = now(harness)

    def ago(days: float) -> object:
        return today - timedelta(days=dice.random() ** 4 * days)

    accesses = dice.choice((0, 0, 1, 3, 50, 10**6))
    return {
        "kind": dice.choice(("semantic", "entity", "episodic")),
        "source": dice.choice(("stated", "inferred")),
        "tier": dice.choice(("hot", "warm", "cold", "archive")),
        "base": dice.choice((0.0, 1.0, dice.random())),
        "created": ago(2_000),
        "last_access": ago(1_000) if accesses else None,
        "reinforced": dice.choice((None, ago(500))),
        "access_count": accesses,
        "pinned": dice.random() < 0.1,
    }


def test_the_sql_and_the_python_decay_agree_on_random_rows(harness: Harness, scope: Scope) -> None:
    dice = random.Random(7)
    memories = {put(harness, scope, **random_standing(harness, dice)) for _ in range(400)}
    stop_clock(harness.owner_url, today := now(harness))
    policy = DecayPolicy(RULES)
    database = governed(harness, policy)

    looked, _ = PostgresDecay(database).refresh_all(scope.tenant)
    computed = PostgresDecay(database).strengths(scope.tenant)

    assert looked == len(computed) == 400
    fell = set()
    for memory in memories:
        one = stands(harness, scope, memory)
        strength, due = policy.strength(one, today), column(harness, memory, "decay_due")
        assert computed[memory] == pytest.approx(strength, rel=1e-6, abs=1e-30)
        if policy.forgotten(one, today):
            fell.add(one.kind)
            assert due == (today if one.kind == "semantic" else None)
        elif (expected := policy.due(one)) is None:
            assert due is None
        elif (rule := policy.rule_of(one)) is not None and rule.freshness:
            assert due is not None
            assert due <= max(expected, today + timedelta(hours=1))
        else:
            assert abs(due - expected) < timedelta(milliseconds=1)
    assert fell == {"semantic", "entity", "episodic"}
    database.close()


def test_decay_writes_no_unchanged_row(harness: Harness, scope: Scope) -> None:
    dice = random.Random(8)
    for _ in range(100):
        put(harness, scope, **random_standing(harness, dice))
    stop_clock(harness.owner_url, now(harness))
    fading = PostgresDecay(harness.parts.database)

    looked, written = fading.refresh_all(scope.tenant)
    assert looked == 100
    assert written > 0
    before = harness.rows("SELECT xmin, ctid, * FROM standing ORDER BY memory")
    assert fading.refresh_all(scope.tenant) == (100, 0)

    assert harness.rows("SELECT xmin, ctid, * FROM standing ORDER BY memory") == before


def test_a_guess_that_fades_is_withdrawn_with_its_sources(harness: Harness, scope: Scope) -> None:
    fact = guess(harness, scope)

    later(harness, days=75)
    assert "withdrawn" not in run(harness, DECAY)
    later(harness, days=1)
    counts = run(harness, DECAY)

    assert counts["fell"] == counts["withdrawn"] == 1
    ((kind, mode, rule, replaces),) = harness.rows(
        "SELECT kind, mode, rule, replaces FROM deltas WHERE scope = %s AND pack = '_decay'", scope.id
    )
    assert (kind, mode, rule, replaces) == ("delete", "withdraw", "decay/default", [fact])
    assert harness.value(
        "SELECT count(*) FROM delta_sources s JOIN deltas d ON d.id = s.delta "
        "WHERE d.pack = '_decay' AND s.episode = (SELECT episode FROM delta_sources WHERE delta = %s)", fact
    ) == 1  # fmt: skip
    assert harness.value("SELECT count(*) FROM facts WHERE scope = %s AND upper_inf(recorded)", scope.id) == 0
    told, held = rebuilt(harness.parts, scope)
    assert told == held


def test_decay_is_idempotent_and_path_independent(harness: Harness) -> None:
    often, once = harnesses.somebody(), harnesses.somebody()
    facts = {scope: guess(harness, scope) for scope in (often, once)}
    created = now(harness)
    for fact in facts.values():
        changed(harness, fact, created=created, last_access=None, reinforced=None)
    fading = PostgresDecay(harness.parts.database)

    for _ in range(5):
        later(harness, days=3)
        changed(harness, facts[often], decay_due=now(harness))
        run(harness, DECAY)
        run(harness, DECAY)
        later(harness, hours=-2)
        run(harness, DECAY)
        later(harness, hours=2)
    stop_clock(harness.owner_url, now(harness))
    fading.refresh_all("default")

    computed = fading.strengths("default")
    assert computed[facts[often]] == computed[facts[once]] < 0.7
    assert column(harness, facts[often], "decay_due") == column(harness, facts[once], "decay_due")
    assert column(harness, facts[often], "base") == 0.7


def test_decay_skips_a_fact_while_a_worker_holds_its_scope(harness: Harness, scope: Scope) -> None:
    guess(harness, scope)
    later(harness, days=80)
    harness.told(scope, 1)
    held = harness.claimed("ann", scope=scope)

    counts = run(harness, DECAY)
    assert ("withdrawn" in counts, counts["left"]) == (False, 1)

    harness.settle(held)
    assert run(harness, DECAY)["withdrawn"] == 1


def test_a_memory_under_legal_hold_does_not_decay(harness: Harness, scope: Scope) -> None:
    guess(harness, scope)
    harness.rows("INSERT INTO legal_holds (tenant, scope, reason) VALUES (%s, %s, 'a lawsuit')", scope.tenant, scope.id)
    later(harness, days=80)

    assert "withdrawn" not in run(harness, DECAY)

    harness.rows("UPDATE legal_holds SET released = slowwave_now()")
    assert run(harness, DECAY)["withdrawn"] == 1


def test_an_ended_fact_loses_its_standing(harness: Harness, scope: Scope) -> None:
    fact = guess(harness, scope)
    harness.learn(scope, [Episode(content="I no longer like figs", key="no figs")])
    harness.rows("UPDATE facts SET recorded = tstzrange(lower(recorded), slowwave_now()) WHERE fact = %s "
              "AND upper_inf(recorded)", fact)  # fmt: skip
    later(harness, days=80)

    assert "withdrawn" not in run(harness, DECAY)
    assert harness.value("SELECT count(*) FROM standing WHERE memory = %s", fact) == 0
    assert run(harness, DECAY) == {}
