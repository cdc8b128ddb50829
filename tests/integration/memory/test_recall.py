"""Recall of a question on Postgres."""

import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import Connection

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.query import UNPREPARED
from slowwave.core.recall.scoring import Bm25, Weights
from slowwave.domain.claim import Source
from slowwave.domain.episode import Episode
from slowwave.domain.fact import in_words
from slowwave.domain.queries.filters import EVERYTHING
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.inference.static_embedder import DIMENSIONS
from slowwave.memory import Memory
from slowwave.ports import Vectors
from slowwave.retrieval.reach import reach
from slowwave.retrieval.recall import recall
from slowwave.store.inbox.stored_episodes import create_scopes
from slowwave.store.recall.episode_candidates import END_CHARACTERS, filtering
from slowwave.store.recall.recall import Memories
from slowwave.store.statements import sql
from slowwave.store.transaction import space_number
from slowwave.wiring import Parts
from tests.integration.steps import Told
from tests.integration.store.rows import insert, row
from tests.plans import explained, touched

Believe = Callable[..., uuid.UUID]


@dataclass(frozen=True)
class Constant:
    """An embedder with its own space that gives every text the same vector."""

    vector: tuple[float, ...] = (1, 0, 0)
    space: str = "constant@1"
    dimensions: int = 3

    def load(self) -> None:
        """Be ready: there is nothing to load."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the same vector for each text."""
        return np.tile(np.array(self.vector, dtype=np.float32), (len(texts), 1))


DUMB = Constant((0, 0, 0))


def push(parts: Parts, scope: Scope, episodes: Sequence[Episode]) -> None:
    assert all(receipt.state == "stored" for receipt in parts.push(scope, episodes))


def embed(parts: Parts, scope: Scope) -> None:
    """Compute the vector of every episode and fact of *scope*."""
    with parts.database.tenant(scope.tenant) as connection:
        space = _space(connection, parts)
        for kind, key, text in (("episode", "position", "content"), ("fact", "fact", "subject || ' ' || object")):
            rows = connection.exec_driver_sql(
                f"SELECT {key}, {text} FROM {kind}s WHERE scope = %(scope)s", {"scope": scope.id}
            ).all()
            for (id_, _), vector in zip(rows, parts.embedder.embed([words for _, words in rows]), strict=True):
                connection.exec_driver_sql(
                    f"INSERT INTO {kind}_vectors (scope, {key}, space, tenant, embedding) "
                    "VALUES (%(scope)s, %(id)s, %(space)s, slowwave_tenant(), %(vector)s::vector)",
                    {"scope": scope.id, "id": id_, "space": space, "vector": str(vector.tolist())},
                )


def _space(connection: Connection, parts: Parts) -> int:
    return space_number(connection, parts.embedder.space, DIMENSIONS)


@pytest.fixture
def believe(parts: Parts, scope: Scope, superuser: psycopg.Connection) -> Believe:
    """Add a fact with its sources, as the ledger would; return its id."""
    with parts.database.tenant(scope.tenant) as connection:
        create_scopes(connection, [scope])

    def believe(
        subject: str, predicate: str, object_: str, *sources: Source,
        valid: str = "[2026-03-02 12:00Z,)", recorded: str = "[2026-03-02 13:00Z,)",
    ) -> uuid.UUID:  # fmt: skip
        fact = uuid.uuid4()
        known = {
            "scope": scope.id, "fact": fact, "subject": subject, "predicate": predicate, "object": object_,
            "text": in_words(subject, predicate, object_), "valid": valid, "recorded": recorded, "confidence": 0.95,
            "single_valued": False, "position": sources[0].position if sources else 1,
        }  # fmt: skip
        insert(superuser, "facts", row(superuser, "facts", scope.tenant, **known))
        for ordinal, one in enumerate(sources):
            source = {"delta": fact, "ordinal": ordinal, "span_start": one.start, "span_end": one.end}
            source |= {"episode": one.episode, "key": one.key, "position": one.position}
            insert(superuser, "delta_sources", row(superuser, "delta_sources", scope.tenant, **source))
        return fact

    return believe


def ask(
    parts: Parts, scope: Scope, question: str, *, limit: int = 10, now: datetime | None = None
) -> list[Recollection]:
    return recall(question, reach(scope), store=Memories(parts.database), embedder=parts.embedder, limit=limit, now=now)


def candidates(
    memories: Any, parts: Parts, scope: Scope, words: str, vector: Any = None, *, most: int = 10
) -> list[Candidate]:
    found: list[Candidate] = memories.candidates(
        [scope.id], words, vector, space=parts.embedder.space, most=most, now=None, weights=Weights()
    )
    return found


