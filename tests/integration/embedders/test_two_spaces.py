"""A question over scopes of one user in two embedding spaces ranks the better answer first."""

from collections.abc import Iterator

import numpy as np
import pytest

from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.endpoint import Embeddings, serving
from tests.integration.steps import embedding, process

PROJECT = [
    "The cello stands beside the window",
    "My bicycle is green",
    "The train was late again",
    "We ate lentil soup",
]
EVERYWHERE = ["My dentist is called Ibsen", "The garage needs paint", "I swim on Fridays", "The lamp fell down"]


@pytest.fixture
def endpoint() -> Iterator[Embeddings]:
    """An endpoint with a space in which all texts are similar: each cosine is 0.8 or more."""
    static = StaticEmbedder()
    with serving(lambda texts: np.pad(static.embed(texts), ((0, 0), (0, 1)), constant_values=2).tolist()) as endpoint:
        yield endpoint


@pytest.fixture
def ann(settings: Settings, endpoint: Embeddings, heavy_parts: dict[str, object]) -> Iterator[MemoryScope]:
    """A user with a project channel in the shipped space and a global channel in that of the endpoint."""
    with process(settings, heavy_parts) as before, embedding(settings, heavy_parts, endpoint, 257) as memory:
        for channel, one, turns in (("project", Memory(before), PROJECT), ("_global", memory, EVERYWHERE)):
            scope = one.scope("ann", agent="concierge", channel=channel)
            for number, turn in enumerate(turns):
                scope.push(turn, key=f"e{number}", session=f"s{number}")
            one.drain()
        assert {(one.name, one.scopes) for one in memory.embedding_spaces()} == {
            ("static-minilm-256-int8@1", 1),
            ("small@257", 1),
        }
        yield memory.scope("ann", agent="concierge", channel="project")


ANSWERS = {
    "Where is the cello?": PROJECT[0],
    "Which colour has my bike?": PROJECT[1],
    "What did we have to eat?": PROJECT[3],
    "Who is my dentist?": EVERYWHERE[0],
    "When do I go swimming?": EVERYWHERE[2],
}


def test_the_best_match_ranks_first_whichever_space_it_is_in(ann: MemoryScope) -> None:
    found = {question: ann.recall(question, kinds=["episode"]) for question in ANSWERS}

    assert {question: answers[0].text for question, answers in found.items()} == ANSWERS
    assert all({one.text for one in answers} == {*PROJECT, *EVERYWHERE} for answers in found.values())
