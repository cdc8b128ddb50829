"""Undo and correction in memories that were imported into another tenant, which have other ids there."""

from pathlib import Path

import pytest

from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.undo.undoing import tell_all, texts

SAID = ["I live in Oslo", "I like tea", "I just moved to Bergen"]


@pytest.fixture
def twins(harness: Harness, tmp_path: Path) -> tuple[Scope, Scope]:
    """A scope in which a person moved, and its import into another tenant."""
    memory, scope = Memory(harness.parts), somebody()
    tell_all(harness, scope, episodes(SAID))
    memory.export(tmp_path / "export.jsonl", user=scope.user)
    memory.import_file(tmp_path / "export.jsonl", tenant="there")
    harness.drain()
    return scope, Scope("there", scope.user, scope.agent, scope.channel)


def both(harness: Harness, twins: tuple[Scope, Scope]) -> list[str]:
    """Return the beliefs of the scopes, which must be the same."""
    here, there = (texts(harness, scope) for scope in twins)
    assert here == there
    sound(harness, *twins)
    return here


def test_undone_runs_restore_the_same_beliefs(harness: Harness, twins: tuple[Scope, Scope]) -> None:
    orders = []
    for scope in twins:
        query = "SELECT max(run) FROM runs WHERE scope = %s AND job = 'consolidate'"
        orders.append(Memory(harness.parts).undo(harness.value(query, scope.id), tenant=scope.tenant))
    assert "The user lives in Oslo" in both(harness, twins)

    for order, scope in zip(orders, twins, strict=True):
        Memory(harness.parts).undo(order.id, tenant=scope.tenant)
    assert "The user lives in Bergen" in both(harness, twins)


def test_a_correction_restores_the_same_belief(harness: Harness, twins: tuple[Scope, Scope]) -> None:
    for scope in twins:
        (home,) = [fact for fact in harness.parts.records.facts(scope) if fact.predicate == "lives_in"]
        MemoryScope(harness.parts, scope).correct(home.id)

    assert "The user lives in Oslo" in both(harness, twins)
