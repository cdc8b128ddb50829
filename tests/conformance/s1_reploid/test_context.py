"""Reploid, context: working memory, the summary first, and retrieved memories, within a budget."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from slowwave.core.tokens import tokens_at_most
from slowwave.domain.context import PromptContext
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.conftest import NOON

TALK = [
    ("user", "I moved to Oslo in March, into a flat by the river."),
    ("assistant", "How lovely. Do you know anybody there yet?"),
    ("user", "My physician forbade penicillin, so please remember that."),
    ("assistant", "Noted: no penicillin."),
    ("user", "We adopted a cat called Mimi from the shelter."),
    ("assistant", "Congratulations on Mimi!"),
    ("user", "The ferry was late again this morning, by forty minutes."),
    ("assistant", "That is a long wait in the cold."),
    ("user", "My sister Anna visits in June with her two boys."),
    ("assistant", "Shall I look for a hotel near the river?"),
]  # fmt: skip
QUESTION = "drugs that are dangerous for the patient"
ANSWER = TALK[2][1]
WORD = "word " * 200


@pytest.fixture
def lived(alice: MemoryScope) -> MemoryScope:
    """A conversation whose first six turns were evicted from working memory and summarised."""
    memory = alice.working("s1")
    memory.set("system_prompt", "You are kind.")
    memory.set("tools", [{"name": "search"}])
    for minute, (role, words) in enumerate(TALK):
        memory.add_turn(words, role=role, occurred_at=NOON + timedelta(minutes=minute))  # type: ignore[arg-type]
    memory.evict_oldest(6)
    Memory(parts_of(alice)).drain()
    return alice


def told(context: PromptContext, *types: str) -> list[str]:
    return [part.content for part in context.parts if part.type in types]


def taken(context: PromptContext, count: Callable[[str], int] = tokens_at_most) -> int:
    """Return the maximum number of tokens of a context, given as messages or as text."""
    return max(sum(count(one["content"]) for one in context.as_messages()), count(context.as_text()))


@pytest.mark.requirement("S1.1", "S1.12", "S1.15", "S1.28")
def test_a_context_has_prompt_and_tools_and_turns_and_memories_and_the_summary(
    lived: MemoryScope,
) -> None:
    context = lived.context(QUESTION, session="s1")

    in_mind = lived.working("s1").get_recent_turns()
    assert [part.content for part in context.working if part.type == "turn"] == [turn.content for turn in in_mind]
    assert ANSWER not in [turn.content for turn in in_mind]
    assert ANSWER in [part.content for part in context.retrieved]
    assert context.summary is not None
    assert "Oslo" in context.summary
    assert told(context, "system", "tools") == ["You are kind.", '[{"name": "search"}]']
    assert {"system", "tools", "summary", "episode", "turn"} <= {part.type for part in context.parts}
    assert lived.working("s1").limits.tokens == 8_000
    in_mind.clear()
    assert len(lived.working("s1").get_recent_turns()) == 4, "what is returned is a copy"


@pytest.mark.requirement("S1.4")
def test_a_context_always_fits_its_budget_and_counts_a_very_long_prompt(lived: MemoryScope) -> None:
    for number in range(20):
        lived.working("s1").add_turn(f"{number} {WORD}")
    for most in (120, 400, 4_000, 8_000):
        assert 0 < taken(lived.context(QUESTION, session="s1", max_tokens=most)) <= most

    lived.working("s1").set("system_prompt", "Be kind. " * 22_222)
    with pytest.raises(Incorrect, match=r"prompt and tools in working memory take \d{5,6} tokens"):
        lived.context(QUESTION, session="s1")
    assert taken(lived.context(QUESTION, session="s1", max_tokens=200_000)) > 50_000


@pytest.mark.requirement("S1.24")
def test_retrieved_memories_take_at_most_4000_tokens_by_default(lived: MemoryScope) -> None:
    for number in range(30):
        lived.push(f"About penicillin, page {number}: {WORD}", session="s2")

    whole, some = lived.retrieve("penicillin", session="s1"), lived.retrieve("penicillin", session="s1", max_tokens=300)

    assert 3_000 < sum(part.tokens for part in whole) <= 4_000
    assert 0 < sum(part.tokens for part in some) <= 300
    assert "summary" not in [part.type for part in lived.retrieve("penicillin", session="s1", include_summary=False)]


@pytest.mark.requirement("S1.25", "S1.43", "S1.51")
def test_the_summary_is_the_first_retrieved_part_and_counts_against_the_budget(lived: MemoryScope) -> None:
    first, *others = lived.retrieve(QUESTION, session="s1")

    assert (first.type, {one.type for one in others}) == ("summary", {"episode"})
    assert first.tokens >= tokens_at_most(first.content)
    short, *few = lived.retrieve(QUESTION, session="s1", max_tokens=150)
    assert (short.type, bool(few)) == ("summary", True)
    assert short.tokens + sum(one.tokens for one in few) <= 150
    without = lived.retrieve(QUESTION, session="s1", max_tokens=150, include_summary=False)
    assert sum(one.tokens for one in without) > sum(one.tokens for one in few)
    told = {one.id for one in few}
    assert [one.id for one in few] == [one.id for one in others if one.id in told]


@pytest.mark.requirement("S1.26")
def test_retrieval_skips_memories_that_do_not_fit_or_stops_at_the_first(alice: MemoryScope) -> None:
    alice.push("Penicillin! " + "The long story of penicillin. " * 60, session="s2")
    for number in range(30):
        alice.push(f"Penicillin is on page {number}.", session="s2")
    question = "the long story of penicillin"
    found = [one.text for one in alice.recall(question, limit=20)]
    before = found[: next(number for number, words in enumerate(found) if len(words) > 1_000)]

    everything = alice.retrieve(question, max_tokens=100_000)
    going_on = alice.retrieve(question, max_tokens=300)
    stopped = alice.retrieve(question, max_tokens=300, stop_at_overflow=True)
    assert [part.content for part in everything] == found
    assert [part.content for part in stopped] == before
    assert [part.content for part in going_on] == [one for one in found if len(one) < 1_000][: len(going_on)]
    assert len(before) < 5 < len(going_on)


@pytest.mark.requirement("S1.27")
def test_a_retrieved_part_has_a_type_and_content_and_score(lived: MemoryScope) -> None:
    retrieved = lived.retrieve(QUESTION, session="s1")

    assert [part.type for part in retrieved][:2] == ["summary", "episode"]
    scores = {one.id: one.score for one in lived.recall(QUESTION, limit=20)}
    for part in retrieved[1:]:
        assert part.id is not None
        assert part.score == pytest.approx(scores[part.id], abs=0.01)
        assert part.reasons
        assert lived.episode(part.sources[0].episode).content == part.content
    assert len(retrieved[0].sources) == len(retrieved[0].content.splitlines()) > 1
    (summary, *_) = lived.context(QUESTION, session="s1").retrieved
    assert {source.position for source in summary.sources} <= {1, 2, 3, 4, 5, 6}, "the others are in mind"


@pytest.mark.requirement("S1.29")
def test_an_agent_adds_and_evicts_and_retrieves_turns_and_reads_the_summary(alice: MemoryScope) -> None:
    memory = alice.working("s1")
    memory.add_turn("I moved to Oslo.")
    memory.add_turn("It snows.")
    assert [turn.content for turn in memory.evict_oldest(1)] == ["I moved to Oslo."]
    Memory(parts_of(alice)).drain()

    context = alice.context("Where do I live?", session="s1")
    assert [turn.content for turn in memory.get_recent_turns()] == told(context, "turn") == ["It snows."]
    assert context.summary is not None
    assert context.summary.endswith("user: I moved to Oslo.")
    assert "I moved to Oslo." in [part.content for part in alice.retrieve("Where did I move?")]
    assert [[turn.content for turn in memory.evict_oldest(most)] for most in (9, 1)] == [["It snows."], []]
    assert (memory.get_recent_turns(), len(alice.conversation("s1"))) == ([], 2)


@pytest.mark.requirement("S1.39", "S1.40")
def test_retrieved_memories_precede_both_messages_of_each_turn_as_system_messages(lived: MemoryScope) -> None:
    messages = lived.context(QUESTION, session="s1").as_messages()

    marked = [number for number, one in enumerate(messages) if one["content"].startswith("[Memory] ")]
    turns = [number for number, one in enumerate(messages) if one["content"] in [words for _, words in TALK[6:]]]
    assert marked
    assert max(marked) < min(turns)
    assert {messages[number]["role"] for number in marked} == {"system"}
    assert [(turn.role, turn.content) for turn in lived.working("s1").get_recent_turns()] == TALK[6:]
    assert [(messages[n]["role"], messages[n]["content"]) for n in turns] == TALK[6:]
    assert any(messages[number]["content"].endswith(ANSWER) for number in marked)


@pytest.mark.requirement("S1.5", "S1.2")
def test_a_context_has_the_summary_with_details_and_each_turn_stays_recallable(lived: MemoryScope) -> None:
    for _, words in TALK[:6]:
        context = lived.context(words.rstrip(".!?") + " again", session="s1")
        assert words in told(context, "episode")
        assert context.summary


@pytest.mark.requirement("S1.9")
def test_evicted_turns_are_retrieved_again_together_with_facts(lived: MemoryScope) -> None:
    lived.push("I am allergic to peanuts.", session="s0")
    lived.consolidate()

    context = lived.context("am I allergic to peanuts?", session="s1")
    assert "user is allergic to peanuts" in " ".join(told(context, "fact"))
    assert ANSWER in told(lived.context(QUESTION, session="s1"), "episode")
    assert context.as_text().startswith("You are kind.")
