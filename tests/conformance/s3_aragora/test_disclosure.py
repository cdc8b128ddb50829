"""Aragora, progressive disclosure: an index, then what surrounds an entry, then the chosen in full."""

import pytest

from slowwave import wiring
from slowwave.core.tokens import tokens
from slowwave.domain.fact import Fact
from slowwave.memory import Memory, MemoryScope
from tests.conftest import NOON

LONG = "The incident on the payment service began with an expired certificate. " + "We rotated the others too. " * 40


@pytest.fixture
def alice(parts: wiring.Parts) -> MemoryScope:
    scope = Memory(parts).scope("alice", agent="concierge")
    for number, content in enumerate(["What happened?", LONG, "I moved to Oslo.", "Thanks!"]):
        scope.push(content, key=f"k{number}", session="s1", occurred_at=NOON)
    scope.consolidate()
    return scope


@pytest.mark.requirement("S3.26")
def test_the_first_stage_shows_previews_with_ids_and_token_counts(alice: MemoryScope) -> None:
    index = alice.search_index("why did the payment service fail?")

    whole = alice.episode("k1")
    (entry,) = [one for one in index if one.id == whole.id]
    assert (entry.preview, entry.tokens) == (LONG[:80], tokens(LONG))
    assert all(len(one.preview) <= 80 for one in index)
    assert sum(tokens(one.preview) for one in index) < tokens(LONG) / 3


@pytest.mark.requirement("S3.27")
def test_the_second_stage_shows_the_entries_around_one(alice: MemoryScope) -> None:
    (first, *_) = alice.search_index("why did the payment service fail?", kinds=["episode"])

    around = alice.timeline(first.id, before=1, after=2)
    assert [one.preview for one in around] == ["What happened?", LONG[:80], "I moved to Oslo.", "Thanks!"]
    assert around[1].id == first.id


@pytest.mark.requirement("S3.28")
def test_the_third_stage_returns_only_the_chosen_entries_in_full(alice: MemoryScope) -> None:
    index = alice.search_index("where did I move, and why did the payment service fail?")
    fact = next(one for one in index if one.kind == "fact")
    long = next(one for one in index if one.tokens == tokens(LONG))

    told = [one.text if isinstance(one, Fact) else one.content for one in alice.entries([long.id, fact.id])]
    assert told == [LONG, "The user lives in Oslo"]
