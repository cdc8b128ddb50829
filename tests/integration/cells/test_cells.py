"""Several databases: each tenant lives in one of them, and every verb goes there."""

from collections.abc import Callable

import pytest

from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import moving

pytestmark = pytest.mark.accept


def test_a_tenant_moves_with_everything(opened: Callable[[], Memory], settings: Settings) -> None:
    memory = opened()
    scope = memory.scope("alice", tenant="acme")
    scope.push("I moved to Oslo last week", role="user", session="s1")
    scope.consolidate()
    before = parts_of(memory).cells.cell_of("acme")  # type: ignore[union-attr]
    facts = [fact.text for fact in scope.facts()]
    assert facts
    digest = memory.digest(tenant="acme")
    for to in ("two", "three", "one"):
        moving.move(parts_of(memory), "acme", to, print)
        assert memory.digest(tenant="acme") == digest
        assert [fact.text for fact in scope.facts()] == facts
        scope.push(f"I now live in {to}", role="user")
        scope.consolidate()
        digest = memory.digest(tenant="acme")
        facts = [fact.text for fact in scope.facts()]
        assert not memory.check(rebuild=True)
    assert before