def texts(recollections: Sequence[Recollection]) -> list[str]:
    return [one.text for one in recollections]


HARBOUR = ["The harbour was grey today", "My sister plays the cello", "I moved to Oslo last week", "Tea is better cold"]


@pytest.fixture
def harbour(parts: Parts, scope: Scope, told: Told) -> None:
    """Push four texts, and compute their vectors."""
    push(parts, scope, told(*HARBOUR))
    embed(parts, scope)


def test_the_episode_that_answers_stands_first_with_its_reasons_and_itself_as_source(
    parts: Parts, scope: Scope, told: Told, harbour: None
) -> None:
    best = ask(parts, scope, "who has moved to Oslo?")[0]

    assert (best.kind, best.text) == ("episode", "I moved to Oslo last week")
    assert best.id == scope.episode_id("e2")
    assert best.sources == (Source(best.id, "e2", 3, 0, len(best.text)),)
    assert best.occurred == told("x", start=2)[0].occurred_at
    assert best.reasons["keyword"] > 0.5
    assert best.reasons["similarity"] > 0.3
    assert all(0 <= reason <= 1 for reason in best.reasons.values())
    assert 0 < best.score <= 1


def test_similarity_finds_a_memory_without_shared_words(parts: Parts, scope: Scope, harbour: None) -> None:
    best = ask(parts, scope, "which musical instruments?")[0]

    assert best.text == "My sister plays the cello"
    assert best.reasons["keyword"] == 0


MOVED = ["I moved to Oslo", "The soup was cold", "Actually I moved to Bergen", "My dog sleeps"]


def test_an_unprepared_episode_is_found_by_meaning(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told(*MOVED))
    before = ask(parts, scope, "Where do I live?")
    Memory(parts).drain()
    after = ask(parts, scope, "Where do I live?")

    assert texts(before)[0] == MOVED[2]
    assert MOVED[0] in texts(before)
    assert {one.reasons["keyword"] for one in before} == {0}
    assert {one.reasons["embedded_at_recall"] for one in before} == {1.0}
    assert texts(before) == texts(after)
    for one, other in zip(before, after, strict=True):
        assert one.reasons["similarity"] == pytest.approx(other.reasons["similarity"], abs=1e-5)
        assert "embedded_at_recall" not in other.reasons


def test_only_the_newest_unprepared_episodes_are_embedded_at_recall(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told("Oslo it is", *[f"The soup number {n} was cold" for n in range(UNPREPARED + 6)]))
    push(parts, scope, told("I moved to Bergen", start=UNPREPARED + 7))

    found = Memory(parts).scope(scope.user, agent=scope.agent).recall("Where do I live?", limit=UNPREPARED + 8)

    assert found[0].text == "I moved to Bergen"
    assert "Oslo it is" not in texts(found)
    assert found.by_words_alone == 8
    assert sum("embedded_at_recall" in one.reasons for one in found) <= UNPREPARED
    assert "Oslo it is" in texts(ask(parts, scope, "who moved to Oslo?"))


def test_an_episode_prepared_during_recall_is_returned_once(parts: Parts, scope: Scope, told: Told) -> None:
    class Slow(Constant):
        """An embedder that lets a worker run between the embedding of the question and the search."""

        def embed(self, texts: Sequence[str]) -> Vectors:
            if len(texts) == len(MOVED):
                embed(parts, scope)
            return parts.embedder.embed(texts)

    push(parts, scope, told(*MOVED))
    found = recall(
        "Where do I live?", [scope], store=Memories(parts.database), embedder=Slow(space=parts.embedder.space)
    )

    assert len({one.id for one in found}) == len(found)
    assert texts(found) == texts(ask(parts, scope, "Where do I live?"))


def test_vectors_of_another_space_are_never_compared(parts: Parts, scope: Scope, harbour: None) -> None:
    Memory(parts).drain()
    found = recall("any cellos?", [scope], store=Memories(parts.database), embedder=Constant())

    assert found[0].text == "My sister plays the cello"
    assert not any(one.reasons["similarity"] for one in found)


def test_a_question_the_embedder_does_not_understand_is_answered_by_words(
    parts: Parts, scope: Scope, harbour: None
) -> None:
    found = recall("any cellos?", [scope], store=Memories(parts.database), embedder=DUMB)

    assert texts(found)[0] == "My sister plays the cello"


