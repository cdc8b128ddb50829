"""Disclosure in three stages: an index, the surroundings of an entry, and full text; each stage counts its tokens."""

import pytest

from slowwave.core.tokens import tokens
from slowwave.domain.fact import Fact
from slowwave.errors import NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.integration.command import Run
from tests.integration.steps import learn

LONG = "The cello in the hall needs new strings, and " + "the bow must be haired again before the concert. " * 20
SAID = ["Good morning!", LONG, "I moved to Oslo.", "The soup is cold.", "Good night!"]


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    scope = Memory(parts).scope("alice", agent="concierge")
    for number, content in enumerate(SAID):
        scope.push(content, key=f"k{number}", session=f"s{number % 2}", occurred_at=NOON)
    scope.consolidate()
    return scope


def test_the_index_shows_previews_and_token_counts_of_recalled_memories(alice: MemoryScope) -> None:
    question = "does the cello need strings?"
    found, index = alice.recall(question), alice.search_index(question)

    assert [(one.id, one.kind) for one in index] == [(one.id, one.kind) for one in found]
    assert [one.score for one in index] == pytest.approx([one.score for one in found])
    assert (index[0].preview, index[0].tokens) == (LONG[:80], tokens(LONG))
    assert {one.preview for one in index} == {one.text[:80] for one in found}
    assert (index[0].session, index[0].role, index[0].scope) == ("s1", "user", alice.scope)


def test_the_index_shows_the_tier_of_a_memory(alice: MemoryScope) -> None:
    (fact,) = alice.facts()
    entry = {one.id: one.tier for one in alice.search_index("where did I move?")}

    assert entry[fact.id] == alice.standing(fact.id).tier
    assert set(entry.values()) == {parts_of(alice).lifecycle.policies.of("default").tiers.entry}


def test_the_timeline_shows_neighbouring_entries_in_order(alice: MemoryScope) -> None:
    (fact,) = alice.facts()
    anchor = alice.episode("k2")

    assert [one.preview for one in alice.timeline(anchor.id, before=1, after=1)] == [LONG[:80], SAID[2], SAID[3]]
    assert [one.preview for one in alice.timeline(fact.id, before=0, after=1)] == SAID[2:4]
    assert [one.preview for one in alice.timeline("k0", before=9, after=0)] == [SAID[0]]
    assert alice.timeline(str(anchor.id)[:8]) == alice.timeline("k2") == alice.timeline(anchor.id)


def test_the_timeline_of_a_promoted_fact_shows_the_source_channel(alice: MemoryScope) -> None:
    trip = learn(alice.in_channel("trip"), "I am allergic to cashews.", session="s1", key="t1")
    (fact,) = [one for one in trip.facts() if one.scope == trip.scope]
    promoted = trip.promote(fact.id, reason="everybody should know")

    (around,) = alice.timeline(promoted, before=0, after=0)

    assert (around.preview, around.scope) == ("I am allergic to cashews.", trip.scope)


def test_entries_are_returned_whole_in_the_requested_order(alice: MemoryScope) -> None:
    (fact,) = alice.facts()

    found = alice.entries([fact.id, "k1", str(alice.episode("k0").id)[:8]])

    assert [one.text if isinstance(one, Fact) else one.content for one in found] == [fact.text, LONG, SAID[0]]
    assert found[0] == fact
    assert found[1] == alice.episode("k1")


def test_unknown_entries_are_named(alice: MemoryScope) -> None:
    with pytest.raises(NotFound, match="no memory here has the id nothing, nobody"):
        alice.entries(["k1", "nothing", "nobody"])
    with pytest.raises(NotFound):
        alice.timeline("nothing")


def test_each_stage_of_disclosure_is_a_command(alice: MemoryScope, run: Run) -> None:
    whose = ["--user", "alice", "--agent", "concierge"]
    first = run("search-index", "does the cello need strings?", *whose, "--json").json[0]
    around = run("timeline", first["id"], *whose, "--before", "1", "--after", "1", "--json").json
    (full,) = run("entries", first["id"], *whose, "--json").json

    assert (first["preview"], first["tokens"]) == (LONG[:80], tokens(LONG))
    assert [one["preview"] for one in around] == [SAID[0], LONG[:80], SAID[2]]
    assert full["content"] == LONG
    assert LONG[:80] in run("search-index", "does the cello need strings?", *whose).out
    assert LONG[:200] not in run("timeline", "k1", *whose).out
    assert LONG.strip() in run("entries", first["id"][:8], *whose).out
