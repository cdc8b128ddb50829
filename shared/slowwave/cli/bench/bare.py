"""Two bare pipelines, which are the baseline of a benchmark. They write the same kinds of rows as our pipeline, without
any processing.

Each pipeline stores and embeds episodes, and writes facts with vectors, and deltas with payloads and sources. It makes
one insert per table and batch, and one commit per batch. Neither pipeline parses text, reads data or checks data.
Neither pipeline has tenants, history, a schedule, or indexes other than keys. The pipeline called `first` is a
straightforward first version, with batches of 20 and vectors sent as text. The targets are ratios to the speed of
`first`. The pipeline called `tight` is the fastest version that we could write, with binary vectors and one batch per
push.
"""

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import psycopg

from slowwave.domain.episode import Episode
from slowwave.ports import Embedder
from slowwave.store.engine import learn_vectors

Way = Literal["first", "tight"]
CHARACTERS = 40
"""The number of an episode's characters that each fact quotes."""
FIRST = 20
"""The number of episodes per batch in the *first* pipeline."""
_TABLES = """
CREATE TABLE IF NOT EXISTS {way}_episodes (
    id text PRIMARY KEY, content text NOT NULL, occurred timestamptz NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED, embedding vector(256));
CREATE TABLE IF NOT EXISTS {way}_facts (
    id uuid PRIMARY KEY, subject text NOT NULL, predicate text NOT NULL, object text NOT NULL,
    confidence double precision NOT NULL, recorded timestamptz NOT NULL DEFAULT now(), embedding vector(256),
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, object)) STORED);
CREATE TABLE IF NOT EXISTS {way}_deltas (
    id uuid PRIMARY KEY, kind text NOT NULL, fact uuid NOT NULL, rule text NOT NULL, payload jsonb NOT NULL,
    recorded timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS {way}_sources (
    delta uuid NOT NULL, episode text NOT NULL, span_start int NOT NULL, span_end int NOT NULL,
    PRIMARY KEY (delta, episode));
"""
_EPISODES = """
INSERT INTO {way}_episodes (id, content, occurred, embedding)
SELECT id, content, occurred, embedding::vector FROM unnest(%s::text[], %s::text[], %s::timestamptz[], {vectors})
    AS n (id, content, occurred, embedding)
"""
_FACTS = """
INSERT INTO {way}_facts (id, subject, predicate, object, confidence, embedding)
SELECT id, 'user', 'says', object, 0.95, embedding::vector FROM unnest(%s::uuid[], %s::text[], {vectors})
    AS n (id, object, embedding)
"""
_DELTAS = """
INSERT INTO {way}_deltas (id, kind, fact, rule, payload)
SELECT id, kind, fact, 'says', payload::jsonb FROM unnest(%s::uuid[], %s::text[], %s::uuid[], %s::text[])
    AS n (id, kind, fact, payload)
"""
_SOURCES = "INSERT INTO {way}_sources SELECT * FROM unnest(%s::uuid[], %s::text[], %s::int[], %s::int[])"
_VECTORS = {"first": "%s::text[]", "tight": "%b::vector[]"}


@dataclass(frozen=True, slots=True)
class _Quote:
    """A quote from an episode, which becomes a delta that adds or confirms a *fact*."""

    id: uuid.UUID
    fact: uuid.UUID
    text: str
    episode: str
    start: int

    @property
    def payload(self) -> dict[str, Any]:
        return {"subject": "user", "predicate": "says", "object": self.text, "said_in": self.episode, "reason": "said"}


class Bare:
    """A bare pipeline, which writes batches of episodes with facts and deltas, in one of two ways."""

    def __init__(self, connection: psycopg.Connection, embedder: Embedder, way: Way) -> None:
        self._connection, self._embedder, self._way = connection, embedder, way

    @classmethod
    @contextmanager
    def over(cls, owner_url: str, embedder: Embedder, way: Way) -> Iterator["Bare"]:
        """Yield a pipeline with its own tables in the database at *owner_url*."""
        with psycopg.connect(owner_url) as connection:
            made = cls(connection, embedder, way)
            connection.execute(made._statement(_TABLES))
            connection.commit()
            learn_vectors(connection)
            yield made

    def write(self, talk: Sequence[Episode], *, facts: int, deltas: int) -> None:
        """Write *talk* with the given number of *facts* and *deltas*, one transaction per batch."""
        batches = list(_cut(talk, FIRST)) if self._way == "first" else [talk]
        for number, batch in enumerate(batches):
            share = [many * (number + 1) // len(batches) - many * number // len(batches) for many in (facts, deltas)]
            self._write(batch, *share)

    def _write(self, talk: Sequence[Episode], facts: int, deltas: int) -> None:
        quotes = list(_quotes(talk, facts, deltas))
        new = quotes[:facts]
        keys, contents = [episode.key for episode in talk], [episode.content for episode in talk]
        self._send(_EPISODES, (keys, contents, [e.occurred_at for e in talk], self._vectors(contents)))
        if texts := [one.text for one in new]:
            self._send(_FACTS, ([one.fact for one in new], texts, self._vectors(texts)))
        if quotes:
            kinds = ["add" if number < facts else "noop" for number in range(len(quotes))]
            payloads = [json.dumps(one.payload) for one in quotes]
            self._send(_DELTAS, ([one.id for one in quotes], kinds, [one.fact for one in quotes], payloads))
            spans = [one.start for one in quotes], [one.start + CHARACTERS for one in quotes]
            self._send(_SOURCES, ([one.id for one in quotes], [one.episode for one in quotes], *spans))
        self._connection.commit()

    def _send(self, statement: str, values: Sequence[object]) -> None:
        self._connection.execute(self._statement(statement), values)

    def _statement(self, statement: str) -> bytes:
        return statement.format(way=f"bare_{self._way}", vectors=_VECTORS[self._way]).encode()

    def _vectors(self, texts: Sequence[str]) -> list[Any]:
        vectors = self._embedder.embed(texts)
        return [json.dumps(vector) for vector in vectors.tolist()] if self._way == "first" else list(vectors)


def _cut(talk: Sequence[Episode], size: int) -> Iterator[Sequence[Episode]]:
    return (talk[start : start + size] for start in range(0, len(talk), size))


def _quotes(talk: Sequence[Episode], facts: int, deltas: int) -> Iterator[_Quote]:
    """Yield *deltas* quotes.

    The first *facts* quotes are of new facts. Every episode gives one quote before any episode gives a second quote.
    """
    last = uuid.uuid4()
    for number in range(max(facts, deltas)):
        episode, start = talk[number % len(talk)], number // len(talk) * CHARACTERS
        last = id_ = uuid.uuid4() if number < facts else last
        text = f"user says {episode.content[start:][:CHARACTERS]}"
        yield _Quote(uuid.uuid4() if number >= facts else id_, id_, text, episode.key, start)