def test_a_zero_vector_is_similar_to_nothing(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told("Wordless"))
    with parts.database.tenant(scope.tenant) as connection:
        connection.exec_driver_sql(
            "INSERT INTO episode_vectors (scope, position, space, tenant, embedding) "
            "VALUES (%(scope)s, 1, %(space)s, slowwave_tenant(), %(vector)s::vector)",
            {"scope": scope.id, "space": _space(connection, parts), "vector": str([0] * DIMENSIONS)},
        )

    assert ask(parts, scope, "which musical instruments?") == []


def test_an_empty_scope_or_a_question_of_punctuation_gives_no_results(parts: Parts, scope: Scope, told: Told) -> None:
    assert ask(parts, scope, "who has moved to Oslo?") == []
    push(parts, scope, told(*HARBOUR))

    assert ask(parts, scope, "☃☃") == []


def test_recall_returns_a_fact_and_its_source_episode(parts: Parts, scope: Scope, told: Told, believe: Believe) -> None:
    push(parts, scope, told(*HARBOUR))
    source = Source(scope.episode_id("e2"), "e2", 3, 0, 15)
    fact = believe("user", "lives_in", "Oslo", source)
    embed(parts, scope)

    found = ask(parts, scope, "where does the user live?")

    assert (found[0].kind, found[0].id, found[0].text) == ("fact", fact, "user lives in Oslo")
    assert found[0].sources == (source,)
    assert found[0].confidence == 0.95
    assert found[1].text == "I moved to Oslo last week"
    assert found[1].reasons["provenance"] > 0.5
    assert all(0 <= value <= 1 for one in found for value in (one.score, *one.reasons.values()))


def test_a_fact_with_many_sources_names_them_in_order(parts: Parts, scope: Scope, believe: Believe) -> None:
    sources = [Source(uuid.uuid4(), f"k{n}", 9 - n, n, n + 1) for n in range(3)]
    believe("user", "lives_in", "Oslo", *sources)

    assert list(ask(parts, scope, "Oslo?")[0].sources) == sources


@pytest.mark.parametrize(
    "times",
    [
        {"recorded": "[2026-03-02 13:00Z, 2026-03-03 13:00Z)"},
        {"valid": "[2026-03-02 12:00Z, 2026-03-03 12:00Z)"},
        {"valid": "[2226-03-02 12:00Z,)"},
    ],
    ids=["no longer believed", "no longer true", "not true yet"],
)
def test_recall_returns_only_currently_valid_facts(
    parts: Parts, scope: Scope, believe: Believe, times: dict[str, str]
) -> None:
    believe("user", "lives_in", "Oslo", **times)
    embed(parts, scope)

    assert ask(parts, scope, "who lives in Oslo?") == []


def test_a_question_can_be_asked_of_another_time(parts: Parts, scope: Scope, told: Told, believe: Believe) -> None:
    believe("user", "lives_in", "Lisbon", valid="[2026-03-02 12:00Z, 2026-03-03 12:00Z)")
    believe("user", "lives_in", "Oslo", valid="[2026-03-03 12:00Z,)")
    noon = told("x")[0].occurred_at
    assert noon is not None

    assert texts(ask(parts, scope, "where does the user live?", now=noon)) == ["user lives in Lisbon"]
    assert texts(ask(parts, scope, "where does the user live?", now=noon + timedelta(days=2))) == ["user lives in Oslo"]


def test_a_channel_sees_global_memories_but_global_does_not_see_it(parts: Parts, scope: Scope, told: Told) -> None:
    trip = replace(scope, channel="trip")
    push(parts, scope, told("The cello stands in the hall"))
    push(parts, trip, told("The cello travels in the hold"))

    assert set(texts(ask(parts, trip, "cello?"))) == {"The cello stands in the hall", "The cello travels in the hold"}
    assert texts(ask(parts, scope, "cello?")) == ["The cello stands in the hall"]


@pytest.mark.parametrize("part", ["tenant", "user", "agent"])
def test_recall_returns_no_memories_of_other_scopes(parts: Parts, scope: Scope, told: Told, part: str) -> None:
    other = replace(scope, **{part: "someone-else"})
    push(parts, other, told("The cello stands in the hall"))

    assert ask(parts, scope, "cello?") == []


def test_another_tenants_memories_are_hidden_even_by_the_same_scope_id(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told("The cello stands in the hall"))

    with Memories(parts.database).reading("someone-else") as memories:
        assert not candidates(memories, parts, scope, "cello")


def test_the_limit_holds_and_the_order_is_total(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told(*[f"The cello is out of tune, says {n}" for n in range(30)]))

    first, second = ask(parts, scope, "cello?", limit=7), ask(parts, scope, "cello?", limit=7)

    assert len(first) == 7
    assert [one.id for one in first] == [one.id for one in second]


