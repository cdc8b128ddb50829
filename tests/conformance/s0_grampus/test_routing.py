"""Grampus: a question takes its road by its words."""

import uuid
from collections.abc import Iterator

import pytest

from slowwave import wiring
from slowwave.core.recall.routing import route
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings

SAID = ["The endpoint is /v2/login.", "Rain all week.", "Tea is better cold."]


@pytest.fixture
def told(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[MemoryScope]:
    """A scope that lives by the preset and was told three things."""
    parts = wiring.connect(settings.model_copy(update={"preset": "grampus_f3"}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    scope = Memory(parts).scope(f"ann-{uuid.uuid4().hex[:8]}", agent="concierge")
    for words in SAID:
        scope.push(words, session="s1")
    yield scope
    parts.close()


@pytest.mark.requirement("S0.29", "S0.30", "S0.33")
@pytest.mark.parametrize("keyword", ["last time", "previously", "earlier", "before", "recent"])
def test_a_time_keyword_returns_the_most_recent_records_first(told: MemoryScope, keyword: str) -> None:
    found = told.recall(f"which endpoint did we discuss {keyword}?", limit=2)

    assert [one.text for one in found] == SAID[:0:-1]
    assert all("sequential" in one.reasons for one in found)


@pytest.mark.requirement("S0.32")
def test_other_questions_are_answered_by_matching_episodes_and_facts(told: MemoryScope) -> None:
    best = told.recall("what is the API endpoint?")[0]

    assert best.text == SAID[0]
    assert "sequential" not in best.reasons


@pytest.mark.parametrize("question", ["show me the beforehand", "an earliest tea?", "because of rain", "somehow"])
def test_a_keyword_is_a_whole_word(question: str) -> None:
    assert route(question) == "flat"


def test_a_question_over_eighty_characters_is_routed_to_relations() -> None:
    assert (route("a" * 80), route("a" * 81)) == ("flat", "graph")
