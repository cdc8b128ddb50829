"""What people ask in other words than they told, and whose words stand first."""

from slowwave import Episode
from slowwave.domain.episode import Role
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts


def told(parts: Parts, scope: Scope, *turns: tuple[Role, str]) -> MemoryScope:
    """The agent after a talk of turns, each with its role; Nadia is who speaks as the user."""
    memory = Memory(parts)
    agent = memory.scope(scope.user, agent=scope.agent)
    agent.push_many([
        Episode(content=text, role=role, session="s1", speaker="Nadia" if role == "user" else None)
        for role, text in turns
    ])  # fmt: skip
    memory.drain()
    agent.consolidate()
    return agent


def test_an_assistants_turn_ranks_below_the_users_turn(parts: Parts, scope: Scope) -> None:
    agent = told(
        parts, scope, ("user", "the boat has four berths, 9500 all in"),
        ("assistant", "The cost of that boat sounds fair."), ("user", "it rained all day here"),
    )  # fmt: skip

    assert "9500" in agent.recall("What does the boat cost?")[0].text
    (first, *_) = agent.recall("What did you say about the cost of the boat?", kinds=["episode"])
    assert first.role == "assistant"


def test_a_speakers_name_does_not_outweigh_the_questions_words(parts: Parts, scope: Scope) -> None:
    agent = told(
        parts, scope, ("user", "Hello, this is Nadia, I come from a small place by the sea"),
        ("user", "the notebook computer I write on is a rebuilt ThinkPad"), ("user", "the weather has been dreadful"),
    )  # fmt: skip

    (first, *_) = agent.recall("Which computer does Nadia write on?")

    assert "ThinkPad" in first.text


def test_a_question_with_still_ranks_the_latest_turn_first(parts: Parts, scope: Scope) -> None:
    agent = told(
        parts, scope, ("user", "I have a kiln for pots"), ("user", "the weather has been dreadful"),
        ("user", "my sister rang on the way"), ("user", "gave the kiln for pots away to the school over the road"),
    )  # fmt: skip

    assert "school" in agent.recall("Does Nadia still have a kiln for pots?", kinds=["episode"])[0].text


def test_an_explanation_contains_the_word_by_word_similarity_of_a_fact(parts: Parts, scope: Scope) -> None:
    agent = told(parts, scope, ("user", "I drive a red Volvo."), ("user", "My favourite food is lasagne."))

    found = agent.recall("Which vehicle do I drive?", kinds=["fact"], explain=True)

    assert found.explained
    car = next(one for one in found if "Volvo" in one.text)
    assert car.reasons["worded"] > next(one for one in found if "lasagne" in one.text).reasons["worded"]
    assert "worded" in [part.name for part in found.explained.parts[car.id]]