def test_rare_words_count_for_more(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told(*[f"The boat left {n}" for n in range(9)], "A xylophone", "The boat came"))

    best, *rest = ask(parts, scope, "boat or xylophone")

    assert best.text == "A xylophone"
    assert best.reasons["keyword"] > 2 * rest[-1].reasons["keyword"]


def test_a_longer_text_needs_more_matches(parts: Parts, scope: Scope, told: Told) -> None:
    long = "The cello, the piano, the garden, the harbour, the station, the market and the museum"
    push(parts, scope, told("The cello", *["A boat"] * 5, long))

    assert texts(ask(parts, scope, "cello?"))[:1] == ["The cello"]


@pytest.mark.parametrize(
    "question",
    [
        "it's 100%% o'clock \\ 'quoted' \"twice\" & | ! ( ) : * <-> cello",
        "'; DROP TABLE episodes; -- cello",
        "%s %(scope)s cello",
        "a\\b c:\\cello\\d cello",
        "cello " + " ".join(f"word{n}" for n in range(500)),
        "cello" + " x" * 20_000,
        "cello \U0001f600 \u202e",
        "https://example.org/cello?a=1&b='2' cello",
    ],
)
def test_any_text_is_accepted_as_a_question(parts: Parts, scope: Scope, told: Told, question: str) -> None:
    push(parts, scope, told("My sister plays the cello"))

    assert texts(ask(parts, scope, question)) == ["My sister plays the cello"]


@pytest.mark.parametrize(
    ("question", "limit", "problem"),
    [
        (" \n", 10, "question: is empty"),
        ("a\0b", 10, "question: contains a NUL character"),
        ("a\ud800b", 10, "question: contains a lone surrogate"),
        ("cello", 0, "limit: must be 1 to 1000, got 0"),
        ("cello", 1001, "limit: must be 1 to 1000, got 1001"),
    ],
)
def test_an_invalid_question_or_limit_is_refused(
    parts: Parts, scope: Scope, question: str, limit: int, problem: str
) -> None:
    with pytest.raises(Incorrect, match=problem):
        ask(parts, scope, question, limit=limit)


def test_scopes_of_two_tenants_are_refused(parts: Parts, scope: Scope) -> None:
    with pytest.raises(Incorrect, match="single tenant"):
        recall("cello?", [scope, replace(scope, tenant="b")], store=Memories(parts.database), embedder=parts.embedder)


def test_an_episode_erased_between_search_and_reading_is_left_out(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told("The cello stands in the hall"))

    with Memories(parts.database).reading(scope.tenant) as memories:
        (candidate,) = candidates(memories, parts, scope, "cello")
        assert memories.contents([]) == {}
        assert list(memories.contents([Ranked(candidate, 1, {})]).values()) == [("The cello stands in the hall", 0)]
        assert memories.contents([Ranked(replace(candidate, position=99), 1, {})]) == {}


WORDS = "'the ' || (ARRAY['cello','harbour','boat','tea','garden'])[1 + p %% 5] || ' number ' || p"


@pytest.fixture
def spoken(parts: Parts, scope: Scope, owner_url: str) -> list[uuid.UUID]:
    """Twenty scopes of a thousand episodes and then the test's own, analysed."""
    scopes = [*(replace(scope, user=f"crowd-{n}") for n in range(20)), scope]
    for one in scopes:
        push(parts, one, [Episode(content="x", key="first")])
    with parts.database.tenant(scope.tenant) as connection:
        connection.exec_driver_sql(
            "INSERT INTO episodes (scope, position, received, tenant, id, key, occurred, session, role, kind, content) "
            f"SELECT s, p, slowwave_now(), slowwave_tenant(), gen_random_uuid(), p, slowwave_now(), 's1', 'user', "
            f"'message', {WORDS} FROM unnest(%(scopes)s::uuid[]) AS s, generate_series(2, 1000) AS p",
            {"scopes": [one.id for one in scopes]},
        )
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ANALYZE episodes")
    return [one.id for one in scopes]


