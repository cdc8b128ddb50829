"""Benchmark of consolidation: how fast episodes become facts, next to a bare pipeline that looks nothing up."""

import json
import time
import uuid
from collections.abc import Sequence

import psycopg

from slowwave import wiring
from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.talk import episodes
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import work
from slowwave.wiring import Settings

BATCH = 20
PUSHED = 1000
SCOPES = 10

_TABLES = """
CREATE TABLE bare_episodes (id text PRIMARY KEY, content text NOT NULL, occurred timestamptz NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED, embedding vector(256));
CREATE TABLE bare_facts (id uuid PRIMARY KEY, subject text NOT NULL, predicate text NOT NULL, object text NOT NULL,
    confidence double precision NOT NULL, recorded timestamptz NOT NULL DEFAULT now(), embedding vector(256));
CREATE TABLE bare_sources (fact uuid NOT NULL, episode text NOT NULL, PRIMARY KEY (fact, episode));
"""


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return episodes a second of both, their ratio, and whether the last tenth is as fast as the first."""
    wiring.migrate_database(owner_url)
    parts = wiring.connect(Settings.load(url=url))
    wiring.register(parts)
    talk = list(episodes(count))
    figures = Figures("consolidate")
    try:
        parts.embedder.embed(["warm"])
        ceiling = figures.add(f"bare pipeline, batches of {BATCH}", bare(owner_url, parts, talk), "episodes/s")
        own = figures.add("pushed, prepared and consolidated", _whole(parts, talk, figures), "episodes/s")
        figures.add("ratio to the bare pipeline (target 0.5)", own / ceiling)
    finally:
        parts.close()
    return figures


def _whole(parts: wiring.Parts, talk: Sequence[Episode], figures: Figures) -> float:
    scopes = [Scope("default", f"user-{number}", "bench") for number in range(SCOPES)]
    tenths: list[float] = []
    consolidating, deltas = 0.0, 0
    part = max(1, len(talk) // 10)
    for tenth in range(10):
        started = time.perf_counter()
        batch = talk[tenth * part : (tenth + 1) * part]
        for number, scope in enumerate(scopes):
            if own := batch[number::SCOPES]:
                parts.push(scope, own)
        work.fire(parts)
        while True:
            before = time.perf_counter()
            report = work.run_next(parts, owner="bench")
            if report is None:
                break
            if report.job == CONSOLIDATE:
                consolidating += time.perf_counter() - before
                deltas += report.deltas.total()
        tenths.append(time.perf_counter() - started)
    done = part * 10
    figures.add("consolidated alone (goal 1 500)", done / consolidating, "episodes/s")
    figures.add("deltas an episode", deltas / done)
    figures.add("speed of the last tenth to the first (target 0.9)", tenths[0] / tenths[-1])
    return done / sum(tenths)


def bare(owner_url: str, parts: wiring.Parts, talk: Sequence[Episode]) -> float:
    """Return episodes a second where they are stored, embedded and made facts with provenance: nothing is looked up."""
    with psycopg.connect(owner_url) as connection:
        connection.execute(_TABLES)
        connection.commit()
        started = time.perf_counter()
        for start in range(0, len(talk), BATCH):
            _bare_batch(connection, parts, talk[start : start + BATCH])
        return len(talk) / (time.perf_counter() - started)


def _bare_batch(connection: psycopg.Connection, parts: wiring.Parts, part: Sequence[Episode]) -> None:
    vectors = [json.dumps(vector) for vector in parts.embedder.embed([e.content for e in part]).tolist()]
    connection.execute(
        "INSERT INTO bare_episodes (id, content, occurred, embedding) SELECT id, content, occurred, embedding::vector "
        "FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::text[]) AS n (id, content, occurred, embedding)",
        ([e.key for e in part], [e.content for e in part], [e.occurred_at for e in part], vectors),
    )
    said = [(uuid.uuid4(), e) for e in part[::2]]
    words = [f"user says {e.content[:40]}" for _, e in said]
    facts = [json.dumps(vector) for vector in parts.embedder.embed(words).tolist()]
    connection.execute(
        "INSERT INTO bare_facts (id, subject, predicate, object, confidence, embedding) "
        "SELECT id, 'user', 'says', object, 0.95, embedding::vector "
        "FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS n (id, object, embedding)",
        ([id_ for id_, _ in said], [e.content[:40] for _, e in said], facts),
    )
    connection.execute(
        "INSERT INTO bare_sources (fact, episode) SELECT * FROM unnest(%s::uuid[], %s::text[])",
        ([id_ for id_, _ in said], [e.key for _, e in said]),
    )
    connection.commit()
