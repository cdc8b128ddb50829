"""Benchmark of consolidation: how fast episodes become facts, next to a bare pipeline that looks nothing up.

Once with typed facts alone and once with statements beside them, each next to a bare pipeline of its own: it stores and
embeds the episodes, and writes facts with their vectors, sources and, beside statements, as many deltas, in one insert
a table and batch. It reads no text, asks for nothing and checks nothing.
"""

import json
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

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
CREATE TABLE IF NOT EXISTS bare_episodes (
    id text PRIMARY KEY, content text NOT NULL, occurred timestamptz NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED, embedding vector(256));
CREATE TABLE IF NOT EXISTS bare_facts (
    id uuid PRIMARY KEY, subject text NOT NULL, predicate text NOT NULL, object text NOT NULL,
    confidence double precision NOT NULL, recorded timestamptz NOT NULL DEFAULT now(), embedding vector(256));
CREATE TABLE IF NOT EXISTS bare_deltas (id uuid PRIMARY KEY, kind text NOT NULL, fact uuid NOT NULL, rule text NOT NULL,
    recorded timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS bare_sources (fact uuid NOT NULL, episode text NOT NULL, PRIMARY KEY (fact, episode));
"""


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return episodes a second of both, their ratio, and whether the last tenth is as fast as the first; twice."""
    wiring.migrate_database(owner_url)
    talk = list(episodes(count))
    figures = Figures("consolidate")
    with _parts(url, statements=False) as parts:
        ceiling = figures.add(f"bare pipeline, batches of {BATCH}", bare(owner_url, parts, talk), "episodes/s")
        own = _whole(parts, talk).add_to(figures)
        figures.add("ratio to the bare pipeline (target 0.5)", own / ceiling)
    with _parts(url, statements=True) as parts:
        whole = _whole(parts, talk)
        more = bare(owner_url, parts, list(episodes(count, prefix="again-")), facts=whole.facts, deltas=True)
        ceiling = figures.add("bare pipeline of as many facts as statements make", more, "episodes/s")
        own = whole.add_to(figures, ", with statements")
        figures.add("ratio to that bare pipeline (target 0.75)", own / ceiling)
    return figures


@contextmanager
def _parts(url: str, *, statements: bool) -> Iterator[wiring.Parts]:
    parts = wiring.connect(Settings.load(url=url, statements=statements))
    try:
        wiring.register(parts)
        parts.embedder.embed(["warm"])
        yield parts
    finally:
        parts.close()


@dataclass(frozen=True, slots=True)
class Whole:
    """The measures of one whole pipeline: episodes a second, deltas and facts an episode, and the slowing down."""

    speed: float
    consolidating: float
    deltas: float
    facts: float
    steadiness: float

    def add_to(self, figures: Figures, beside: str = "") -> float:
        """Add a row of each; return episodes a second."""
        figures.add(f"consolidated alone{beside or ' (goal 1 500)'}", self.consolidating, "episodes/s")
        figures.add(f"deltas an episode{beside}", self.deltas)
        figures.add(f"facts an episode{beside}", self.facts)
        figures.add(f"last tenth to the first (target 0.9){beside}", self.steadiness)
        return figures.add(f"pushed, prepared and consolidated{beside}", self.speed, "episodes/s")


def _whole(parts: wiring.Parts, talk: Sequence[Episode]) -> Whole:
    agent = f"bench-{parts.settings.statements}"
    scopes = [Scope("default", f"user-{number}", agent) for number in range(SCOPES)]
    tenths: list[float] = []
    consolidating, deltas = 0.0, Counter[str]()
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
                deltas.update(report.deltas)
        tenths.append(time.perf_counter() - started)
    done = part * 10
    facts = deltas["add"] + deltas["update"]
    return Whole(done / sum(tenths), done / consolidating, deltas.total() / done, facts / done, tenths[0] / tenths[-1])


def bare(
    owner_url: str, parts: wiring.Parts, talk: Sequence[Episode], *, facts: float = 0.5, deltas: bool = False
) -> float:
    """Return episodes a second where they are stored, embedded and made so many *facts* each: nothing is looked up."""
    with psycopg.connect(owner_url) as connection:
        connection.execute(_TABLES)
        started, told, made = time.perf_counter(), 0, 0
        for start in range(0, len(talk), BATCH):
            part = talk[start : start + BATCH]
            told += len(part)
            said = _said(part, round(told * facts) - made)
            made += len(said)
            _bare_batch(connection, parts, part, said, deltas=deltas)
        return len(talk) / (time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class _Fact:
    id: uuid.UUID
    text: str
    said_in: str


def _said(part: Sequence[Episode], count: int) -> list[_Fact]:
    """Return *count* facts of the episodes of *part*, one of each before a second of any: 40 characters of each."""
    turns = [(part[number % len(part)], number // len(part)) for number in range(count)]
    return [_Fact(uuid.uuid4(), f"user says {e.content[turn * 40 :][:40]}", e.key) for e, turn in turns]


def _bare_batch(
    connection: psycopg.Connection,
    parts: wiring.Parts,
    part: Sequence[Episode],
    facts: Sequence[_Fact],
    *,
    deltas: bool,
) -> None:
    vectors = [json.dumps(vector) for vector in parts.embedder.embed([e.content for e in part]).tolist()]
    connection.execute(
        "INSERT INTO bare_episodes (id, content, occurred, embedding) SELECT id, content, occurred, embedding::vector "
        "FROM unnest(%s::text[], %s::text[], %s::timestamptz[], %s::text[]) AS n (id, content, occurred, embedding)",
        ([e.key for e in part], [e.content for e in part], [e.occurred_at for e in part], vectors),
    )
    vectors = [json.dumps(vector) for vector in parts.embedder.embed([fact.text for fact in facts]).tolist()]
    ids = [fact.id for fact in facts]
    connection.execute(
        "INSERT INTO bare_facts (id, subject, predicate, object, confidence, embedding) "
        "SELECT id, 'user', 'says', object, 0.95, embedding::vector "
        "FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS n (id, object, embedding)",
        (ids, [fact.text for fact in facts], vectors),
    )
    if deltas:
        connection.execute(
            "INSERT INTO bare_deltas (id, kind, fact, rule) "
            "SELECT id, 'add', id, 'says' FROM unnest(%s::uuid[]) AS n (id)",
            (ids,),
        )
    connection.execute(
        "INSERT INTO bare_sources (fact, episode) SELECT * FROM unnest(%s::uuid[], %s::text[])",
        (ids, [fact.said_in for fact in facts]),
    )
    connection.commit()