@pytest.fixture
def crowded(parts: Parts, scope: Scope, owner_url: str, spoken: list[uuid.UUID]) -> Scope:
    """One scope of a thousand episodes and as many facts among twenty, with vectors, analysed."""
    with parts.database.tenant(scope.tenant) as connection:
        fill = {"scopes": spoken, "space": _space(connection, parts)}
        vector = "(SELECT array_agg(sin(p * 7919 + n)) FROM generate_series(1, 256) AS n)::vector"
        for statement in (
            "INSERT INTO episode_vectors (scope, position, space, tenant, embedding) "
            f"SELECT s, p, %(space)s, slowwave_tenant(), {vector} "
            "FROM unnest(%(scopes)s::uuid[]) AS s, generate_series(1, 1000) AS p",
            "INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, "
            "recorded, confidence, rule, position, session, text) "
            f"SELECT s, slowwave_tenant(), gen_random_uuid(), row_number() OVER (), 'user', 'likes', {WORDS}, false, "
            f"'[2026-01-01,)', '[2026-01-01,)', 0.9, 'r', p, 's1', 'user likes ' || {WORDS} "
            "FROM unnest(%(scopes)s::uuid[]) AS s, generate_series(1, 1000) AS p",
            "INSERT INTO fact_vectors (scope, fact, space, tenant, embedding) "
            f"SELECT scope, fact, %(space)s, slowwave_tenant(), {vector.replace('p *', 'position *')} FROM facts",
            "INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end) "
            "SELECT fact, 0, slowwave_tenant(), gen_random_uuid(), position, position, 0, 1 FROM facts",
            "UPDATE scope_heads SET head = 1000 WHERE scope = ANY(%(scopes)s::uuid[])",
        ):
            connection.exec_driver_sql(statement, fill)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ANALYZE episode_vectors, facts, fact_vectors, delta_sources")
    return scope


@pytest.mark.accept
def test_recall_reads_its_scope_through_indexes_and_nothing_else(parts: Parts, crowded: Scope) -> None:
    with parts.database.tenant(crowded.tenant) as connection:
        plan = _plan(connection, parts, crowded)

    assert "episode_vectors_pkey" in plan
    assert "fact_vectors_pkey" in plan
    assert "facts_open" in plan
    assert "delta_sources_pkey" in plan
    assert re.search(r"episodes_\d{4}_\d\d_pkey", plan)
    assert plan.count("Full Join") == 5
    for table in ("episode_vectors", "facts", "fact_vectors", "delta_sources"):
        assert f"Seq Scan on {table}" not in plan


def test_unprepared_episodes_are_read_only_above_the_watermark(
    url: str, scope: Scope, spoken: list[uuid.UUID], superuser: psycopg.Connection
) -> None:
    superuser.execute("UPDATE scope_heads SET head = 1000")
    superuser.execute(
        "INSERT INTO watermarks (scope, pack, tenant, position, planned) "
        "SELECT scope, 'prepare', tenant, 950, 950 FROM scope_heads"
    )
    asked: dict[str, Any] = {"scopes": [scope.id], "pack": "prepare", "most": 100, "characters": 8_000}
    found = touched(url, sql("recall/unprepared"), tenant=scope.tenant, **asked)

    read = [(index, rows) for table, index, rows in found if table.startswith("episodes")]
    assert sum(rows for _, rows in read) == 50, found
    assert all(index.endswith("_pkey") for index, _ in read), found


def _plan(connection: Connection, parts: Parts, scope: Scope) -> str:
    (vector,) = parts.embedder.embed(["where is the cello"])
    weights, words = Weights(), Bm25()
    return explained(
        connection,
        sql("recall/candidates"),
        {
            "scopes": [scope.id],
            "words": [0, 0],
            "lexemes": ["cello", "violin"],
            "word_weights": [1.0, 0.5],
            "end_characters": END_CHARACTERS,
            "vector": vector,
            "space": parts.embedder.space,
            "most": 60,
            "beside": [],
            "now": None,
            "called_scopes": [scope.id],
            "called": ["Nora"],
            "of_user": True,
            "k1": words.k1,
            "b": words.b,
            "similarity": weights.similarity,
            "keyword": weights.keyword,
            "lift": weights.lift,
            **filtering(EVERYTHING),
            "near_scopes": [scope.id] * 100,
            "near_positions": list(range(901, 1001)),
            "near_similarities": [0.5] * 100,
            "shelved": True,
            "entry": "cold",
        },
    )


def test_a_candidate_of_a_further_source_is_ranked_and_names_its_source(parts: Parts, scope: Scope, told: Told) -> None:
    push(parts, scope, told(*HARBOUR))
    named = scope.episode_id("e3")

    def graph(memories: object, asked: object) -> dict[uuid.UUID, float]:
        return {named: 1.0}

    store = Memories(parts.database)
    (best, *rest) = recall("xylophone?", [scope], store=store, embedder=DUMB, sources={"graph": graph})

    assert (best.id, best.reasons["graph"], best.reasons["keyword"]) == (named, 1.0, 0.0)
    assert rest == recall("xylophone?", [scope], store=store, embedder=DUMB) == []
