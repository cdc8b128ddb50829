"""Reploid: a model writes the recursive summary of evicted turns at temperature 0."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.contract.summaries.harness import Model, grow, model, said, sum_up, telling

FIRST, SECOND = "The user moved to Oslo and works at Equinor.", "The user lives in Oslo and works at Equinor; Ann came."


@pytest.fixture
def small() -> Iterator[Model]:
    with model() as small:
        yield small


@pytest.fixture
def retold(settings: Settings, heavy_parts: dict[str, object], small: Model, cache_url: str) -> Iterator[Parts]:
    cached = settings.model_copy(update={"cache_url": SecretStr(cache_url)})
    with telling(cached, heavy_parts, small) as parts:
        yield parts


@pytest.mark.requirement("S1.18")
def test_the_summary_prompt_contains_the_previous_summary_and_the_evicted_messages(retold: Parts, small: Model) -> None:
    small.replies = [said({"text": FIRST, "from": [1, 2]}), said({"text": SECOND, "from": [1, 2]})]
    alice = Memory(retold).scope("alice", agent="concierge")
    memory = alice.working("s1")
    for words in ("I moved to Oslo.", "I work at Equinor.", "My sister Ann came.", "It snows."):
        memory.add_turn(words, occurred_at=NOON)

    assert [turn.content for turn in memory.evict_oldest(2)] == ["I moved to Oslo.", "I work at Equinor."]
    assert [turn.content for turn in memory.get_recent_turns()] == ["My sister Ann came.", "It snows."]
    Memory(retold).drain()
    assert told(alice) == FIRST
    memory.evict_oldest(1)
    Memory(retold).drain()
    assert told(alice) == SECOND

    day = NOON.date().isoformat()
    assert [messages[-1]["content"] for messages in small.asked] == [
        f"Previous summary:\n(none)\n\nNew messages:\n[1] {day} user: I moved to Oslo.\n"
        f"[2] {day} user: I work at Equinor.\n\nUpdate the summary to include the new information concisely.",
        f"Previous summary:\n[1] {FIRST}\n\nNew messages:\n[2] {day} user: My sister Ann came."
        "\n\nUpdate the summary to include the new information concisely.",
    ]


@pytest.mark.requirement("S1.19")
def test_a_summary_is_requested_once_at_temperature_0(retold: Parts, small: Model) -> None:
    alice = Memory(retold).scope("alice", agent="concierge")
    alice.push("I moved to Oslo.", session="s1")
    sum_up(alice)
    first = alice.summary("s1")
    sum_up(alice)

    assert alice.summary("s1") == first
    assert small.provider.temperatures == {0}
    assert small.provider.billed.total() == 1


@pytest.mark.requirement("S0.42")
def test_a_summary_trigger_sends_one_request_per_session(retold: Parts, small: Model) -> None:
    alice = Memory(retold).scope("alice", agent="concierge")
    for number in range(3):
        for words in ("I moved to Oslo.", "It snows.", "My sister Ann came."):
            alice.push(f"{words} {number}", session=f"s{number % 2}")
        asked = small.provider.billed.total()
        sum_up(alice)
        assert small.provider.billed.total() == asked + 1


def told(alice: MemoryScope) -> str:
    """Return the model's sentences of the summary, without their days."""
    lines = alice.summary("s1").lines
    return " ".join(line.text[11:] for line in lines if ": " not in line.text)


@pytest.mark.requirement("S1.33")
def test_a_cluster_is_summarised_by_its_prompt_and_has_its_summarys_vector(retold: Parts, small: Model) -> None:
    alice = Memory(retold).scope("alice", agent="concierge")
    for number, words in enumerate(("My dog Rex eats fish.", "I flew to Oslo.", "I play the cello.")):
        alice.push(words, session=f"s{number}")
    sum_up(alice)
    small.replies = [said({"text": "The user has the dog Rex, flew to Oslo and plays the cello.", "from": [1, 2, 3]})]
    grow(alice)

    asked = small.asked[-1][-1]["content"]
    assert asked.startswith("Summarize these related items:\n\n[1] ")
    leaves = [node for node in alice.tree.nodes() if node.level == 0]
    assert all(f"] {line.text[11:]}" in asked for leaf in leaves for line in leaf.lines)
    (parent,) = [node for node in alice.tree.search("pets", 10) if node.level == 1]
    assert parent.text[11:] == "The user has the dog Rex, flew to Oslo and plays the cello."
    question, summary = parts_of(alice).embedder.embed(["pets", parent.text[11:]])
    assert parent.score == pytest.approx(float(question @ summary), abs=1e-3)
    assert {node.id for node in alice.tree.nodes(under=parent.id)} == {leaf.id for leaf in leaves}
    assert small.provider.temperatures == {0}
