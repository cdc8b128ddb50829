"""AgentX: the profile of a user is a view of the current facts."""

from collections.abc import Sequence

import pytest

from slowwave import wiring
from slowwave.domain.queries.profile import ProfileEntry
from slowwave.memory import Memory, MemoryScope
from tests.unit.tables import table

ROWS = table(__file__)

SAID = ROWS["said"]


@pytest.fixture
def nora(parts: wiring.Parts) -> MemoryScope:
    scope = Memory(parts).scope("nora", agent="concierge")
    for number, content in enumerate(SAID):
        scope.push(content, key=f"k{number}", session="s1")
    scope.push("Did I say that I like hiking? I like hiking.", session="s2")
    scope.consolidate()
    return scope


def home(nora: MemoryScope) -> ProfileEntry:
    (found,) = [one for one in nora.profile().metadata if one.predicate == "lives_in"]
    return found


def entries(part: Sequence[ProfileEntry]) -> list[tuple[str, str]]:
    """Return the predicates and values of a part of a profile, in order."""
    assert isinstance(part, tuple)
    return sorted((one.predicate, one.value) for one in part)


@pytest.mark.requirement("S2.57")
def test_a_profile_has_preferences_expertise_style_and_the_rest_each_with_its_fact_and_reason(
    nora: MemoryScope, parts: wiring.Parts
) -> None:
    profile = nora.profile()

    assert profile.user_id == "nora"
    assert entries(profile.preferences) == [("allergic_to", "nuts"), ("likes", "hiking")]
    assert entries(profile.expertise_areas) == [("works_as", "nurse")]
    assert entries(profile.communication_style) == [("wants", "short answers")]
    assert entries(profile.metadata) == [("lives_in", "Oslo"), ("name", "Nora")]
    held = {fact.id: fact for fact in nora.facts(form="typed")}
    assert {one.fact.id: one.fact for one in profile.entries} == held
    assert (profile.created_at, profile.updated_at) == (
        min(one.recorded_from for one in held.values()), max(one.recorded_from for one in held.values()),
    )  # fmt: skip
    (hiking,) = [one for one in profile.preferences if one.value == "hiking"]
    assert (hiking.because, hiking.reasons["frequency"]) == ("what they would rather have", 1.0)
    assert {hiking.reasons["confidence"], hiking.reasons["strength"]} == {hiking.fact.confidence}
    assert nora.standing(hiking.fact.id).strength == hiking.fact.confidence
    nobody = Memory(parts).scope("stranger").profile()
    assert (nobody.entries, nobody.created_at, nobody.updated_at) == ([], None, None)


@pytest.mark.requirement("S2.57")
def test_a_profile_follows_the_current_facts(nora: MemoryScope) -> None:
    before = home(nora)
    nora.push("I moved to Bergen.", session="s3")
    nora.consolidate()

    after = home(nora)
    assert (before.value, after.value) == ("Oslo", "Bergen")
    assert nora.why(after.fact.id).believed


def test_a_profile_counts_accesses_only_for_its_shown_entries(nora: MemoryScope) -> None:
    (style,) = nora.profile(limit=1).communication_style

    assert nora.standing(style.fact.id).access_count == 1
    shown = {one.fact.id for one in nora.profile(limit=1).entries}
    (other,) = [one.fact.id for one in nora.profile().preferences if one.fact.id not in shown]
    assert nora.standing(other).access_count == 1, "by the last profile alone"
