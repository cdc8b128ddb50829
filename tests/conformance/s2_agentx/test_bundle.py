"""AgentX: everything that bears on a question comes as one bundle, kind by kind."""

from datetime import timedelta

import pytest

from slowwave import wiring
from slowwave.memory import Memory, MemoryScope
from slowwave.testing import move_clock


@pytest.fixture
def nora(parts: wiring.Parts) -> MemoryScope:
    scope = Memory(parts).scope("nora", agent="concierge", channel="trip")
    scope.push("I am allergic to nuts.", key="k1", session="s1")
    scope.push("Anna lives in Oslo.", key="k2", session="s1")
    scope.consolidate()
    scope.strategies.learn_strategy("Search flights first", "book a flight", ["search", "book"], "s2", True)
    scope.goals.add("Book a flight to Oslo")
    scope.goals.complete(scope.goals.add("Pack").goal_id)
    return scope


@pytest.mark.requirement("S2.17", "S2.63")
def test_a_bundle_has_turns_facts_entities_strategies_active_goals_and_the_profile(nora: MemoryScope) -> None:
    bundle = nora.remember("book a flight to Oslo to see Anna", top_k=5)

    assert "Anna lives in Oslo." in [one.text for one in bundle.turns]
    assert "Anna lives in Oslo" in [one.text for one in bundle.facts]
    assert {"Anna", "Oslo"} <= {one.label for one in bundle.entities}
    assert [one.description for one in bundle.strategies] == ["Search flights first"]
    assert [one.description for one in bundle.goals] == ["Book a flight to Oslo"]
    assert [one.value for one in bundle.profile.preferences] == ["nuts"]
    assert {one.kind for one in bundle.turns} == {"episode"}
    assert {one.kind for one in bundle.facts} == {"fact"}


@pytest.mark.requirement("S2.17")
def test_excluded_kinds_are_left_out_of_the_bundle(nora: MemoryScope) -> None:
    turns = nora.remember("Oslo", include_semantic=False, include_procedural=False)
    facts = nora.remember("Oslo", include_episodic=False, include_procedural=False)
    ways = nora.remember("book a flight", include_episodic=False, include_semantic=False)

    assert turns.turns
    assert (turns.facts, turns.entities, turns.goals, turns.strategies, turns.profile.entries) == ([], [], [], [], [])
    assert facts.facts
    assert (facts.turns, facts.strategies) == ([], [])
    assert ways.strategies
    assert (ways.turns, ways.facts, ways.entities, ways.goals, ways.profile.entries) == ([], [], [], [], [])


@pytest.mark.requirement("S2.17")
def test_a_bundle_keeps_to_its_number_its_time_and_its_channels(nora: MemoryScope, owner_url: str) -> None:
    assert len(nora.remember("Oslo", top_k=1).turns) == 1
    assert nora.remember("Oslo", channels=["elsewhere"]).turns == []

    move_clock(owner_url, timedelta(hours=3))
    nora.push("Oslo is cold.", key="k3", session="s3")
    assert [one.text for one in nora.remember("Oslo", time_window_hours=2).turns] == ["Oslo is cold."]
    assert len(nora.remember("Oslo", time_window_hours=5).turns) >= 2
