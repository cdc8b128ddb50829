"""A bare pipeline to measure with: it writes what a pipeline must keep, and thinks nothing.

It stores and embeds episodes and writes facts with their vectors, and deltas with their payloads and sources, in one
insert a table and batch and one commit a batch. It reads no text, looks nothing up, checks nothing and has no tenants,
no indexes but its keys, no history and no schedule.
"""

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from slowwave.domain.episode import Episode
from slowwave.ports import Embedder
from slowwave.store.database import learn_vectors

CHARACTERS = 40
"""Of an episode, in each of its facts."""
_TABLES = """
CREATE TABLE IF NOT EXISTS bare_episodes (
    id text PRIMARY KEY, content text NOT NULL, occurred timestamptz NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED, embedding vector(256));
CREATE TABLE IF NOT EXISTS bare_facts (
    id uuid PRIMARY KEY, subject text NOT NULL, predicate text NOT NULL, object text NOT NULL,
    confidence double precision NOT NULL, recorded timestamptz NOT NULL DEFAULT now(), embedding vector(256),
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, object)) STORED);
CREATE TABLE IF NOT EXISTS bare_deltas (
    id uuid PRIMARY KEY, kind text NOT NULL, fact uuid NOT NULL, rule text NOT NULL, payload jsonb NOT NULL,
    recorded timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS bare_sources (
    delta uuid NOT NULL, episode text NOT NULL, span_start int NOT NULL, span_end int NOT NULL,
    PRIMARY KEY (delta, episode));
"""
_EPISODES = """
INSERT INTO bare_episodes (id, content, occurred, embedding)
SELECT * FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %b::vector[])
"""
_FACTS = """
INSERT INTO bare_facts (id, subject, predicate, object, confidence, embedding)
SELECT id, 'user', 'says', object, 0.95, embedding FROM unnest(%s::uuid[], %s::text[], %b::vector[])
    AS n (id, object, embedding)
"""
_DELTAS = """
INSERT INTO bare_deltas (id, kind, fact, rule, payload)
SELECT id, kind, fact, 'says', payload::jsonb FROM unnest(%s::uuid[], %s::text[], %s::uuid[], %s::text[])
    AS n (id, kind, fact, payload)
"""
_SOURCES = "INSERT INTO bare_sources SELECT * FROM unnest(%s::uuid[], %s::text[], %s::int[], %s::int[])"


@dataclass(frozen=True, slots=True)
class _Said:
    """Words of an episode that become a delta, which adds a *fact* or confirms one."""

    id: uuid.UUID
    fact: uuid.UUID
    text: str
    episode: str
    start: int

    @property
    def payload(self) -> dict[str, Any]:
        return {"subject": "user", "predicate": "says", "object": self.text, "said_in": self.episode, "reason": "said"}


class Bare:
    """Writes batches of episodes, with facts and deltas of them."""

    def __init__(self, connection: psycopg.Connection, embedder: Embedder) -> None:
        self._connection, self._embedder = connection, embedder

    @classmethod
    @contextmanager
    def over(cls, owner_url: str, embedder: Embedder) -> Iterator["Bare"]:
        """Give one in tables of its own, in the database of *owner_url*."""
        with psycopg.connect(owner_url) as connection:
            connection.execute(_TABLES)
            connection.commit()
            learn_vectors(connection)
            yield cls(connection, embedder)

    def write(self, talk: Sequence[Episode], *, facts: int, deltas: int) -> None:
        """Write *talk* and so many *facts* and *deltas* of it, in one transaction."""
        said = list(_said(talk, facts, deltas))
        new = said[:facts]
        send = self._connection.execute
        keys, contents = [episode.key for episode in talk], [episode.content for episode in talk]
        send(_EPISODES, (keys, contents, [e.occurred_at for e in talk], list(self._embedder.embed(contents))))
        if texts := [one.text for one in new]:
            send(_FACTS, ([one.fact for one in new], texts, list(self._embedder.embed(texts))))
        kinds = ["add" if number < facts else "noop" for number in range(len(said))]
        payloads = [json.dumps(one.payload) for one in said]
        send(_DELTAS, ([one.id for one in said], kinds, [one.fact for one in said], payloads))
        spans = [one.start for one in said], [one.start + CHARACTERS for one in said]
        send(_SOURCES, ([one.id for one in said], [one.episode for one in said], *spans))
        self._connection.commit()


def _said(talk: Sequence[Episode], facts: int, deltas: int) -> Iterator[_Said]:
    """As many as *deltas*, of which the first *facts* are new; one of each episode before a second of any."""
    last = uuid.uuid4()
    for number in range(max(facts, deltas)):
        episode, start = talk[number % len(talk)], number // len(talk) * CHARACTERS
        last = id_ = uuid.uuid4() if number < facts else last
        text = f"user says {episode.content[start:][:CHARACTERS]}"
        yield _Said(uuid.uuid4() if number >= facts else id_, id_, text, episode.key, start)
