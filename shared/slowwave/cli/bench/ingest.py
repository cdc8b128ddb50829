"""Benchmark of push: the speed of storing episodes, compared with plain inserts into the same Postgres."""

import json
import statistics
import time
from collections.abc import Sequence
from functools import partial

import psycopg

from slowwave import wiring
from slowwave.cli.bench.figures import Figures, timed
from slowwave.cli.bench.sample_data import episodes, installed
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope

BATCH = 100
SCOPES = 10

_TABLE = """
CREATE TABLE plain (
    id text PRIMARY KEY, session text NOT NULL, role text NOT NULL, occurred timestamptz NOT NULL,
    received timestamptz NOT NULL DEFAULT now(), content text NOT NULL, metadata jsonb NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED, embedding vector(256));
CREATE INDEX ON plain USING gin (terms);
CREATE INDEX ON plain USING brin (received);
"""
_INSERT = """
INSERT INTO plain (id, session, role, occurred, content, metadata, embedding)
SELECT id, session, role, occurred, content, metadata::jsonb, embedding::vector
FROM unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::text[], %s::text[], %s::text[])
    AS new (id, session, role, occurred, content, metadata, embedding)
ON CONFLICT DO NOTHING
"""


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return the episodes per second of inserts and of pushes, 100 at a time, the ratio, and the time of one push."""
    talk = list(episodes(count))
    figures = Figures("ingest")
    with installed(url, owner_url) as parts:
        ceiling = figures.add(f"plain inserts of {BATCH}", _plain(owner_url, talk), "episodes/s")
        pushed = figures.add(f"pushes of {BATCH}, until stored", _pushed(parts, talk), "episodes/s")
        figures.add("ratio to the ceiling (goal 0.25, target 0.40)", pushed / ceiling)
        singles = _singles(parts, min(count, 500))
        figures.add("one push, median", statistics.median(singles), "ms")
        figures.add("one push, 99 of 100", statistics.quantiles(singles, n=100)[98], "ms")
    return figures


def _plain(owner_url: str, talk: Sequence[Episode]) -> float:
    vector = json.dumps([0.0625] * 256)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        connection.execute(_TABLE)
        started = time.perf_counter()
        for start in range(0, len(talk), BATCH):
            part = talk[start : start + BATCH]
            connection.execute(
                _INSERT,
                (
                    [episode.key for episode in part],
                    [episode.session for episode in part],
                    [episode.role for episode in part],
                    [episode.occurred_at for episode in part],
                    [episode.content for episode in part],
                    [json.dumps(episode.metadata) for episode in part],
                    [vector] * len(part),
                ),
            )
        return len(talk) / (time.perf_counter() - started)


def _pushed(parts: wiring.Parts, talk: Sequence[Episode]) -> float:
    scopes = [Scope("default", f"user-{number}", "bench") for number in range(SCOPES)]
    started = time.perf_counter()
    for number, start in enumerate(range(0, len(talk), BATCH)):
        parts.push(scopes[number % SCOPES], talk[start : start + BATCH])
    return len(talk) / (time.perf_counter() - started)


def _singles(parts: wiring.Parts, count: int) -> list[float]:
    scope = Scope("default", "hot", "bench")
    return [1000 * timed(partial(parts.push, scope, [one]))[0] for one in episodes(count, prefix="single")]
