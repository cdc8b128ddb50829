"""A context on the real path: without a cache, with the graph, by another count; what it tells counts, no more."""

import json

import psycopg
import pytest

from slowwave import wiring
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from tests.conftest import NOON
from tests.integration.command import Run

QUESTION = "Where does Anna work?"


@pytest.fixture
def alice(parts: wiring.Parts) -> MemoryScope:
    """An agent in a process that has no cache."""
    scope = Memory(parts).scope("alice", agent="concierge")
    for number, words in enumerate(("I live in Oslo.", "Anna works at Acme.", "The soup is cold.")):
        scope.push(words, key=f"k{number}", session="s1", occurred_at=NOON)
    scope.consolidate()
    return scope


def accesses(scope: MemoryScope, memory: object) -> int:
    try:
        return scope.standing(memory).access_count  # type: ignore[arg-type]  # an id
    except NotFound:
        return 0


def test_a_context_without_a_cache_reads_the_last_turns_from_episodes(alice: MemoryScope) -> None:
    context = alice.context(QUESTION, session="s1")

    assert [part.content for part in context.parts if part.type == "turn"] == [
        "I live in Oslo.", "Anna works at Acme.", "The soup is cold.",
    ]  # fmt: skip
    assert [part.content for part in context.parts if part.type == "episode"] == []
    assert context.working[1].sources[0].key == "k1"


def test_a_context_without_a_session_has_no_working_memory(alice: MemoryScope) -> None:
    context = alice.context(QUESTION)

    assert context.working == []
    assert "Anna works at Acme." in [part.content for part in context.parts]
    assert "[Memory] user, 2026-03-02: Anna works at Acme." in context.as_text().splitlines()


def test_a_context_contains_the_graph_around_named_entities_with_sources(alice: MemoryScope) -> None:
    alice.graph.create_relationship("Anna", "Acme", "works_for")
    (graph,) = [part for part in alice.context(QUESTION).parts if part.type == "graph"]

    assert graph.content.startswith("Knowledge graph context:\n- ")
    assert {"Anna", "Acme"} <= set(graph.reasons)
    assert graph.sources
    assert "graph" not in [part.type for part in alice.context(QUESTION, include_graph=False).parts]


def test_only_the_parts_of_a_context_count_as_accessed(alice: MemoryScope) -> None:
    told = alice.context(QUESTION, max_tokens=60, include_graph=False).parts
    left = [one for one in alice.search_index(QUESTION) if one.id not in {part.id for part in told}]

    assert told
    assert left
    assert {accesses(alice, part.id) for part in told} == {1}
    assert {accesses(alice, one.id) for one in left} == {0}


def test_a_context_writes_nothing_before_it_returns(alice: MemoryScope, superuser: psycopg.Connection) -> None:
    with superuser.transaction():
        superuser.execute("LOCK TABLE standing IN EXCLUSIVE MODE")
        told = alice.context(QUESTION, session="s1").retrieved + alice.retrieve(QUESTION)

    assert 0 not in {accesses(alice, part.id) for part in told if part.id}


def test_the_callers_token_counter_decides_the_size(alice: MemoryScope) -> None:
    context = alice.context(QUESTION, session="s1", max_tokens=100, count=len)

    assert len(context.as_text()) <= 100
    assert context.left_out
    with pytest.raises(Incorrect, match="count: gave -1 for a text"):
        alice.context(QUESTION, session="s1", count=lambda text: -1)


def test_a_part_has_a_one_line_form_and_its_own_text(alice: MemoryScope) -> None:
    context = alice.context(QUESTION, include_graph=False)

    assert repr(context).startswith("<PromptContext: Where does Anna work?, ")
    (anna,) = [part for part in context.parts if part.content == "Anna works at Acme."]
    assert (anna.type, anna.role, anna.session, anna.sources[0].key) == ("episode", "user", "s1", "k1")
    assert alice.episode(anna.sources[0].episode).content == anna.content


def test_the_command_prints_the_same(alice: MemoryScope, run: Run) -> None:
    whose = ("--user", "alice", "--agent", "concierge")
    said = run("context", QUESTION, *whose, "--session", "s1", "--max-tokens", "500", "--json").json

    context = alice.context(QUESTION, session="s1", max_tokens=500)
    assert said["messages"] == context.as_messages()
    assert (said["tokens"], said["max_tokens"], said["left_out"]) == (context.tokens, 500, 0)
    assert [part["type"] for part in said["parts"]] == [part.type for part in context.parts]
    assert said["parts"][-1]["sources"][0]["key"] == "k2"
    assert run("context", QUESTION, *whose, "--session", "s1").out.startswith(context.as_text())
    assert "no memories of nobody" in run("context", QUESTION, "--user", "nobody").out
    assert json.dumps(said)
