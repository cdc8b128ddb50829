"""News works on imported memories: it finds imported beliefs, and bounds claims about earlier times."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.memory import Memory, MemoryScope
from tests.integration.steps import learn

TOLD = [(1, "I drive a Honda."), (2, "I have a red bicycle."), (3, "My boss is Karen."), (9, "I sold the Honda.")]
LATER = [
    (12, "I got rid of my red bicycle."),
    (13, "I have a new manager."),
    (5, "I drive a Honda Jazz."),  # about the time before the sale
]


def tell(scope: MemoryScope, told: Sequence[tuple[int, str]], *, first: int = 1) -> None:
    """Push texts of days in March, and consolidate each."""
    for number, (day, said) in enumerate(told, first):
        at = datetime(2026, 3, day, 9, tzinfo=UTC)
        learn(scope, Episode(content=said, key=f"k{number}", session="s1", occurred_at=at))


def held(scope: MemoryScope) -> set[tuple[str, object, object]]:
    """Return all facts with their valid times."""
    days = (datetime(2026, 3, day, tzinfo=UTC) for day in range(1, 31))
    return {(fact.text, fact.valid_from, fact.valid_to) for day in days for fact in scope.facts(as_of=day)}


@pytest.mark.parametrize("tenant", [None, "globex"])
def test_news_changes_imported_beliefs_like_the_original_ones(
    parts: wiring.Parts, there: Memory, elsewhere: wiring.Parts, tmp_path: Path, tenant: str | None
) -> None:
    here = Memory(parts).scope("alice", agent="concierge")
    tell(here, TOLD)
    Memory(parts).export(tmp_path / "memories.jsonl")
    assert "belief_words" not in (tmp_path / "memories.jsonl").read_text()

    there.import_file(tmp_path / "memories.jsonl", tenant=tenant)
    there.drain()
    arrived = there.scope("alice", agent="concierge", tenant=tenant or "default")
    assert held(arrived) == held(here)
    over = {one.text: one.until for one in arrived.recall("What do I drive?", kinds=["episode"])}
    for scope in (here, arrived):
        tell(scope, LATER, first=5)

    assert over["I drive a Honda."] == datetime(2026, 3, 9, 9, tzinfo=UTC)
    assert held(arrived) == held(here)
    # a person decides which of the two was sold
    assert {fact.object for fact in arrived.facts()} & {"Honda", "Honda Jazz", "red bicycle", "Karen"} == {
        "Honda", "Honda Jazz",
    }  # fmt: skip
    assert list(wiring.checks(elsewhere.database).findings(folds=None)) == []
